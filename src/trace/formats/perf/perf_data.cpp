#include "trace/formats/perf/perf_data.hpp"

#include <algorithm>

#include "trace/formats/byte_order.hpp"
#include "trace/formats/perf/perf_file.hpp"
#include "trace/formats/perf/perf_records.hpp"

namespace wakelab::trace {

namespace {

constexpr std::uint64_t kMaxFeatureBytes = std::uint64_t{64} << 20;

Status read_pipe(Input& input, const PerfFileHeader& header, PerfRecords& records) {
    std::array<std::byte, PerfFileHeader::kPipeBytes> skipped{};
    const auto n = input.read(skipped);
    if (!n) return n.error();
    PerfRecordStream stream(input, needs_swap(header.big_endian));
    return records.read(stream);
}

Status read_file(Input& input, const PerfFileHeader& header, PerfRecords& records,
                 TraceQuality& quality) {
    if (Status s = input.make_seekable(); !s) return s;
    if (Status s = read_perf_attrs(input, header, records.attrs(), quality); !s) return s;
    bool has_features = false;
    for (const auto& [number, section] : list_perf_features(input, header)) {
        has_features = true;
        const auto bytes = read_perf_section(input, section, kMaxFeatureBytes);
        if (!bytes)
            quality.truncated = true;
        else if (number == static_cast<std::uint32_t>(PerfFeature::kTracingData))
            records.take_formats(*bytes);
        else
            records.take_feature(static_cast<PerfFeature>(number), *bytes);
    }
    // perf record writes sizes and features when it ends.
    if (!has_features || header.data.size == 0) {
        quality.truncated = true;
        quality.notes.emplace_back(
            "perf record was not ended in an orderly way: what it writes at its end is missing.");
    }
    const std::uint64_t begin = header.data.offset;
    const std::uint64_t end = header.data.size == 0 || begin > UINT64_MAX - header.data.size
                                  ? UINT64_MAX
                                  : begin + header.data.size;
    PerfRecordStream stream(input, needs_swap(header.big_endian), begin, std::min(end, input.size()));
    if (end != UINT64_MAX && end > input.size()) quality.truncated = true;
    return records.read(stream);
}

}  // namespace

bool is_perf_data(std::span<const std::byte> head) {
    return is_perf_file(head);
}

Status read_perf_data(Input& input, Translator& translator) {
    const auto header = parse_perf_file_header(input.head());
    if (!header) return Error{input.name() + ": perf.data: " + header.error().message};
    PerfRecords records(translator, header->big_endian);
    Status s = header->pipe ? read_pipe(input, *header, records)
                            : read_file(input, *header, records, translator.quality());
    if (!s) return Error{input.name() + ": perf.data: " + s.error().message};
    return {};
}

}  // namespace wakelab::trace
