// The interface between the engine and the scheduler of one kernel version. It has the shape of the
// kernel's own class interface, because that is where the historic schedulers differ. The order of the
// calls that make up one wake-up and one schedule() is in policy/core.hpp.
//
// A SchedClass owns the runqueues of all CPUs of one run. It is single-threaded, holds no global state,
// and must not allocate after the tasks are attached. Every CPU it returns must be in p.allowed; the
// engine checks that and ends the run otherwise.
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "base/place_rule.hpp"
#include "base/time.hpp"
#include "policy/task.hpp"

namespace wakelab::policy {

// What a scheduler may ask of the world below it. Implemented by sim::Engine, by fakes in tests.
class SchedHost {
 public:
    virtual ~SchedHost() = default;

    // sched_clock(): one global nanosecond clock, never backwards. Schedulers derive their per-CPU
    // clocks from it (cfs.md 1.5).
    [[nodiscard]] virtual Time now() const = 0;
    // Timer ticks since boot, advanced by the timekeeping CPU.
    [[nodiscard]] virtual std::uint64_t jiffies() const = 0;
    // Sets need_resched of the task running on `cpu` (also of the idle task) and sends an IPI when
    // `cpu` is not the one executing this call.
    virtual void resched(CpuId cpu) = 0;
    [[nodiscard]] virtual bool need_resched(CpuId cpu) const = 0;
    // (Re)arms the high-resolution slice timer of `cpu`; it calls SchedClass::hrtick there.
    virtual void arm_hrtick(CpuId cpu, Duration delay) = 0;
    virtual void cancel_hrtick(CpuId cpu) = 0;
    [[nodiscard]] virtual bool hrtick_active(CpuId cpu) const = 0;
    // Wakes the migration thread of `busiest`; when it runs it calls SchedClass::active_balance.
    virtual void kick_active_balance(CpuId busiest) = 0;
    // Tells observers that a queued task was moved by the balancer (trace and counters only).
    virtual void note_migration(const SchedTask& p, CpuId from, CpuId to) = 0;

    // For schedulers with one runqueue for all CPUs; a host that knows none may ignore them.
    // schedule() on `to` takes p, which ran last on `from`: nobody moved it before, and the host charges
    // nothing. p.cpu is `to` already.
    virtual void note_taken(const SchedTask& p, CpuId from, CpuId to) { (void)p, (void)from, (void)to; }
    // smp_send_reschedule(): an IPI to a busy CPU whose need_resched may have been set before.
    virtual void send_ipi(CpuId cpu) { (void)cpu; }
    // The CPU that executes this call is busy for `cost` more: time that no cost of the machine covers.
    virtual void charge(Duration cost) { (void)cost; }
};

using wakelab::PlaceRule;

struct WakeContext {
    CpuId this_cpu;                // CPU that executes the wake-up
    SchedTask* waker = nullptr;    // task running there (interrupted one in an interrupt); null: idle
    bool sync = false;             // the waker promises to sleep soon (WF_SYNC)
    bool in_interrupt = false;     // hard irq or softirq context
};

class SchedClass {
 public:
    virtual ~SchedClass() = default;

