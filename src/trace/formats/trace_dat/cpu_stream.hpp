// The events of one CPU in the order in which it recorded them, from its ring-buffer pages, wherever these
// lie; and the events of all CPUs in time order.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "trace/formats/event_decoder.hpp"
#include "trace/formats/trace_dat/ring_buffer_page.hpp"
#include "trace/input.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

// Where the pages of a CPU come from, in order.
class PageSource {
 public:
    virtual ~PageSource() = default;
    // The next bytes: whole pages but for the end of a file that was cut off. Empty: no more. Valid until
    // the next call. Error: cannot be read or unpacked; what came before is good.
    virtual Result<std::span<const std::byte>> next() = 0;
};

// A part of a file.
class FilePages final : public PageSource {
 public:
    // `input` must be seekable and outlive this. Reads `block_bytes` at a time, a multiple of the page.
    FilePages(const Input& input, std::uint64_t offset, std::uint64_t size, std::size_t block_bytes)
        : input_(input), offset_(offset), left_(size), block_bytes_(block_bytes) {}
    Result<std::span<const std::byte>> next() override;

 private:
    const Input& input_;
    std::uint64_t offset_, left_;
    std::size_t block_bytes_;
    std::vector<std::byte> block_;
};

// A trace clock to nanoseconds: ((t * mult) >> shift) + add. mult 0: t is ns.
struct ClockScale {
    std::uint32_t mult = 0;
    std::uint32_t shift = 0;
    std::int64_t add = 0;

    // Clamped to 0 .. 2^62, so that sums of two cannot overflow.
    [[nodiscard]] std::int64_t to_ns(std::uint64_t stamp) const;
};

class CpuStream {
 public:
    // `quality` takes what is damaged, and must outlive this.
    CpuStream(std::uint32_t cpu, const RingBufferLayout& layout, const ClockScale& scale,
              std::unique_ptr<PageSource> source, TraceQuality& quality)
        : cpu_(cpu), layout_(layout), scale_(scale), source_(std::move(source)), quality_(&quality) {}

    // To the next event, or the report that some are missing; false at the end.
    bool next();

    [[nodiscard]] std::uint32_t cpu() const { return cpu_; }
    [[nodiscard]] std::int64_t ns() const { return scale_.to_ns(stamp_); }
    // Of the trace clock: as ns(), but before the scale, which may make several of them one nanosecond.
    [[nodiscard]] std::uint64_t stamp() const { return stamp_; }
    // Not an event: `lost_count` are missing here (0: not known how many).
    [[nodiscard]] bool is_loss() const { return is_loss_; }
    [[nodiscard]] std::uint64_t lost_count() const { return page_.lost_count(); }
    [[nodiscard]] std::span<const std::byte> record() const { return record_.bytes; }

 private:
    bool next_page();

    std::uint32_t cpu_;
    RingBufferLayout layout_;
    ClockScale scale_;
    std::unique_ptr<PageSource> source_;
    TraceQuality* quality_;
    std::span<const std::byte> block_;
    RingBufferPage page_;
    RingBufferRecord record_;
    std::uint64_t stamp_ = 0;
    bool is_loss_ = false;
    bool gap_ = false;  // something is missing before the next event
};

// Hands the events of all streams to the translator in time order, equal times by CPU number. Events that are
// not needed are counted by name in the translator's quality, those that cannot be decoded as damaged.
void merge_streams(std::vector<CpuStream>& streams, const EventDecoder& decoder, Translator& translator);

// Bytes to read at a time for one of `cpus` CPUs, so that memory does not grow with their number.
[[nodiscard]] std::size_t block_bytes(std::size_t cpus, std::uint32_t page_bytes);

}  // namespace wakelab::trace
