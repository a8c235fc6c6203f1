#include "live/traced_command.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

#include "base/text.hpp"

namespace wakelab::live {

namespace {

struct Pipe {
    Fd out, in;
};

bool make_pipe(Pipe& pipe) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    pipe.out = Fd(ends[0]);
    pipe.in = Fd(ends[1]);
    return true;
}

// In the child: only calls that are safe after fork.
[[noreturn]] void wait_and_execute(char* const* argv, int gate, int failed,
                                   const Signals& signals) {
    char go = 0;
    if (retried([&] { return ::read(gate, &go, 1); }) != 1) ::_exit(127);  // the recorder gave up
    signals.restore();
    ::execvp(argv[0], argv);
    const int error = errno;
    (void)retried([&] { return ::write(failed, &error, sizeof error); });
    ::_exit(error == ENOENT || error == ENOTDIR ? 127 : 126);
}

}  // namespace

Result<TracedCommand> TracedCommand::hold(const std::vector<std::string>& argv,
                                          const Signals& signals) {
    TracedCommand command;
    Pipe gate, failed;
    if (argv.empty()) return Error{"expected a command"};
    command.name_ = argv[0];
    std::vector<char*> arguments;
    for (const std::string& a : argv) arguments.push_back(const_cast<char*>(a.c_str()));
    arguments.push_back(nullptr);
    if (!make_pipe(gate) || !make_pipe(failed))
        return Error{fmt::format("cannot start {}: {}", printable(argv[0]), std::strerror(errno))};
    std::fflush(nullptr);
    command.pid_ = ::fork();
    if (command.pid_ < 0)
        return Error{fmt::format("cannot start {}: {}", printable(argv[0]), std::strerror(errno))};
    if (command.pid_ == 0) {
        gate.in.reset();  // or it would wait for itself when the recorder dies
        wait_and_execute(arguments.data(), gate.out.get(), failed.in.get(), signals);
    }
    command.gate_ = std::move(gate.in);
    command.failed_ = std::move(failed.out);
    return command;
}

TracedCommand::TracedCommand(TracedCommand&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      released_(other.released_),
      ended_(other.ended_),
      wait_status_(other.wait_status_),
      name_(std::move(other.name_)),
      gate_(std::move(other.gate_)),
      failed_(std::move(other.failed_)) {}

TracedCommand::~TracedCommand() {
    if (pid_ < 0 || released_ || ended_) return;
    gate_.reset();  // it reads the end of file and leaves
    retried([&] { return ::waitpid(pid_, &wait_status_, 0); });
}

Status TracedCommand::release() {
    released_ = true;
    const char go = 1;
    (void)retried(
        [&] { return ::write(gate_.get(), &go, 1); });  // EPIPE: it was killed; ended() tells
    gate_.reset();
    int error = 0;
    const ssize_t n = retried([&] { return ::read(failed_.get(), &error, sizeof error); });
    failed_.reset();
    if (n != static_cast<ssize_t>(sizeof error)) return {};
    retried([&] { return ::waitpid(pid_, &wait_status_, 0); });
    ended_ = true;
    const std::string name = printable(name_);
    if (error == ENOENT && name_.find('/') == std::string::npos)
        return Error{fmt::format("{}: not found in PATH; nothing was recorded", name)};
    return Error{fmt::format("{}: cannot be executed: {}; nothing was recorded", name,
                             std::strerror(error))};
}

bool TracedCommand::ended() {
    if (!ended_ && pid_ > 0)
        ended_ = retried([&] { return ::waitpid(pid_, &wait_status_, WNOHANG); }) == pid_;
    return ended_;
}

void TracedCommand::signal(int number) {
    if (!ended()) ::kill(pid_, number);
}

std::string wait_status_text(int wait_status) {
    if (!WIFSIGNALED(wait_status)) return fmt::format("exit {}", WEXITSTATUS(wait_status));
    return fmt::format("signal {} ({})", WTERMSIG(wait_status), ::strsignal(WTERMSIG(wait_status)));
}

int shell_status(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace wakelab::live
