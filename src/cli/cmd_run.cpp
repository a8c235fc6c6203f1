#include "cli/cmd_run.hpp"

#include <fmt/format.h>

#include "cli/explained_run.hpp"
#include "report/run_table.hpp"

namespace wakelab::cli {

Status cmd_run(const RunOptions& options, const Output& output) {
    auto spec = to_spec(options.spec);
    if (!spec) return spec.error();
    if (Status s = check_spec(*spec); !s) return s;
    const auto run = analysed_run(*spec);
    if (!run) return run.error();
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
