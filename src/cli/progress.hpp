// A progress line on standard error, for work that takes longer than a second at a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "cli/output.hpp"
#include "lab/sweep.hpp"

namespace wakelab::cli {

class Progress {
 public:
    // `what`: in front of the bar, e.g. "compare".
    Progress(const Output& output, std::string what);
    ~Progress();  // clears the line
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // For SweepOptions; must not outlive this object.
    [[nodiscard]] lab::Progress callback();
    // A line without a bar, for work whose length is not known.
    void note(std::string_view text);

 private:
    [[nodiscard]] bool is_due();
    void draw(std::string_view text);

    const Output& output_;
    std::string what_;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point drawn_;
    bool visible_ = false;
};

}  // namespace wakelab::cli
