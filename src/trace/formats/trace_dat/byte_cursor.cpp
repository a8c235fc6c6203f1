#include "trace/formats/trace_dat/byte_cursor.hpp"

#include <algorithm>
#include <cstring>

namespace wakelab::trace {

std::size_t ByteCursor::fill() {
    if (!ok_) return 0;
    if (position_ < window_start_ || position_ >= window_start_ + window_.size()) {
        window_.resize(std::min<std::uint64_t>(kWindow, left()));
        const auto n = input_->read_at(position_, window_);
        window_.resize(n ? *n : 0);
        window_start_ = position_;
    }
    const std::size_t here = window_.size() - static_cast<std::size_t>(position_ - window_start_);
    if (here == 0) ok_ = false;
    return here;
}

std::uint64_t ByteCursor::number(std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (fill() == 0) return 0;
        const auto byte = static_cast<std::uint64_t>(window_[position_ - window_start_]);
        value |= byte << (8 * (big_endian_ ? size - 1 - i : i));
        ++position_;
    }
    return value;
}

std::string ByteCursor::bytes(std::uint64_t size, std::uint64_t limit) {
    if (size > left() || size > limit) ok_ = false;
    std::string text;
    if (!ok_) return text;
    text.resize(static_cast<std::size_t>(size));
    for (std::size_t done = 0; done < text.size();) {
        const std::size_t n = std::min(fill(), text.size() - done);
        if (n == 0) return {};
        std::memcpy(text.data() + done, window_.data() + (position_ - window_start_), n);
        done += n;
        position_ += n;
    }
    return text;
}

std::string ByteCursor::c_string(std::size_t limit) {
    std::string text;
    while (text.size() < limit) {
        const char c = static_cast<char>(number(1));
        if (!ok_) return {};
        if (c == '\0') return text;
        text += c;
    }
    ok_ = false;
    return {};
}

void ByteCursor::skip(std::uint64_t size) {
    if (size > left()) ok_ = false;
    if (ok_) position_ += size;
}

}  // namespace wakelab::trace
