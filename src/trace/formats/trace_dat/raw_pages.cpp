#include "trace/formats/trace_dat/raw_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>

#include "base/text.hpp"
#include "trace/formats/byte_order.hpp"
#include "trace/formats/event_format.hpp"
#include "trace/formats/trace_dat/cmdlines.hpp"
#include "trace/formats/trace_dat/cpu_stream.hpp"

namespace wakelab::trace {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFileText = 4u << 20;
constexpr std::size_t kMaxFormats = 65536;

// Of a text file; nothing if there is none. Files of tracefs itself tell a size that is too large or 0.
std::optional<std::string> text_of(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    auto input = Input::open(path.string());
    if (!input) return std::nullopt;
    std::string text;
    for (std::size_t n = 65536; n == 65536 && text.size() < kMaxFileText;) {
        const std::size_t before = text.size();
        text.resize(before + n);
        const auto got = input->read(std::as_writable_bytes(std::span(text).subspan(before)));
        n = got ? *got : 0;
        text.resize(before + n);
    }
    return text;
}

std::vector<fs::path> entries(const fs::path& dir) {
    std::vector<fs::path> paths;
    std::error_code error;
    for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error))
        paths.push_back(at->path());
    std::ranges::sort(paths);
    return paths;
}

// "cpu12", "cpu12.raw" or the like under per_cpu.
std::optional<std::uint32_t> cpu_number(std::string name) {
    if (!name.starts_with("cpu")) return std::nullopt;
    name.erase(0, 3);
    if (name.ends_with(".raw")) name.resize(name.size() - 4);
    const auto number = parse_int(name);
    if (!number || *number < 0 || *number >= topo::kMaxCpus) return std::nullopt;
    return static_cast<std::uint32_t>(*number);
}

std::map<std::uint32_t, Input> open_cpus(const fs::path& dir) {
    std::map<std::uint32_t, Input> inputs;
    std::error_code error;
    const auto add = [&](const fs::path& entry, const fs::path& file) {
        const auto cpu = cpu_number(entry.filename().string());
        if (!cpu || !fs::is_regular_file(file, error)) return;
        auto input = Input::open(file.string());
        if (input && input->make_seekable()) inputs.emplace(*cpu, std::move(*input));
    };
    for (const fs::path& entry : entries(dir)) add(entry, entry);
    for (const fs::path& entry : entries(dir / "per_cpu")) add(entry, entry / "trace_pipe_raw");
    return inputs;
}

std::vector<EventFormat> read_formats(const fs::path& events, TraceQuality& quality) {
    std::vector<EventFormat> formats;
    for (const fs::path& system : entries(events)) {
        for (const fs::path& event : entries(system)) {
            const auto text = text_of(event / "format");
            if (!text || formats.size() >= kMaxFormats) continue;
            auto format = parse_event_format(*text);
            if (!format) {
                ++quality.damaged;
                continue;
            }
            format->system = system.filename().string();
            formats.push_back(std::move(*format));
        }
    }
    return formats;
}

// The order in which the first page says that it is no fuller than a page; in the other one the few bytes
// of the commit count become a large number.
bool is_big_endian(const Input& input, const RingBufferLayout& layout) {
    std::vector<std::byte> page(layout.data_offset);
    const auto n = input.read_at(0, page);
    if (!n || *n < page.size()) return false;
    const auto fits = [&](bool big_endian) {
        const bool swap = needs_swap(big_endian);
        const std::byte* at = page.data() + layout.commit_offset;
        const std::uint64_t commit = layout.commit_bytes == 8 ? load_u64(at, swap) : load_u32(at, swap);
        return (commit & ~kRingBufferPageFlags) <= layout.page_bytes - layout.data_offset;
    };
    return !fits(false) && fits(true);
}

}  // namespace

Status read_raw_pages(const std::string& dir, TraceSink& sink, TraceQuality& quality,
                      const Window& window) {
    const fs::path root(dir);
    const auto missing = [&](const char* what) {
        return Error{fmt::format("{}: {}; expected a copy of tracefs: cpuN.raw, events/header_page, "
                                 "events/sched/*/format", dir, what)};
    };
    std::map<std::uint32_t, Input> inputs = open_cpus(root);
    if (inputs.empty()) return missing("no file cpuN or cpuN.raw with events");
    auto header_page = text_of(root / "events/header_page");
    if (!header_page) header_page = text_of(root / "header_page");
    if (!header_page) return missing("no header_page");
    auto layout = parse_ring_buffer_layout(*header_page, false);
    if (!layout) return missing(layout.error().message.c_str());
    layout->big_endian = is_big_endian(inputs.begin()->second, *layout);
    const EventDecoder decoder(read_formats(root / "events", quality), layout->big_endian);
    if (const std::string what = decoder.missing(); !what.empty()) return missing(what.c_str());

    quality.format = "raw ring-buffer pages";
    const std::string clocks = text_of(root / "trace_clock").value_or("");
    if (const std::size_t open = clocks.find('['); open != clocks.npos)
        quality.clock = clocks.substr(open + 1, clocks.find(']', open) - open - 1);
    Translator translator(sink, quality, window);
    translator.set_cpus(inputs.rbegin()->first + 1);
    set_cmdlines(text_of(root / "saved_cmdlines").value_or(""), translator);
    std::vector<CpuStream> streams;
    for (const auto& [cpu, input] : inputs)
        streams.emplace_back(cpu, *layout, ClockScale{},
                             std::make_unique<FilePages>(input, 0, input.size(),
                                                         block_bytes(inputs.size(), layout->page_bytes)),
                             quality);
    merge_streams(streams, decoder, translator);
    translator.finish();
    return {};
}

}  // namespace wakelab::trace
