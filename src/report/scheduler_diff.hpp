// What differs between two schedulers, and the table of all parameters of all schedulers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policy/registry.hpp"

namespace wakelab::report {

// One thing both schedulers can be asked about. A value is "-" where one of them does not have it.
struct DiffRow {
    std::string group;    // "rules", "features", "tunables", "hints", "build"
    std::string name;     // "wake_affine()", "SYNC_WAKEUPS", "sched_latency_ns"
    std::string section;  // of the specification; may be empty
    std::string a;
    std::string b;
};

struct SchedulerDiff {
    const policy::SchedulerInfo* a = nullptr;
    const policy::SchedulerInfo* b = nullptr;
    std::string machine;        // tunables are those on this machine
    std::vector<DiffRow> rows;  // that differ; with `all` every row
    std::size_t same = 0;       // rows that are equal
};

// `all`: also the rows that are equal.
[[nodiscard]] SchedulerDiff diff_schedulers(const policy::SchedulerInfo& a,
                                            const policy::SchedulerInfo& b,
                                            const topo::Machine& machine, bool all);
[[nodiscard]] std::string diff_text(const SchedulerDiff& diff);
// "a", "b", "machine", "rows" [{"group", "name", "section", "a", "b"}], "same".
[[nodiscard]] std::string diff_json(const SchedulerDiff& diff);

// Markdown: per family a table with every parameter of every version, then what each patch changes.
[[nodiscard]] std::string parameters_markdown();
// [{"scheduler", "family", "parameters": {NAME: value}}], patched ones included.
[[nodiscard]] std::string parameters_json();

}  // namespace wakelab::report
