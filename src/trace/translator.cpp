#include "trace/translator.hpp"

#include <algorithm>

#include "base/place_rule.hpp"
#include "topo/cpu_mask.hpp"

namespace wakelab::trace {

namespace {

std::int64_t wakeup_payload(std::uint32_t prev_cpu) {
    return static_cast<std::int64_t>(std::uint64_t{prev_cpu} << 32 |
                                     static_cast<std::uint64_t>(PlaceRule::kNotRecorded));
}

std::uint32_t flags_of(const KernelEvent& e) {
    return (e.context & (kInHardirq | kInSoftirq)) != 0 ? std::uint32_t{kWakeInInterrupt} : 0u;
}

bool is_preempted(PrevState s) {
    return s == PrevState::kPreemptedOther || s == PrevState::kPreemptedByTick ||
           s == PrevState::kPreemptedByWakeup || s == PrevState::kYielded;
}

// Of events that are passed on as they are.
EventType canonical_type(KernelEventType type) {
    switch (type) {
        case KernelEventType::kIrqEntry: return EventType::kIrqEntry;
        case KernelEventType::kIrqExit: return EventType::kIrqExit;
        case KernelEventType::kSoftirqEntry: return EventType::kSoftirqEntry;
        case KernelEventType::kSoftirqExit: return EventType::kSoftirqExit;
        case KernelEventType::kIpi: return EventType::kIpi;
        case KernelEventType::kCpuIdle: return EventType::kCpuIdle;
        case KernelEventType::kFrequency: return EventType::kFrequency;
        case KernelEventType::kSyscallEnter: return EventType::kSyscallEnter;
        case KernelEventType::kSyscallExit: return EventType::kSyscallExit;
        case KernelEventType::kExec: return EventType::kExec;
        default: return EventType::kExit;
    }
}

}  // namespace

Translator::Translator(TraceSink& sink, TraceQuality& quality, const Window& window)
    : sink_(sink), quality_(quality), window_(window) {
    info_.unit = "";
    info_.recorded = true;
    out_.reserve(kChunk + kHeld);
}

void Translator::set_cpus(std::uint32_t cpus) {
    make_cpus(std::min(cpus, topo::kMaxCpus));
}

void Translator::make_cpus(std::uint32_t cpus) {
    if (cpus <= cpus_.size()) return;
    cpus_.resize(cpus);
    if (!begun_) return;
    flush(kHeld);  // a sink hears of a CPU before its records; what is held back can still be corrected
    sink_.add_cpus(cpus);
}

void Translator::begin(std::int64_t ns) {
    begun_ = true;
    info_.cpus = static_cast<std::uint32_t>(std::max<std::size_t>(cpus_.size(), 1));
    cpus_.resize(info_.cpus);
    info_.start_ns = ns + window_.from_ns;
    info_.end_ns = window_.to_ns ? ns + *window_.to_ns : 0;
    sink_.begin(info_);
    for (const auto& [pid, told] : waiting_) describe(told.comm.view(), told.facts);
    waiting_.clear();
}

void Translator::announce(std::uint32_t task, std::int32_t pid, const Comm& comm) {
    tasks_.resize(std::max<std::size_t>(tasks_.size(), task + 1));
    tasks_[task].comm = comm;
    sink_.add_task(task, comm.view());  // early: no record that is held back names it
    const auto facts = expected_.find(pid);
    if (facts != expected_.end()) return sink_.describe_task(task, facts->second);
    sink_.describe_task(task, {.pid = pid, .tgid = -1, .allowed = {}});
}

std::uint32_t Translator::task_of(std::int32_t pid, const Comm& comm) {
    if (pid == 0) return kNobody;
    bool fresh = false;
    const std::uint32_t task = table_.find_or_add(pid, fresh);
    if (fresh) {
        const auto fallback = comm.told() ? fallback_names_.end() : fallback_names_.find(pid);
        announce(task, pid, fallback == fallback_names_.end() ? comm : fallback->second);
    } else if (comm.told() && !(tasks_[task].comm == comm)) {
        tasks_[task].comm = comm;
        flush(kHeld);  // a few records early, so that what is held back can still be corrected
        sink_.rename_task(task, comm.view());
    }
    return task;
}

void Translator::describe(std::string_view name, const TaskFacts& facts) {
    if (facts.pid <= 0) return;
    if (!begun_) {
        Description& told = waiting_[facts.pid];
        told.facts.pid = facts.pid;
        if (!name.empty()) told.comm = Comm(name);
        if (facts.tgid >= 0) told.facts.tgid = facts.tgid;
        if (facts.allowed) told.facts.allowed = facts.allowed;
        return;
    }
    const std::uint32_t task = task_of(facts.pid, Comm(name));
    sink_.describe_task(task, facts);
}

void Translator::emit(const TraceRecord& record) {
    out_.push_back(record);
    if (out_.size() == kChunk + kHeld) flush(kHeld);
}

void Translator::flush(std::size_t keep) {
    if (out_.size() <= keep) return;
    const std::size_t n = out_.size() - keep;
    sink_.consume(std::span(out_).first(n));
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(n));
    flushed_ += n;
}

