#include "report/explain_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diag/waker_groups.hpp"
#include "diag/words.hpp"
#include "report/finding_text.hpp"
#include "report/number_text.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using diag::rate_words;
using diag::share_words;
using diag::WakerGroup;
using metrics::WakeRole;

constexpr std::size_t kWakersShown = 6;
constexpr std::size_t kCpusShown = 8;
constexpr double kSpuriousShown = 0.05;

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
        text += "\n" + finding_text(findings[i], i + 1, false);
    text += "\nWho wakes whom\n" + wakers_text(run);
    text += "\n" + placement_table(run.graph.total);
    text += where_table(m);
    return text;
}

}  // namespace wakelab::report
