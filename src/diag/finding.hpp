// What a rule says about a run: what is seen, the numbers that show it, how sure that is, how much
// it matters, and what to change to find out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wakelab::diag {

// A change of the run that should make the symptom go away if the finding is right. Same words as
// the options of `wakelab run`.
struct Experiment {
    std::vector<std::string> features;                           // --features
    std::vector<std::pair<std::string, std::int64_t>> tunables;  // --set
    std::vector<std::string> batch;                              // --batch
    std::vector<std::pair<std::string, std::string>> pins;       // --pin TASK=CPUS
    std::string command{};  // on the recorded system instead: "chrt -b -p 0 812"
    std::string why;                                             // what it does, one clause

    // "--features NO_SYNC_WAKEUPS", or the command
    [[nodiscard]] std::string arguments() const;
};

enum class Confidence : std::uint8_t { kLow, kMedium, kHigh };

struct Evidence {
    std::string name;  // key of JSON, units last: "cut_wait_us_mean"
    double value = 0;
};

// One time that it happened, to look up in a timeline.
struct ConcreteCase {
    std::int64_t at_ns = 0;  // since the start of the counted part
    std::int64_t length_ns = 0;
    std::uint32_t task = ~0u;  // ~0: nobody in particular
    std::uint32_t cpu = ~0u;
    std::string words;  // a clause: "server-1 waited 100 ns on CPU 0, woken by driver; ..."
};

struct Finding {
    std::string id;  // "stacked-wakeups"
    std::string title;
    std::vector<std::string> symptom;  // sentences
    std::vector<Evidence> evidence;
    std::vector<std::uint32_t> groups{};  // task groups that it is about, the culprit first
    std::vector<ConcreteCase> cases{};    // worst first; may be empty
    Confidence confidence = Confidence::kMedium;
    // Share of the CPU time of all CPUs (0 .. 1) that this wastes directly; nothing when the events
    // do not tell. Shares of findings overlap, and a closed loop may gain more than the share.
    std::optional<double> explains;
    std::vector<Experiment> experiments;  // most promising first
};

[[nodiscard]] std::string_view to_string(Confidence confidence);

}  // namespace wakelab::diag
