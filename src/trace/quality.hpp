// What stands next to every number of a recording: what was read, what was not understood, what is
// missing, and what had to be guessed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "trace/kernel_event.hpp"

namespace wakelab::trace {

struct TraceQuality {
    // Filled by readers. Empty or 0: the file does not say.
    std::string format;         // "trace.dat v6", "perf.data", "ftrace text"
    std::string clock;          // "mono", "perf", "local"
    std::string kernel;         // release
    std::string hostname;
    std::string architecture;
    std::int64_t resolution_ns = 1;  // of timestamps: 1000 for text with six digits
    std::map<std::string, std::uint64_t> skipped;  // events without meaning here, by name
    std::uint64_t damaged = 0;       // records or lines that could not be decoded
    bool truncated = false;          // the file ends in the middle of something
    std::vector<std::string> notes;  // other things a reader of numbers must know, one sentence each

    // Filled by the Translator.
    std::array<std::uint64_t, kKernelEventTypeCount> events{};
    std::uint64_t lost_events = 0;   // as far as recorders say how many
    std::uint64_t gaps = 0;          // times that a CPU lost events
    std::uint64_t out_of_order = 0;  // events earlier than one before; taken as simultaneous
    std::uint64_t bad_cpu = 0;       // CPU number beyond kMaxCpus; ignored
    std::uint64_t inferred_migrations = 0;  // switched in where it was not queued
    std::uint64_t inferred_wakeups = 0;     // only sched_waking was recorded

    static constexpr std::size_t kMaxSkippedNames = 1000;  // of a damaged file; the rest shares one

    void skip(const std::string& name, std::uint64_t count = 1) {
        skipped[skipped.size() < kMaxSkippedNames || skipped.contains(name) ? name : "others"] += count;
    }
    [[nodiscard]] std::uint64_t count(KernelEventType type) const {
        return events[static_cast<std::size_t>(type)];
    }
    [[nodiscard]] std::uint64_t total_events() const {
        std::uint64_t n = 0;
        for (const std::uint64_t e : events) n += e;
        return n - count(KernelEventType::kLost);
    }
};

}  // namespace wakelab::trace
