// Records this machine through tracefs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>

#include "base/text.hpp"
#include "live/record.hpp"
#include "live/tracefs_session.hpp"
#include "recorder_process.hpp"
#include "support/trace_capture.hpp"
#include "trace/environment.hpp"
#include "trace/formats/format.hpp"

namespace wakelab::live {

namespace {

std::map<std::string, std::uint64_t> counts_of_trace_cmd(const std::string& file) {
    std::map<std::string, std::uint64_t> counts;
    const std::string command = "trace-cmd report -i " + file + " 2>" + file + ".warnings";
    FILE* report = ::popen(command.c_str(), "r");
    std::array<char, 4096> line{};
    while (report != nullptr &&
           std::fgets(line.data(), static_cast<int>(line.size()), report) != nullptr) {
        // "  comm-pid   [001] 27552.088767: sched_waking:         ..."
        const std::string_view text(line.data());
        const std::size_t cpu = text.find("] "), time = text.find(": ", cpu);
        if (cpu == std::string_view::npos || time == std::string_view::npos) continue;
        const std::size_t end = text.find(':', time + 2);
        if (end != std::string_view::npos)
            ++counts[std::string(text.substr(time + 2, end - time - 2))];
    }
    if (report != nullptr) ::pclose(report);
    return counts;
}

class LiveRecord : public ::testing::Test {
 protected:
    void SetUp() override {
        const auto root = find_tracefs(tracefs_places());
        if (!root) GTEST_SKIP() << "SKIPPED, nothing was tested: " << root.error().message;
        options_.output = folder_.path + "/t.dat";
    }
    // Nothing half written, nothing temporary.
    void expect_no_file() const { EXPECT_TRUE(folder_.empty()); }

    TemporaryFolder folder_;
    RecordOptions options_;
};

}  // namespace

TEST_F(LiveRecord, EveryEventOfAPingPongIsInAFileThatTraceCmdReads) {
    options_.command = {this_program, "--ping-pong", "3000"};
    options_.recorder = "wakelab test";
    const auto report = record(options_);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->problem, "");
    EXPECT_EQ(report->command_end, "exit 0");
    EXPECT_EQ(report->lost_events(), 0u);
    EXPECT_GT(report->events, 3000u);
    EXPECT_FALSE(exists(instance_of(::getpid())));
    EXPECT_EQ(report->file_bytes, std::filesystem::file_size(options_.output));
    if (!has_program("trace-cmd")) GTEST_SKIP() << "SKIPPED the comparison: no trace-cmd";
    const auto counts = counts_of_trace_cmd(options_.output);
    std::uint64_t all = 0;
    for (const auto& [name, n] : counts) all += n;
    EXPECT_EQ(all, report->events);  // the kernel's own count
    // Two a round trip, less those of a partner that was preempted before it slept.
    EXPECT_GT(counts.at("sched_waking"), 1000u);
    EXPECT_EQ(read_pseudo_file(options_.output + ".warnings"), "");
    test::TraceCapture sink;
    trace::TraceQuality quality;
    if (const Status read = trace::read_trace(options_.output, sink, quality); !read)
        GTEST_SKIP() << "SKIPPED our reader: " << read.error().message;
    EXPECT_EQ(quality.total_events(), all);
    EXPECT_EQ(quality.count(trace::KernelEventType::kSwitch), counts.at("sched_switch"));
    EXPECT_EQ(quality.count(trace::KernelEventType::kWaking), counts.at("sched_waking"));
    EXPECT_EQ(quality.count(trace::KernelEventType::kWakeup), counts.at("sched_wakeup"));
}

