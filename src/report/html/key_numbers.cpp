#include "report/html/key_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/html/html_text.hpp"

namespace wakelab::report::html {

void KeyNumbers::add(std::string_view name, double value, std::string_view html,
                     std::string_view note) {
    items_ += fmt::format("<div><dt>{}</dt><dd data-v=\"{}\">{}", shown(name), value, html);
    if (!note.empty()) items_ += fmt::format("<small>{}</small>", note);
    items_ += "</dd></div>\n";
}

std::string KeyNumbers::html() const {
    return items_.empty() ? "" : "<dl class=\"numbers\">\n" + items_ + "</dl>\n";
}

Cell bar_cell(double share) {
    constexpr double kBarEm = 6;
    return number_cell(
        share, fmt::format("{}<span class=\"shares\" aria-hidden=\"true\"><span class=\"share\" "
                           "style=\"width:{:.2f}em\"></span></span>",
                           share_words(share), kBarEm * std::clamp(share, 0.0, 1.0)));
}

PageHead run_head(const Json& result, const std::string& title, const std::string& fallback) {
    PageHead head;
    const Json& run = member(result, "run");
    std::string name = words(run, "scenario");
    if (!name.empty() && !words(run, "clients").empty())
        name += fmt::format(", {} clients", words(run, "clients"));
    if (!words(run, "scheduler").empty()) name += " on " + words(run, "scheduler");
    head.title = !title.empty() ? title : name.empty() ? fallback : fallback + ": " + name;
    if (run.is_object())
        for (const auto& [key, value] : run.items()) head.facts.emplace_back(key, plain(value));
    return head;
}

}  // namespace wakelab::report::html
