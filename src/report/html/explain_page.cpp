// What `wakelab explain --json` wrote: findings, what the proposed changes did, who wakes whom.
#include <fmt/format.h>

#include "report/html/finding_list.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"
#include "report/html/key_numbers.hpp"
#include "report/html/result_pages.hpp"
#include "report/html/wake_map.hpp"

namespace wakelab::report::html {

namespace {

std::string trials_html(const Json& tried) {
    const Json& before = member(tried, "before");
    HtmlTable table(
        fmt::format("{} a second, median of {} seeds; before: {} ({} .. {})",
                    shown(words(tried, "unit")), number_words(number(tried, "seeds")),
                    number_words(number(before, "median")), number_words(number(before, "min")),
                    number_words(number(before, "max"))),
        {"change", "after", "least", "most", "gain", "what it does"});
    for (const Json& t : list(tried, "trials")) {
        const Json& after = member(t, "after");
        const double change = number(t, "change");
        Cell gain =
            number_cell(change, fmt::format("<span class=\"delta {}\">{}</span>",
                                            change > 0 ? "up" : "down", change_words(change)));
        table.add({Cell{"<code>" + shown(words(t, "arguments")) + "</code>", "", ""},
                   number_cell(number(after, "median")), number_cell(number(after, "min")),
                   number_cell(number(after, "max")), gain, text_cell(words(t, "why"))});
    }
    return table.empty() ? "" : table.html();
}

std::string placement_html(const Json& placement) {
    const double all = number(placement, "wakeups");
    if (!(all > 0)) return {};
    HtmlTable table("Which rule chose the CPU of the wakee",
                    {"placed by", "wake-ups", "share", "pulled to the waker",
                     "stacked on it while a CPU idled"});
    for (const Json& rule : list(placement, "rules")) {
        const double wakeups = number(rule, "wakeups");
        table.add({text_cell(words(rule, "rule")),
                   number_cell(wakeups, count_words(static_cast<std::uint64_t>(wakeups))),
                   bar_cell(wakeups / all), share_cell(number(rule, "pulled") / all),
                   share_cell(number(rule, "stacked") / all)});
    }
    return table.html();
}

}  // namespace

std::string explain_page(const Json& result, const std::string& title) {
    PageHead head = run_head(result, title, "Explanation");
    const std::string trials = trials_html(member(result, "tried"));
    const std::string map = wake_map_html(wake_links(member(result, "wakers")), 0);
    const std::string placement = placement_html(member(result, "placement"));
    head.navigation = {{"verdicts", "Verdicts"}};
    if (!trials.empty()) head.navigation.emplace_back("trials", "Tried");
    if (!map.empty()) head.navigation.emplace_back("wakers", "Who wakes whom");
    if (!placement.empty()) head.navigation.emplace_back("placement", "Placement");
    const double rate = number(result, "rate_per_s");
    std::string page = page_begin(head);
    page += section_begin("verdicts", "Verdicts",
                          fmt::format("<span data-v=\"{}\">{}</span> {} a second.", rate,
                                      number_words(rate, 5), shown(words(result, "unit"))));
    page += findings_html(finding_views(member(result, "findings")));
    page += kSectionEnd;
    if (!trials.empty())
        page += section_begin("trials", "What the proposed changes do") + trials +
                std::string(kSectionEnd);
    if (!map.empty())
        page += section_begin("wakers", "Who wakes whom") + map + std::string(kSectionEnd);
    if (!placement.empty())
        page += section_begin("placement", "Placement") + placement + std::string(kSectionEnd);
    return page +
           page_end("Made by wakelab from the result of <code>wakelab explain --json</code>.");
}

}  // namespace wakelab::report::html
