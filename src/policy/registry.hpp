// The schedulers by name: what each is, its features and tunables with defaults and meaning, and how to
// build one. One explicit table in registry.cpp; a family adds its rows from its own folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "policy/kernel.hpp"
#include "policy/parameter.hpp"
#include "policy/sched_class.hpp"
#include "topo/machine.hpp"

namespace wakelab::policy {

// What becomes of a bit that a version lists.
enum class FeatureUse : std::uint8_t {
    kRead,         // it decides something
    kUnread,       // the kernel reads it nowhere: left over, or not wired up yet
    kNotModelled,  // the kernel reads it, the model does not: task groups, mutexes, CPU power
};

// "", "not read in this version", "not modelled".
[[nodiscard]] std::string_view use_words(FeatureUse use);

struct FeatureInfo {
    std::string_view name;         // the kernel's name, e.g. SYNC_WAKEUPS
    std::uint64_t bit = 0;         // value in the decimal mask of that version
    bool on = false;               // default
    std::string_view meaning;      // one line for a reader
    FeatureUse use = FeatureUse::kRead;

    // Changing the bit can change a run.
    [[nodiscard]] bool wired() const { return use == FeatureUse::kRead; }
};

// The meaning, and behind it in brackets why the bit does nothing, if so.
[[nodiscard]] std::string meaning_of(const FeatureInfo& feature);

struct TunableInfo {
    std::string name;              // the kernel's name, e.g. sched_migration_cost
    std::int64_t value = 0;        // default on the machine asked about (CPU-scaled)
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::string_view unit;         // "ns", "ms", "tasks", "0/1", ...
    std::string_view meaning;
};

// MIN_SHARES and MAX_SHARES
inline constexpr std::uint64_t kMinShares = 2;
inline constexpr std::uint64_t kMaxShares = 1 << 18;

// A task group of the scheduler (cgroup or user), cfs.md 6.8.
struct GroupInfo {
    std::string name;             // "db", or below another one: "db/batch"
    std::uint32_t parent = 0;     // as SchedTask::group: 0 none, else 1 + index of an earlier one
    std::uint64_t shares = 1024;  // kMinShares .. kMaxShares
};

// A scheduler with everything decided: the defaults of its version plus what the user changed.
struct SchedulerConfig {
    std::uint64_t features = 0;
    std::vector<TunableInfo> tunables;
    std::vector<GroupInfo> groups;
    KernelConfig kernel;
    std::uint64_t seed = 1;        // for state that a booted machine has at random (o1: sleep_avg)

    // Value of a tunable that is known to exist.
    [[nodiscard]] std::int64_t tunable(std::string_view name) const;
};

struct SchedulerInfo {
    std::string_view name;         // "cfs-2.6.25"
    std::string_view key;          // key of the spec: "V25", "2.6.22"
    std::string_view kernel;       // "2.6.25 (2008-04-16), scheduler identical in 2.6.25.4"
    std::string_view summary;      // one line
    std::vector<FeatureInfo> features;
    KernelConfig kernel_config;    // defaults of a distribution build of that age
    IpcRules ipc;
    bool has_batch = true;         // SCHED_BATCH exists (2.6.16)
    bool has_groups = false;       // FAIR_GROUP_SCHED exists (2.6.24)
    bool has_preempt = false;      // the proposed SCHED_PREEMPT exists (a patch)
    std::string_view alias = {};   // name of a kernel with the same scheduler; may be empty
    std::vector<std::string> patches = {};  // names that may follow this one's after a "+"
    std::string_view family = {};      // "cfs", "o1": whose parameters compare one by one
    std::vector<Parameter> parameters = {};  // the row in words; same names within a family
    std::function<std::vector<TunableInfo>(const topo::Machine&)> tunables;
    std::function<std::unique_ptr<SchedClass>(const SchedulerConfig&, const topo::Machine&,
                                              SchedHost&)> make;
};

struct PatchInfo {
    std::string_view name;     // "P5"
    std::string_view summary;  // one line
    bool historic = true;      // posted on the mailing list; false: ours, for comparison
};
[[nodiscard]] std::vector<PatchInfo> patch_infos();

// All schedulers without patches, oldest first.
[[nodiscard]] std::span<const SchedulerInfo> schedulers();
// Their names, each followed by its names with one patch: every rule set there is, for tests.
[[nodiscard]] std::vector<std::string> all_scheduler_names();
// A name or alias of the table, or one of them with patches ("cfs-2.6.25.4+P5"). The result lives as
// long as the program; safe from several threads.
// Error: unknown name, with the nearest names; a patch that does not apply, with those that do.
[[nodiscard]] Result<const SchedulerInfo*> find_scheduler(std::string_view name);

// Defaults of `info` on `machine`, changed by feature words (a decimal mask, NAME or NO_NAME; a mask
// replaces all bits, unknown bits are ignored as the kernel does) and tunables (name, value).
// The words hz, no_hz, high_res, preempt and sched_smt among the tunables set the kernel build.
[[nodiscard]] Result<SchedulerConfig> configure(
    const SchedulerInfo& info, const topo::Machine& machine, std::span<const std::string> features,
    std::span<const std::pair<std::string, std::int64_t>> tunables);

}  // namespace wakelab::policy
