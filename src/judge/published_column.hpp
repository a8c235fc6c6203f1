// A column of a published table: which rows it is, and the configuration that reproduces it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "judge/published.hpp"
#include "lab/run.hpp"

namespace wakelab::judge {

// What is compared with print.
enum class Quantity : std::uint8_t {
    kRate,     // RunResult::rate, work units per second
    kLatency,  // RunResult::latency_ns, in us
};

struct PublishedColumn {
    // The rows it belongs to, with the exact texts of data/published.
    std::string experiment;
    std::string kernel;
    std::string variant;
    std::string label;  // heading in our tables; unique within an experiment
    // How to run it.
    std::string machine;  // of data/machines
    std::string scheduler;
    std::vector<std::string> features;
    std::vector<std::string> batch;
    std::vector<std::pair<std::string, std::string>> pins;
    // Empty: can be run. Else what is missing, e.g. "patch P5"; the column is then only listed.
    std::string needs;
    std::vector<std::pair<std::string, std::int64_t>> tunables = {};
    std::string scenario = "pgbench";
    std::string unit = "tps";  // of its rows; an experiment may hold rows of several programs
    Quantity quantity = Quantity::kRate;

    [[nodiscard]] bool runnable() const { return needs.empty(); }
};

// A cell of a column. Several printed runs (E13 shows two) are combined by their median.
struct PublishedCell {
    std::int32_t clients = 0;
    double value = 0;  // in the unit of the column
    double low = 0;    // smallest and largest printed run
    double high = 0;
    std::size_t runs = 0;
    Role role = Role::kPredict;
};

// The cells of `column`, by ascending client count. Error: no such rows, or a row that is no
// number; one line.
[[nodiscard]] Result<std::vector<PublishedCell>> cells_of(const std::vector<PublishedRow>& rows,
                                                          const PublishedColumn& column);

// The run that should reproduce a cell; seed and times keep their defaults.
[[nodiscard]] lab::RunSpec run_spec(const PublishedColumn& column, std::int32_t clients);

// What a run gives to compare with a cell of `quantity`.
[[nodiscard]] double value_of(const lab::RunResult& result, Quantity quantity);

}  // namespace wakelab::judge
