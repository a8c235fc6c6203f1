// What tests that record this machine have in common.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include "live/fd.hpp"
#include "live/record.hpp"
#include "live/tracefs_session.hpp"

namespace wakelab::live {

extern std::string this_program;

struct TemporaryFolder {
    std::string path = "/tmp/wakelab-live-XXXXXX";
    TemporaryFolder() { EXPECT_NE(::mkdtemp(path.data()), nullptr); }
    ~TemporaryFolder() { std::filesystem::remove_all(path); }
    [[nodiscard]] bool empty() const { return std::filesystem::is_empty(path); }
};

inline void sleep_ms(long ms) {
    const timespec t{ms / 1000, ms % 1000 * 1'000'000};
    ::nanosleep(&t, nullptr);
}

inline std::string instance_of(pid_t pid) {
    const auto root = find_tracefs(tracefs_places());
    return fmt::format("{}/instances/wakelab-{}", root ? *root : tracefs_places().front(), pid);
}

inline bool exists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

// record() in a process of its own, as of `wakelab record`. Its exit status is the command's, or
// 200 for an Error, whose message comes back.
struct Recorder {
    pid_t pid = -1;
    Fd said, begun;

    explicit Recorder(
        RecordOptions options, const std::function<void()>& prepare = [] {}) {
        int ends[2], begun_ends[2];
        EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
        EXPECT_EQ(::pipe2(begun_ends, O_CLOEXEC), 0);
        pid = ::fork();
        if (pid == 0) {
            prepare();
            options.begun = [&] { EXPECT_EQ(::write(begun_ends[1], "b", 1), 1); };
            const auto report = record(options);
            const std::string text = !report                    ? report.error().message
                                     : !report->problem.empty() ? report->problem
                                                                : report_text(*report);
            if (::write(ends[1], text.data(), text.size()) < 0) ::_exit(201);
            ::_exit(report ? report->command_status : 200);
        }
        said = Fd(ends[0]);
        begun = Fd(begun_ends[0]);
        ::close(ends[1]);
        ::close(begun_ends[1]);
    }
    // Waits until it records.
    void wait_begun() const {
        char byte = 0;
        EXPECT_EQ(::read(begun.get(), &byte, 1), 1) << "it does not record";
        sleep_ms(50);
    }
    struct Outcome {
        int status = 0;
        std::string said;
    };
    Outcome wait() {
        Outcome outcome;
        std::array<char, 4096> buffer{};
        for (ssize_t n = 0; (n = ::read(said.get(), buffer.data(), buffer.size())) > 0;)
            outcome.said.append(buffer.data(), static_cast<std::size_t>(n));
        int status = 0;
        ::waitpid(pid, &status, 0);
        outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
        EXPECT_FALSE(exists(instance_of(pid))) << "an instance was left behind";
        return outcome;
    }
};

// In the recorder: `folder` is on a small disk that only it sees. Exits with 202 where that cannot
// be.
inline void use_disk_of_64_kib(const std::string& folder) {
    const bool mounted = ::unshare(CLONE_NEWNS) == 0 &&
                         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("none", folder.c_str(), "tmpfs", 0, "size=64k") == 0;
    if (!mounted) ::_exit(202);
}

inline bool has_program(const char* name) {
    return std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0;
}

}  // namespace wakelab::live
