// cfs_ttwu_*: whole wake-ups, placement included.
#include <gtest/gtest.h>

#include "policy/cfs/vector_case.hpp"
#include "support/vector_file.hpp"

namespace wakelab::policy::cfs {

namespace {

class TtwuVectors : public testing::TestWithParam<std::string> {};

struct Wakeup {
    explicit Wakeup(const Json& j_in) : j(j_in), c(j, j["machine"].get<std::string>()) {
        TestWorld& w = c.world;
        for (const Json& row : j["tasks"]) c.add_task(row);
        for (const Json& row : j["rqs"]) c.fill_rq(row, j["tasks"]);
        w.set_clock(u64(j["now"]));
        waker = w.rq(j["this_cpu"]).curr;
    }

    void perform() {
        TestWorld& w = c.world;
        SchedTask& p = *w.tasks[j["p"]];
        // An early wake-up finds the task queued, its state not yet back to running.
        p.state = TaskState::kInterruptible;
        result = try_to_wake_up(*w.sched, p,
                                {.this_cpu = CpuId{j["this_cpu"].get<std::uint32_t>()},
                                 .waker = waker,
                                 .sync = j["sync"] == 1,
                                 .in_interrupt = j["in_interrupt"] == 1});
    }

    void compare(CaseCheck& check) {
        TestWorld& w = c.world;
        const Json& out = j["out"];
        const Rq& rq = w.state().rq(result.cpu);
        check.same("ret", result.activated, out["ret"]);
        check.same("cpu", result.cpu.v, out["cpu"]);
        if (!(result.cpu.v == u64(out["cpu"]))) return;
        check.same("resched", w.host.marked[result.cpu.v], out["resched"]);
        check.same("p_vruntime", w.se(j["p"]).vruntime, out["p_vruntime"]);
        check.same("min_v", rq.cfs.min_vruntime, out["min_v"]);
        check.same("clock", rq.clock, out["clock"]);
        check.same("nr_running", rq.nr_running, out["nr_running"]);
        check.same("load", rq.load, out["load"]);
        check.same("next", static_cast<std::uint64_t>(VectorCase::id_of(rq.cfs.next)), out["next"]);
        check.same("last", static_cast<std::uint64_t>(VectorCase::id_of(rq.cfs.last)), out["last"]);
        compare_task(check, "tcurr", rq.curr);
        compare_task(check, "waker", waker);
    }

    void compare_task(CaseCheck& check, const std::string& who, const SchedTask* p) {
        const Json& out = j["out"];
        const auto same = [&](const std::string& field, std::uint64_t value) {
            if (out.contains(who + field)) check.same(who + field, value, out[who + field]);
        };
        if (p == nullptr) return;
        same("_vruntime", entity_of(*p).vruntime);
        same("_sum_exec", entity_of(*p).sum_exec);
        same("_last_wakeup", entity_of(*p).last_wakeup);
        same("_avg_wakeup", entity_of(*p).avg_wakeup);
    }

    const Json& j;
    VectorCase c;
    SchedTask* waker = nullptr;
    WakeResult result;
};

TEST_P(TtwuVectors, WakeUpGoesWhereTheKernelPutIt) {
    const std::string file = "cfs_ttwu_" + GetParam() + ".jsonl";
    const std::vector<std::string> lines = test::vector_lines(file);
    int failures = 0;
    for (std::size_t n = 1; n < lines.size() && failures < 3; ++n) {
        const Json j = Json::parse(lines[n]);
        Wakeup wakeup(j);
        wakeup.perform();
        CaseCheck check(file, n, j);
        wakeup.compare(check);
        if (check.ok()) continue;
        ADD_FAILURE() << check.failure();
        ++failures;
    }
}

INSTANTIATE_TEST_SUITE_P(Cfs, TtwuVectors, testing::ValuesIn(recorded_version_keys()),
                         [](const auto& p) { return p.param; });

}  // namespace

}  // namespace wakelab::policy::cfs
