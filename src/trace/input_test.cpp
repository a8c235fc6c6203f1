#include "trace/input.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <thread>

namespace wakelab::trace {

namespace {

// Standard input is the read end of a pipe into which `bytes` are written, while this lives.
class StdinFrom {
 public:
    explicit StdinFrom(std::string bytes) : saved_(::dup(STDIN_FILENO)) {
        int ends[2];
        EXPECT_EQ(::pipe(ends), 0);
        ::dup2(ends[0], STDIN_FILENO);
        ::close(ends[0]);
        writer_ = std::thread([bytes = std::move(bytes), fd = ends[1]] {
            for (std::size_t done = 0; done < bytes.size();) {
                // Odd pieces, so that reads end amid everything.
                const std::size_t piece = std::min<std::size_t>(4093, bytes.size() - done);
                const ssize_t n = ::write(fd, bytes.data() + done, piece);
                if (n <= 0) break;
                done += static_cast<std::size_t>(n);
            }
            ::close(fd);
        });
    }
    ~StdinFrom() {
        writer_.join();
        ::dup2(saved_, STDIN_FILENO);
        ::close(saved_);
    }

 private:
    int saved_;
    std::thread writer_;
};

std::string pattern(std::size_t size) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
    return bytes;
}

std::string read_all(Input& input) {
    std::string all;
    std::vector<std::byte> piece(10007);
    for (;;) {
        const auto n = input.read(piece);
        EXPECT_TRUE(n);
        all.append(reinterpret_cast<const char*>(piece.data()), *n);
        if (*n < piece.size()) return all;
    }
}

std::string at(const Input& input, std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    const auto n = input.read_at(offset, std::as_writable_bytes(std::span(bytes)));
    EXPECT_TRUE(n);
    bytes.resize(*n);
    return bytes;
}

}  // namespace

TEST(Input, ReadsAPipeInOrder) {
    const std::string bytes = pattern(300001);
    const StdinFrom pipe(bytes);
    auto input = Input::open("-");
    ASSERT_TRUE(input);
    EXPECT_EQ(input->head().size(), Input::kHeadBytes);
    EXPECT_EQ(input->name(), "standard input");
    EXPECT_EQ(read_all(*input), bytes);
}

// More than the megabyte that is copied at a time.
TEST(Input, SpoolsAPipeToReadAnywhere) {
    const std::string bytes = pattern((1u << 20) + 70001);
    const StdinFrom pipe(bytes);
    auto input = Input::open("-");
    ASSERT_TRUE(input);
    ASSERT_TRUE(input->make_seekable());
    EXPECT_EQ(input->size(), bytes.size());
    EXPECT_EQ(at(*input, 1u << 20, 100), bytes.substr(1u << 20, 100));
    EXPECT_EQ(at(*input, bytes.size() - 3, 100), bytes.substr(bytes.size() - 3));
    EXPECT_EQ(at(*input, bytes.size() + 5, 100), "");
    EXPECT_EQ(read_all(*input), bytes);
    input->rewind();
    EXPECT_EQ(read_all(*input), bytes);
}

TEST(Input, BytesBehaveAsAFile) {
    const std::string bytes = pattern(70000);
    std::vector<std::byte> raw(bytes.size());
    std::memcpy(raw.data(), bytes.data(), bytes.size());
    Input input = Input::of_bytes(raw);
    EXPECT_EQ(input.size(), bytes.size());
    EXPECT_EQ(read_all(input), bytes);
    EXPECT_EQ(at(input, 69990, 100), bytes.substr(69990));
    EXPECT_EQ(at(input, UINT64_MAX, 100), "");
}

TEST(Input, SaysWhatCannotBeRead) {
    EXPECT_NE(Input::open("/nowhere/x").error().message.find("/nowhere/x: cannot be opened"),
              std::string::npos);
    EXPECT_NE(Input::open("/").error().message.find("is a directory"), std::string::npos);
    EXPECT_NE(Input::open("/dev/null").error().message.find("is empty"), std::string::npos);
}

}  // namespace wakelab::trace
