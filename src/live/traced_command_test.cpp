#include "live/traced_command.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "live/recording.hpp"

namespace wakelab::live {

namespace {

int wait_for(TracedCommand& command) {
    while (!command.ended()) std::this_thread::yield();
    return command.wait_status();
}

}  // namespace

TEST(TracedCommand, RunsOnlyWhenReleased) {
    const Signals signals;
    auto command = TracedCommand::hold({"sh", "-c", "exit 3"}, signals);
    ASSERT_TRUE(command);
    EXPECT_FALSE(command->ended());
    ASSERT_TRUE(command->release());
    EXPECT_EQ(shell_status(wait_for(*command)), 3);
    EXPECT_EQ(wait_status_text(command->wait_status()), "exit 3");
}

TEST(TracedCommand, SaysWhyItCannotBeExecutedAsAShellWould) {
    const Signals signals;
    auto missing = TracedCommand::hold({"no-such-command-anywhere"}, signals);
    ASSERT_TRUE(missing);
    const Status not_found = missing->release();
    ASSERT_FALSE(not_found);
    EXPECT_EQ(not_found.error().message,
              "no-such-command-anywhere: not found in PATH; nothing was recorded");
    EXPECT_EQ(shell_status(missing->wait_status()), 127);

    auto folder = TracedCommand::hold({"/tmp"}, signals);
    ASSERT_TRUE(folder);
    const Status refused = folder->release();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "/tmp: cannot be executed: Permission denied; nothing was recorded");
    EXPECT_EQ(shell_status(folder->wait_status()), 126);
}

TEST(TracedCommand, TellsTheSignalThatKilledIt) {
    const Signals signals;
    auto command = TracedCommand::hold({"sleep", "60"}, signals);
    ASSERT_TRUE(command);
    ASSERT_TRUE(command->release());
    command->signal(SIGKILL);
    EXPECT_EQ(shell_status(wait_for(*command)), 128 + SIGKILL);
    EXPECT_EQ(wait_status_text(command->wait_status()), "signal 9 (Killed)");
}

TEST(TracedCommand, OneThatWasKilledWhileHeldIsNoReasonToDie) {
    const Signals signals;
    auto command = TracedCommand::hold({"true"}, signals);
    ASSERT_TRUE(command);
    ::kill(command->pid(), SIGKILL);
    while (::kill(command->pid(), 0) == 0 && !command->ended()) std::this_thread::yield();
    EXPECT_TRUE(command->release());  // no SIGPIPE
    EXPECT_EQ(shell_status(wait_for(*command)), 128 + SIGKILL);
}

TEST(TracedCommand, OneThatIsNeverReleasedIsGoneWithItsOwner) {
    const Signals signals;
    pid_t pid = -1;
    {
        auto command = TracedCommand::hold({"sleep", "60"}, signals);
        ASSERT_TRUE(command);
        pid = command->pid();
    }
    EXPECT_NE(::kill(pid, 0), 0);
}

TEST(WaitForEnd, IsTheFirstOfCommandSignalAndTime) {
    const Signals signals;
    const auto end = wait_for_end(signals, nullptr, Duration{5'000'000}, -1);
    EXPECT_EQ(end.cause, RecordingEnd::Cause::kDuration);
    ::raise(SIGINT);  // blocked: it waits in signals.fd()
    const auto interrupted = wait_for_end(signals, nullptr, std::nullopt, -1);
    EXPECT_EQ(interrupted.cause, RecordingEnd::Cause::kSignal);
    EXPECT_EQ(interrupted.signal.number, SIGINT);
    EXPECT_FALSE(interrupted.signal.from_terminal);
    auto command = TracedCommand::hold({"true"}, signals);
    ASSERT_TRUE(command);
    ASSERT_TRUE(command->release());
    EXPECT_EQ(wait_for_end(signals, &*command, std::nullopt, -1).cause,
              RecordingEnd::Cause::kCommand);
}

TEST(FolderFor, IsBesideAFileAndElsewhereForDevices) {
    EXPECT_EQ(folder_for("out.dat"), ".");
    EXPECT_EQ(folder_for("/tmp/x/out.dat"), "/tmp/x");
    EXPECT_NE(folder_for("/dev/null"), "/dev");
    EXPECT_NE(folder_for("-"), ".");
}

}  // namespace wakelab::live
