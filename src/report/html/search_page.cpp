// What `wakelab search --json` wrote: knobs by effect.
#include <fmt/format.h>

#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"
#include "report/html/result_pages.hpp"

namespace wakelab::report::html {

namespace {

Cell gain_cell(const Json& effect) {
    const auto gain = maybe_number(effect, "gain");
    if (!gain) return empty_cell();
    const std::string verdict = words(effect, "verdict");
    const char* kind = verdict == "helps" ? "up" : verdict == "hurts" ? "down" : "none";
    return number_cell(
        *gain, fmt::format("<span class=\"delta {}\">{}</span>", kind, change_words(*gain)));
}

Cell interval_cell(const Json& effect) {
    const auto low = maybe_number(effect, "low"), high = maybe_number(effect, "high");
    if (!low || !high) return empty_cell();
    return {fmt::format("{} .. {}", change_words(*low), change_words(*high)), "", "n"};
}

std::string effects_html(const Json& effects, std::string_view caption) {
    HtmlTable table(std::string(caption), {"change", "rate", "gain", "interval", "verdict"});
    for (const Json& e : effects) {
        const auto rate = maybe_number(e, "rate");
        table.add({Cell{"<code>" + shown(words(e, "arguments")) + "</code>", "", ""},
                   rate ? number_cell(*rate) : empty_cell(), gain_cell(e), interval_cell(e),
                   text_cell(words(e, "why"))});
    }
    return table.empty() ? "" : table.html();
}

std::string verdicts_html(const Json& result) {
    std::string text = "<ol class=\"verdicts\">\n";
    bool any = false;
    for (const Json& e : list(result, "singles")) {
        const std::string verdict = words(e, "verdict");
        if (verdict != "helps" && verdict != "hurts") continue;
        any = true;
        text += fmt::format(
            "<li class=\"verdict {}\"><p class=\"claim\"><code>{}</code> {} <strong "
            "data-v=\"{}\">{}</strong></p></li>\n",
            verdict == "helps" ? "good" : "bad", shown(words(e, "arguments")), shown(verdict),
            number(e, "gain"), change_words(number(e, "gain")));
    }
    if (!any)
        text +=
            "<li class=\"verdict flat\"><p class=\"claim\">No single change has an effect that is "
            "sure.</p></li>\n";
    return text + "</ol>\n";
}

}  // namespace

std::string search_page(const Json& result, const std::string& title) {
    const std::string name = fmt::format("{} on {}: search over {}", words(result, "scenario"),
                                         words(result, "scheduler"), words(result, "over"));
    PageHead head{.title = title.empty() ? name : title,
                  .subtitle = "",
                  .facts = {{"machine", words(result, "machine")},
                            {"clients", words(result, "clients")},
                            {"seeds", words(result, "seeds")},
                            {"comparisons", words(result, "comparisons")}},
                  .navigation = {{"verdicts", "Verdicts"}, {"effects", "Effects"}}};
    const double rate = number(member(result, "base"), "rate");
    std::string page = page_begin(head);
    page += section_begin("verdicts", "Verdicts",
                          fmt::format("Unchanged: <span data-v=\"{}\">{}</span> {} a second.", rate,
                                      number_words(rate, 5), shown(words(result, "unit"))));
    page += verdicts_html(result);
    page += kSectionEnd;
    page += section_begin("effects", "Effects");
    page += effects_html(list(result, "singles"), "One change at a time");
    page += effects_html(list(result, "pairs"), "Two changes together");
    page += kSectionEnd;
    return page +
           page_end("Made by wakelab from the result of <code>wakelab search --json</code>.");
}

}  // namespace wakelab::report::html