void Translator::add(const KernelEvent& event) {
    ++quality_.events[static_cast<std::size_t>(event.type)];
    if (event.type == KernelEventType::kOther) return;
    KernelEvent e = event;
    if (e.cpu >= topo::kMaxCpus) {
        ++quality_.bad_cpu;
        return;
    }
    if (!begun_) begin(e.ns);
    make_cpus(e.cpu + 1);
    if (e.ns < last_ns_) {
        ++quality_.out_of_order;
        e.ns = last_ns_;
    }
    last_ns_ = e.ns;
    switch (e.type) {
        case KernelEventType::kSwitch: return on_switch(e);
        case KernelEventType::kWaking: return on_waking(e);
        case KernelEventType::kWakeup: return on_wakeup(e);
        case KernelEventType::kWakeupNew: return on_wakeup_new(e);
        case KernelEventType::kMigrate: return on_migrate(e);
        case KernelEventType::kFork: return on_fork(e);
        case KernelEventType::kLost: return on_lost(e);
        default: return pass_on(e);
    }
}

// A woken task that comes next on the CPU where it was queued while the other ran is taken for the reason
// why that one left; the kernel records no reason.
void Translator::on_switch(const KernelEvent& e) {
    const std::uint32_t prev = task_of(e.pid, e.comm);
    const std::uint32_t next = task_of(e.other_pid, e.other_comm);
    Cpu& cpu = cpus_[e.cpu];
    auto left_as = static_cast<PrevState>(e.value);
    if (next != kNobody) {
        Task& in = tasks_[next];
        if (in.state == State::kRunnable && in.cpu != e.cpu) {
            ++quality_.inferred_migrations;
            emit({.ns = e.ns, .task = kNobody, .arg = next, .cpu = static_cast<std::uint16_t>(e.cpu),
                  .type = EventType::kMigrate, .flags = kInferred, .payload = in.cpu});
        }
        if (left_as == PrevState::kPreemptedOther && in.state == State::kRunnable &&
            in.waker != kNobody && in.queued_ns >= cpu.since_ns && prev != kNobody)
            left_as = PrevState::kPreemptedByWakeup;
        in.state = State::kRunning;
        in.cpu = e.cpu;
        in.wakeup_record = in.inferred_record = kNone;
        in.inferred_wakeup = false;  // a wakeup from now on belongs to a later waking
    }
    if (prev != kNobody) {
        Task& out = tasks_[prev];
        out.cpu = e.cpu;
        out.queued_ns = e.ns;
        out.waker = kNobody;
        out.state = left_as == PrevState::kDead    ? State::kDead
                    : is_preempted(left_as) ? State::kRunnable
                                            : State::kBlocked;
    }
    cpu.current = next;
    cpu.since_ns = e.ns;
    emit({.ns = e.ns, .task = prev, .arg = next, .cpu = static_cast<std::uint16_t>(e.cpu),
          .type = EventType::kSwitch, .flags = static_cast<std::uint32_t>(left_as), .payload = 0});
}

