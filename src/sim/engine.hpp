// The engine: one simulated machine under one scheduler. It owns the clock, the CPUs and the tasks, and
// speaks to the scheduler through policy::SchedClass. One instance per run, no globals; single-threaded;
// the same inputs give the same events on every build.
//
// Files: engine.cpp (life of a run, event loop), dispatch.cpp (schedule, segments, interrupts),
// wake.cpp (wake-ups and what the scheduler asks of its host).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/prng.hpp"
#include "policy/core.hpp"
#include "policy/registry.hpp"
#include "sim/cache_model.hpp"
#include "sim/counters.hpp"
#include "sim/cpu.hpp"
#include "topo/machine.hpp"
#include "trace/sink.hpp"

namespace wakelab::sim {

struct EngineOptions {
    const policy::SchedulerInfo* scheduler = nullptr;
    policy::SchedulerConfig config;
    std::uint64_t seed = 1;
    trace::TraceSink* sink = nullptr;      // may be null; never changes the run
};

// Why a run ended before its time; a result, not a crash.
enum class ExitKind : std::uint8_t { kNone, kForbiddenCpu, kNoProgress, kStuck, kAllExited };

class Engine final : public policy::SchedHost {
 public:
    Engine(const topo::Machine& machine, EngineOptions options);
    ~Engine() override;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // --- building a run (before the first run_until) ---------------------------------------------
    struct TaskSpec {
        std::string name;
        CpuId cpu;                         // where it last ran
        topo::CpuMask allowed;
        policy::SchedPolicy policy = policy::SchedPolicy::kNormal;
        std::int8_t nice = 0;
        std::uint8_t rt_priority = 0;
        std::uint32_t group = 0;           // as SchedTask::group
        std::int64_t footprint_bytes = 0;
        Time start{};                      // wakes up for the first time then
        TaskId mm{};                       // task whose address space it shares; none: its own
    };
    // The task sleeps on spec.cpu until spec.start, then runs `program` (see set_program). The
    // reference stays valid as long as the engine.
    Task& add_task(const TaskSpec& spec);
    // `program` must have been made with *task.sys.
    void set_program(Task& task, Workload program) { task.program = std::move(program); }

    // A child of `parent`, runnable at once where the scheduler's fork balancing puts it. `is_thread`:
    // shares the parent's memory (CLONE_VM).
    Task& fork_task(Task& parent, const char* name, bool is_thread);

    // --- running ----------------------------------------------------------------------------------
    // Serves all events up to and including `end`. Returns false when the run ended early.
    bool run_until(Time end);
    // Forgets all counts, e.g. after the warm-up.
    void reset_counters();
    // Brings the per-task and per-CPU run times up to now().
    void settle_times();

    [[nodiscard]] const Counters& counters() const { return counters_; }
    [[nodiscard]] ExitKind exit_kind() const { return exit_kind_; }
    [[nodiscard]] const std::string& exit_message() const { return exit_message_; }
    [[nodiscard]] std::uint64_t fingerprint() const { return fingerprint_; }
    [[nodiscard]] std::span<const Cpu> cpus() const { return cpus_; }
    [[nodiscard]] const std::deque<Task>& tasks() const { return tasks_; }
    [[nodiscard]] const topo::Machine& machine() const { return machine_; }
    [[nodiscard]] const topo::Costs& costs() const { return machine_.costs; }
    [[nodiscard]] const policy::IpcRules& ipc() const { return options_.scheduler->ipc; }
    [[nodiscard]] CacheModel& caches() { return caches_; }
    [[nodiscard]] policy::SchedClass& scheduler() { return *sched_; }
    // Hands the buffered trace records to the sink.
    void flush_trace();

    // --- for system calls (effects run on the CPU of `task`) ------------------------------------------
    // Wakes p from the task or interrupt that is executing now. p sleeps, or scans in select().
    void wake(Task& p, bool sync);
    // The effect found nothing to do: the task sleeps until wake(), then runs `retry` after the cost of
    // re-checking (`more` than costs().block, which also passes before it gives up the CPU).
    void sleep_in_call(Task& task, policy::TaskState state, Effect retry, std::int64_t more = 0);
    // Ends the system call: the program runs on to its next one. `after` is the cost of returning.
    void finish_call(Task& task, std::int64_t after);
    // The task re-enters the kernel path that ends in `effect` without returning to user mode.
    void continue_in_kernel(Task& task, std::int64_t cost, Effect effect);
    // The running task calls schedule() in the kernel; its state says whether it sleeps.
    void give_up_cpu(Task& task);
    void arm_timer(Task& task, Time when);
    // set_cpus_allowed() by the task itself; it leaves a CPU that is now forbidden at once.
    void set_affinity(Task& task, const topo::CpuMask& mask);
    // sched_exec() of the task itself: the migration thread may move it while it waits.
    void exec(Task& task);
    void count_spurious(Task& task);
    void count_work(Task& task, std::uint64_t units);
    void count_batch() { ++counters_.batches; }