TEST_F(LiveRecord, TheFileTellsOfTheMachineAndItsTasks) {
    options_.command = {"sleep", "0.1"};
    const auto report = record(options_);
    ASSERT_TRUE(report) << report.error().message;
    auto input = trace::Input::open(options_.output);
    ASSERT_TRUE(input);
    ASSERT_TRUE(input->make_seekable());
    const auto found = trace::read_environment(*input);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_TRUE(found->has_value());
    const trace::Environment& e = **found;
    EXPECT_EQ(e.command, options_.command);
    EXPECT_EQ(e.command_pid, report->command_pid);
    EXPECT_EQ(e.command_end, "exit 0");
    EXPECT_FALSE(e.kernel_release.empty());
    EXPECT_FALSE(e.cpus.empty());
    EXPECT_GE(e.duration_ns, 100'000'000);
    const auto self = std::find_if(e.tasks.begin(), e.tasks.end(),
                                   [](const auto& t) { return t.pid == ::getpid(); });
    ASSERT_NE(self, e.tasks.end());
    EXPECT_TRUE(self->at_start && self->at_end);
    EXPECT_EQ(std::count(e.recorder_tids.begin(), e.recorder_tids.end(), ::getpid()), 1);
    EXPECT_EQ(e.recorder_tids.size(), report->cpus + 1);
}

