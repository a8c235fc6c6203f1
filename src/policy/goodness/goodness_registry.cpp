#include "policy/families.hpp"
#include "policy/goodness/goodness_class.hpp"
#include "policy/goodness/goodness_version.hpp"

namespace wakelab::policy {

namespace {

using goodness::GoodnessVersion;

std::vector<TunableInfo> tunables_of() {
    return {{.name = "proc_change_penalty",
             .value = 15,
             .min = 0,
             .max = 100,
             .unit = "goodness",
             .meaning = "PROC_CHANGE_PENALTY: bonus on the CPU a task ran on last; 15 on i386, 20 "
                        "on most others"}};
}

SchedulerInfo info_of(const GoodnessVersion& version) {
    const GoodnessVersion* v = &version;
    SchedulerInfo info;
    info.name = v->name;
    info.key = v->key;
    info.alias = v->alias;
    info.family = "goodness";
    info.parameters = ParameterList()
                          .in("goodness.md 4.3")
                          .flag("the running task wins ties", v->still_running)
                          .in("goodness.md 6.3")
                          .flag("yield moves to the tail", v->yield_to_tail)
                          .flag("yield marks for one pass", v->yield_marks)
                          .in("goodness.md 5.2")
                          .flag("idle siblings are taken at once", v->ht_siblings)
                          .in("goodness.md 6.1")
                          .flag("a wakee is queued at the tail", v->insert_tail)
                          .in("goodness.md 11")
                          .choice("priority counts", v->credit, {"ticks left", "dyn_prio"})
                          .take();
    info.kernel = v->kernel;
    info.summary = v->summary;
    info.kernel_config = {.hz = 100,
                          .no_hz = false,
                          .high_res = false,
                          .one_runqueue = true,
                          .tick_phase = TickPhase::kSpread};
    // Only a pipe call that blocks half-way wakes with a hint (goodness.md 8).
    info.ipc = {.pipe_mid_sync = true, .pipe_slots = 1};
    info.has_batch = false;
    info.tunables = [](const topo::Machine&) { return tunables_of(); };
    info.make = [v](const SchedulerConfig& config, const topo::Machine& machine,
                    SchedHost& host) -> std::unique_ptr<SchedClass> {
        return std::make_unique<goodness::GoodnessClass>(*v, config, machine, host);
    };
    return info;
}

}  // namespace

void append_goodness(std::vector<SchedulerInfo>& table) {
    for (const GoodnessVersion& version : goodness::goodness_versions())
        table.push_back(info_of(version));
}

}  // namespace wakelab::policy
