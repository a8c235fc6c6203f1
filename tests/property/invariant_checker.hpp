// A trace sink that follows where every task is and notes what cannot be: a task on two CPUs, two
// tasks on one, a forbidden CPU, a sleeper that runs, a runnable task that is forgotten.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/sink.hpp"

namespace wakelab::property {

class InvariantChecker final : public trace::TraceSink {
 public:
    void begin(const trace::TraceInfo& info) override;
    void consume(std::span<const trace::TraceRecord> records) override;
    void finish(std::int64_t end_ns) override;

    // From now on `task` may use `mask`.
    void set_allowed(std::uint32_t task, const topo::CpuMask& mask) { view(task).allowed = mask; }

    // At most ten lines, each with the instant.
    [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
    // Between the first record and finish().
    [[nodiscard]] std::int64_t ran_ns(std::uint32_t task) const { return tasks_[task].ran_ns; }
    [[nodiscard]] std::int64_t busy_ns(std::uint32_t cpu) const { return cpus_[cpu].busy_ns; }
    [[nodiscard]] std::int64_t idle_ns(std::uint32_t cpu) const { return cpus_[cpu].idle_ns; }
    // Longest time a task was queued without running, one that still waits included.
    [[nodiscard]] std::int64_t longest_wait_ns() const { return longest_wait_ns_; }
    [[nodiscard]] std::string longest_waiter() const { return name(longest_waiter_); }

 private:
    enum class Where { kSleeping, kQueued, kRunning };
    struct TaskView {
        Where where = Where::kSleeping;
        std::uint32_t cpu = 0;
        std::int64_t since = 0;
        std::int64_t ran_ns = 0;
        topo::CpuMask allowed;
    };
    struct CpuView {
        std::uint32_t curr = trace::kNobody;
        std::int64_t since = 0;
        std::int64_t busy_ns = 0;
        std::int64_t idle_ns = 0;
    };

    void on_switch(const trace::TraceRecord& r);
    void switch_out(const trace::TraceRecord& r);
    void switch_in(const trace::TraceRecord& r);
    void on_queued(const trace::TraceRecord& r);
    void on_migrate(const trace::TraceRecord& r);
    void require_allowed(const trace::TraceRecord& r);
    void note_wait(std::uint32_t task, std::int64_t wait_ns);
    TaskView& view(std::uint32_t task);
    void require(bool holds, const trace::TraceRecord& r, const char* what);
    [[nodiscard]] std::string name(std::uint32_t task) const;

    trace::TraceInfo info_;
    std::vector<TaskView> tasks_;
    std::vector<CpuView> cpus_;
    std::vector<std::string> violations_;
    std::int64_t longest_wait_ns_ = 0;
    std::uint32_t longest_waiter_ = trace::kNobody;
};

}  // namespace wakelab::property
