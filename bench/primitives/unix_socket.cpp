// What the kernel primitives of the pgbench model cost on this host, on the CPU the program is
// pinned to: AF_UNIX stream send and recv without blocking, select() by number of descriptors, and
// a ping-pong between two processes that share the CPU. One line "<name> <ns>" each; medians of
// many short batches, so that interruptions by other programs do not count.
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kQueryBytes = 65;
constexpr int kReplyBytes = 70;
constexpr int kRepetitions = 2'001;

struct Pair {
    Pair() {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd.data()) != 0) {
            std::perror("socketpair");
            std::exit(1);
        }
    }
    std::array<int, 2> fd{};
};

void check(bool ok, const char* what) {
    if (ok) return;
    std::perror(what);
    std::exit(1);
}

void send_bytes(int fd, int bytes) {
    static const std::array<char, 128> data{};
    check(send(fd, data.data(), static_cast<std::size_t>(bytes), 0) == bytes, "send");
}

void recv_bytes(int fd, int bytes) {
    std::array<char, 128> data{};
    check(recv(fd, data.data(), static_cast<std::size_t>(bytes), 0) == bytes, "recv");
}

// Median over kRepetitions of the time of one of `per_batch` operations done by `batch`.
template <class F>
double median_ns(int per_batch, F batch) {
    std::vector<double> samples;
    for (int i = 0; i < kRepetitions; ++i) samples.push_back(batch());
    std::nth_element(samples.begin(), samples.begin() + kRepetitions / 2, samples.end());
    return samples[kRepetitions / 2] / per_batch;
}

template <class F>
double elapsed_ns(F work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::nano> d = std::chrono::steady_clock::now() - start;
    return d.count();
}

void report(const char* name, double ns) {
    std::printf("%s %.0f\n", name, ns);
}

void measure_null_call() {
    constexpr int kBatch = 64;
    report("null_call", median_ns(kBatch, [] {
               return elapsed_ns([] {
                   for (int i = 0; i < kBatch; ++i) syscall(SYS_getppid);
               });
           }));
}

// Messages queue up in the socket and are then taken out again: nobody sleeps, nobody is woken.
void measure_send_recv() {
    constexpr int kBatch = 16;
    const Pair pair;
    report("send", median_ns(kBatch, [&] {
               const double ns = elapsed_ns([&] {
                   for (int i = 0; i < kBatch; ++i) send_bytes(pair.fd[0], kQueryBytes);
               });
               for (int i = 0; i < kBatch; ++i) recv_bytes(pair.fd[1], kQueryBytes);
               return ns;
           }));
    report("recv", median_ns(kBatch, [&] {
               for (int i = 0; i < kBatch; ++i) send_bytes(pair.fd[0], kReplyBytes);
               return elapsed_ns([&] {
                   for (int i = 0; i < kBatch; ++i) recv_bytes(pair.fd[1], kReplyBytes);
               });
           }));
}

// One ready descriptor (the last), so that select() scans all of them once and returns.
double select_ns(int descriptors) {
    constexpr int kBatch = 16;
    const std::vector<Pair> pairs(static_cast<std::size_t>(descriptors));
    send_bytes(pairs.back().fd[1], kReplyBytes);
    fd_set watched;
    FD_ZERO(&watched);
    int highest = 0;
    for (const Pair& pair : pairs) {
        FD_SET(pair.fd[0], &watched);
        highest = std::max(highest, pair.fd[0]);
    }
    const double ns = median_ns(kBatch, [&] {
        return elapsed_ns([&] {
            for (int i = 0; i < kBatch; ++i) {
                fd_set set = watched;
                check(select(highest + 1, &set, nullptr, nullptr, nullptr) == 1, "select");
            }
        });
    });
    for (const Pair& pair : pairs) {
        close(pair.fd[0]);
        close(pair.fd[1]);
    }
    return ns;
}

void measure_select() {
    const double one = select_ns(1);
    const double ten = select_ns(10);
    const double fifty = select_ns(50);
    report("select_1", one);
    report("select_10", ten);
    report("select_50", fifty);
    report("select_per_fd", (fifty - ten) / 40);
}

// Round trip of one message each way between two processes on one CPU: two sends, two recvs, and
// twice what lies between a recv() that finds nothing and the other process running.
void measure_ping_pong() {
    constexpr int kBatch = 20;
    const Pair pair;
    const pid_t child = fork();
    check(child >= 0, "fork");
    if (child == 0) {
        close(pair.fd[0]);
        std::array<char, 128> data{};
        while (recv(pair.fd[1], data.data(), data.size(), 0) > 0)
            send_bytes(pair.fd[1], kReplyBytes);
        _exit(0);
    }
    close(pair.fd[1]);
    report("ping_pong_round_trip", median_ns(kBatch, [&] {
               return elapsed_ns([&] {
                   for (int i = 0; i < kBatch; ++i) {
                       send_bytes(pair.fd[0], kQueryBytes);
                       recv_bytes(pair.fd[0], kReplyBytes);
                   }
               });
           }));
    close(pair.fd[0]);
    waitpid(child, nullptr, 0);
}

}  // namespace

int main() {
    measure_null_call();
    measure_send_recv();
    measure_select();
    measure_ping_pong();
}
