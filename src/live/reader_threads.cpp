#include "live/reader_threads.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>

namespace wakelab::live {

namespace {

void raise(const Fd& event) {
    const std::uint64_t one = 1;
    (void)retried([&] { return ::write(event.get(), &one, sizeof one); });
}

}  // namespace

ReaderThreads::ReaderThreads()
    : stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      failure_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void ReaderThreads::start(const std::vector<int>& sources, Copy copy) {
    copy_ = std::move(copy);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        readers_.push_back(std::make_unique<Reader>());
        readers_[i]->thread = std::thread([this, i, fd = sources[i]] { run(i, fd); });
    }
    for (const auto& r : readers_)
        while (r->tid.load() == 0) std::this_thread::yield();
}

void ReaderThreads::stop() {
    raise(stop_);
    for (const auto& r : readers_)
        if (r->thread.joinable()) r->thread.join();
}

void ReaderThreads::fail() const {
    raise(failure_);
}

std::vector<std::int32_t> ReaderThreads::thread_ids() const {
    std::vector<std::int32_t> ids;
    for (const auto& r : readers_)
        if (r->thread.joinable()) ids.push_back(r->tid.load());
    return ids;
}

void ReaderThreads::run(std::size_t i, int source) {
    readers_[i]->tid = ::gettid();
    std::array<pollfd, 2> wait{pollfd{stop_.get(), POLLIN, 0}, pollfd{source, POLLIN, 0}};
    for (;;) {
        ::poll(wait.data(), 2, -1);
        if (wait[0].revents != 0) return;
        if (!copy_(i)) return;
        if ((wait[1].revents & (POLLERR | POLLHUP)) != 0) return;  // its CPU is gone: no more comes
        // Kernels before 6.1 wake at the first event whatever buffer_percent says.
        if (::poll(wait.data(), 1, 1000 / kMostWakeups) > 0) return;
    }
}

}  // namespace wakelab::live