std::uint32_t Translator::target_of(const KernelEvent& e) {
    if (e.target_cpu < 0 || e.target_cpu >= static_cast<std::int32_t>(topo::kMaxCpus)) return e.cpu;
    const auto cpu = static_cast<std::uint32_t>(e.target_cpu);
    make_cpus(cpu + 1);
    return cpu;
}

void Translator::on_waking(const KernelEvent& e) {
    const std::uint32_t waker = current_of(e);
    const std::uint32_t wakee = task_of(e.other_pid, e.other_comm);
    if (wakee == kNobody) return;
    Task& task = tasks_[wakee];
    task.waker = waker;
    task.waking_flags = flags_of(e);
    emit({.ns = e.ns, .task = waker, .arg = wakee, .cpu = static_cast<std::uint16_t>(e.cpu),
          .type = EventType::kWaking, .flags = task.waking_flags, .payload = 0});
    if (!has_wakeups_) queue_wakee(wakee, target_of(e), e.ns, true);
}

void Translator::queue_wakee(std::uint32_t wakee, std::uint32_t cpu, std::int64_t ns, bool inferred) {
    Task& task = tasks_[wakee];
    const bool early = task.state == State::kRunning || task.state == State::kRunnable;
    const std::uint32_t prev_cpu = task.cpu == kNobody ? cpu : task.cpu;
    TraceRecord record{.ns = ns, .task = task.waker, .arg = wakee,
                       .cpu = static_cast<std::uint16_t>(cpu),
                       .type = early ? EventType::kWakeupEarly : EventType::kWakeup,
                       .flags = task.waking_flags, .payload = wakeup_payload(prev_cpu)};
    task.inferred_wakeup = inferred;
    if (!early) {
        task.state = State::kRunnable;
        task.cpu = cpu;
        task.queued_ns = ns;
    }
    if (inferred) {
        record.flags |= kInferred;
        ++quality_.inferred_wakeups;
        task.inferred_record = flushed_ + out_.size();
        if (!early) task.wakeup_record = task.inferred_record;
    }
    emit(record);
}

// The recording turns out to hold wakeups: takes back the one that was inferred from the waking before, if it
// has not left yet. False: it has, and stands for the event.
bool Translator::take_back_inferred(std::uint32_t wakee) {
    Task& task = tasks_[wakee];
    const std::size_t number = task.inferred_record;
    task.inferred_record = task.wakeup_record = kNone;
    if (number == kNone || number < flushed_) return false;
    const std::size_t at = number - flushed_;
    const bool was_queued = out_[at].type == EventType::kWakeup;
    const auto prev_cpu = static_cast<std::uint32_t>(out_[at].payload >> 32);
    out_.erase(out_.begin() + static_cast<std::ptrdiff_t>(at));
    for (Task& other : tasks_) {
        if (other.inferred_record != kNone && other.inferred_record > number) --other.inferred_record;
        if (other.wakeup_record != kNone && other.wakeup_record > number) --other.wakeup_record;
    }
    if (was_queued && task.state == State::kRunnable) {
        task.state = State::kBlocked;
        task.cpu = prev_cpu;
    }
    return true;
}

void Translator::on_wakeup(const KernelEvent& e) {
    const std::uint32_t current = current_of(e);
    const std::uint32_t wakee = task_of(e.other_pid, e.other_comm);
    if (wakee == kNobody) return;
    Task& task = tasks_[wakee];
    const std::uint32_t cpu = target_of(e);
    if (!has_wakeups_) {
        has_wakeups_ = true;
        quality_.inferred_wakeups = 0;  // those before were recorded late, not missing
    }
    if (task.inferred_wakeup) {  // by the waking before the first wakeup; it has its record
        task.inferred_wakeup = false;
        if (!take_back_inferred(wakee)) return;
    }
    if (quality_.count(KernelEventType::kWaking) == 0) {
        task.waker = current;
        task.waking_flags = flags_of(e);
    }
    queue_wakee(wakee, cpu, e.ns, false);
}

