#include "report/wait_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "diag/words.hpp"
#include "report/text_table.hpp"
#include "report/trace_text.hpp"

namespace wakelab::report {

namespace {

using diag::duration_words;
using metrics::RunMetrics;
using metrics::WaitCase;
using trace::kNobody;

constexpr std::size_t kInsteadNamed = 2;

std::string time_words(std::int64_t ns) {
    return duration_words(static_cast<double>(ns));
}

std::string instead_words(const RunMetrics& m, const WaitCase& w) {
    std::string text;
    for (std::size_t i = 0; i < kInsteadNamed && w.instead[i].ns > 0; ++i) {
        const std::uint32_t task = w.instead[i].task;
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ",
                            task == kNobody                        ? "idle"
                            : task == metrics::WaitCases::kNotKnown ? "unknown"
                                                                    : printable(m.task_name(task)),
                            time_words(w.instead[i].ns));
    }
    if (w.not_kept_ns > w.wait_ns / 2) text += text.empty() ? "not kept" : ", before that not kept";
    return text;
}

std::vector<std::string> row(const RunMetrics& m, const WaitCase& w) {
    const bool woken = w.why == metrics::QueuedBy::kWakeup;
    return {diag::moment_words(w.from_ns - m.start_ns),
            printable(m.task_name(w.task)),
            time_words(w.wait_ns),
            w.cpu == w.ran_cpu ? fmt::format("{}", w.cpu) : fmt::format("{}->{}", w.cpu, w.ran_cpu),
            !woken                ? "(preempted)"
            : w.waker == kNobody ? "(interrupt)"
                                 : printable(m.task_name(w.waker)),
            w.idle_cpu == kNobody ? "-"
                                  : fmt::format("CPU {} {}", w.idle_cpu, time_words(w.idle_ns)),
            instead_words(m, w)};
}

}  // namespace

std::string wait_cases_table(const RunMetrics& m, std::size_t rows) {
    TextTable t({Align::kRight, Align::kLeft, Align::kRight, Align::kLeft, Align::kLeft, Align::kLeft,
                 Align::kLeft});
    t.add({"from", "task", "waited", "CPU", "woken by", "idle meanwhile", "ran instead"});
    for (const auto* cases : {&m.worst_wakeups, &m.worst_preemptions})
        for (std::size_t i = 0; i < cases->size() && i < rows; ++i) t.add(row(m, (*cases)[i]));
    return m.worst_wakeups.empty() && m.worst_preemptions.empty() ? "  no task waited\n" : t.text(2);
}

std::string top_text(const RunMetrics& m, const trace::TraceQuality& quality,
                     std::string_view source, std::size_t rows) {
    return quality_text(m, quality, source) + "\n" + wait_cases_table(m, rows);
}

}  // namespace wakelab::report
