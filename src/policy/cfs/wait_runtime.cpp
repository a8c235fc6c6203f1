#include "policy/cfs/wait_runtime.hpp"

#include <algorithm>
#include <utility>

#include "policy/cfs/clock.hpp"
#include "policy/cfs/fair.hpp"

namespace wakelab::policy::cfs::wait_runtime {

namespace {

constexpr unsigned kNice0Shift = 10;
constexpr unsigned kInverseShift = 32 - kNice0Shift;  // of weight * inverse = 2^32, back to nice 0

void add(const Sched& s, WaitRuntime& w, std::int64_t delta) {
    const auto limit = static_cast<std::int64_t>(s.tune.runtime_limit);
    w.owed = std::clamp(w.owed + delta, -limit, limit);
}

// Time on the fair clock since `start`, as far as it counts.
std::uint64_t fair_time_since(const Sched& s, const CfsRq& cfs, std::uint64_t start) {
    return std::min(2 * s.tune.runtime_limit, cfs.fair_clock - start);
}

// calc_weighted(): fair time to what this entity was entitled to in it.
std::uint64_t weighted(std::uint64_t fair, const LoadWeight& load) {
    return load.weight == kNice0Load ? fair : (fair * load.weight) >> kNice0Shift;
}

// Adds `fair` to what is pending and returns the sum once it is due; 0: not yet.
std::uint64_t due(const Sched& s, std::uint64_t& pending, std::uint64_t fair) {
    pending += fair;
    return pending >= s.tune.stat_granularity ? std::exchange(pending, 0) : 0;
}

// __enqueue_sleeper(). Nobody is credited while more than a limit of credit is in flight.
void credit_sleep(const Sched& s, Rq& rq, Entity& se, std::uint64_t fair) {
    CfsRq& cfs = rq.cfs;
    if (cfs.sleeper_bonus > s.tune.runtime_limit) return;
    if (s.has(Feature::kSleeperAvg)) {
        const std::uint64_t load =
            s.has(Feature::kSleeperLoadAvg) ? rq.cpu_load[2] : cfs.load.weight;
        fair = fair * load / (load + se.load.weight);
    }
    const std::int64_t before_credit = se.wait.owed;
    add(s, se.wait, static_cast<std::int64_t>(weighted(fair, se.load)));
    cfs.sleeper_bonus += static_cast<std::uint64_t>(se.wait.owed - before_credit);
}

// enqueue_sleeper()
void end_sleep(const Sched& s, Rq& rq, Entity& se) {
    if (se.task->policy == SchedPolicy::kBatch || !s.has(Feature::kFairSleepers)) return;
    const std::uint64_t slept = fair_time_since(s, rq.cfs, se.wait.sleep_start_fair);
    if (const std::uint64_t fair = due(s, se.wait.delta_fair_sleep, slept); fair != 0)
        credit_sleep(s, rq, se, fair);
    se.wait.sleep_start_fair = 0;
}

std::uint64_t fair_key(const CfsRq& cfs, const Entity& se) {
    const std::int64_t owed = se.wait.owed;
    if (se.load.weight == kNice0Load) return cfs.fair_clock - static_cast<std::uint64_t>(owed);
    const auto amount = static_cast<std::uint64_t>(owed < 0 ? -owed : owed);
    const std::uint64_t scaled = (amount * se.load.inv) >> kInverseShift;
    return owed < 0 ? cfs.fair_clock + scaled : cfs.fair_clock - scaled;
}

// niced_granularity(): wall time to the key space of `curr`; light tasks get less than nice 0.
std::int64_t niced(const Entity& curr, std::uint64_t gran) {
    const LoadWeight& load = curr.load;
    if (load.weight > kNice0Load) gran = (load.inv * gran) >> kInverseShift;
    if (load.weight < kNice0Load) gran = (load.weight * gran) >> kNice0Shift;
    return static_cast<std::int64_t>(gran);
}

// __check_preempt_curr_fair(). A task that has had its share of the latency needs no lead.
void preempt_by(Sched& s, Rq& rq, const Entity& curr, const Entity& other, std::uint64_t gran) {
    const std::uint64_t ideal =
        std::max(s.tune.latency / rq.cfs.nr_running, s.tune.min_granularity);
    if (curr.sum_exec - curr.prev_sum > ideal) gran = 0;
    const auto lead = static_cast<std::int64_t>(curr.vruntime - other.vruntime);
    if (lead > niced(curr, gran)) s.host.resched(rq.cpu);
}

// Dequeue and enqueue of the running entity: nothing but its position changes.
void rekey(const Sched& s, Rq& rq, Entity& curr) {
    FairTree& tree = rq.cfs.tree;
    tree.erase(tree.iterator_to(curr));
    place(s, rq, curr, false);
    tree.insert(curr);
}

}  // namespace

void update_curr(const Sched& s, Rq& rq, Entity& curr) {
    CfsRq& cfs = rq.cfs;
    WaitRuntime& w = curr.wait;
    w.delta_exec += rq.clock - curr.exec_start;
    curr.exec_start = rq.clock;
    if (w.delta_exec <= s.tune.stat_granularity) return;
    const std::uint64_t ran = std::exchange(w.delta_exec, 0);
    curr.sum_exec += ran;
    if (cfs.load.weight == 0) return;
    const std::uint64_t fair = cdm(ran, kNice0Load, cfs.load, s.v.inverse);
    std::uint64_t mine = cdm(ran, curr.load.weight, cfs.load, s.v.inverse);
    // Who runs pays back what sleepers were given.
    if (cfs.sleeper_bonus > s.tune.min_granularity) {
        const std::uint64_t room = s.tune.runtime_limit - static_cast<std::uint64_t>(w.owed);
        const std::uint64_t paid = std::min({mine, cfs.sleeper_bonus, room});
        cfs.sleeper_bonus -= paid;
        mine -= paid;
    }
    cfs.fair_clock += fair;
    add(s, w, static_cast<std::int64_t>(mine - ran));
}

void place(const Sched& s, Rq& rq, Entity& se, bool wakeup) {
    if (wakeup) end_sleep(s, rq, se);
    if (&se != rq.cfs.curr) se.wait.wait_start_fair = rq.cfs.fair_clock;
    se.vruntime = fair_key(rq.cfs, se);
}

void place_new(const Sched& s, Rq& rq, Entity& child) {
    CfsRq& cfs = rq.cfs;
    const std::uint64_t gran = granularity(s, cfs);
    child.wait.wait_start_fair = s.has(Feature::kSkipInitial) ? 0 : cfs.fair_clock;
    child.vruntime = cfs.curr->vruntime - static_cast<std::uint64_t>(niced(*cfs.curr, gran)) - 1;
    // What a queue of hogs owes on the average.
    if (s.has(Feature::kStartDebit)) child.wait.owed = -static_cast<std::int64_t>(gran / 2);
}

void leave(const Sched& s, CfsRq& cfs, Entity& se, bool sleep) {
    if (&se != cfs.curr) stop_waiting(s, cfs, se);
    if (sleep) se.wait.sleep_start_fair = cfs.fair_clock;
}

void stop_waiting(const Sched& s, CfsRq& cfs, Entity& se) {
    WaitRuntime& w = se.wait;
    if (w.wait_start_fair == 0) return;
    const std::uint64_t waited = fair_time_since(s, cfs, w.wait_start_fair);
    if (const std::uint64_t fair = due(s, w.delta_fair_run, waited); fair != 0)
        add(s, w, static_cast<std::int64_t>(weighted(fair, se.load)));
    w.wait_start_fair = 0;
}

void tick(Sched& s, Rq& rq, Entity& curr) {
    rekey(s, rq, curr);
    const Entity* next = rq.cfs.leftmost();
    if (next != &curr) preempt_by(s, rq, curr, *next, granularity(s, rq.cfs));
}

void yield(Sched& s, Rq& rq, Entity& curr) {
    CfsRq& cfs = rq.cfs;
    if (!s.tune.compat_yield) {
        update_rq_clock(s, rq);
        cfs::update_curr(s, rq.cfs);
        rekey(s, rq, curr);
        return;
    }
    const Entity* right = cfs.rightmost();
    if (right == &curr) return;
    cfs.tree.erase(cfs.tree.iterator_to(curr));
    curr.vruntime = right->vruntime + 1;
    cfs.tree.insert(curr);
}

void check_preempt_wakeup(Sched& s, Rq& rq, Entity& curr, Entity& wakee) {
    const bool batch = wakee.task->policy == SchedPolicy::kBatch;
    preempt_by(s, rq, curr, wakee,
               batch ? s.tune.batch_wakeup_granularity : s.tune.wakeup_granularity);
}

void migrate(Entity& se, const CfsRq& from, const CfsRq& to) {
    const std::uint64_t offset = from.fair_clock - to.fair_clock;
    if (se.wait.wait_start_fair != 0) se.wait.wait_start_fair -= offset;
    if (se.wait.sleep_start_fair != 0) se.wait.sleep_start_fair -= offset;
}

std::uint64_t granularity(const Sched& s, const CfsRq& cfs) {
    const std::uint64_t n = cfs.nr_running;
    const std::uint64_t latency = s.tune.latency;
    if (n <= 1) return latency;
    return std::max(latency / n - latency / n / n, s.tune.min_granularity);
}

}  // namespace wakelab::policy::cfs::wait_runtime
