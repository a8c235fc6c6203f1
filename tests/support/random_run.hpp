// A random but possible run as canonical records, for round trips through file formats: every switch, wake-up
// and migration is one that the state before allows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/prng.hpp"
#include "trace/sink.hpp"

namespace wakelab::test {

class RandomRun {
 public:
    struct Spec {
        std::uint64_t seed = 1;
        std::uint32_t cpus = 4;
        std::uint32_t tasks = 12;
        std::uint32_t steps = 1000;      // each one to four records
        std::int64_t step_ns_max = 5000;
        std::uint32_t ties = 4;           // one step in so many is simultaneous with the one before
        std::int64_t start_ns = 1'000'000'000;
        std::int64_t rule = 13;           // PlaceRule of all wake-ups; 13: kNotRecorded
    };

    explicit RandomRun(const Spec& spec) : spec_(spec), prng_(spec.seed, 0, 0), now_(spec.start_ns) {
        cpus_.resize(spec.cpus);
        tasks_.resize(spec.tasks);
    }

    // The whole stream; names are "task-N".
    void play(trace::TraceSink& sink) {
        trace::TraceInfo info;
        info.cpus = spec_.cpus;
        info.start_ns = spec_.start_ns;
        for (std::uint32_t t = 0; t < spec_.tasks; ++t) info.task_names.push_back(name(t));
        sink.begin(info);
        for (std::uint32_t i = 0; i < spec_.steps; ++i) {
            step();
            if (out_.size() < 4096 && i + 1 < spec_.steps) continue;
            sink.consume(out_);
            out_.clear();
        }
        sink.finish(now_);
    }
    [[nodiscard]] static std::string name(std::uint32_t task) { return "task-" + std::to_string(task); }

 private:
    enum class State : std::uint8_t { kBlocked, kQueued, kRunning };
    struct Task {
        State state = State::kBlocked;
        std::uint32_t cpu = trace::kNobody;
    };
    struct Cpu {
        std::uint32_t current = trace::kNobody;
        std::vector<std::uint32_t> queue;
    };

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(prng_.below(n)); }

    void emit(trace::EventType type, std::uint32_t task, std::uint32_t arg, std::uint32_t cpu,
              std::uint32_t flags = 0, std::int64_t payload = 0) {
        out_.push_back({.ns = now_, .task = task, .arg = arg, .cpu = static_cast<std::uint16_t>(cpu),
                        .type = type, .flags = flags, .payload = payload});
    }

    void step() {
        const auto step_ns = prng_.below(static_cast<std::uint64_t>(spec_.step_ns_max));
        if (below(spec_.ties) != 0) now_ += static_cast<std::int64_t>(step_ns);
        const std::uint32_t task = below(spec_.tasks);
        const std::uint32_t cpu = below(spec_.cpus);
        switch (below(8)) {
            case 0:
            case 1:
            case 2:
                if (tasks_[task].state == State::kBlocked) return wake(task, cpu);
                [[fallthrough]];
            case 3:
            case 4: return switch_to(cpu, trace::PrevState::kBlocked);
            case 5: return switch_to(cpu, trace::PrevState::kPreemptedOther);
            case 6: return switch_to(cpu, trace::PrevState::kUninterruptible);
            default: return migrate(task, cpu);
        }
    }

    void wake(std::uint32_t wakee, std::uint32_t waker_cpu) {
        const std::uint32_t waker = cpus_[waker_cpu].current;
        const std::uint32_t to = below(spec_.cpus);
        Task& t = tasks_[wakee];
        const std::uint32_t prev = t.cpu == trace::kNobody ? to : t.cpu;
        emit(trace::EventType::kWaking, waker, wakee, waker_cpu);
        emit(trace::EventType::kWakeup, waker, wakee, to, 0,
             static_cast<std::int64_t>(std::uint64_t{prev} << 32) | spec_.rule);
        t.state = State::kQueued;
        t.cpu = to;
        cpus_[to].queue.push_back(wakee);
    }

    void switch_to(std::uint32_t number, trace::PrevState left_as) {
        Cpu& cpu = cpus_[number];
        const std::uint32_t prev = cpu.current;
        if (prev == trace::kNobody && cpu.queue.empty()) return;
        std::uint32_t next = trace::kNobody;
        if (!cpu.queue.empty()) {
            next = cpu.queue.front();
            cpu.queue.erase(cpu.queue.begin());
            tasks_[next] = {State::kRunning, number};
        } else if (left_as == trace::PrevState::kPreemptedOther) {
            return;
        }
        if (prev != trace::kNobody) {
            const bool queued = left_as == trace::PrevState::kPreemptedOther;
            tasks_[prev].state = queued ? State::kQueued : State::kBlocked;
            if (queued) cpu.queue.push_back(prev);
        }
        cpu.current = next;
        emit(trace::EventType::kSwitch, prev, next, number,
             prev == trace::kNobody ? 0 : static_cast<std::uint32_t>(left_as));
    }

    void migrate(std::uint32_t task, std::uint32_t to) {
        Task& t = tasks_[task];
        if (t.state != State::kQueued || t.cpu == to) return;
        std::erase(cpus_[t.cpu].queue, task);
        emit(trace::EventType::kMigrate, cpus_[to].current, task, to, 0, t.cpu);
        t.cpu = to;
        cpus_[to].queue.push_back(task);
    }

    Spec spec_;
    Prng prng_;
    std::int64_t now_;
    std::vector<Cpu> cpus_;
    std::vector<Task> tasks_;
    std::vector<trace::TraceRecord> out_;
};

}  // namespace wakelab::test
