#include "policy/cfs/groups.hpp"

#include <algorithm>
#include <bit>

#include "policy/cfs/fair.hpp"

namespace wakelab::policy::cfs {

namespace {

constexpr std::uint64_t kSharesThreshold = 4;        // V28+
constexpr std::uint64_t kSharesRateLimit = 250'000;  // ns before CPU scaling (cfs.md 1.4)

CfsRq& queue_on(Sched& s, std::uint32_t group, CpuId cpu) {
    return group == 0 ? s.rq(cpu).cfs : s.groups[group - 1].queues[cpu.v];
}

void set_weight(const Sched& s, Entity& se, std::uint64_t shares) {
    se.load = {shares, inverse_of(shares, s.v.inverse)};
}

// set_se_shares(): a queued entity takes its queue's load and, at the top, its CPU's along.
void set_se_shares(const Sched& s, Entity& se, std::uint64_t shares) {
    const std::uint64_t old = se.load.weight;
    set_weight(s, se, shares);
    if (!se.on_rq) return;
    se.cfs->load.sub(old);
    se.cfs->load.add(shares);
    if (se.parent == nullptr) se.cfs->rq->load += shares - old;
}

bool is_top(const Sched& s, const SchedDomain& d) {
    return d.cpus.size() == s.rqs.size();
}

// tg_shares_up() and update_group_shares_cpu() for one group.
void spread_shares(Sched& s, TaskGroup& g, const SchedDomain& d) {
    std::uint64_t total_weight = 0;
    std::uint64_t shares = 0;
    for (const CpuId c : d.cpus) {
        CfsRq& cfs = g.queues[c.v];
        // An empty CPU counts as if a task of nice 0 were about to come.
        cfs.rq_weight = cfs.load.weight != 0 ? cfs.load.weight : kNice0Load;
        total_weight += cfs.rq_weight;
        shares += g.on_cpu[c.v].load.weight;
    }
    if (shares > g.shares || is_top(s, d)) shares = g.shares;
    for (const CpuId c : d.cpus) {
        const std::uint64_t part = std::clamp(shares * g.queues[c.v].rq_weight / (total_weight + 1),
                                              kMinShares, kMaxShares);
        Entity& se = g.on_cpu[c.v];
        const std::uint64_t change =
            part > se.load.weight ? part - se.load.weight : se.load.weight - part;
        if (s.v.groups == GroupRule::kByLoadThreshold && change <= kSharesThreshold) continue;
        set_se_shares(s, se, part);
    }
}

std::size_t depth_of(const Entity& se) {
    std::size_t depth = 0;
    for (const Entity* e = se.parent; e != nullptr; e = e->parent) ++depth;
    return depth;
}

}  // namespace

void make_groups(Sched& s, const std::vector<GroupInfo>& infos,
                 std::optional<std::uint64_t> extra_root) {
    if (infos.empty()) return;
    std::vector<GroupInfo> all = infos;
    if (extra_root) {
        all.push_back({.name = "root", .parent = 0, .shares = *extra_root});
        s.implicit_group = static_cast<std::uint32_t>(all.size());
    }
    for (const GroupInfo& info : all) {
        TaskGroup& g = s.groups.emplace_back();
        g.parent = info.parent;
        g.shares = info.shares;
        g.on_cpu = std::vector<Entity>(s.rqs.size());
        g.queues = std::vector<CfsRq>(s.rqs.size());
        for (std::uint32_t c = 0; c < s.rqs.size(); ++c) {
            Entity& se = g.on_cpu[c];
            se.my_q = &g.queues[c];
            se.my_q->rq = &s.rqs[c];
            se.my_q->owner = &se;
            se.cfs = &queue_on(s, g.parent, CpuId{c});
            se.parent = se.cfs->owner;
            set_weight(s, se, g.shares);
        }
    }
}

void join_queue(Sched& s, const SchedTask& p) {
    const std::uint32_t group = p.group == 0 ? s.implicit_group : p.group;
    Entity& se = entity_of(p);
    se.cfs = &queue_on(s, group, p.cpu);
    se.parent = se.cfs->owner;
}

void update_shares(Sched& s, SchedDomain& d) {
    if (s.groups.empty() || s.v.groups == GroupRule::kFixedShares) return;
    const auto now = static_cast<std::uint64_t>(s.host.now().ns);
    if (s.v.groups != GroupRule::kByLoad) {
        const std::uint64_t limit =
            kSharesRateLimit * static_cast<std::uint64_t>(std::bit_width(s.rqs.size()));
        if (now - d.last_shares_update < limit) return;
        d.last_shares_update = now;
    }
    // Bottom up: a group's load depends on the shares of those below it.
    for (std::size_t i = s.groups.size(); i-- > 0;) spread_shares(s, s.groups[i], d);
}

void update_h_load(Sched& s, Rq& rq) {
    rq.cfs.h_load = rq.load;
    for (TaskGroup& g : s.groups) {
        const Entity& se = g.on_cpu[rq.cpu.v];
        const CfsRq& above = *se.cfs;
        g.queues[rq.cpu.v].h_load = above.h_load * se.load.weight / (above.load.weight + 1);
    }
}

// cfs.md 6.8. 2.6.27 takes the weight that the last update missed once, later versions on each
// level.
std::int64_t effective_load(const Sched& s, const SchedTask& p, CpuId cpu, std::int64_t wl,
                            std::int64_t wg) {
    const std::uint32_t group = p.group == 0 ? s.implicit_group : p.group;
    if (group == 0) return wl;
    if (wl == 0 && s.has(Feature::kAsymEffLoad)) return 0;
    const bool each_level = s.v.groups == GroupRule::kByLoadThreshold;
    bool first = true;
    for (std::uint32_t i = group; i != 0; i = s.groups[i - 1].parent) {
        const TaskGroup& g = s.groups[i - 1];
        const CfsRq& cfs = g.queues[cpu.v];
        const auto rw = static_cast<std::int64_t>(cfs.rq_weight);
        if (first || each_level) {
            const std::int64_t missed = static_cast<std::int64_t>(cfs.load.weight) - rw;
            wl += missed;
            wg += missed;
            first = false;
        }
        const auto total = static_cast<std::int64_t>(g.shares);
        const auto here = static_cast<std::int64_t>(g.on_cpu[cpu.v].load.weight);
        const std::int64_t a = total * (rw + wl);
        const std::int64_t b = total * rw + here * wg;
        wl = here * (a - b);
        if (b != 0) wl /= b;
        wg = 0;
    }
    return wl;
}

MatchedPair find_matching_se(Entity& curr, Entity& wakee) {
    MatchedPair m{&curr, &wakee};
    std::size_t depth = depth_of(curr);
    std::size_t other = depth_of(wakee);
    for (; depth > other; --depth) m.curr = m.curr->parent;
    for (; other > depth; --other) m.wakee = m.wakee->parent;
    while (m.curr->cfs != m.wakee->cfs) m = {m.curr->parent, m.wakee->parent};
    return m;
}

}  // namespace wakelab::policy::cfs
