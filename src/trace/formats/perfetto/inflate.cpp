#include "trace/formats/perfetto/inflate.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>

#include "base/check.hpp"

namespace wakelab::trace {

struct Inflater::State {
    Compression how = Compression::kZlib;
    z_stream zlib{};
    ZSTD_DStream* zstd = nullptr;
    ZSTD_inBuffer in{};
};

Inflater::Inflater(Compression how, std::span<const std::byte> data) : state_(new State) {
    state_->how = how;
    if (how == Compression::kZstd) {
        state_->zstd = ZSTD_createDStream();
        WK_CHECK(state_->zstd != nullptr);
        ZSTD_DCtx_setParameter(state_->zstd, ZSTD_d_windowLogMax, 24);  // 16 MB, whatever the block asks
        state_->in = {data.data(), data.size(), 0};
        return;
    }
    state_->zlib.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(data.data()));
    state_->zlib.avail_in = static_cast<uInt>(data.size());
    WK_CHECK(inflateInit(&state_->zlib) == Z_OK);
}

Inflater::~Inflater() {
    if (state_->how == Compression::kZstd)
        ZSTD_freeDStream(state_->zstd);
    else
        inflateEnd(&state_->zlib);
}

std::size_t Inflater::read(std::span<std::byte> out) {
    if (done_) return 0;
    const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), kMaxOutput - produced_));
    if (room == 0 && !out.empty()) done_ = damaged_ = true;
    const std::size_t n =
        state_->how == Compression::kZstd ? read_zstd(out.first(room)) : read_zlib(out.first(room));
    produced_ += n;
    return n;
}

std::size_t Inflater::read_zlib(std::span<std::byte> out) {
    z_stream& z = state_->zlib;
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    while (z.avail_out > 0 && !done_) {
        const int result = inflate(&z, Z_NO_FLUSH);
        if (result == Z_OK) continue;
        done_ = true;
        damaged_ = result != Z_STREAM_END;
    }
    return out.size() - z.avail_out;
}

std::size_t Inflater::read_zstd(std::span<std::byte> out) {
    ZSTD_outBuffer target{out.data(), out.size(), 0};
    while (target.pos < target.size && !done_) {
        const std::size_t before = target.pos;
        const std::size_t result = ZSTD_decompressStream(state_->zstd, &target, &state_->in);
        const bool stuck = target.pos == before && state_->in.pos == state_->in.size;
        if (ZSTD_isError(result) != 0 || (stuck && result != 0)) damaged_ = true;
        done_ = damaged_ || (state_->in.pos == state_->in.size && (result == 0 || stuck));
    }
    return target.pos;
}

}  // namespace wakelab::trace
