#include "sim/sys.hpp"

#include "base/check.hpp"

namespace wakelab::sim {

namespace {

constexpr std::uint64_t kRoleProgram = 2;

// Effects of the calls that need no object of their own.
void woke_up(Engine& engine, Task& task) { engine.finish_call(task, 0); }

void sleep_effect(Engine& engine, Task& task) {
    if (Time{task.call_arg} <= engine.now()) {
        engine.finish_call(task, 0);
        return;
    }
    engine.arm_timer(task, Time{task.call_arg});
    engine.sleep_in_call(task, policy::TaskState::kInterruptible, &woke_up);
}

void sleep_for_effect(Engine& engine, Task& task) {
    task.call_arg += engine.now().ns;
    sleep_effect(engine, task);
}

void now_effect(Engine& engine, Task& task) {
    task.result = engine.now().ns;
    engine.finish_call(task, 0);
}

void yield_effect(Engine& engine, Task& task) {
    engine.scheduler().yield(task.cpu);
    engine.continue_in_kernel(task, 0, &woke_up);
    engine.give_up_cpu(task);
}

}  // namespace

Sys::Sys(Engine& engine, Task& task, std::uint64_t seed)
    : engine_(&engine), task_(&task), random_(seed, kRoleProgram, task.id.v) {}

void Sys::run(Duration reference_time) {
    task_->segment.user += reference_time.ns * engine_->machine().user_time_permille / 1000;
}

SystemCall Sys::call(void* object, std::int64_t arg, std::int64_t cost, Effect effect) {
    task_->call = object;
    task_->call_arg = arg;
    task_->call_arg2 = 0;
    task_->result = 0;
    task_->segment.head = cost;
    task_->effect = effect;
    return SystemCall{task_};
}

SystemCall Sys::send(SocketEnd& end, std::int64_t bytes) {
    return call(&end, bytes, engine_->costs().send_before, &UnixSocketCalls::send);
}

SystemCall Sys::recv(SocketEnd& end) {
    return call(&end, 0, engine_->costs().recv_before, &UnixSocketCalls::recv);
}

SystemCall Sys::select(SelectSet& set) {
    task_->polling = true;
    return call(&set, 0, UnixSocketCalls::select_cost(*engine_, set), &UnixSocketCalls::select);
}

SystemCall Sys::write(Pipe& pipe, std::int64_t bytes) {
    WK_CHECK(bytes > 0);
    return call(&pipe, bytes, engine_->costs().pipe_before, &Pipe::write);
}

SystemCall Sys::read(Pipe& pipe, std::int64_t bytes) {
    WK_CHECK(bytes > 0);
    return call(&pipe, bytes, engine_->costs().pipe_before, &Pipe::read);
}

SystemCall Sys::sleep(Duration d) {
    return call(nullptr, d.ns, engine_->costs().timer_call, &sleep_for_effect);
}

SystemCall Sys::sleep_until(Time when) {
    return call(nullptr, when.ns, engine_->costs().timer_call, &sleep_effect);
}

SystemCall Sys::now() { return call(nullptr, 0, 0, &now_effect); }

SystemCall Sys::yield() { return call(nullptr, 0, engine_->costs().yield_call, &yield_effect); }

SystemCall Sys::clone(const char* name, Program program, void* arg, bool is_thread) {
    child_name_ = name;
    child_program_ = program;
    child_arg_ = arg;
    return call(nullptr, is_thread ? 1 : 0, engine_->costs().fork_call, [](Engine& engine, Task& task) {
        Sys& parent = *task.sys;
        Task& child = engine.fork_task(task, parent.child_name_, task.call_arg == 1);
        engine.set_program(child, parent.child_program_(*child.sys, parent.child_arg_));
        task.result = child.id.v;
        engine.finish_call(task, 0);
    });
}

SystemCall Sys::fork(const char* name, Program program, void* arg) {
    return clone(name, program, arg, false);
}

SystemCall Sys::clone_thread(const char* name, Program program, void* arg) {
    return clone(name, program, arg, true);
}

SystemCall Sys::exec() {
    return call(nullptr, 0, 0, [](Engine& engine, Task& task) { engine.exec(task); });
}

SystemCall Sys::wait_child() {
    return call(nullptr, 0, 0, [](Engine& engine, Task& task) { task.sys->wait_effect(engine); });
}

void Sys::wait_effect(Engine& engine) {
    if (exited_children_ > 0) {
        --exited_children_;
        engine.finish_call(*task_, 0);
        return;
    }
    waiting_for_child_ = true;
    engine.sleep_in_call(*task_, policy::TaskState::kInterruptible,
                         [](Engine& e, Task& t) { t.sys->wait_effect(e); });
}

void Sys::child_exited() {
    ++exited_children_;
    if (!waiting_for_child_) return;
    waiting_for_child_ = false;
    engine_->wake(*task_, false);
}

SystemCall Sys::set_policy(policy::SchedPolicy policy, std::int8_t nice, std::uint8_t rt_priority) {
    new_policy_ = policy;
    new_nice_ = nice;
    new_rt_priority_ = rt_priority;
    return call(nullptr, 0, 0, [](Engine& engine, Task& task) {
        const Sys& s = *task.sys;
        engine.scheduler().set_policy(task, s.new_policy_, s.new_nice_, s.new_rt_priority_);
        engine.finish_call(task, 0);
    });
}

SystemCall Sys::set_affinity(const topo::CpuMask& mask) {
    WK_CHECK(!mask.empty());
    new_mask_ = mask;
    return call(nullptr, 0, 0, [](Engine& engine, Task& task) {
        engine.set_affinity(task, task.sys->new_mask_);
    });
}

}  // namespace wakelab::sim
