#include "report/html/html_page.hpp"

#include <fmt/format.h>

#include "report/html/html_text.hpp"
#include "report/html/web_assets.hpp"

namespace wakelab::report::html {

std::string page_begin(const PageHead& head) {
    std::string text = fmt::format(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n"
        "<meta name=\"generator\" content=\"wakelab {}\">\n"
        "<title>{} – wakelab</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n",
        WAKELAB_VERSION, shown(head.title));
    text += kReportCss;
    text += fmt::format(
        "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the content</a>\n"
        "<header>\n<h1>{}</h1>\n",
        shown(head.title));
    if (!head.subtitle.empty()) text += fmt::format("<p class=\"sub\">{}</p>\n", head.subtitle);
    if (!head.facts.empty()) {
        text += "<dl class=\"facts\">\n";
        for (const auto& [name, value] : head.facts)
            text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", shown(name), shown(value));
        text += "</dl>\n";
    }
    text += "</header>\n";
    if (head.navigation.size() > 1) {
        text += "<nav aria-label=\"Sections\"><ul>\n";
        for (const auto& [id, words] : head.navigation)
            text += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, words);
        text += "</ul></nav>\n";
    }
    return text + "<main id=\"main\" tabindex=\"-1\">\n";
}

std::string page_end(std::string_view footer) {
    return fmt::format("</main>\n<footer>{}</footer>\n</body>\n</html>\n", footer);
}

std::string section_begin(std::string_view id, std::string_view title, std::string_view lead) {
    std::string text = fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n", id);
    text += fmt::format("<h2 id=\"{}-title\">{}</h2>\n", id, title);
    if (!lead.empty()) text += fmt::format("<p class=\"lead\">{}</p>\n", lead);
    return text;
}

std::string figure(std::string_view svg, std::string_view caption) {
    return fmt::format("<figure>\n<figcaption>{}</figcaption>\n{}</figure>\n", caption, svg);
}

Cell text_cell(std::string_view bytes) {
    return {shown(bytes), "", ""};
}

Cell number_cell(double value, std::string html) {
    return {std::move(html), fmt::format("{}", value), "n"};
}

Cell number_cell(double value) {
    return number_cell(value, number_words(value));
}

Cell time_cell(double ns) {
    return number_cell(ns, time_words(ns));
}

Cell share_cell(double share) {
    return number_cell(share, share_words(share));
}

Cell empty_cell() {
    return {"<span class=\"none\">–</span>", "", "n"};
}

std::string HtmlTable::html() const {
    std::string text =
        "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table\">\n<table>\n";
    if (!caption_.empty()) text += fmt::format("<caption>{}</caption>\n", caption_);
    // Columns of numbers have their heads on the right as well.
    text += "<thead><tr>";
    for (std::size_t i = 0; i < head_.size(); ++i) {
        const bool numeric =
            !rows_.empty() && i < rows_[0].size() && rows_[0][i].style_class.starts_with('n');
        text += fmt::format("<th scope=\"col\"{}>{}</th>", numeric ? " class=\"n\"" : "", head_[i]);
    }
    text += "</tr></thead>\n<tbody>\n";
    for (const std::vector<Cell>& row : rows_) {
        text += "<tr>";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const Cell& c = row[i];
            const char* tag = i == 0 ? "th scope=\"row\"" : "td";
            text += fmt::format(
                "<{}{}{}>{}</{}>", tag,
                c.style_class.empty() ? "" : fmt::format(" class=\"{}\"", c.style_class),
                c.value.empty() ? "" : fmt::format(" data-v=\"{}\"", c.value), c.html,
                i == 0 ? "th" : "td");
        }
        text += "</tr>\n";
    }
    return text + "</tbody>\n</table>\n</div>\n";
}

std::string folded(std::string_view summary, std::string_view html) {
    return fmt::format("<details>\n<summary>{}</summary>\n{}</details>\n", summary, html);
}

}  // namespace wakelab::report::html
