// Numbers in the byte order of this machine, texts and padding, one behind the other: heads of
// files that other programs read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace wakelab::trace {

class ByteBuilder {
 public:
    template <class Int>
    void number(Int value) {
        raw(std::string_view(reinterpret_cast<const char*>(&value), sizeof value));
    }
    void raw(std::string_view bytes) { out_ += bytes; }
    void terminated(std::string_view text) {
        out_ += text;
        out_ += '\0';
    }
    template <class Size>
    void sized(std::string_view text) {
        number(static_cast<Size>(text.size()));
        raw(text);
    }
    void pad_to(std::uint64_t alignment) {
        while (out_.size() % alignment != 0) out_ += '\0';
    }
    [[nodiscard]] std::uint64_t size() const { return out_.size(); }
    std::string take() { return std::move(out_); }

 private:
    std::string out_;
};

}  // namespace wakelab::trace
