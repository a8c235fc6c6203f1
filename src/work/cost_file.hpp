// data/workloads/NAME.toml: integers by name, all of which must be there.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/text.hpp"

namespace wakelab::work {

template <class Costs>
struct CostField {
    std::string_view name;  // as in the file
    std::int64_t Costs::*member;
};

struct CostEntry {
    std::string key;
    std::int64_t value = 0;
    std::string where;  // "FILE:LINE"
};

// The entries of the file of `workload`. Error: unreadable, or a value that is no integer.
[[nodiscard]] Result<std::vector<CostEntry>> read_cost_file(std::string_view workload);
[[nodiscard]] std::string cost_file_path(std::string_view workload);

// Sets one value by its name. Error: no such name, or negative.
template <class Costs>
Status set_cost(std::span<const CostField<Costs>> fields, std::string_view workload, Costs& costs,
                std::string_view key, std::int64_t value) {
    std::vector<std::string> names;
    for (const CostField<Costs>& f : fields) {
        names.emplace_back(f.name);
        if (f.name != key) continue;
        if (value < 0)
            return Error{fmt::format("workload {}: {}: {} is negative", workload, key, value)};
        costs.*f.member = value;
        return {};
    }
    return Error{fmt::format("workload {} has no value '{}'; did you mean {}?", workload, key,
                             nearest(key, names))};
}

template <class Costs>
Result<Costs> load_costs(std::span<const CostField<Costs>> fields, std::string_view workload) {
    const auto entries = read_cost_file(workload);
    if (!entries) return entries.error();
    Costs costs;
    for (const CostEntry& e : *entries)
        if (Status s = set_cost(fields, workload, costs, e.key, e.value); !s)
            return Error{fmt::format("{}: {}", e.where, s.error().message)};
    for (const CostField<Costs>& f : fields) {
        bool found = false;
        for (const CostEntry& e : *entries) found = found || e.key == f.name;
        if (!found)
            return Error{fmt::format("{}: {} is missing", cost_file_path(workload), f.name)};
    }
    return costs;
}

}  // namespace wakelab::work
