#include "policy/cfs/cfs_parameters.hpp"

#include <fmt/format.h>

#include "policy/cfs/domain_levels.hpp"

namespace wakelab::policy::cfs {

namespace {

void add_arithmetic(ParameterList& p, const CfsVersion& v) {
    p.in("cfs.md 2.1")
        .choice("a task keeps", v.model, {"the virtual time it had", "the CPU time it is owed"})
        .in("cfs.md 1.2")
        .number("weight of SCHED_IDLE", static_cast<std::int64_t>(v.idle_policy_load.weight), "")
        .in("cfs.md 1.3")
        .choice("inverse of a queue's weight", v.inverse, {"/W + 1", "/(W+1)", "1 + /(W+1)"})
        .in("cfs.md 1.4")
        .number("latency, one CPU", v.latency_ns / 1'000, "us")
        .number("min_granularity, one CPU", v.min_granularity_ns / 1'000, "us")
        .number("wakeup_granularity, one CPU", v.wakeup_granularity_ns / 1'000, "us")
        .number("limit of the first two", v.granularity_limit_ns / 1'000, "us")
        .flag("child_runs_first", v.child_runs_first)
        .in("cfs.md 1.5")
        .choice("clock a wake-up moves", v.clock,
                {"own CPU's only", "target queue's", "previous queue's", "both queues'"})
        .flag("update_curr() skips zero time", v.skip_empty_update)
        .in("cfs.md 2.1")
        .choice("virtual time runs by", v.vruntime_rate, {"1/weight", "queue weight/weight"})
        .in("cfs.md 2.2")
        .choice("min_vruntime moves", v.min_vruntime,
                {"at every accounting", "with the tree only", "at every accounting, tie bug",
                 "at every accounting"})
        .in("cfs.md 2.3")
        .choice("long round", v.period, {"latency * n / 5", "min_granularity * n"})
        .choice("slice", v.slice,
                {"plain division", "calc_delta_mine", "counts the unqueued", "weighs the unqueued"})
        .choice(
            "start debit", v.vslice,
            {"share with itself", "share, itself if new", "whole round", "slice in virtual time"});
}

void add_placing(ParameterList& p, const CfsVersion& v) {
    p.in("cfs.md 2.4")
        .choice("placing starts at", v.place_base,
                {"min_vruntime or an average", "min(min_vruntime, leftmost)", "min_vruntime"})
        .choice("NORMALIZED_SLEEPER scales by", v.credit,
                {"nothing", "queue weight/weight", "1/weight", "1/weight, not SCHED_IDLE"})
        .flag("new tasks are never placed back", v.place_never_back)
        .in("cfs.md 2.5")
        .flag("accounted before placing", v.account_before_place)
        .in("cfs.md 2.6")
        .choice("buddies", v.buddies,
                {"none", "next, gran / load", "next, wake-up gran", "next, for a pair slice",
                 "next, then last", "last, then next"})
        .choice("a buddy mark ends", v.buddy_clear,
                {"leaving the tree", "at dequeue", "when picked", "at any pick"})
        .flag("buddies need a long queue", v.preempt.buddies_need_long_queue)
        .flag("next buddy is a feature", v.preempt.next_is_feature)
        .flag("next buddy not for forks", v.preempt.next_not_for_forks)
        .in("cfs.md 2.10")
        .flag("a new task always reschedules", v.new_task_always_rescheds)
        .flag("a new task starts from its parent's", v.new_task_inherits_vruntime)
        .flag("placed as new beside its parent only", v.new_task_beside_parent_only)
        .in("cfs.md 0.2")
        .flag("yield and fork compare signed", v.compares_signed);
}

void add_preemption(ParameterList& p, const CfsVersion& v) {
    const PreemptSteps& s = v.preempt;
    p.in("cfs.md 2.7")
        .choice("wake-up granularity scales by", v.granularity,
                {"1/curr weight", "1/curr weight if heavy", "queue weight/curr weight",
                 "queue weight, lifted", "1/curr weight by ASYM_GRAN", "1/wakee weight, adaptive"})
        .choice("comparison", v.preempt_test,
                {"unsigned", "signed, tie is 0", "signed, tie is behind"})
        .in("cfs.md 2.8")
        .flag("the check accounts curr first", s.update_curr_first)
        .flag("the check ignores curr itself", s.ignore_own_wakeup)
        .flag("the check stops if marked", s.stop_if_marked)
        .flag("only SCHED_NORMAL preempts", s.only_normal_preempts)
        .flag("SCHED_IDLE always yields", s.idle_policy_yields)
        .flag("WAKEUP_OVERLAP", s.overlap_features)
        .flag("WAKEUP_SYNC, WAKEUP_RUNNING", s.sync_feature)
        .in("cfs.md 2.9")
        .flag("the tick looks at the lead", v.tick_checks_lead)
        .flag("slice timer in short queues only", v.hrtick_short_queues_only)
        .in("cfs.md 4.1")
        .flag("an early wake-up checks, too", v.queued_wakeup_preempts)
        .flag("a sync wakee here is not compared", v.sync_wakee_waits)
        .in("cfs.md 5")
        .flag("limits preempters (P4)", v.limits_preempters)
        .flag("SCHED_PREEMPT", v.has_preempt_policy);
}

void add_wakeup(ParameterList& p, const CfsVersion& v) {
    p.in("cfs.md 4.6")
        .choice("last_wakeup is marked for", v.mark,
                {"nobody", "the one running there", "the waker", "the waker, if activated"})
        .choice("preemption adds to the overlap", v.preempted_sample,
                {"nothing", "run since the pick", "run since the last wake-up"})
        .flag("avg_running", v.tracks_running)
        .in("cfs.md 4.1")
        .choice("CPU is chosen in", v.select,
                {"try_to_wake_up()", "select_task_rq_fair()", "select_task_rq_fair(), by flags"})
        .flag("a cold sync wakee is pulled", v.pulls_cold_sync)
        .in("cfs.md 4.2")
        .flag("prev == this is a shortcut", v.shortcut_on_same_cpu)
        .in("cfs.md 4.3")
        .choice("wake_affine()", v.affine,
                {"overlap shortcut, light, balanced", "balanced, light", "long overlap drops sync",
                 "SYNC_LESS, SYNC_MORE"})
        .flag("an empty CPU always pulls", v.affine_to_empty)
        .in("cfs.md 5")
        .choice("shortcut is for", v.shortcut_filter,
                {"everybody", "the same third wakee (P1)", "mutual wakers (P1i)", "nobody"})
        .choice("sync takes the waker's weight", v.sync_subtraction,
                {"always", "if above it (P2)", "if any load (P3)"})
        .in("cfs.md 4.5")
        .flag("wake_idle() counts fair tasks", v.busy_by_fair_tasks);
}

void add_balancing(ParameterList& p, const CfsVersion& v) {
    const BalanceRules& b = v.balance;
    p.in("cfs.md 6.3")
        .choice("balancer walks", b.order,
                {"the tree", "the queue list, not its last", "the queue list"})
        .in("cfs.md 6.2")
        .flag("sees uneven groups", b.sees_uneven_groups)
        .flag("group imbalance by average", b.group_imbalance_by_average)
        .text("slack of small imbalances",
              b.small_margin_tasks == 0 ? "1024" : fmt::format("{} task(s)", b.small_margin_tasks))
        .in("cfs.md 1.6")
        .flag("cpu_load rounds up", v.cpu_load_rounds_up)
        .choice("average task of an empty CPU", b.empty_average, {"1024", "last computed", "0"})
        .in("cfs.md 6.2")
        .flag("local average of small imbalances", b.local_average_in_small)
        .in("cfs.md 6.3")
        .flag("size test with slack", b.fuzzy_skip)
        .in("cfs.md 6.1")
        .flag("newidle needs the lowest level", b.newidle_needs_lowest)
        .flag("newidle stops on failure", b.newidle_stops_on_failure)
        .flag("newidle pulls one (PREEMPT)", b.newidle_pulls_one)
        .in("cfs.md 6.2")
        .flag("dynamic CPU power", b.dynamic_power)
        .in("cfs.md 6.8")
        .choice("shares of a group", v.groups,
                {"full everywhere", "by load", "by load, rate limited", "by load, if > 4 change"})
        .flag("tasks without a group form one", v.root_is_a_group)
        .in("")
        .choice("real-time tasks move", v.rt_balance,
                {"with the balancer", "push unless highest, pull", "push unless marked, pull",
                 "push, pull by priority vectors"});
}

std::string flag_words(std::uint32_t flags) {
    struct Name {
        std::uint32_t flag;
        std::string_view word;
    };
    constexpr Name kNames[] = {{kBalanceNewidle, "NEWIDLE"},   {kBalanceFork, "FORK"},
                               {kBalanceExec, "EXEC"},         {kWakeIdle, "WAKE_IDLE"},
                               {kWakeAffine, "WAKE_AFFINE"},   {kWakeBalanceFlag, "WAKE_BALANCE"},
                               {kPreferLocal, "PREFER_LOCAL"}, {kPreferSibling, "PREFER_SIBLING"}};
    std::string words;
    for (const Name& n : kNames)
        if ((flags & n.flag) != 0) words += (words.empty() ? "" : " ") + std::string(n.word);
    return words;
}

struct LevelWords {
    std::string_view level;
    std::string_view indices;
};

LevelWords words_of(LevelKind kind) {
    switch (kind) {
        case LevelKind::kSmt:
            return {"SMT level", "SMT busy/idle/newidle/wake/fork index"};
        case LevelKind::kMc:
            return {"MC level", "MC busy/idle/newidle/wake/fork index"};
        case LevelKind::kCpu:
            return {"CPU level", "CPU busy/idle/newidle/wake/fork index"};
        case LevelKind::kNode:
            break;
    }
    return {"NODE level", "NODE busy/idle/newidle/wake/fork index"};
}

void add_domains(ParameterList& p, const CfsVersion& v) {
    p.in("cfs.md 6.6");
    for (const LevelParams& l : v.levels) {
        const LevelWords words = words_of(l.kind);
        p.text(words.level, flag_words(l.flags));
        p.text(words.indices, fmt::format("{}/{}/{}/{}/{}", l.busy_idx, l.idle_idx, l.newidle_idx,
                                          l.wake_idx, l.forkexec_idx));
    }
    p.flag("group power is a sum", v.power_is_sum)
        .flag("AMD package is a cache", v.amd_package_is_cache);
}

}  // namespace

std::vector<Parameter> parameters_of(const CfsVersion& version) {
    ParameterList p;
    add_arithmetic(p, version);
    add_placing(p, version);
    add_preemption(p, version);
    add_wakeup(p, version);
    add_balancing(p, version);
    add_domains(p, version);
    return p.take();
}

}  // namespace wakelab::policy::cfs
