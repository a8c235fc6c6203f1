// Writes a Perfetto trace (protobuf, .pftrace) that opens in ui.perfetto.dev with the scheduler's own view:
// canonical records become the ftrace events that a recorder would have seen, names a process tree; see
// perfetto_tracks.hpp for what comes beside them. Memory: a few thousand records, and the tasks.
//
// What the format cannot say: the sync hint, why a task was preempted, how many events were lost, kResched,
// kSleepUntil and kIrq (simulated runs). A CPU beyond 31 as target of an IPI. Tasks without a pid (simulated
// runs) get their number + 1.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/formats/perfetto/perfetto_tracks.hpp"
#include "trace/formats/task_state_bits.hpp"
#include "trace/formats/writer.hpp"
#include "trace/output_file.hpp"

namespace wakelab::trace {

inline constexpr std::array<std::string_view, 2> kPerfettoExtensions = {".pftrace", ".perfetto-trace"};

// `path` "-": standard output. `quality` must outlive the writer. Error: the file cannot be made.
[[nodiscard]] Result<std::unique_ptr<TraceWriter>> open_perfetto_writer(const std::string& path,
                                                                       const TraceQuality& quality);

class PerfettoWriter final : public TraceWriter {
 public:
    PerfettoWriter(OutputFile file, const TraceQuality& quality);

    void begin(const TraceInfo& info) override;
    void add_cpus(std::uint32_t cpus) override;
    void add_task(std::uint32_t task, std::string_view name) override;
    void rename_task(std::uint32_t task, std::string_view name) override;
    void describe_task(std::uint32_t task, const TaskFacts& facts) override;
    void consume(std::span<const TraceRecord> records) override;
    void finish(std::int64_t end_ns) override;
    Status close() override { return file_.commit(); }

    // Records between two flush marks at most.
    static constexpr std::size_t kGroup = 4096;

 private:
    struct Cpu {
        std::string events;  // fields of the next FtraceEventBundle
        bool lost = false;   // events are missing before them
    };

    void write_header(const TraceInfo& info);
    void write_tree();
    void write_group();
    void write(const TraceRecord& r);
    void write_switch(std::string& out, const TraceRecord& r);
    void write_wakeup(std::string& out, const TraceRecord& r);
    void write_process_event(std::string& out, const TraceRecord& r);
    void write_other(std::string& out, const TraceRecord& r);
    [[nodiscard]] std::uint32_t bundle_of(const TraceRecord& r) const;
    [[nodiscard]] std::int32_t pid_of(std::uint32_t task) const;
    [[nodiscard]] std::string name_of(std::uint32_t task, std::uint32_t cpu) const;
    void know_task(std::uint32_t task);
    void changed(std::uint32_t task);

    OutputFile file_;
    const TraceQuality& quality_;
    StateBits bits_ = StateBits::kUnknownKernel;
    std::vector<perfetto::WriterTask> tasks_;
    std::vector<std::uint32_t> changed_;  // tasks that the tree must tell again
    std::vector<Cpu> cpus_;
    std::string tracks_out_;
    perfetto::Tracks tracks_{tasks_, tracks_out_};
    std::string out_;
    std::size_t in_group_ = 0;
    std::int64_t last_ns_ = INT64_MIN;
    std::uint32_t last_cpu_ = 0;  // highest bundle used at last_ns_
};

}  // namespace wakelab::trace
