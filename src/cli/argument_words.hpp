// The small languages of arguments. All errors are one line that begins with `option`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"

namespace wakelab::cli {

inline constexpr std::int64_t kMaxClients = 10'000;
inline constexpr std::int64_t kMaxSeeds = 1'000;

// "250us", "1.5s"; units ns, us, ms, s; up to three digits behind the point, up to 1000 s.
[[nodiscard]] Result<Duration> parse_duration(std::string_view option, std::string_view text);
// "4M", "512k", "65536": bytes; k, M and G are powers of 1024; up to 64 GiB.
[[nodiscard]] Result<std::uint64_t> parse_bytes(std::string_view option, std::string_view text);
// An integer lo .. hi; `what` names it: "a client count".
[[nodiscard]] Result<std::int64_t> parse_number(std::string_view option, std::string_view text,
                                                std::string_view what, std::int64_t lo,
                                                std::int64_t hi);
// "1,2,5-8,50": ascending, each once.
[[nodiscard]] Result<std::vector<std::int32_t>> parse_client_list(std::string_view option,
                                                                  std::string_view text);
// "sched_migration_cost=0"
[[nodiscard]] Result<std::pair<std::string, std::int64_t>> parse_setting(std::string_view option,
                                                                         std::string_view text);
// "pgbench=0", "postgres=1-3,5"; the CPUs are checked where the machine is known.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_pin(std::string_view option,
                                                                    std::string_view text);
// "postgres=batch", "pgbench=nice=-5"; the words are those of work::TaskChoices::policy.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_policy(std::string_view option,
                                                                       std::string_view text);
// "postgres=db", "postgres=db/batch=2048": a task group of that path, with that many shares.
[[nodiscard]] Result<std::pair<std::string, std::string>> parse_group(std::string_view option,
                                                                      std::string_view text);
// Puts a parsed word behind the others.
template <class Word>
[[nodiscard]] Status append(Result<Word> parsed, std::vector<Word>& words) {
    if (!parsed) return parsed.error();
    words.push_back(std::move(*parsed));
    return {};
}
// The non-empty parts of comma separated values: {"863", "NO_HRTICK,SYNC_WAKEUPS"}.
[[nodiscard]] std::vector<std::string> parse_list(const std::vector<std::string>& values);
// 1 .. count, the seeds of `--seeds COUNT`.
[[nodiscard]] Result<std::vector<std::uint64_t>> parse_seed_count(std::string_view option,
                                                                  std::string_view text);

// A scheduler with changes of its own, as in the list of `compare`:
// NAME[:CHANGE]..., where CHANGE is a feature word ("863", "NO_SYNC_WAKEUPS"), "batch=TASK",
// "pin.TASK=CPUS", "policy.TASK=POLICY", "group.TASK=GROUP" or a tunable "NAME=VALUE".
struct SchedulerWord {
    std::string label;  // as typed
    std::string name;
    std::vector<std::string> features;
    std::vector<std::pair<std::string, std::int64_t>> tunables;
    std::vector<std::string> batch;
    std::vector<std::pair<std::string, std::string>> pins;
    std::vector<std::pair<std::string, std::string>> policies;
    std::vector<std::pair<std::string, std::string>> groups;
};
[[nodiscard]] Result<SchedulerWord> parse_scheduler(std::string_view option, std::string_view text);

}  // namespace wakelab::cli
