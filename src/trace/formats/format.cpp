#include "trace/formats/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "trace/environment.hpp"
#include "trace/formats/perf/perf_data.hpp"
#include "trace/formats/perfetto/perfetto_reader.hpp"
#include "trace/formats/text/ftrace_text.hpp"
#include "trace/formats/text/perf_script.hpp"
#include "trace/formats/trace_dat/raw_pages.hpp"
#include "trace/formats/trace_dat/trace_dat.hpp"
#include "trace/formats/wktrace/wktrace.hpp"

namespace wakelab::trace {

namespace {

std::string format_names() {
    std::string names;
    for (const Format& f : formats()) names += (names.empty() ? "" : ", ") + std::string(f.name);
    return names;
}

// What `wakelab record` knows beside the events stands behind them; only a file can be asked for it.
void add_environment(Input& input, Translator& translator, TraceQuality& quality) {
    if (!input.is_seekable()) return;
    const auto environment = read_environment(input);
    if (!environment) {
        quality.notes.push_back(environment.error().message);
        return;
    }
    if (!*environment) return;
    describe_environment(**environment, translator);
    quality.kernel = (*environment)->kernel_release;
    quality.hostname = (*environment)->hostname;
    quality.architecture = (*environment)->architecture;
}

}  // namespace

std::span<const Format> formats() {
    static constexpr std::array kFormats = {
        Format{"wktrace", is_wktrace, nullptr, read_wktrace},
        Format{"trace.dat", matches_trace_dat, read_trace_dat, nullptr},
        Format{"perf.data", is_perf_data, read_perf_data, nullptr},
        Format{"perf script", is_perf_script, read_perf_script, nullptr},
        Format{"Perfetto", is_perfetto, read_perfetto, nullptr},
        Format{"ftrace text", is_ftrace_text, read_ftrace_text, nullptr},
    };
    return kFormats;
}

namespace {

// When the first and the last event were.
struct Extent final : TraceSink {
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;

    void begin(const TraceInfo& info) override { first_ns = last_ns = info.start_ns; }
    void consume(std::span<const TraceRecord> records) override {
        if (!records.empty()) last_ns = std::max(last_ns, records.back().ns);
    }
};

Status read_as(const Format& format, Input& input, TraceSink& sink, TraceQuality& quality,
               const Window& window) {
    quality.format = format.name;
    if (format.read_canonical != nullptr) return format.read_canonical(input, sink, quality, window);
    Translator translator(sink, quality, window);
    add_environment(input, translator, quality);
    if (Status s = format.read(input, translator); !s) return s;
    translator.finish();
    return {};
}

// The last part begins where only a first reading can tell.
template <class Read>
Status read_part(const Window& window, TraceSink& sink, TraceQuality& quality, Read read) {
    if (!window.last_ns) return read(sink, quality, window);
    Extent extent;
    TraceQuality ignored;
    if (Status s = read(extent, ignored, Window{}); !s) return s;
    const std::int64_t from = extent.last_ns - extent.first_ns - *window.last_ns;
    return read(sink, quality, Window{.from_ns = std::max<std::int64_t>(from, 0)});
}

}  // namespace

Status read_trace(Input& input, TraceSink& sink, TraceQuality& quality, const Window& window) {
    for (const Format& format : formats()) {
        if (!format.matches(input.head())) continue;
        if (window.last_ns)
            if (Status s = input.make_seekable(); !s) return s;
        return read_part(window, sink, quality, [&](TraceSink& to, TraceQuality& q, const Window& w) {
            if (window.last_ns) input.rewind();
            return read_as(format, input, to, q, w);
        });
    }
    return Error{fmt::format("{}: not a trace that can be read; expected one of: {}", input.name(),
                             format_names())};
}

Status read_trace(const std::string& path, TraceSink& sink, TraceQuality& quality,
                  const Window& window) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error))
        return read_part(window, sink, quality, [&](TraceSink& to, TraceQuality& q, const Window& w) {
            return read_raw_pages(path, to, q, w);
        });
    auto input = Input::open(path);
    if (!input) return input.error();
    return read_trace(*input, sink, quality, window);
}

}  // namespace wakelab::trace
