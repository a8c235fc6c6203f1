#include "trace/formats/perf/perf_file.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "trace/formats/byte_order.hpp"

namespace wakelab::trace {

namespace {

// The number 0x32454c4946524550, so the bytes say in which order numbers are.
constexpr std::string_view kLittleEndianMagic = "PERFILE2";
constexpr std::string_view kBigEndianMagic = "2ELIFREP";
constexpr std::size_t kIdsSection = 16;
constexpr std::uint64_t kMaxAttrBytes = 4096;
constexpr std::uint64_t kMaxAttrsBytes = std::uint64_t{64} << 20;
constexpr std::uint32_t kHostnameFeature = 3;

std::string_view as_text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

PerfSection load_section(const std::byte* at, bool swap) {
    return {.offset = load_u64(at, swap), .size = load_u64(at + 8, swap)};
}

}  // namespace

bool is_perf_file(std::span<const std::byte> head) {
    return as_text(head).starts_with(kLittleEndianMagic) || as_text(head).starts_with(kBigEndianMagic);
}

Result<PerfFileHeader> parse_perf_file_header(std::span<const std::byte> head) {
    PerfFileHeader h;
    if (head.size() < PerfFileHeader::kPipeBytes) return Error{"ends inside its header"};
    h.big_endian = as_text(head).starts_with(kBigEndianMagic);
    const bool swap = needs_swap(h.big_endian);
    const std::uint64_t size = load_u64(head.data() + 8, swap);
    h.pipe = size == PerfFileHeader::kPipeBytes;
    if (h.pipe) return h;
    if (size < PerfFileHeader::kBytes)
        return Error{fmt::format("header of {} bytes; expected {} (file) or {} (pipe)", size,
                                 PerfFileHeader::kBytes, PerfFileHeader::kPipeBytes)};
    if (head.size() < PerfFileHeader::kBytes) return Error{"ends inside its header"};
    h.attr_size = load_u64(head.data() + 16, swap);
    h.attrs = load_section(head.data() + 24, swap);
    h.data = load_section(head.data() + 40, swap);
    for (std::size_t i = 0; i < h.features.size(); ++i)
        h.features[i] = load_u64(head.data() + 72 + 8 * i, swap);
    // A bitmap of longs: on big-endian machines of 32 bits the words stand the other way round. Every file
    // that was closed has a host name.
    if (h.big_endian && !h.has(kHostnameFeature))
        for (std::uint64_t& word : h.features) word = word << 32 | word >> 32;
    if (h.attr_size < 64 + kIdsSection || h.attr_size > kMaxAttrBytes)
        return Error{fmt::format("attributes of {} bytes; expected 80 to {}", h.attr_size, kMaxAttrBytes)};
    return h;
}

std::optional<std::vector<std::byte>> read_perf_section(const Input& input, PerfSection section,
                                                        std::uint64_t limit) {
    if (section.size > limit || section.offset > input.size() ||
        section.size > input.size() - section.offset)
        return std::nullopt;
    std::vector<std::byte> bytes(section.size);
    const auto n = input.read_at(section.offset, bytes);
    if (!n || *n != bytes.size()) return std::nullopt;
    return bytes;
}

Status read_perf_attrs(const Input& input, const PerfFileHeader& header, PerfAttrs& attrs,
                       TraceQuality& quality) {
    const auto table = read_perf_section(input, header.attrs, kMaxAttrsBytes);
    if (!table) return Error{"ends before its attributes"};
    const bool swap = needs_swap(header.big_endian);
    // Ids of all attributes cannot be more than the file is long, however many name the same bytes.
    std::uint64_t ids_left = std::min(input.size(), kMaxAttrsBytes);
    for (std::span<const std::byte> rest(*table); rest.size() >= header.attr_size;
         rest = rest.subspan(header.attr_size)) {
        const std::span<const std::byte> attr = rest.first(header.attr_size - kIdsSection);
        const PerfSection where = load_section(attr.data() + attr.size(), swap);
        const auto ids = read_perf_section(input, where, ids_left);
        if (ids) ids_left -= ids->size();
        if (!ids || !attrs.add(attr, *ids)) ++quality.damaged;
    }
    if (attrs.empty()) return Error{"has no event attributes"};
    return {};
}

std::vector<std::pair<std::uint32_t, PerfSection>> list_perf_features(const Input& input,
                                                                      const PerfFileHeader& header) {
    std::vector<std::pair<std::uint32_t, PerfSection>> list;
    for (std::uint32_t f = 0; f < 256; ++f)
        if (header.has(f)) list.emplace_back(f, PerfSection{});
    // One section after the other, directly behind the data.
    if (header.data.offset > UINT64_MAX - header.data.size) return {};
    const auto table = read_perf_section(
        input, {.offset = header.data.offset + header.data.size, .size = list.size() * 16}, UINT64_MAX);
    if (!table) return {};
    for (std::size_t i = 0; i < list.size(); ++i)
        list[i].second = load_section(table->data() + 16 * i, needs_swap(header.big_endian));
    return list;
}

}  // namespace wakelab::trace
