// Distributions of delays: how many waited longer than how long, and the usual quantiles.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/html/json_view.hpp"

namespace wakelab::report::html {

struct DelayStats {
    std::string name;  // "wake-up latency"
    double count = 0;
    double mean_ns = 0;
    double max_ns = 0;
    std::vector<std::pair<double, double>> quantiles;  // share (0 .. 1), ns; ascending
};

// Shares whose quantiles make a smooth curve of so many delays; ascending.
[[nodiscard]] std::vector<double> delay_shares(double count);

// Of a LogHistogram or whatever answers the same questions.
template <class Histogram>
[[nodiscard]] DelayStats delay_stats(std::string name, const Histogram& h) {
    DelayStats d{.name = std::move(name),
                 .count = static_cast<double>(h.count()),
                 .mean_ns = h.mean_ns(),
                 .max_ns = static_cast<double>(h.max_ns()),
                 .quantiles = {}};
    if (h.count() > 0)
        for (const double share : delay_shares(d.count))
            d.quantiles.emplace_back(share, static_cast<double>(h.quantile_ns(share)));
    return d;
}
// Of run --json: "count", "p50_ns" .. "p999_ns", "max_ns", "mean_ns".
[[nodiscard]] DelayStats delay_stats_of(std::string name, const Json& histogram);

// Chart and table. Those without entries are left out; "" when all are empty.
[[nodiscard]] std::string delays_html(const std::vector<DelayStats>& delays);

}  // namespace wakelab::report::html
