#include "trace/formats/trace_dat/block_unpacker.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <cstring>

#include "base/text.hpp"

namespace wakelab::trace {

void BlockUnpacker::FreeContext::operator()(Context* context) const {
    ZSTD_freeDCtx(reinterpret_cast<ZSTD_DCtx*>(context));
}

Result<BlockUnpacker> BlockUnpacker::make(const std::string& compression) {
    BlockUnpacker unpacker;
    if (compression == "zstd") {
        unpacker.kind_ = Kind::kZstd;
        unpacker.context_.reset(reinterpret_cast<Context*>(ZSTD_createDCtx()));
    } else if (compression == "zlib") {
        unpacker.kind_ = Kind::kZlib;
    } else if (compression != "none") {
        return Error{fmt::format("compressed with \"{}\"; zstd and zlib can be read",
                                 printable(compression))};
    }
    return unpacker;
}

Status BlockUnpacker::unpack(std::span<const std::byte> in, std::span<std::byte> out) {
    std::size_t n = 0;
    bool good = false;
    if (kind_ == Kind::kZstd) {
        n = ZSTD_decompressDCtx(reinterpret_cast<ZSTD_DCtx*>(context_.get()), out.data(), out.size(),
                                in.data(), in.size());
        good = ZSTD_isError(n) == 0;
    } else if (kind_ == Kind::kZlib) {
        uLongf size = out.size();
        good = ::uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                            reinterpret_cast<const Bytef*>(in.data()), in.size()) == Z_OK;
        n = size;
    } else {
        good = in.size() == out.size();
        n = in.size();
        if (good && n != 0) std::memcpy(out.data(), in.data(), n);
    }
    if (!good || n != out.size()) return Error{"compressed data is damaged"};
    return {};
}

}  // namespace wakelab::trace
