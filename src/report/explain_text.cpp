#include "report/explain_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diag/waker_groups.hpp"
#include "diag/words.hpp"
#include "report/number_text.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using diag::rate_words;
using diag::share_words;
using diag::WakerGroup;
using metrics::WakeRole;

constexpr std::size_t kWidth = 96;
constexpr std::size_t kWakersShown = 6;
constexpr std::size_t kCpusShown = 8;
constexpr double kSpuriousShown = 0.05;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Length of the first word; "97 %" and "11 200" are one.
std::size_t word_length(std::string_view text) {
    std::size_t end = text.find(' ');
    while (end != std::string_view::npos && end > 0 && end + 1 < text.size()) {
        const char next = text[end + 1];
        if (!is_digit(text[end - 1]) || (next != '%' && !is_digit(next))) return end;
        end = text.find(' ', end + 1);
    }
    return std::min(end, text.size());
}

// Words filled into lines of at most kWidth columns.
std::string paragraph(std::string_view text, std::string_view first, std::string_view indent) {
    std::string result{first};
    std::size_t column = display_width(first);
    bool line_start = true;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, word_length(text));
        const std::size_t width = display_width(word);
        if (!line_start && column + 1 + width > kWidth) {
            result += fmt::format("\n{}", indent);
            column = display_width(indent);
            line_start = true;
        }
        if (!line_start) result += ' ';
        column += width + (line_start ? 0 : 1);
        result += word;
        line_start = false;
        text.remove_prefix(std::min(word.size() + 1, text.size()));
    }
    return result + "\n";
}

std::string joined(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& s : sentences) text += (text.empty() ? "" : " ") + s;
    return text;
}

std::string finding_text(const diag::Finding& f, std::size_t number) {
    std::string note = fmt::format("confidence {}", diag::to_string(f.confidence));
    if (f.explains && *f.explains > 0)
        note += fmt::format(", costs {} of the machine", share_words(*f.explains));
    std::string text =
        paragraph(fmt::format("{} ({})", f.title, note), fmt::format("{}. ", number), "   ");
    text += paragraph(joined(f.symptom), "   ", "   ");
    for (const diag::Experiment& e : f.experiments)
        text += paragraph(fmt::format("{} - {}", e.arguments(), e.why), "   Try: ", "        ");
    return text;
}

std::string_view role_words(WakeRole role) {
    switch (role) {
        case WakeRole::kNone:
            return "";
        case WakeRole::kOneToOne:
            return ", 1:1";
        case WakeRole::kOneToMany:
            return ", 1:N";
        case WakeRole::kManyToOne:
            return ", N:1";
        case WakeRole::kPipeline:
            return ", pipeline";
    }
    return "";
}

double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string waker_text(const WakerGroup& g, const metrics::RunMetrics& m) {
    const auto& p = g.placed;
    std::string text =
        fmt::format("{} -> {}{}: {} a second, {} with the sync hint",
                    g.tasks > 1 ? fmt::format("{} ({} tasks)", g.name, g.tasks) : g.name,
                    g.objects(), role_words(g.role), rate_words(m.per_second(p.wakeups)),
                    share_words(ratio(p.sync, p.wakeups)));
    if (g.is_task && g.batch.batches > 0)
        text += fmt::format(", {} per batch", rate_words(g.batch.mean_size()));
    text += fmt::format("; wakee moved {}", share_words(ratio(p.moved, p.wakeups)));
    if (g.is_task)
        text +=
            fmt::format(", onto the waker's CPU {}", share_words(ratio(p.onto_waker, p.wakeups)));
    text += fmt::format(", to a busy CPU while another idled {}.",
                        share_words(ratio(p.misplaced, p.wakeups)));
    return paragraph(text, "  ", "    ");
}

std::string wakers_text(const metrics::RunSummary& run) {
    const std::vector<WakerGroup> wakers = diag::group_wakers(run);
    std::string text;
    for (std::size_t i = 0; i < wakers.size() && i < kWakersShown; ++i)
        text += waker_text(wakers[i], run.metrics);
    if (wakers.size() > kWakersShown)
        text += fmt::format("  ... and {} more groups of wakers\n", wakers.size() - kWakersShown);
    const metrics::RunMetrics& m = run.metrics;
    const double spurious = ratio(m.spurious_wakeups, m.wakeups + m.early_wakeups);
    if (spurious >= kSpuriousShown)
        text +=
            paragraph(fmt::format("{} of all wake-ups were spurious: the wakee found nothing to do "
                                  "and slept again.",
                                  share_words(spurious)),
                      "  ", "  ");
    return text;
}

std::string placement_table(const metrics::PlacementCounts& p) {
    TextTable t({Align::kLeft});
    t.add({"placed by", "wake-ups", "pulled to the waker", "stacked on it while a CPU idled"});
    for (std::size_t i = 0; i < p.by_rule.size(); ++i) {
        if (p.by_rule[i] == 0) continue;
        t.add({std::string(to_string(static_cast<PlaceRule>(i))),
               percent_text(ratio(p.by_rule[i], p.wakeups)),
               percent_text(ratio(p.pulled_by_rule[i], p.wakeups)),
               percent_text(ratio(p.stacked_by_rule[i], p.wakeups))});
    }
    return t.text(2);
}

// Share of each group's run time on each CPU.
std::string where_table(const metrics::RunMetrics& m) {
    if (m.cpus.size() > kCpusShown) return {};
    TextTable t({Align::kLeft});
    std::vector<std::string> head = {"ran on"};
    for (std::size_t cpu = 0; cpu < m.cpus.size(); ++cpu)
        head.push_back(fmt::format("CPU {}", cpu));
    t.add(head);
    for (std::uint32_t g = 0; g < m.groups.count(); ++g) {
        std::int64_t sum = 0;
        for (const std::int64_t ns : m.group_run_ns[g]) sum += ns;
        if (sum == 0) continue;
        std::vector<std::string> row = {m.groups.name(g)};
        for (const std::int64_t ns : m.group_run_ns[g])
            row.push_back(percent_text(static_cast<double>(ns) / static_cast<double>(sum)));
        t.add(row);
    }
    return "\n" + t.text(2);
}

}  // namespace

std::string explain_text(const metrics::RunSummary& run, std::span<const diag::Finding> findings,
                         const RunLabels& labels) {
    const metrics::RunMetrics& m = run.metrics;
    std::string text = labels_text(labels);
    text += fmt::format("\n{} {} a second; CPUs busy {}.\n", rate_words(m.per_second(m.work_units)),
                        m.unit, share_words(1 - m.idle_share()));
    for (std::size_t i = 0; i < findings.size(); ++i)
        text += "\n" + finding_text(findings[i], i + 1);
    text += "\nWho wakes whom\n" + wakers_text(run);
    text += "\n" + placement_table(run.graph.total);
    text += where_table(m);
    return text;
}

}  // namespace wakelab::report
