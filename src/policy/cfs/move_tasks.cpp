#include "policy/cfs/move_tasks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "policy/cfs/core_queue.hpp"
#include "policy/cfs/placement.hpp"

namespace wakelab::policy::cfs {

namespace {

constexpr std::int64_t kSkipFuzz = 1024;  // SCHED_LOAD_SCALE_FUZZ

// Offers the tasks of a queue to the balancer in that version's order (cfs.md 6.3). The next
// candidate is fixed before the current one may be pulled.
class Candidates {
 public:
    Candidates(const Sched& s, CfsRq& cfs)
        : order_(s.v.balance.order), cfs_(cfs), node_(cfs.tree.begin()), link_(cfs.tasks.begin()) {}

    SchedTask* next() {
        while (true) {
            const Entity* se = next_entity();
            if (se == nullptr) return nullptr;
            if (is_task(*se)) return se->task;
        }
    }

 private:
    const Entity* next_entity() {
        if (order_ == BalanceOrder::kTree) return node_ == cfs_.tree.end() ? nullptr : &*node_++;
        if (link_ == cfs_.tasks.end()) return nullptr;
        const Entity* se = &*link_++;
        // The iterator of 2.6.26 and 2.6.27 takes the last element for the end of the list.
        if (order_ == BalanceOrder::kListLosesLast && link_ == cfs_.tasks.end()) return nullptr;
        return se;
    }

    BalanceOrder order_;
    CfsRq& cfs_;
    FairTree::iterator node_;
    TaskList::iterator link_;
};

// Real-time tasks, of versions whose balancer moves them: by priority, the last of each first.
class RtCandidates {
 public:
    explicit RtCandidates(RtQueue& rt) : rt_(rt), it_(last_like(rt.begin())) {}

    SchedTask* next() {
        if (it_ == rt_.end()) return nullptr;
        SchedTask* p = it_->task;
        const bool first_of_its_priority =
            it_ == rt_.begin() || std::prev(it_)->task->rt_priority != p->rt_priority;
        it_ = first_of_its_priority ? last_like(behind(it_)) : std::prev(it_);
        return p;
    }

 private:
    using Iterator = decltype(std::declval<RtQueue>().begin());
    // First node of a lower priority.
    [[nodiscard]] Iterator behind(Iterator it) const {
        const std::uint8_t priority = it->task->rt_priority;
        while (it != rt_.end() && it->task->rt_priority == priority) ++it;
        return it;
    }
    [[nodiscard]] Iterator last_like(Iterator it) const {
        return it == rt_.end() ? it : std::prev(behind(it));
    }

