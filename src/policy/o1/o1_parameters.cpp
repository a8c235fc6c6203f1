#include "policy/o1/o1_parameters.hpp"

namespace wakelab::policy::o1 {

namespace {

void add_priorities(ParameterList& p, const O1Version& v) {
    p.in("o1.md 3")
        .choice("sleep_avg grows by", v.sleep_rule,
                {"bonus multiplier, credits", "bonus multiplier", "the sleep, up to a ceiling"})
        .flag("DELTA() rounds down", v.delta_rounds_down)
        .flag("run time is divided by the bonus", v.charge_by_bonus)
        .flag("a pick always requeues", v.pick_always_requeues)
        .choice("activating a real-time task", v.rt_activation,
                {"as others", "marks only", "does nothing to it"})
        .flag("nice keeps the bonus", v.nice_keeps_bonus)
        .in("o1.md 4")
        .flag("granularity of 10 ms", v.granularity_10ms)
        .flag("rotation updates the priority", v.rotation_updates_prio)
        .flag("starvation counts from the switch", v.starves_since_switch)
        .flag("SCHED_BATCH", v.has_batch)
        .flag("SCHED_BATCH wakes as expired", v.batch_expires)
        .flag("sleep in a pipe has a type", v.pipe_sleep_typed)
        .flag("slice returns on the same CPU only", v.exit_needs_same_cpu)
        .flag("fork of a one-tick parent ticks", v.fork_runs_tick);
}

void add_wakeup(ParameterList& p, const O1Version& v) {
    p.in("o1.md 5")
        .flag("wake-up tests cache heat", v.wake_by_cache_hot)
        .flag("wake_idle() needs a short queue", v.wake_idle_needs_short_queue)
        .flag("only repeated wakers pull", v.wake_filter)
        .choice("kernel.wake_balance", v.wake_balance,
                {"does not exist", "0 keeps wake_idle()", "0 skips wake_idle()"});
}

void add_balancing(ParameterList& p, const O1Version& v) {
    p.in("o1.md 6")
        .choice("load counts", v.load_unit, {"tasks", "tasks by prio_bias", "weights"})
        .flag("one cpu_load only", v.one_cpu_load)
        .flag("clock follows switches", v.clock_follows_switches)
        .in("o1.md 8")
        .flag("next_balance", v.balance_on_next_balance)
        .choice("imbalance as in", v.imbalance_rule, {"2.6.9", "2.6.14", "2.6.18"})
        .flag("an idle CPU pulls although balanced", v.idle_pull_is_forced)
        .flag("hot tasks stay at first", v.refuse_hot_at_first)
        .flag("balanced resets nr_balance_failed", v.balanced_resets_failed)
        .flag("newidle resets nr_balance_failed", v.newidle_resets_failed)
        .flag("pinned tasks back off", v.keeps_pinned_backoff)
        .flag("a kick doubles the interval", v.kick_doubles_interval)
        .flag("active balance serves all idle groups", v.push_to_idle_groups)
        .number("nr_balance_failed after a kick, above tries", v.failed_after_kick, "")
        .number("load index of the busiest queue", v.queue_load_idx, "")
        .flag("reports a busy sibling", v.reports_busy_sibling)
        .choice("exec moves to", v.exec_rule, {"the lightest CPU", "the idlest group's, fork too"})
        .in("o1.md 9")
        .choice("cache-hot time", v.hot_time, {"cache_decay_ticks", "measured at boot"})
        .choice("domains as in", v.domains, {"2.6.9", "2.6.9-EL", "2.6.16", "2.6.22"});
}

}  // namespace

std::vector<Parameter> parameters_of(const O1Version& version) {
    ParameterList p;
    add_priorities(p, version);
    add_wakeup(p, version);
    add_balancing(p, version);
    return p.take();
}

}  // namespace wakelab::policy::o1
