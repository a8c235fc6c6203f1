// Writes canonical records as a trace.dat of version 6 (little endian, 64 bits) that trace-cmd, KernelShark
// and read_trace() read: what the kernel would have recorded of this run.
//
// Kept: every record of a recording, times to the nanosecond, also the order of records of one instant.
// For that, stamps count 1/256 ns from the first record on, and the file tells the scale (options TSC2NSEC
// and OFFSET). What a reader infers again (kInferred) is not written. Of a simulated run this is not kept:
// why a CPU was chosen, whether a preemption came from the tick or a yield, the sync hint, how long the run
// went on after its last record. Records that only the simulator has are events "wakelab_simulated", for
// people; read_trace() skips them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/formats/trace_dat/page_spool.hpp"
#include "trace/formats/trace_dat/trace_dat_events.hpp"
#include "trace/formats/writer.hpp"
#include "trace/kernel_event.hpp"

namespace wakelab::trace {

inline constexpr int kStampShift = 8;  // a stamp of the file is 1/256 ns

class TraceDatWriter final : public TraceWriter {
 public:
    // Writes to `path`.tmp; close() makes it `path`. Error: it cannot be created, no temporary file.
    static Result<std::unique_ptr<TraceDatWriter>> open(const std::string& path);
    // Without close() nothing is left behind.
    ~TraceDatWriter() override;
    TraceDatWriter(const TraceDatWriter&) = delete;
    TraceDatWriter& operator=(const TraceDatWriter&) = delete;

    void begin(const TraceInfo& info) override;
    void add_cpus(std::uint32_t cpus) override;
    void add_task(std::uint32_t task, std::string_view name) override;
    void rename_task(std::uint32_t task, std::string_view name) override;
    void describe_task(std::uint32_t task, const TaskFacts& facts) override;
    void consume(std::span<const TraceRecord> records) override;

    // After finish(). Error: what could not be written, now or earlier; no file is left then.
    Status close() override;

 private:
    struct Task {
        Comm comm;
        std::int32_t pid = 0;
        std::uint32_t cpu = 0;        // queued, runs or ran there last
        std::uint32_t waker_cpu = kNobody;  // of the latest waking
        std::uint32_t waking_target = 0;    // that it was written with
        std::int64_t syscall = -1;
    };

    TraceDatWriter(std::string path, int fd, PageSpool spool)
        : path_(std::move(path)), fd_(fd), spool_(std::move(spool)) {}
    Task& task(std::uint32_t number);
    [[nodiscard]] std::int32_t pid_of(std::uint32_t number);
    [[nodiscard]] Comm comm_of(std::uint32_t number, std::uint32_t cpu);
    std::uint64_t stamp_of(std::int64_t ns, std::uint32_t cpu);
    void put(const TraceRecord& r, std::uint32_t cpu, const DatRecord& record);

    // `next` follows r, or is null.
    void write(const TraceRecord& r, const TraceRecord* next);
    void write_switch(const TraceRecord& r);
    void write_waking(const TraceRecord& r, const TraceRecord* next);
    void write_wakeup(const TraceRecord& r, DatEvent event);
    void write_migrate(const TraceRecord& r, std::uint32_t from);
    void write_exec(const TraceRecord& r);
    void write_fork_or_exit(const TraceRecord& r);
    void write_other(const TraceRecord& r);
    void write_simulated(const TraceRecord& r);
    [[nodiscard]] std::string names() const;
    [[nodiscard]] std::string head() const;

    std::string path_;
    int fd_;
    PageSpool spool_;
    Status status_;
    std::vector<Task> tasks_;
    std::vector<std::uint32_t> current_;  // task by CPU
    std::uint32_t cpus_ = 1;
    std::vector<TraceRecord> held_;       // the last record of a chunk, until the next one is there
    bool started_ = false, closed_ = false;
    std::int64_t base_ns_ = 0;
    std::uint64_t last_stamp_ = 0;
    std::uint32_t last_cpu_ = 0;
};

// For writer_formats(). Error: also "-", since the sizes that come first are known last.
[[nodiscard]] Result<std::unique_ptr<TraceWriter>> open_trace_dat_writer(const std::string& path,
                                                                         const TraceQuality& quality);

}  // namespace wakelab::trace
