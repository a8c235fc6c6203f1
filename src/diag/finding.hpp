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
    std::string why;                                             // what it does, one clause

    // "--features NO_SYNC_WAKEUPS"
    [[nodiscard]] std::string arguments() const;
};

enum class Confidence : std::uint8_t { kLow, kMedium, kHigh };

struct Evidence {
    std::string name;  // key of JSON, units last: "cut_wait_us_mean"
    double value = 0;
};

struct Finding {
    std::string id;  // "stacked-wakeups"
    std::string title;
    std::vector<std::string> symptom;  // sentences
    std::vector<Evidence> evidence;
    Confidence confidence = Confidence::kMedium;
    // Share of the CPU time of all CPUs (0 .. 1) that this wastes directly; nothing when the events
    // do not tell. Shares of findings overlap, and a closed loop may gain more than the share.
    std::optional<double> explains;
    std::vector<Experiment> experiments;  // most promising first
};

[[nodiscard]] std::string_view to_string(Confidence confidence);

}  // namespace wakelab::diag
