#include "cli/trace_arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/argument_words.hpp"
#include "cli/progress.hpp"
#include "trace/formats/format.hpp"
#include "trace/tee.hpp"

namespace wakelab::cli {

namespace {

// When the first and the last event were.
struct Extent final : trace::TraceSink {
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;

    void begin(const trace::TraceInfo& info) override { first_ns = last_ns = info.start_ns; }
    void consume(std::span<const trace::TraceRecord> records) override {
        if (!records.empty()) last_ns = std::max(last_ns, records.back().ns);
    }
};

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

Result<trace::Window> window_of(const TraceArguments& arguments) {
    trace::Window window;
    if (!arguments.last.empty() && !(arguments.from.empty() && arguments.to.empty()))
        return Error{"--last: expected without --from and --to"};
    if (!arguments.from.empty()) {
        const auto from = parse_duration("--from", arguments.from);
        if (!from) return from.error();
        window.from_ns = from->ns;
    }
    if (!arguments.to.empty()) {
        const auto to = parse_duration("--to", arguments.to);
        if (!to) return to.error();
        if (to->ns <= window.from_ns) return Error{"--to: expected a time after --from"};
        window.to_ns = to->ns;
    }
    return window;
}

// The window that ends with the last event: known only after reading everything once.
Result<trace::Window> last_part(const TraceArguments& arguments, trace::Input& input) {
    const auto last = parse_duration("--last", arguments.last);
    if (!last) return last.error();
    if (last->ns == 0) return Error{"--last: expected more than 0"};
    if (Status s = input.make_seekable(); !s) return s.error();
    Extent extent;
    trace::TraceQuality ignored;
    if (Status s = trace::read_trace(input, extent, ignored); !s) return s.error();
    input.rewind();
    trace::Window window;
    window.from_ns = std::max<std::int64_t>(extent.last_ns - extent.first_ns - last->ns, 0);
    return window;
}

}  // namespace

bool names_recording(const std::string& what) {
    if (what == "-") return true;
    if (what.ends_with(".toml") || what.ends_with(".json")) return false;
    std::error_code ignored;
    return std::filesystem::exists(what, ignored);
}

Status read_trace_part(const TraceArguments& arguments, const Output& output,
                       trace::TraceSink& sink, trace::TraceQuality& quality) {
    auto window = window_of(arguments);
    if (!window) return window.error();
    ReadProgress progress(output, arguments.file);
    trace::Tee both({&sink, &progress});
    if (arguments.last.empty()) return trace::read_trace(arguments.file, both, quality, *window);
    auto input = trace::Input::open(arguments.file);
    if (!input) return input.error();
    window = last_part(arguments, *input);
    if (!window) return window.error();
    return trace::read_trace(*input, both, quality, *window);
}

Result<AnalysedTrace> analysed_trace(const TraceArguments& arguments, const Output& output,
                                     std::vector<trace::TraceSink*> others) {
    AnalysedTrace result;
    metrics::RunAnalysis analysis;
    others.insert(others.begin(), &analysis);
    trace::Tee all(std::move(others));
    if (Status s = read_trace_part(arguments, output, all, result.quality); !s) return s.error();
    result.summary = analysis.take();
    return result;
}

}  // namespace wakelab::cli
