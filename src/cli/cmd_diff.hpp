// wakelab diff: what differs between two schedulers.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"

namespace wakelab::cli {

struct DiffOptions {
    std::string a;
    std::string b;
    std::string machine = "q6600";  // values of tunables depend on its CPUs
    bool all = false;               // also what is the same
    bool json = false;
};

[[nodiscard]] Status cmd_diff(const DiffOptions& options, const Output& output);

}  // namespace wakelab::cli
