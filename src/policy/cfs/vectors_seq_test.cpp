// cfs_seq_*: single-CPU sequences of wake-up, tick, schedule, sleep, yield and fork.
#include <gtest/gtest.h>

#include "policy/cfs/vector_case.hpp"
#include "support/vector_file.hpp"

namespace wakelab::policy::cfs {

namespace {

enum Op { kWake = 1, kTick, kSchedule, kSleep, kYield, kFork };

class SeqRun {
 public:
    explicit SeqRun(const Json& j) : c_(j, "one"), rows_(j["tasks"]) {
        Rq& rq = w().rq(0);
        rq.clock = u64(j["start_clock"]);
        rq.cfs.min_vruntime = u64(j["start_min_v"]);
        for (const Json& row : rows_) {
            SchedTask& p = w().add_task(0, policy_of(row["policy"]), row["nice"]);
            entity_of(p).vruntime = u64(row["vruntime"]);
        }
    }

    // Performs the step and compares the state after it with the recorded one.
    void step(const Json& row, CaseCheck& check) {
        const SchedTask* before = w().rq(0).curr;
        w().set_clock(u64(row[1]));
        perform(row[0], row[2]);
        const CfsRq& cfs = w().rq(0).cfs;
        const Entity* curr = cfs.curr;
        check.same("curr", static_cast<std::uint64_t>(VectorCase::id_of(curr)), row[3]);
        check.same("resched", w().host.marked[0], row[4]);
        check.same("min_v", cfs.min_vruntime, row[5]);
        check.same("next", static_cast<std::uint64_t>(VectorCase::id_of(cfs.next)), row[6]);
        check.same("last", static_cast<std::uint64_t>(VectorCase::id_of(cfs.last)), row[7]);
        check.same("cfs_load", cfs.load.weight, row[8]);
        check.same("curr_sum_exec", curr != nullptr ? curr->sum_exec : 0, row[9]);
        const bool averages = before != nullptr && w().version.mark != OverlapMark::kNever;
        check.same("avg_overlap", averages ? entity_of(*before).avg_overlap : 0, row[10]);
        const bool wakeups = before != nullptr && w().version.mark == OverlapMark::kActivation;
        check.same("avg_wakeup", wakeups ? entity_of(*before).avg_wakeup : 0, row[11]);
        for (std::size_t i = 0; i < row[12].size(); ++i)
            check.same("vruntime of " + std::to_string(i), w().se(i).vruntime, row[12][i]);
    }

 private:
    TestWorld& w() { return c_.world; }

    void perform(int op, int arg) {
        SchedTask* curr = w().rq(0).curr;
        switch (op) {
            case kWake:
                wake(*w().tasks[static_cast<std::size_t>(arg / 2)], (arg & 1) != 0);
                return;
            case kTick:
                w().sched->tick(CpuId{0});
                return;
            case kFork:
                fork(*curr, static_cast<std::size_t>(arg));
                return;
            case kYield:
                w().sched->yield(CpuId{0});
                break;
            case kSleep:
                curr->state = TaskState::kInterruptible;
                break;
            default:
                break;
        }
        w().host.marked[0] = false;
        schedule(*w().sched, CpuId{0}, curr);
    }

    // A task that runs or waits does not match the wake-up's state; the call has marked the waker
    // all the same in V27..V29.
    void wake(SchedTask& p, bool sync) {
        const WakeContext ctx{.this_cpu = CpuId{0}, .waker = w().rq(0).curr, .sync = sync};
        if (p.state == TaskState::kRunning)
            w().sched->wake_done(p, ctx, false);
        else
            try_to_wake_up(*w().sched, p, ctx);
    }

    void fork(SchedTask& parent, std::size_t child_id) {
        SchedTask& child = *w().tasks[child_id];
        w().sched->detach(child);
        w().sched->fork(&parent, child, CpuId{0});
        w().sched->wake_up_new(child, &parent, CpuId{0});
    }

    VectorCase c_;
    Json rows_;
};

class SeqVectors : public testing::TestWithParam<std::string> {};

TEST_P(SeqVectors, EveryStepLeavesTheRecordedState) {
    const std::string file = "cfs_seq_" + GetParam() + ".jsonl";
    const std::vector<std::string> lines = test::vector_lines(file);
    int failures = 0;
    for (std::size_t n = 1; n < lines.size() && failures < 3; ++n) {
        const Json j = Json::parse(lines[n]);
        SeqRun run(j);
        for (std::size_t i = 0; i < j["steps"].size(); ++i) {
            const Json& row = j["steps"][i];
            CaseCheck check(file + " step " + std::to_string(i), n, row);
            run.step(row, check);
            if (check.ok()) continue;
            ADD_FAILURE() << check.failure() << "\nfeatures " << j["features"] << " tasks "
                          << j["tasks"];
            ++failures;
            break;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cfs, SeqVectors, testing::ValuesIn(recorded_version_keys()),
                         [](const auto& p) { return p.param; });

}  // namespace

}  // namespace wakelab::policy::cfs
