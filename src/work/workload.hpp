// What a scenario runs: creates its tasks, kernel objects and programs on an engine.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "sim/sys.hpp"

namespace wakelab::work {

// Policy and affinity that the user asked for, by task name. A name selects itself, its numbered
// instances ("postgres" selects postgres-0, postgres-1 ..) or, as "all", every task.
class TaskChoices {
 public:
    // `cpus`: a list like "0", "1-3", "0,2-3" of CPUs below `cpu_count`.
    Status pin(std::string_view name, std::string_view cpus, std::uint32_t cpu_count);
    // `word`: normal, batch, idle, preempt, fifo=PRIO, rr=PRIO (1 .. 99) or nice=N (-20 .. 19).
    Status policy(std::string_view name, std::string_view word);
    // `index`: as SchedTask::group.
    void group(std::string_view name, std::uint32_t index) { groups_.push_back({std::string(name), index}); }
    // Applies the choices to a task about to be created. A pinned task starts on the first CPU of its
    // mask, where set_cpus_allowed() of that age moves it.
    void apply(sim::Engine::TaskSpec& spec);
    // Names that selected no task; an error of the user.
    [[nodiscard]] std::vector<std::string> unused() const;

 private:
    struct Pin {
        std::string name;
        topo::CpuMask mask;
        bool used = false;
    };
    struct Change {
        std::string name;
        std::optional<policy::SchedPolicy> policy;  // else nice
        std::int8_t value = 0;                      // nice, or the real-time priority
        bool used = false;
    };
    struct Membership {
        std::string name;
        std::uint32_t group = 0;
        bool used = false;
    };
    std::vector<Pin> pins_;
    std::vector<Membership> groups_;
    std::vector<Change> changes_;
};

// "0,2-3" as a mask. Error: not such a list, or a CPU that the machine does not have.
[[nodiscard]] Result<topo::CpuMask> parse_cpu_list(std::string_view text, std::uint32_t cpu_count);

class WorkloadModel {
 public:
    virtual ~WorkloadModel() = default;
    // Creates tasks and programs. The model owns what they use and must outlive the run.
    virtual void build(sim::Engine& engine, TaskChoices& choices) = 0;
    // What one unit of work is called, in the plural: "transactions".
    [[nodiscard]] virtual std::string_view unit() const = 0;
    // After the run: the time that a latency program reports; 0: it reports none.
    [[nodiscard]] virtual std::int64_t latency_ns() const { return 0; }
    // After the run: what the program itself would print, as text; most print nothing.
    [[nodiscard]] virtual std::string log_table() const { return {}; }
};

}  // namespace wakelab::work
