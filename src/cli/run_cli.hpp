// The program without its process: parses arguments, runs the command, turns an error into one
// line.
#pragma once

#include <span>
#include <string>

#include "cli/output.hpp"

namespace wakelab::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitBadInput = 2;

// `args` without the program's name. Returns the exit status.
int run_cli(std::span<const std::string> args, const Output& output);

// "wakelab: MESSAGE" on standard error; line ends within the message become blanks.
void print_error(const Output& output, std::string message);

}  // namespace wakelab::cli
