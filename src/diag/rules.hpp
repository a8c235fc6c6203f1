// The rules, one per file. A rule looks at a run and returns what it finds, or nothing. A new rule
// is a file, a declaration here and a line in diagnose.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diag/finding.hpp"
#include "diag/knobs.hpp"
#include "diag/waker_groups.hpp"
#include "metrics/run_analysis.hpp"

namespace wakelab::diag {

// Lost CPU time (metrics/README.md) by whose fault it is, as shares of the CPU time of all CPUs.
// The part of preempted tasks is divided like the rest: they wait in queues that the other two
// made.
struct LostTime {
    double placement = 0;  // the wake-up chose a busy CPU although an idle one was allowed
    double balance = 0;    // all were busy at wake-up; nobody pulled when a CPU went idle
};

struct Case {
    Case(const metrics::RunSummary& summary, const Knobs& available);

    const metrics::RunSummary& run;
    const Knobs& knobs;
    std::vector<WakerGroup> wakers;  // most wake-ups first
    LostTime lost;
};

// A 1:N waker whose wakees land on its own CPU while others idle.
std::optional<Finding> find_stacked_wakeups(const Case& c);
// A 1:N waker preempted by the tasks it has just woken, with more to wake.
std::optional<Finding> find_cut_batches(const Case& c);
// Wake-ups put wakees on busy CPUs while allowed ones idle, and no 1:N waker is behind most of
// them.
std::optional<Finding> find_misplaced_wakeups(const Case& c);
// Tasks that were queued while all CPUs were busy go on waiting after one went idle.
std::optional<Finding> find_late_balance(const Case& c);
// Tasks that move to another CPU and back, and pay for the cold cache.
std::optional<Finding> find_ping_pong(const Case& c);
// 1:1 pairs that live in different caches.
std::optional<Finding> find_split_pairs(const Case& c);
// Every CPU has work all the time.
std::optional<Finding> find_saturation(const Case& c);

// About one CPU does all the work from some moment on, although more tasks are runnable.
std::optional<Finding> find_serialisation(const Case& c);
// Tasks wait while CPUs idle that their affinity excludes.
std::optional<Finding> find_pinned(const Case& c);
// Wakees beside a busy thread of the same core while whole cores idle.
std::optional<Finding> find_busy_sibling(const Case& c);
// A per-CPU kernel thread delays others, or is delayed.
std::optional<Finding> find_kernel_thread(const Case& c);
// A task with long bursts runs while short-running ones wait.
std::optional<Finding> find_hog(const Case& c);

// What happened when, for findings that have no cases yet: from the worst waits of the run.
void add_cases(const Case& c, std::vector<Finding>& findings);
// Experiments on the recorded system, in place of those for simulated runs.
void propose_live(const Case& c, Finding& finding);

// --- shared by rules ---

[[nodiscard]] inline double ratio(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}
// The 1:N group with most stacked wake-ups; null: there is no 1:N waker.
[[nodiscard]] const WakerGroup* worst_driver(const Case& c);

// "CPU 0 was busy 100 % of the time, CPUs 1-3 2 %."
[[nodiscard]] std::string busy_sentence(const metrics::RunMetrics& m);
// Experiments that several rules propose; nothing if the scheduler has no such knob.
void try_without_feature(const Knobs& knobs, std::string_view feature, std::string why,
                         std::vector<Experiment>& out);
void try_tunable(const Knobs& knobs, std::string_view tunable, std::int64_t value, std::string why,
                 std::vector<Experiment>& out);
void try_batch(const Knobs& knobs, std::string why, std::vector<Experiment>& out);
// What may take wakees away from their waker's CPU, given how they came there.
void try_other_placement(const Knobs& knobs, const metrics::PlacementCounts& placed,
                         std::vector<Experiment>& out);

}  // namespace wakelab::diag
