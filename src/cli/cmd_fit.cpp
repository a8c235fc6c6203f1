#include "cli/cmd_fit.hpp"

#include <fmt/format.h>

#include "cli/progress.hpp"
#include "judge/fit.hpp"
#include "report/fit_json.hpp"
#include "report/fit_table.hpp"

namespace wakelab::cli {

Status cmd_fit(const FitArguments& arguments, const Output& output) {
    if (arguments.tables != "pgbench")
        return Error{fmt::format("fit {}: no such tables; there is: pgbench", arguments.tables)};
    const auto plan =
        judge::load_fit_plan(arguments.plan.empty() ? arguments.tables : arguments.plan);
    if (!plan) return plan.error();
    const auto rows = judge::load_published();
    if (!rows) return rows.error();
    const auto record = [&] {
        Progress progress(output, "fit");
        return judge::fit(
            *plan, judge::pgbench_columns(), *rows,
            [](const lab::RunSpec& spec) { return lab::run(spec); },
            [&](std::int64_t round, double objective, std::size_t runs) {
                progress.note(fmt::format("round {} of at most {}, objective {:.5f}, {} runs",
                                          round, plan->rounds_max, objective, runs));
            });
    }();
    if (!record) return record.error();
    output.out(arguments.json ? report::fit_json(*record) : report::fit_text(*record));
    return {};
}

}  // namespace wakelab::cli
