#include "live/tracefs_session.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

namespace wakelab::live {

namespace {

struct TemporaryFolder {
    std::string path = "/tmp/wakelab-test-XXXXXX";
    TemporaryFolder() { EXPECT_NE(::mkdtemp(path.data()), nullptr); }
    ~TemporaryFolder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST(TracefsSession, ReadsTheCountersOfACpu) {
    const CpuStats stats = parse_cpu_stats(
        "entries: 5\noverrun: 7\ncommit overrun: 1\nbytes: 900\noldest event ts: 27576.341677\n"
        "now ts: 27576.401348\ndropped events: 2\nread events: 81824\n");
    EXPECT_EQ(stats.entries, 5u);
    EXPECT_EQ(stats.overrun, 7u);
    EXPECT_EQ(stats.dropped, 3u);  // both kinds were never in the buffer
    EXPECT_EQ(stats.read, 81824u);
    EXPECT_EQ(parse_cpu_stats("").read, 0u);
}

TEST(TracefsSession, FindsTheFirstFolderThatHasInstances) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path + "/b/instances");
    const auto found = find_tracefs({folder.path + "/a", folder.path + "/b"});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found, folder.path + "/b");
}

TEST(TracefsSession, SaysHowToMountWhatIsNotMounted) {
    const TemporaryFolder folder;  // there, and empty: the mount point
    const auto found = find_tracefs({folder.path, folder.path + "/b"});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message,
              "tracefs is not mounted; expected after: sudo mount -t tracefs nodev " + folder.path);
}

TEST(TracefsSession, SaysThatTheKernelHasNoTracing) {
    const TemporaryFolder folder;
    const auto found = find_tracefs({folder.path + "/tracing"});
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().message.find("CONFIG_FTRACE"), std::string::npos);
}

}  // namespace wakelab::live
