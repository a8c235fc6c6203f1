#include "cli/cmd_validate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/argument_words.hpp"
#include "cli/progress.hpp"
#include "cli/write_file.hpp"
#include "judge/validate.hpp"
#include "policy/registry.hpp"
#include "report/validate_json.hpp"
#include "report/validate_markdown.hpp"
#include "report/validate_table.hpp"

namespace wakelab::cli {

namespace {

Result<judge::ValidateOptions> options_of(const ValidateArguments& arguments) {
    const auto set = judge::find_table_set(arguments.tables);
    if (!set) return Error{"validate " + set.error().message};
    const auto seeds = parse_seed_count("--seeds", arguments.seeds);
    if (!seeds) return seeds.error();
    const auto warmup = parse_duration("--warmup", arguments.warmup);
    if (!warmup) return warmup.error();
    const auto duration = parse_duration("--duration", arguments.duration);
    if (!duration) return duration.error();
    if (duration->ns == 0) return Error{"--duration: expected more than 0"};
    return judge::ValidateOptions{.set = *set,
                                  .seeds = *seeds,
                                  .warmup = *warmup,
                                  .duration = *duration,
                                  .experiments = parse_list(arguments.experiments),
                                  .sweep = {}};
}

// The columns of `set` that `names` run; all without names.
Result<std::vector<judge::PublishedColumn>> columns_of(const judge::TableSet& set,
                                                       const std::vector<std::string>& names) {
    std::vector<judge::PublishedColumn> columns;
    for (const std::string& name : names)
        if (const auto found = policy::find_scheduler(name); !found) return found.error();
    for (const judge::PublishedColumn& c : set.columns())
        if (names.empty() || std::ranges::find(names, c.scheduler) != names.end())
            columns.push_back(c);
    if (columns.empty()) return Error{"--scheduler: no published column was measured on it"};
    return columns;
}

}  // namespace

Status cmd_validate(const ValidateArguments& arguments, const Output& output) {
    auto options = options_of(arguments);
    if (!options) return options.error();
    const auto columns = columns_of(options->set, parse_list(arguments.schedulers));
    if (!columns) return columns.error();
    const auto rows = judge::load_published();
    if (!rows) return rows.error();
    const auto report = [&] {
        Progress progress(output, "validate");
        options->sweep.progress = progress.callback();
        return judge::validate(*columns, *rows, *options,
                               [](const lab::RunSpec& spec) { return lab::run(spec); });
    }();
    if (!report) return report.error();
    if (!arguments.markdown.empty()) {
        const std::string page =
            fmt::format("# Published {} against the simulation\n\n", options->set.title) +
            report::validate_markdown(*report);
        if (Status s = write_file(arguments.markdown, page); !s) return s;
    }
    using report::ValidateDetail;
    output.out(arguments.json
                   ? report::validate_json(*report)
                   : report::validate_text(*report, arguments.causes ? ValidateDetail::kCauses
                                                                     : ValidateDetail::kRates));
    if (!arguments.json && !arguments.markdown.empty())
        output.out(fmt::format("\nAll cells: {}\n", arguments.markdown));
    return {};
}

}  // namespace wakelab::cli
