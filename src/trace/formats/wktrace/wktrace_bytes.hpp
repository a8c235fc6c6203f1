// Numbers and strings of wktrace: LEB128, little endian, every read checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace wakelab::trace {

class ByteWriter {
 public:
    void u8(std::uint8_t v) { bytes_.push_back(static_cast<std::byte>(v)); }
    void u32(std::uint32_t v) {  // fixed width
        for (int i = 0; i < 4; ++i) u8(static_cast<std::uint8_t>(v >> (8 * i)));
    }
    void number(std::uint64_t v) {
        for (; v >= 0x80; v >>= 7) u8(static_cast<std::uint8_t>(v | 0x80));
        u8(static_cast<std::uint8_t>(v));
    }
    // Small in either direction is short.
    void signed_number(std::int64_t v) {
        number(static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63));
    }
    void string(std::string_view s) {
        number(s.size());
        append(std::as_bytes(std::span(s)));
    }
    void append(std::span<const std::byte> b) { bytes_.insert(bytes_.end(), b.begin(), b.end()); }

    [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    void clear() { bytes_.clear(); }

 private:
    std::vector<std::byte> bytes_;
};

// After the first read beyond the end every read gives 0 and good() is false.
class ByteReader {
 public:
    ByteReader() = default;
    explicit ByteReader(std::span<const std::byte> bytes)
        : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    std::uint8_t u8() {
        if (at_ == end_) return fail();
        return static_cast<std::uint8_t>(*at_++);
    }
    std::uint32_t u32() {
        std::uint32_t v = 0;
        for (int i = 0; i < 4; ++i) v |= std::uint32_t{u8()} << (8 * i);
        return v;
    }
    std::uint64_t number() {
        if (at_ != end_ && static_cast<std::uint8_t>(*at_) < 0x80) return static_cast<std::uint8_t>(*at_++);
        return long_number();
    }
    std::int64_t signed_number() {
        const std::uint64_t v = number();
        return static_cast<std::int64_t>(v >> 1 ^ (~(v & 1) + 1));
    }
    // Views point into the bytes.
    std::span<const std::byte> take(std::uint64_t size) {
        if (size > left()) {
            fail();
            return {};
        }
        const std::span<const std::byte> s(at_, static_cast<std::size_t>(size));
        at_ += size;
        return s;
    }
    std::string_view string() {
        const auto s = take(number());
        return {reinterpret_cast<const char*>(s.data()), s.size()};
    }
    [[nodiscard]] std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    [[nodiscard]] bool good() const { return good_; }

 private:
    std::uint64_t long_number() {
        std::uint64_t v = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            const std::uint8_t b = u8();
            v |= std::uint64_t{b & 0x7fu} << shift;
            if (b < 0x80) return v;
        }
        return fail();
    }
    std::uint8_t fail() {
        good_ = false;
        at_ = end_;
        return 0;
    }

    const std::byte* at_ = nullptr;
    const std::byte* end_ = nullptr;
    bool good_ = true;
};

}  // namespace wakelab::trace
