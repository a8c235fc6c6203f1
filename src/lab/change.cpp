#include "lab/change.hpp"

#include <fmt/format.h>

#include <set>

namespace wakelab::lab {

namespace {

struct Fraction {
    std::int64_t numerator;
    std::int64_t denominator;
};
// Wide enough to leave the plateau that a sensible default sits on.
constexpr Fraction kGrid[] = {{0, 1}, {1, 8}, {1, 4}, {1, 2}, {2, 1}, {4, 1}, {8, 1}};

std::set<std::int64_t> grid_of(const policy::TunableInfo& t) {
    if (t.min == 0 && t.max == 1) return {1 - t.value};
    if (t.unit == "mask") return {};  // bits have no multiples
    std::set<std::int64_t> values;
    for (const Fraction& f : kGrid) {
        const std::int64_t value = t.value / f.denominator * f.numerator +
                                   t.value % f.denominator * f.numerator / f.denominator;
        if (value >= t.min && value <= t.max && value != t.value) values.insert(value);
    }
    return values;
}

}  // namespace

std::string Change::arguments() const {
    std::string text;
    for (const std::string& word : features) text += " --features " + word;
    for (const auto& [name, value] : tunables) text += fmt::format(" --set {}={}", name, value);
    return text.empty() ? text : text.substr(1);
}

void Change::apply(RunSpec& spec) const {
    spec.features.insert(spec.features.end(), features.begin(), features.end());
    spec.tunables.insert(spec.tunables.end(), tunables.begin(), tunables.end());
}

std::vector<Change> feature_changes(const policy::SchedulerInfo& info,
                                    const policy::SchedulerConfig& config) {
    std::vector<Change> changes;
    for (const policy::FeatureInfo& f : info.features) {
        const bool on = (config.features & f.bit) != 0;
        Change c;
        c.knob = f.name;
        c.from = on ? "on" : "off";
        c.to = on ? "off" : "on";
        c.bit = f.bit;
        c.use = f.use;
        c.features = {(on ? "NO_" : "") + c.knob};
        changes.push_back(std::move(c));
    }
    return changes;
}

std::vector<Change> tunable_changes(const policy::SchedulerConfig& config) {
    std::vector<Change> changes;
    for (const policy::TunableInfo& t : config.tunables) {
        for (const std::int64_t value : grid_of(t)) {
            Change c;
            c.knob = t.name;
            c.from = std::to_string(t.value);
            c.to = std::to_string(value);
            c.tunables = {{t.name, value}};
            changes.push_back(std::move(c));
        }
    }
    return changes;
}

}  // namespace wakelab::lab
