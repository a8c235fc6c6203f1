#include <charconv>

#include "base/text.hpp"
#include "trace/formats/trace_dat/trace_dat_file.hpp"

namespace wakelab::trace {

namespace {

// trace-cmd.dat.v7(5), OPTIONS SECTION; the numbers of version 6 are the same.
enum OptionId : std::uint16_t {
    kDate = 1, kBuffer = 3, kTraceClock = 4, kUname = 5, kOffset = 7, kCpuCount = 8, kTimeShift = 12,
    kTsc2Nsec = 14, kBufferText = 22 };

constexpr std::uint64_t kMaxOptionText = 4096;
constexpr std::size_t kMaxBuffers = 1024;

std::string until_nul(std::string text) {
    return text.substr(0, text.find('\0'));
}

// "0x12f", "-5", "17": as strtoll(text, 0, 0) reads it; 0 for anything else.
std::int64_t number_of(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const bool hex = text.starts_with("0x");
    if (hex) text.remove_prefix(2);
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    return static_cast<std::int64_t>(negative ? 0 - value : value);
}

std::int64_t saturated_sum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void read_buffer(ByteCursor& in, TraceDatFile& file, TraceQuality& quality, bool is_text) {
    TraceDatBuffer buffer;
    buffer.is_text = is_text;
    buffer.offset = in.u64();
    buffer.name = in.c_string(kMaxOptionText);
    if (file.version >= 7) buffer.clock = clock_of(in.c_string(kMaxOptionText));
    if (file.version >= 7 && !is_text) {
        buffer.page_bytes = in.u32();
        const std::uint32_t cpus = in.u32();
        for (std::uint32_t i = 0; i < cpus && in.ok(); ++i) {
            TraceDatBuffer::Cpu cpu;
            cpu.cpu = in.u32();
            cpu.offset = in.u64();
            cpu.size = in.u64();
            if (!in.ok()) break;
            if (cpu.cpu < topo::kMaxCpus) buffer.cpus.push_back(cpu);
            else ++quality.bad_cpu;
        }
    }
    if (!in.ok() || file.buffers.size() == kMaxBuffers) ++quality.damaged;
    else if (buffer.name.empty()) file.buffers.insert(file.buffers.begin(), std::move(buffer));
    else file.buffers.push_back(std::move(buffer));
}

}  // namespace

std::string clock_of(const std::string& text) {
    const std::size_t open = text.find('['), close = text.find(']', open == text.npos ? 0 : open);
    if (open == text.npos || close == text.npos) return text.find(' ') == text.npos ? text : "";
    return text.substr(open + 1, close - open - 1);
}

void read_option(const Input& input, const TraceDatOption& option, TraceDatFile& file,
                 TraceQuality& quality) {
    ByteCursor in(input, file.big_endian, option.at);
    const auto text = [&] { return until_nul(in.bytes(option.size, kMaxOptionText)); };
    switch (option.id) {
        // trace-cmd record --date: microseconds from the clock to the time of day.
        case kDate: {
            std::int64_t ns = 0;
            if (__builtin_mul_overflow(number_of(text()), std::int64_t{1000}, &ns)) ns = 0;
            file.scale.add = saturated_sum(file.scale.add, ns);
            break;
        }
        case kOffset: file.scale.add = saturated_sum(file.scale.add, number_of(text())); break;
        case kBuffer: read_buffer(in, file, quality, false); break;
        case kBufferText: read_buffer(in, file, quality, true); break;
        case kTraceClock: file.clock = clock_of(text()); break;
        case kUname: file.uname = text(); break;
        case kCpuCount: file.cpus = in.u32(); break;
        case kTimeShift:
            quality.notes.emplace_back(
                "The file of a guest: times are those of the guest, the recorded shift to the host's "
                "clock is not applied.");
            break;
        case kTsc2Nsec:
            file.scale.mult = in.u32();
            file.scale.shift = in.u32();
            break;
        default: break;
    }
}

}  // namespace wakelab::trace
