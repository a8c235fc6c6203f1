#include "trace/formats/trace_dat/ring_buffer_page.hpp"

#include "base/text.hpp"
#include "trace/formats/byte_order.hpp"
#include "trace/formats/event_format.hpp"

namespace wakelab::trace {

namespace {

// kernel/trace/ring_buffer.c: flags beside the commit count, the same bits for both sizes of local_t.
constexpr std::uint64_t kMissedEvents = 1u << 31;
constexpr std::uint64_t kMissedStored = 1u << 30;
static_assert((kMissedEvents | kMissedStored) == kRingBufferPageFlags);
constexpr std::uint64_t kCommitMask = (1u << 27) - 1;

// include/linux/ring_buffer.h, enum ring_buffer_type; below: data of type_len * 4 bytes, 0: length follows.
constexpr std::uint32_t kPadding = 29;
constexpr std::uint32_t kTimeExtend = 30;
constexpr std::uint32_t kTimeStamp = 31;
constexpr int kDeltaBits = 27;
// rb_fix_abs_ts: an absolute stamp has 59 bits, the rest is that of the time before.
constexpr std::uint64_t kStampMsb = 0xf8ull << 56;

}  // namespace

Result<RingBufferLayout> parse_ring_buffer_layout(std::string_view header_page, bool big_endian) {
    RingBufferLayout layout{.big_endian = big_endian};
    bool has_timestamp = false, has_commit = false, has_data = false;
    for (const EventField& field : parse_fields(header_page)) {
        if (field.offset > kMaxPageBytes || field.size > kMaxPageBytes)
            return Error{"header_page: field " + printable(field.name) + " beyond any page"};
        if (field.name == "timestamp" && field.size == 8) {
            layout.timestamp_offset = field.offset;
            has_timestamp = true;
        } else if (field.name == "commit" && (field.size == 4 || field.size == 8)) {
            layout.commit_offset = field.offset;
            layout.commit_bytes = field.size;
            has_commit = true;
        } else if (field.name == "data") {
            layout.data_offset = field.offset;
            layout.page_bytes = field.offset + field.size;
            has_data = true;
        }
    }
    if (!has_timestamp || !has_commit || !has_data)
        return Error{"header_page: expected the fields timestamp, commit and data"};
    if (layout.timestamp_offset + 8 > layout.data_offset ||
        layout.commit_offset + layout.commit_bytes > layout.data_offset ||
        layout.data_offset >= layout.page_bytes)
        return Error{"header_page: expected timestamp and commit before data"};
    return layout;
}

bool RingBufferPage::start(const RingBufferLayout& layout, std::span<const std::byte> page) {
    *this = {};
    swap_ = needs_swap(layout.big_endian);
    big_endian_ = layout.big_endian;
    if (page.size() <= layout.data_offset) return false;
    start_stamp_ = stamp_ = load_u64(page.data() + layout.timestamp_offset, swap_);
    const std::byte* at = page.data() + layout.commit_offset;
    const std::uint64_t commit = layout.commit_bytes == 8 ? load_u64(at, swap_) : load_u32(at, swap_);
    const std::uint64_t used = commit & kCommitMask;
    if (used > page.size() - layout.data_offset) return false;
    data_ = page.subspan(layout.data_offset, used);
    lost_ = (commit & kMissedEvents) != 0;
    const std::size_t rest = page.size() - layout.data_offset - used;
    if (lost_ && (commit & kMissedStored) != 0 && rest >= layout.commit_bytes) {
        const std::byte* stored = data_.data() + used;
        lost_count_ = layout.commit_bytes == 8 ? load_u64(stored, swap_) : load_u32(stored, swap_);
    }
    return true;
}

bool RingBufferPage::next(RingBufferRecord& record) {
    while (data_.size() - at_ >= 4) {
        const std::uint32_t head = load_u32(data_.data() + at_, swap_);
        // Bit fields of the kernel: their order follows the byte order of the machine.
        const std::uint32_t type = big_endian_ ? head >> kDeltaBits : head & 0x1f;
        const std::uint32_t delta = big_endian_ ? head & ((1u << kDeltaBits) - 1) : head >> 5;
        at_ += 4;
        std::size_t length = std::size_t{type} * 4;
        if (type == 0 || type >= kPadding) {
            if (type == kPadding && delta == 0) break;  // nothing more in this page
            if (data_.size() - at_ < 4) {
                damaged_ = true;
                break;
            }
            const std::uint64_t word = load_u32(data_.data() + at_, swap_);
            if (type == kTimeExtend) {
                at_ += 4;
                stamp_ += (word << kDeltaBits) + delta;
                continue;
            }
            if (type == kTimeStamp) {
                at_ += 4;
                std::uint64_t stamp = (word << kDeltaBits) + delta;
                if ((stamp_ & kStampMsb) != 0) {
                    stamp |= stamp_ & kStampMsb;
                    if (stamp < stamp_) stamp += 1ull << 59;
                }
                stamp_ = stamp;
                continue;
            }
            // Both lengths include the word that tells them.
            length = (word + 3) & ~3ull;
            if (word < 4 || length > data_.size() - at_) {
                damaged_ = true;
                break;
            }
            if (type == kPadding) {  // a discarded event; its time counts
                stamp_ += delta;
                at_ += length;
                continue;
            }
            at_ += 4;
            length -= 4;
        } else if (length > data_.size() - at_) {
            damaged_ = true;
            break;
        }
        stamp_ += delta;
        record.stamp = stamp_;
        record.bytes = data_.subspan(at_, length);
        at_ += length;
        return true;
    }
    at_ = data_.size();
    return false;
}

}  // namespace wakelab::trace
