#include "policy/o1/sleep_avg.hpp"

#include <algorithm>

namespace wakelab::policy::o1 {

namespace {

// interactive_credit of 2.6.9: above the limit a task counts as interactive for good, below minus
// the limit as a hog. Later versions behave as if it stayed 0.
constexpr int kCreditLimit = 100;

bool high_credit(const Entity& e) {
    return e.interactive_credit > kCreditLimit;
}
bool low_credit(const Entity& e) {
    return e.interactive_credit < -kCreditLimit;
}

bool earns_nothing(const State& s, const Entity& e) {
    return s.version.has_batch && e.task->policy == SchedPolicy::kBatch;
}

// A task that slept involuntarily is not lifted beyond the interactive state: what `slept` adds at
// most.
std::uint64_t up_to_ceiling(Entity& e, std::uint64_t slept, std::uint64_t ceiling) {
    if (e.sleep_avg >= ceiling) return 0;
    if (e.sleep_avg + slept < ceiling) return slept;
    e.sleep_avg = ceiling;
    return 0;
}

// o1.md 3.2.
void credit_with_multiplier(const State& s, Entity& e, std::uint64_t slept) {
    const bool credits = s.version.sleep_rule == SleepRule::kCredit;
    const std::uint64_t ceiling = s.prio.interactive_sleep(e.static_prio);
    if (e.task->is_user && e.sleep_type != SleepType::kNoninteractive && slept > ceiling) {
        e.sleep_avg = (s.prio.max_sleep_avg - s.prio.def_timeslice) * s.prio.tick_ns;
        if (credits && !high_credit(e)) ++e.interactive_credit;
        return;
    }
    slept *= static_cast<std::uint64_t>(std::max(kMaxBonus - s.prio.bonus(e.sleep_avg), 1));
    if (low_credit(e)) slept = std::min(slept, s.prio.timeslice(e.static_prio) * s.prio.tick_ns);
    if (e.sleep_type == SleepType::kNoninteractive && !high_credit(e) && e.task->is_user)
        slept = up_to_ceiling(e, slept, ceiling);
    e.sleep_avg += slept;
    if (e.sleep_avg > s.prio.ns_max_sleep_avg) {
        e.sleep_avg = s.prio.ns_max_sleep_avg;
        if (credits && !high_credit(e)) ++e.interactive_credit;
    }
}

// o1.md 3.3.
void credit_with_ceiling(const State& s, Entity& e, std::uint64_t slept) {
    const std::uint64_t ceiling = s.prio.interactive_sleep(e.static_prio);
    if (e.task->is_user && slept > ceiling && e.sleep_avg < ceiling) {
        e.sleep_avg = ceiling;
        e.sleep_type = SleepType::kNoninteractive;
    } else {
        if (e.sleep_type == SleepType::kNoninteractive && e.task->is_user)
            slept = up_to_ceiling(e, slept, ceiling);
        e.sleep_avg += slept;
    }
    e.sleep_avg = std::min(e.sleep_avg, s.prio.ns_max_sleep_avg);
}

}  // namespace

int effective_prio(const State& s, const Entity& e) {
    return e.rt() ? e.prio : s.prio.normal_prio(e.static_prio, e.sleep_avg);
}

int recalc_task_prio(const State& s, Entity& e, std::uint64_t now) {
    // Unsigned on purpose: a timestamp ahead of `now` counts as a very long sleep, as in the
    // kernel.
    std::uint64_t slept = earns_nothing(s, e) ? 0 : now - e.timestamp;
    if (s.version.sleep_rule == SleepRule::kCeiling) {
        if (slept > 0) credit_with_ceiling(s, e, slept);
    } else {
        slept = std::min(slept, s.prio.ns_max_sleep_avg);
        if (slept > 0) credit_with_multiplier(s, e, slept);
    }
    return effective_prio(s, e);
}

std::uint64_t run_time_of(const State& s, const Entity& e, std::uint64_t now) {
    const auto ran = static_cast<std::int64_t>(now - e.timestamp);
    const auto limit = static_cast<std::int64_t>(s.prio.ns_max_sleep_avg);
    const auto run_time = static_cast<std::uint64_t>(std::clamp<std::int64_t>(ran, 0, limit));
    if (!s.version.charge_by_bonus && !high_credit(e)) return run_time;
    const int bonus = s.prio.bonus(e.sleep_avg);
    return bonus > 1 ? run_time / static_cast<std::uint64_t>(bonus) : run_time;
}

void charge_run_time(const State& s, Entity& e, std::uint64_t run_time) {
    if (e.sleep_avg > run_time) {
        e.sleep_avg -= run_time;
        return;
    }
    e.sleep_avg = 0;
    if (s.version.sleep_rule == SleepRule::kCredit && !high_credit(e) && !low_credit(e))
        --e.interactive_credit;
}

void set_load_weight(const State& s, Entity& e) {
    const SchedTask& p = *e.task;
    switch (s.version.load_unit) {
        case LoadUnit::kTasks:
            e.load_weight = kLoadScale;
            break;
        case LoadUnit::kBiased:
            if (p.migration_thread)
                e.load_weight = 0;
            else
                e.load_weight = static_cast<std::uint64_t>(
                    kMaxPrio - (p.is_rt() ? rt_to_prio(p.rt_priority) : e.static_prio));
            break;
        case LoadUnit::kWeight:
            if (p.migration_thread)
                e.load_weight = 0;
            else
                e.load_weight = p.is_rt() ? s.prio.rt_weight(p.rt_priority)
                                          : s.prio.normal_weight(e.static_prio);
            break;
    }
}

}  // namespace wakelab::policy::o1
