// wakelab show: one machine or one scheduler in full.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"

namespace wakelab::cli {

struct ShowOptions {
    std::string what;               // machine or scheduler
    std::string name;               // of it; a machine also by its path
    std::string machine = "q6600";  // scheduler: values of tunables depend on its CPUs
    bool json = false;
};

[[nodiscard]] Status cmd_show(const ShowOptions& options, const Output& output);

}  // namespace wakelab::cli
