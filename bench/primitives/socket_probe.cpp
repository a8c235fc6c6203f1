// Preloaded library that tells how long a program computes BETWEEN its socket calls.
//
// It stands before send(), recv() and the waiting calls (select, poll, ppoll, epoll_wait) and keeps
// a histogram of every "end of call X until start of call Y" and of the length of every call. The
// medians are the user time of each stretch of the program, and they do not move when other
// programs take the CPU now and then. scripts/measure-pgbench-costs preloads it into pgbench and
// into the server.
//
// At exit a process that made enough calls appends its lines to the file named by WK_PROBE_OUT:
//   <program> <pid> <from> <to> <count> <median ns>        (to = "call": the call itself)
// One clock read lies inside every interval; its cost is subtracted.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

enum Call : std::uint8_t { kSend, kRecv, kRecvEmpty, kWait, kCalls };
constexpr std::array<const char*, kCalls> kNames{"send", "recv", "recv-empty", "wait"};

constexpr std::int64_t kBinNs = 10;
constexpr std::size_t kBins = 20'000;  // up to 200 us; longer goes into the last bin
constexpr std::uint64_t kEnough = 100;

struct Histogram {
    std::uint64_t count = 0;
    std::array<std::uint32_t, kBins> bins{};

    void add(std::int64_t ns) {
        ++count;
        const auto bin = static_cast<std::size_t>(ns < 0 ? 0 : ns / kBinNs);
        ++bins[bin < kBins ? bin : kBins - 1];
    }
    std::int64_t median() const {
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i < kBins; ++i) {
            seen += bins[i];
            if (2 * seen >= count) return static_cast<std::int64_t>(i) * kBinNs + kBinNs / 2;
        }
        return 0;
    }
};

std::array<std::array<Histogram, kCalls>, kCalls> between;
std::array<Histogram, kCalls> length;
std::int64_t last_end = 0;
Call last_call = kCalls;

std::int64_t now_ns() {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1'000'000'000 + t.tv_nsec;
}

// Runs one call of kind `kind`; a recv() without data is a kind of its own, because the server
// tries one before it waits.
template <class F>
auto watched(Call kind, F call) {
    const std::int64_t start = now_ns();
    const auto result = call();
    const int saved_errno = errno;
    const std::int64_t end = now_ns();
    if (kind == kRecv && result < 0) kind = kRecvEmpty;
    length[kind].add(end - start);
    if (last_call != kCalls) between[last_call][kind].add(start - last_end);
    last_call = kind;
    last_end = now_ns();  // read again: the bookkeeping above is not the program's time
    errno = saved_errno;
    return result;
}

template <class F>
F* next_symbol(const char* name) {
    return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

std::int64_t clock_cost_ns() {
    constexpr int kReads = 1'000;
    const std::int64_t start = now_ns();
    for (int i = 0; i < kReads; ++i) now_ns();
    return (now_ns() - start) / kReads;
}

class WriteAtExit {
 public:
    // The name is copied early: a PostgreSQL backend overwrites its argument area.
    WriteAtExit() { snprintf(name_.data(), name_.size(), "%s", program_invocation_short_name); }

    ~WriteAtExit() {
        const char* path = getenv("WK_PROBE_OUT");
        if (path == nullptr || length[kSend].count < kEnough) return;
        file_ = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        if (file_ < 0) return;
        clock_ns_ = clock_cost_ns();
        for (std::size_t from = 0; from < kCalls; ++from) {
            for (std::size_t to = 0; to < kCalls; ++to)
                write_line(kNames[from], kNames[to], between[from][to]);
            write_line(kNames[from], "call", length[from]);
        }
        close(file_);
    }

 private:
    void write_line(const char* from, const char* to, const Histogram& h) const {
        if (h.count == 0) return;
        dprintf(file_, "%s %d %s %s %lu %ld\n", name_.data(), getpid(), from, to, h.count,
                h.median() - clock_ns_);
    }

    std::array<char, 32> name_{};
    int file_ = -1;
    std::int64_t clock_ns_ = 0;
} write_at_exit;

}  // namespace

extern "C" {

ssize_t send(int fd, const void* data, size_t bytes, int flags) {
    static auto* const real = next_symbol<ssize_t(int, const void*, size_t, int)>("send");
    return watched(kSend, [&] { return real(fd, data, bytes, flags); });
}

ssize_t recv(int fd, void* data, size_t bytes, int flags) {
    static auto* const real = next_symbol<ssize_t(int, void*, size_t, int)>("recv");
    return watched(kRecv, [&] { return real(fd, data, bytes, flags); });
}

int select(int n, fd_set* in, fd_set* out, fd_set* except, timeval* timeout) {
    static auto* const real = next_symbol<int(int, fd_set*, fd_set*, fd_set*, timeval*)>("select");
    return watched(kWait, [&] { return real(n, in, out, except, timeout); });
}

int poll(pollfd* fds, nfds_t n, int timeout) {
    static auto* const real = next_symbol<int(pollfd*, nfds_t, int)>("poll");
    return watched(kWait, [&] { return real(fds, n, timeout); });
}

int ppoll(pollfd* fds, nfds_t n, const timespec* timeout, const sigset_t* mask) {
    static auto* const real =
        next_symbol<int(pollfd*, nfds_t, const timespec*, const sigset_t*)>("ppoll");
    return watched(kWait, [&] { return real(fds, n, timeout, mask); });
}

int epoll_wait(int epoll, epoll_event* events, int n, int timeout) {
    static auto* const real = next_symbol<int(int, epoll_event*, int, int)>("epoll_wait");
    return watched(kWait, [&] { return real(epoll, events, n, timeout); });
}

}  // extern "C"
