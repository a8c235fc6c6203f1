#include "policy/o1/rebalance.hpp"

#include <algorithm>

#include "policy/o1/load_balance.hpp"

namespace wakelab::policy::o1 {

namespace {

// msecs_to_jiffies() rounds up; an interval is at least one jiffy.
std::uint64_t interval_jiffies(const State& s, const SchedDomain& sd, IdleType idle) {
    std::uint64_t ms = sd.balance_interval_ms;
    if (idle == IdleType::kNotIdle) ms *= sd.params.busy_factor;
    return std::max<std::uint64_t>((ms * s.hz + 999) / 1000, 1);
}

// The farthest a CPU looks ahead when no domain is due.
std::uint64_t no_balance_before(const State& s) {
    return s.host.jiffies() + 60ull * s.hz;
}

// rebalance_tick() of 2.6.9 .. 2.6.19: every tick asks every level; the CPUs are out of step.
void rebalance_tick(State& s, CpuId cpu, IdleType idle) {
    const std::uint64_t nr_cpus = std::max(s.cpus, 8u);  // NR_CPUS of a distribution build
    const std::uint64_t jiffies = s.host.jiffies() + std::uint64_t{s.hz} * cpu.v / nr_cpus;
    for (SchedDomain& sd : s.domains[cpu.v]) {
        const std::uint64_t interval = interval_jiffies(s, sd, idle);
        if (jiffies - sd.last_balance < interval) continue;
        if (load_balance(s, cpu, cpu, sd, idle).moved != 0) idle = IdleType::kNotIdle;
        sd.last_balance += interval;  // catches up in bursts
    }
}

// rebalance_domains() of 2.6.20 and later, for `cpu`, executed on `on_cpu`.
void rebalance_domains(State& s, CpuId cpu, CpuId on_cpu, IdleType idle) {
    std::uint64_t next_balance = no_balance_before(s);
    for (SchedDomain& sd : s.domains[cpu.v]) {
        if (!sd.has(kLoadBalance)) continue;
        const std::uint64_t interval = interval_jiffies(s, sd, idle);
        bool may_balance = true;
        if (s.host.jiffies() >= sd.last_balance + interval) {
            const BalanceResult r = load_balance(s, cpu, on_cpu, sd, idle);
            if (r.moved != 0) idle = IdleType::kNotIdle;
            may_balance = r.may_balance;
            sd.last_balance = s.host.jiffies();
        }
        next_balance = std::min(next_balance, sd.last_balance + interval);
        if (!may_balance) break;
    }
    s.rq(cpu).next_balance = next_balance;
}

bool everyone_stopped(const State& s) {
    return s.nohz.idle.count() == s.cpus;
}

// A CPU that became busy looks for a tick-less CPU to balance for the rest.
void nominate_balancer(State& s, CpuId cpu) {
    RunQueue& rq = s.rq(cpu);
    if (!rq.in_nohz_recently) return;
    rq.in_nohz_recently = false;
    if (s.nohz.load_balancer == cpu) {
        s.nohz.idle.clear(cpu);
        s.nohz.load_balancer = kNoCpu;
    }
    if (s.nohz.load_balancer.valid()) return;
    const CpuId next = s.nohz.idle.first();
    if (next.valid()) s.host.resched(next);
}

// The balancing owner works for every CPU whose tick is stopped.
void balance_for_stopped(State& s, CpuId owner) {
    for (std::uint32_t c = 0; c < s.cpus; ++c) {
        const CpuId cpu{c};
        if (cpu == owner || !s.nohz.idle.test(cpu)) continue;
        if (s.host.need_resched(owner)) return;
        rebalance_domains(s, cpu, owner, IdleType::kIdle);
        s.rq(owner).next_balance = std::min(s.rq(owner).next_balance, s.rq(cpu).next_balance);
    }
}

}  // namespace

void trigger_load_balance(State& s, CpuId cpu, IdleType idle) {
    if (!s.version.balance_on_next_balance) {
        rebalance_tick(s, cpu, idle);
        return;
    }
    const bool idle_now = idle == IdleType::kIdle;
    if (s.no_hz) {
        if (!idle_now) nominate_balancer(s, cpu);
        if (idle_now && s.nohz.load_balancer == cpu && everyone_stopped(s)) {
            s.host.resched(cpu);  // nobody is left to balance for: stop this tick, too
            return;
        }
        if (idle_now && s.nohz.load_balancer != cpu && s.nohz.idle.test(cpu)) return;
    }
    if (s.host.jiffies() < s.rq(cpu).next_balance) return;
    rebalance_domains(s, cpu, cpu, idle);
    if (s.no_hz && idle_now && s.nohz.load_balancer == cpu) balance_for_stopped(s, cpu);
}

void idle_balance(State& s, CpuId cpu) {
    std::uint64_t next_balance = no_balance_before(s);
    for (SchedDomain& sd : s.domains[cpu.v]) {
        if (!sd.has(kLoadBalance)) continue;
        const int pulled = sd.has(kBalanceNewidle) ? load_balance_newidle(s, cpu, sd) : 0;
        // Counted at the idle rate, so that periodic balancing goes on at once.
        next_balance =
            std::min(next_balance, sd.last_balance + interval_jiffies(s, sd, IdleType::kNewlyIdle));
        if (pulled != 0) return;
    }
    if (s.version.balance_on_next_balance) s.rq(cpu).next_balance = next_balance;
}

bool nohz_idle_enter(State& s, CpuId cpu) {
    s.nohz.idle.set(cpu);
    s.rq(cpu).in_nohz_recently = true;
    if (everyone_stopped(s)) {
        if (s.nohz.load_balancer == cpu) s.nohz.load_balancer = kNoCpu;
        return false;
    }
    if (!s.nohz.load_balancer.valid()) s.nohz.load_balancer = cpu;
    return s.nohz.load_balancer == cpu;
}

void nohz_idle_exit(State& s, CpuId cpu) {
    if (!s.nohz.idle.test(cpu)) return;
    s.nohz.idle.clear(cpu);
    if (s.nohz.load_balancer == cpu) s.nohz.load_balancer = kNoCpu;
}

}  // namespace wakelab::policy::o1
