// The main() of the live tests. With an argument the program is the load instead: "--ping-pong N".
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "recorder_process.hpp"

namespace wakelab::live {

std::string this_program;

namespace {

// Round trips of a byte between two processes.
int ping_pong(int rounds, long milliseconds) {
    int to[2], back[2];
    if (::pipe(to) != 0 || ::pipe(back) != 0) return 1;
    const pid_t partner = ::fork();
    char byte = 0;
    if (partner == 0) {
        ::close(to[1]);
        while (::read(to[0], &byte, 1) == 1 && ::write(back[1], &byte, 1) == 1) {
        }
        ::_exit(0);
    }
    ::close(to[0]);
    timespec start{}, now{};
    ::clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; rounds == 0 || i < rounds; ++i) {
        if (::write(to[1], &byte, 1) != 1 || ::read(back[0], &byte, 1) != 1) return 1;
        ::clock_gettime(CLOCK_MONOTONIC, &now);
        if (rounds == 0 &&
            (now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1'000'000 >=
                milliseconds)
            break;
    }
    ::close(to[1]);
    ::waitpid(partner, nullptr, 0);
    return 0;
}

}  // namespace

}  // namespace wakelab::live

int main(int argc, char** argv) {
    using wakelab::live::ping_pong;
    if (argc == 3 && std::string_view(argv[1]) == "--ping-pong")
        return ping_pong(std::atoi(argv[2]), 0);
    if (argc == 3 && std::string_view(argv[1]) == "--ping-pong-ms")
        return ping_pong(0, std::atoi(argv[2]));
    wakelab::live::this_program = std::filesystem::canonical("/proc/self/exe").string();
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
