// A tracing instance of our own in tracefs, driven by libtracefs. It is removed when the session
// ends, and tracing in it stops even if this process is killed: the kernel does that when the last
// descriptor of free_buffer closes (option disable_on_free).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/event_choice.hpp"
#include "live/fd.hpp"

struct tracefs_instance;

namespace wakelab::live {

class TracefsSession {
 public:
    // Creates the instance, not tracing yet, clock "mono". Instances of recorders that are gone are
    // removed and told in `notes`. Error: what is missing, and the command that helps.
    static Result<TracefsSession> create(std::vector<std::string>& notes,
                                         const std::string& suffix = {});
    TracefsSession(TracefsSession&& other) noexcept;
    TracefsSession& operator=(TracefsSession&&) = delete;
    ~TracefsSession();

    // Bytes per CPU; the kernel rounds up. Error: too much memory.
    Status set_buffer(std::uint64_t bytes);
    // Those that this kernel has; the others are noted, an Error if one is required.
    Status enable(const std::vector<EventName>& events, std::vector<std::string>& notes);
    void disable(const std::vector<EventName>& events);
    Status start();
    void stop();

    // CPUs that have a buffer, ascending.
    [[nodiscard]] const std::vector<std::uint32_t>& cpus() const { return cpus_; }
    // per_cpu/cpuN/trace_pipe_raw, not blocking.
    [[nodiscard]] Result<Fd> open_pages(std::uint32_t cpu) const;
    [[nodiscard]] std::string stats_text(std::uint32_t cpu) const;  // per_cpu/cpuN/stats
    // A file of tracefs itself, e.g. "events/header_page"; empty if it cannot be read.
    [[nodiscard]] std::string file(const std::string& name) const;
    [[nodiscard]] std::string clock_line() const;  // "local global [mono] ..."
    [[nodiscard]] const std::string& root() const { return root_; }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] const std::vector<EventName>& enabled() const { return enabled_; }

 private:
    TracefsSession() = default;
    Status prepare();
    [[nodiscard]] Error refused(const std::string& what) const;

    tracefs_instance* instance_ = nullptr;
    std::string root_, name_;
    std::vector<std::uint32_t> cpus_;
    std::vector<EventName> enabled_;
    Fd free_buffer_;
};

// Counters of per_cpu/cpuN/stats.
struct CpuStats {
    std::uint64_t entries = 0;  // in the buffer, not read yet
    std::uint64_t read = 0;
    std::uint64_t overrun = 0;  // overwritten before they were read
    std::uint64_t dropped = 0;  // no room, or too deep
};
[[nodiscard]] CpuStats parse_cpu_stats(std::string_view text);

// The folder of a mounted tracefs in which instances can be made. Error: one line that says what to
// do. `candidates` are tried in order.
[[nodiscard]] Result<std::string> find_tracefs(const std::vector<std::string>& candidates);
[[nodiscard]] std::vector<std::string> tracefs_places();

}  // namespace wakelab::live
