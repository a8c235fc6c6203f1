// What rt-app logs for every pass of a phase, and a table of it for readers. All times in ns
// (rt-app writes us).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/time.hpp"

namespace wakelab::work::rtapp {

struct PassRecord {
    std::uint32_t thread = 0;  // rt-app's idx: number of the thread in the order of creation
    Time start;
    Time end;
    Duration run;        // wall time of run and runtime events, preemption included
    Duration slack;      // expiry of the last timer minus its call; negative: too late.
                         // All timers of the pass added up with cumulative_slack
    Duration wu_lat;     // from expiry until the thread runs again, all timers of the pass
    bool timed = false;  // the pass used a timer; else slack and wu_lat mean nothing

    [[nodiscard]] Duration period() const { return end - start; }
};

// The first records up to a cap fixed at the start, so a run neither allocates nor grows without
// bound.
class PassLog {
 public:
    explicit PassLog(std::size_t cap) : cap_(cap) {}
    // Allocates; before the run.
    void reserve() { records_.reserve(cap_); }
    void add(const PassRecord& record);
    [[nodiscard]] std::span<const PassRecord> records() const { return records_; }
    // Passes that came after the cap.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
    std::size_t cap_;
    std::vector<PassRecord> records_;
    std::uint64_t dropped_ = 0;
};

// A line per thread in us: passes, mean run and period, slack (min, mean), wu_lat (p50, max).
// `names` by thread number.
[[nodiscard]] std::string render_pass_log(const PassLog& log, std::span<const std::string> names);

}  // namespace wakelab::work::rtapp
