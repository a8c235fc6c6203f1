// Records this machine through perf_event.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>

#include "base/text.hpp"
#include "live/perf_session.hpp"
#include "recorder_process.hpp"
#include "support/trace_capture.hpp"
#include "trace/environment.hpp"
#include "trace/formats/format.hpp"

namespace wakelab::live {

namespace {

using trace::KernelEventType;

// What perf says of a file, by looking for words only: shares no code with the readers.
struct PerfScript {
    std::map<std::string, std::uint64_t> events;  // "sched_switch"
    std::uint64_t switches_out = 0, forks = 0, exits = 0, lost = 0;
    int status = -1;

    explicit PerfScript(const std::string& file) {
        const std::string command =
            "perf script --show-switch-events --show-task-events --show-lost-events -i " + file +
            " 2>" + file + ".said";
        FILE* script = ::popen(command.c_str(), "r");
        std::array<char, 4096> line{};
        while (script != nullptr &&
               std::fgets(line.data(), static_cast<int>(line.size()), script) != nullptr)
            take(line.data());
        if (script != nullptr) status = ::pclose(script);
    }

 private:
    void take(std::string_view line) {
        const auto has = [&](std::string_view word) { return line.find(word) != line.npos; };
        const std::size_t at = line.find(" sched:sched_");
        if (at != line.npos) {
            const std::size_t end = line.find(':', at + 7);
            ++events[std::string(line.substr(at + 7, end - at - 7))];
        } else if (has("PERF_RECORD_SWITCH_CPU_WIDE OUT")) {
            ++switches_out;
        } else if (has("PERF_RECORD_FORK")) {
            ++forks;
        } else if (has("PERF_RECORD_EXIT")) {
            ++exits;
        } else if (const std::size_t lost_at = line.find("lost "); has("PERF_RECORD_LOST")) {
            lost += std::strtoull(line.data() + lost_at + 5, nullptr, 10);
        }
    }
};

struct Read {
    test::TraceCapture capture;
    trace::TraceQuality quality;
    explicit Read(const std::string& file) {
        const Status read = trace::read_trace(file, capture, quality);
        EXPECT_TRUE(read) << read.error().message;
        EXPECT_EQ(quality.format, "perf.data");
        EXPECT_EQ(quality.clock, "mono");
        EXPECT_EQ(quality.damaged, 0u);
        EXPECT_FALSE(quality.truncated);
    }
    [[nodiscard]] std::uint64_t count(KernelEventType type) const { return quality.count(type); }
};

class LivePerf : public ::testing::Test {
 protected:
    void SetUp() override {
        if (const int error = try_perf_switches(0); error != 0)
            GTEST_SKIP() << "SKIPPED, nothing was tested: perf_event_open: "
                         << perf_refusal(error, perf_event_paranoid(), ::geteuid() == 0);
        options_.output = folder_.path + "/t.dat";
        options_.backend = Backend::kPerf;
    }
    [[nodiscard]] RecordReport recorded() const {
        const auto report = record(options_);
        EXPECT_TRUE(report) << report.error().message;
        return report ? *report : RecordReport{};
    }
    // Tracepoints need more than context switches do.
    static bool has_tracepoints(const RecordReport& report) {
        return std::none_of(report.notes.begin(), report.notes.end(), [](const std::string& n) {
            return n.find("without wake-ups") != n.npos;
        });
    }