    // --- life of a task -------------------------------------------------------------------------
    // Creates the entity of a task that sleeps on p.cpu (state not kRunning). May allocate.
    virtual void attach(SchedTask& p) = 0;
    // Frees the entity. The task is not queued.
    virtual void detach(SchedTask& p) = 0;
    // sched_fork(): creates child's entity from parent's (null: from init) and chooses its CPU.
    // Returns the CPU; the caller stores it in child.cpu. May allocate.
    virtual CpuId fork(SchedTask* parent, SchedTask& child, CpuId this_cpu) = 0;
    // wake_up_new_task(): first enqueue of `child` on child.cpu, with its preemption check.
    virtual void wake_up_new(SchedTask& child, SchedTask* parent, CpuId this_cpu) = 0;
    // sched_exec(): the running task `p` is about to replace its image, the cheapest moment to move it.
    // Returns the CPU it shall go on on; the caller moves it there. Its own CPU: stay, as in kernels
    // without exec balancing.
    [[nodiscard]] virtual CpuId exec(const SchedTask& p) { return p.cpu; }
    // sched_exit(): `p` runs for the last time; parent may be null.
    virtual void exit(SchedTask& p, SchedTask* parent) = 0;
    // sched_setscheduler(): p.policy, p.nice and p.rt_priority become the given ones.
    virtual void set_policy(SchedTask& p, SchedPolicy policy, std::int8_t nice,
                            std::uint8_t rt_priority) = 0;
    // set_cpus_allowed(): p.allowed becomes `allowed`. Moves p when it waits or sleeps on a CPU that is
    // now forbidden; a running task is only marked (returns true: the caller must push it away).
    virtual bool set_allowed(SchedTask& p, const topo::CpuMask& allowed) = 0;

    // --- wake-up (called in this order by core.hpp) ----------------------------------------------
    virtual CpuId select_task_rq(SchedTask& p, const WakeContext& ctx, PlaceRule& rule) = 0;
    // set_task_cpu() of a task that is not queued: p.cpu becomes `cpu`, virtual times are re-based.
    virtual void set_task_cpu(SchedTask& p, CpuId cpu) = 0;
    // activate_task(wakeup): clock update, placement, enqueue on p.cpu. Sets p.on_rq and kRunning.
    virtual void activate(SchedTask& p, const WakeContext& ctx) = 0;
    // check_preempt_curr() of the runqueue p is on.
    virtual void check_preempt(SchedTask& p, const WakeContext& ctx) = 0;
    // The wake-up found p still queued ("early wake-up"); p.state is already kRunning.
    virtual void wake_queued(SchedTask& p, const WakeContext& ctx) = 0;
    // End of every try_to_wake_up call, whether or not it activated p (V27+ mark the waker here).
    virtual void wake_done(SchedTask& p, const WakeContext& ctx, bool activated) = 0;

    // --- schedule() (called in this order by core.hpp, on the CPU itself) -------------------------
    // Entry: clock update, hrtick cancelled, run time of prev measured. prev null: idle task.
    virtual void schedule_begin(CpuId cpu, SchedTask* prev) = 0;
    // deactivate_task(prev, sleep): prev.state is not kRunning. Clears prev.on_rq.
    virtual void deactivate(SchedTask& prev) = 0;
    // Tasks queued on `cpu`, the running one included, all classes.
    [[nodiscard]] virtual std::uint32_t nr_running(CpuId cpu) const = 0;
    // idle_balance(): the queue is empty, pull something.
    virtual void idle_balance(CpuId cpu) = 0;
    // put_prev_task + pick_next_task; null: go idle. rq.curr becomes the result.
    virtual SchedTask* pick_next(CpuId cpu, SchedTask* prev) = 0;

    // --- while running ----------------------------------------------------------------------------
    // scheduler_tick() of `cpu` incl. the rebalancing that the tick triggers. Called for an idle CPU
    // only while its tick runs.
    virtual void tick(CpuId cpu) = 0;
    virtual void hrtick(CpuId cpu) = 0;
    // sys_sched_yield() of the running task; the caller schedules next.
    virtual void yield(CpuId cpu) = 0;
    // Body of the migration thread of `busiest`, which is running there now.
    virtual void active_balance(CpuId busiest) = 0;

    // --- NO_HZ --------------------------------------------------------------------------------------
    // select_nohz_load_balancer(1): `cpu` goes idle. True: it is the balancing owner and keeps ticking.
    virtual bool nohz_idle_enter(CpuId cpu) = 0;
    // `cpu` leaves idle.
    virtual void nohz_idle_exit(CpuId cpu) = 0;

    // Task running on `cpu` as the scheduler sees it; null: the idle task.
    [[nodiscard]] virtual SchedTask* curr(CpuId cpu) const = 0;
};

}  // namespace wakelab::policy