void Translator::on_wakeup_new(const KernelEvent& e) {
    const std::uint32_t parent = current_of(e);
    std::uint32_t child = task_of(e.other_pid, e.other_comm);
    if (child == kNobody) return;
    if (tasks_[child].state == State::kDead) {
        child = table_.renew(e.other_pid);
        announce(child, e.other_pid, e.other_comm);
    }
    Task& task = tasks_[child];
    task.state = State::kRunnable;
    task.cpu = target_of(e);
    task.queued_ns = e.ns;
    task.waker = parent;
    emit({.ns = e.ns, .task = parent, .arg = child, .cpu = static_cast<std::uint16_t>(task.cpu),
          .type = EventType::kWakeupNew, .flags = 0, .payload = 0});
}

// Of a queued task: a move. Of one that is being woken: the choice of its CPU, which the wakeup tells; where
// only the waking is recorded, this corrects the wakeup that was inferred from it.
void Translator::on_migrate(const KernelEvent& e) {
    const std::uint32_t mover = current_of(e);
    const std::uint32_t moved = task_of(e.other_pid, e.other_comm);
    if (moved == kNobody) return;
    const std::uint32_t cpu = target_of(e);
    Task& task = tasks_[moved];
    if (task.state != State::kRunnable) return;
    if (task.wakeup_record != kNone && task.wakeup_record >= flushed_) {
        out_[task.wakeup_record - flushed_].cpu = static_cast<std::uint16_t>(cpu);
        task.wakeup_record = kNone;
    } else {
        emit({.ns = e.ns, .task = mover, .arg = moved, .cpu = static_cast<std::uint16_t>(cpu),
              .type = EventType::kMigrate, .flags = 0, .payload = task.cpu});
    }
    task.cpu = cpu;
}

void Translator::on_fork(const KernelEvent& e) {
    const std::uint32_t parent = current_of(e);
    if (e.other_pid == 0) return;
    bool fresh = false;
    std::uint32_t child = table_.find_or_add(e.other_pid, fresh);
    if (!fresh) child = table_.renew(e.other_pid);
    announce(child, e.other_pid, e.other_comm);
    tasks_[child].state = State::kBlocked;
    emit({.ns = e.ns, .task = parent, .arg = child, .cpu = static_cast<std::uint16_t>(e.cpu),
          .type = EventType::kFork, .flags = 0, .payload = 0});
}

// Whatever happened on that CPU is unknown: who runs, what is queued. Elsewhere a task may have moved
// there and back; sinks know by the kLost record that no wait across it can be trusted.
void Translator::on_lost(const KernelEvent& e) {
    ++quality_.gaps;
    quality_.lost_events += static_cast<std::uint64_t>(std::max<std::int64_t>(e.value, 0));
    for (Task& task : tasks_) {
        if (task.cpu == e.cpu && task.state != State::kDead) task.state = State::kUnknown;
        task.wakeup_record = task.inferred_record = kNone;
        task.inferred_wakeup = false;
    }
    cpus_[e.cpu].current = kNobody;
    emit({.ns = e.ns, .task = kNobody, .arg = kNobody, .cpu = static_cast<std::uint16_t>(e.cpu),
          .type = EventType::kLost, .flags = 0, .payload = e.value});
}

void Translator::pass_on(const KernelEvent& e) {
    const std::uint32_t current = current_of(e);
    TraceRecord record{.ns = e.ns, .task = current, .arg = kNobody,
                       .cpu = static_cast<std::uint16_t>(e.cpu), .type = canonical_type(e.type),
                       .flags = 0, .payload = e.value};
    if (e.type == KernelEventType::kBlockedReason) {
        record.type = EventType::kBlockedReason;
        record.arg = task_of(e.other_pid, e.other_comm);
        record.flags = e.io_wait ? 1 : 0;
        if (record.arg == kNobody) return;
    } else if (e.type == KernelEventType::kIpi) {
        record.payload = e.target_cpu;
    } else if (e.type == KernelEventType::kCpuIdle || e.type == KernelEventType::kFrequency) {
        record.cpu = static_cast<std::uint16_t>(target_of(e));
    }
    emit(record);
}

void Translator::finish() {
    if (!begun_) begin(0);
    flush(0);
    sink_.finish(last_ns_ == INT64_MIN ? info_.start_ns : last_ns_);
}

}  // namespace wakelab::trace
