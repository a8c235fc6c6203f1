#include "trace/formats/format.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "trace/formats/raw_pages.hpp"
#include "trace/formats/trace_dat.hpp"

namespace wakelab::trace {

namespace {

std::string format_names() {
    std::string names;
    for (const Format& f : formats()) names += (names.empty() ? "" : ", ") + std::string(f.name);
    return names;
}

}  // namespace

std::span<const Format> formats() {
    static constexpr std::array kFormats = {
        Format{"trace.dat", matches_trace_dat, read_trace_dat},
    };
    return kFormats;
}

Status read_trace(Input& input, TraceSink& sink, TraceQuality& quality, const Window& window) {
    for (const Format& format : formats()) {
        if (!format.matches(input.head())) continue;
        quality.format = format.name;
        Translator translator(sink, quality, window);
        if (Status s = format.read(input, translator); !s) return s;
        translator.finish();
        return {};
    }
    return Error{fmt::format("{}: not a trace that can be read; expected one of: {}", input.name(),
                             format_names())};
}

Status read_trace(const std::string& path, TraceSink& sink, TraceQuality& quality,
                  const Window& window) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) return read_raw_pages(path, sink, quality, window);
    auto input = Input::open(path);
    if (!input) return input.error();
    return read_trace(*input, sink, quality, window);
}

}  // namespace wakelab::trace
