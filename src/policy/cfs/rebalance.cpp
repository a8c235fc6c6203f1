#include <algorithm>

#include "policy/cfs/balance.hpp"

namespace wakelab::policy::cfs {

namespace {

std::uint64_t ms_to_jiffies(const Sched& s, std::uint64_t ms) {
    return (ms * s.kernel.hz + 999) / 1000;
}

// Balances every level of `cpu` whose interval is over. Called on the CPU itself or, for a
// tick-less one, on the CPU that balances for them.
void rebalance_domains(Sched& s, CpuId cpu, IdleType idle) {
    Rq& rq = s.rq(cpu);
    const std::uint64_t now = s.host.jiffies();
    const std::uint64_t longest = std::uint64_t{s.kernel.hz} * s.nr_cpus_config / 10;
    std::uint64_t next_balance = now + std::uint64_t{60} * s.kernel.hz;
    bool my_job = true;
    for (SchedDomain& d : rq.domains) {
        if (!d.has(kLoadBalance)) continue;
        std::uint64_t interval = d.balance_interval_ms;
        if (idle != IdleType::kIdle) interval *= d.params.busy_factor;
        interval = std::clamp<std::uint64_t>(ms_to_jiffies(s, interval), 1, longest);
        if (now >= d.last_balance + interval) {
            if (load_balance(s, cpu, d, idle, my_job)) idle = IdleType::kNotIdle;
            d.last_balance = now;
        }
        next_balance = std::min(next_balance, d.last_balance + interval);
        if (!my_job) break;
    }
    rq.next_balance = next_balance;
}

// This CPU owns the balancing of all tick-less ones; it stops when it gets work itself.
void rebalance_tickless(Sched& s, Rq& rq) {
    for (Rq& other : s.rqs) {
        if (other.cpu == rq.cpu || !s.nohz.tickless.test(other.cpu)) continue;
        if (s.host.need_resched(rq.cpu)) return;
        rebalance_domains(s, other.cpu, IdleType::kIdle);
        rq.next_balance = std::min(rq.next_balance, other.next_balance);
    }
}

// A busy CPU that was tick-less lately looks after the ownership (cfs.md 6.1). Returns whether this
// tick may balance at all.
bool nohz_allows_balance(Sched& s, Rq& rq) {
    NohzState& nohz = s.nohz;
    if (rq.in_nohz_recently && !rq.idle_at_tick) {
        rq.in_nohz_recently = false;
        if (nohz.owner == rq.cpu) nohz_exit(s, rq);
        if (nohz.owner == kNoCpu) {
            const CpuId first = nohz.tickless.first();
            if (first != kNoCpu) s.host.resched(first);
        }
    }
    if (!rq.idle_at_tick) return true;
    if (nohz.owner == rq.cpu) {
        if (nohz.tickless_count < s.rqs.size()) return true;
        // Everybody sleeps: give up the ownership on the way through the idle loop.
        s.host.resched(rq.cpu);
        return false;
    }
    return !nohz.tickless.test(rq.cpu);
}

}  // namespace

void balance_at_tick(Sched& s, Rq& rq) {
    rq.idle_at_tick = rq.idle();
    if (s.kernel.no_hz && !nohz_allows_balance(s, rq)) return;
    if (s.host.jiffies() < rq.next_balance) return;
    rebalance_domains(s, rq.cpu, rq.idle_at_tick ? IdleType::kIdle : IdleType::kNotIdle);
    if (rq.idle_at_tick && s.nohz.owner == rq.cpu) rebalance_tickless(s, rq);
}

void idle_balance(Sched& s, CpuId this_cpu) {
    Rq& rq = s.rq(this_cpu);
    const std::uint64_t now = s.host.jiffies();
    std::uint64_t next_balance = now + s.kernel.hz;
    // Up to 2.6.28 "pulled" starts true, so a lowest level without NEWIDLE ends the search.
    bool pulled = s.v.balance.newidle_needs_lowest;
    for (SchedDomain& d : rq.domains) {
        if (!d.has(kLoadBalance)) continue;
        if (d.has(kBalanceNewidle)) pulled = load_balance_newidle(s, this_cpu, d);
        next_balance =
            std::min(next_balance, d.last_balance + ms_to_jiffies(s, d.balance_interval_ms));
        if (pulled) break;
    }
    // next_balance may date from when this CPU was busy.
    if (pulled || now > rq.next_balance) rq.next_balance = next_balance;
}

bool nohz_enter(Sched& s, Rq& rq) {
    NohzState& nohz = s.nohz;
    if (!nohz.tickless.test(rq.cpu)) {
        nohz.tickless.set(rq.cpu);
        nohz.tickless_count++;
    }
    rq.in_nohz_recently = true;
    if (nohz.tickless_count == s.rqs.size()) {
        if (nohz.owner == rq.cpu) nohz.owner = kNoCpu;
        return false;
    }
    if (nohz.owner == kNoCpu) nohz.owner = rq.cpu;
    return nohz.owner == rq.cpu;
}

void nohz_exit(Sched& s, Rq& rq) {
    NohzState& nohz = s.nohz;
    if (!nohz.tickless.test(rq.cpu)) return;
    nohz.tickless.clear(rq.cpu);
    nohz.tickless_count--;
    if (nohz.owner == rq.cpu) nohz.owner = kNoCpu;
}

}  // namespace wakelab::policy::cfs
