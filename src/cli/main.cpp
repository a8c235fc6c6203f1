// The process around run_cli(): standard streams and the terminal.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cli/run_cli.hpp"

namespace {

bool colour_wanted() {
    const char* set = std::getenv("NO_COLOR");
    return set == nullptr || *set == '\0';
}

}  // namespace

int main(int argc, char** argv) {
    using namespace wakelab::cli;
    const bool terminal = ::isatty(STDERR_FILENO) == 1;
    const Output output{
        .out = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); },
        .err = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); },
        .colour = terminal && colour_wanted(),
        .progress = terminal};
    const int status =
        run_cli(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), output);
    // A full disk or a closed pipe shows only here; a cut-off report must not look like success.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
        print_error(output, std::string("standard output: ") + std::strerror(errno));
        return kExitBadInput;
    }
    return status;
}
