#include "report/html/worst_waits.hpp"

#include <fmt/format.h>

#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"

namespace wakelab::report::html {

std::string worst_waits_html(std::string_view caption, const std::vector<WorstWait>& waits) {
    constexpr std::size_t kShown = 6;
    if (waits.empty()) return {};
    HtmlTable table(std::string(caption), {"task", "waited", "from", "on CPU", "woken by",
                                           "who ran instead", "idle meanwhile"});
    for (std::size_t i = 0; i < waits.size() && i < kShown; ++i) {
        const WorstWait& w = waits[i];
        std::string instead;
        for (const auto& [name, ns] : w.instead)
            instead +=
                fmt::format("{}{} {}", instead.empty() ? "" : ", ", shown(name), time_words(ns));
        table.add(
            {text_cell(w.task), time_cell(w.wait_ns),
             number_cell(w.from_ns, fmt::format("{:.3f}\u00a0ms", w.from_ns / 1e6)),
             number_cell(w.cpu), w.waker.empty() ? empty_cell() : text_cell(w.waker),
             Cell{instead, "", "wrap"},
             w.idle_cpu < 0 || w.idle_ns <= 0
                 ? empty_cell()
                 : Cell{fmt::format("CPU {} for {}", w.idle_cpu, time_words(w.idle_ns)), "", ""}});
    }
    return table.html();
}

}  // namespace wakelab::report::html
