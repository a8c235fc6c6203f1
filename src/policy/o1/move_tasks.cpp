#include "policy/o1/move_tasks.hpp"

#include <algorithm>
#include <limits>

#include "policy/o1/activate.hpp"

namespace wakelab::policy::o1 {

namespace {

int best_prio(const RunQueue& rq) {
    return std::min(rq.curr_prio(), rq.best_expired_prio);
}

class Mover {
 public:
    Mover(State& state, const SchedDomain& domain, const MoveRequest& request)
        : s_(state),
          sd_(domain),
          req_(request),
          src_(state.rq(request.from)),
          dst_(state.rq(request.to)),
          weighted_(state.version.load_unit == LoadUnit::kWeight),
          budget_(static_cast<std::int64_t>(std::min<std::uint64_t>(
              request.max_weight, std::numeric_limits<std::int64_t>::max()))),
          dst_best_(best_prio(dst_)),
          src_best_(best_prio(src_)),
          src_best_seen_(src_best_ == src_.curr_prio()) {}

    // The expired tasks first: they are the least likely to be in the cache.
    MoveResult run() {
        if (src_.expired->nr_active() > 0) scan(*src_.expired, *dst_.expired);
        if (!done_ && src_.active->nr_active() > 0) scan(*src_.active, *dst_.active);
        return {.moved = moved_, .all_pinned = pinned_};
    }

 private:
    void scan(PrioArray& from, PrioArray& to) {
        for (int prio = from.next_prio(0); prio < kMaxPrio && !done_;
             prio = from.next_prio(prio + 1)) {
            Entity* e = from.tail(prio);
            while (e != nullptr && !done_) {
                Entity* const before = e->prev;
                if (over_budget(*e) || !can_migrate(*e)) {
                    src_best_seen_ |= prio == src_best_;
                } else {
                    pull(*e, from, to);
                    if (!done_) dst_best_ = std::min(dst_best_, prio);
                }
                e = before;
            }
        }
    }

    // A task heavier than what is left of the budget stays, unless it would be the best on its new
    // queue and the source keeps another of its best priority (o1.md 8.2).
    [[nodiscard]] bool over_budget(const Entity& e) const {
        if (!weighted_ || e.load_weight <= static_cast<std::uint64_t>(budget_)) return false;
        return e.prio >= dst_best_ || (!src_best_seen_ && e.prio == src_best_);
    }

    // can_migrate_task().
    bool can_migrate(const Entity& e) {
        if (!e.task->allowed.test(req_.to)) return false;
        pinned_ = false;
        if (&e == src_.curr) return false;
        const std::uint32_t tries = sd_.params.cache_nice_tries;
        const bool looks_at_cache =
            s_.version.refuse_hot_at_first
                ? req_.idle == IdleType::kNewlyIdle || sd_.nr_balance_failed < tries
                : sd_.nr_balance_failed <= tries;
        if (!looks_at_cache) return true;
        return static_cast<std::int64_t>(src_.clock - e.last_ran) >= sd_.params.cache_hot_time_ns;
    }

    // pull_task().
    void pull(Entity& e, PrioArray& from, PrioArray& to) {
        from.dequeue(e);
        src_.dec_nr_running(e);
        e.task->cpu = req_.to;
        dst_.inc_nr_running(e);
        to.enqueue(e);
        e.timestamp = s_.shifted(e.timestamp, req_.from, req_.to);
        s_.host.note_migration(*e.task, req_.from, req_.to);
        resched_if_preempted_by(s_, e);
        ++moved_;
        if (weighted_) budget_ -= static_cast<std::int64_t>(e.load_weight);
        done_ = moved_ >= req_.max_tasks || budget_ <= 0;
    }

    State& s_;
    const SchedDomain& sd_;
    const MoveRequest& req_;
    RunQueue& src_;
    RunQueue& dst_;
    const bool weighted_;
    std::int64_t budget_;
    int dst_best_;
    const int src_best_;
    bool src_best_seen_;
    bool pinned_ = true;
    bool done_ = false;
    std::uint32_t moved_ = 0;
};

}  // namespace

MoveResult move_tasks(State& s, const SchedDomain& sd, const MoveRequest& request) {
    if (request.max_tasks == 0 || request.max_weight == 0) return {};
    return Mover(s, sd, request).run();
}

}  // namespace wakelab::policy::o1
