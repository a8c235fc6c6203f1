// The system calls of simulated programs. Every simulated task has one Sys; a workload awaits its calls:
//
//     Workload ping(Sys& sys, Pipe& out, Pipe& in) {
//         for (int i = 0; i < 1000; ++i) {
//             sys.run(12_us);                       // user code; takes effect with the next call
//             co_await sys.write(out, 1);
//             co_await sys.read(in, 1);
//         }
//     }
//
// Costs come from the machine file; user times are for the reference machine and scaled by the
// machine's user_time_permille.
#pragma once

#include <coroutine>
#include <cstdint>
#include <type_traits>

#include "base/prng.hpp"
#include "sim/engine.hpp"
#include "sim/pipe.hpp"
#include "sim/unix_socket.hpp"

namespace wakelab::sim {

// Suspends until the call has had its effect; yields its result (bytes, count, ns).
struct SystemCall {
    Task* task;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    std::int64_t await_resume() const noexcept { return task->result; }
};
static_assert(std::is_trivially_copyable_v<SystemCall>);

class Sys;
// Program of a forked task; `arg` outlives the run.
using Program = Workload (*)(Sys& sys, void* arg);

class Sys {
 public:
    Sys(Engine& engine, Task& task, std::uint64_t seed);

    // --- user code: added to the work before the next call, no suspension ----------------------------
    void run(Duration reference_time);
    // Like run(), but for wall time on any machine (rt-app `runtime`).
    void run_exactly(Duration time) { task_->segment.user += time.ns; }
    // Writes the lines of a shared set: pays for those dirty in another cache.
    void use(SharedSet& set) { task_->segment.user += engine_->caches().use(set, task_->cpu); }
    // Touches lines nobody has in a cache.
    void fetch_cold(std::int64_t lines) {
        task_->segment.user += engine_->caches().fetch_cold(lines, task_->cpu);
    }
    void work_done(std::uint64_t units) { engine_->count_work(*task_, units); }

    // --- system calls -----------------------------------------------------------------------------------
    [[nodiscard]] SystemCall send(SocketEnd& end, std::int64_t bytes);
    [[nodiscard]] SystemCall recv(SocketEnd& end);                      // result: bytes
    [[nodiscard]] SystemCall select(SelectSet& set);                    // result: readable ends
    [[nodiscard]] SystemCall write(Pipe& pipe, std::int64_t bytes);
    [[nodiscard]] SystemCall read(Pipe& pipe, std::int64_t bytes);      // result: bytes
    [[nodiscard]] SystemCall sleep(Duration d);
    [[nodiscard]] SystemCall sleep_until(Time when);                    // at once when in the past
    [[nodiscard]] SystemCall now();                                     // result: ns; after the work so far
    [[nodiscard]] SystemCall yield();
    // A child of this task; it starts as wake_up_new_task() places it.
    [[nodiscard]] SystemCall fork(const char* name, Program program, void* arg);
    // The same, but a thread that shares the task's memory (CLONE_VM).
    [[nodiscard]] SystemCall clone_thread(const char* name, Program program, void* arg);
    [[nodiscard]] SystemCall exec();                                    // replaces the image; may move
    [[nodiscard]] SystemCall wait_child();                              // until one more child exited
    [[nodiscard]] SystemCall set_policy(policy::SchedPolicy policy, std::int8_t nice,
                                        std::uint8_t rt_priority);
    [[nodiscard]] SystemCall set_affinity(const topo::CpuMask& mask);

    // A forked child is gone; wakes the task when it waits for one.
    void child_exited();
    [[nodiscard]] Task& task() { return *task_; }
    [[nodiscard]] Engine& engine() { return *engine_; }
    [[nodiscard]] Prng& random() { return random_; }

 private:
    void wait_effect(Engine& engine);
    SystemCall clone(const char* name, Program program, void* arg, bool is_thread);
    SystemCall call(void* object, std::int64_t arg, std::int64_t cost, Effect effect);

    Engine* engine_;
    Task* task_;
    Prng random_;
    topo::CpuMask new_mask_;           // of the pending set_affinity
    policy::SchedPolicy new_policy_{}; // of the pending set_policy
    std::int8_t new_nice_ = 0;
    std::uint8_t new_rt_priority_ = 0;
    Program child_program_ = nullptr;  // of the pending fork
    const char* child_name_ = nullptr;
    void* child_arg_ = nullptr;
    std::uint32_t exited_children_ = 0;
    bool waiting_for_child_ = false;
};

}  // namespace wakelab::sim
