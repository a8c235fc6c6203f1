#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "diag/words.hpp"
#include "report/finding_text.hpp"
#include "report/trace_text.hpp"

namespace wakelab::report {

namespace {

using diag::count_words;
using diag::duration_words;
using diag::plural;
using diag::share_words;

constexpr std::size_t kSkippedNamed = 5;

std::string source_line(const metrics::RunMetrics& m, const trace::TraceQuality& q,
                        std::string_view source) {
    std::string text = fmt::format("{}: {}", printable(source),
                                   q.format.empty() ? "simulated run" : printable(q.format));
    if (!q.kernel.empty()) text += fmt::format(", kernel {}", printable(q.kernel));
    if (!q.architecture.empty()) text += fmt::format(" ({})", printable(q.architecture));
    if (!q.hostname.empty()) text += fmt::format(" on {}", printable(q.hostname));
    text += fmt::format(", {}, {}", plural(m.cpus.size(), "CPU"),
                        duration_words(static_cast<double>(m.duration_ns())));
    if (q.total_events() > 0) text += fmt::format(", {}", plural(q.total_events(), "event"));
    return text + ".";
}

std::string clock_line(const trace::TraceQuality& q) {
    if (q.format.empty()) return {};
    std::string text = q.clock.empty() ? std::string("Clock: the file does not say which")
                                       : fmt::format("Clock: {}", printable(q.clock));
    text += fmt::format("; times are multiples of {}",
                        duration_words(static_cast<double>(q.resolution_ns)));
    if (q.resolution_ns > 1) text += ", and so is every latency";
    return text + ".";
}

std::string loss_line(const metrics::RunMetrics& m, const trace::TraceQuality& q) {
    if (m.gaps.gaps == 0 && q.gaps == 0) return q.format.empty() ? "" : "No event was lost.";
    std::string text = fmt::format(
        "{} lost in {}: {} and {} across a gap are left out of every number; {} of the CPU time is "
        "unknown, neither busy nor idle.",
        q.lost_events > 0 ? fmt::format("At least {} were", plural(q.lost_events, "event"))
                          : std::string("Events were"),
        plural(std::max(q.gaps, m.gaps.gaps), "gap"), plural(m.gaps.waits, "wait"),
        plural(m.gaps.sleeps, "sleep"), share_words(unknown_share(m)));
    return text;
}

std::string repair_line(const trace::TraceQuality& q) {
    std::string text;
    const auto add = [&](std::uint64_t count, std::string_view what, std::string_view note) {
        if (count == 0) return;
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", plural(count, what), note);
    };
    add(q.inferred_migrations, "migration", " inferred from where tasks ran next");
    add(q.inferred_wakeups, "wake-up", " known from sched_waking only (latencies begin there)");
    add(q.out_of_order, "event", " out of order, taken as simultaneous");
    return text.empty() ? "" : "Repairs: " + text + ".";
}

std::string contradiction_line(const metrics::RunMetrics& m) {
    if (m.anomalies.total() == 0) return {};
    const metrics::Anomalies& a = m.anomalies;
    return fmt::format("{} contradict what went before ({} wake-ups missing, {} migrations missing, "
                       "{} wrong current tasks, {} others); the later record is believed.",
                       plural(a.total(), "record"), a.missing_wakeup, a.missing_migration,
                       a.wrong_current,
                       a.total() - a.missing_wakeup - a.missing_migration - a.wrong_current);
}

std::string damage_line(const trace::TraceQuality& q) {
    std::string text;
    if (q.damaged > 0) text += plural(q.damaged, "record") + " could not be decoded. ";
    if (q.bad_cpu > 0) text += plural(q.bad_cpu, "event") + " of impossible CPUs. ";
    if (q.truncated) text += "The file ends in the middle of something.";
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

std::string skipped_line(const trace::TraceQuality& q) {
    if (q.skipped.empty()) return {};
    std::vector<std::pair<std::string, std::uint64_t>> names(q.skipped.begin(), q.skipped.end());
    std::ranges::stable_sort(names, std::greater{}, [](const auto& n) { return n.second; });
    std::string text = "Skipped, as nothing here needs them: ";
    for (std::size_t i = 0; i < names.size() && i < kSkippedNamed; ++i)
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ", printable(names[i].first),
                            count_words(names[i].second));
    if (names.size() > kSkippedNamed)
        text += fmt::format(" and {} more kinds", names.size() - kSkippedNamed);
    return text + ".";
}

std::string affinity_line(const metrics::RunMetrics& m) {
    std::string text;
    const auto guessed = static_cast<std::uint64_t>(std::ranges::count_if(
        m.notes, [](const metrics::TaskNotes& n) { return n.guessed; }));
    if (guessed > 0)
        text = fmt::format("Affinity: {} taken for bound to a CPU by name. ", plural(guessed, "task"));
    if (m.recorded && m.affinity_changes > 0)
        text += fmt::format("{} a task ran outside of its known affinity, which was given up then. ",
                            plural(m.affinity_changes, "time"));
    if (m.ignored_masks > 0)
        text += fmt::format("{} beyond what is kept; these tasks count as free. ",
                            plural(m.ignored_masks, "affinity mask"));
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

}  // namespace

double unknown_share(const metrics::RunMetrics& m) {
    std::int64_t unknown_ns = 0;
    for (const metrics::CpuMetrics& cpu : m.cpus) unknown_ns += cpu.unknown_ns;
    return m.capacity_share(unknown_ns);
}

std::string quality_text(const metrics::RunMetrics& m, const trace::TraceQuality& quality,
                         std::string_view source) {
    std::string text = paragraph(source_line(m, quality, source), "", "  ");
    for (const std::string& line :
         {clock_line(quality), loss_line(m, quality), repair_line(quality), contradiction_line(m),
          damage_line(quality), skipped_line(quality), affinity_line(m)})
        if (!line.empty()) text += paragraph(line, "  ", "    ");
    if (m.gaps.gaps == 0 && unknown_share(m) > 0)
        text += paragraph(fmt::format("{} of the CPU time is unknown: no switch of that CPU was "
                                      "recorded.",
                                      share_words(unknown_share(m))),
                          "  ", "    ");
    for (const std::string& note : quality.notes) text += paragraph(printable(note), "  ", "    ");
    return text;
}

}  // namespace wakelab::report
