#include "live/signals.hpp"

#include <pthread.h>
#include <sys/signalfd.h>

namespace wakelab::live {

Signals::Signals() {
    sigset_t taken;
    sigemptyset(&taken);
    for (const int s : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&taken, s);
    ::pthread_sigmask(SIG_BLOCK, &taken, &old_mask_);
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignore, &old_actions_[0]);
    ::sigaction(SIGXFSZ, &ignore, &old_actions_[1]);
    fd_ = Fd(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
}

Signals::~Signals() {
    while (next()) {
    }  // a second Ctrl-C must not kill us now that all is done
    restore();
}

void Signals::restore() const {
    ::sigaction(SIGPIPE, &old_actions_[0], nullptr);
    ::sigaction(SIGXFSZ, &old_actions_[1], nullptr);
    ::pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
}

std::optional<Signals::Request> Signals::next() const {
    signalfd_siginfo info{};
    while (::read(fd_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
        if (info.ssi_signo != SIGCHLD)
            return Request{static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
    return std::nullopt;
}

}  // namespace wakelab::live
