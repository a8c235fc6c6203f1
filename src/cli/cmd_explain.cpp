#include "cli/cmd_explain.hpp"

#include "cli/explained_run.hpp"
#include "cli/progress.hpp"
#include "report/explain_text.hpp"
#include "report/trials.hpp"

namespace wakelab::cli {

Status cmd_explain(const ExplainOptions& options, const Output& output) {
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
