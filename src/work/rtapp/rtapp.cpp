#include "work/rtapp/rtapp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "base/check.hpp"

namespace wakelab::work {

using rtapp::Event;
using rtapp::EventKind;
using rtapp::kForever;
using rtapp::PassRecord;
using rtapp::Phase;
using rtapp::TaskModel;
using sim::Sys;
using sim::Workload;

namespace {

constexpr std::size_t kLoggedPasses = 65'536;
// rt-app looks at the clock after so much work of a runtime event.
constexpr Duration kRuntimeStep{32'000};

}  // namespace

// Walks rounds, phases and passes in the order rt-app runs them.
class RtApp::Position {
 public:
    explicit Position(const TaskModel& task) : task_(&task) {}
    [[nodiscard]] bool done() const { return task_->loop != kForever && round_ == task_->loop; }
    [[nodiscard]] const Phase& phase() const { return task_->phases[phase_]; }
    void advance() {
        if (phase().loop == kForever || ++pass_ != phase().loop) return;
        pass_ = 0;
        if (++phase_ != task_->phases.size()) return;
        phase_ = 0;
        ++round_;
    }

 private:
    const TaskModel* task_;
    std::int64_t round_ = 0;
    std::size_t phase_ = 0;
    std::int64_t pass_ = 0;
};

RtApp::RtApp(rtapp::Model model, std::string_view origin)
    : origin_(origin), model_(std::move(model)), log_(kLoggedPasses) {}

Result<std::unique_ptr<RtApp>> RtApp::parse(std::string_view text, std::string_view origin) {
    auto model = rtapp::parse_model(text, origin);
    if (!model) return model.error();
    return std::unique_ptr<RtApp>(new RtApp(std::move(*model), origin));
}

Result<std::unique_ptr<RtApp>> RtApp::load(const std::string& path) {
    std::ifstream in(path);
    if (!in) return Error{fmt::format("{}: cannot be read", path)};
    const std::string text((std::istreambuf_iterator<char>(in)), {});
    return parse(text, path);
}

Status RtApp::check(const topo::Machine& machine) const {
    const auto check_list = [&](const std::optional<rtapp::CpuList>& list) -> Status {
        for (std::uint32_t c = machine.cpus; list && c < topo::kMaxCpus; ++c)
            if (list->mask.test(CpuId{c}))
                return Error{fmt::format("{}:{}: 'cpus' names CPU {}; machine {} has CPUs 0-{}",
                                         origin_, list->line, c, machine.name, machine.cpus - 1)};
        return {};
    };
    for (const TaskModel& task : model_.tasks) {
        if (Status s = check_list(task.cpus); !s) return s;
        for (const Phase& phase : task.phases)
            if (Status s = check_list(phase.cpus); !s) return s;
    }
    return {};
}

void RtApp::build(sim::Engine& engine, TaskChoices& choices) {
    WK_CHECK(threads_.empty());  // a log belongs to one run
    everywhere_ = topo::CpuMask::first_n(engine.machine().cpus);
    for (const rtapp::Timer& t : model_.shared_timers)
        shared_timers_.push_back({.next = {}, .absolute = t.absolute});
    log_.reserve();
    for (const TaskModel& task : model_.tasks) {
        for (std::int64_t i = 0; i < task.instances; ++i) {
            Thread& thread = threads_.emplace_back();
            thread.task = &task;
            thread.index = static_cast<std::uint32_t>(threads_.size() - 1);
            for (const rtapp::Timer& t : task.unique_timers)
                thread.timers.push_back({.next = {}, .absolute = t.absolute});
            names_.push_back(fmt::format("{}-{}", task.name, thread.index));
        }
    }
    for (Thread& thread : threads_) start_thread(engine, choices, thread);
}

// A thread begins as its first phase wants it. What the user chose for it on the command line is
// asked first, on an empty spec, to know what phases must not change later.
void RtApp::start_thread(sim::Engine& engine, TaskChoices& choices, Thread& thread) {
    sim::Engine::TaskSpec spec;
    spec.name = names_[thread.index];
    choices.apply(spec);
    thread.cpus_by_user = !spec.allowed.empty();
    thread.sched_by_user = spec.policy != policy::SchedPolicy::kNormal;

    const Phase& first = thread.task->phases.front();
    thread.first = Time{} + thread.task->delay;
    thread.sched = first.sched.value_or(thread.task->sched);
    thread.cpus = thread.cpus_by_user ? spec.allowed : cpus_of(thread, first);
    if (!thread.cpus_by_user) spec.cpu = thread.cpus.first();
    if (!thread.sched_by_user) {
        spec.policy = thread.sched.policy;
        spec.rt_priority = thread.sched.rt_priority;
    }
    spec.nice = thread.sched.nice;
    spec.allowed = thread.cpus;
    spec.start = thread.first;
    spec.mm = mm_;
    sim::Task& task = engine.add_task(spec);
    if (!mm_.valid()) mm_ = task.id;
    engine.set_program(task, thread_body(*task.sys, *this, thread));
}

const topo::CpuMask& RtApp::cpus_of(const Thread& thread, const Phase& phase) const {
    if (phase.cpus) return phase.cpus->mask;
    return thread.task->cpus ? thread.task->cpus->mask : everywhere_;
}

RtApp::TimerState& RtApp::timer(Thread& thread, const Event& event) {
    return event.unique ? thread.timers[event.timer] : shared_timers_[event.timer];
}

// A timer counts from the start of the thread that uses it first, so the work before its first use
// is part of the first period.
Time RtApp::next_expiry(TimerState& timer, const Thread& thread, Duration period) {
    if (!timer.started) timer.next = thread.first;
    timer.started = true;
    timer.next = timer.next + period;
    return timer.next;
}

void RtApp::note_slack(PassRecord& pass, Duration slack) const {
    pass.timed = true;
    pass.slack = model_.cumulative_slack ? pass.slack + slack : slack;
}

// One pass after the other; clock reads stand where rt-app has them.
Workload RtApp::thread_body(Sys& sys, RtApp& app, Thread& thread) {
    for (Position at(*thread.task); !at.done(); at.advance()) {
        const Phase& phase = at.phase();
        const topo::CpuMask& cpus = app.cpus_of(thread, phase);
        if (!thread.cpus_by_user && cpus != thread.cpus) {
            thread.cpus = cpus;
            co_await sys.set_affinity(cpus);
        }
        if (!thread.sched_by_user && phase.sched && *phase.sched != thread.sched) {
            thread.sched = *phase.sched;
            co_await sys.set_policy(thread.sched.policy, thread.sched.nice,
                                    thread.sched.rt_priority);
        }
        PassRecord pass;
        pass.thread = thread.index;
        pass.start.ns = co_await sys.now();
        for (const Event& event : phase.events) {
            Time begin;
            Time now;
            switch (event.kind) {
                case EventKind::kRun:
                    begin.ns = co_await sys.now();
                    sys.run(event.duration);
                    now.ns = co_await sys.now();
                    pass.run += now - begin;
                    break;
                case EventKind::kRuntime:  // ends by the clock: time spent preempted counts
                    begin.ns = now.ns = co_await sys.now();
                    while (now - begin < event.duration) {
                        sys.run_exactly(std::min(kRuntimeStep, event.duration - (now - begin)));
                        now.ns = co_await sys.now();
                    }
                    pass.run += now - begin;
                    break;
                case EventKind::kSleep:
                    co_await sys.sleep(event.duration);
                    break;
                case EventKind::kYield:
                    co_await sys.yield();
                    break;
                case EventKind::kTimer: {
                    TimerState& timer = app.timer(thread, event);
                    const Time expiry = next_expiry(timer, thread, event.duration);
                    now.ns = co_await sys.now();
                    app.note_slack(pass, expiry - now);
                    if (now < expiry) {
                        co_await sys.sleep_until(expiry);
                        now.ns = co_await sys.now();
                        pass.wu_lat += now - expiry;
                    } else {  // missed: rt-app forgets the latency of the pass so far
                        pass.wu_lat = {};
                        if (!timer.absolute) timer.next = now;
                    }
                    break;
                }
            }
        }
        pass.end.ns = co_await sys.now();
        sys.work_done(1);
        app.log_.add(pass);
    }
}

}  // namespace wakelab::work
