// A made-up recording that could be real: a few tasks, with names that try to pass for something
// else, sleep, wake each other, move, fork and exit on a few CPUs. For round trips through file
// formats.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "base/prng.hpp"
#include "trace/kernel_event.hpp"
#include "trace/translator.hpp"

namespace wakelab::test {

struct RandomRecording {
    std::uint64_t seed = 1;
    int events = 2000;
    std::uint32_t cpus = 3;
    bool wakings = true, wakeups = true;  // which of the two is recorded
    bool moves = true;                    // of queued tasks
    bool losses = false;
};

class RandomKernelEvents {
 public:
    explicit RandomKernelEvents(const RandomRecording& options)
        : options_(options), random_(options.seed, 0, 0), cpus_(options.cpus, 0) {
        for (int i = 0; i < 12; ++i)
            tasks_.push_back({.pid = 100 + i, .name = name(), .state = kAsleep});
    }

    // Events of one step, in time order.
    std::vector<trace::KernelEvent> step() {
        std::vector<trace::KernelEvent> out;
        ns_ += static_cast<std::int64_t>(
            random_.below(3) == 0 ? 0 : random_.below(1u << random_.below(24)));
        const std::uint32_t cpu = pick(options_.cpus);
        switch (random_.below(12)) {
            case 0:
            case 1:
            case 2:
            case 3:
                wake(cpu, out);
                break;
            case 4:
            case 5:
            case 6:
            case 7:
                switch_on(cpu, out);
                break;
            case 8:
                if (options_.moves) move(cpu, out);
                break;
            case 9:
                fork(cpu, out);
                break;
            case 10:
                extra(cpu, out);
                break;
            default:
                if (options_.losses && random_.below(20) == 0) {
                    auto e = event(cpu, trace::KernelEventType::kLost);
                    e.value = static_cast<std::int64_t>(random_.below(50));
                    out.push_back(e);
                }
        }
        return out;
    }
    // All of them through a translator.
    void record(trace::TraceSink& sink, trace::TraceQuality& quality) {
        trace::Translator translator(sink, quality);
        translator.set_cpus(options_.cpus);
        for (int n = 0; n < options_.events;)
            for (const trace::KernelEvent& e : step()) {
                translator.add(e);
                ++n;
            }
        translator.finish();
    }

 private:
    using K = trace::KernelEventType;
    enum State : std::uint8_t { kAsleep, kQueued, kRunning, kGone };
    struct Task {
        std::int32_t pid = 0;
        std::string_view name;
        State state = kAsleep;
        std::uint32_t cpu = 0;
    };

