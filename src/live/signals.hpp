// The signals that end a recording, taken in an orderly way instead of killing the recorder with
// its tracing still on.
#pragma once

#include <array>
#include <csignal>
#include <optional>

#include "live/fd.hpp"

namespace wakelab::live {

// One at a time per process; threads started meanwhile inherit it. SIGINT, SIGTERM, SIGHUP and
// SIGCHLD are read from fd(); SIGPIPE and SIGXFSZ (a file at its size limit) are ignored, so that
// the write fails.
class Signals {
 public:
    Signals();
    ~Signals();
    Signals(const Signals&) = delete;
    Signals& operator=(const Signals&) = delete;

    // As it was before. Also for a child between fork and exec.
    void restore() const;

    [[nodiscard]] int fd() const { return fd_.get(); }
    struct Request {
        int number = 0;
        bool from_terminal = false;  // then the command has got it, too
    };
    // The next signal but SIGCHLD; nothing if there is none now.
    std::optional<Request> next() const;

 private:
    sigset_t old_mask_{};
    std::array<struct sigaction, 2> old_actions_{};  // SIGPIPE, SIGXFSZ
    Fd fd_;
};

}  // namespace wakelab::live
