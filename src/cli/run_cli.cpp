#include "cli/run_cli.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/parse.hpp"

namespace wakelab::cli {

namespace {

constexpr std::string_view kRed = "\033[31m";
constexpr std::string_view kPlain = "\033[0m";

Status run_command(std::span<const std::string> args, const Output& output) {
    const auto command = parse(args);
    if (!command) return command.error();
    return (*command)(output);
}

}  // namespace

void print_error(const Output& output, std::string message) {
    std::ranges::replace(message, '\n', ' ');
    output.err(fmt::format("{}wakelab:{} {}\n", output.colour ? kRed : "",
                           output.colour ? kPlain : "", message));
}

int run_cli(std::span<const std::string> args, const Output& output) {
    int exit_status = kExitOk;
    Output with_status = output;
    with_status.exit_status = &exit_status;
    const Status status = run_command(args, with_status);
    if (status) return exit_status;
    print_error(output, status.error().message);
    return exit_status != kExitOk ? exit_status : kExitBadInput;
}

}  // namespace wakelab::cli