    std::uint32_t pick(std::size_t n) { return static_cast<std::uint32_t>(random_.below(n)); }
    std::string_view name() {
        static constexpr std::array<std::string_view, 10> kNames = {
            "bash",       "kworker/0:1-ev", " prev_pid=1",    "a-1 [000] 1.0:", " ==> next_comm",
            "[001] d..2", "\xff\xfe \x80",  "x next_pid=3 p", "<...>",          "comm=a pid=1"};
        return kNames[pick(kNames.size())];
    }
    trace::KernelEvent event(std::uint32_t cpu, K type) {
        trace::KernelEvent e;
        e.ns = ns_;
        e.cpu = cpu;
        e.type = type;
        e.pid = cpus_[cpu] == 0 ? 0 : tasks_[cpus_[cpu] - 1].pid;
        return e;
    }
    void about(trace::KernelEvent& e, const Task& task) {
        e.other_pid = task.pid;
        e.other_comm = trace::Comm(task.name);
    }
    void wake(std::uint32_t cpu, std::vector<trace::KernelEvent>& out) {
        Task& task = tasks_[pick(tasks_.size())];
        if (task.state == kGone) return;
        const bool early = task.state != kAsleep;
        if (!early) task.cpu = random_.below(4) == 0 ? pick(options_.cpus) : task.cpu;
        const auto context =
            static_cast<std::uint8_t>(random_.below(4) == 0 ? trace::kInHardirq : 0);
        for (const K type : {K::kWaking, K::kWakeup}) {
            if (type == K::kWaking ? !options_.wakings : !options_.wakeups) continue;
            auto e = event(cpu, type);
            about(e, task);
            e.target_cpu = static_cast<std::int32_t>(task.cpu);
            e.context = context;
            out.push_back(e);
        }
        if (!early) task.state = kQueued;
    }
    void switch_on(std::uint32_t cpu, std::vector<trace::KernelEvent>& out) {
        std::uint32_t next = 0;
        std::size_t t = pick(tasks_.size());
        for (std::size_t i = 0; i < tasks_.size(); ++i, t = (t + 1) % tasks_.size())
            if (tasks_[t].state == kQueued && (tasks_[t].cpu == cpu || random_.below(50) == 0))
                next = static_cast<std::uint32_t>(t) + 1;
        const std::uint32_t prev = cpus_[cpu];
        if (prev == next) return;
        auto e = event(cpu, K::kSwitch);
        if (prev != 0) {
            Task& out_task = tasks_[prev - 1];
            e.comm = trace::Comm(out_task.name);
            static constexpr std::array kStates = {
                trace::PrevState::kPreemptedOther,  trace::PrevState::kBlocked,
                trace::PrevState::kUninterruptible, trace::PrevState::kIdleThread,
                trace::PrevState::kStopped,         trace::PrevState::kDead};
            const auto state =
                kStates[random_.below(40) == 0 && tasks_.size() > 14 ? 5 : random_.below(5)];
            e.value = static_cast<std::int64_t>(state);
            out_task.cpu = cpu;
            out_task.state = state == trace::PrevState::kPreemptedOther ? kQueued
                             : state == trace::PrevState::kDead         ? kGone
                                                                        : kAsleep;
        } else {
            e.value = static_cast<std::int64_t>(trace::PrevState::kPreemptedOther);
            e.comm = trace::Comm("swapper/0");
        }
        if (next != 0) {
            about(e, tasks_[next - 1]);
            tasks_[next - 1].state = kRunning;
            tasks_[next - 1].cpu = cpu;
        } else {
            e.other_comm = trace::Comm("swapper/0");
        }
        out.push_back(e);
        cpus_[cpu] = next;
    }
    void move(std::uint32_t cpu, std::vector<trace::KernelEvent>& out) {
        Task& task = tasks_[pick(tasks_.size())];
        if (task.state != kQueued) return;
        auto e = event(cpu, K::kMigrate);
        about(e, task);
        e.from_cpu = static_cast<std::int32_t>(task.cpu);
        task.cpu = pick(options_.cpus);
        e.target_cpu = static_cast<std::int32_t>(task.cpu);
        out.push_back(e);
    }
    void fork(std::uint32_t cpu, std::vector<trace::KernelEvent>& out) {
        if (cpus_[cpu] == 0 || tasks_.size() > 60) return;
        const Task& parent = tasks_[cpus_[cpu] - 1];
        auto e = event(cpu, K::kFork);
        e.comm = trace::Comm(parent.name);
        tasks_.push_back({.pid = 100 + static_cast<std::int32_t>(tasks_.size()),
                          .name = parent.name,
                          .state = kQueued,
                          .cpu = pick(options_.cpus)});
        about(e, tasks_.back());
        out.push_back(e);
        auto wakeup = event(cpu, K::kWakeupNew);
        about(wakeup, tasks_.back());
        wakeup.target_cpu = static_cast<std::int32_t>(tasks_.back().cpu);
        out.push_back(wakeup);
    }
    // Events that only pass through.
    void extra(std::uint32_t cpu, std::vector<trace::KernelEvent>& out) {
        static constexpr std::array kTypes = {K::kIrqEntry,      K::kIrqExit,      K::kSoftirqEntry,
                                              K::kSoftirqExit,   K::kIpi,          K::kCpuIdle,
                                              K::kFrequency,     K::kSyscallEnter, K::kSyscallExit,
                                              K::kBlockedReason, K::kExec};
        auto e = event(cpu, kTypes[pick(kTypes.size())]);
        e.value = static_cast<std::int64_t>(random_.below(200));
        if (e.type == K::kIpi)
            e.target_cpu = static_cast<std::int32_t>(random_.below(options_.cpus + 1)) - 1;
        if (e.type == K::kIpi) e.value = 0;
        if (e.type == K::kCpuIdle) e.value = static_cast<std::int64_t>(random_.below(4)) - 1;
        if (e.type == K::kCpuIdle || e.type == K::kFrequency)
            e.target_cpu = static_cast<std::int32_t>(cpu);
        if (e.type == K::kSyscallExit) e.value -= 100;
        if (e.type == K::kExec) e.value = 0;
        if (e.type == K::kExec && e.pid == 0) return;
        if (e.type == K::kBlockedReason) {
            about(e, tasks_[pick(tasks_.size())]);
            e.io_wait = random_.below(2) == 0;
        }
        out.push_back(e);
    }

    RandomRecording options_;
    Prng random_;
    std::int64_t ns_ = 5'000'000'000;
    std::vector<std::uint32_t> cpus_;  // who runs: index into tasks_ + 1, 0: idle
    std::vector<Task> tasks_;
};

}  // namespace wakelab::test
