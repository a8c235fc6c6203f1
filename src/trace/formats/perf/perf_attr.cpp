#include "trace/formats/perf/perf_attr.hpp"

#include <algorithm>

#include "trace/formats/byte_order.hpp"

namespace wakelab::trace {

namespace {

// enum perf_event_sample_format, include/uapi/linux/perf_event.h.
enum SampleBit : std::uint64_t {
    kIp = 1u << 0, kTid = 1u << 1, kTime = 1u << 2, kAddr = 1u << 3, kRead = 1u << 4,
    kCallchain = 1u << 5, kId = 1u << 6, kCpu = 1u << 7, kPeriod = 1u << 8, kStreamId = 1u << 9,
    kRaw = 1u << 10, kIdentifier = 1u << 16,
};
enum ReadBit : std::uint64_t { kEnabled = 1, kRunning = 2, kReadId = 4, kGroup = 8, kReadLost = 16 };

constexpr std::size_t kSmallestAttr = 64;  // PERF_ATTR_SIZE_VER0
constexpr std::uint64_t kDenseIds = 1u << 20;

// The fixed fields lie in this order, 8 bytes each; IDENTIFIER comes first, whatever its bit.
void lay_out_sample(PerfAttr& a) {
    std::uint16_t at = 8;
    const auto field = [&](std::uint64_t bit) {
        if ((a.sample_type & bit) == 0) return PerfAttr::kAbsent;
        at = static_cast<std::uint16_t>(at + 8);
        return static_cast<std::uint16_t>(at - 8);
    };
    const std::uint16_t identifier = field(kIdentifier);
    field(kIp);
    a.tid_at = field(kTid);
    a.time_at = field(kTime);
    field(kAddr);
    const std::uint16_t id = field(kId);
    field(kStreamId);
    a.cpu_at = field(kCpu);
    field(kPeriod);
    a.id_at = identifier != PerfAttr::kAbsent ? identifier : id;
    a.end = at;
}

// TID, TIME, ID, STREAM_ID, CPU, IDENTIFIER in this order, so from the end the other way round.
void lay_out_trailer(PerfAttr& a) {
    if (!a.sample_id_all) return;
    std::uint16_t distance = 0;
    const auto field = [&](std::uint64_t bit) {
        if ((a.sample_type & bit) == 0) return PerfAttr::kAbsent;
        distance = static_cast<std::uint16_t>(distance + 8);
        return distance;
    };
    const std::uint16_t identifier = field(kIdentifier);
    a.trailer_cpu = field(kCpu);
    field(kStreamId);
    const std::uint16_t id = field(kId);
    a.trailer_time = field(kTime);
    a.trailer_tid = field(kTid);
    a.trailer_id = identifier != PerfAttr::kAbsent ? identifier : id;
    a.trailer_size = distance;
}

// Where what follows the counter values begins; nothing: beyond the record.
std::optional<std::size_t> skip_read(const PerfAttr& a, std::span<const std::byte> record, std::size_t at,
                                     bool swap) {
    const std::uint64_t f = a.read_format;
    const std::size_t times = ((f & kEnabled) != 0 ? 8 : 0) + ((f & kRunning) != 0 ? 8 : 0);
    const std::size_t value = 8 + ((f & kReadId) != 0 ? 8 : 0) + ((f & kReadLost) != 0 ? 8 : 0);
    if ((f & kGroup) == 0) return at + times + value;
    if (record.size() - at < 8) return std::nullopt;
    const std::uint64_t count = load_u64(record.data() + at, swap);
    if (count > record.size() / 8) return std::nullopt;
    return at + 8 + times + count * value;
}

std::int32_t load_i32(const std::byte* at, bool swap) {
    return static_cast<std::int32_t>(load_u32(at, swap));
}

}  // namespace

bool PerfAttr::has_raw() const {
    return (sample_type & kRaw) != 0;
}

std::optional<PerfAttr> parse_perf_attr(std::span<const std::byte> bytes, bool big_endian) {
    if (bytes.size() < kSmallestAttr) return std::nullopt;
    const bool swap = needs_swap(big_endian);
    PerfAttr a;
    a.type = load_u32(bytes.data(), swap);
    a.config = load_u64(bytes.data() + 8, swap);
    a.sample_type = load_u64(bytes.data() + 24, swap);
    a.read_format = load_u64(bytes.data() + 32, swap);
    // C bit fields begin at the most significant bit on big-endian machines.
    const std::uint64_t flags = load_u64(bytes.data() + 40, swap);
    const auto flag = [&](int n) { return (flags >> (big_endian ? 63 - n : n) & 1) != 0; };
    a.sample_id_all = flag(18);
    if (flag(25) && bytes.size() >= 96) a.clock_id = load_i32(bytes.data() + 92, swap);
    lay_out_sample(a);
    lay_out_trailer(a);
    return a;
}

bool parse_perf_sample(const PerfAttr& a, std::span<const std::byte> record, bool swap, PerfSample& s) {
    if (record.size() < a.end) return false;
    const std::byte* const data = record.data();
    s.ns = a.time_at != PerfAttr::kAbsent ? static_cast<std::int64_t>(load_u64(data + a.time_at, swap)) : -1;
    s.tid = a.tid_at != PerfAttr::kAbsent ? load_i32(data + a.tid_at + 4, swap) : -1;
    s.cpu = a.cpu_at != PerfAttr::kAbsent ? load_u32(data + a.cpu_at, swap) : -1;
    s.raw = {};
    if (!a.has_raw()) return true;
    std::size_t at = a.end;
    if ((a.sample_type & kRead) != 0) {
        const auto next = skip_read(a, record, at, swap);
        if (!next || *next > record.size()) return false;
        at = *next;
    }
    if ((a.sample_type & kCallchain) != 0) {
        if (record.size() - at < 8) return false;
        const std::uint64_t callers = load_u64(data + at, swap);
        if (callers > (record.size() - at - 8) / 8) return false;
        at += 8 + callers * 8;
    }
    if (record.size() - at < 4) return false;
    const std::uint32_t size = load_u32(data + at, swap);
    if (size > record.size() - at - 4) return false;
    s.raw = record.subspan(at + 4, size);
    return true;
}

PerfSample parse_perf_trailer(const PerfAttr& a, std::span<const std::byte> record, std::size_t fixed,
                              bool swap) {
    PerfSample s;
    if (!a.sample_id_all || record.size() < fixed + a.trailer_size) return s;
    const std::byte* const end = record.data() + record.size();
    if (a.trailer_time != PerfAttr::kAbsent)
        s.ns = static_cast<std::int64_t>(load_u64(end - a.trailer_time, swap));
    if (a.trailer_tid != PerfAttr::kAbsent) s.tid = load_i32(end - a.trailer_tid + 4, swap);
    if (a.trailer_cpu != PerfAttr::kAbsent) s.cpu = load_u32(end - a.trailer_cpu, swap);
    return s;
}

bool PerfAttrs::add(std::span<const std::byte> bytes, std::span<const std::byte> ids) {
    const auto attr = parse_perf_attr(bytes, big_endian_);
    if (!attr || attrs_.size() == kMax - 1) return false;
    attrs_.push_back(*attr);
    const PerfAttr& first = attrs_.front();
    uniform_ = uniform_ && attr->sample_type == first.sample_type && attr->type == first.type &&
               attr->read_format == first.read_format && attr->sample_id_all == first.sample_id_all;
    const auto index = static_cast<std::uint16_t>(attrs_.size());
    for (; ids.size() >= 8; ids = ids.subspan(8)) {
        const std::uint64_t id = load_u64(ids.data(), needs_swap(big_endian_));
        if (id >= kDenseIds) {
            sparse_[id] = index;
            continue;
        }
        if (id >= dense_.size()) dense_.resize(std::max<std::size_t>(id + 1, dense_.size() * 2));
        dense_[id] = index;
    }
    return true;
}

const PerfAttr* PerfAttrs::find(std::uint64_t id) const {
    if (id < dense_.size()) return dense_[id] != 0 ? &attrs_[dense_[id] - 1u] : nullptr;
    const auto at = sparse_.find(id);
    return at != sparse_.end() ? &attrs_[at->second - 1u] : nullptr;
}

// The id lies at the same place in the samples of all attributes, or perf refuses to record.
const PerfAttr* PerfAttrs::of_sample(std::span<const std::byte> record) const {
    if (uniform_) return attrs_.empty() ? nullptr : &attrs_.front();
    const std::uint16_t at = attrs_.front().id_at;
    if (at == PerfAttr::kAbsent) return &attrs_.front();
    if (record.size() < at + 8u) return nullptr;
    return find(load_u64(record.data() + at, needs_swap(big_endian_)));
}

const PerfAttr* PerfAttrs::of_other(std::span<const std::byte> record) const {
    if (attrs_.empty()) return nullptr;
    const PerfAttr& first = attrs_.front();
    if (uniform_ || first.trailer_id == PerfAttr::kAbsent || record.size() < 8u + first.trailer_id)
        return &first;
    const PerfAttr* found = find(
        load_u64(record.data() + record.size() - first.trailer_id, needs_swap(big_endian_)));
    return found != nullptr ? found : &first;
}

}  // namespace wakelab::trace
