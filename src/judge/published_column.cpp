#include "judge/published_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "metrics/stats.hpp"

namespace wakelab::judge {

Result<std::vector<PublishedCell>> cells_of(const std::vector<PublishedRow>& rows,
                                            const PublishedColumn& column) {
    std::map<std::int32_t, std::vector<double>> runs;
    std::map<std::int32_t, Role> roles;
    for (const PublishedRow& row : rows) {
        if (row.experiment != column.experiment || row.kernel != column.kernel ||
            row.variant != column.variant || row.unit != column.unit)
            continue;
        const auto clients = parse_int(row.clients);
        if (!clients || *clients < 1 || *clients > 1'000'000 || !row.number || *row.number <= 0)
            return Error{fmt::format("{}:{}: expected a client count and a positive number",
                                     row.file, row.line)};
        runs[static_cast<std::int32_t>(*clients)].push_back(*row.number);
        roles[static_cast<std::int32_t>(*clients)] = row.role;
    }
    if (runs.empty())
        return Error{fmt::format("published tables: no {} rows of {}, kernel '{}', variant '{}'",
                                 column.unit, column.experiment, column.kernel, column.variant)};
    std::vector<PublishedCell> cells;
    for (const auto& [clients, values] : runs)
        cells.push_back({.clients = clients,
                         .value = metrics::median(values),
                         .low = std::ranges::min(values),
                         .high = std::ranges::max(values),
                         .runs = values.size(),
                         .role = roles.at(clients)});
    return cells;
}

lab::RunSpec run_spec(const PublishedColumn& column, std::int32_t clients) {
    lab::RunSpec spec;
    spec.scenario = column.scenario;
    spec.clients = clients;
    spec.machine = column.machine;
    spec.scheduler = column.scheduler;
    spec.features = column.features;
    spec.tunables = column.tunables;
    spec.batch = column.batch;
    spec.pins = column.pins;
    return spec;
}

double value_of(const lab::RunResult& result, Quantity quantity) {
    return quantity == Quantity::kRate ? result.rate
                                       : static_cast<double>(result.latency_ns) / 1000;
}

}  // namespace wakelab::judge
