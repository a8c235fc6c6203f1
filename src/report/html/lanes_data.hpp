// Slices and wake-ups of a run as web/lanes_data.js reads them: numbers relative to the one before,
// as unsigned LEB128, in base64. About 7 bytes a slice and 10 an arrow in the page.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/slice_store.hpp"
#include "metrics/task_groups.hpp"

namespace wakelab::report::html {

using HtmlSink = std::function<void(std::string_view)>;

// Bytes in, lines of base64 out.
class Base64Writer {
 public:
    explicit Base64Writer(const HtmlSink& sink) : sink_(sink) {}

    void byte(std::uint8_t value);
    // Unsigned LEB128.
    void number(std::uint64_t value);
    // The padding; nothing may follow.
    void finish();

 private:
    static constexpr std::size_t kLine = 4096;
    void put(std::uint32_t bits, int characters);

    const HtmlSink& sink_;
    std::string line_;
    std::uint32_t pending_ = 0;
    int pending_bytes_ = 0;
};

// Tasks that have a slice or an arrow, renumbered in order of their group.
struct LaneTasks {
    std::vector<std::uint32_t> order;      // page number -> task
    std::vector<std::uint32_t> number;     // task -> page number; by task id
    std::vector<std::uint32_t> group;      // by page number, into group_names
    std::vector<std::string> group_names;  // most CPU time first; bytes
};
[[nodiscard]] LaneTasks lane_tasks(const metrics::Lanes& lanes, const metrics::TaskGroups& groups);

// Three <script> elements of data: #lanes-info (JSON), #lanes-slices, #lanes-arrows.
// `names`: by task id, bytes.
void write_lanes_data(const metrics::Lanes& lanes, const LaneTasks& tasks,
                      const std::vector<std::string>& names, const HtmlSink& sink);

}  // namespace wakelab::report::html
