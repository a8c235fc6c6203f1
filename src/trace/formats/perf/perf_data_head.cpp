#include "trace/formats/perf/perf_data_head.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "trace/formats/byte_builder.hpp"
#include "trace/formats/perf/perf_file.hpp"

namespace wakelab::trace {

namespace {

constexpr std::uint64_t kMagic = 0x32454c4946524550;  // "PERFILE2"
constexpr std::uint64_t kNameAlignment = 64;          // NAME_ALIGN of tools/perf/util/header.c

std::string event_description(const PerfDataHead& head) {
    ByteBuilder out;
    out.number(static_cast<std::uint32_t>(head.events.size()));
    out.number(static_cast<std::uint32_t>(head.events.front().attr.size()));
    for (const PerfDataHead::Event& e : head.events) {
        out.raw(e.attr);
        out.number(static_cast<std::uint32_t>(e.ids.size()));
        out.raw(perf_string(e.name));
        for (const std::uint64_t id : e.ids) out.number(id);
    }
    return out.take();
}

using Features = std::vector<std::pair<PerfFeature, std::string>>;

Features all_features(const PerfDataHead& head) {
    Features all = head.features;
    all.emplace_back(PerfFeature::kEventDesc, event_description(head));
    std::sort(all.begin(), all.end());  // the table goes by their numbers
    return all;
}

std::uint64_t bytes_of_ids(const PerfDataHead& head) {
    std::uint64_t bytes = 0;
    for (const PerfDataHead::Event& e : head.events) bytes += 8 * e.ids.size();
    return bytes;
}

// With the section of its ids.
std::uint64_t entry_bytes(const PerfDataHead& head) {
    return head.events.front().attr.size() + 16;
}

std::uint64_t attrs_at(const PerfDataHead& head) {
    return PerfFileHeader::kBytes + bytes_of_ids(head);
}

std::uint64_t data_at(const PerfDataHead& head) {
    return attrs_at(head) + entry_bytes(head) * head.events.size();
}

}  // namespace

std::string perf_string(std::string_view text) {
    ByteBuilder out;
    const std::uint64_t size =
        (text.size() + 1 + kNameAlignment - 1) / kNameAlignment * kNameAlignment;
    out.number(static_cast<std::uint32_t>(size));
    out.raw(text);
    for (std::uint64_t n = text.size(); n < size; ++n) out.number(char{0});
    return out.take();
}

std::string perf_data_head(const PerfDataHead& head) {
    WK_CHECK(!head.events.empty());
    std::array<std::uint64_t, 4> bitmap{};
    for (const auto& [feature, bytes] : all_features(head)) {
        const auto number = static_cast<std::uint32_t>(feature);
        bitmap[number / 64] |= std::uint64_t{1} << number % 64;
    }
    ByteBuilder out;
    out.number(kMagic);
    out.number(std::uint64_t{PerfFileHeader::kBytes});
    out.number(entry_bytes(head));
    out.number(attrs_at(head));
    out.number(entry_bytes(head) * head.events.size());
    out.number(data_at(head));
    out.number(head.data_bytes);
    out.number(
        std::uint64_t{0});  // a section of event types, which no perf has written since 2.6.32
    out.number(std::uint64_t{0});
    for (const std::uint64_t word : bitmap) out.number(word);
    for (const PerfDataHead::Event& e : head.events)
        for (const std::uint64_t id : e.ids) out.number(id);
    std::uint64_t ids_at = PerfFileHeader::kBytes;
    for (const PerfDataHead::Event& e : head.events) {
        WK_CHECK(e.attr.size() + 16 == entry_bytes(head));
        out.raw(e.attr);
        out.number(ids_at);
        out.number(std::uint64_t{8 * e.ids.size()});
        ids_at += 8 * e.ids.size();
    }
    WK_CHECK(out.size() == data_at(head) && out.size() % 8 == 0);
    return out.take();
}

std::string perf_data_tail(const PerfDataHead& head) {
    const Features features = all_features(head);
    ByteBuilder out;
    std::uint64_t at = data_at(head) + head.data_bytes + 16 * features.size();
    for (const auto& [feature, bytes] : features) {
        out.number(at);
        out.number(std::uint64_t{bytes.size()});
        at += bytes.size();
    }
    for (const auto& [feature, bytes] : features) out.raw(bytes);
    return out.take();
}

}  // namespace wakelab::trace
