#include "policy/domains.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace wakelab::policy {

namespace {

struct LevelShape {
    LevelParams params;
    std::vector<std::vector<CpuId>> spans;   // partition of the CPUs, ascending by first CPU
};

// `by_node`: there are nodes, and a level above that spans them.
LevelShape shape_of(const topo::Machine& machine, const LevelParams& params, bool by_node) {
    LevelShape shape{.params = params, .spans = {}};
    std::vector<CpuId> all;
    for (std::uint32_t c = 0; c < machine.cpus; ++c) all.push_back(CpuId{c});
    switch (params.kind) {
        case LevelKind::kSmt:
            shape.spans = machine.smt;
            for (const auto& core : machine.smt)
                std::erase_if(all, [&](CpuId c) { return std::ranges::find(core, c) != core.end(); });
            for (const CpuId c : all) shape.spans.push_back({c});
            break;
        case LevelKind::kMc:
            for (const topo::Cache& cache : machine.caches) shape.spans.push_back(cache.cpus);
            break;
        case LevelKind::kCpu:
            if (by_node) {
                shape.spans = machine.nodes;
                break;
            }
            [[fallthrough]];
        case LevelKind::kNode:
            shape.spans.push_back(std::move(all));
            break;
    }
    std::ranges::sort(shape.spans, {}, [](const auto& span) { return span.front(); });
    return shape;
}

SchedGroup make_group(const std::vector<CpuId>& cpus, std::uint64_t power) {
    SchedGroup g{.mask = {}, .cpus = cpus, .power = power};
    for (const CpuId c : cpus) g.mask.set(c);
    return g;
}

// Groups of one domain: the spans of the highest of `below` inside `span`, or single CPUs at the
// bottom. A group has one unit of power if its CPUs share something, else what the groups below
// have together.
std::vector<SchedGroup> groups_of(const std::vector<CpuId>& span, std::span<const LevelShape> below,
                                  std::uint64_t unit_power) {
    std::vector<SchedGroup> groups;
    if (below.empty()) {
        for (const CpuId c : span) groups.push_back(make_group({c}, unit_power));
        return groups;
    }
    const LevelShape& child = below.back();
    const bool shares = (child.params.flags & (kSharePkgResources | kShareCpuPower)) != 0;
    for (const auto& cpus : child.spans) {
        if (!std::ranges::includes(span, cpus)) continue;
        std::uint64_t power = shares ? unit_power : 0;
        if (!shares)
            for (const SchedGroup& g : groups_of(cpus, below.first(below.size() - 1), unit_power))
                power += g.power;
        groups.push_back(make_group(cpus, power));
    }
    return groups;
}

// The levels of the machine that are worth a domain, bottom up.
std::vector<LevelShape> shapes_of(const topo::Machine& machine,
                                  std::span<const LevelParams> levels) {
    std::vector<LevelShape> shapes;
    const bool by_node =
        !machine.nodes.empty() && !levels.empty() && levels.back().kind == LevelKind::kNode;
    for (const LevelParams& params : levels) {
        LevelShape shape = shape_of(machine, params, by_node);
        const bool alone = std::ranges::all_of(shape.spans, [](auto& s) { return s.size() < 2; });
        const bool repeats = !shapes.empty() && shapes.back().spans == shape.spans;
        if (!alone && !repeats) shapes.push_back(std::move(shape));
    }
    return shapes;
}

// The CPUs of the domain of `cpu` at that level; a single one: it has none.
const std::vector<CpuId>& span_of(const LevelShape& shape, CpuId cpu) {
    const auto span = std::ranges::find_if(
        shape.spans, [&](const auto& s) { return std::ranges::find(s, cpu) != s.end(); });
    WK_CHECK(span != shape.spans.end());
    return *span;
}

}  // namespace

std::vector<std::vector<SchedDomain>> build_domains(const topo::Machine& machine,
                                                    std::span<const LevelParams> levels,
                                                    std::uint64_t unit_power) {
    const std::vector<LevelShape> shapes = shapes_of(machine, levels);
    std::vector<std::vector<SchedDomain>> domains(machine.cpus);
    for (std::uint32_t cpu = 0; cpu < machine.cpus; ++cpu) {
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            const std::vector<CpuId>& span = span_of(shapes[i], CpuId{cpu});
            if (span.size() < 2) continue;
            SchedDomain d{.params = shapes[i].params, .span = {}, .cpus = span, .groups = {}};
            if (!domains[cpu].empty()) d.child_flags = domains[cpu].back().params.flags;
            for (const CpuId c : span) d.span.set(c);
            d.groups = groups_of(span, std::span(shapes).first(i), unit_power);
            const auto own = std::ranges::find_if(
                d.groups, [&](const SchedGroup& g) { return g.mask.test(CpuId{cpu}); });
            std::rotate(d.groups.begin(), own, d.groups.end());
            domains[cpu].push_back(std::move(d));
        }
    }
    return domains;
}

std::vector<LevelParams> levels_of_cpu(const topo::Machine& machine,
                                       std::span<const LevelParams> levels, CpuId cpu) {
    std::vector<LevelParams> own;
    for (const LevelShape& shape : shapes_of(machine, levels))
        if (span_of(shape, cpu).size() > 1) own.push_back(shape.params);
    return own;
}

}  // namespace wakelab::policy
