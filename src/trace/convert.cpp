#include "trace/convert.hpp"

#include <algorithm>

#include "trace/formats/format.hpp"
#include "trace/formats/writer.hpp"

namespace wakelab::trace {

namespace {

// Passes on the records of the counted part.
class WindowCut final : public TraceSink {
 public:
    explicit WindowCut(TraceSink& to) : to_(to) {}

    void begin(const TraceInfo& info) override {
        start_ns_ = info.start_ns;
        end_ns_ = info.end_ns > 0 ? info.end_ns : INT64_MAX;
        to_.begin(info);
    }
    void add_cpus(std::uint32_t cpus) override { to_.add_cpus(cpus); }
    void add_task(std::uint32_t task, std::string_view name) override { to_.add_task(task, name); }
    void rename_task(std::uint32_t task, std::string_view name) override { to_.rename_task(task, name); }
    void describe_task(std::uint32_t task, const TaskFacts& facts) override {
        to_.describe_task(task, facts);
    }
    void consume(std::span<const TraceRecord> records) override {
        const auto first = std::ranges::lower_bound(records, start_ns_, {}, &TraceRecord::ns);
        const auto last = std::ranges::lower_bound(records, end_ns_, {}, &TraceRecord::ns);
        if (first < last) to_.consume(std::span(first, last));
    }
    void finish(std::int64_t end_ns) override { to_.finish(std::min(end_ns, end_ns_)); }

 private:
    TraceSink& to_;
    std::int64_t start_ns_ = 0, end_ns_ = INT64_MAX;
};

}  // namespace

Status convert(const std::string& from, const std::string& to, TraceQuality& quality,
               const ConvertOptions& options) {
    const auto format = find_writer(to, options.format);
    if (!format) return format.error();
    auto writer = (*format)->open(to, quality);
    if (!writer) return writer.error();
    WindowCut cut(**writer);
    TraceSink& sink = options.window.is_all() ? static_cast<TraceSink&>(**writer) : cut;
    if (Status s = read_trace(from, sink, quality, options.window); !s) return s;
    return (*writer)->close();
}

}  // namespace wakelab::trace
