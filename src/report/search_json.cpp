#include "report/search_json.hpp"

#include <nlohmann/json.hpp>

#include "report/number_text.hpp"
#include "report/search_text.hpp"

namespace wakelab::report {

namespace {

using Json = nlohmann::ordered_json;
using lab::Verdict;

const char* verdict_key(Verdict verdict) {
    switch (verdict) {
        case Verdict::kHelps:
            return "helps";
        case Verdict::kHurts:
            return "hurts";
        case Verdict::kSmall:
            return "small";
        case Verdict::kUncertain:
            return "uncertain";
        case Verdict::kSameRun:
        case Verdict::kNotModelled:
        case Verdict::kUnread:
            break;
    }
    return "none";
}

Json values_json(const std::vector<double>& values) {
    Json all = Json::array();
    for (const double v : values) all.push_back(json_number(v));
    return all;
}

Json bound(bool known, double value) {
    return known ? Json(json_number(value)) : Json(nullptr);
}

Json effect_json(const lab::Effect& e) {
    Json knobs = Json::array();
    std::string arguments;
    for (const lab::Change& c : e.changes) {
        knobs.push_back({{"name", c.knob},
                         {"bit", c.bit == 0 ? Json(nullptr) : Json(c.bit)},
                         {"from", c.from},
                         {"to", c.to}});
        arguments += (arguments.empty() ? "" : " ") + c.arguments();
    }
    const bool ran = !e.rates.empty();
    Json json = {{"knobs", std::move(knobs)},
                 {"arguments", arguments},
                 {"rate", bound(ran, e.rate)},
                 {"gain", bound(ran, e.gain.mean)},
                 {"low", bound(e.has_interval, e.gain.low)},
                 {"high", bound(e.has_interval, e.gain.high)},
                 {"verdict", verdict_key(e.verdict)},
                 {"why", verdict_words(e.verdict)},
                 {"values", values_json(e.rates)}};
    if (e.beyond)
        json["beyond"] = {{"gain", json_number(e.beyond->mean)},
                          {"low", bound(e.has_interval, e.beyond->low)},
                          {"high", bound(e.has_interval, e.beyond->high)}};
    return json;
}

Json effects_json(const std::vector<lab::Effect>& effects) {
    Json all = Json::array();
    for (const lab::Effect& e : effects) all.push_back(effect_json(e));
    return all;
}

}  // namespace

std::string search_json(const lab::SearchResult& r) {
    const bool features = r.plan.over == lab::SearchOver::kFeatures;
    const Json all = {
        {"scenario", r.plan.base.scenario},
        {"clients", r.plan.base.clients > 0 ? Json(r.plan.base.clients) : Json(nullptr)},
        {"machine", r.plan.base.machine},
        {"scheduler", r.plan.base.scheduler},
        {"over", features ? "features" : "tunables"},
        {"mask", features ? Json(r.plan.mask) : Json(nullptr)},
        {"unit", r.unit},
        {"seeds", r.plan.seeds},
        {"confidence", lab::kSearchConfidence},
        {"comparisons", r.comparisons},
        {"base", {{"rate", json_number(r.base_rate)}, {"values", values_json(r.base_rates)}}},
        {"singles", effects_json(r.singles)},
        {"pairs", effects_json(r.pairs)}};
    return all.dump(2) + "\n";
}

}  // namespace wakelab::report
