// wakelab quickstart: why pgbench collapsed on the Linux of 2008, told with runs made on the spot.
#pragma once

#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"

namespace wakelab::cli {

struct QuickstartOptions {
    std::string output = "wakelab-quickstart.md";
    bool json = false;
};

[[nodiscard]] Status cmd_quickstart(const QuickstartOptions& options, const Output& output);

}  // namespace wakelab::cli
