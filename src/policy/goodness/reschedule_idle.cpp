#include "policy/goodness/reschedule_idle.hpp"

#include "policy/goodness/goodness.hpp"

namespace wakelab::policy::goodness {

namespace {

// An idle CPU that was told already gets no second IPI.
bool kick_idle(State& s, CpuId cpu, CpuId this_cpu) {
    const bool told = s.host.need_resched(cpu);
    s.host.resched(cpu);
    return cpu != this_cpu && !told;
}

// A busy one does.
bool preempt(State& s, CpuId cpu, CpuId this_cpu) {
    const bool told = s.host.need_resched(cpu);
    s.host.resched(cpu);
    if (cpu == this_cpu) return false;
    if (told) s.host.send_ipi(cpu);
    return true;
}

struct Choice {
    CpuId idle;     // the one that went idle first
    CpuId preempt;  // the one whose task is beaten by most
};

// Step B of goodness.md 5.1, with the hyper-thread rule of 5.2.
Choice choose(const State& s, const Entity& e) {
    Choice choice;
    Time oldest{};
    int max = 0;
    for (std::uint32_t c = 0; c < s.cpus.size(); ++c) {
        const CpuId cpu{c};
        if (!s.can_schedule(e, cpu)) continue;
        if (s.is_idle(cpu)) {
            const CpuState& state = s.cpus[c];
            if (s.version.ht_siblings && state.sibling.valid() && s.is_idle(state.sibling))
                return {.idle = cpu, .preempt = kNoCpu};
            if (choice.idle.valid() && state.last_schedule >= oldest) continue;
            oldest = state.last_schedule;
            choice.idle = cpu;
        } else if (!choice.idle.valid()) {
            const int lead = preemption_goodness(s, e, cpu);
            if (lead <= max) continue;
            max = lead;
            choice.preempt = cpu;
        }
    }
    return choice;
}

}  // namespace

Placement reschedule_idle(State& s, const Entity& e, CpuId this_cpu) {
    if (s.up) {
        if (s.is_idle(this_cpu) || preemption_goodness(s, e, this_cpu) > 0)
            s.host.resched(this_cpu);
        return {.examined = 1, .ipi = false};
    }
    const CpuId last = e.task->cpu;
    if (s.can_schedule(e, last) && s.is_idle(last))
        return {.examined = 1, .ipi = kick_idle(s, last, this_cpu)};
    const Choice choice = choose(s, e);
    Placement done{.examined = static_cast<std::uint32_t>(s.cpus.size()), .ipi = false};
    if (choice.idle.valid())
        done.ipi = kick_idle(s, choice.idle, this_cpu);
    else if (choice.preempt.valid())
        done.ipi = preempt(s, choice.preempt, this_cpu);
    return done;
}

void charge_wake(State& s, CpuId this_cpu, const Placement& done, WakeBase base) {
    const topo::Costs& costs = s.lock.costs();
    const std::int64_t own =
        done.examined * costs.runqueue_examine + (done.ipi ? costs.ipi_send : 0);
    const Duration spin = s.lock.take(s.host.now(), this_cpu, Duration{costs.runqueue_wake + own});
    const std::int64_t rest = base == WakeBase::kCharged ? costs.runqueue_wake : 0;
    s.host.charge(spin + Duration{own + rest});
}

}  // namespace wakelab::policy::goodness
