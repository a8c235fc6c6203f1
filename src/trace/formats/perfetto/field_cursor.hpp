// The fields of an encoded protobuf message, one after the other. Not protozero's pbf_reader: ftrace events
// are a dozen fields each, and 10 million of them a second need varints out of one 8-byte load and no
// exceptions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <protozero/types.hpp>

namespace wakelab::trace::perfetto {

// Bytes behind a message that must be readable (whatever they hold), for loads of whole words.
inline constexpr std::size_t kSlack = 16;

// Takes a varint at `at`, all of it before `end`; false: there is none.
inline bool take_varint(const char*& at, const char* end, std::uint64_t& value) {
    static_assert(std::endian::native == std::endian::little);
    if (at < end && *at >= 0) {
        value = static_cast<std::uint64_t>(*at++);
        return true;
    }
    std::uint64_t word;
    std::memcpy(&word, at, sizeof word);
    const std::uint64_t stop = ~word & 0x8080808080808080;
    if (stop != 0) {
        const int size = std::countr_zero(stop) / 8 + 1;
        if (end - at < size) return false;
        word &= ~std::uint64_t{0} >> (64 - 8 * size);
        // Seven bits of each byte, moved together pair by pair.
        word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
        word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
        value = (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
        at += size;
        return true;
    }
    std::uint64_t result = 0;  // nine or ten bytes: negative numbers
    for (unsigned i = 0; i < 10; ++i) {
        if (at + i >= end) return false;
        const auto byte = static_cast<unsigned char>(at[i]);
        result |= std::uint64_t{byte & 0x7fu} << (7 * i);
        if (byte < 0x80) {
            value = result;
            at += i + 1;
            return true;
        }
    }
    return false;
}

class FieldCursor {
 public:
    explicit FieldCursor(std::string_view message) : at_(message.data()), end_(at_ + message.size()) {}

    // The next field; false at the end, or where damage begins.
    bool next() {
        if (at_ == end_) return false;
        std::uint64_t key = 0, size = 0;
        if (!take_varint(at_, end_, key)) return fail();
        key_ = static_cast<std::uint32_t>(key);
        if (key >> 32 != 0 || key_ >> 3 == 0) return fail();
        switch (key & 7) {
            case 0: return take_varint(at_, end_, number_) || fail();
            case 1: size = 8; break;
            case 2:
                if (!take_varint(at_, end_, size)) return fail();
                break;
            case 5: size = 4; break;
            default: return fail();
        }
        if (size > static_cast<std::uint64_t>(end_ - at_)) return fail();
        bytes_ = {at_, static_cast<std::size_t>(size)};
        at_ += size;
        return true;
    }

    // The same for a field with this key (of one byte), at most 127 bytes long; false: it is another, and
    // still the next.
    bool next_short(std::uint32_t bytes_key) {
        if (end_ - at_ < 2 || static_cast<unsigned char>(*at_) != bytes_key || at_[1] < 0 ||
            end_ - at_ < at_[1] + 2)
            return false;
        key_ = bytes_key;
        bytes_ = {at_ + 2, static_cast<std::size_t>(at_[1])};
        at_ += at_[1] + 2;
        return true;
    }
    // Steps over all such fields that come next.
    void skip_short(std::uint32_t bytes_key) {
        while (end_ - at_ >= 2 && static_cast<unsigned char>(*at_) == bytes_key && at_[1] >= 0 &&
               end_ - at_ >= at_[1] + 2)
            at_ += at_[1] + 2;
    }
    // The number of the next field if it has this key (of one byte); else false, and it is still the next.
    bool take_number(std::uint32_t varint_key, std::uint64_t& value) {
        if (at_ == end_ || static_cast<unsigned char>(*at_) != varint_key) return false;
        const char* at = at_ + 1;
        if (!take_varint(at, end_, value)) return false;
        at_ = at;
        return true;
    }

    // Is there a field with this number from here on?
    bool has(std::uint32_t number) {
        while (next())
            if (field() == number) return true;
        return false;
    }

    // Of the field: number and wire type together, as varint_key() and bytes_key() make them.
    [[nodiscard]] std::uint32_t key() const { return key_; }
    [[nodiscard]] std::uint32_t field() const { return key_ >> 3; }
    [[nodiscard]] bool is_varint() const { return (key_ & 7) == 0; }
    [[nodiscard]] bool is_bytes() const { return (key_ & 7) == 2; }
    [[nodiscard]] std::uint64_t number() const { return number_; }                // of a varint
    [[nodiscard]] std::int64_t int64() const { return static_cast<std::int64_t>(number_); }
    [[nodiscard]] std::int32_t int32() const { return static_cast<std::int32_t>(number_); }
    [[nodiscard]] std::uint32_t uint32() const { return static_cast<std::uint32_t>(number_); }
    [[nodiscard]] std::string_view bytes() const { return bytes_; }  // of the other wire types
    [[nodiscard]] const char* position() const { return at_; }       // of what comes next
    [[nodiscard]] bool damaged() const { return damaged_; }

 private:
    bool fail() {
        damaged_ = true;
        at_ = end_;
        return false;
    }

    const char* at_;
    const char* end_;
    std::uint32_t key_ = 0;
    bool damaged_ = false;
    std::uint64_t number_ = 0;
    std::string_view bytes_;
};

constexpr std::uint32_t varint_key(std::uint32_t field) {
    return protozero::tag_and_type(field, protozero::pbf_wire_type::varint);
}
constexpr std::uint32_t bytes_key(std::uint32_t field) {
    return protozero::tag_and_type(field, protozero::pbf_wire_type::length_delimited);
}

// A packed repeated field of varints.
class Column {
 public:
    Column() = default;
    explicit Column(std::string_view bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}
    [[nodiscard]] bool empty() const { return at_ == end_; }
    // 0 and empty from then on where it is damaged.
    std::uint64_t take() {
        std::uint64_t value = 0;
        if (!take_varint(at_, end_, value)) at_ = end_;
        return value;
    }

 private:
    const char* at_ = nullptr;
    const char* end_ = nullptr;
};

}  // namespace wakelab::trace::perfetto
