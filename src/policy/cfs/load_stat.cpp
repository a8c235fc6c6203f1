#include "policy/cfs/load_stat.hpp"

#include <algorithm>
#include <utility>

namespace wakelab::policy::cfs {

void update_curr_load(const Sched& s, Rq& rq) {
    LoadStat& ls = rq.load_stat;
    ls.delta_stat += rq.clock - std::exchange(ls.update_start, rq.clock);
    if (ls.delta_stat < s.tune.stat_granularity) return;
    // Idle time stays pending and is then taken for busy time: so it is in the kernel.
    if (rq.idle() || rq.load == 0) return;
    const std::uint64_t lasted = std::exchange(ls.delta_stat, 0);
    LoadWeight load{rq.load, 0};
    ls.delta_exec += lasted;
    ls.delta_fair += cdm(lasted, kNice0Load, load, s.v.inverse);
}

std::uint64_t take_average_load(const Sched& s, Rq& rq) {
    LoadStat& ls = rq.load_stat;
    update_curr_load(s, rq);
    const std::uint64_t fair = std::exchange(ls.delta_fair, 0) + 1;
    std::uint64_t exec = std::exchange(ls.delta_exec, 0) + 1;
    const std::uint64_t since = rq.clock - std::exchange(ls.update_last, rq.clock);
    const std::uint64_t interval = std::max(since, s.tick);
    exec = std::min(exec, interval);
    return kNice0Load * exec / fair * exec / interval;
}

}  // namespace wakelab::policy::cfs
