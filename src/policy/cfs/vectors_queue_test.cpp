// cfs_place_* and cfs_check_preempt_*: placing a task, and the preemption check, on any queue
// state.
#include <gtest/gtest.h>

#include "policy/cfs/vector_case.hpp"
#include "support/vector_file.hpp"

namespace wakelab::policy::cfs {

namespace {

class QueueVectors : public testing::TestWithParam<std::string> {};

// One CPU with the state of the line; p is not queued unless on_rq says so.
VectorCase queue_case(const Json& j) {
    VectorCase c(j, "one");
    for (const Json& row : j["tasks"]) c.add_task(row);
    c.fill_rq(j["rq"], j["tasks"]);
    return c;
}

TEST_P(QueueVectors, PlaceEntity) {
    const std::string file = "cfs_place_" + GetParam() + ".jsonl";
    const std::vector<std::string> lines = test::vector_lines(file);
    for (std::size_t n = 1; n < lines.size(); ++n) {
        const Json j = Json::parse(lines[n]);
        if (j.contains("skip")) continue;
        VectorCase c = queue_case(j);
        Entity& se = c.world.se(j["p"]);
        place_entity(c.world.state(), c.world.rq(0).cfs, se, j["initial"] == 1);
        CaseCheck check(file, n, j);
        check.same("vruntime", se.vruntime, j["out"]["vruntime"]);
        ASSERT_TRUE(check.ok()) << check.failure();
    }
}

TEST_P(QueueVectors, CheckPreemptCurr) {
    const std::string file = "cfs_check_preempt_" + GetParam() + ".jsonl";
    const std::vector<std::string> lines = test::vector_lines(file);
    for (std::size_t n = 1; n < lines.size(); ++n) {
        const Json j = Json::parse(lines[n]);
        VectorCase c = queue_case(j);
        TestWorld& w = c.world;
        w.set_clock(w.rq(0).clock);
        w.host.marked[0] = j["curr_resched"] == 1;
        check_preempt_curr(w.state(), *w.tasks[j["p"]], {.sync = j["sync"] == 1});
        const Json& out = j["out"];
        const Entity& curr = entity_of(*w.rq(0).curr);
        const CfsRq& cfs = w.rq(0).cfs;
        CaseCheck check(file, n, j);
        check.same("resched", w.host.marked[0], out["resched"]);
        check.same("next", static_cast<std::uint64_t>(VectorCase::id_of(cfs.next)), out["next"]);
        check.same("last", static_cast<std::uint64_t>(VectorCase::id_of(cfs.last)), out["last"]);
        check.same("curr_vruntime", curr.vruntime, out["curr_vruntime"]);
        check.same("curr_sum_exec", curr.sum_exec, out["curr_sum_exec"]);
        check.same("min_v", cfs.min_vruntime, out["min_v"]);
        if (out.contains("curr_last_wakeup"))
            check.same("curr_last_wakeup", curr.last_wakeup, out["curr_last_wakeup"]);
        ASSERT_TRUE(check.ok()) << check.failure();
    }
}

INSTANTIATE_TEST_SUITE_P(Cfs, QueueVectors, testing::ValuesIn(recorded_version_keys()),
                         [](const auto& p) { return p.param; });

}  // namespace

}  // namespace wakelab::policy::cfs
