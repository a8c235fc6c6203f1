#include "trace/formats/text/ftrace_text_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "trace/output_file.hpp"

namespace wakelab::trace {

namespace {

constexpr std::size_t kMaxName = 15;
// An undescribed task of a recording; beyond what a kernel gives (PID_MAX_LIMIT).
constexpr std::int32_t kFirstFreePid = 1 << 22;

// include/trace/events/sched.h, sched_switch
std::string_view letters_of(std::uint32_t flags) {
    switch (static_cast<PrevState>(flags)) {
        case PrevState::kBlocked: return "S";
        case PrevState::kDead: return "X";
        case PrevState::kUninterruptible: return "D";
        case PrevState::kIdleThread: return "I";
        case PrevState::kStopped: return "T";
        case PrevState::kYielded: return "R";
        default: return "R+";
    }
}

class FtraceTextWriter final : public TraceWriter {
 public:
    explicit FtraceTextWriter(OutputFile file) : file_(std::move(file)) {}

    void begin(const TraceInfo& info) override;
    void add_cpus(std::uint32_t cpus) override { make_cpus(cpus); }
    void add_task(std::uint32_t task, std::string_view name) override { set_name(task, name); }
    void rename_task(std::uint32_t task, std::string_view name) override { set_name(task, name); }
    void describe_task(std::uint32_t task, const TaskFacts& facts) override {
        described_ = true;
        if (facts.pid >= 0) at(task).pid = facts.pid;
    }
    void consume(std::span<const TraceRecord> records) override {
        for (const TraceRecord& r : records) {
            take(r);
            if (text_.size() >= kFlush && (decided_ || text_.size() >= kUndecided)) flush();
        }
    }
    Status close() override {
        write_waking(nullptr);
        flush();
        return file_.commit();
    }

 private:
    static constexpr std::size_t kFlush = 1u << 16;
    static constexpr std::size_t kUndecided = 4u << 20;

    struct Task {
        std::string name;
        std::int32_t pid = -1;
        std::uint32_t cpu = 0;  // where it was last
        std::int64_t call = -1;  // its latest system call
    };
    struct Optional {
        std::size_t begin, end;  // in text_
    };

    Task& at(std::uint32_t task) {
        if (task >= tasks_.size()) tasks_.resize(task + std::size_t{1});
        return tasks_[task];
    }
    void make_cpus(std::uint32_t cpus) {
        if (cpus > current_.size()) current_.resize(cpus, kNobody);
    }
    void set_name(std::uint32_t task, std::string_view name);
    std::int32_t pid_of(std::uint32_t task);
    std::string_view name_of(std::uint32_t task, std::uint32_t cpu);
    std::uint32_t cpu_of(std::uint32_t waker, std::uint32_t otherwise);

    // "   comm-pid [cpu] flags time: "
    void line_start(std::uint32_t task, std::uint32_t cpu, std::int64_t ns, bool in_interrupt = false);
    template <class... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    }
    void put_task(std::string_view event, std::uint32_t task);
    void take(const TraceRecord& r);
    void write(const TraceRecord& r);
    void write_switch(const TraceRecord& r);
    void write_waking(const TraceRecord* inferred);
    void write_wakeup(const TraceRecord& r);
    void write_other(const TraceRecord& r);
    void flush();

