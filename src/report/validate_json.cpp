#include "report/validate_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "report/number_text.hpp"

namespace wakelab::report {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) {
    return value ? Json(json_number(*value)) : Json(nullptr);
}

Json score_json(const judge::Score& s) {
    const auto error = [&](double value) {
        return s.cells > 0 ? Json(json_number(value)) : Json(nullptr);
    };
    return {{"cells", s.cells},
            {"median_error", error(s.median_error)},
            {"p90_error", error(s.p90_error)},
            {"max_error", error(s.max_error)},
            {"direction", number_or_null(s.within.share())},
            {"direction_pairs", s.within.total},
            {"direction_same", s.within.same},
            {"direction_all", number_or_null(s.all.share())},
            {"direction_all_pairs", s.all.total},
            {"direction_all_same", s.all.same},
            {"tau", number_or_null(s.tau)},
            {"tau_columns", s.tau_columns},
            {"bistable", s.bistable},
            {"bistable_in_range", s.bistable_in_range}};
}

Json cell_json(const judge::PublishedColumn& column, const judge::CellReport& cell) {
    const judge::SimulatedCell& s = *cell.simulated;
    return {{"column", column.label},
            {"kernel", column.kernel},
            {"variant", column.variant},
            {"machine", column.machine},
            {"scheduler", column.scheduler},
            {"clients", cell.published.clients},
            {"role", judge::to_string(cell.published.role)},
            {"published", json_number(cell.published.value)},
            {"published_min", json_number(cell.published.low)},
            {"published_max", json_number(cell.published.high)},
            {"published_runs", cell.published.runs},
            {"simulated", json_number(s.median)},
            {"simulated_min", json_number(s.min)},
            {"simulated_max", json_number(s.max)},
            {"error", json_number(std::abs(s.log_ratio))},
            {"log_ratio", json_number(s.log_ratio)},
            {"bistable", s.bistable},
            {"in_range", s.in_range},
            {"batch_size", json_number(s.batch)},
            {"switches_per_unit", json_number(s.switches)},
            {"migrations_per_unit", json_number(s.migrations)},
            {"spurious_per_unit", json_number(s.spurious)},
            {"busy_share", json_number(s.busy)}};
}

Json table_json(const judge::TableReport& table) {
    Json cells = Json::array();
    Json not_run = Json::array();
    for (const judge::ColumnReport& c : table.columns) {
        if (!c.column.runnable())
            not_run.push_back({{"column", c.column.label},
                               {"kernel", c.column.kernel},
                               {"variant", c.column.variant},
                               {"needs", c.column.needs}});
        for (const judge::CellReport& cell : c.cells)
            if (cell.simulated) cells.push_back(cell_json(c.column, cell));
    }
    return {{"experiment", table.experiment},
            {"predict", score_json(table.predict)},
            {"fit", score_json(table.fit)},
            {"cells", std::move(cells)},
            {"not_run", std::move(not_run)}};
}

}  // namespace

std::string validate_json(const judge::ValidationReport& report) {
    Json tables = Json::array();
    for (const judge::TableReport& table : report.tables) tables.push_back(table_json(table));
    const Json all = {{"set", report.set.name},
                      {"unit", report.set.full.unit},
                      {"seeds", report.seeds},
                      {"warmup_ms", report.warmup.ns / 1'000'000},
                      {"duration_ms", report.duration.ns / 1'000'000},
                      {"predict", score_json(report.predict)},
                      {"fit", score_json(report.fit)},
                      {"tables", std::move(tables)}};
    return all.dump(2) + "\n";
}

}  // namespace wakelab::report
