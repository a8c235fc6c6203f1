// The grammar of the command line, in CLI11 (which only command_set.hpp includes).
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/result.hpp"
#include "cli/output.hpp"

namespace wakelab::cli {

// What the arguments ask for, done when called.
using Command = std::function<Status(const Output&)>;

// `args` without the program's name. Error: one line. Asking for help or the version is a command.
[[nodiscard]] Result<Command> parse(std::span<const std::string> args);

}  // namespace wakelab::cli
