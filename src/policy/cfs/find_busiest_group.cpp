#include <algorithm>
#include <limits>
#include <optional>

#include "policy/cfs/balance.hpp"
#include "policy/cfs/cpu_load.hpp"
#include "policy/cfs/domain_levels.hpp"

namespace wakelab::policy::cfs {

namespace {

// One group as the balancer sees it. "average" = load per unit of power.
struct GroupLoad {
    const SchedGroup* group = nullptr;
    std::uint64_t load = 0;     // cautious, by the index of this kind of idleness
    std::uint64_t weights = 0;  // instantaneous
    std::uint64_t nr_running = 0;
    std::uint64_t average = 0;
    std::uint64_t capacity = 0;  // tasks
    std::uint64_t power = 0;
    bool imbalanced = false;  // one of its CPUs carries much more than another
    CpuId balancer = kNoCpu;  // first idle CPU, else first CPU
};

std::uint32_t load_index(const SchedDomain& d, IdleType idle) {
    switch (idle) {
        case IdleType::kNotIdle:
            return d.params.busy_idx;
        case IdleType::kNewlyIdle:
            return d.params.newidle_idx;
        case IdleType::kIdle:
            break;
    }
    return d.params.idle_idx;
}

GroupLoad measure(Sched& s, const SchedDomain& d, const SchedGroup& group, bool local,
                  std::uint32_t idx, const topo::CpuMask& candidates) {
    GroupLoad g{.group = &group, .power = group.power, .balancer = group.cpus.front()};
    std::uint64_t highest = 0;
    std::uint64_t lowest = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t task_averages = 0;
    bool idle_found = false;
    for (const CpuId c : group.cpus) {
        if (!candidates.test(c)) continue;
        Rq& rq = s.rq(c);
        if (local && rq.idle() && !idle_found) {
            idle_found = true;
            g.balancer = c;
        }
        const std::uint64_t load = local ? target_load(s, rq, idx) : source_load(s, rq, idx);
        if (!local) {
            highest = std::max(highest, load);
            lowest = std::min(lowest, load);
        }
        g.load += load;
        g.nr_running += rq.nr_running;
        g.weights += rq.load;
        if (s.v.balance.group_imbalance_by_average) task_averages += avg_load_per_task(s, rq);
    }
    g.average = g.load * kNice0Load / g.power;
    g.capacity = g.power / kNice0Load;
    if (s.v.balance.dynamic_power) {
        g.capacity = (g.power + kNice0Load / 2) / kNice0Load;
        if ((d.child_flags & kPreferSibling) != 0)
            g.capacity = std::min<std::uint64_t>(g.capacity, 1);
    }
    const std::uint64_t threshold = s.v.balance.group_imbalance_by_average
                                        ? 2 * (task_averages * kNice0Load / g.power)
                                        : kNice0Load;
    g.imbalanced = s.v.balance.sees_uneven_groups && highest - lowest > threshold;
    return g;
}

// Whether moving one average task would still help when the imbalance is smaller than that.
bool one_task_helps(Sched& s, const GroupLoad& busiest, const GroupLoad& local,
                    std::uint64_t per_task, CpuId this_cpu) {
    const BalanceRules& rules = s.v.balance;
    std::uint64_t tasks_needed = 2;
    std::uint64_t local_per_task =
        rules.local_average_in_small ? avg_load_per_task(s, s.rq(this_cpu)) : kNice0Load;
    if (local.nr_running != 0) {
        local_per_task = local.weights / local.nr_running;
        if (per_task > local_per_task) tasks_needed = 1;
    }
    const std::uint64_t margin =
        rules.small_margin_tasks == 0 ? kNice0Load : rules.small_margin_tasks * per_task;
    if (busiest.average - local.average + margin >= per_task * tasks_needed) return true;

    // Throughput now and after the move, as load that has a CPU to run on.
    const auto scaled = [](std::uint64_t load, std::uint64_t power) {
        return load * kNice0Load / power;
    };
    const std::uint64_t now = (busiest.power * std::min(per_task, busiest.average) +
                               local.power * std::min(local_per_task, local.average)) /
                              kNice0Load;
    std::uint64_t moved = 0;
    const std::uint64_t taken = scaled(per_task, busiest.power);
    if (busiest.average > taken)
        moved = busiest.power * std::min(per_task, busiest.average - taken);
    const std::uint64_t given = busiest.average * busiest.power < per_task * kNice0Load
                                    ? busiest.average * busiest.power / local.power
                                    : scaled(per_task, local.power);
    moved += local.power * std::min(local_per_task, local.average + given);
    return moved / kNice0Load > now;
}

// Load to move from `busiest` here; nothing: balanced. 0 is an answer: the group is too busy, but
// no move helps, which the caller counts as a failure.
std::optional<std::uint64_t> imbalance_of(Sched& s, const SchedDomain& d, const GroupLoad& busiest,
                                          const GroupLoad& local, std::uint64_t domain_average,
                                          CpuId this_cpu) {
    if (local.average >= busiest.average || busiest.nr_running == 0) return std::nullopt;
    if (local.average >= domain_average) return std::nullopt;
    if (100 * busiest.average <= d.params.imbalance_pct * local.average) return std::nullopt;
    std::uint64_t per_task = busiest.weights / busiest.nr_running;
    if (busiest.imbalanced) per_task = std::min(per_task, domain_average);
    if (busiest.average <= per_task) return std::nullopt;

    std::uint64_t imbalance = 0;
    if (busiest.average >= domain_average) {
        const std::uint64_t max_pull =
            std::min(busiest.average - domain_average, busiest.average - per_task);
        imbalance =
            std::min(max_pull * busiest.power, (domain_average - local.average) * local.power) /
            kNice0Load;
        if (imbalance >= per_task) return imbalance;
    }
    return one_task_helps(s, busiest, local, per_task, this_cpu) ? per_task : imbalance;
}

}  // namespace

BusiestGroup find_busiest_group(Sched& s, const SchedDomain& d, CpuId this_cpu, IdleType idle,
                                const topo::CpuMask& candidates) {
    const std::uint32_t idx = load_index(d, idle);
    GroupLoad local;
    GroupLoad busiest;
    std::uint64_t total_load = 0;
    std::uint64_t total_power = 0;
    for (const SchedGroup& group : d.groups) {
        const bool is_local = group.mask.test(this_cpu);
        const GroupLoad g = measure(s, d, group, is_local, idx, candidates);
        if (is_local && idle != IdleType::kNewlyIdle && g.balancer != this_cpu)
            return {.my_job = false};
        total_load += g.load;
        total_power += g.power;
        if (is_local)
            local = g;
        else if (g.average > busiest.average && (g.nr_running > g.capacity || g.imbalanced))
            busiest = g;
    }
    if (busiest.group == nullptr) return {};
    const std::uint64_t domain_average = kNice0Load * total_load / total_power;
    const auto imbalance = imbalance_of(s, d, busiest, local, domain_average, this_cpu);
    if (!imbalance) return {};
    return {.group = busiest.group, .imbalance = *imbalance};
}

}  // namespace wakelab::policy::cfs
