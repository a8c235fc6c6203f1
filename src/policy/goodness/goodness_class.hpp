// The schedulers of Linux 2.4 behind the SchedClass interface. It owns the entities and connects
// the calls to the functions of kernel/sched.c, which work on State.
#pragma once

#include <deque>
#include <vector>

#include "policy/goodness/state.hpp"
#include "policy/registry.hpp"
#include "topo/machine.hpp"

namespace wakelab::policy::goodness {

class GoodnessClass final : public SchedClass {
 public:
    GoodnessClass(const GoodnessVersion& version, const SchedulerConfig& config,
                  const topo::Machine& machine, SchedHost& host);

    void attach(SchedTask& p) override;
    void detach(SchedTask& p) override;
    CpuId fork(SchedTask* parent, SchedTask& child, CpuId this_cpu) override;
    void wake_up_new(SchedTask& child, SchedTask* parent, CpuId this_cpu) override;
    void exit(SchedTask& p, SchedTask* parent) override;
    void set_policy(SchedTask& p, SchedPolicy policy, std::int8_t nice,
                    std::uint8_t rt_priority) override;
    bool set_allowed(SchedTask& p, const topo::CpuMask& allowed) override;

    // A wakee belongs to no CPU: p.cpu stays where it ran last until some CPU takes it.
    CpuId select_task_rq(SchedTask& p, const WakeContext& ctx, PlaceRule& rule) override;
    void set_task_cpu(SchedTask& p, CpuId cpu) override { p.cpu = cpu; }
    void activate(SchedTask& p, const WakeContext& ctx) override;
    void check_preempt(SchedTask& p, const WakeContext& ctx) override;
    void wake_queued(SchedTask& p, const WakeContext& ctx) override;
    void wake_done(SchedTask&, const WakeContext&, bool) override {}

    void schedule_begin(CpuId cpu, SchedTask* prev) override;
    void deactivate(SchedTask& prev) override;
    // All runnable tasks: any of them may be picked.
    [[nodiscard]] std::uint32_t nr_running(CpuId) const override { return state_.queue.size(); }
    void idle_balance(CpuId) override {}
    SchedTask* pick_next(CpuId cpu, SchedTask* prev) override;

    void tick(CpuId cpu) override;
    void hrtick(CpuId cpu) override;
    void yield(CpuId cpu) override;
    void active_balance(CpuId) override {}

    bool nohz_idle_enter(CpuId) override { return false; }
    void nohz_idle_exit(CpuId) override {}

    [[nodiscard]] SchedTask* curr(CpuId cpu) const override;

    // The inside, for tests.
    [[nodiscard]] State& state() { return state_; }

 private:
    Entity& new_entity(SchedTask& p);
    void forget(Entity& e);
    void enqueue(Entity& e);

    State state_;
    std::uint64_t seed_;
    std::deque<Entity> entities_;  // stable addresses
    std::vector<Entity*> free_;
};

}  // namespace wakelab::policy::goodness
