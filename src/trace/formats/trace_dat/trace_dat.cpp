#include "trace/formats/trace_dat/trace_dat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/text.hpp"
#include "trace/formats/byte_order.hpp"
#include "trace/formats/trace_dat/block_unpacker.hpp"
#include "trace/formats/trace_dat/cmdlines.hpp"
#include "trace/formats/trace_dat/trace_dat_file.hpp"

namespace wakelab::trace {

namespace {

// Unpacked chunks are held one per CPU; all of them together stay below this.
constexpr std::size_t kAllChunks = 256u << 20;
constexpr std::size_t kSmallestLimit = 256u << 10;

// Pages of one CPU in compressed chunks: trace-cmd.dat.v7(5), COMPRESSION FORMAT OF THE TRACE DATA.
class CompressedPages final : public PageSource {
 public:
    CompressedPages(const Input& input, bool big_endian, std::uint64_t offset, std::size_t limit,
                    BlockUnpacker& unpacker)
        : input_(input), big_endian_(big_endian), limit_(limit), unpacker_(unpacker) {
        ByteCursor in(input, big_endian, offset);
        chunks_ = in.u32();
        at_ = in.position();
    }
    Result<std::span<const std::byte>> next() override {
        if (chunks_ == 0) return std::span<const std::byte>{};
        --chunks_;
        std::array<std::byte, 8> sizes{};
        const auto n = input_.read_at(at_, sizes);
        if (!n) return n.error();
        if (*n < sizes.size()) return Error{"the file ends before its last chunk"};
        const std::uint32_t packed = load_u32(sizes.data(), needs_swap(big_endian_));
        const std::uint32_t unpacked = load_u32(sizes.data() + 4, needs_swap(big_endian_));
        if (packed > 2 * limit_ || unpacked > limit_)
            return Error{fmt::format("a chunk of {} bytes, expected at most {}", unpacked, limit_)};
        packed_.resize(packed);
        const auto got = input_.read_at(at_ + 8, packed_);
        if (!got) return got.error();
        if (*got < packed) return Error{"the file ends within a chunk"};
        at_ += 8 + std::uint64_t{packed};
        block_.resize(unpacked);
        if (Status s = unpacker_.unpack(packed_, block_); !s) return s.error();
        return std::span<const std::byte>(block_);
    }

 private:
    const Input& input_;
    bool big_endian_;
    std::size_t limit_;
    BlockUnpacker& unpacker_;
    std::uint32_t chunks_ = 0;
    std::uint64_t at_ = 0;
    std::vector<std::byte> packed_, block_;
};

void describe_file(const TraceDatFile& file, const TraceDatBuffer& buffer, TraceQuality& quality) {
    quality.format = fmt::format("trace.dat v{}", file.version);
    quality.clock = buffer.clock.empty() ? file.clock : buffer.clock;
    const std::vector<std::string> uname = split(file.uname, ' ');
    if (uname.size() >= 4) {
        quality.hostname = uname[1];
        quality.kernel = uname[2];
        quality.architecture = uname[3];
    }
    if (file.scale.mult == 0 && (quality.clock == "x86-tsc" || quality.clock == "counter"))
        quality.notes.push_back(fmt::format(
            "Clock {}: time stamps are counts, not nanoseconds, and are shown as if they were.",
            quality.clock));
}

std::string shown(const TraceDatBuffer& buffer) {
    return buffer.name.empty() ? "the main buffer" : fmt::format("\"{}\"", printable(buffer.name));
}

// The instance to read; null if none has events.
const TraceDatBuffer* choose_buffer(const TraceDatFile& file, TraceQuality& quality) {
    const auto chosen = std::ranges::find_if(file.buffers, &TraceDatBuffer::has_data);
    if (chosen == file.buffers.end()) return nullptr;
    constexpr std::size_t kShown = 8;
    std::size_t others = 0;
    std::string names;
    for (const TraceDatBuffer& b : file.buffers) {
        if (&b == &*chosen || !b.has_data()) continue;
        if (++others <= kShown) names += (names.empty() ? "" : ", ") + shown(b);
    }
    if (others > kShown) names += fmt::format(" and {} more", others - kShown);
    if (others != 0 || !chosen->name.empty())
        quality.notes.push_back(fmt::format("Tracing instance read: {}; others with events: {}.",
                                            shown(*chosen), names.empty() ? "none" : names));
    return &*chosen;
}

RingBufferLayout layout_of(const TraceDatFile& file, const TraceDatBuffer& buffer) {
    RingBufferLayout layout = file.layout;
    const std::uint32_t told = buffer.page_bytes != 0 ? buffer.page_bytes : file.page_bytes;
    if (told > layout.data_offset && told <= kMaxPageBytes) layout.page_bytes = told;
    return layout;
}

}  // namespace

bool matches_trace_dat(std::span<const std::byte> head) {
    return head.size() >= kTraceDatMagic.size() &&
           std::memcmp(head.data(), kTraceDatMagic.data(), kTraceDatMagic.size()) == 0;
}

Status read_trace_dat(Input& input, Translator& translator) {
    if (Status s = input.make_seekable(); !s) return s;
    TraceQuality& quality = translator.quality();
    auto file = read_trace_dat_file(input, quality);
    if (!file) return file.error();
    const TraceDatBuffer* buffer = choose_buffer(*file, quality);
    if (buffer == nullptr && std::ranges::any_of(file->buffers, &TraceDatBuffer::is_text))
        return Error{fmt::format("{}: holds the text of a latency tracer, not events; print it with "
                                 "trace-cmd report and read that", input.name())};
    const EventDecoder decoder(file->formats, file->big_endian);
    if (const std::string missing = decoder.missing(); !missing.empty())
        quality.notes.push_back(fmt::format("The file has {}.", missing));
    translator.set_cpus(file->cpus);
    set_cmdlines(file->cmdlines, translator);
    if (buffer == nullptr) {
        describe_file(*file, {}, quality);
        return {};
    }
    describe_file(*file, *buffer, quality);
    auto unpacker = BlockUnpacker::make(buffer->compressed ? file->compression : "none");
    if (!unpacker) return Error{fmt::format("{}: {}", input.name(), unpacker.error().message)};
    const RingBufferLayout layout = layout_of(*file, *buffer);
    const std::size_t block = block_bytes(buffer->cpus.size(), layout.page_bytes);
    const std::size_t chunk_limit =
        std::max(kAllChunks / std::max<std::size_t>(buffer->cpus.size(), 1), kSmallestLimit);
    std::vector<CpuStream> streams;
    streams.reserve(buffer->cpus.size());
    for (const TraceDatBuffer::Cpu& cpu : buffer->cpus) {
        if (cpu.size == 0) continue;
        if (cpu.offset > input.size() || cpu.size > input.size() - cpu.offset) quality.truncated = true;
        std::unique_ptr<PageSource> source;
        if (buffer->compressed)
            source = std::make_unique<CompressedPages>(input, file->big_endian, cpu.offset, chunk_limit,
                                                       *unpacker);
        else
            source = std::make_unique<FilePages>(input, cpu.offset, cpu.size, block);
        streams.emplace_back(cpu.cpu, layout, file->scale, std::move(source), quality);
    }
    merge_streams(streams, decoder, translator);
    return {};
}

}  // namespace wakelab::trace
