#include "report/html/finding_list.hpp"

#include <fmt/format.h>

#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"

namespace wakelab::report::html {

namespace {

bool is_healthy(const std::string& id) {
    return id == "nothing-wrong" || id == "saturated";
}

// "stuck_time_share" -> "stuck time share".
std::string key_words(const std::string& key) {
    std::string words = key;
    for (char& c : words)
        if (c == '_') c = ' ';
    return shown(words);
}

std::string evidence_html(const FindingView& f) {
    if (f.evidence.empty()) return {};
    HtmlTable table("", {"evidence", "value"});
    for (const auto& [name, value] : f.evidence) {
        const bool share = name.ends_with("_share") && value >= 0 && value <= 1;
        table.add({Cell{key_words(name), "", ""}, share ? share_cell(value) : number_cell(value)});
    }
    return folded("Evidence", table.html());
}

std::string experiments_html(const FindingView& f) {
    if (f.experiments.empty()) return {};
    std::string text = "<ul class=\"try\">\n";
    for (const auto& [arguments, why] : f.experiments)
        text += fmt::format("<li>Try <code>{}</code> – {}</li>\n", shown(arguments), shown(why));
    return text + "</ul>\n";
}

std::string finding_html(const FindingView& f) {
    std::string text =
        fmt::format("<li class=\"verdict {}\"><p class=\"claim\"><b>{}</b> <span class=\"tag\">",
                    f.healthy ? "good" : "bad", shown(f.title));
    text += fmt::format("confidence {}", shown(f.confidence));
    if (f.explains && *f.explains > 0)
        text += fmt::format(", costs <strong data-v=\"{}\">{}</strong> of the machine", *f.explains,
                            share_words(*f.explains));
    text += "</span></p>\n";
    if (f.symptom.size() == 1) {
        text += fmt::format("<p>{}</p>\n", shown(f.symptom[0]));
    } else if (!f.symptom.empty()) {
        text += "<ul>\n";
        for (const std::string& s : f.symptom) text += fmt::format("<li>{}</li>\n", shown(s));
        text += "</ul>\n";
    }
    return text + experiments_html(f) + evidence_html(f) + "</li>\n";
}

}  // namespace

std::vector<FindingView> finding_views(std::span<const diag::Finding> findings) {
    std::vector<FindingView> views;
    for (const diag::Finding& f : findings) {
        FindingView v{.title = f.title,
                      .confidence = std::string(diag::to_string(f.confidence)),
                      .explains = f.explains,
                      .healthy = is_healthy(f.id),
                      .symptom = f.symptom,
                      .evidence = {},
                      .experiments = {}};
        for (const diag::Evidence& e : f.evidence) v.evidence.emplace_back(e.name, e.value);
        for (const diag::Experiment& e : f.experiments)
            v.experiments.emplace_back(e.arguments(), e.why);
        views.push_back(std::move(v));
    }
    return views;
}

std::vector<FindingView> finding_views(const Json& findings) {
    std::vector<FindingView> views;
    if (!findings.is_array()) return views;
    for (const Json& f : findings) {
        FindingView v{.title = words(f, "title"),
                      .confidence = words(f, "confidence"),
                      .explains = maybe_number(f, "explains"),
                      .healthy = is_healthy(words(f, "id")),
                      .symptom = {},
                      .evidence = {},
                      .experiments = {}};
        for (const Json& s : list(f, "symptom")) v.symptom.push_back(plain(s));
        if (const Json& evidence = member(f, "evidence"); evidence.is_object())
            for (const auto& [name, value] : evidence.items())
                if (value.is_number()) v.evidence.emplace_back(name, value.get<double>());
        for (const Json& e : list(f, "experiments"))
            v.experiments.emplace_back(words(e, "arguments"), words(e, "why"));
        views.push_back(std::move(v));
    }
    return views;
}

std::string findings_html(const std::vector<FindingView>& findings) {
    std::string text = "<ol class=\"verdicts\">\n";
    for (const FindingView& f : findings) text += finding_html(f);
    return text + "</ol>\n";
}

}  // namespace wakelab::report::html
