#include "trace/formats/format.hpp"

#include <fmt/format.h>

#include <array>

#include "trace/formats/ftrace_text.hpp"
#include "trace/formats/perf_data.hpp"
#include "trace/formats/perf_script.hpp"
#include "trace/formats/wktrace.hpp"

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
        Format{"wktrace", is_wktrace, nullptr, read_wktrace},
        Format{"perf.data", is_perf_data, read_perf_data, nullptr},
        Format{"perf script", is_perf_script, read_perf_script, nullptr},
        Format{"ftrace text", is_ftrace_text, read_ftrace_text, nullptr},
    };
    return kFormats;
}

Status read_trace(Input& input, TraceSink& sink, TraceQuality& quality, const Window& window) {
    for (const Format& format : formats()) {
        if (!format.matches(input.head())) continue;
        quality.format = format.name;
        if (format.read_canonical != nullptr) return format.read_canonical(input, sink, quality, window);
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
    auto input = Input::open(path);
    if (!input) return input.error();
    return read_trace(*input, sink, quality, window);
}

}  // namespace wakelab::trace
