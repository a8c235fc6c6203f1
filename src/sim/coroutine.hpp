// Workload: the coroutine type of simulated programs. A workload function runs until its next system
// call, the engine resumes it when the call has had its effect.
//
// Rules (spec style.md 5; facts of GCC 12): awaiters are trivially copyable, await_suspend returns void,
// parameters are values, ids or references that outlive the run, no capturing lambdas, no exceptions.
// Frames come from a per-thread free list, so a run creates and destroys them without malloc.
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>

#include "base/check.hpp"

namespace wakelab::sim {

void* allocate_frame(std::size_t bytes);
void free_frame(void* frame, std::size_t bytes);

class Workload {
 public:
    struct promise_type {
        static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
        static void operator delete(void* frame, std::size_t bytes) { free_frame(frame, bytes); }
        Workload get_return_object() {
            return Workload(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { WK_CHECK(false && "exception left a workload"); }
    };

    Workload() = default;
    Workload(Workload&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Workload& operator=(Workload&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;
    ~Workload() {
        if (handle_) handle_.destroy();
    }

    [[nodiscard]] bool started() const { return handle_ != nullptr; }
    // Runs to the next system call. Returns false when the program has returned.
    bool resume() {
        handle_.resume();
        return !handle_.done();
    }

 private:
    explicit Workload(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

}  // namespace wakelab::sim
