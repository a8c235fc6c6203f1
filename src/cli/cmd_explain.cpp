#include "cli/cmd_explain.hpp"

#include <fmt/format.h>

#include "cli/explained_run.hpp"
#include "cli/progress.hpp"
#include "diag/diagnose.hpp"
#include "report/explain_text.hpp"
#include "report/trace_json.hpp"
#include "report/trace_text.hpp"
#include "report/trials.hpp"

namespace wakelab::cli {

namespace {

Status explain_recording(const ExplainOptions& options, const Output& output) {
    TraceArguments source = options.source;
    source.file = options.spec.scenario;
    const auto run = analysed_trace(source, output);
    if (!run) return run.error();
    diag::Knobs knobs;
    knobs.live = diag::LiveSystem::of_release(run->quality.kernel);
    const auto findings = diag::diagnose(run->summary, knobs);
    const auto report = options.json ? report::trace_json : report::trace_text;
    output.out(report(run->summary, findings, run->quality, source.file));
    return {};
}

}  // namespace

Status cmd_explain(const ExplainOptions& options, const Output& output) {
    if (names_recording(options.spec.scenario)) return explain_recording(options, output);
    const TraceArguments& part = options.source;
    if (!part.from.empty() || !part.to.empty() || !part.last.empty())
        return Error{fmt::format("{}: --from, --to and --last are for recordings; expected a trace file",
                                 options.spec.scenario)};
    auto spec = to_spec(options.spec);
    if (!spec) return spec.error();
    if (Status s = check_spec(*spec); !s) return s;
    const auto run = analysed_run(*spec);
    if (!run) return run.error();
    const auto findings = findings_of(*spec, run->summary);
    Result<report::Trials> trials = [&] {
        Progress progress(output, "trying");
        return try_experiments(*spec, experiments_to_try(findings),
                               {.threads = 0, .progress = progress.callback()});
    }();
    if (!trials) return trials.error();
    const report::RunLabels labels = labels_of(*spec);
    if (options.json) {
        output.out(
            report::with_trials(report::explain_json(run->summary, findings, labels), *trials));
        return {};
    }
    output.out(report::explain_text(run->summary, findings, labels));
    if (!trials->trials.empty())
        output.out("\nWhat the proposed changes do\n" + report::trials_text(*trials));
    return {};
}

}  // namespace wakelab::cli
