#include <nlohmann/json.hpp>

#include "diag/waker_groups.hpp"
#include "report/explain_text.hpp"
#include "report/number_text.hpp"

namespace wakelab::report {

namespace {

using nlohmann::ordered_json;

ordered_json experiment(const diag::Experiment& e) {
    ordered_json json = {{"arguments", e.arguments()}, {"why", e.why}};
    if (!e.features.empty()) json["features"] = e.features;
    for (const auto& [name, value] : e.tunables) json["tunables"][name] = value;
    if (!e.batch.empty()) json["batch"] = e.batch;
    for (const auto& [task, cpus] : e.pins) json["pins"][task] = cpus;
    return json;
}

ordered_json finding(const diag::Finding& f) {
    ordered_json json = {{"id", f.id},
                         {"title", f.title},
                         {"symptom", f.symptom},
                         {"confidence", diag::to_string(f.confidence)},
                         {"explains", nullptr},
                         {"evidence", ordered_json::object()},
                         {"experiments", ordered_json::array()}};
    if (f.explains) json["explains"] = json_number(*f.explains);
    for (const diag::Evidence& e : f.evidence) json["evidence"][e.name] = json_number(e.value);
    for (const diag::Experiment& e : f.experiments) json["experiments"].push_back(experiment(e));
    return json;
}

ordered_json placement(const metrics::PlacementCounts& p) {
    ordered_json json = {
        {"wakeups", p.wakeups},       {"sync", p.sync},       {"moved", p.moved},
        {"onto_waker", p.onto_waker}, {"pulled", p.pulled},   {"misplaced", p.misplaced},
        {"stacked", p.stacked},       {"other_cache", p.far}, {"rules", ordered_json::array()}};
    for (std::size_t i = 0; i < p.by_rule.size(); ++i) {
        if (p.by_rule[i] == 0) continue;
        json["rules"].push_back({{"rule", to_string(static_cast<PlaceRule>(i))},
                                 {"wakeups", p.by_rule[i]},
                                 {"pulled", p.pulled_by_rule[i]},
                                 {"stacked", p.stacked_by_rule[i]}});
    }
    return json;
}

std::string_view role_name(metrics::WakeRole role) {
    switch (role) {
        case metrics::WakeRole::kNone:
            return "none";
        case metrics::WakeRole::kOneToOne:
            return "1:1";
        case metrics::WakeRole::kOneToMany:
            return "1:N";
        case metrics::WakeRole::kManyToOne:
            return "N:1";
        case metrics::WakeRole::kPipeline:
            return "pipeline";
    }
    return "none";
}

ordered_json waker(const diag::WakerGroup& g) {
    ordered_json json = {{"name", g.name},
                         {"tasks", g.tasks},
                         {"role", role_name(g.role)},
                         {"fan_out", json_number(g.fan_out)},
                         {"wakees", ordered_json::object()},
                         {"placement", placement(g.placed)},
                         {"batches", g.batch.batches},
                         {"batch_wakeups_mean", json_number(g.batch.mean_size())},
                         {"batch_wakeups_max", g.batch.largest},
                         {"batches_by_size", g.batch.by_size},
                         {"batch_cuts", g.batch.cut.cuts},
                         {"batch_cut_wait_ns", g.batch.cut.wait_ns}};
    for (const diag::WakeeShare& w : g.wakees) json["wakees"][w.name] = w.wakeups;
    return json;
}

}  // namespace

std::string explain_json(const metrics::RunSummary& run, std::span<const diag::Finding> findings,
                         const RunLabels& labels) {
    ordered_json json;
    json["run"] = ordered_json::object();
    for (const auto& [name, value] : labels) json["run"][name] = value;
    json["rate_per_s"] = json_number(run.metrics.per_second(run.metrics.work_units));
    json["unit"] = run.metrics.unit;
    json["findings"] = ordered_json::array();
    for (const diag::Finding& f : findings) json["findings"].push_back(finding(f));
    json["wakers"] = ordered_json::array();
    for (const diag::WakerGroup& g : diag::group_wakers(run)) json["wakers"].push_back(waker(g));
    json["placement"] = placement(run.graph.total);
    return json.dump(2) + "\n";
}

}  // namespace wakelab::report
