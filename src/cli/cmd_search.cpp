#include "cli/cmd_search.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/argument_words.hpp"
#include "cli/progress.hpp"
#include "report/search_json.hpp"
#include "report/search_text.hpp"

namespace wakelab::cli {

namespace {

Result<lab::SearchOver> parse_over(const std::string& text) {
    if (text == "features") return lab::SearchOver::kFeatures;
    if (text == "tunables") return lab::SearchOver::kTunables;
    return Error{fmt::format("--over {}: expected features or tunables; did you mean {}?", text,
                             nearest(text, {"features", "tunables"}))};
}

}  // namespace

Result<lab::SearchPlan> plan_of(const SearchOptions& options) {
    auto base = to_spec(options.spec);
    if (!base) return base.error();
    const auto over = parse_over(options.over);
    if (!over) return over.error();
    auto seeds = parse_seed_count("--seeds", options.seeds);
    if (!seeds) return seeds.error();
    if (Status s = check_spec(*base); !s) return s.error();
    return lab::plan_search(*base, *over, options.pairs, std::move(*seeds));
}

Status cmd_search(const SearchOptions& options, const Output& output) {
    const auto plan = plan_of(options);
    if (!plan) return plan.error();
    const Result<lab::SearchResult> result = [&] {
        Progress progress(output, "search");
        return lab::search(*plan, [](const lab::RunSpec& spec) { return lab::run(spec); },
                           {.threads = 0, .progress = progress.callback()});
    }();
    if (!result) return result.error();
    output.out(options.json ? report::search_json(*result) : report::search_text(*result));
    return {};
}

}  // namespace wakelab::cli
