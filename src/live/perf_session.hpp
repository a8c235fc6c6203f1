// Events of perf_event_open(2) on every CPU, with a ring each. They end with their descriptors:
// nothing of them is left, however the recorder ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/event_choice.hpp"
#include "live/fd.hpp"
#include "live/perf_ring.hpp"
#include "trace/formats/perf/perf_data_head.hpp"

namespace wakelab::live {

struct PerfTracepoint {
    EventName event;
    std::uint64_t id = 0;  // events/SYSTEM/NAME/id of tracefs
};

struct PerfChoice {
    std::vector<PerfTracepoint>
        tracepoints;           // none: context switches as the kernel itself tells them
    bool overwritten = false;  // the rings keep the newest
};

class PerfSession {
 public:
    struct Cpu {
        std::uint32_t number = 0;
        Fd leader;  // a software event that counts nothing; it tells of names, forks and exits, too
        std::vector<Fd> members;  // in the order of the tracepoints; they go with their leader
        PerfRing ring;
        std::uint64_t leader_id = 0;
    };

    // On those of the CPUs that are online, not recording yet. Error: what is missing.
    static Result<PerfSession> open(const std::vector<std::uint32_t>& cpus,
                                    const PerfChoice& choice);
    // Bytes per CPU, rounded up to what the kernel allows. `may_shrink`: less where less memory may
    // be locked. Error: too much memory.
    Status map_rings(std::uint64_t bytes, bool may_shrink);
    void start();
    void stop();

    [[nodiscard]] std::vector<Cpu>& cpus() { return cpus_; }
    [[nodiscard]] std::uint64_t ring_bytes() const { return ring_bytes_; }
    [[nodiscard]] bool overwritten() const { return overwritten_; }
    // For the file: attributes and ids, in the order in which the events were opened.
    [[nodiscard]] const std::vector<trace::PerfDataHead::Event>& events() const { return events_; }
    struct Counters {
        std::uint64_t events = 0;  // of tracepoints
        std::uint64_t lost = 0;    // records for which the ring had no room; 0 before Linux 6.0
    };
    [[nodiscard]] Counters counters(const Cpu& cpu) const;

 private:
    Status open_cpu(std::uint32_t number, const PerfChoice& choice);

    std::vector<Cpu> cpus_;
    std::vector<trace::PerfDataHead::Event> events_;
    std::uint64_t ring_bytes_ = 0;
    bool overwritten_ = false;
    bool tells_losses_ = true;
};

// May events be opened on a CPU? 0, or an errno.
[[nodiscard]] int try_perf_switches(std::uint32_t cpu);
[[nodiscard]] int try_perf_tracepoint(std::uint32_t cpu, const PerfTracepoint& tracepoint);
// One line: why perf_event_open() failed so, and what helps.
[[nodiscard]] std::string perf_refusal(int error, const std::string& paranoid, bool is_root);
// kernel.perf_event_paranoid, "2"; empty: a kernel without perf_event.
[[nodiscard]] std::string perf_event_paranoid();

}  // namespace wakelab::live
