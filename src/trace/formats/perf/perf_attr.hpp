// The attributes of perf.data (struct perf_event_attr of perf_event_open(2)): what each event's records
// contain, and where. Sizes of all ages: what an attribute is too short to say is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace wakelab::trace {

struct PerfAttr {
    static constexpr std::uint16_t kAbsent = 0xffff;

    std::uint32_t type = 0;  // 2: a tracepoint, whose id is `config`
    std::uint64_t config = 0;
    std::uint64_t sample_type = 0;
    std::uint64_t read_format = 0;
    bool sample_id_all = false;              // other records end in a part of the sample, the trailer
    std::optional<std::int32_t> clock_id;    // nothing: perf's own clock
    std::string name;                        // as perf calls it; empty: not told

    // Offsets in a sample from the record's first byte. `end` is where the fixed fields end.
    std::uint16_t tid_at = kAbsent, time_at = kAbsent, id_at = kAbsent, cpu_at = kAbsent, end = 8;
    // Distances from the end of other records.
    std::uint16_t trailer_tid = kAbsent, trailer_time = kAbsent, trailer_id = kAbsent,
                  trailer_cpu = kAbsent, trailer_size = 0;

    [[nodiscard]] bool is_tracepoint() const { return type == 2; }
    [[nodiscard]] bool has_raw() const;
};

// Nothing: shorter than any attribute there ever was.
[[nodiscard]] std::optional<PerfAttr> parse_perf_attr(std::span<const std::byte> bytes, bool big_endian);

// What a sample tells that matters here.
struct PerfSample {
    std::int64_t ns = -1;    // -1: not told
    std::int32_t tid = -1;   // -1: not told
    std::int64_t cpu = -1;   // -1: not told
    std::span<const std::byte> raw;  // of a tracepoint
};

// `record` with its header. False: it is shorter than its attribute says.
[[nodiscard]] bool parse_perf_sample(const PerfAttr& attr, std::span<const std::byte> record, bool swap,
                                     PerfSample& sample);
// Time, task and CPU of a record that is no sample. `fixed` are the bytes of its own, with the header.
[[nodiscard]] PerfSample parse_perf_trailer(const PerfAttr& attr, std::span<const std::byte> record,
                                            std::size_t fixed, bool swap);

// All attributes of a file, found by the id in a record.
class PerfAttrs {
 public:
    explicit PerfAttrs(bool big_endian) : big_endian_(big_endian) {}
    // False: damaged, or more than kMax.
    bool add(std::span<const std::byte> attr, std::span<const std::byte> ids);

    [[nodiscard]] bool empty() const { return attrs_.empty(); }
    [[nodiscard]] std::vector<PerfAttr>& all() { return attrs_; }
    [[nodiscard]] const std::vector<PerfAttr>& all() const { return attrs_; }
    // Null: the record has an id that no attribute has.
    [[nodiscard]] const PerfAttr* of_sample(std::span<const std::byte> record) const;
    // Never null if there is any: records that perf itself makes up have no id.
    [[nodiscard]] const PerfAttr* of_other(std::span<const std::byte> record) const;

 private:
    static constexpr std::size_t kMax = 65536;  // tracepoints have 16-bit numbers
    [[nodiscard]] const PerfAttr* find(std::uint64_t id) const;

    bool big_endian_;
    bool uniform_ = true;  // all attributes lay out their samples alike
    std::vector<PerfAttr> attrs_;
    std::vector<std::uint16_t> dense_;  // by id: index + 1, 0: none
    std::unordered_map<std::uint64_t, std::uint16_t> sparse_;
};

}  // namespace wakelab::trace
