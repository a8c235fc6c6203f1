// Task groups (cfs.md 6.8): per group and CPU a queue of its tasks, and a group entity that stands
// for them on the queue above. Without groups nothing here costs more than a null pointer test.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "policy/cfs/cfs_rq.hpp"
#include "policy/cfs/entity.hpp"
#include "policy/domains.hpp"
#include "policy/registry.hpp"

namespace wakelab::policy::cfs {

struct Sched;

struct TaskGroup {
    std::uint32_t parent = 0;    // as SchedTask::group
    std::uint64_t shares = 0;    // weight of the whole group
    std::vector<Entity> on_cpu;  // group entities
    std::vector<CfsRq> queues;
};

// Index 0 of the result is SchedTask::group 1. `extra_root`: shares of a group that all tasks
// without one form, appended last.
void make_groups(Sched& s, const std::vector<GroupInfo>& infos,
                 std::optional<std::uint64_t> extra_root);

// Sets cfs and parent of p's entity by its group and CPU.
void join_queue(Sched& s, const SchedTask& p);

// update_shares(): spreads the shares of all groups over the CPUs of `d` by the load they have
// there. The versions with a rate limit skip it when the last time is too recent.
void update_shares(Sched& s, SchedDomain& d);
// update_h_load(): fills CfsRq::h_load of all queues of `rq`.
void update_h_load(Sched& s, Rq& rq);

// effective_load(): by how much the load of `cpu` changes when the group of p gains `wl` there, and
// as a whole `wg` (wake_affine(), V27+). `wl` itself without groups.
[[nodiscard]] std::int64_t effective_load(const Sched& s, const SchedTask& p, CpuId cpu,
                                          std::int64_t wl, std::int64_t wg);

// Two entities of one queue that stand for the tasks (find_matching_se()).
struct MatchedPair {
    Entity* curr;
    Entity* wakee;
};
[[nodiscard]] MatchedPair find_matching_se(Entity& curr, Entity& wakee);

}  // namespace wakelab::policy::cfs
