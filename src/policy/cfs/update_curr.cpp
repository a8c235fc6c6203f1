#include "policy/cfs/fair.hpp"
#include "policy/cfs/wait_runtime.hpp"

namespace wakelab::policy::cfs {

namespace {

// V24: advances with the running entity, but not past the leftmost waiting one.
void follow_earliest(CfsRq& cfs, const Entity& curr) {
    std::uint64_t v = curr.vruntime;
    if (const Entity* left = cfs.leftmost()) v = vruntime_min(v, left->vruntime);
    cfs.min_vruntime = vruntime_max(cfs.min_vruntime, v);
}

}  // namespace

void update_min_vruntime(const Sched& s, CfsRq& cfs) {
    std::uint64_t v = cfs.curr != nullptr ? cfs.curr->vruntime : cfs.min_vruntime;
    if (const Entity* left = cfs.leftmost()) {
        // 2.6.28 asks "is v still min_vruntime?" instead of "does nothing run?" (cfs.md 2.2).
        const bool nothing_runs = s.v.min_vruntime == MinVruntimeRule::kEveryUpdateTieBug
                                      ? v == cfs.min_vruntime
                                      : cfs.curr == nullptr;
        v = nothing_runs ? left->vruntime : vruntime_min(v, left->vruntime);
    }
    cfs.min_vruntime = vruntime_max(cfs.min_vruntime, v);
}

std::uint64_t queue_weighted(const Sched& s, std::uint64_t delta, Entity& se) {
    for (Entity* e = &se; e != nullptr; e = e->parent)
        delta = cdm(delta, e->cfs->load.weight, e->load, s.v.inverse);
    return delta;
}

void update_curr(Sched& s, CfsRq& cfs) {
    if (cfs.curr == nullptr) return;
    Entity& curr = *cfs.curr;
    Rq& rq = *cfs.rq;
    if (s.v.model == FairModel::kWaitRuntime) [[unlikely]] {
        wait_runtime::update_curr(s, rq, curr);
        return;
    }
    const std::uint64_t delta = rq.clock - curr.exec_start;
    if (delta == 0 && s.v.skip_empty_update) return;
    curr.sum_exec += delta;
    curr.vruntime += s.v.vruntime_rate == VruntimeRate::kOwnWeight ? fair_delta(delta, curr.load)
                                                                   : queue_weighted(s, delta, curr);
    curr.exec_start = rq.clock;
    switch (s.v.min_vruntime) {
        case MinVruntimeRule::kEveryUpdate:
            follow_earliest(cfs, curr);
            break;
        case MinVruntimeRule::kTreeChange:
            break;
        case MinVruntimeRule::kEveryUpdateTieBug:
        case MinVruntimeRule::kEveryUpdateQueue:
            update_min_vruntime(s, cfs);
            break;
    }
}

void insert_into_tree(const Sched& s, CfsRq& cfs, Entity& se) {
    const auto it = cfs.tree.insert(se);
    if (s.v.min_vruntime == MinVruntimeRule::kTreeChange && it == cfs.tree.begin())
        cfs.min_vruntime = vruntime_max(cfs.min_vruntime, se.vruntime);
}

void remove_from_tree(const Sched& s, CfsRq& cfs, Entity& se) {
    const auto it = cfs.tree.iterator_to(se);
    const bool was_leftmost = it == cfs.tree.begin();
    const auto following = cfs.tree.erase(it);
    if (s.v.min_vruntime == MinVruntimeRule::kTreeChange && was_leftmost &&
        following != cfs.tree.end())
        cfs.min_vruntime = vruntime_max(cfs.min_vruntime, following->vruntime);
    if (s.v.buddy_clear == BuddyClear::kLeavesTree && cfs.next == &se) cfs.next = nullptr;
}

}  // namespace wakelab::policy::cfs
