// An rt-app file as a workload: its threads run on simulated system calls and keep rt-app's log.
//
// Threads are named as rt-app names them: NAME-INDEX, the index counting all threads of the file in
// order. They start on CPU 0, or on the first CPU of their mask.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "work/rtapp/rtapp_log.hpp"
#include "work/rtapp/rtapp_model.hpp"
#include "work/workload.hpp"

namespace wakelab::work {

class RtApp final : public WorkloadModel {
 public:
    // Error: one line with file, line and what was expected.
    [[nodiscard]] static Result<std::unique_ptr<RtApp>> load(const std::string& path);
    // `origin` names the text in errors.
    [[nodiscard]] static Result<std::unique_ptr<RtApp>> parse(std::string_view text,
                                                              std::string_view origin);

    // Whether the machine has the CPUs that the file names; call it before build().
    [[nodiscard]] Status check(const topo::Machine& machine) const;
    void build(sim::Engine& engine, TaskChoices& choices) override;
    [[nodiscard]] std::string_view unit() const override { return "phase passes"; }

    // global.duration; none: until all threads end, which those that loop for ever never do.
    [[nodiscard]] std::optional<Duration> duration() const { return model_.duration; }
    [[nodiscard]] const rtapp::PassLog& rtapp_log() const { return log_; }
    // The log as a table with a line per thread.
    [[nodiscard]] std::string log_table() const override {
        return rtapp::render_pass_log(log_, names_);
    }

 private:
    struct TimerState {
        Time next;  // last expiry asked for
        bool started = false;
        bool absolute = false;  // stays on its grid when an expiry was missed
    };
    struct Thread {
        const rtapp::TaskModel* task = nullptr;
        std::uint32_t index = 0;
        Time first;                      // end of its delay; where its timers start
        std::vector<TimerState> timers;  // unique ones
        rtapp::Sched sched;              // as set now
        topo::CpuMask cpus;
        bool sched_by_user = false;  // the user's choice outlasts what phases want
        bool cpus_by_user = false;
    };
    // Pass, phase and round a thread is in.
    class Position;

    RtApp(rtapp::Model model, std::string_view origin);
    void start_thread(sim::Engine& engine, TaskChoices& choices, Thread& thread);
    [[nodiscard]] const topo::CpuMask& cpus_of(const Thread& thread,
                                               const rtapp::Phase& phase) const;
    [[nodiscard]] TimerState& timer(Thread& thread, const rtapp::Event& event);
    static Time next_expiry(TimerState& timer, const Thread& thread, Duration period);
    void note_slack(rtapp::PassRecord& pass, Duration slack) const;
    static sim::Workload thread_body(sim::Sys& sys, RtApp& app, Thread& thread);

    std::string origin_;
    rtapp::Model model_;
    topo::CpuMask everywhere_;
    TaskId mm_;                        // address space of all threads: the first one's
    std::vector<TimerState> shared_timers_;
    std::vector<Thread> threads_;     // never resized once their programs exist
    std::vector<std::string> names_;  // by thread
    rtapp::PassLog log_;
};

}  // namespace wakelab::work
