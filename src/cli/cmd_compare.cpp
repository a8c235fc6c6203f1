#include "cli/cmd_compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "cli/argument_words.hpp"
#include "cli/progress.hpp"
#include "report/compare_json.hpp"
#include "report/compare_table.hpp"

namespace wakelab::cli {

namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

// The changes of the word come after those of the options, so that they win.
Result<lab::Variant> variant_of(const lab::RunSpec& common, const std::string& text) {
    const auto word = parse_scheduler("--schedulers", text);
    if (!word) return word.error();
    lab::Variant variant{word->label, common};
    variant.spec.scheduler = word->name;
    append(variant.spec.features, word->features);
    append(variant.spec.tunables, word->tunables);
    append(variant.spec.batch, word->batch);
    append(variant.spec.pins, word->pins);
    append(variant.spec.policies, word->policies);
    append(variant.spec.groups, word->groups);
    return variant;
}

Status put_baseline_first(const std::string& baseline, std::vector<lab::Variant>& variants) {
    if (baseline.empty()) return {};
    const auto at = std::ranges::find(variants, baseline, &lab::Variant::label);
    if (at != variants.end()) {
        std::rotate(variants.begin(), at, at + 1);
        return {};
    }
    std::vector<std::string> labels;
    for (const lab::Variant& v : variants) labels.push_back(v.label);
    return Error{fmt::format("--baseline {}: not among --schedulers; did you mean {}?", baseline,
                             nearest(baseline, labels))};
}

}  // namespace

Result<lab::ComparePlan> plan_of(const CompareOptions& options) {
    const auto common = to_spec(options.spec);
    if (!common) return common.error();
    const auto seeds = parse_seed_count("--seeds", options.seeds);
    if (!seeds) return seeds.error();
    lab::ComparePlan plan;
    plan.seeds = *seeds;
    plan.loads = {0};
    if (!options.clients.empty()) {
        auto loads = parse_client_list("--clients", options.clients);
        if (!loads) return loads.error();
        plan.loads = std::move(*loads);
    }
    for (const std::string& text : parse_list(options.schedulers)) {
        auto variant = variant_of(*common, text);
        if (!variant) return variant.error();
        variant->spec.clients = plan.loads.front();
        if (Status s = check_spec(variant->spec); !s) return s.error();
        // A scenario's own load is named in the tables like any other.
        plan.loads.front() = variant->spec.clients;
        plan.variants.push_back(std::move(*variant));
    }
    if (plan.variants.empty()) return Error{"--schedulers: expected at least one scheduler"};
    if (Status s = put_baseline_first(options.baseline, plan.variants); !s) return s.error();
    return plan;
}

Status cmd_compare(const CompareOptions& options, const Output& output) {
    const auto plan = plan_of(options);
    if (!plan) return plan.error();
    const Result<lab::Comparison> comparison = [&] {
        Progress progress(output, "compare");
        return lab::compare(*plan, [](const lab::RunSpec& spec) { return lab::run(spec); },
                            {.threads = 0, .progress = progress.callback()});
    }();
    if (!comparison) return comparison.error();
    output.out(options.json ? report::compare_json(*comparison)
                            : report::compare_text(*comparison));
    return {};
}

}  // namespace wakelab::cli
