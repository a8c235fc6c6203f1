#include "sim/engine.hpp"

#include <fmt/format.h>

#include "base/check.hpp"
#include "sim/sys.hpp"

namespace wakelab::sim {

namespace {

constexpr std::size_t kTraceChunk = 4096;
// A task may do many things at one instant, but not this many: a run with costs of zero in a loop.
constexpr std::uint64_t kEventsAtOneInstant = 100'000;
constexpr std::uint64_t kRoleTickPhase = 1;

}  // namespace

Engine::Engine(const topo::Machine& machine, EngineOptions options)
    : machine_(machine), options_(std::move(options)), caches_(machine_) {
    options_.config.seed = options_.seed;
    tick_ = options_.config.kernel.tick();
    cpus_.resize(machine_.cpus);
    for (std::uint32_t c = 0; c < machine_.cpus; ++c) {
        Cpu& cpu = cpus_[c];
        cpu.id = CpuId{c};
        for (Event* e : {&cpu.work_done, &cpu.ipi, &cpu.slice_end, &cpu.tick}) e->subject = c;
    }
    trace_buffer_.reserve(options_.sink != nullptr ? kTraceChunk : 0);
    queue_.reserve(4 * machine_.cpus + 16);
    sched_ = options_.scheduler->make(options_.config, machine_, *this);
    create_migration_threads();
    start_ticks();
}

Engine::~Engine() = default;

// Ticks of different CPUs are not aligned; the phases differ by seed (cfs.md 8).
void Engine::start_ticks() {
    const bool spread = options_.config.kernel.tick_phase == policy::TickPhase::kSpread;
    for (Cpu& cpu : cpus_) {
        Prng rng(options_.seed, kRoleTickPhase, spread ? 0 : cpu.id.v);
        cpu.tick_phase.ns =
            static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(tick_.ns)));
        if (spread) {
            cpu.tick_phase += Duration{tick_.ns * (cpu.id.v + 1) / (machine_.cpus + 1)};
            cpu.tick_phase.ns %= tick_.ns;
        }
        if (options_.config.kernel.no_hz && !sched_->nohz_idle_enter(cpu.id))
            cpu.tick_stopped = true;
        else
            queue_.schedule(cpu.tick, Time{} + cpu.tick_phase);
    }
}

Task& Engine::new_task(const std::string& name, CpuId cpu, const topo::CpuMask& allowed) {
    Task& t = tasks_.emplace_back();
    t.id = TaskId{static_cast<std::uint32_t>(tasks_.size() - 1)};
    t.name = name;
    t.cpu = cpu;
    t.allowed = allowed;
    t.mm = t.id;
    t.timer.subject = t.id.v;
    t.segment = {.in_head = true};
    t.effect = &Engine::start_program;
    queue_.reserve(4 * machine_.cpus + 16 + tasks_.size());
    return t;
}

Task& Engine::add_task(const TaskSpec& spec) {
    WK_CHECK(spec.cpu.v < machine_.cpus && spec.allowed.test(spec.cpu));
    Task& t = new_task(spec.name, spec.cpu, spec.allowed);
    t.policy = spec.policy;
    t.nice = spec.nice;
    t.rt_priority = spec.rt_priority;
    t.group = spec.group;
    t.footprint.bytes = spec.footprint_bytes;
    if (spec.mm.valid()) t.mm = spec.mm;
    t.sys = &sys_.emplace_back(*this, t, options_.seed);
    sched_->attach(t);
    ++live_tasks_;
    arm_timer(t, spec.start);
    return t;
}

Task& Engine::fork_task(Task& parent, const char* name, bool is_thread) {
    Task& t = new_task(name, parent.cpu, parent.allowed);
    if (options_.sink != nullptr) options_.sink->add_task(t.id.v, t.name);
    if (t.allowed != topo::CpuMask::first_n(machine_.cpus)) tell_affinity(t);
    t.policy = parent.policy;
    t.nice = parent.nice;
    t.rt_priority = parent.rt_priority;
    t.footprint.bytes = parent.footprint.bytes;
    t.parent = &parent;
    if (is_thread) t.mm = parent.mm;
    t.sys = &sys_.emplace_back(*this, t, options_.seed);
    ++live_tasks_;
    t.cpu = sched_->fork(&parent, t, parent.cpu);
    t.state = policy::TaskState::kRunning;
    sched_->wake_up_new(t, &parent, parent.cpu);
    trace(trace::EventType::kWakeupNew, parent.id.v, t.id.v, t.cpu, 0, 0);
    return t;
}

// In order with the records: what was before held for the old mask.
void Engine::tell_affinity(const Task& task) {
    if (options_.sink == nullptr) return;
    flush_trace();
    options_.sink->describe_task(task.id.v, {.allowed = task.allowed});
}

void Engine::create_migration_threads() {
    for (Cpu& cpu : cpus_) {
        topo::CpuMask only;
        only.set(cpu.id);
        Task& t = new_task(fmt::format("migration/{}", cpu.id.v), cpu.id, only);
        t.policy = policy::SchedPolicy::kFifo;
        t.rt_priority = 99;
        t.is_user = false;
        t.migration_thread = true;
        t.segment = {.head = costs().migration_thread, .in_head = true};
        t.effect = &Engine::migration_work;
        sched_->attach(t);
        migration_threads_.push_back(&t);
    }
}

