// The O(1) scheduler behind the SchedClass interface. It owns the entities and connects the calls
// to the functions of kernel/sched.c, which work on State.
#pragma once

#include <deque>
#include <vector>

#include "policy/o1/state.hpp"
#include "policy/registry.hpp"
#include "topo/machine.hpp"

namespace wakelab::policy::o1 {

class O1Class final : public SchedClass {
 public:
    O1Class(const O1Version& version, const SchedulerConfig& config, const topo::Machine& machine,
            SchedHost& host);

    void attach(SchedTask& p) override;
    void detach(SchedTask& p) override;
    CpuId fork(SchedTask* parent, SchedTask& child, CpuId this_cpu) override;
    void wake_up_new(SchedTask& child, SchedTask* parent, CpuId this_cpu) override;
    [[nodiscard]] CpuId exec(const SchedTask& p) override;
    void exit(SchedTask& p, SchedTask* parent) override;
    void set_policy(SchedTask& p, SchedPolicy policy, std::int8_t nice,
                    std::uint8_t rt_priority) override;
    bool set_allowed(SchedTask& p, const topo::CpuMask& allowed) override;

    CpuId select_task_rq(SchedTask& p, const WakeContext& ctx, PlaceRule& rule) override;
    void set_task_cpu(SchedTask& p, CpuId cpu) override;
    void activate(SchedTask& p, const WakeContext& ctx) override;
    void check_preempt(SchedTask& p, const WakeContext& ctx) override;
    void wake_queued(SchedTask& p, const WakeContext& ctx) override;
    void wake_done(SchedTask& p, const WakeContext& ctx, bool activated) override;

    void schedule_begin(CpuId cpu, SchedTask* prev) override;
    void deactivate(SchedTask& prev) override;
    [[nodiscard]] std::uint32_t nr_running(CpuId cpu) const override;
    void idle_balance(CpuId cpu) override;
    SchedTask* pick_next(CpuId cpu, SchedTask* prev) override;

    void tick(CpuId cpu) override;
    void hrtick(CpuId cpu) override;
    void yield(CpuId cpu) override;
    void active_balance(CpuId busiest) override;

    bool nohz_idle_enter(CpuId cpu) override;
    void nohz_idle_exit(CpuId cpu) override;

    [[nodiscard]] SchedTask* curr(CpuId cpu) const override;

    // The inside, for conformance tests.
    [[nodiscard]] State& state() { return state_; }

 private:
    Entity& new_entity(SchedTask& p);

    State state_;
    std::uint64_t seed_;
    std::deque<Entity> entities_;  // stable addresses
    std::vector<Entity*> free_;
};

}  // namespace wakelab::policy::o1
