// The packets of a Perfetto trace, one after the other, from bytes that come in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace wakelab::trace::perfetto {

class PacketStream {
 public:
    // Next bytes, as many as fit; fewer only at the end.
    using Source = std::function<Result<std::size_t>(std::span<std::byte>)>;
    // Longer packets are stepped over. Ftrace bundles have at most a few hundred KB.
    static constexpr std::size_t kMaxPacket = std::size_t{16} << 20;
    enum class Next : std::uint8_t {
        kPacket,
        kTooLong,    // a packet that has been stepped over
        kEnd,
        kTruncated,  // the end is amid a packet
        kDamaged,    // no packet begins here; nothing can be read any more
        kFailed,     // the source did: error()
    };

    explicit PacketStream(Source source);

    Next next();
    // The latest packet, until next(); kSlack bytes behind it are readable.
    [[nodiscard]] std::string_view packet() const { return packet_; }
    [[nodiscard]] const Error& error() const { return error_; }
    [[nodiscard]] std::uint64_t position() const { return position_; }  // bytes read, with this packet

 private:
    // Makes `bytes` available from begin_ on, if there are as many, and grows with what really comes.
    // False: the source failed.
    bool want(std::size_t bytes) { return available() >= bytes || at_end_ || fill(bytes); }
    bool fill(std::size_t bytes);
    Next step_over(std::uint64_t bytes, Next then);
    [[nodiscard]] std::size_t available() const { return end_ - begin_; }
    void advance(std::size_t bytes) {
        begin_ += bytes;
        position_ += bytes;
    }

    Source source_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    bool at_end_ = false;
    std::uint64_t position_ = 0;
    std::string_view packet_;
    Error error_;
};

}  // namespace wakelab::trace::perfetto
