#include "sim/coroutine.hpp"

#include <array>
#include <new>

namespace wakelab::sim {

namespace {

constexpr std::size_t kClassBytes = 64;
constexpr std::size_t kClasses = 64;       // frames up to 4 KiB are pooled

// Free frames by size class. One list per thread: an engine runs on one thread from start to end.
struct FreeFrame {
    FreeFrame* next;
};

struct Pool {
    std::array<FreeFrame*, kClasses> free{};
    ~Pool() {
        for (FreeFrame* list : free)
            while (list != nullptr) ::operator delete(std::exchange(list, list->next));
    }
};

thread_local Pool pool;

std::size_t class_of(std::size_t bytes) { return (bytes + kClassBytes - 1) / kClassBytes; }

}  // namespace

void* allocate_frame(std::size_t bytes) {
    const std::size_t c = class_of(bytes);
    if (c >= kClasses) return ::operator new(bytes);
    if (pool.free[c] == nullptr) return ::operator new(c * kClassBytes);
    return std::exchange(pool.free[c], pool.free[c]->next);
}

void free_frame(void* frame, std::size_t bytes) {
    const std::size_t c = class_of(bytes);
    if (c >= kClasses) {
        ::operator delete(frame);
        return;
    }
    pool.free[c] = new (frame) FreeFrame{pool.free[c]};
}

}  // namespace wakelab::sim
