// wakelab validate: the simulation against published tables.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/output.hpp"

namespace wakelab::cli {

struct ValidateArguments {
    std::string tables = "pgbench";
    // With 5 the order of a pair that is nearly a tie, or has two humps, is a draw (docs/model/misfits.md).
    std::string seeds = "25";
    std::string warmup = "1s";
    std::string duration = "2s";
    std::vector<std::string> experiments;  // each may be a comma separated list; empty: all
    std::vector<std::string> schedulers;   // likewise; only the columns these run
    bool causes = false;
    std::string markdown;  // file to write; empty: none
    bool json = false;
};

[[nodiscard]] Status cmd_validate(const ValidateArguments& arguments, const Output& output);

}  // namespace wakelab::cli
