// wakelab list: the names that other commands take.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"

namespace wakelab::cli {

struct ListOptions {
    std::string what;       // schedulers, patches, parameters, workloads, machines or features
    std::string scheduler;  // features: of this one, with meanings; empty: a column for each
    bool json = false;
};

[[nodiscard]] Status cmd_list(const ListOptions& options, const Output& output);

}  // namespace wakelab::cli
