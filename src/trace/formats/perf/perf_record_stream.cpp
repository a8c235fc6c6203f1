#include "trace/formats/perf/perf_record_stream.hpp"

#include <zstd.h>

#include <algorithm>
#include <cstring>

#include "trace/formats/byte_order.hpp"

namespace wakelab::trace {

namespace {

constexpr std::size_t kHeader = 8;  // u32 type, u16 misc, u16 size

void free_zstd(ZSTD_DCtx_s* context) {
    ZSTD_freeDCtx(context);
}

PerfRecord record_at(const std::byte* at, std::size_t size, bool swap) {
    return {.type = static_cast<PerfRecordType>(load_u32(at, swap)), .misc = load_u16(at + 4, swap),
            .bytes = {at, size}};
}

}  // namespace

PerfRecordStream::PerfRecordStream(Input& input, bool swap)
    : input_(input), swap_(swap), sequential_(true), buffer_(kBuffer), zstd_(nullptr, free_zstd) {}

PerfRecordStream::PerfRecordStream(Input& input, bool swap, std::uint64_t begin, std::uint64_t end)
    : input_(input), swap_(swap), sequential_(false), position_(begin), limit_(end), buffer_(kBuffer),
      zstd_(nullptr, free_zstd) {}

PerfRecordStream::~PerfRecordStream() = default;

// At least `needed` (at most kBuffer) bytes at begin_. False: there are not that many.
bool PerfRecordStream::fill(std::size_t needed) {
    if (end_ - begin_ >= needed) return true;
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (at_end_) return false;
    std::span<std::byte> room = std::span(buffer_).subspan(end_);
    if (!sequential_)
        room = room.first(std::min<std::uint64_t>(room.size(), limit_ - std::min(limit_, position_)));
    const auto n = sequential_ ? input_.read(room) : input_.read_at(position_, room);
    if (!n) error_ = n.error();
    const std::size_t got = n ? *n : 0;
    at_end_ = got < room.size() || room.empty();
    position_ += got;
    end_ += got;
    return end_ - begin_ >= needed;
}

PerfRecordStream::Outcome PerfRecordStream::next(PerfRecord& record) {
    while (true) {
        if (plain_end_ != plain_begin_ || !packed_.empty() || more_plain_) {
            const Outcome outcome = next_plain(record);
            if (outcome != Outcome::kEnd) return outcome;
        }
        const Outcome outcome = next_raw(record);
        if (outcome == Outcome::kEnd && plain_end_ != plain_begin_) return Outcome::kTruncated;
        if (outcome != Outcome::kRecord || (record.type != PerfRecordType::kCompressed &&
                                            record.type != PerfRecordType::kCompressed2))
            return outcome;
        start_decompression(record);
    }
}

PerfRecordStream::Outcome PerfRecordStream::next_raw(PerfRecord& record) {
    if (!fill(kHeader)) {
        if (!error_.message.empty()) return Outcome::kReadError;
        return begin_ == end_ ? Outcome::kEnd : Outcome::kTruncated;
    }
    const std::size_t size = load_u16(buffer_.data() + begin_ + 6, swap_);
    if (size < kHeader) return Outcome::kDamaged;
    if (!fill(size)) return error_.message.empty() ? Outcome::kTruncated : Outcome::kReadError;
    record = record_at(buffer_.data() + begin_, size, swap_);
    begin_ += size;
    return Outcome::kRecord;
}

// kEnd: no whole record is left of what the compressed records so far hold.
PerfRecordStream::Outcome PerfRecordStream::next_plain(PerfRecord& record) {
    while (true) {
        const std::size_t held = plain_end_ - plain_begin_;
        if (held >= kHeader) {
            const std::byte* const at = plain_.data() + plain_begin_;
            const std::size_t size = load_u16(at + 6, swap_);
            if (size < kHeader) return Outcome::kDamaged;
            if (held >= size) {
                record = record_at(at, size, swap_);
                plain_begin_ += size;
                return Outcome::kRecord;
            }
        }
        if (!decompress()) return Outcome::kEnd;
    }
}

// A payload of a stream that goes through all compressed records: a record may begin in one of them and
// end in the next.
void PerfRecordStream::start_decompression(const PerfRecord& record) {
    if (damaged_compressed_ != 0) {
        ++damaged_compressed_;
        return;
    }
    packed_ = record.bytes.subspan(kHeader);
    if (record.type == PerfRecordType::kCompressed2) {  // its size, and padding behind it
        const std::uint64_t size = packed_.size() < 8 ? 0 : load_u64(packed_.data(), swap_);
        packed_ = packed_.subspan(std::min<std::size_t>(8, packed_.size()));
        packed_ = packed_.first(std::min<std::uint64_t>(size, packed_.size()));
    }
    if (zstd_ == nullptr) {
        zstd_.reset(ZSTD_createDCtx());
        WK_CHECK(zstd_ != nullptr);
        plain_.resize(kBuffer);
    }
}

// False: no new bytes.
bool PerfRecordStream::decompress() {
    if (packed_.empty() && !more_plain_) return false;
    std::memmove(plain_.data(), plain_.data() + plain_begin_, plain_end_ - plain_begin_);
    plain_end_ -= plain_begin_;
    plain_begin_ = 0;
    ZSTD_inBuffer in{packed_.data(), packed_.size(), 0};
    ZSTD_outBuffer out{plain_.data(), plain_.size(), plain_end_};
    const std::size_t before = plain_end_;
    while (out.pos < out.size) {
        const std::size_t in_before = in.pos, out_before = out.pos;
        const std::size_t hint = ZSTD_decompressStream(zstd_.get(), &out, &in);
        if (ZSTD_isError(hint) != 0) {
            ++damaged_compressed_;  // and with it all that follows: it is one stream
            in.pos = in.size;
            break;
        }
        if (in.pos == in_before && out.pos == out_before) break;
    }
    packed_ = packed_.subspan(in.pos);
    plain_end_ = out.pos;
    more_plain_ = out.pos == out.size;
    if (plain_end_ == before) packed_ = {};
    return plain_end_ > before;
}

bool PerfRecordStream::skip(std::uint64_t size) {
    if (!sequential_ && size > end_ - begin_) {
        size -= end_ - begin_;
        begin_ = end_;
        if (size > limit_ - std::min(limit_, position_)) return false;
        position_ += size;
        return true;
    }
    while (size > 0) {
        if (begin_ == end_ && !fill(1)) return false;
        const std::uint64_t n = std::min<std::uint64_t>(size, end_ - begin_);
        begin_ += static_cast<std::size_t>(n);
        size -= n;
    }
    return true;
}

bool PerfRecordStream::take(std::uint64_t size, std::uint64_t limit, std::vector<std::byte>& out) {
    out.clear();
    if (size > limit) return skip(size);
    while (out.size() < size) {
        if (begin_ == end_ && !fill(1)) return false;
        const std::size_t n = std::min<std::size_t>(size - out.size(), end_ - begin_);
        out.insert(out.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                   buffer_.begin() + static_cast<std::ptrdiff_t>(begin_ + n));
        begin_ += n;
    }
    return true;
}

}  // namespace wakelab::trace
