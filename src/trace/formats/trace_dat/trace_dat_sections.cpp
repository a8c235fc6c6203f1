#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "trace/formats/trace_dat/block_unpacker.hpp"
#include "trace/formats/trace_dat/trace_dat_file.hpp"

namespace wakelab::trace {

namespace {

// trace-cmd.dat.v7(5): numbers of options, which are those of the sections they point at.
constexpr std::uint16_t kDone = 0;
constexpr std::uint16_t kHeaderInfo = 16;
constexpr std::uint16_t kFtraceEvents = 17;
constexpr std::uint16_t kEventFormats = 18;
constexpr std::uint16_t kCmdlines = 21;
constexpr std::uint16_t kCompressed = 1;  // flag of a section
constexpr int kMaxOptionSections = 4096;  // of a file that chains them in a circle

// A section, unpacked into memory if it is compressed. Reading starts at `at` of `input()`.
class Section {
 public:
    static Result<Section> open(const Input& file_input, std::uint64_t offset, std::uint16_t id,
                                const TraceDatFile& file) {
        ByteCursor in(file_input, file.big_endian, offset);
        const std::uint16_t found = in.u16();
        const std::uint16_t flags = in.u16();
        in.skip(4);  // its description in the strings section
        in.skip(8);  // its size
        if (!in.ok() || found != id)
            return Error{fmt::format("{}: expected section {} at byte {}", file_input.name(), id, offset)};
        Section section(file_input, in.position());
        if ((flags & kCompressed) == 0) return section;
        const std::uint32_t packed = in.u32();
        const std::uint32_t unpacked = in.u32();
        const std::string data = in.bytes(packed, kMaxTextBytes);
        auto unpacker = BlockUnpacker::make(file.compression);
        if (!unpacker) return Error{fmt::format("{}: {}", file_input.name(), unpacker.error().message)};
        if (!in.ok() || unpacked > kMaxTextBytes)
            return Error{fmt::format("{}: section {} ends early", file_input.name(), id)};
        std::vector<std::byte> bytes(unpacked);
        if (Status s = unpacker->unpack(std::as_bytes(std::span(data)), bytes); !s)
            return Error{fmt::format("{}: section {}: {}", file_input.name(), id, s.error().message)};
        section.memory_ = Input::of_bytes(std::move(bytes), file_input.name());
        section.at_ = 0;
        return section;
    }
    [[nodiscard]] const Input& input() const { return memory_ ? *memory_ : *file_; }
    [[nodiscard]] ByteCursor cursor(const TraceDatFile& file) const {
        return {input(), file.big_endian, at_};
    }

 private:
    Section(const Input& file, std::uint64_t at) : file_(&file), at_(at) {}

    const Input* file_;
    std::optional<Input> memory_;
    std::uint64_t at_;
};

using SectionOffsets = std::map<std::uint16_t, std::uint64_t>;

// One options section; where the next one is, 0 after the last.
std::uint64_t read_options(const Section& section, TraceDatFile& file, SectionOffsets& sections,
                           TraceQuality& quality) {
    ByteCursor in = section.cursor(file);
    while (true) {
        TraceDatOption option{.id = in.u16()};
        option.size = in.u32();
        option.at = in.position();
        if (!in.ok()) break;
        if (option.id == kDone) return in.u64();
        if (option.id >= kHeaderInfo && option.id <= kCmdlines) {
            ByteCursor data(section.input(), file.big_endian, option.at);
            sections[option.id] = data.u64();
        } else {
            read_option(section.input(), option, file, quality);
        }
        in.skip(option.size);
    }
    ++quality.damaged;
    return 0;
}

// trace-cmd compresses the pages or does not, by the flag of the section they lie in.
void read_buffer_flags(const Input& input, TraceDatFile& file) {
    for (TraceDatBuffer& buffer : file.buffers) {
        ByteCursor in(input, file.big_endian, buffer.offset);
        in.skip(2);
        buffer.compressed = (in.u16() & kCompressed) != 0;
    }
}

}  // namespace

Status read_sections(const Input& input, std::uint64_t options_at, TraceDatFile& file,
                     TraceQuality& quality) {
    SectionOffsets sections;
    for (int i = 0; options_at != 0 && i < kMaxOptionSections; ++i) {
        auto options = Section::open(input, options_at, kDone, file);
        if (!options && i == 0) return options.error();
        if (!options) {
            ++quality.damaged;
            break;
        }
        options_at = read_options(*options, file, sections, quality);
    }
    if (!sections.contains(kHeaderInfo) || !sections.contains(kEventFormats))
        return Error{fmt::format("{}: has no event formats; expected what trace-cmd record, extract or "
                                 "convert writes", input.name())};
    for (const auto& [id, offset] : sections) {
        if (id != kHeaderInfo && id != kFtraceEvents && id != kEventFormats && id != kCmdlines) continue;
        auto section = Section::open(input, offset, id, file);
        if (!section && id == kCmdlines) ++quality.damaged;
        if (!section && id == kCmdlines) continue;
        if (!section) return section.error();
        ByteCursor in = section->cursor(file);
        if (id == kHeaderInfo) {
            if (Status s = read_header_info(in, file); !s)
                return Error{fmt::format("{}: {}", input.name(), s.error().message)};
        } else if (id == kFtraceEvents) {
            read_ftrace_formats(in, file, quality);
        } else if (id == kEventFormats) {
            read_event_formats(in, file, quality);
        } else {
            read_cmdlines(in, file);
        }
        if (!in.ok()) ++quality.damaged;
    }
    read_buffer_flags(input, file);
    return {};
}

}  // namespace wakelab::trace
