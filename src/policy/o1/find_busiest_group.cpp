#include "policy/o1/find_busiest_group.hpp"

#include <algorithm>

#include "policy/o1/load.hpp"

namespace wakelab::policy::o1 {

namespace {

constexpr std::uint64_t kScale = kLoadScale;

struct GroupStats {
    const SchedGroup* group = nullptr;
    std::uint64_t load = 0;      // scaled by power
    std::uint64_t weighted = 0;  // sum of raw_weighted_load
    std::uint64_t nr_running = 0;
    [[nodiscard]] std::uint64_t power() const { return group->power; }
};

// All loads are unsigned long in the kernel; differences may wrap there and here.
struct DomainStats {
    GroupStats local, busiest;
    std::uint64_t total_load = 0;
    std::uint64_t total_power = 0;
    bool may_balance = true;
    bool all_idle = true;
    [[nodiscard]] std::uint64_t average() const { return kScale * total_load / total_power; }
};

std::uint32_t load_idx(const SchedDomain& sd, IdleType idle) {
    switch (idle) {
        case IdleType::kNotIdle:
            return sd.params.busy_idx;
        case IdleType::kNewlyIdle:
            return sd.params.newidle_idx;
        case IdleType::kIdle:
            break;
    }
    return sd.params.idle_idx;
}

// The CPU that balances for a group: its first idle one, or its first.
CpuId balancer_of(const State& s, const SchedGroup& group, const topo::CpuMask& excluded) {
    for (const CpuId c : group.cpus)
        if (!excluded.test(c) && s.rq(c).idle()) return c;
    return group.cpus.front();
}

DomainStats measure(const State& s, const SchedDomain& sd, const BalanceRequest& request) {
    const std::uint32_t idx = load_idx(sd, request.idle);
    const bool weighted = s.version.load_unit == LoadUnit::kWeight;
    DomainStats stats;
    for (const SchedGroup& group : sd.groups) {
        const bool local = group.mask.test(request.this_cpu);
        GroupStats g{.group = &group};
        std::uint64_t sum = 0;
        for (const CpuId c : group.cpus) {
            if (request.excluded.test(c)) continue;
            if (!s.rq(c).idle()) stats.all_idle = false;
            sum +=
                local ? target_load(s, c, idx, request.idle) : source_load(s, c, idx, request.idle);
            g.nr_running += s.rq(c).nr_running;
            g.weighted += s.rq(c).raw_weighted_load;
        }
        if (local && s.version.balance_on_next_balance && request.idle != IdleType::kNewlyIdle &&
            balancer_of(s, group, request.excluded) != request.this_cpu) {
            stats.may_balance = false;
            return stats;
        }
        stats.total_load += sum;
        stats.total_power += group.power;
        g.load = sum * kScale / group.power;
        if (local) stats.local = g;
        // From 2.6.18 a group within its capacity has nothing to give.
        else if (g.load > stats.busiest.load && (!weighted || g.nr_running > group.power / kScale))
            stats.busiest = g;
    }
    return stats;
}

// What the CPUs would serve at most before and after moving `b` from busiest and adding it to
// local.
struct Throughput {
    std::uint64_t now = 0;
    std::uint64_t moved = 0;
};

// 2.6.9 counts in whole tasks (o1.md 8.3).
std::uint64_t small_imbalance_2_6_9(const DomainStats& d) {
    const std::uint64_t bp = d.busiest.power(), tp = d.local.power();
    const std::uint64_t max = d.busiest.load, mine = d.local.load;
    if (max - mine >= 2 * kScale) return 1;
    Throughput t;
    t.now = (bp * std::min(kScale, max) + tp * std::min(kScale, mine)) / kScale;
    const std::uint64_t taken = kScale * kScale / bp;
    if (max > taken) t.moved = bp * std::min(kScale, max - taken);
    const std::uint64_t given = std::min(max, kScale * kScale / tp);
    t.moved = (t.moved + tp * std::min(kScale, mine + given)) / kScale;
    return t.moved < t.now + kScale / 8 ? 0 : 1;
}

std::uint64_t imbalance_2_6_9(const DomainStats& d) {
    const std::uint64_t max = d.busiest.load, mine = d.local.load, avg = d.average();
    const std::uint64_t amount =
        std::min(max - avg, avg - mine) * std::min(d.busiest.power(), d.local.power()) / kScale;
    return amount < kScale - 1 ? small_imbalance_2_6_9(d) : (amount + 1) / kScale;
}

// The test that 2.6.14 and later share: `b` and `l` are the loads of one task on each side.
bool move_helps(const DomainStats& d, std::uint64_t b, std::uint64_t l) {
    const std::uint64_t bp = d.busiest.power(), tp = d.local.power();
    const std::uint64_t max = d.busiest.load, mine = d.local.load;
    Throughput t;
    t.now = (bp * std::min(b, max) + tp * std::min(l, mine)) / kScale;
    const std::uint64_t taken = b * kScale / bp;
    if (max > taken) t.moved = bp * std::min(b, max - taken);
    const std::uint64_t given = max * bp < b * kScale ? max * bp / tp : b * kScale / tp;
    t.moved = (t.moved + tp * std::min(l, mine + given)) / kScale;
    return t.moved > t.now;
}

std::uint64_t imbalance_2_6_14(const DomainStats& d) {
    const std::uint64_t max = d.busiest.load, mine = d.local.load, avg = d.average();
    if (max <= kScale) return 0;
    const std::uint64_t amount = std::min(std::min(max - avg, max - kScale) * d.busiest.power(),
                                          (avg - mine) * d.local.power()) /
                                 kScale;
    if (amount >= kScale) return amount / kScale;
    return max - mine >= 2 * kScale || move_helps(d, kScale, kScale) ? 1 : 0;
}

std::uint64_t imbalance_2_6_18(const DomainStats& d) {
    const std::uint64_t max = d.busiest.load, mine = d.local.load, avg = d.average();
    const std::uint64_t busiest_per_task = d.busiest.weighted / d.busiest.nr_running;
    if (max <= busiest_per_task) return 0;
    if (max >= avg) {
        const std::uint64_t amount =
            std::min(std::min(max - avg, max - busiest_per_task) * d.busiest.power(),
                     (avg - mine) * d.local.power()) /
            kScale;
        if (amount >= busiest_per_task) return amount;
    }
    std::uint64_t local_per_task = kScale;
    std::uint64_t times = 2;
    if (d.local.nr_running > 0) {
        local_per_task = d.local.weighted / d.local.nr_running;
        if (busiest_per_task > local_per_task) times = 1;
    }
    if (max - mine >= busiest_per_task * times) return busiest_per_task;
    return move_helps(d, busiest_per_task, local_per_task) ? busiest_per_task : 0;
}

std::uint64_t imbalance_of(const State& s, const SchedDomain& sd, const DomainStats& d) {
    if (d.local.load >= d.busiest.load || d.local.load >= d.average() ||
        100 * d.busiest.load <= sd.params.imbalance_pct * d.local.load)
        return 0;
    switch (s.version.imbalance_rule) {
        case ImbalanceRule::k2_6_9:
            return imbalance_2_6_9(d);
        case ImbalanceRule::k2_6_14:
            return imbalance_2_6_14(d);
        case ImbalanceRule::k2_6_18:
            break;
    }
    return imbalance_2_6_18(d);
}

}  // namespace

BusiestGroup find_busiest_group(const State& s, const SchedDomain& sd,
                                const BalanceRequest& request) {
    const DomainStats d = measure(s, sd, request);
    BusiestGroup result{.may_balance = d.may_balance, .all_idle = d.all_idle};
    if (!d.may_balance || d.busiest.group == nullptr) return result;
    result.imbalance = imbalance_of(s, sd, d);
    const bool forced = s.version.idle_pull_is_forced &&
                        (request.idle == IdleType::kNewlyIdle ||
                         (request.idle == IdleType::kIdle && d.busiest.load > kScale));
    if (result.imbalance == 0 && forced) result.imbalance = 1;
    if (result.imbalance > 0) result.group = d.busiest.group;
    return result;
}

CpuId find_busiest_queue(const State& s, const BusiestGroup& busiest,
                         const BalanceRequest& request) {
    CpuId best;
    std::uint64_t max = 0;
    for (const CpuId c : busiest.group->cpus) {
        if (request.excluded.test(c)) continue;
        const RunQueue& rq = s.rq(c);
        std::uint64_t load = rq.raw_weighted_load;
        if (s.version.load_unit != LoadUnit::kWeight)
            load = source_load(s, c, s.version.queue_load_idx, request.idle);
        else if (rq.nr_running == 1 && load > busiest.imbalance)
            continue;  // its only task is running: nothing to take
        if (load <= max) continue;
        max = load;
        best = c;
    }
    return best;
}

}  // namespace wakelab::policy::o1
