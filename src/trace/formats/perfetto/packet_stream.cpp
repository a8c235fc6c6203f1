#include "trace/formats/perfetto/packet_stream.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "trace/formats/perfetto/field_cursor.hpp"
#include "trace/formats/perfetto/perfetto_fields.hpp"

namespace wakelab::trace::perfetto {

namespace {

constexpr std::size_t kFirstBuffer = std::size_t{256} << 10;
constexpr std::size_t kMaxHeader = 20;  // two varints

}  // namespace

PacketStream::PacketStream(Source source) : source_(std::move(source)), buffer_(kFirstBuffer + kSlack) {}

bool PacketStream::fill(std::size_t bytes) {
    while (available() < bytes && !at_end_) {
        if (begin_ != 0) {
            std::memmove(buffer_.data(), buffer_.data() + begin_, available());
            end_ -= begin_;
            begin_ = 0;
        }
        if (end_ + kSlack >= buffer_.size()) buffer_.resize(2 * buffer_.size());
        const std::size_t room = buffer_.size() - kSlack - end_;
        auto got = source_(std::as_writable_bytes(std::span(buffer_).subspan(end_, room)));
        if (!got) {
            error_ = got.error();
            return false;
        }
        end_ += *got;
        at_end_ = *got < room;
    }
    return true;
}

PacketStream::Next PacketStream::step_over(std::uint64_t bytes, Next then) {
    while (bytes > 0) {
        if (!want(1)) return Next::kFailed;
        if (available() == 0) return Next::kTruncated;
        const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(bytes, available()));
        advance(part);
        bytes -= part;
    }
    return then;
}

// What is not a packet (no known writer has that) is stepped over by its wire type.
PacketStream::Next PacketStream::next() {
    for (;;) {
        if (!want(kMaxHeader)) return Next::kFailed;
        if (available() == 0) return Next::kEnd;
        const char* at = buffer_.data() + begin_;
        const char* const start = at;
        const char* const end = buffer_.data() + end_;
        const Next bad = available() < kMaxHeader ? Next::kTruncated : Next::kDamaged;
        std::uint64_t key = 0, size = 0;
        if (!take_varint(at, end, key)) return bad;
        if (key >> 3 == 0 || key >> 32 != 0) return Next::kDamaged;
        switch (key & 7) {
            case 0:  // its value takes the place of a size
            case 2:
                if (!take_varint(at, end, size)) return bad;
                if ((key & 7) == 0) size = 0;
                break;
            case 1: size = 8; break;
            case 5: size = 4; break;
            default: return Next::kDamaged;
        }
        advance(static_cast<std::size_t>(at - start));
        if (key != bytes_key(kTracePacket)) {
            if (const Next over = step_over(size, Next::kPacket); over != Next::kPacket) return over;
            continue;
        }
        if (size > kMaxPacket) return step_over(size, Next::kTooLong);
        if (!want(size)) return Next::kFailed;
        if (available() < size) return Next::kTruncated;
        packet_ = {buffer_.data() + begin_, size};
        advance(size);
        return Next::kPacket;
    }
}

}  // namespace wakelab::trace::perfetto
