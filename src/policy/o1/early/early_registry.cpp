#include "policy/o1/early/early_class.hpp"

namespace wakelab::policy::o1::early {

namespace {

std::vector<TunableInfo> tunables_of(bool sync_moves) {
    std::vector<TunableInfo> t;
    t.push_back({.name = "decay",
                 .value = 0,  // cacheflush time * HZ / 1000 of caches up to 3 MB
                 .min = 0,
                 .max = 1'000,
                 .unit = "ticks",
                 .meaning = "a task switched out at most this long ago is not pulled"});
    if (sync_moves)
        t.push_back(
            {.name = "sync_preempt_check",
             .value = 1,
             .min = 0,
             .max = 1,
             .unit = "0/1",
             .meaning = "0: a sync wakee never preempts its waker (the first posted patch)"});
    return t;
}

SchedulerInfo info_of(bool sync_moves) {
    SchedulerInfo info;
    info.name = sync_moves ? "o1-2.5.22" : "o1-2.5.21";
    info.key = sync_moves ? "2.5.22" : "2.5.21";
    info.kernel = sync_moves ? "2.5.22 (2002-06-16), with the affinity test of 2.5.23"
                             : "2.5.6 .. 2.5.21 (2002-06-09), also 2.4.19-ac";
    info.summary = sync_moves ? "first O(1) scheduler with synchronous wake-ups restored"
                              : "first O(1) scheduler, no sync hint, no wake-up migration";
    info.kernel_config = {.hz = 100, .no_hz = false, .high_res = false};
    info.ipc = {.pipe_mid_sync = sync_moves, .pipe_slots = 1};
    info.has_batch = false;
    info.family = "o1-2.5";
    info.parameters = ParameterList()
                          .in("o1.md 5.1")
                          .flag("a sync wakee moves to the waker", sync_moves)
                          .take();
    info.tunables = [sync_moves](const topo::Machine&) { return tunables_of(sync_moves); };
    info.make = [sync_moves](const SchedulerConfig& config, const topo::Machine& machine,
                             SchedHost& host) -> std::unique_ptr<SchedClass> {
        return std::make_unique<EarlyClass>(sync_moves, config, machine, host);
    };
    return info;
}

}  // namespace

void append_early(std::vector<SchedulerInfo>& table) {
    table.push_back(info_of(false));
    table.push_back(info_of(true));
}

}  // namespace wakelab::policy::o1::early
