// Reads numbers and strings one after the other from an Input, in the byte order of the traced machine.
// What lies beyond the end makes the cursor fail; from then on everything it returns is 0 or empty, so a
// reader checks once per structure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/input.hpp"

namespace wakelab::trace {

class ByteCursor {
 public:
    // `input` must be seekable and outlive this.
    ByteCursor(const Input& input, bool big_endian, std::uint64_t offset = 0)
        : input_(&input), big_endian_(big_endian), position_(offset) {}

    void set_big_endian(bool big_endian) { big_endian_ = big_endian; }
    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] std::uint64_t position() const { return position_; }
    [[nodiscard]] std::uint64_t left() const {
        return position_ < input_->size() ? input_->size() - position_ : 0;
    }

    std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
    std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
    std::uint64_t u64() { return number(8); }
    // Fails before it allocates when the input does not hold `size` bytes, or `size` is above `limit`.
    std::string bytes(std::uint64_t size, std::uint64_t limit);
    // Up to and without the NUL, which is consumed. Fails without one in `limit` bytes.
    std::string c_string(std::size_t limit);
    void skip(std::uint64_t size);
    void seek(std::uint64_t offset) { position_ = offset; }
    void fail() { ok_ = false; }

 private:
    static constexpr std::size_t kWindow = 65536;
    std::uint64_t number(std::size_t size);
    // At least one byte at position_, or fails; how many there are.
    std::size_t fill();

    const Input* input_;
    bool big_endian_;
    bool ok_ = true;
    std::uint64_t position_;
    std::uint64_t window_start_ = 0;
    std::vector<std::byte> window_;
};

}  // namespace wakelab::trace