    RtQueue& rt_;
    Iterator it_;
};

bool can_migrate_task(Sched& s, Move& m, const SchedTask& p) {
    if (!p.allowed.test(m.to.cpu)) return false;
    m.all_pinned = false;
    if (m.busiest.curr == &p) return false;
    return !task_hot(s, p, m.busiest.clock) ||
           m.domain.nr_balance_failed > m.domain.params.cache_nice_tries;
}

void pull_task(Sched& s, Move& m, SchedTask& p) {
    move_queued_task(s, p, m.to.cpu);
    s.host.note_migration(p, m.busiest.cpu, m.to.cpu);
}

// balance_tasks(): pulls up to `remaining` from the tasks of one class; returns whether any moved.
template <class Offers>
bool balance_tasks(Sched& s, Move& m, Offers candidates, std::int64_t& remaining, int& best_prio) {
    const BalanceRules& rules = s.v.balance;
    bool moved = false;
    m.all_pinned = true;
    std::uint32_t loops = 0;
    while (SchedTask* p = candidates.next()) {
        if (loops++ > s.tune.nr_migrate) break;
        const auto half = static_cast<std::int64_t>(entity_of(*p).load.weight >> 1);
        const bool too_heavy = rules.fuzzy_skip
                                   ? half > remaining + kSkipFuzz && prio_of(*p) >= best_prio
                                   : half > remaining;
        if (too_heavy || !can_migrate_task(s, m, *p)) continue;
        pull_task(s, m, *p);
        moved = true;
        remaining -= static_cast<std::int64_t>(entity_of(*p).load.weight);
        if (rules.newidle_pulls_one && s.kernel.preempt == PreemptModel::kFull &&
            m.idle == IdleType::kNewlyIdle)
            break;
        if (remaining <= 0) break;
        best_prio = std::min(best_prio, prio_of(*p));
    }
    return moved;
}

// cfs_rq_best_prio(): of what runs or waits in the puller's queue of the group.
int best_prio_of(CfsRq& cfs) {
    const Entity* se = cfs.curr != nullptr ? cfs.curr : cfs.leftmost();
    return se != nullptr && is_task(*se) ? prio_of(*se->task) : kIdleTaskPrio;
}

// Up to 2.6.26 a group gives at most half of what it has more here than there, and only if it has
// more (cfs.md 6.8).
bool move_half_of_group(Sched& s, Move& m, CfsRq& from, const CfsRq& to, std::int64_t& remaining,
                        int best_prio) {
    const auto more = static_cast<std::int64_t>(from.load.weight - to.load.weight);
    if (more <= 1) return false;
    const std::int64_t limit = std::min(remaining, more / 2);
    std::int64_t left = limit;
    const bool moved = balance_tasks(s, m, Candidates(s, from), left, best_prio);
    remaining -= limit - left;
    return moved;
}

// 2.6.27+: what is to move is scaled into the group and back by the CPU load the group stands for.
bool move_scaled_group(Sched& s, Move& m, CfsRq& from, std::int64_t& remaining, int& best_prio) {
    const std::uint64_t weight = from.load.weight;
    if (weight == 0) return false;
    const auto share = static_cast<std::int64_t>(static_cast<std::uint64_t>(remaining) * weight /
                                                 (from.h_load + 1));
    std::int64_t left = share;
    const bool moved = balance_tasks(s, m, Candidates(s, from), left, best_prio);
    const auto taken = static_cast<std::uint64_t>(share - left);
    remaining -= static_cast<std::int64_t>(taken * from.h_load / (weight + 1));
    return moved;
}

// load_balance_fair() with groups: the newest group first, tasks without one last.
bool move_groups(Sched& s, Move& m, std::int64_t& remaining, int& best_prio) {
    const bool fixed = s.v.groups == GroupRule::kFixedShares;
    if (!fixed) update_h_load(s, m.busiest);
    bool moved = false;
    bool pinned = true;
    for (std::size_t i = s.groups.size() + 1; i-- > 0 && remaining > 0;) {
        CfsRq& from = i == 0 ? m.busiest.cfs : s.groups[i - 1].queues[m.busiest.cpu.v];
        CfsRq& to = i == 0 ? m.to.cfs : s.groups[i - 1].queues[m.to.cpu.v];
        moved |= fixed ? move_half_of_group(s, m, from, to, remaining, best_prio_of(to))
                       : move_scaled_group(s, m, from, remaining, best_prio);
        pinned = pinned && m.all_pinned;
    }
    m.all_pinned = pinned;
    return moved;
}

template <class Offers>
bool move_first_of(Sched& s, Move& m, Offers candidates) {
    while (SchedTask* p = candidates.next()) {
        if (!can_migrate_task(s, m, *p)) continue;
        pull_task(s, m, *p);
        return true;
    }
    return false;
}

}  // namespace

bool move_tasks(Sched& s, Move& m, std::uint64_t max_load) {
    if (max_load == 0) return false;
    auto remaining = static_cast<std::int64_t>(max_load);
    int best_prio = m.to.curr != nullptr ? prio_of(*m.to.curr) : kIdleTaskPrio;
    bool moved = false;
    if (s.v.rt_balance == RtBalance::kLoadBalancer && !m.busiest.rt.empty()) {
        moved = balance_tasks(s, m, RtCandidates(m.busiest.rt), remaining, best_prio);
        if (remaining <= 0) return moved;
    }
    if (!s.groups.empty()) return move_groups(s, m, remaining, best_prio) || moved;
    return balance_tasks(s, m, Candidates(s, m.busiest.cfs), remaining, best_prio) || moved;
}

bool move_one_task(Sched& s, Move& m) {
    if (s.v.rt_balance == RtBalance::kLoadBalancer &&
        move_first_of(s, m, RtCandidates(m.busiest.rt)))
        return true;
    for (TaskGroup& g : s.groups)
        if (move_first_of(s, m, Candidates(s, g.queues[m.busiest.cpu.v]))) return true;
    return move_first_of(s, m, Candidates(s, m.busiest.cfs));
}

}  // namespace wakelab::policy::cfs
