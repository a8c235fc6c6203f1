// What a Perfetto trace of ours shows beside the scheduler's own events: counter tracks of queue lengths and
// of idle CPUs, and for simulated runs, where the rule that placed a task is known, wake-ups and finished
// work as events on the threads' tracks.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <vector>

#include "trace/record.hpp"

namespace wakelab::trace::perfetto {

struct WriterTask {
    std::int32_t pid = 0;
    std::int32_t tgid = 0;
    std::string name;
    bool known_pid = false;   // the recording's, not made up
    bool in_tree = false;     // the file has it as it is now
    bool has_track = false;   // a track of track events; written when first needed
    std::uint32_t cpu = kNobody;        // runs or was last there
    bool running = false;
    bool waiting = false;               // runnable, not running
    std::uint64_t flow = 0;             // of the wake-up that it has not run for yet; 0: none
    std::int64_t syscall = -1;          // in this system call
};

// Appends whole packets to a string. Knows who runs and who waits, from the records alone.
class Tracks {
 public:
    // Both must outlive this.
    Tracks(std::vector<WriterTask>& tasks, std::string& out) : tasks_(tasks), out_(out) {}

    // First packets of the sequence: what later ones refer to by number. `cpus_idle`: CPUs that no record
    // has told of yet do nothing (simulated runs); otherwise they are unknown and not counted.
    void begin(const std::string& unit, bool cpus_idle);
    void set_cpus(std::uint32_t cpus);
    // In the order of the run; names in `tasks` must be those of this moment.
    void observe(const TraceRecord& r);
    // The counters that changed at the latest instant.
    void finish() {
        if (now_ != INT64_MIN) write_counters();
    }

    // Of track events and everything else of this writer.
    static constexpr std::uint32_t kSequence = 1;

 private:
    enum Name : std::uint32_t { kWakes = 1, kWoken, kRuns, kWork, kSpuriousName };
    struct Cpu {
        std::uint32_t current = kNobody;
        bool known = false;
        bool dirty = false;
        std::int32_t waiting = 0;
        std::int32_t written = -1;
    };

    void on_switch(const TraceRecord& r);
    void on_queued(std::uint32_t task, std::uint32_t cpu);
    void on_lost(std::uint32_t cpu);
    void change_waiting(std::uint32_t cpu, std::int32_t by);
    void set_current(std::uint32_t cpu, std::uint32_t task);
    void write_counters();
    void write_counter(std::uint64_t uuid, std::int64_t value);
    void describe_cpu(std::uint32_t cpu);
    void wakeup_event(const TraceRecord& r);
    void instant(const TraceRecord& r, std::uint32_t task, Name name);
    void annotate_wakeup(protozero::pbf_writer& e, const TraceRecord& r) const;
    std::uint64_t track_of(std::uint32_t task);

    std::vector<WriterTask>& tasks_;
    std::string& out_;
    std::vector<Cpu> cpus_;
    std::vector<std::uint32_t> dirty_;  // CPUs
    std::int64_t now_ = INT64_MIN;
    std::int32_t idle_ = 0, idle_written_ = -1;
    std::uint64_t flows_ = 0;
    bool cpus_idle_ = false;
};

}  // namespace wakelab::trace::perfetto
