// Kernel trace events to canonical records, whatever recorder wrote them. Readers hand in events in time
// order; tasks get dense numbers, wake-ups their wakers, and what the recording leaves out but a later
// event implies (a migration, the wakeup after a waking) is put in, marked kInferred and counted.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/kernel_event.hpp"
#include "trace/quality.hpp"
#include "trace/sink.hpp"
#include "trace/task_table.hpp"

namespace wakelab::trace {

// The counted part, relative to the first event; records before it only build up state.
struct Window {
    std::int64_t from_ns = 0;
    std::optional<std::int64_t> to_ns{};  // nothing: to the end
    // Instead of the other two: so much before the last event. read_trace() finds out when that is.
    std::optional<std::int64_t> last_ns{};

    [[nodiscard]] bool is_all() const { return from_ns == 0 && !to_ns && !last_ns; }
};

class Translator {
 public:
    // Both must outlive this.
    Translator(TraceSink& sink, TraceQuality& quality, const Window& window = {});

    // --- before the first event, as far as the file tells ---
    // CPUs that exist; more may appear in events. Beyond topo::kMaxCpus is ignored.
    void set_cpus(std::uint32_t cpus);
    // By CPU number; empty: not known.
    void set_caches(std::vector<std::uint32_t> cache_of) { info_.cache_of = std::move(cache_of); }
    // What the task with this pid was called when the recording ended: its name until an event tells one.
    void set_fallback_name(std::int32_t pid, std::string_view name) { fallback_names_[pid] = Comm(name); }
    // Cores (of SMT threads) and memory nodes, in the same way.
    void set_cores(std::vector<std::uint32_t> core_of) { info_.core_of = std::move(core_of); }
    void set_nodes(std::vector<std::uint32_t> node_of) { info_.node_of = std::move(node_of); }
    // What counts as work in this recording, plural.
    void set_unit(std::string unit) { info_.unit = std::move(unit); }

    // --- any time ---
    // Name (empty: not known) and facts of the task that has this pid now. What is told before the first
    // event waits for that, which says when the recording begins.
    void describe(std::string_view name, const TaskFacts& facts);
    // Facts of a task that appears later, from a look at the machine after the recording.
    void expect(const TaskFacts& facts) { expected_[facts.pid] = facts; }
    // Events in time order; one that is earlier counts as simultaneous with the latest.
    void add(const KernelEvent& event);
    // Once, after the last event, also of a file without any.
    void finish();

    [[nodiscard]] TraceQuality& quality() { return quality_; }
    [[nodiscard]] std::uint32_t tasks() const { return static_cast<std::uint32_t>(tasks_.size()); }

 private:
    enum class State : std::uint8_t { kUnknown, kRunning, kRunnable, kBlocked, kDead };
    static constexpr std::size_t kChunk = 4096;
    // Records held back so that the migration that follows a waking can still correct its CPU.
    static constexpr std::size_t kHeld = 64;
    static constexpr std::size_t kNone = ~std::size_t{0};

    struct Task {
        State state = State::kUnknown;
        bool inferred_wakeup = false;        // the latest waking stands for its wakeup, too
        std::uint32_t cpu = kNobody;         // runs, waits or was last there
        std::uint32_t waker = kNobody;       // of the latest waking
        std::uint32_t waking_flags = 0;
        std::size_t wakeup_record = kNone;   // number of the inferred kWakeup, while its CPU may change
        std::size_t inferred_record = kNone; // of that or the inferred kWakeupEarly
        std::int64_t queued_ns = 0;
        Comm comm;
    };
    struct Cpu {
        std::uint32_t current = kNobody;
        std::int64_t since_ns = 0;
    };
    struct Description {
        Comm comm;
        TaskFacts facts;
    };

    void begin(std::int64_t ns);
    std::uint32_t task_of(std::int32_t pid, const Comm& comm);
    std::uint32_t current_of(const KernelEvent& e) { return task_of(e.pid, e.comm); }
    void announce(std::uint32_t task, std::int32_t pid, const Comm& comm);
    void make_cpus(std::uint32_t cpus);
    std::uint32_t target_of(const KernelEvent& e);
    void emit(const TraceRecord& record);
    void flush(std::size_t keep);

    void on_switch(const KernelEvent& e);
    void on_waking(const KernelEvent& e);
    void on_wakeup(const KernelEvent& e);
    void on_wakeup_new(const KernelEvent& e);
    void on_migrate(const KernelEvent& e);
    void on_fork(const KernelEvent& e);
    void on_lost(const KernelEvent& e);
    void pass_on(const KernelEvent& e);
    void queue_wakee(std::uint32_t wakee, std::uint32_t cpu, std::int64_t ns, bool inferred);
    bool take_back_inferred(std::uint32_t wakee);

    TraceSink& sink_;
    TraceQuality& quality_;
    Window window_;
    TraceInfo info_;
    TaskTable table_;
    std::vector<Task> tasks_;
    std::vector<Cpu> cpus_;
    std::map<std::int32_t, Description> waiting_;  // by pid, until the first event
    std::map<std::int32_t, TaskFacts> expected_;   // by pid
    std::map<std::int32_t, Comm> fallback_names_;
    std::vector<TraceRecord> out_;
    std::size_t flushed_ = 0;  // records that have left out_
    std::int64_t last_ns_ = INT64_MIN;
    bool begun_ = false;
    bool has_wakeups_ = false;  // sched_wakeup is recorded, not sched_waking alone
};

}  // namespace wakelab::trace
