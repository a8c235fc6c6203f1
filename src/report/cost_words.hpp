// The costs of a machine in words: units and meanings beside the names of its file.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "topo/machine.hpp"

namespace wakelab::report {

struct CostWords {
    std::string_view name;  // as in the file
    std::int64_t topo::Costs::*value;
    std::string_view unit;
    std::string_view meaning;
};

// Every cost, in the order of the file.
[[nodiscard]] std::span<const CostWords> cost_words();

}  // namespace wakelab::report
