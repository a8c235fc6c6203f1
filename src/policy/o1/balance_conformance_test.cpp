// find_busiest_group() and load_balance() against the recorded original (o1_find_busiest_group_*,
// o1_load_balance_*).
#include "policy/o1/conformance.hpp"
#include "policy/o1/find_busiest_group.hpp"
#include "policy/o1/load_balance.hpp"

namespace wakelab::policy::o1::test {
namespace {

std::string version_of(const json& c) {
    return "o1-" + c["ver"].get<std::string>();
}

std::uint64_t word_of(const topo::CpuMask& mask) {
    std::uint64_t word = 0;
    for (std::uint32_t c = 0; c < 64; ++c)
        if (mask.test(CpuId{c})) word |= 1ull << c;
    return word;
}

void check_find_busiest_group(const json& c, Differ& differ) {
    TestWorld w(version_of(c), private_caches(static_cast<std::uint32_t>(c["rqs"].size())), 250);
    State& s = w.state();
    Entity some_task;
    for (const json& row : c["rqs"]) {
        RunQueue& rq = w.rq(row[0]);
        rq.nr_running = row[1];
        rq.raw_weighted_load = row[2];
        read_cpu_load(rq, row[3]);
        rq.curr = row[4] == -1 ? nullptr : &some_task;
    }
    const std::vector<SchedDomain> domains = read_domains(s, c["domains"]);
    const SchedDomain& sd = domains[c["level"]];
    const BusiestGroup r = find_busiest_group(s, sd,
                                              {.this_cpu = CpuId{c["this_cpu"]},
                                               .idle = static_cast<IdleType>(c["idle"].get<int>()),
                                               .excluded = {}});
    differ.field("group", c["out"]["group"], r.group != nullptr ? word_of(r.group->mask) : 0);
    if (r.group != nullptr) differ.field("imbalance", c["out"]["imbalance"], r.imbalance);
    differ.field("balance", c["out"]["balance"], r.may_balance ? 1 : 0);
}

void check_load_balance(const json& c, Differ& differ) {
    const auto cpus = static_cast<std::uint32_t>(c["rqs"].size());
    TestWorld w(version_of(c), private_caches(cpus), c["HZ"]);
    State& s = w.state();
    s.clock_compensation = true;
    w.host.time = Time{c["now"]};
    w.host.jiffy = c["jiffies"];
    read_tasks(w, c["tasks"]);
    read_runqueues(w, c["rqs"]);
    const CpuId this_cpu{c["this_cpu"]};
    s.domains[this_cpu.v] = read_domains(s, c["domains"]);
    SchedDomain& sd = s.domains[this_cpu.v][c["level"]];
    if (c.contains("cache_hot_time")) sd.params.cache_hot_time_ns = c["cache_hot_time"];

    BalanceResult r;
    const auto idle = static_cast<IdleType>(c["idle"].get<int>());
    if (idle == IdleType::kNewlyIdle)
        r.moved = load_balance_newidle(s, this_cpu, sd);
    else
        r = load_balance(s, this_cpu, this_cpu, sd, idle);

    const json& out = c["out"];
    differ.field("ret", out["ret"], r.moved);
    differ.field("balance", out["balance"], r.may_balance ? 1 : 0);
    differ.field("nr_balance_failed", out["nr_balance_failed"], sd.nr_balance_failed);
    differ.field("balance_interval", out["balance_interval"], sd.balance_interval_ms);
    std::vector<std::uint32_t> task_cpu;
    std::vector<std::uint64_t> timestamp;
    for (const SchedTask& p : w.tasks) {
        task_cpu.push_back(p.cpu.v);
        timestamp.push_back(entity_of(p).timestamp);
    }
    differ.field("task_cpu", out["task_cpu"], task_cpu);
    differ.field("timestamp", out["timestamp"], timestamp);
    differ.field("this_active", out["this_active"], ids_of(*s.rq(this_cpu).active));
    differ.field("this_expired", out["this_expired"], ids_of(*s.rq(this_cpu).expired));
    std::vector<int> pushes;
    for (const RunQueue& rq : s.rqs)
        pushes.push_back(rq.active_balance ? static_cast<int>(rq.push_cpu.v) : -1);
    differ.field("active_balance", out["active_balance"], pushes);
    differ.field("this_resched", out["this_resched"], w.host.need_resched(this_cpu) ? 1 : 0);
}

TEST(O1Conformance, FindBusiestGroup_2_6_9) {
    for_each_case("o1_find_busiest_group_2.6.9.jsonl", check_find_busiest_group);
}
TEST(O1Conformance, FindBusiestGroup_2_6_16_rc1) {
    for_each_case("o1_find_busiest_group_2.6.16-rc1.jsonl", check_find_busiest_group);
}
TEST(O1Conformance, FindBusiestGroup_2_6_16) {
    for_each_case("o1_find_busiest_group_2.6.16.jsonl", check_find_busiest_group);
}
TEST(O1Conformance, FindBusiestGroup_2_6_22) {
    for_each_case("o1_find_busiest_group_2.6.22.jsonl", check_find_busiest_group);
}
TEST(O1Conformance, LoadBalance_2_6_9) {
    for_each_case("o1_load_balance_2.6.9.jsonl", check_load_balance);
}
TEST(O1Conformance, LoadBalance_2_6_16_rc1) {
    for_each_case("o1_load_balance_2.6.16-rc1.jsonl", check_load_balance);
}
TEST(O1Conformance, LoadBalance_2_6_16) {
    for_each_case("o1_load_balance_2.6.16.jsonl", check_load_balance);
}
TEST(O1Conformance, LoadBalance_2_6_22) {
    for_each_case("o1_load_balance_2.6.22.jsonl", check_load_balance);
}

}  // namespace
}  // namespace wakelab::policy::o1::test
