#include "live/perf_session.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace wakelab::live {

TEST(PerfSession, SaysWhatIsMissingWhenTheKernelRefuses) {
    EXPECT_EQ(
        perf_refusal(EACCES, "2", false),
        "Permission denied (kernel.perf_event_paranoid is 2); expected root, CAP_PERFMON or, for "
        "all users, sudo sysctl kernel.perf_event_paranoid=-1");
    EXPECT_EQ(
        perf_refusal(EPERM, "3", true),
        "Operation not permitted (kernel.perf_event_paranoid is 3); expected a kernel that is "
        "not locked down and, in a container, CAP_PERFMON and a seccomp profile that lets "
        "perf_event_open pass");
    EXPECT_EQ(perf_refusal(ENOSYS, "", true),
              "Function not implemented; expected a kernel with CONFIG_PERF_EVENTS");
    EXPECT_EQ(perf_refusal(EMFILE, "1", false),
              "Too many open files; expected after: ulimit -n 8192");
}

}  // namespace wakelab::live
