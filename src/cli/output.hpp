// Where a command writes. Tests capture it; main.cpp binds it to the terminal.
#pragma once

#include <functional>
#include <string_view>

namespace wakelab::cli {

struct Output {
    std::function<void(std::string_view)> out;  // standard output
    std::function<void(std::string_view)> err;  // standard error
    bool colour = false;                        // standard error is a terminal that may be coloured
    bool progress = false;                      // standard error is a terminal
    // What the program ends with although all went well, for a command that runs another; null: nobody asks.
    int* exit_status = nullptr;
};

}  // namespace wakelab::cli
