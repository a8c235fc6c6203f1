#include "metrics/kernel_threads.hpp"

#include <gtest/gtest.h>

namespace wakelab::metrics {
namespace {

TEST(KernelThreads, ReadsTheCpuFromNames) {
    EXPECT_EQ(cpu_in_name("migration/3"), 3u);
    EXPECT_EQ(cpu_in_name("ksoftirqd/127"), 127u);
    EXPECT_EQ(cpu_in_name("kworker/3:1"), 3u);
    EXPECT_EQ(cpu_in_name("kworker/12:0H"), 12u);
}

TEST(KernelThreads, LeavesOthersAlone) {
    for (const char* name : {"kworker/u8:2", "bash", "", "/3", "irq/24-nvme0q1", "a/b", "a/",
                             "Web/3", "a/99999", "postgres: a b/3", "a/3:1"})
        EXPECT_FALSE(cpu_in_name(name)) << name;
}

}  // namespace
}  // namespace wakelab::metrics
