// The moment a run collapses: from then on about one CPU works although more tasks are runnable. What
// makes it so is the business of other rules; this one says when it began and how it was before.
#include <fmt/format.h>

#include <algorithm>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr std::uint32_t kWindows = 64;   // the run is looked at in so many parts
constexpr double kSerialBusy = 1.35;     // CPUs: "about one"
constexpr double kWaiting = 1.2;         // tasks that wait, mean
constexpr double kShare = 0.2;           // of the run, to be worth a word

struct Window {
    double busy = 0;     // CPUs, mean
    double waiting = 0;  // tasks, mean
    double wakeups = 0;
    [[nodiscard]] bool is_serial() const { return busy < kSerialBusy && waiting > kWaiting; }
};

std::uint32_t buckets_per_window(const metrics::LoadSeries& load) {
    return std::max(1u, (load.size() + kWindows - 1) / kWindows);
}

std::vector<Window> windows_of(const metrics::LoadSeries& load) {
    const std::uint32_t per = buckets_per_window(load);
    std::vector<Window> windows;
    for (std::uint32_t from = 0; from + per <= load.size(); from += per) {
        metrics::LoadBucket sum;
        Window w;
        for (std::uint32_t b = from; b < from + per; ++b) {
            sum.add(load.sum(b));
            w.wakeups += load.flow(b).wakeups;
        }
        const double ns = static_cast<double>(load.bucket_ns()) * per;
        w.busy = static_cast<double>(sum.busy_ns) / ns;
        w.waiting = static_cast<double>(sum.queued_ns) / ns;
        windows.push_back(w);
    }
    return windows;
}

struct Phase {
    std::size_t from = 0;
    std::size_t size = 0;
};

// The longest stretch of serial windows; one odd window does not end it.
Phase longest_phase(const std::vector<Window>& windows) {
    Phase longest;
    Phase now;
    std::size_t odd = 0;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        if (windows[i].is_serial()) {
            if (now.size == 0) now.from = i;
            now.size = i + 1 - now.from;
            odd = 0;
        } else if (++odd > 1) {
            now = {};
        }
        if (now.size > longest.size) longest = now;
    }
    return longest;
}

double mean_busy(const std::vector<Window>& windows, std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += windows[i].busy;
    return to > from ? sum / static_cast<double>(to - from) : 0;
}

// "1 CPU was", "3.9 CPUs were"
std::string cpus_were(double busy) {
    const std::string words = rate_words(busy);
    return words + (words == "1" ? " CPU was" : " CPUs were");
}

}  // namespace

std::optional<Finding> find_serialisation(const Case& c) {
    const metrics::RunMetrics& m = c.run.metrics;
    if (m.cpus.size() < 2) return {};
    const std::vector<Window> windows = windows_of(m.load);
    Phase phase = longest_phase(windows);
    // About one CPU before it, too: it did not begin there, other windows only interrupt it.
    if (mean_busy(windows, 0, phase.from) < kSerialBusy) phase = {0, phase.from + phase.size};
    const double share =
        windows.empty() ? 0 : static_cast<double>(phase.size) / static_cast<double>(windows.size());
    // With an idle CPU within reach: else one CPU is all that the tasks may use.
    const double stuck =
        static_cast<double>(m.idle.stuck_time_ns) / static_cast<double>(m.duration_ns());
    if (share < kShare || stuck < kShare / 2) return {};
    double waiting = 0;
    for (std::size_t i = phase.from; i < phase.from + phase.size; ++i)
        waiting += windows[i].waiting / static_cast<double>(phase.size);
    const double busy = mean_busy(windows, phase.from, phase.from + phase.size);
    const std::int64_t window_ns = m.load.bucket_ns() * buckets_per_window(m.load);
    const std::int64_t onset_ns = window_ns * static_cast<std::int64_t>(phase.from);

    Finding f;
    f.id = "serialised";
    f.title = "About one CPU does the work of all";
    f.symptom.push_back(
        phase.from == 0
            ? fmt::format("From the start on {} busy while {} tasks waited on average.",
                          cpus_were(busy), rate_words(waiting))
            : fmt::format("From {} on {} busy while {} tasks waited on average; before that {}.",
                          moment_words(onset_ns), cpus_were(busy), rate_words(waiting),
                          cpus_were(mean_busy(windows, 0, phase.from))));
    f.symptom.push_back(fmt::format("That lasted {} of the run.", share_words(share)));
    f.evidence = {{"onset_s", static_cast<double>(onset_ns) * 1e-9},
                  {"serial_share", share},
                  {"busy_cpus_before", mean_busy(windows, 0, phase.from)},
                  {"busy_cpus_after", busy},
                  {"waiting_tasks_after", waiting}};
    f.confidence = busy < 1.15 ? Confidence::kHigh : Confidence::kMedium;
    f.cases.push_back({.at_ns = onset_ns,
                       .length_ns = window_ns * static_cast<std::int64_t>(phase.size),
                       .task = ~0u,
                       .cpu = ~0u,
                       .words = fmt::format("{} of {} CPUs busy, {} tasks waiting", rate_words(busy),
                                            m.cpus.size(), rate_words(waiting))});
    return f;
}

}  // namespace wakelab::diag
