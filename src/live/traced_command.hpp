// The command that is recorded: started but held before its first instruction, so that recording
// can begin before it does anything.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/fd.hpp"
#include "live/signals.hpp"

namespace wakelab::live {

class TracedCommand {
 public:
    // Forks; before the recorder has threads. Signals are as they were before `signals` for the
    // command. Error: no process can be made.
    static Result<TracedCommand> hold(const std::vector<std::string>& argv, const Signals& signals);

    TracedCommand(TracedCommand&& other) noexcept;
    TracedCommand& operator=(TracedCommand&&) = delete;
    // Kills it if it was never released.
    ~TracedCommand();

    // Lets it run. Error: it cannot be executed; says why. It is gone then and wait_status() is
    // that of a shell: 127 (not found) or 126 (not executable).
    Status release();
    // Has it ended? Never blocks.
    bool ended();
    // As of waitpid(); valid once ended().
    [[nodiscard]] int wait_status() const { return wait_status_; }
    [[nodiscard]] pid_t pid() const { return pid_; }
    void signal(int number);

 private:
    TracedCommand() = default;

    pid_t pid_ = -1;
    bool released_ = false;
    bool ended_ = false;
    int wait_status_ = 0;
    std::string name_;
    Fd gate_;    // a byte here lets it go
    Fd failed_;  // it tells here why it cannot be executed; closed by a successful exec
};

// "exit 3", "signal 9 (Killed)".
[[nodiscard]] std::string wait_status_text(int wait_status);
// As a shell tells it: 3, 128 + 9.
[[nodiscard]] int shell_status(int wait_status);

}  // namespace wakelab::live