    // --- SchedHost ----------------------------------------------------------------------------------
    [[nodiscard]] Time now() const override { return queue_.now(); }
    [[nodiscard]] std::uint64_t jiffies() const override;
    void resched(CpuId cpu) override;
    [[nodiscard]] bool need_resched(CpuId cpu) const override { return cpus_[cpu.v].need_resched; }
    void arm_hrtick(CpuId cpu, Duration delay) override;
    void cancel_hrtick(CpuId cpu) override { queue_.cancel(cpus_[cpu.v].slice_end); }
    [[nodiscard]] bool hrtick_active(CpuId cpu) const override {
        return cpus_[cpu.v].slice_end.queued();
    }
    void kick_active_balance(CpuId busiest) override;
    void note_migration(const policy::SchedTask& p, CpuId from, CpuId to) override;
    void note_taken(const policy::SchedTask& p, CpuId from, CpuId to) override;
    void send_ipi(CpuId cpu) override;
    void charge(Duration cost) override { kernel_cost_ += cost.ns; }

 private:
    Task& new_task(const std::string& name, CpuId cpu, const topo::CpuMask& allowed);
    void start_ticks();
    void create_migration_threads();
    void tell_affinity(const Task& task);
    void serve(Event& event);
    void fail(ExitKind kind, std::string message);
    // Ends the run when every task sleeps and nothing is left that could wake one.
    void check_stuck();

    // dispatch.cpp
    void on_work_done(Cpu& cpu);
    void on_ipi(Cpu& cpu);
    void on_tick(Cpu& cpu);
    void on_slice_end(Cpu& cpu);
    void on_timer(Task& task);
    void run_schedule(Cpu& cpu);
    void switch_in(Cpu& cpu, Task& next);
    void go_idle(Cpu& cpu);
    void idle_again(Cpu& cpu);
    void stop_tick(Cpu& cpu);
    void start_segment(Cpu& cpu);
    void account_segment(Cpu& cpu);
    void program_work_done(Cpu& cpu);
    [[nodiscard]] bool resched_allowed(const Segment& segment) const;
    void enter_interrupt(Cpu& cpu, std::int64_t cost);
    void leave_interrupt(Cpu& cpu);
    void resume_program(Task& task);
    static void exit_task(Engine& engine, Task& task);
    static void start_program(Engine& engine, Task& task);
    static void leave_cpu(Engine& engine, Task& task);
    static void migration_work(Engine& engine, Task& task);
    void restart_tick(Cpu& cpu);
    void count_preemption(const Cpu& cpu);

    // wake.cpp
    void charge_wakeup(Task& p, CpuId target);
    void count_migration(const policy::SchedTask& p, CpuId from, CpuId to);
    [[nodiscard]] bool scanning(const Task& p) const;

    // Nobody watches most runs: they pay for a test.
    void trace(trace::EventType type, std::uint32_t task, std::uint32_t arg, CpuId cpu,
               std::uint32_t flags, std::int64_t payload) {
        if (options_.sink != nullptr) [[unlikely]]
            record(type, task, arg, cpu, flags, payload);
    }
    void record(trace::EventType type, std::uint32_t task, std::uint32_t arg, CpuId cpu,
                std::uint32_t flags, std::int64_t payload);
    void mix_fingerprint(std::uint64_t a, std::uint64_t b);

    topo::Machine machine_;
    EngineOptions options_;
    EventQueue queue_;
    CacheModel caches_;
    std::vector<Cpu> cpus_;
    std::deque<Task> tasks_;
    std::deque<Sys> sys_;                      // by creation, one per program
    std::vector<Task*> migration_threads_;     // by CPU
    std::unique_ptr<policy::SchedClass> sched_;
    Counters counters_;

    // What executes at this moment: a CPU, in its task or in an interrupt.
    CpuId this_cpu_{};
    bool in_interrupt_ = false;
    std::int64_t kernel_cost_ = 0;             // cost that the running effect or interrupt caused
    ReschedCause resched_cause_ = ReschedCause::kOther;

    Event stop_{.kind = EventKind::kStop};
    Duration tick_{};
    std::uint32_t runnable_cpus_ = 0;          // CPUs not idle
    std::uint32_t armed_timers_ = 0;
    std::uint32_t live_tasks_ = 0;
    Time instant_{};                           // guard against a run that stops making progress
    std::uint64_t events_at_instant_ = 0;
    ExitKind exit_kind_ = ExitKind::kNone;
    std::string exit_message_;
    std::uint64_t fingerprint_ = 0xcbf29ce484222325ull;
    std::vector<trace::TraceRecord> trace_buffer_;
};

}  // namespace wakelab::sim
