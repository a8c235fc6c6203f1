// The first scheduling events of a run as lines a person can check against the rules of the
// scheduler.
#pragma once

#include <string>
#include <vector>

#include "trace/sink.hpp"

namespace wakelab::golden {

// Writes the first `max_lines` events at or after the start of the counted part, e.g.
//   53.958 us  cpu1  wakeup   pgbench -> postgres-3, sync: was on cpu3, rule affine, balanced
class Timeline final : public trace::TraceSink {
 public:
    explicit Timeline(std::size_t max_lines) : max_lines_(max_lines) {}
    void begin(const trace::TraceInfo& info) override { info_ = info; }
    void consume(std::span<const trace::TraceRecord> records) override;
    [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
    [[nodiscard]] std::string name(std::uint32_t task) const;
    [[nodiscard]] std::string describe(const trace::TraceRecord& record) const;

    std::size_t max_lines_;
    trace::TraceInfo info_;
    std::vector<std::string> lines_;
};

}  // namespace wakelab::golden
