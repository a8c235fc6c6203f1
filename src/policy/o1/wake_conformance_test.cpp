// try_to_wake_up() as a whole against the recorded original (o1_ttwu_*).
#include "policy/core.hpp"
#include "policy/o1/conformance.hpp"

namespace wakelab::policy::o1::test {
namespace {

void check_wake_up(const json& c, Differ& differ) {
    const json& rqs = c["rqs"];
    TestWorld w("o1-" + c["ver"].get<std::string>(),
                private_caches(static_cast<std::uint32_t>(rqs.size())), c["HZ"]);
    State& s = w.state();
    s.clock_compensation = true;
    w.host.time = Time{c["now"]};
    w.host.jiffy = c["jiffies"];
    read_tasks(w, c["tasks"]);
    read_runqueues(w, rqs);
    SchedTask& p = w.tasks[c["p"]];
    set_task_state(p, c["p_state"]);
    const CpuId this_cpu{c["this_cpu"]};
    s.domains[p.cpu.v] = read_domains(s, c["dom_prev"]["domains"]);
    s.domains[this_cpu.v] = read_domains(s, c["domains"]);

    const WakeContext ctx{.this_cpu = this_cpu,
                          .waker = w.sched.curr(this_cpu),
                          .sync = c["sync"] == 1,
                          .in_interrupt = c["in_interrupt"] == 1};
    const WakeResult r = try_to_wake_up(w.sched, p, ctx);

    const json& out = c["out"];
    const Entity& e = entity_of(p);
    differ.field("ret", out["ret"], r.activated ? 1 : 0);
    differ.field("cpu", out["cpu"], p.cpu.v);
    differ.field("resched", out["resched"], w.host.need_resched(p.cpu) ? 1 : 0);
    differ.field("prio", out["prio"], e.prio);
    differ.field("sleep_avg", out["sleep_avg"], e.sleep_avg);
    differ.field("type", out.contains("sleep_type") ? out["sleep_type"] : out["activated"],
                 code_of(s, e.sleep_type));
    differ.field("timestamp", out["timestamp"], e.timestamp);
    differ.field("array", out["array"], e.array == s.rq(p.cpu).active ? 1 : 2);
    if (s.version.wake_filter)
        differ.field("last_waker_cpu", out["last_waker_cpu"], e.last_waker_cpu.v);
}

TEST(O1Conformance, TryToWakeUp_2_6_9) {
    for_each_case("o1_ttwu_2.6.9.jsonl", check_wake_up);
}
TEST(O1Conformance, TryToWakeUp_2_6_16_rc1) {
    for_each_case("o1_ttwu_2.6.16-rc1.jsonl", check_wake_up);
}
TEST(O1Conformance, TryToWakeUp_2_6_16) {
    for_each_case("o1_ttwu_2.6.16.jsonl", check_wake_up);
}
TEST(O1Conformance, TryToWakeUp_2_6_22) {
    for_each_case("o1_ttwu_2.6.22.jsonl", check_wake_up);
}

}  // namespace
}  // namespace wakelab::policy::o1::test