    OutputFile file_;
    std::vector<Task> tasks_;
    std::vector<std::uint32_t> current_;  // by CPU
    fmt::memory_buffer text_;
    TraceRecord waking_{};                // held until it is known which CPU an inferred wakeup chose
    bool has_waking_ = false;
    // A sched_wakeup that was only inferred from its waking is written if the recording has wakeups at all:
    // its reader infers it from the waking, and takes the wakeup for that one. Where wakeups were not
    // recorded, it must not be there. Until the first real one comes, lines are kept.
    std::vector<Optional> inferred_;
    bool decided_ = false, described_ = false;
};

void FtraceTextWriter::begin(const TraceInfo& info) {
    for (std::uint32_t t = 0; t < info.task_names.size(); ++t) set_name(t, info.task_names[t]);
    make_cpus(info.cpus);
    std::string head = fmt::format(
        "# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:{}\n#\n"
        "#                                _-----=> irqs-off/BH-disabled\n"
        "#                               / _----=> need-resched\n"
        "#                              | / _---=> hardirq/softirq\n"
        "#                              || / _--=> preempt-depth\n"
        "#                              ||| / _-=> migrate-disable\n"
        "#                              |||| /     delay\n"
        "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
        "#              | |         |   |||||     |         |\n",
        info.cpus);
    file_.write(head);
}

void FtraceTextWriter::set_name(std::uint32_t task, std::string_view name) {
    std::string& own = at(task).name;
    own = name.substr(0, kMaxName);
    std::ranges::replace_if(own, [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, '?');
}

std::int32_t FtraceTextWriter::pid_of(std::uint32_t task) {
    if (task == kNobody) return 0;
    Task& t = at(task);
    if (t.pid < 0) t.pid = static_cast<std::int32_t>(task) + (described_ ? kFirstFreePid : 1);
    return t.pid;
}

std::string_view FtraceTextWriter::name_of(std::uint32_t task, std::uint32_t cpu) {
    static thread_local std::string idle;
    if (task != kNobody) return at(task).name;
    idle = fmt::format("swapper/{}", cpu);
    return idle;
}

std::uint32_t FtraceTextWriter::cpu_of(std::uint32_t waker, std::uint32_t otherwise) {
    if (waker == kNobody) return otherwise;
    const std::uint32_t cpu = at(waker).cpu;
    return cpu < current_.size() && current_[cpu] == waker ? cpu : otherwise;
}

void FtraceTextWriter::line_start(std::uint32_t task, std::uint32_t cpu, std::int64_t ns, bool in_interrupt) {
    const std::string_view name = task == kNobody ? std::string_view("<idle>") : at(task).name;
    const std::int64_t t = std::max<std::int64_t>(ns, 0);
    // Widths count bytes here, as the kernel's do; fmt would count characters.
    for (std::size_t i = name.size(); i < 16; ++i) text_.push_back(' ');
    text_.append(name.data(), name.data() + name.size());
    put("-{:<7} [{:03}] {} {:5}.{:09}: ", pid_of(task), cpu, in_interrupt ? "d.h.." : ".....",
        t / 1'000'000'000, t % 1'000'000'000);
}

void FtraceTextWriter::put_task(std::string_view event, std::uint32_t task) {
    const std::string_view name = at(task).name;
    put("{}: comm=", event);
    text_.append(name.data(), name.data() + name.size());
    put(" pid={} prio=120", pid_of(task));
}

void FtraceTextWriter::take(const TraceRecord& r) {
    make_cpus(r.cpu + 1u);
    const bool is_inferred = (r.flags & kInferred) != 0 && r.type != EventType::kSwitch;
    if (has_waking_) write_waking(is_inferred && r.arg == waking_.arg ? &r : nullptr);
    if (r.type == EventType::kWaking) {
        waking_ = r;
        has_waking_ = true;
        return;
    }
    const bool is_wakeup = r.type == EventType::kWakeup || r.type == EventType::kWakeupEarly;
    if (!is_inferred || !is_wakeup) {
        if (is_wakeup) decided_ = true;
        if (!is_inferred) write(r);
        if (r.type == EventType::kMigrate) at(r.arg).cpu = r.cpu;
        return;
    }
    const std::size_t begin = text_.size();
    write_wakeup(r);
    if (!decided_) inferred_.push_back({begin, text_.size()});
}

void FtraceTextWriter::flush() {
    if (decided_) {
        file_.write(std::string_view(text_.data(), text_.size()));
    } else {
        std::size_t done = 0;
        for (const Optional& o : inferred_) {
            file_.write(std::string_view(text_.data() + done, o.begin - done));
            done = o.end;
        }
        file_.write(std::string_view(text_.data() + done, text_.size() - done));
    }
    inferred_.clear();
    text_.clear();
}

void FtraceTextWriter::write_waking(const TraceRecord* inferred) {
    if (!has_waking_) return;
    has_waking_ = false;
    const TraceRecord& r = waking_;
    line_start(r.task, r.cpu, r.ns, (r.flags & kWakeInInterrupt) != 0);
    put_task("sched_waking", r.arg);
    if (inferred == nullptr) return put(" target_cpu={:03}\n", at(r.arg).cpu);
    // As where only wakings are recorded: its CPU until now, then the move to the one that was chosen.
    const bool early = inferred->type == EventType::kWakeupEarly;
    const std::int64_t from = early ? inferred->cpu : inferred->payload >> 32;
    put(" target_cpu={:03}\n", from);
    if (from == inferred->cpu) return;
    line_start(r.task, r.cpu, r.ns);
    put_task("sched_migrate_task", r.arg);
    put(" orig_cpu={} dest_cpu={}\n", from, inferred->cpu);
}

void FtraceTextWriter::write_wakeup(const TraceRecord& r) {
    const bool in_interrupt = (r.flags & kWakeInInterrupt) != 0;
    line_start(r.task, cpu_of(r.task, r.cpu), r.ns, in_interrupt);
    put_task(r.type == EventType::kWakeupNew ? "sched_wakeup_new" : "sched_wakeup", r.arg);
    put(" target_cpu={:03}\n", r.cpu);
    at(r.arg).cpu = r.cpu;
}

void FtraceTextWriter::write_switch(const TraceRecord& r) {
    line_start(r.task, r.cpu, r.ns);
    const auto side = [&](std::string_view key, std::uint32_t task) {
        const std::string_view name = name_of(task, r.cpu);
        put("{}_comm=", key);
        text_.append(name.data(), name.data() + name.size());
        put(" {}_pid={} {}_prio=120", key, pid_of(task), key);
    };
    put("sched_switch: ");
    side("prev", r.task);
    put(" prev_state={} ==> ", r.task == kNobody ? "R" : letters_of(r.flags));
    side("next", r.arg);
    put("\n");
    current_[r.cpu] = r.arg;
    if (r.arg != kNobody) at(r.arg).cpu = r.cpu;
}

void FtraceTextWriter::write(const TraceRecord& r) {
    switch (r.type) {
        case EventType::kSwitch:
            return write_switch(r);
        case EventType::kWakeup:
        case EventType::kWakeupEarly:
        case EventType::kWakeupNew:
            return write_wakeup(r);
        case EventType::kLost:
            if (r.payload > 0) return put("CPU:{} [LOST {} EVENTS]\n", r.cpu, r.payload);
            return put("CPU:{} [LOST EVENTS]\n", r.cpu);
        case EventType::kWaking:
        case EventType::kResched:
        case EventType::kSpurious:
        case EventType::kWorkUnit:
        case EventType::kIrq:
        case EventType::kSleepUntil:
            return;
        case EventType::kMigrate:
            line_start(r.task, cpu_of(r.task, r.cpu), r.ns);
            put_task("sched_migrate_task", r.arg);
            return put(" orig_cpu={} dest_cpu={}\n", r.payload, r.cpu);
        default:
            line_start(r.task, r.cpu, r.ns);
            return write_other(r);
    }
}

void FtraceTextWriter::write_other(const TraceRecord& r) {
    const std::int64_t v = r.payload;
    switch (r.type) {
        case EventType::kFork: {
            const std::string_view parent = name_of(r.task, r.cpu), child = at(r.arg).name;
            put("sched_process_fork: comm=");
            text_.append(parent.data(), parent.data() + parent.size());
            put(" pid={} child_comm=", pid_of(r.task));
            text_.append(child.data(), child.data() + child.size());
            return put(" child_pid={}\n", pid_of(r.arg));
        }
        case EventType::kExec:
            return put("sched_process_exec: filename= pid={} old_pid={}\n", pid_of(r.task), pid_of(r.task));
        case EventType::kExit:
            if (r.task != kNobody) put_task("sched_process_exit", r.task);
            return put("\n");
        case EventType::kIrqEntry: return put("irq_handler_entry: irq={} name=\n", v);
        case EventType::kIrqExit: return put("irq_handler_exit: irq={} ret=handled\n", v);
        case EventType::kSoftirqEntry: return put("softirq_entry: vec={} [action=]\n", v);
        case EventType::kSoftirqExit: return put("softirq_exit: vec={} [action=]\n", v);
        case EventType::kIpi:
            if (v >= 0) return put("ipi_send_cpu: cpu={} callsite=0x0 callback=0x0\n", v);
            return put("ipi_send_cpumask: cpumask= callsite=0x0 callback=0x0\n");
        case EventType::kCpuIdle:
            return put("cpu_idle: state={} cpu_id={}\n", static_cast<std::uint32_t>(v), r.cpu);
        case EventType::kFrequency: return put("cpu_frequency: state={} cpu_id={}\n", v, r.cpu);
        case EventType::kSyscallEnter:
            if (r.task != kNobody) at(r.task).call = v;
            return put("sys_enter: NR {} (0, 0, 0, 0, 0, 0)\n", v);
        case EventType::kSyscallExit:
            return put("sys_exit: NR {} = {}\n", r.task != kNobody ? at(r.task).call : -1, v);
        case EventType::kBlockedReason:
            return put("sched_blocked_reason: pid={} iowait={} caller=0x{:x}\n", pid_of(r.arg), r.flags & 1,
                       static_cast<std::uint64_t>(v));
        default: return put("\n");
    }
}

}  // namespace

Result<std::unique_ptr<TraceWriter>> open_ftrace_text_writer(const std::string& path,
                                                             const TraceQuality& /*quality*/) {
    auto file = OutputFile::create(path);
    if (!file) return file.error();
    return std::unique_ptr<TraceWriter>(std::make_unique<FtraceTextWriter>(std::move(*file)));
}

}  // namespace wakelab::trace
