#include "report/compare_json.hpp"

#include <nlohmann/json.hpp>
#include <optional>

#include "report/number_text.hpp"

namespace wakelab::report {

namespace {

using Json = nlohmann::ordered_json;

Json change(const std::optional<double>& ratio) {
    return ratio ? Json(json_number(*ratio - 1)) : Json(nullptr);
}

Json cell_json(const std::string& label, const lab::CompareCell& cell) {
    Json values = Json::array();
    for (const double v : cell.values) values.push_back(json_number(v));
    return {{"variant", label},
            {"n", cell.values.size()},
            {"median", json_number(cell.median)},
            {"mean", json_number(cell.mean)},
            {"stddev", json_number(cell.stddev)},
            {"coefficient_of_variation", json_number(cell.variation)},
            {"min", json_number(cell.min)},
            {"max", json_number(cell.max)},
            {"change", change(cell.ratio)},
            {"significant", cell.significant},
            {"two_humps", cell.two_humps},
            {"values", std::move(values)}};
}

}  // namespace

std::string compare_json(const lab::Comparison& c) {
    const bool rate = c.kind == lab::MetricKind::kRate;
    Json levels = Json::array();
    for (std::size_t l = 0; l < c.loads.size(); ++l) {
        Json cells = Json::array();
        for (std::size_t v = 0; v < c.labels.size(); ++v)
            cells.push_back(cell_json(c.labels[v], c.cells[l][v]));
        levels.push_back(Json{{"clients", c.loads[l]}, {"cells", std::move(cells)}});
    }
    Json means = Json::array();
    for (const std::optional<double>& ratio : c.mean_ratio) means.push_back(change(ratio));
    const Json all = {{"title", c.title},
                      {"metric", c.metric},
                      {"unit", c.unit},
                      {"better", rate ? "higher" : "lower"},
                      {"mean", rate ? "harmonic" : "arithmetic"},
                      {"significance", "Welch interval of the difference of means"},
                      {"confidence", c.confidence},
                      {"baseline", c.labels.front()},
                      {"variants", c.labels},
                      {"seeds", c.seeds},
                      {"few_seeds", c.few_seeds()},
                      {"levels", std::move(levels)},
                      {"mean_change", std::move(means)}};
    return all.dump(2) + "\n";
}

}  // namespace wakelab::report
