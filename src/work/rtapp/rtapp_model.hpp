// What an rt-app file asks for (workloads.md 15), checked and with every default filled in. Files
// that use parts of the grammar that are not modelled are refused, never run as something else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "policy/task.hpp"
#include "topo/cpu_mask.hpp"

namespace wakelab::work::rtapp {

inline constexpr std::int64_t kForever = -1;          // as a loop count
inline constexpr std::int64_t kMaxThreads = 100'000;  // of all tasks together

enum class EventKind : std::uint8_t { kRun, kRuntime, kSleep, kTimer, kYield };

struct Event {
    EventKind kind = EventKind::kRun;
    Duration duration{};      // of run, runtime, sleep; period of a timer
    std::uint32_t timer = 0;  // index in unique_timers or shared_timers
    bool unique = false;      // which of the two
};

struct Timer {
    std::string ref;
    bool absolute = false;  // one use that says so decides for all uses
};

struct Sched {
    policy::SchedPolicy policy = policy::SchedPolicy::kNormal;
    std::int8_t nice = 0;          // kNormal, kBatch, kIdle
    std::uint8_t rt_priority = 0;  // kFifo, kRr
    bool operator==(const Sched&) const = default;
};

struct CpuList {
    topo::CpuMask mask{};
    int line = 0;
};

struct Phase {
    std::int64_t loop = 1;  // passes before the next phase, or kForever
    std::vector<Event> events;
    std::optional<Sched> sched;   // none: goes on as before
    std::optional<CpuList> cpus;  // none: those of the task
};

struct TaskModel {
    std::string name;
    std::int64_t instances = 1;
    Duration delay{};
    std::int64_t loop = kForever;  // rounds through the phases
    Sched sched;
    std::optional<CpuList> cpus;  // none: every CPU
    std::vector<Phase> phases;
    std::vector<Timer> unique_timers;  // each thread has its own
};

struct Model {
    std::optional<Duration> duration;  // none: until all threads end
    bool cumulative_slack = false;
    std::vector<TaskModel> tasks;
    std::vector<Timer> shared_timers;
};

// `origin` names the text in errors: "ORIGIN:LINE: what is wrong and what was expected".
[[nodiscard]] Result<Model> parse_model(std::string_view text, std::string_view origin);

}  // namespace wakelab::work::rtapp
