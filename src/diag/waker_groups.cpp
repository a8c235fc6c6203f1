#include "diag/waker_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr std::size_t kRoles = 5;

struct Sums {
    WakerGroup group;
    std::array<std::uint64_t, kRoles> wakeups_by_role{};
    std::map<std::uint32_t, std::uint64_t> wakeups_by_wakee_group;
};

void add(Sums& sums, const metrics::Waker& waker, const metrics::TaskGroups& groups) {
    ++sums.group.tasks;
    sums.group.fan_out += waker.fan_out;
    sums.group.placed.add(waker.placed);
    sums.group.batch.add(waker.batch);
    sums.wakeups_by_role[static_cast<std::size_t>(waker.role)] += waker.placed.wakeups;
    for (const metrics::WakeEdge& edge : waker.edges)
        sums.wakeups_by_wakee_group[groups.group_of(edge.wakee)] += edge.wakeups;
}

WakerGroup finish(Sums& sums, const metrics::TaskGroups& groups) {
    WakerGroup& g = sums.group;
    g.fan_out /= g.tasks;
    const auto most = std::ranges::max_element(sums.wakeups_by_role);
    g.role = static_cast<metrics::WakeRole>(most - sums.wakeups_by_role.begin());
    for (const auto& [wakee_group, wakeups] : sums.wakeups_by_wakee_group)
        if (wakeups > 0) g.wakees.push_back({groups.name(wakee_group), wakee_group, wakeups});
    std::ranges::stable_sort(g.wakees, std::greater{}, &WakeeShare::wakeups);
    return std::move(g);
}

}  // namespace

std::string WakerGroup::subject() const {
    return tasks > 1 ? fmt::format("the {} tasks {}", tasks, name) : name;
}

std::string WakerGroup::objects() const {
    constexpr std::size_t kNamed = 3;
    std::string names;
    for (std::size_t i = 0; i < wakees.size() && i < kNamed; ++i)
        names += (i > 0 ? ", " : "") + wakees[i].name;
    if (wakees.size() > kNamed) names += ", ...";
    if (!is_task) return names;
    const auto count = static_cast<std::uint64_t>(std::lround(fan_out));
    return fmt::format("{}{} ({})", plural(count, "task"), tasks > 1 ? " each" : "", names);
}

std::vector<WakerGroup> group_wakers(const metrics::RunSummary& run) {
    const metrics::TaskGroups& groups = run.metrics.groups;
    std::map<std::uint32_t, Sums> by_group;  // interrupts: kInterruptWaker, beyond all groups
    for (const metrics::Waker& waker : run.graph.wakers) {
        if (waker.placed.wakeups == 0) continue;
        const bool is_task = waker.task != metrics::kInterruptWaker;
        Sums& sums = by_group[is_task ? groups.group_of(waker.task) : waker.task];
        sums.group.is_task = is_task;
        add(sums, waker, groups);
    }
    std::vector<WakerGroup> result;
    for (auto& [group, sums] : by_group) {
        result.push_back(finish(sums, groups));
        WakerGroup& g = result.back();
        g.group = g.is_task ? group : metrics::TaskGroups::kOthers;
        g.name = g.is_task ? groups.name(group) : "interrupts and timers";
    }
    std::ranges::stable_sort(result, std::greater{},
                             [](const WakerGroup& g) { return g.placed.wakeups; });
    return result;
}

}  // namespace wakelab::diag