TEST_F(LiveRecord, AFlightRecorderKeepsTheEnd) {
    options_.command = {this_program, "--ping-pong-ms", "900"};
    options_.last = Duration{300'000'000};
    const auto report = record(options_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_LT(report->kept_ns, report->duration_ns);
    // Less where other work on the machine fills the buffer sooner.
    EXPECT_LE(report->kept_ns, 300'000'000);
    EXPECT_GT(report->kept_ns, 0);
    if (!has_program("trace-cmd")) GTEST_SKIP() << "SKIPPED the comparison: no trace-cmd";
    std::uint64_t all = 0;
    for (const auto& [name, n] : counts_of_trace_cmd(options_.output)) all += n;
    EXPECT_EQ(all, report->events);
}

TEST_F(LiveRecord, AFlightRecorderSaysWhenItsBufferWasTooSmall) {
    options_.command = {this_program, "--ping-pong", "2000"};
    options_.last = Duration{60'000'000'000};
    options_.buffer_bytes = 16 << 10;
    const auto report = record(options_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_LT(report->kept_ns, report->duration_ns);  // the buffer forgot, and it is told
}

TEST_F(LiveRecord, EndsAfterItsTimeWithoutACommand) {
    options_.duration = Duration{100'000'000};
    const auto report = record(options_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->ended_by, "--duration");
    EXPECT_FALSE(report->has_command);
    EXPECT_TRUE(exists(options_.output));
}

TEST_F(LiveRecord, EndsTheCommandAfterItsTime) {
    options_.duration = Duration{100'000'000};
    options_.command = {"sleep", "60"};
    const auto report = record(options_);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->command_end, "signal 15 (Terminated)");
    EXPECT_LT(report->duration_ns, 2'000'000'000);
}

TEST_F(LiveRecord, ASignalEndsTheRecordingNotTheFile) {
    for (const int number : {SIGINT, SIGHUP}) {
        options_.command = {"sleep", "60"};
        Recorder recorder(options_);
        recorder.wait_begun();
        ::kill(recorder.pid, number);
        const auto outcome = recorder.wait();
        EXPECT_EQ(outcome.status, 128 + number) << outcome.said;  // passed on
        EXPECT_TRUE(exists(options_.output));
        std::filesystem::remove(options_.output);
    }
}

TEST_F(LiveRecord, ACommandThatIsKilledIsAnEndLikeAnyOther) {
    options_.command = {"sh", "-c", "sleep 0.1; kill -KILL $$"};
    Recorder recorder(options_);
    EXPECT_EQ(recorder.wait().status, 128 + SIGKILL);
    EXPECT_TRUE(exists(options_.output));
}

TEST_F(LiveRecord, ACommandThatCannotBeExecutedLeavesNothing) {
    options_.command = {"no-such-command-anywhere"};
    Recorder recorder(options_);
    const auto outcome = recorder.wait();
    EXPECT_EQ(outcome.status, 127);
    EXPECT_EQ(outcome.said, "no-such-command-anywhere: not found in PATH; nothing was recorded");
    expect_no_file();
}

// The kernel stops tracing when the last descriptor of free_buffer goes; the instance goes at the
// next start.
TEST_F(LiveRecord, ARecorderThatIsKilledDoesNotLeaveTracingOn) {
    options_.command = {"sleep", "1"};
    pid_t pid = -1;
    {
        Recorder recorder(options_);
        recorder.wait_begun();
        pid = recorder.pid;
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
    ASSERT_TRUE(exists(instance_of(pid)));
    EXPECT_EQ(read_pseudo_file(instance_of(pid) + "/tracing_on"), "0\n");
    expect_no_file();
    options_.command = {"true"};
    // The command that the killed recorder held back has its files open until it has gone, too.
    auto report = record(options_);
    for (int i = 0; i < 100 && report && exists(instance_of(pid)); ++i) {
        ::usleep(50'000);
        report = record(options_);
    }
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(exists(instance_of(pid)));
    ASSERT_EQ(report->notes.size(), 1u);
    EXPECT_EQ(
        report->notes[0],
        fmt::format("removed the tracing instance wakelab-{} of a recorder that was killed", pid));
}

TEST_F(LiveRecord, AFullDiskIsOneLineAndNoFile) {
    // While recording, on a disk of 64 KiB that only the recorder sees.
    options_.command = {this_program, "--ping-pong-ms", "1000"};
    options_.buffer_bytes = 256 << 10;
    Recorder full(options_, [&] { use_disk_of_64_kib(folder_.path); });
    const auto outcome = full.wait();
    if (outcome.status == 202) GTEST_SKIP() << "SKIPPED: no tmpfs can be mounted";
    EXPECT_EQ(outcome.status, 200);
    EXPECT_EQ(outcome.said, folder_.path + ": cannot hold the recording: No space left on device");

    // A limit on the size of files, and while the output is written.
    options_.command = {this_program, "--ping-pong", "2000"};
    Recorder limited(options_, [] {
        const rlimit limit{32 << 10, 32 << 10};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    });
    const auto too_large = limited.wait();
    EXPECT_EQ(too_large.status, 200);
    EXPECT_NE(too_large.said.find("File too large"), std::string::npos) << too_large.said;
    expect_no_file();
    options_.output = "/dev/full";
    options_.command = {"true"};
    Recorder device(options_);
    EXPECT_EQ(device.wait().said, "/dev/full: cannot be written: No space left on device");
    EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(LiveRecord, AFileThatWasThereIsKeptWhenRecordingFails) {
    FILE* old = std::fopen(options_.output.c_str(), "w");
    std::fputs("old", old);
    std::fclose(old);
    options_.command = {"no-such-command-anywhere"};
    Recorder recorder(options_);
    (void)recorder.wait();
    EXPECT_EQ(read_pseudo_file(options_.output), "old");
}

TEST_F(LiveRecord, WithoutRootItSaysWhatHelps) {
    if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: is not root, so it cannot give that up";
    ::chmod(folder_.path.c_str(), 0777);
    options_.command = {"true"};
    Recorder recorder(options_, [] {
        if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(203);
    });
    const auto outcome = recorder.wait();
    EXPECT_EQ(outcome.status, 200);
    EXPECT_NE(outcome.said.find("sudo wakelab record"), std::string::npos) << outcome.said;
    expect_no_file();
}

TEST_F(LiveRecord, CalibrationMeasuresWhatAnEventCosts) {
    options_.command = {"true"};
    options_.calibrate = true;
    const auto report = record(options_);
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_TRUE(report->ns_per_event);
    EXPECT_LT(*report->ns_per_event, 20'000);
    EXPECT_FALSE(exists(instance_of(::getpid()) + "-calibration"));
}

}  // namespace wakelab::live
