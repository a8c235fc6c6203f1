// Parts that pages of runs share: the block of large numbers, bars in tables, the head.
#pragma once

#include <string>
#include <string_view>

#include "report/html/html_page.hpp"
#include "report/html/json_view.hpp"

namespace wakelab::report::html {

class KeyNumbers {
 public:
    // `name` is bytes, `html` what is shown for `value`, `note` HTML below it or empty.
    void add(std::string_view name, double value, std::string_view html, std::string_view note);
    [[nodiscard]] std::string html() const;

 private:
    std::string items_;
};

// A share (0 .. 1) with a bar.
[[nodiscard]] Cell bar_cell(double share);

// Title and facts from "run" of a result file, which names scenario, machine, scheduler ..
[[nodiscard]] PageHead run_head(const Json& result, const std::string& title,
                                const std::string& fallback);

}  // namespace wakelab::report::html
