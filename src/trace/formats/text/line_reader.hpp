// Lines of a text of any length in a buffer of fixed size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "trace/input.hpp"

namespace wakelab::trace {

class LineReader {
 public:
    // `input` must outlive this.
    explicit LineReader(Input& input) : input_(input), buffer_(kBuffer) {}

    // The next line without its end ("\n" or "\r\n"), valid until the next call; false at the end or when
    // reading fails. Of a line longer than the buffer only that it was there is told: too_long().
    bool next(std::string_view& line) {
        while (true) {
            const void* at = scanned_ < end_ ? std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_)
                                             : nullptr;
            if (at != nullptr) {
                const auto stop = static_cast<std::size_t>(static_cast<const char*>(at) - buffer_.data());
                return give(stop, stop + 1, line);
            }
            scanned_ = end_;
            if (at_end_) {
                ended_without_newline_ = begin_ < end_;
                return begin_ < end_ && give(end_, end_, line);
            }
            if (!fill()) return false;
        }
    }
    [[nodiscard]] std::uint64_t number() const { return number_; }  // of the latest line, from 1
    [[nodiscard]] bool too_long() const { return was_too_long_; }   // the latest line
    // The latest line is the last and has no "\n": the text may have been cut.
    [[nodiscard]] bool ended_without_newline() const { return ended_without_newline_; }
    [[nodiscard]] const Status& status() const { return status_; }

 private:
    static constexpr std::size_t kBuffer = 1u << 18;

    bool give(std::size_t stop, std::size_t next, std::string_view& line) {
        ++number_;
        was_too_long_ = too_long_;
        line = too_long_ ? std::string_view{} : std::string_view(buffer_.data() + begin_, stop - begin_);
        if (line.ends_with('\r')) line.remove_suffix(1);
        too_long_ = false;
        begin_ = scanned_ = next;
        return true;
    }

    bool fill() {
        if (begin_ == 0 && end_ == buffer_.size()) {  // no end in a whole buffer
            too_long_ = true;
            begin_ = end_;
        }
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        scanned_ -= begin_;
        begin_ = 0;
        const auto n = input_.read(std::as_writable_bytes(std::span(buffer_).subspan(end_)));
        if (!n) {
            status_ = n.error();
            return false;
        }
        at_end_ = *n < buffer_.size() - end_;
        end_ += *n;
        return true;
    }

    Input& input_;
    std::vector<char> buffer_;
    std::size_t begin_ = 0, scanned_ = 0, end_ = 0;  // unread; of it without "\n"; read in
    std::uint64_t number_ = 0;
    bool at_end_ = false, too_long_ = false, was_too_long_ = false, ended_without_newline_ = false;
    Status status_;
};

}  // namespace wakelab::trace