void Engine::migration_work(Engine& engine, Task& task) {
    engine.sched_->active_balance(task.cpu);
    Cpu& cpu = engine.cpus_[task.cpu.v];
    if (Task* p = std::exchange(cpu.leaving, nullptr)) {
        engine.sched_->set_task_cpu(*p, cpu.leaving_to);
        ++engine.counters_.migrations;
        ++p->stats.migrations;
        engine.wake(*p, false);
    }
    task.state = policy::TaskState::kInterruptible;
    task.segment = {.head = engine.costs().migration_thread, .in_head = true};
    engine.give_up_cpu(task);
}

void Engine::start_program(Engine& engine, Task& task) {
    WK_CHECK(task.program.started());
    engine.finish_call(task, 0);
}

void Engine::exit_task(Engine& engine, Task& task) {
    task.state = policy::TaskState::kDead;
    engine.sched_->exit(task, task.parent);
    if (task.parent != nullptr) task.parent->sys->child_exited();
    engine.trace(trace::EventType::kExit, task.id.v, trace::kNobody, task.cpu, 0, 0);
    --engine.live_tasks_;
    engine.give_up_cpu(task);
}

// Runs the program to its next system call. Its costs up to there are added to the segment.
void Engine::resume_program(Task& task) {
    task.effect = nullptr;
    if (!task.program.resume()) {
        task.segment.head = costs().exit_call;
        task.effect = &Engine::exit_task;
    }
    WK_CHECK(task.effect != nullptr);
}

std::uint64_t Engine::jiffies() const {
    return static_cast<std::uint64_t>(now().ns / tick_.ns) + 100'000;
}

void Engine::serve(Event& event) {
    ++counters_.events;
    switch (event.kind) {
        case EventKind::kWorkDone: on_work_done(cpus_[event.subject]); break;
        case EventKind::kIpi: on_ipi(cpus_[event.subject]); break;
        case EventKind::kTimer: on_timer(tasks_[event.subject]); break;
        case EventKind::kSliceEnd: on_slice_end(cpus_[event.subject]); break;
        case EventKind::kTick: on_tick(cpus_[event.subject]); break;
        case EventKind::kStop: break;
    }
}

bool Engine::run_until(Time end) {
    if (exit_kind_ != ExitKind::kNone) return false;
    queue_.schedule(stop_, end);
    while (exit_kind_ == ExitKind::kNone) {
        Event* event = queue_.pop();
        if (queue_.now() != instant_) {
            instant_ = queue_.now();
            events_at_instant_ = 0;
        } else if (++events_at_instant_ > kEventsAtOneInstant) [[unlikely]] {
            fail(ExitKind::kNoProgress,
                 fmt::format("{} events at t = {} ns and time does not advance: a task loops without "
                             "cost",
                             kEventsAtOneInstant, instant_.ns));
        }
        if (event == &stop_) {
            check_stuck();
            return exit_kind_ == ExitKind::kNone;
        }
        serve(*event);
        if (live_tasks_ == 0 && exit_kind_ == ExitKind::kNone) exit_kind_ = ExitKind::kAllExited;
    }
    queue_.cancel(stop_);
    return false;
}

void Engine::check_stuck() {
    if (runnable_cpus_ > 0 || armed_timers_ > 0 || live_tasks_ == 0) return;
    for (const Cpu& cpu : cpus_)
        if (cpu.ipi.queued()) return;
    fail(ExitKind::kStuck, fmt::format("at t = {} ns all {} tasks sleep and nothing is left that could "
                                       "wake one",
                                       now().ns, live_tasks_));
}

void Engine::fail(ExitKind kind, std::string message) {
    if (exit_kind_ != ExitKind::kNone) return;
    exit_kind_ = kind;
    exit_message_ = std::move(message);
}

void Engine::settle_times() {
    for (Cpu& cpu : cpus_) {
        if (cpu.curr != nullptr) {
            const std::int64_t ran = (now() - cpu.curr_since).ns;
            cpu.curr->stats.cpu_ns += ran;
            cpu.busy_ns += ran;
        }
        cpu.curr_since = now();
    }
}

void Engine::reset_counters() {
    settle_times();
    counters_ = {};
    for (Task& t : tasks_) t.stats = {};
    for (Cpu& cpu : cpus_) cpu.busy_ns = 0;
}

void Engine::count_spurious(Task& task) {
    ++counters_.spurious_wakeups;
    trace(trace::EventType::kSpurious, task.id.v, trace::kNobody, task.cpu, 0, 0);
}

void Engine::count_work(Task& task, std::uint64_t units) {
    counters_.work_units += units;
    trace(trace::EventType::kWorkUnit, task.id.v, trace::kNobody, task.cpu, 0,
          static_cast<std::int64_t>(units));
}

void Engine::record(trace::EventType type, std::uint32_t task, std::uint32_t arg, CpuId cpu,
                    std::uint32_t flags, std::int64_t payload) {
    trace_buffer_.push_back({now().ns, task, arg, static_cast<std::uint16_t>(cpu.v), type, flags,
                             payload});
    if (trace_buffer_.size() == kTraceChunk) flush_trace();
}

void Engine::flush_trace() {
    if (options_.sink != nullptr && !trace_buffer_.empty()) options_.sink->consume(trace_buffer_);
    trace_buffer_.clear();
}

void Engine::mix_fingerprint(std::uint64_t a, std::uint64_t b) {
    fingerprint_ = (fingerprint_ ^ (a + (b << 40))) * 0x100000001b3ull;
    fingerprint_ ^= fingerprint_ >> 29;
}

}  // namespace wakelab::sim
