// What `wakelab fit` may change, and within which physical bounds: data/fit/NAME.toml.
//
//   [search]                        # every key may be missing
//   seeds = [1, 2, 3]
//   warmup_ms = 1000
//   duration_ms = 1000
//   pull = 0.02                     # weight of the distance from the start values
//   rounds_max = 20
//
//   [[parameter]]                   # all keys required
//   file = "machine q6600"          # or "machine *" (every machine), "workload pgbench"
//   key = "costs.line_far"          # as in that file
//   start = 120
//   lo = 80
//   hi = 160
//   bound_source = "netperf: (11.63 - 3.92) us / 64 lines"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace wakelab::judge {

struct FitParameter {
    enum class Kind : std::uint8_t { kMachine, kWorkload };
    // As the name of a machine: one value for all of them, e.g. the path of a system call.
    static constexpr std::string_view kEveryMachine = "*";
    Kind kind = Kind::kMachine;
    std::string name;  // of the machine or workload
    std::string key;   // within its file
    std::int64_t start = 0;
    std::int64_t lo = 0;  // lo <= start <= hi, lo < hi
    std::int64_t hi = 0;
    std::string bound_source;  // why the truth must lie within the bounds

    // Key of RunSpec::overrides: "machine.costs.line_far".
    [[nodiscard]] std::string override_key() const;
    // "machine q6600 costs.line_far", for records and errors.
    [[nodiscard]] std::string describe() const;
};

struct FitPlan {
    std::vector<FitParameter> parameters;
    std::vector<std::uint64_t> seeds = {1, 2, 3};
    Duration warmup = 1_s;
    Duration duration = 1_s;
    double pull = 0.02;
    std::int64_t rounds_max = 20;
};

// Errors are one line: "file:line: field: what was expected".
[[nodiscard]] Result<FitPlan> parse_fit_plan(std::string_view toml, std::string_view origin);
// `name_or_path`: a plan of data/fit, or a path ending in .toml.
[[nodiscard]] Result<FitPlan> load_fit_plan(const std::string& name_or_path);

}  // namespace wakelab::judge
