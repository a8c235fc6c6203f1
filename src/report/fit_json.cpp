#include "report/fit_json.hpp"

#include <nlohmann/json.hpp>

#include "report/number_text.hpp"

namespace wakelab::report {

namespace {

using nlohmann::ordered_json;

ordered_json parameter_json(const judge::FittedParameter& p) {
    const bool machine = p.parameter.kind == judge::FitParameter::Kind::kMachine;
    return {{"file", (machine ? "machine " : "workload ") + p.parameter.name},
            {"key", p.parameter.key},
            {"start", p.parameter.start},
            {"fitted", p.value},
            {"lo", p.parameter.lo},
            {"hi", p.parameter.hi},
            {"at_bound", p.at_bound()},
            {"bound_source", p.parameter.bound_source}};
}

ordered_json cell_json(const judge::FittedCell& c) {
    return {{"experiment", c.experiment},
            {"column", c.label},
            {"clients", c.clients},
            {"published", json_number(c.published)},
            {"before", json_number(c.before)},
            {"after", json_number(c.after)}};
}

}  // namespace

std::string fit_json(const judge::FitRecord& record) {
    ordered_json json = {{"objective_before", json_number(record.objective_before)},
                         {"objective_after", json_number(record.objective_after)},
                         {"rounds", record.rounds},
                         {"converged", record.converged},
                         {"runs", record.runs},
                         {"parameters", ordered_json::array()},
                         {"cells", ordered_json::array()}};
    for (const judge::FittedParameter& p : record.parameters)
        json["parameters"].push_back(parameter_json(p));
    for (const judge::FittedCell& c : record.cells) json["cells"].push_back(cell_json(c));
    return json.dump(2) + "\n";
}

}  // namespace wakelab::report
