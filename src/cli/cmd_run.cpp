#include "cli/cmd_run.hpp"

#include <fmt/format.h>

#include "cli/explained_run.hpp"
#include "report/run_table.hpp"
#include "trace/formats/writer.hpp"

namespace wakelab::cli {

namespace {

Result<std::unique_ptr<trace::TraceWriter>> open_writer(const RunOptions& options,
                                                        const trace::TraceQuality& quality) {
    std::optional<std::string> format;
    if (!options.trace_as.empty()) format = options.trace_as;
    const auto writer = trace::find_writer(options.trace, format);
    if (!writer) return writer.error();
    return (*writer)->open(options.trace, quality);
}

}  // namespace

Status cmd_run(const RunOptions& options, const Output& output) {
    auto spec = to_spec(options.spec);
    if (!spec) return spec.error();
    if (Status s = check_spec(*spec); !s) return s;
    trace::TraceQuality quality;
    quality.format = "simulation";
    quality.kernel = spec->scheduler;
    std::unique_ptr<trace::TraceWriter> writer;
    if (!options.trace.empty()) {
        auto opened = open_writer(options, quality);
        if (!opened) return opened.error();
        writer = std::move(*opened);
    }
    const auto run = analysed_run(*spec, writer.get());
    if (!run) return run.error();
    if (writer != nullptr)
        if (Status s = writer->close(); !s) return s;
    report::RunLabels labels = labels_of(*spec);
    // Two runs with equal fingerprints made every scheduling decision alike.
    labels.emplace_back("fingerprint", fmt::format("{:016x}", run->result.fingerprint));
    if (options.json) {
        output.out(report::run_json(run->summary.metrics, labels));
        return {};
    }
    output.out(report::run_text(run->summary.metrics, labels));
    if (!run->result.log.empty()) output.out("\n" + run->result.log);
    return {};
}

}  // namespace wakelab::cli
