// A simulated run as a recorder would have seen it: what only the simulator knows is taken out. For
// tests of everything that must work from recordings.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/sink.hpp"

namespace wakelab::trace {

// Leaves out which rule placed a wakee, the sync hint, need_resched, work units, spurious wake-ups and
// timers; why a task was preempted is what Translator makes of it. Names and affinity masks stay, as
// recorders can store them. A CPU of a real system that idles all the time still wakes for housekeeping
// now and then, which tells that it is idle; a simulated one does not, so a kCpuIdle of each CPU
// is put in at the start, when all of them idle.
class AsRecorded final : public TraceSink {
 public:
    // `to` must outlive this.
    explicit AsRecorded(TraceSink& to) : to_(to) {}

    void begin(const TraceInfo& info) override;
    void add_cpus(std::uint32_t cpus) override { to_.add_cpus(cpus); }
    void add_task(std::uint32_t task, std::string_view name) override { to_.add_task(task, name); }
    void rename_task(std::uint32_t task, std::string_view name) override {
        to_.rename_task(task, name);
    }
    void describe_task(std::uint32_t task, const TaskFacts& facts) override {
        to_.describe_task(task, facts);
    }
    void consume(std::span<const TraceRecord> records) override;
    void finish(std::int64_t end_ns) override { to_.finish(end_ns); }

 private:
    struct Woken {
        std::int64_t ns = INT64_MIN;  // queued by a wake-up since; INT64_MIN: not
        bool by_task = false;
    };

    Woken& woken(std::uint32_t task) {
        if (woken_.size() <= task) woken_.resize(task + 1);
        return woken_[task];
    }
    void add_switch(TraceRecord record);

    TraceSink& to_;
    std::vector<TraceRecord> out_;
    std::vector<Woken> woken_;            // by task
    std::vector<std::int64_t> since_ns_;  // by CPU: its current task runs
    bool started_ = false;
};

}  // namespace wakelab::trace
