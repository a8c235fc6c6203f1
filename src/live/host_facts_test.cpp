#include "live/host_facts.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace wakelab::live {

namespace {

// A machine made of files.
struct Machine {
    std::string root = "/tmp/wakelab-test-XXXXXX";
    Machine() { EXPECT_NE(::mkdtemp(root.data()), nullptr); }
    ~Machine() { std::filesystem::remove_all(root); }
    void file(const std::string& name, const std::string& content) const {
        const std::filesystem::path path = root + "/" + name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << content;
    }
    [[nodiscard]] HostPaths paths() const { return {root + "/proc", root + "/sys"}; }
};

}  // namespace

// Two cores of two threads; each core has an L2, all share an L3. The instruction cache of "level
// 4" does not exist anywhere but must not win.
TEST(HostFacts, PlacesCpusByTheirLastLevelCacheAndSiblings) {
    const Machine machine;
    machine.file("sys/devices/system/cpu/online", "0-1,3\n");
    for (const char* cpu : {"0", "1", "3"}) {
        const std::string at = std::string("sys/devices/system/cpu/cpu") + cpu;
        machine.file(at + "/cache/index2/level", "2\n");
        machine.file(at + "/cache/index2/type", "Unified\n");
        machine.file(at + "/cache/index2/shared_cpu_list", *cpu == '3' ? "2-3\n" : "0-1\n");
        machine.file(at + "/cache/index3/level", "3\n");
        machine.file(at + "/cache/index3/type", "Unified\n");
        machine.file(at + "/cache/index3/shared_cpu_list", "0-3\n");
        machine.file(at + "/cache/index4/level", "4\n");
        machine.file(at + "/cache/index4/type", "Instruction\n");
        machine.file(at + "/topology/core_cpus_list", *cpu == '3' ? "2-3\n" : "0-1\n");
        machine.file(at + "/topology/physical_package_id", "0\n");
        machine.file(at + "/node1/dummy", "");
    }
    machine.file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "schedutil\n");
    const auto cpus = list_cpus(machine.paths());
    ASSERT_EQ(cpus.size(), 3u);
    EXPECT_EQ(cpus[2].cpu, 3u);
    EXPECT_EQ(cpus[2].cache, 0);
    EXPECT_EQ(cpus[1].core, 0);
    EXPECT_EQ(cpus[2].core, 2);
    EXPECT_EQ(cpus[2].node, 1);
    EXPECT_EQ(cpus[0].governor, "schedutil");
}

TEST(HostFacts, WhatAMachineDoesNotTellIsNotInvented) {
    const Machine machine;
    machine.file("sys/devices/system/cpu/online", "0\n");
    const auto cpus = list_cpus(machine.paths());
    ASSERT_EQ(cpus.size(), 1u);
    EXPECT_EQ(cpus[0].cache, -1);
    EXPECT_EQ(cpus[0].core, -1);
    EXPECT_EQ(cpus[0].node, -1);
}

TEST(HostFacts, ReadsThreadsWithNamesThatImitateTheFormat) {
    const Machine machine;
    // Fields 3.. of proc(5); 19 = nice 5, 40 = rt_priority 0, 41 = policy 3.
    std::string rest = " S 1";
    for (int field = 5; field <= 52; ++field)
        rest += field == 19 ? " 5" : field == 41 ? " 3" : field == 40 ? " 0" : " 9";
    machine.file("proc/40/task/40/stat", "40 (a) R (b)" + rest + "\n");
    machine.file("proc/40/task/41/stat", "41 (x\ny)" + rest + "\n");
    machine.file("proc/self/task/1/stat", "1 (no)" + rest);
    machine.file("proc/50/task/50/stat", "gone");
    const auto tasks = list_tasks(machine.paths());
    ASSERT_EQ(tasks.size(), 2u);
    EXPECT_EQ(tasks[0].name, "a) R (b");
    EXPECT_EQ(tasks[0].nice, 5);
    EXPECT_EQ(tasks[0].policy, 3);
    EXPECT_EQ(tasks[1].name, "x\ny");
    EXPECT_EQ(tasks[1].tgid, 40);
}

TEST(HostFacts, ThisProcessIsInTheList) {
    const auto tasks = list_tasks();
    const auto self =
        std::find_if(tasks.begin(), tasks.end(), [](const auto& t) { return t.pid == ::getpid(); });
    ASSERT_NE(self, tasks.end());
    EXPECT_EQ(self->tgid, ::getpid());
    EXPECT_FALSE(self->allowed.empty());
}

TEST(HostFacts, TwoLooksAreOneListAndAReusedPidIsTwoTasks) {
    const auto task = [](std::int32_t pid, std::int32_t tgid) {
        trace::RecordedTask t;
        t.pid = pid;
        t.tgid = tgid;
        return t;
    };
    const auto merged = merge_tasks({task(1, 1), task(5, 5)}, {task(1, 1), task(3, 3), task(5, 4)});
    ASSERT_EQ(merged.size(), 4u);  // pids 1 3 5 5
    EXPECT_TRUE(merged[0].at_start && merged[0].at_end);
    EXPECT_TRUE(!merged[1].at_start && merged[1].at_end);
    EXPECT_TRUE(merged[2].at_start && !merged[2].at_end);
    EXPECT_EQ(merged[3].tgid, 4);
}

TEST(HostFacts, SettingsComeWithTheReasonWhenTheyMayNotBeRead) {
    const Machine machine;
    machine.file("proc/sys/kernel/sched_rt_runtime_us", "950000\n");
    machine.file("proc/cmdline", "quiet\n");
    machine.file("sys/kernel/debug/sched/debug",
                 "Sched Debug Version: v0.11\n  .sysctl_sched_base_slice  : 3.000000\n");
    std::filesystem::create_directories(machine.root +
                                        "/sys/kernel/debug/sched/features");  // EISDIR
    trace::Environment e;
    describe_kernel(e, machine.paths());
    EXPECT_EQ(e.kernel_cmdline, "quiet");
    const auto has = [&](const char* name, const char* value) {
        return std::find(e.settings.begin(), e.settings.end(),
                         std::pair<std::string, std::string>(name, value)) != e.settings.end();
    };
    EXPECT_TRUE(has("kernel.sched_rt_runtime_us", "950000"));
    EXPECT_TRUE(has("sched/debug sysctl_sched_base_slice", "3.000000"));
    ASSERT_EQ(e.unreadable.size(), 1u);
    EXPECT_EQ(e.unreadable[0].first, "sched/features");
    EXPECT_EQ(e.unreadable[0].second, "Is a directory");
}

}  // namespace wakelab::live
