#include "report/trials.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/number_text.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using nlohmann::ordered_json;

std::string range_text(const RateRange& r) {
    return fmt::format("{} .. {}", level_text(r.min), level_text(r.max));
}

ordered_json range_json(const RateRange& r) {
    return {{"median", json_number(r.median)},
            {"min", json_number(r.min)},
            {"max", json_number(r.max)}};
}

}  // namespace

double change_of(const Trials& trials, const Trial& trial) {
    return trials.before.median > 0 ? trial.after.median / trials.before.median - 1 : 0;
}

std::string trials_text(const Trials& trials) {
    if (trials.trials.empty()) return {};
    TextTable table({Align::kLeft});
    table.add({"tried", "before", "after", "change", "range after"});
    for (const Trial& t : trials.trials)
        table.add({t.experiment.arguments(), level_text(trials.before.median),
                   level_text(t.after.median), change_text(change_of(trials, t)),
                   range_text(t.after)});
    return fmt::format("{}/s, median of {} seed{} (before: {})\n", trials.unit, trials.seeds,
                       trials.seeds == 1 ? "" : "s", range_text(trials.before)) +
           table.text();
}

std::string with_trials(const std::string& json, const Trials& trials) {
    ordered_json all = ordered_json::parse(json);
    ordered_json list = ordered_json::array();
    for (const Trial& t : trials.trials)
        list.push_back({{"arguments", t.experiment.arguments()},
                        {"why", t.experiment.why},
                        {"after", range_json(t.after)},
                        {"change", json_number(change_of(trials, t))}});
    all["tried"] = {{"unit", trials.unit},
                    {"seeds", trials.seeds},
                    {"before", range_json(trials.before)},
                    {"trials", std::move(list)}};
    return all.dump(2) + "\n";
}

}  // namespace wakelab::report
