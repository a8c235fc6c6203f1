// cfs_find_busiest_group_* and cfs_load_balance_*: what is pulled where.
#include <gtest/gtest.h>

#include "policy/cfs/balance.hpp"
#include "policy/cfs/vector_case.hpp"
#include "support/vector_file.hpp"

namespace wakelab::policy::cfs {

namespace {

class BalanceVectors : public testing::TestWithParam<std::string> {};

IdleType idle_type(const Json& j) {
    static constexpr IdleType kTypes[] = {IdleType::kIdle, IdleType::kNotIdle,
                                          IdleType::kNewlyIdle};
    return kTypes[j["idle"].get<std::size_t>()];
}

// The domain of this_cpu at the level of the case: MC is the lower of two levels, or the only one.
SchedDomain& domain_of(TestWorld& w, const Json& j) {
    auto& levels = w.state().domains[j["this_cpu"].get<std::size_t>()];
    return j["level"] == "MC" ? levels.front() : levels.back();
}

// What waking the migration thread does to the task that runs there; the recording left it at that.
void wake_migration_thread(TestWorld& w, CpuId cpu) {
    check_preempt_curr(w.state(), w.add_task(cpu.v, SchedPolicy::kFifo), {});
}

TEST_P(BalanceVectors, FindBusiestGroup) {
    const std::string file = "cfs_find_busiest_group_" + GetParam() + ".jsonl";
    const std::vector<std::string> lines = test::vector_lines(file);
    for (std::size_t n = 0; n < lines.size(); ++n) {
        const Json j = Json::parse(lines[n]);
        VectorCase c(j, j["machine"].get<std::string>());
        SchedTask stand_in;
        for (const Json& row : j["rqs"]) {
            Rq& rq = c.world.rq(row["cpu"]);
            rq.nr_running = row["nr_running"];
            rq.load = u64(row["load"]);
            for (std::size_t i = 0; i < 5; ++i) rq.cpu_load[i] = u64(row["cpu_load"][i]);
            if (row["idle"] == 0) rq.curr = &stand_in;
        }
        const CpuId this_cpu{j["this_cpu"].get<std::uint32_t>()};
        const BusiestGroup got =
            find_busiest_group(c.world.state(), domain_of(c.world, j), this_cpu, idle_type(j),
                               topo::CpuMask::of_word(u64(j["cpus"])));
        std::uint64_t mask = 0;
        if (got.group != nullptr)
            for (const CpuId cpu : got.group->cpus) mask |= std::uint64_t{1} << cpu.v;
        const Json& out = j["out"];
        CaseCheck check(file, n, j);
        check.same("group", mask, out["group"]);
        check.same("imbalance", got.imbalance, out["imbalance"]);
        check.same("balance", got.my_job, out["balance"]);
        ASSERT_TRUE(check.ok()) << check.failure();
    }
}

TEST_P(BalanceVectors, LoadBalance) {
    const std::string file = "cfs_load_balance_" + GetParam() + ".jsonl";
    const std::vector<std::string> lines = test::vector_lines(file);
    for (std::size_t n = 1; n < lines.size(); ++n) {
        const Json j = Json::parse(lines[n]);
        VectorCase c(j, j["machine"].get<std::string>());
        TestWorld& w = c.world;
        for (const Json& row : j["tasks"]) c.add_task(row);
        for (const Json& row : j["rqs"]) c.fill_rq(row, j["tasks"]);
        w.set_clock(u64(j["now"]));
        const CpuId this_cpu{j["this_cpu"].get<std::uint32_t>()};
        w.state().this_cpu = this_cpu;
        SchedDomain& d = domain_of(w, j);
        d.nr_balance_failed = j["nr_balance_failed"];
        bool my_job = true;
        const bool moved = idle_type(j) == IdleType::kNewlyIdle
                               ? load_balance_newidle(w.state(), this_cpu, d)
                               : load_balance(w.state(), this_cpu, d, idle_type(j), my_job);
        for (const CpuId cpu : w.host.kicked) wake_migration_thread(w, cpu);
        const Json& out = j["out"];
        CaseCheck check(file, n, j);
        check.same("moved", moved, Json(out["ret"] != 0 ? 1 : 0));
        check.same("balance", my_job, out["balance"]);
        check.same("nr_balance_failed", d.nr_balance_failed, out["nr_balance_failed"]);
        check.same("balance_interval", d.balance_interval_ms, out["balance_interval"]);
        check.same("this_min_v", w.state().rq(this_cpu).cfs.min_vruntime, out["this_min_v"]);
        for (std::size_t i = 0; i < out["task_cpu"].size(); ++i) {
            const std::string task = " of task " + std::to_string(i);
            check.same("cpu" + task, w.tasks[i]->cpu.v, out["task_cpu"][i]);
            check.same("vruntime" + task, w.se(i).vruntime, out["vruntime"][i]);
        }
        for (std::uint32_t cpu = 0; cpu < w.machine.cpus; ++cpu) {
            const Rq& rq = w.rq(cpu);
            const std::int64_t push = rq.active_balance ? std::int64_t{rq.push_cpu.v} : -1;
            check.same("active_balance", static_cast<std::uint64_t>(push),
                       out["active_balance"][cpu]);
            check.same("resched", w.host.marked[cpu], out["resched"][cpu]);
        }
        ASSERT_TRUE(check.ok()) << check.failure();
    }
}

INSTANTIATE_TEST_SUITE_P(Cfs, BalanceVectors, testing::ValuesIn(recorded_version_keys()),
                         [](const auto& p) { return p.param; });

}  // namespace

}  // namespace wakelab::policy::cfs
