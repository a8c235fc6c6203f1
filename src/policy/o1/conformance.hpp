// For tests only: reads the recorded states of the o1_* vectors (data/vectors/README.md, section 2)
// into a TestWorld, and compares what came out.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "policy/o1/test_world.hpp"
#include "support/vector_file.hpp"

namespace wakelab::policy::o1::test {

using nlohmann::json;

// Keeps the first difference of one case: "file, case 12: prio: expected 117, got 118".
class Differ {
 public:
    Differ(std::string file, std::size_t number)
        : where_(fmt::format("{}, case {}", file, number)) {}

    // Names the step that the next fields belong to.
    void step(std::size_t number, int op) { step_ = fmt::format(", step {} (op {})", number, op); }

    template <class A, class B>
    void field(std::string_view name, const A& want, const B& got) {
        const json w = want, g = got;
        if (text_.empty() && w != g)
            text_ = fmt::format("{}{}: {}: expected {}, got {}", where_, step_, name, w.dump(),
                                g.dump());
    }
    [[nodiscard]] const std::string& text() const { return text_; }

 private:
    std::string where_, step_, text_;
};

// sleep_type of 2.6.22, `activated` before.
inline int code_of(const State& s, SleepType type) {
    if (s.version.sleep_rule == SleepRule::kCeiling) return static_cast<int>(type);
    return type == SleepType::kNoninteractive ? -1
           : type == SleepType::kInteractive  ? 1
           : type == SleepType::kInterrupted  ? 2
                                              : 0;
}

inline SleepType sleep_type_of(const State& s, int code) {
    for (const SleepType type : {SleepType::kNormal, SleepType::kNoninteractive,
                                 SleepType::kInteractive, SleepType::kInterrupted})
        if (code_of(s, type) == code) return type;
    ADD_FAILURE() << "unknown sleep type " << code;
    return SleepType::kNormal;
}

inline SchedPolicy policy_of(int code) {
    constexpr SchedPolicy kCodes[] = {SchedPolicy::kNormal, SchedPolicy::kFifo, SchedPolicy::kRr,
                                      SchedPolicy::kBatch};
    return kCodes[code];
}

// A state as in TASK_INTERRUPTIBLE | TASK_NONINTERACTIVE.
inline void set_task_state(SchedTask& p, int code) {
    p.state = (code & 2) != 0 ? TaskState::kUninterruptible : TaskState::kInterruptible;
    p.noninteractive_sleep = (code & 64) != 0;
}

inline std::uint32_t flags_of(const State& s, std::uint32_t recorded) {
    if (!s.version.one_cpu_load) return recorded;
    // 2.6.9 has other bits and balances every domain.
    constexpr DomainFlag kBits[] = {kBalanceNewidle, kBalanceExec,     kWakeIdle,
                                    kWakeAffine,     kWakeBalanceFlag, kShareCpuPower};
    std::uint32_t flags = kLoadBalance;
    for (std::uint32_t i = 0; i < 6; ++i)
        if ((recorded >> i & 1) != 0) flags |= kBits[i];
    return flags;
}

inline std::vector<SchedDomain> read_domains(const State& s, const json& levels) {
    std::vector<SchedDomain> domains;
    for (const json& level : levels) {
        SchedDomain sd;
        sd.params.flags = flags_of(s, level["flags"]);
        sd.params.imbalance_pct = level["imbalance_pct"];
        sd.params.cache_nice_tries = level["cache_nice_tries"];
        sd.params.cache_hot_time_ns = level["cache_hot_time"];
        sd.params.busy_idx = level.value("busy_idx", 1u);
        sd.params.idle_idx = level.value("idle_idx", 1u);
        sd.params.newidle_idx = level.value("newidle_idx", 1u);
        sd.params.wake_idx = level.value("wake_idx", 1u);
        sd.params.max_interval_ms = sd.has(kShareCpuPower) ? 2 : 4;
        sd.nr_balance_failed = level["nr_balance_failed"];
        sd.span = topo::CpuMask::of_word(level["span"]);
        for (std::uint32_t c = 0; c < s.cpus; ++c)
            if (sd.span.test(CpuId{c})) sd.cpus.push_back(CpuId{c});
        for (const json& g : level["groups"]) {
            SchedGroup group{.mask = topo::CpuMask::of_word(g[0]), .cpus = {}, .power = g[1]};
            for (const CpuId c : sd.cpus)
                if (group.mask.test(c)) group.cpus.push_back(c);
            sd.groups.push_back(std::move(group));
        }
        domains.push_back(std::move(sd));
    }
    return domains;
}

// Columns of task_cols.
inline void read_tasks(TestWorld& w, const json& rows) {
    for (const json& row : rows) {
        SchedTask& p = w.tasks.emplace_back();
        p.id = TaskId{row[0]};
        p.cpu = CpuId{row[1]};
        p.policy = policy_of(row[2]);
        p.nice = row[3];
        p.rt_priority = row[4];
        p.is_user = row[5] == 1;
        p.allowed = topo::CpuMask::of_word(row[14]);
        w.sched.attach(p);
        Entity& e = entity_of(p);
        e.prio = row[7];
        e.time_slice = row[8];
        e.sleep_avg = row[9];
        e.timestamp = row[10];
        e.last_ran = row[11];
        e.sleep_type = sleep_type_of(w.state(), row[12]);
        e.last_waker_cpu = CpuId{row[13]};
    }
}

inline void read_cpu_load(RunQueue& rq, const json& loads) {
    for (std::size_t i = 0; i < loads.size(); ++i) rq.cpu_load[i] = loads[i];
}

// Columns of rq_cols; the tasks are read already.
inline void read_runqueues(TestWorld& w, const json& rows) {
    for (const json& row : rows) {
        RunQueue& rq = w.rq(row[0]);
        read_cpu_load(rq, row[3]);
        if (row[4] != -1) rq.curr = &w.entity(row[4]);
        rq.clock = row[5];
        rq.expired_timestamp = row[6];
        rq.best_expired_prio = row[7];
        for (const bool active : {true, false}) {
            for (const std::size_t id : row[active ? 8 : 9]) {
                (active ? rq.active : rq.expired)->enqueue(w.entity(id));
                rq.inc_nr_running(w.entity(id));
                w.tasks[id].on_rq = true;
                w.tasks[id].state = TaskState::kRunning;
            }
        }
        EXPECT_EQ(rq.nr_running, row[1]);
        if (w.state().version.load_unit != LoadUnit::kTasks) {
            EXPECT_EQ(rq.raw_weighted_load, row[2]);
        }
    }
}

// Every recorded case of a JSON Lines file; the schema line is skipped.
template <class Check>
void for_each_case(const std::string& file, Check check) {
    const std::vector<std::string> lines = wakelab::test::vector_lines(file);
    ASSERT_GT(lines.size(), 1u);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        Differ differ(file, i);
        check(json::parse(lines[i]), differ);
        ASSERT_EQ(differ.text(), "");
    }
}

}  // namespace wakelab::policy::o1::test
