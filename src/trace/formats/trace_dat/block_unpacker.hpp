// Blocks that were compressed as a whole, each with its size before and after beside it, as trace.dat v7
// holds its sections and chunks of pages.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/result.hpp"

namespace wakelab::trace {

class BlockUnpacker {
 public:
    // By the name of the compression in the file. Error: one that is not built in.
    static Result<BlockUnpacker> make(const std::string& compression);

    // Error: damaged, or not of exactly `out` bytes.
    Status unpack(std::span<const std::byte> in, std::span<std::byte> out);

 private:
    enum class Kind { kNone, kZstd, kZlib };
    struct Context;  // of libzstd
    struct FreeContext {
        void operator()(Context* context) const;
    };
    Kind kind_ = Kind::kNone;
    std::unique_ptr<Context, FreeContext> context_;
};

}  // namespace wakelab::trace
