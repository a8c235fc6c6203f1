// The frame of perf.data around its records (tools/perf/Documentation/perf.data-file-format.txt): header,
// attributes, and the features behind the data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "trace/formats/perf/perf_attr.hpp"
#include "trace/formats/perf/perf_features.hpp"
#include "trace/input.hpp"

namespace wakelab::trace {

struct PerfSection {
    std::uint64_t offset = 0, size = 0;
};

struct PerfFileHeader {
    static constexpr std::size_t kBytes = 104;
    static constexpr std::size_t kPipeBytes = 16;

    bool big_endian = false;
    bool pipe = false;           // records follow at once; the rest is not there
    std::uint64_t attr_size = 0; // of an attribute with the section of its ids
    PerfSection attrs, data;
    std::array<std::uint64_t, 4> features{};

    [[nodiscard]] bool has(std::uint32_t feature) const {
        return (features[feature / 64] >> feature % 64 & 1) != 0;
    }
};

// "PERFILE2" in either byte order.
[[nodiscard]] bool is_perf_file(std::span<const std::byte> head);
// Error: shorter than a header, or its sizes cannot be.
[[nodiscard]] Result<PerfFileHeader> parse_perf_file_header(std::span<const std::byte> head);

// Error: not in the file. Damaged attributes are counted.
[[nodiscard]] Status read_perf_attrs(const Input& input, const PerfFileHeader& header, PerfAttrs& attrs,
                                     TraceQuality& quality);

// At most `limit` bytes of a section; nothing if the file does not hold them.
[[nodiscard]] std::optional<std::vector<std::byte>> read_perf_section(const Input& input, PerfSection section,
                                                                      std::uint64_t limit);
// Where the sections of the features are, by feature; empty: the file ends before them.
[[nodiscard]] std::vector<std::pair<std::uint32_t, PerfSection>> list_perf_features(
    const Input& input, const PerfFileHeader& header);

}  // namespace wakelab::trace
