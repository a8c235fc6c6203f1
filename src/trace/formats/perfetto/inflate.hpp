// Bytes out of a compressed block of unknown unpacked size, in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace wakelab::trace {

enum class Compression : std::uint8_t { kZlib, kZstd };

class Inflater {
 public:
    // A block that unpacks to more is cut there and counts as damaged: nobody writes packets that large.
    static constexpr std::uint64_t kMaxOutput = std::uint64_t{64} << 20;

    // `data` must outlive this.
    Inflater(Compression how, std::span<const std::byte> data);
    ~Inflater();
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    // Next bytes, as many as fit; fewer only at the end, which damage brings early.
    std::size_t read(std::span<std::byte> out);
    [[nodiscard]] bool damaged() const { return damaged_; }

 private:
    struct State;

    std::size_t read_zlib(std::span<std::byte> out);
    std::size_t read_zstd(std::span<std::byte> out);

    std::unique_ptr<State> state_;
    std::uint64_t produced_ = 0;
    bool done_ = false;
    bool damaged_ = false;
};

}  // namespace wakelab::trace