    TemporaryFolder folder_;
    RecordOptions options_;
};

// In a view of the file system of its own.
void hide_tracefs() {
    const bool hidden = ::unshare(CLONE_NEWNS) == 0 &&
                        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                        ::mount("none", "/sys/kernel/tracing", "tmpfs", 0, nullptr) == 0 &&
                        (!exists("/sys/kernel/debug") ||
                         ::mount("none", "/sys/kernel/debug", "tmpfs", 0, nullptr) == 0);
    if (!hidden) ::_exit(202);
}

void make_tracefs_read_only() {
    const char* const place = "/sys/kernel/tracing";
    const bool done =
        ::unshare(CLONE_NEWNS) == 0 &&
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
        ::mount(place, place, nullptr, MS_BIND, nullptr) == 0 &&
        ::mount("none", place, nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) == 0;
    if (!done) ::_exit(202);
}

}  // namespace

TEST_F(LivePerf, EveryEventOfAPingPongIsInAFileThatPerfReads) {
    options_.command = {this_program, "--ping-pong", "3000"};
    options_.recorder = "wakelab test";
    const RecordReport report = recorded();
    if (!has_tracepoints(report)) GTEST_SKIP() << "SKIPPED: " << report.notes.at(0);
    EXPECT_EQ(report.backend, "perf");
    EXPECT_EQ(report.command_end, "exit 0");
    EXPECT_EQ(report.lost_events(), 0u);
    EXPECT_GT(report.events, 3000u);
    EXPECT_EQ(report.file_bytes, std::filesystem::file_size(options_.output));
    const Read ours(options_.output);
    EXPECT_EQ(ours.quality.total_events(), report.events);
    EXPECT_EQ(ours.quality.out_of_order, 0u);
    if (!has_program("perf")) GTEST_SKIP() << "SKIPPED the comparison: no perf";
    const PerfScript script(options_.output);
    EXPECT_EQ(script.status, 0);
    EXPECT_EQ(read_pseudo_file(options_.output + ".said"), "");
    std::uint64_t all = 0;
    for (const auto& [name, n] : script.events) all += n;
    EXPECT_EQ(all, report.events);
    EXPECT_GT(script.events.at("sched_waking"), 1000u);
    for (const KernelEventType type :
         {KernelEventType::kSwitch, KernelEventType::kWaking, KernelEventType::kWakeup,
          KernelEventType::kMigrate, KernelEventType::kFork, KernelEventType::kExit}) {
        const auto at = script.events.find(std::string(trace::to_string(type)));
        EXPECT_EQ(ours.count(type), at == script.events.end() ? 0 : at->second)
            << trace::to_string(type);
    }
    for (const char* command : {"sched latency", "sched timehist", "report --header-only"})
        EXPECT_EQ(std::system(fmt::format("perf {} -i {} >{}.out 2>&1", command, options_.output,
                                          options_.output)
                                  .c_str()),
                  0)
            << command;
    const std::string header = read_pseudo_file(options_.output + ".out");
    EXPECT_NE(header.find("perf version : wakelab test"), std::string::npos) << header;
}

TEST_F(LivePerf, WithoutTracepointsItTellsWhoRanAndWhatIsMissing) {
    options_.command = {this_program, "--ping-pong", "2000"};
    options_.without_tracepoints = true;
    const RecordReport report = recorded();
    ASSERT_EQ(report.notes.size(), 1u);
    EXPECT_NE(report.notes[0].find("wake-up latency and who woke whom are unknown"),
              std::string::npos);
    const Read ours(options_.output);
    EXPECT_GT(ours.count(KernelEventType::kSwitch), 1000u);
    EXPECT_EQ(ours.count(KernelEventType::kWakeup), 0u);
    EXPECT_GE(ours.count(KernelEventType::kExec), 1u);  // of ours; others may run programs, too
    if (!has_program("perf")) GTEST_SKIP() << "SKIPPED the comparison: no perf";
    const PerfScript script(options_.output);
    EXPECT_EQ(script.status, 0);
    EXPECT_EQ(ours.count(KernelEventType::kSwitch), script.switches_out);
    EXPECT_EQ(ours.count(KernelEventType::kFork), script.forks);
    EXPECT_EQ(ours.count(KernelEventType::kExit), script.exits);
}

TEST_F(LivePerf, TheFileTellsOfTheMachineAndItsTasks) {
    options_.command = {"sleep", "0.1"};
    const RecordReport report = recorded();
    auto input = trace::Input::open(options_.output);
    ASSERT_TRUE(input);
    ASSERT_TRUE(input->make_seekable());
    const auto found = trace::read_environment(*input);
    ASSERT_TRUE(found && found->has_value());
    const trace::Environment& e = **found;
    EXPECT_EQ(e.backend, "perf");
    EXPECT_EQ(e.command_pid, report.command_pid);
    EXPECT_EQ(std::count(e.recorder_tids.begin(), e.recorder_tids.end(), ::getpid()), 1);
    EXPECT_EQ(e.recorder_tids.size(), report.cpus + 1);
    EXPECT_TRUE(std::any_of(e.tasks.begin(), e.tasks.end(),
                            [](const auto& t) { return t.pid == ::getpid() && t.at_start; }));
    // perf knows names from records: also of tasks that never run.
    if (!has_program("perf")) GTEST_SKIP() << "SKIPPED the comparison: no perf";
    const std::string names = options_.output + ".names";
    ASSERT_EQ(
        std::system(fmt::format("perf script --show-task-events -i {} >{}", options_.output, names)
                        .c_str()),
        0);
    EXPECT_NE(read_pseudo_file(names).find("PERF_RECORD_COMM: " + e.tasks.front().name + ":"),
              std::string::npos);
}

TEST_F(LivePerf, LossesAreCountedOnceAndToldInTheFile) {
    options_.command = {this_program, "--ping-pong", "20000"};
    options_.buffer_bytes = 4096;  // forty events
    const RecordReport report = recorded();
    ASSERT_GT(report.lost_events(), 0u);
    const Read ours(options_.output);
    EXPECT_EQ(ours.quality.lost_events, report.lost_events());
    if (!has_program("perf")) GTEST_SKIP() << "SKIPPED the comparison: no perf";
    EXPECT_EQ(PerfScript(options_.output).lost, report.lost_events());
}

TEST_F(LivePerf, AFlightRecorderKeepsTheEnd) {
    options_.command = {this_program, "--ping-pong-ms", "900"};
    options_.last = Duration{300'000'000};
    const RecordReport report = recorded();
    EXPECT_LT(report.kept_ns, report.duration_ns);
    EXPECT_LE(report.kept_ns, 300'000'000);
    const Read ours(options_.output);
    const auto& records = ours.capture.records;
    ASSERT_FALSE(records.empty());
    EXPECT_LE(records.back().ns - records.front().ns, 300'000'000);
    EXPECT_EQ(ours.quality.out_of_order, 0u);
    EXPECT_TRUE(!has_tracepoints(report) || ours.quality.total_events() == report.events);

    options_.last = Duration{60'000'000'000};
    options_.buffer_bytes = 16 << 10;
    const RecordReport small = recorded();
    EXPECT_LT(small.kept_ns, small.duration_ns);  // the ring forgot, and it is told
    EXPECT_GT(small.events, 0u);
}

TEST_F(LivePerf, EndsAsTheOtherBackendDoes) {
    options_.command = {"sleep", "60"};
    Recorder interrupted(options_);
    interrupted.wait_begun();
    ::kill(interrupted.pid, SIGINT);
    EXPECT_EQ(interrupted.wait().status, 128 + SIGINT);
    EXPECT_TRUE(exists(options_.output));
    std::filesystem::remove(options_.output);

    options_.command = {"no-such-command-anywhere"};
    Recorder unknown(options_);
    EXPECT_EQ(unknown.wait().status, 127);
    EXPECT_TRUE(folder_.empty());

    options_.command = {"sleep", "1"};
    Recorder killed(options_);
    killed.wait_begun();
    ::kill(killed.pid, SIGKILL);
    ::waitpid(killed.pid, nullptr, 0);
    EXPECT_TRUE(folder_.empty());

    options_.command = {};
    options_.duration = Duration{100'000'000};
    EXPECT_EQ(recorded().ended_by, "--duration");
    EXPECT_TRUE(exists(options_.output));
}

TEST_F(LivePerf, AFullDiskIsOneLineAndNoFile) {
    options_.command = {this_program, "--ping-pong-ms", "1000"};
    options_.buffer_bytes = 64 << 10;
    Recorder full(options_, [&] { use_disk_of_64_kib(folder_.path); });
    const auto outcome = full.wait();
    if (outcome.status == 202) GTEST_SKIP() << "SKIPPED: no tmpfs can be mounted";
    EXPECT_EQ(outcome.status, 200);
    EXPECT_EQ(outcome.said, folder_.path + ": cannot hold the recording: No space left on device");
    options_.output = "/dev/full";
    options_.command = {"true"};
    Recorder device(options_);
    EXPECT_EQ(device.wait().said, "/dev/full: cannot be written: No space left on device");
    EXPECT_TRUE(folder_.empty());
}

TEST_F(LivePerf, IsTakenWhereTracefsIsNotThereOrCannotBeWrittenTo) {
    options_.backend = Backend::kAuto;
    options_.command = {"true"};
    Recorder hidden(options_, hide_tracefs);
    const auto without = hidden.wait();
    if (without.status == 202) GTEST_SKIP() << "SKIPPED: tracefs cannot be hidden";
    EXPECT_EQ(without.status, 0) << without.said;
    EXPECT_NE(without.said.find("without wake-ups"), std::string::npos) << without.said;
    EXPECT_NE(without.said.find("tracefs is not mounted"), std::string::npos) << without.said;
    EXPECT_EQ(Read(options_.output).count(KernelEventType::kWakeup), 0u);

    options_.events = {"irq"};
    Recorder refused(options_, hide_tracefs);
    EXPECT_EQ(refused.wait().status, 200);
    options_.events = {};

    Recorder read_only(options_, make_tracefs_read_only);
    const auto with = read_only.wait();
    if (with.status == 202) GTEST_SKIP() << "SKIPPED: tracefs cannot be made read-only";
    EXPECT_EQ(with.status, 0) << with.said;
    EXPECT_NE(with.said.find("recorded through perf_event"), std::string::npos) << with.said;
    EXPECT_GT(Read(options_.output).count(KernelEventType::kWakeup), 0u);
}

TEST_F(LivePerf, CalibrationMeasuresWhatAnEventCosts) {
    options_.command = {"true"};
    options_.calibrate = true;
    for (const bool without : {false, true}) {
        options_.without_tracepoints = without;
        const RecordReport report = recorded();
        ASSERT_TRUE(report.ns_per_event);
        EXPECT_LT(*report.ns_per_event, 20'000);
    }
}

TEST_F(LivePerf, WithoutPermissionItSaysWhatHelps) {
    if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: is not root, so it cannot give that up";
    if (perf_event_paranoid().starts_with("-") || perf_event_paranoid() == "0")
        GTEST_SKIP() << "SKIPPED: everybody may record here";
    options_.command = {"true"};
    for (const Backend backend : {Backend::kPerf, Backend::kAuto}) {
        options_.backend = backend;
        Recorder recorder(options_, [] {
            if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(203);
        });
        const auto outcome = recorder.wait();
        EXPECT_EQ(outcome.status, 200);
        EXPECT_NE(outcome.said.find("kernel.perf_event_paranoid is " + perf_event_paranoid()),
                  std::string::npos)
            << outcome.said;
        EXPECT_EQ(outcome.said.find('\n'), std::string::npos);
    }
}

}  // namespace wakelab::live
