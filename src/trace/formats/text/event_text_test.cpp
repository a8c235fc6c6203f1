#include "trace/formats/text/event_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace wakelab::trace {
namespace {

using K = KernelEventType;

struct Parsed {
    TextOutcome outcome;
    KernelEvent e;
};

Parsed parse(std::string_view event, std::string_view args) {
    KernelEvent e;
    e.pid = 77;  // of the line
    const TextOutcome outcome = parse_event_text(event, args, e);
    return {outcome, e};
}

void expect_switch(std::string_view args, std::string_view prev, std::int32_t prev_pid, PrevState state,
                   std::string_view next, std::int32_t next_pid) {
    const auto [outcome, e] = parse("sched_switch", args);
    ASSERT_EQ(outcome, TextOutcome::kDecoded) << args;
    EXPECT_EQ(e.type, K::kSwitch);
    EXPECT_EQ(e.comm.view(), prev) << args;
    EXPECT_EQ(e.pid, prev_pid) << args;
    EXPECT_EQ(static_cast<PrevState>(e.value), state) << args;
    EXPECT_EQ(e.other_comm.view(), next) << args;
    EXPECT_EQ(e.other_pid, next_pid) << args;
}

TEST(EventText, SwitchOfTheKernel) {
    expect_switch("prev_comm=bash prev_pid=1234 prev_prio=120 prev_state=S ==> next_comm=swapper/0 "
                  "next_pid=0 next_prio=120",
                  "bash", 1234, PrevState::kBlocked, "swapper/0", 0);
    expect_switch("prev_comm=cc1 prev_pid=9 prev_prio=120 prev_state=R+ ==> next_comm=rcu_preempt "
                  "next_pid=15 next_prio=98",
                  "cc1", 9, PrevState::kPreemptedOther, "rcu_preempt", 15);
    expect_switch("prev_comm=a prev_pid=9 prev_prio=-1 prev_state=D|K ==> next_comm=b next_pid=1 next_prio=0",
                  "a", 9, PrevState::kUninterruptible, "b", 1);
}

TEST(EventText, SwitchOfTraceCmdAndOfOldKernels) {
    expect_switch("bash:1234 [120] S ==> swapper/0:0 [120]", "bash", 1234, PrevState::kBlocked,
                  "swapper/0", 0);
    expect_switch("kworker/u8:2:71 [120] I ==> swapper/1:0 [120]", "kworker/u8:2", 71,
                  PrevState::kIdleThread, "swapper/1", 0);
    expect_switch("rcu_preempt:15 [120] W ==> cc1plus:11180 [120]", "rcu_preempt", 15,
                  PrevState::kIdleThread, "cc1plus", 11180);
    expect_switch("task bash:1234 [120] (D) ==> init:1 [120]", "bash", 1234, PrevState::kUninterruptible,
                  "init", 1);
}

// Raw fields: the state is a number of the kernel (1 S, 256 preempted since 4.14, 128 idle kernel thread).
TEST(EventText, SwitchAndForkOfTraceCmdReportRaw) {
    expect_switch("prev_comm=bash prev_pid=1234 prev_prio=120 prev_state=1 next_comm=swapper/0 next_pid=0 "
                  "next_prio=120",
                  "bash", 1234, PrevState::kBlocked, "swapper/0", 0);
    expect_switch("prev_comm=cc1 prev_pid=9 prev_prio=120 prev_state=256 next_comm=b next_pid=15 "
                  "next_prio=98",
                  "cc1", 9, PrevState::kPreemptedOther, "b", 15);
    expect_switch("prev_comm=kworker/u8:2 prev_pid=9 prev_prio=120 prev_state=128 next_comm= next_comm= "
                  "next_pid=15 next_prio=98",
                  "kworker/u8:2", 9, PrevState::kIdleThread, " next_comm=", 15);
    const auto [outcome, e] =
        parse("sched_process_fork", "parent_comm=sh parent_pid=12 child_comm=sh child_pid=13");
    ASSERT_EQ(outcome, TextOutcome::kDecoded);
    EXPECT_EQ(e.pid, 12);
    EXPECT_EQ(e.other_pid, 13);
    EXPECT_EQ(e.other_comm.view(), "sh");
}

// Each name is the worst of 15 bytes that we could think of, as prev and as next, in both forms.
TEST(EventText, HostileNamesStayNames) {
    const std::array<std::string_view, 12> names = {
        " prev_pid=1",     " next_pid=7",     " ==> next_comm", "a:1 [120] S ==>", ":1 [1] S ==> :",
        "=",               "",                "  ",             "[001] 1.0: x: y", "\xff\xfe\x80 \x01",
        "x prev_pid=1 pr", "a next_pid=3 ne"};
    for (const std::string_view prev : names)
        for (const std::string_view next : names) {
            const std::string p(prev), n(next);
            expect_switch("prev_comm=" + p + " prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=" + n +
                              " next_pid=34 next_prio=120",
                          prev, 12, PrevState::kBlocked, next, 34);
            expect_switch(p + ":12 [120] S ==> " + n + ":34 [120]", prev, 12, PrevState::kBlocked, next, 34);
            expect_switch(p + ":123 [98] R ==> " + n + ":3 [1]", prev, 123, PrevState::kPreemptedOther,
                          next, 3);
            const auto fork = parse("sched_process_fork", "comm=" + p + " pid=12 child_comm=" + n +
                                                              " child_pid=34");
            EXPECT_EQ(fork.outcome, TextOutcome::kDecoded);
            EXPECT_EQ(fork.e.comm.view(), prev);
            EXPECT_EQ(fork.e.other_comm.view(), next);
            EXPECT_EQ(fork.e.pid, 12);
            EXPECT_EQ(fork.e.other_pid, 34);
        }
}

TEST(EventText, HostileNamesOfWakeups) {
    for (const std::string_view name : {" pid=1 prio=1", "a:1 [120] CPU:0", ":1", "x pid=9", " [001]", ""}) {
        const std::string n(name);
        for (const std::string& args :
             {"comm=" + n + " pid=12 prio=120 target_cpu=003",
              "comm=" + n + " pid=12 prio=120 success=1 target_cpu=003",
              "comm=" + n + " pid=12 prio=120 success=1 [003]", n + ":12 [120] CPU:003",
              n + ":12 [120] success=1 CPU:003", n + ":12 [120]<CPU:003>",
              "task " + n + ":12 [120] success=1 [003]"}) {
            const auto [outcome, e] = parse("sched_wakeup", args);
            ASSERT_EQ(outcome, TextOutcome::kDecoded) << args;
            EXPECT_EQ(e.type, K::kWakeup);
            EXPECT_EQ(e.other_pid, 12) << args;
            EXPECT_EQ(e.target_cpu, 3) << args;
            EXPECT_EQ(e.pid, 77) << "of the line";
            if (!args.starts_with("task ")) {
                EXPECT_EQ(e.other_comm.view(), name) << args;
            }
        }
    }
}

TEST(EventText, WakeupsThatFailedAreNotNeeded) {
    EXPECT_EQ(parse("sched_wakeup", "comm=a pid=1 prio=120 success=0 target_cpu=000").outcome,
              TextOutcome::kNotNeeded);
    EXPECT_EQ(parse("sched_waking", "comm=a pid=1 prio=120 target_cpu=000").e.type, K::kWaking);
    EXPECT_EQ(parse("sched_wakeup_new", "comm=a pid=1 prio=120 target_cpu=000").e.type, K::kWakeupNew);
}

TEST(EventText, OtherSchedulerEvents) {
    const auto migrate = parse("sched_migrate_task", "comm=a b pid=12 prio=120 orig_cpu=1 dest_cpu=2").e;
    EXPECT_EQ(migrate.type, K::kMigrate);
    EXPECT_EQ(migrate.other_pid, 12);
    EXPECT_EQ(migrate.from_cpu, 1);
    EXPECT_EQ(migrate.target_cpu, 2);
    EXPECT_EQ(parse("sched_migrate_task", "task a:12 [120] from: 1  to: 2").e.target_cpu, 2);
    EXPECT_EQ(parse("sched_process_fork", "parent a:12  child b:13").e.other_pid, 13);
    EXPECT_EQ(parse("sched_process_exec", "filename=/x pid=1 old_pid=2 pid=12 old_pid=12").e.pid, 12);
    EXPECT_EQ(parse("sched_process_exit", "comm=a pid=12 prio=120").e.pid, 12);
    EXPECT_EQ(parse("sched_process_exit", "comm=a pid=12 prio=120 group_dead=true").e.pid, 12);
    const auto reason = parse("sched_blocked_reason", "pid=12 iowait=1 caller=0xffffffff8108d2f0").e;
    EXPECT_TRUE(reason.io_wait);
    EXPECT_EQ(reason.other_pid, 12);
    EXPECT_EQ(static_cast<std::uint64_t>(reason.value), 0xffffffff8108d2f0u);
    EXPECT_EQ(parse("sched_blocked_reason", "pid=12 iowait=0 caller=do_wait+0x10/0x20").e.value, 0);
}

TEST(EventText, InterruptsPowerAndCalls) {
    EXPECT_EQ(parse("irq_handler_entry", "irq=24 name=eth0").e.value, 24);
    EXPECT_EQ(parse("irq_handler_exit", "irq=24 ret=handled").e.type, K::kIrqExit);
    EXPECT_EQ(parse("softirq_entry", "vec=7 [action=SCHED]").e.value, 7);
    EXPECT_EQ(parse("softirq_exit", "vec=7 [action=SCHED]").e.type, K::kSoftirqExit);
    EXPECT_EQ(parse("cpu_idle", "state=4294967295 cpu_id=1").e.value, -1);
    EXPECT_EQ(parse("cpu_idle", "state=1 cpu_id=3").e.target_cpu, 3);
    EXPECT_EQ(parse("cpu_frequency", "state=2400000 cpu_id=3").e.value, 2400000);
    EXPECT_EQ(parse("ipi_send_cpu", "cpu=2 callsite=a+0x1/0x2 callback=0x0").e.target_cpu, 2);
    EXPECT_EQ(parse("ipi_send_cpumask", "cpumask=1 callsite=a callback=b").e.target_cpu, -1);
    EXPECT_EQ(parse("sys_enter", "NR 1 (2, 7f00, 0, 0, 0, 0)").e.value, 1);
    EXPECT_EQ(parse("sys_exit", "NR 1 = -11").e.value, -11);
    EXPECT_EQ(parse("sys_write", "(fd: 1, buf: 0, count: 3)").e.type, K::kSyscallEnter);
    EXPECT_EQ(parse("sys_write", "-> 0x5").e.value, 5);
    EXPECT_EQ(parse("sys_exit_write", "0xfffffffffffffff5").e.value, -11);
    EXPECT_EQ(parse("sys_enter_write", "fd: 0x1").e.value, -1);
}

TEST(EventText, UnknownIsNotNeededAndBrokenIsDamaged) {
    EXPECT_EQ(parse("sched_stat_runtime", "comm=a pid=1 runtime=5 [ns]").outcome, TextOutcome::kNotNeeded);
    EXPECT_EQ(parse("kmalloc", "x").outcome, TextOutcome::kNotNeeded);
    EXPECT_EQ(parse("", "").outcome, TextOutcome::kNotNeeded);
    const std::string whole =
        "prev_comm=bash prev_pid=1234 prev_prio=120 prev_state=S ==> next_comm=cc1 next_pid=5 next_prio=120";
    const std::size_t enough = whole.find(" next_prio");
    for (std::size_t n = 0; n < enough; ++n)
        EXPECT_EQ(parse("sched_switch", whole.substr(0, n)).outcome, TextOutcome::kDamaged) << n;
    for (const std::string_view event : {"sched_wakeup", "sched_migrate_task", "sched_process_fork",
                                         "sched_process_exit", "cpu_idle", "sys_enter", "irq_handler_entry"})
        EXPECT_EQ(parse(event, "").outcome, TextOutcome::kDamaged) << event;
}

TEST(EventText, NumbersThatDoNotFitAreNone) {
    std::string_view text = "9999999999999999999";
    EXPECT_FALSE(take_number(text));
    text = "-";
    EXPECT_FALSE(take_number(text));
    text = "-12x";
    EXPECT_EQ(take_number(text), -12);
    EXPECT_EQ(text, "x");
}

}  // namespace
}  // namespace wakelab::trace
