#include "cli/trace_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/argument_words.hpp"
#include "cli/progress.hpp"
#include "trace/formats/format.hpp"
#include "trace/tee.hpp"
#include "trace/threaded_sink.hpp"

namespace wakelab::cli {

namespace {

// Shows how many events have been read.
class ReadProgress final : public trace::TraceSink {
 public:
    ReadProgress(const Output& output, const std::string& file)
        : progress_(output, "reading " + file) {}
    void consume(std::span<const trace::TraceRecord> records) override {
        events_ += records.size();
        if ((events_ >> kShift) == shown_) return;
        shown_ = events_ >> kShift;
        progress_.note(fmt::format("{} million events", events_ / 1'000'000));
    }

 private:
    static constexpr int kShift = 20;
    Progress progress_;
    std::uint64_t events_ = 0;
    std::uint64_t shown_ = 0;
};

}  // namespace

bool names_recording(const std::string& what) {
    if (what == "-") return true;
    if (what.ends_with(".toml") || what.ends_with(".json")) return false;
    std::error_code ignored;
    return std::filesystem::exists(what, ignored);
}

Result<trace::Window> window_of(const TraceArguments& arguments) {
    if (!arguments.last.empty() && !(arguments.from.empty() && arguments.to.empty()))
        return Error{"--last: expected without --from and --to"};
    trace::Window window;
    const auto parse = [](std::string_view option, const std::string& text, auto& to) -> Status {
        if (text.empty()) return {};
        const auto time = parse_duration(option, text);
        if (!time) return time.error();
        to = time->ns;
        return {};
    };
    if (Status s = parse("--from", arguments.from, window.from_ns); !s) return s.error();
    if (Status s = parse("--to", arguments.to, window.to_ns); !s) return s.error();
    if (Status s = parse("--last", arguments.last, window.last_ns); !s) return s.error();
    if (window.to_ns && *window.to_ns <= window.from_ns)
        return Error{"--to: expected a time after --from"};
    if (window.last_ns && *window.last_ns == 0) return Error{"--last: expected more than 0"};
    return window;
}

Status read_trace_part(const TraceArguments& arguments, const Output& output,
                       trace::TraceSink& sink, trace::TraceQuality& quality, trace::Input* opened) {
    const auto window = window_of(arguments);
    if (!window) return window.error();
    ReadProgress progress(output, arguments.file);
    trace::Tee both({&sink, &progress});
    return opened != nullptr ? trace::read_trace(*opened, both, quality, *window)
                             : trace::read_trace(arguments.file, both, quality, *window);
}

Result<AnalysedTrace> analysed_trace(const TraceArguments& arguments, const Output& output,
                                     std::vector<trace::TraceSink*> others,
                                     trace::Input* opened) {
    AnalysedTrace result;
    metrics::RunAnalysis analysis;
    others.insert(others.begin(), &analysis);
    trace::Tee all(std::move(others));
    trace::ThreadedSink beside(all);
    if (Status s = read_trace_part(arguments, output, beside, result.quality, opened); !s)
        return s.error();
    result.summary = analysis.take();
    return result;
}

}  // namespace wakelab::cli
