// One CPU through schedule(), scheduler_tick(), try_to_wake_up(), sys_sched_yield() and fork, step
// by step against the recorded original (o1_seq_*).
#include "policy/core.hpp"
#include "policy/o1/conformance.hpp"
#include "policy/o1/fork_exit.hpp"

namespace wakelab::policy::o1::test {
namespace {

constexpr CpuId kCpu{0};

class Sequence {
 public:
    Sequence(const json& c, Differ& differ)
        : w_("o1-" + c["ver"].get<std::string>(), private_caches(c["online_cpus"]), c["HZ"]),
          differ_(differ) {
        for (auto& levels : w_.state().domains) levels.clear();
        w_.host.time = Time{c["start"]};
        for (const json& task : c["tasks"]) add(task);
    }

    void run(const json& steps) {
        for (std::size_t i = 0; i < steps.size() && differ_.text().empty(); ++i) {
            const json& step = steps[i];
            differ_.step(i, step[0]);
            w_.host.time = Time{step[1]};
            w_.host.jiffy = step[2];
            perform(step[0], step[3], step[4]);
            compare(step);
        }
    }

 private:
    void add(const json& task) {
        SchedTask& p = w_.tasks.emplace_back();
        p.id = TaskId{task["id"]};
        p.cpu = kCpu;
        p.nice = task["nice"];
        p.policy = policy_of(task["policy"]);
        p.rt_priority = task["rt_priority"];
        p.is_user = task["user"] == 1;
        p.allowed.set(kCpu);
        w_.sched.attach(p);
        Entity& e = entity_of(p);
        e.prio = task["prio"];
        e.time_slice = task["time_slice"];
        e.sleep_avg = task["sleep_avg"];
        e.timestamp = task["timestamp"];
    }

    void perform(int op, int arg, int flags) {
        SchedTask* const curr = w_.sched.curr(kCpu);
        switch (op) {
            case 1:
                try_to_wake_up(w_.sched, w_.tasks[static_cast<std::size_t>(arg)],
                               {.this_cpu = kCpu,
                                .waker = curr,
                                .sync = (flags & 1) != 0,
                                .in_interrupt = (flags & 2) != 0});
                break;
            case 2:
                w_.sched.tick(kCpu);
                break;
            case 3:
                schedule_again(curr);
                break;
            case 4:
                if (curr != nullptr) set_task_state(*curr, flags);
                schedule_again(curr);
                break;
            case 5:
                if (curr != nullptr) w_.sched.yield(kCpu);
                schedule_again(curr);
                break;
            case 6:
                fork(*curr, w_.tasks[static_cast<std::size_t>(arg)], (flags & 1) != 0);
                break;
            default:
                ADD_FAILURE() << "unknown op " << op;
        }
    }

    void schedule_again(SchedTask* curr) {
        w_.host.resched_marks[kCpu.v] = false;
        schedule(w_.sched, kCpu, curr);
    }

    void fork(SchedTask& parent, SchedTask& child, bool clone_vm) {
        w_.sched.detach(child);
        const TaskId id = child.id;
        child = parent;
        child.id = id;
        w_.sched.fork(&parent, child, kCpu);
        wake_up_new_task(w_.state(), entity_of(child), &entity_of(parent), kCpu, clone_vm);
    }

    void compare(const json& step) {
        const RunQueue& rq = w_.rq(kCpu.v);
        const SchedTask* curr = w_.sched.curr(kCpu);
        differ_.field("curr", step[5], curr != nullptr ? static_cast<int>(curr->id.v) : -1);
        differ_.field("resched", step[6], w_.host.need_resched(kCpu) ? 1 : 0);
        differ_.field("expired_timestamp", step[7], rq.expired_timestamp);
        differ_.field("best_expired_prio", step[8], rq.best_expired_prio);
        std::string array;
        std::vector<int> prio, type, credit;
        std::vector<std::uint32_t> slice;
        std::vector<std::uint64_t> sleep_avg;
        for (const SchedTask& p : w_.tasks) {
            const Entity& e = entity_of(p);
            array += e.array == nullptr ? '-' : e.array == rq.active ? 'A' : 'E';
            prio.push_back(e.prio);
            slice.push_back(e.time_slice);
            sleep_avg.push_back(e.sleep_avg);
            type.push_back(code_of(w_.state(), e.sleep_type));
            credit.push_back(e.interactive_credit);
        }
        differ_.field("array", step[9], array);
        differ_.field("prio", step[10], prio);
        differ_.field("time_slice", step[11], slice);
        differ_.field("sleep_avg", step[12], sleep_avg);
        differ_.field("type", step[13], type);
        if (step.size() > 14) differ_.field("credit", step[14], credit);
    }

    TestWorld w_;
    Differ& differ_;
};

void check_sequence(const json& c, Differ& differ) {
    Sequence(c, differ).run(c["steps"]);
}

TEST(O1Conformance, Sequence_2_6_9_hz1000) {
    for_each_case("o1_seq_2.6.9_hz1000.jsonl", check_sequence);
}
TEST(O1Conformance, Sequence_2_6_16_hz250) {
    for_each_case("o1_seq_2.6.16_hz250.jsonl", check_sequence);
}
TEST(O1Conformance, Sequence_2_6_22_hz250) {
    for_each_case("o1_seq_2.6.22_hz250.jsonl", check_sequence);
}
TEST(O1Conformance, Sequence_2_6_22_hz1000) {
    for_each_case("o1_seq_2.6.22_hz1000.jsonl", check_sequence);
}

}  // namespace
}  // namespace wakelab::policy::o1::test
