// Two tasks that wake only each other and live in different caches: every message crosses between
// them. Events do not show what that costs; the experiment does.
#include <fmt/format.h>

#include <algorithm>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr double kFarShare = 0.5;
constexpr std::uint64_t kEnough = 100;  // wake-ups

std::string task_name(const metrics::RunMetrics& m, std::uint32_t task) {
    return task < m.task_names.size() && !m.task_names[task].empty() ? m.task_names[task]
                                                                     : fmt::format("task {}", task);
}

// CPUs of the first cache with at least two, as an argument: "0,1". Empty: there is none.
std::string shared_cache_cpus(const std::vector<std::uint32_t>& cache_of) {
    for (const std::uint32_t cache : cache_of) {
        if (std::ranges::count(cache_of, cache) < 2) continue;
        std::string text;
        for (std::uint32_t cpu = 0; cpu < cache_of.size(); ++cpu)
            if (cache_of[cpu] == cache) text += fmt::format("{}{}", text.empty() ? "" : ",", cpu);
        return text;
    }
    return {};
}

}  // namespace

std::optional<Finding> find_split_pairs(const Case& c) {
    const metrics::RunMetrics& m = c.run.metrics;
    const metrics::Waker* worst = nullptr;
    std::uint64_t pairs = 0;
    for (const metrics::Waker& w : c.run.graph.wakers) {
        const auto& p = w.placed;
        if (w.role != metrics::WakeRole::kOneToOne || p.wakeups < kEnough) continue;
        if (static_cast<double>(p.far) < kFarShare * static_cast<double>(p.wakeups)) continue;
        ++pairs;
        if (worst == nullptr || p.far > worst->placed.far) worst = &w;
    }
    if (worst == nullptr) return {};
    const auto partner = std::ranges::max_element(worst->edges, {}, &metrics::WakeEdge::wakeups);
    const std::string a = task_name(m, worst->task);
    const std::string b = task_name(m, partner->wakee);
    const double far =
        static_cast<double>(worst->placed.far) / static_cast<double>(worst->placed.wakeups);

    Finding f;
    f.id = "split-pairs";
    f.title = fmt::format("{} and {} wake only each other but live in different caches", a, b);
    f.symptom.push_back(
        fmt::format("{} of the {} wake-ups a second of {} by {} crossed from one cache to another; "
                    "what they share "
                    "has to follow every time.",
                    share_words(far), rate_words(m.per_second(worst->placed.wakeups)), b, a));
    if (pairs > 2)
        f.symptom.push_back(fmt::format("The same holds for {} more wakers.", pairs - 1));
    f.evidence = {{"far_share", far}, {"split_wakers", static_cast<double>(pairs)}};
    f.groups = {m.groups.group_of(worst->task), m.groups.group_of(partner->wakee)};
    f.confidence = Confidence::kLow;
    if (const std::string cpus = shared_cache_cpus(c.run.cache_of); !cpus.empty()) {
        Experiment e;
        e.pins = {{a, cpus}, {b, cpus}};
        e.why = "keeps the pair in one cache";
        f.experiments.push_back(std::move(e));
    }
    return f;
}

}  // namespace wakelab::diag
