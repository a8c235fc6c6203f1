// wakelab fit: machine and workload costs that explain the published cells meant for fitting.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"

namespace wakelab::cli {

struct FitArguments {
    std::string tables = "pgbench";
    std::string plan;  // name or path; empty: the plan called like the tables
    bool json = false;
};

[[nodiscard]] Status cmd_fit(const FitArguments& arguments, const Output& output);

}  // namespace wakelab::cli
