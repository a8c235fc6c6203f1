#include "trace/formats/trace_dat/cpu_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace wakelab::trace {

namespace {

constexpr std::size_t kAllBlocks = 16u << 20;
constexpr std::size_t kLargestBlock = 256u << 10;
constexpr std::int64_t kLatest = std::int64_t{1} << 62;

// Streams ordered by (time, CPU): a binary heap of small keys, so that a comparison touches no stream.
class StreamHeap {
 public:
    explicit StreamHeap(std::vector<CpuStream>& streams) {
        for (std::uint32_t i = 0; i < streams.size(); ++i)
            if (streams[i].next()) keys_.push_back({streams[i].stamp(), i});
        std::ranges::make_heap(keys_, later);
    }
    [[nodiscard]] bool empty() const { return keys_.empty(); }
    [[nodiscard]] std::uint32_t first() const { return keys_[0].stream; }
    // The first stream has moved on.
    void advance(std::uint64_t stamp) {
        keys_[0].stamp = stamp;
        sift_down();
    }
    void remove_first() {
        keys_[0] = keys_.back();
        keys_.pop_back();
        if (!keys_.empty()) sift_down();
    }

 private:
    struct Key {
        std::uint64_t stamp;
        std::uint32_t stream;
    };
    static bool later(const Key& a, const Key& b) {
        return a.stamp != b.stamp ? a.stamp > b.stamp : a.stream > b.stream;
    }
    void sift_down() {
        const Key key = keys_[0];
        std::size_t at = 0;
        for (std::size_t child = 1; child < keys_.size(); child = 2 * at + 1) {
            if (child + 1 < keys_.size() && later(keys_[child], keys_[child + 1])) ++child;
            if (!later(key, keys_[child])) break;
            keys_[at] = keys_[child];
            at = child;
        }
        keys_[at] = key;
    }

    std::vector<Key> keys_;
};

// Counts of events that were not used, by id; names are looked up once at the end.
class SkippedIds {
 public:
    void add(std::uint32_t id) { ++count_[id & 0xffff]; }
    void report(const EventDecoder& decoder, TraceQuality& quality) const {
        for (std::uint32_t id = 0; id < count_.size(); ++id)
            if (count_[id] != 0) quality.skip(decoder.name_of(id), count_[id]);
    }

 private:
    std::vector<std::uint64_t> count_ = std::vector<std::uint64_t>(65536);
};

}  // namespace

std::int64_t ClockScale::to_ns(std::uint64_t stamp) const {
    if (mult != 0) {
        __extension__ using Wide = unsigned __int128;
        const Wide scaled = Wide{stamp} * mult >> (shift & 63);
        stamp = scaled > Wide{static_cast<std::uint64_t>(kLatest)} ? static_cast<std::uint64_t>(kLatest)
                                                                    : static_cast<std::uint64_t>(scaled);
    }
    std::int64_t ns = static_cast<std::int64_t>(std::min<std::uint64_t>(stamp, kLatest));
    if (__builtin_add_overflow(ns, add, &ns)) ns = kLatest;
    return std::clamp<std::int64_t>(ns, 0, kLatest);
}

Result<std::span<const std::byte>> FilePages::next() {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left_, block_bytes_));
    if (wanted == 0) return std::span<const std::byte>{};
    block_.resize(wanted);
    const auto n = input_.read_at(offset_, block_);
    if (!n) return n.error();
    offset_ += *n;
    left_ = *n < wanted ? 0 : left_ - *n;
    return std::span<const std::byte>(block_).first(*n);
}

bool CpuStream::next_page() {
    for (;;) {
        if (block_.empty()) {
            if (!source_) return false;
            const auto block = source_->next();
            if (!block) {
                gap_ = true;
                ++quality_->damaged;
                quality_->notes.push_back(fmt::format("CPU {}: {}", cpu_, block.error().message));
                source_.reset();
                return false;
            }
            block_ = *block;
            if (block_.empty()) return false;
        }
        const std::size_t size = std::min<std::size_t>(layout_.page_bytes, block_.size());
        const auto page = block_.first(size);
        block_ = block_.subspan(size);
        if (size < layout_.page_bytes) gap_ = quality_->truncated = true;
        if (page_.start(layout_, page)) return true;
        gap_ = true;
        ++quality_->damaged;
    }
}

// What is damaged is lost as well: nobody knows what happened there.
bool CpuStream::next() {
    is_loss_ = false;
    while (!page_.next(record_)) {
        if (page_.damaged()) {
            gap_ = true;
            ++quality_->damaged;
        }
        if (next_page()) {
            gap_ |= page_.lost();
            if (!gap_) continue;
            stamp_ = page_.start_stamp();
        } else {
            page_ = {};
            if (!gap_) return false;
        }
        gap_ = false;
        is_loss_ = true;
        return true;
    }
    stamp_ = record_.stamp;
    return true;
}

void merge_streams(std::vector<CpuStream>& streams, const EventDecoder& decoder,
                   Translator& translator) {
    TraceQuality& quality = translator.quality();
    SkippedIds skipped;
    StreamHeap heap(streams);
    KernelEvent event;
    while (!heap.empty()) {
        CpuStream& stream = streams[heap.first()];
        event.ns = stream.ns();
        event.cpu = stream.cpu();
        if (stream.is_loss()) {
            KernelEvent loss;
            loss.ns = event.ns;
            loss.cpu = event.cpu;
            loss.type = KernelEventType::kLost;
            loss.value = static_cast<std::int64_t>(std::min<std::uint64_t>(stream.lost_count(), INT64_MAX));
            translator.add(loss);
        } else {
            switch (decoder.decode(stream.record(), event)) {
                case EventDecoder::Outcome::kDecoded: translator.add(event); break;
                case EventDecoder::Outcome::kDamaged: ++quality.damaged; break;
                default: skipped.add(decoder.id_of(stream.record()));
            }
        }
        if (stream.next()) heap.advance(stream.stamp());
        else heap.remove_first();
    }
    skipped.report(decoder, quality);
}

std::size_t block_bytes(std::size_t cpus, std::uint32_t page_bytes) {
    const std::size_t share = std::min(kAllBlocks / std::max<std::size_t>(cpus, 1), kLargestBlock);
    return std::max<std::size_t>(share / page_bytes, 1) * page_bytes;
}

}  // namespace wakelab::trace
