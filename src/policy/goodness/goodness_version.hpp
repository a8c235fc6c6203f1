// What distinguishes the schedulers of Linux 2.4: one row of data per kernel (goodness.md 0). The
// code reads these fields and never a version name.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace wakelab::policy::goodness {

// What goodness() counts as the dynamic part of a priority (goodness.md 2, 11).
enum class Credit : std::uint8_t {
    kCounter,  // the ticks that are left: one number is slice and bonus
    kDynPrio,  // dyn-sched: time_slice and dyn_prio are two numbers
};

struct GoodnessVersion {
    std::string_view name;  // registry name
    std::string_view key;   // the spec's key
    std::string_view alias;
    std::string_view kernel;
    std::string_view summary;

    // <= 2.4.14: schedule() looks at the running task first, which wins all ties; a task that
    // still has a CPU passes for none (goodness.md 4.3).
    bool still_running = false;
    bool yield_to_tail = true;  // sched_yield() moves its caller to the end of the list (2.4.15)
    bool ht_siblings = false;   // an idle CPU whose sibling is idle is taken at once (2.4.17)
    bool insert_tail = false;   // wake-ups insert at the tail, setscheduler moves nothing (2.4.20)
    bool yield_marks = true;    // SCHED_YIELD: goodness -1 for one pass
    Credit credit = Credit::kCounter;
};

// All rows, oldest first.
[[nodiscard]] std::span<const GoodnessVersion> goodness_versions();
// Row by registry name; the name must exist.
[[nodiscard]] const GoodnessVersion& goodness_version(std::string_view name);

}  // namespace wakelab::policy::goodness
