// Records of perf.data to kernel events in time order: what each record means, once attributes and event
// formats are known.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "trace/formats/event_decoder.hpp"
#include "trace/formats/perf/perf_attr.hpp"
#include "trace/formats/perf/perf_features.hpp"
#include "trace/formats/perf/perf_record_stream.hpp"
#include "trace/formats/perf/perf_tracing_data.hpp"
#include "trace/formats/reorder_buffer.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

class PerfRecords {
 public:
    // The translator must outlive this.
    PerfRecords(Translator& translator, bool big_endian);

    // --- what a file tells before its records, a pipe in records of their own ---
    [[nodiscard]] PerfAttrs& attrs() { return attrs_; }
    void take_feature(PerfFeature feature, std::span<const std::byte> bytes);
    void take_formats(std::span<const std::byte> tracing_data);

    // All records to the end; what is left is handed on.
    [[nodiscard]] Status read(PerfRecordStream& stream);

 private:
    // Which events come as tracepoints, so that perf's own records of the same must not count again.
    struct Tracepoints {
        bool any = false, has_switch = false, fork = false, exec = false, exit = false;
    };

    // In the value of a kOther event: a description that must wait for its time among the events.
    enum Mark : std::int64_t { kMarkComm = 1, kMarkFork = 2 };

    void take(const PerfRecord& record, PerfRecordStream& stream);
    void take_own(const PerfRecord& record, PerfRecordStream& stream);
    void prepare();
    [[nodiscard]] bool records_tracepoint(std::string_view name) const;
    void on_sample(std::span<const std::byte> record);
    void on_header_attr(std::span<const std::byte> record);
    void count_unused(std::uint32_t event_id);
    // perf_task_records.cpp
    void on_comm(const PerfRecord& record);
    void on_fork(std::span<const std::byte> record);
    void on_exit(std::span<const std::byte> record);
    void on_lost(std::span<const std::byte> record, std::size_t count_at);
    void on_switch(const PerfRecord& record, bool cpu_wide);
    void on_thread_map(std::span<const std::byte> record);
    void push_lost(std::uint32_t cpu, std::int64_t ns, std::int64_t count);
    void push(const KernelEvent& event);
    void deliver(const KernelEvent& event);
    void describe(std::int32_t tid, std::int32_t tgid, const Comm& comm);
    void end_round();
    Status finish();
    void state_losses();
    [[nodiscard]] std::uint32_t u32(std::span<const std::byte> record, std::size_t at) const;
    [[nodiscard]] std::uint64_t u64(std::span<const std::byte> record, std::size_t at) const;
    // False, and counted, if the record is shorter.
    bool holds(std::span<const std::byte> record, std::size_t bytes);
    [[nodiscard]] PerfSample trailer(std::span<const std::byte> record, std::size_t fixed) const;

    Translator& translator_;
    TraceQuality& quality_;
    bool swap_;
    PerfAttrs attrs_;
    PerfFeatures features_;
    std::vector<EventFormat> formats_;
    std::optional<EventDecoder> decoder_;
    Tracepoints tracepoints_;
    bool prepared_ = false;

    ReorderBuffer buffer_;
    std::int64_t next_flush_ns_ = INT64_MIN;
    std::uint32_t cpus_seen_ = 0;
    std::map<std::int32_t, std::int32_t> process_of_;  // tid forked, its fork event still to come
    bool has_switches_ = false;                        // by records of perf
    std::vector<std::int32_t> current_;                // by CPU, by these records
    std::uint64_t events_ = 0;

    std::int64_t lost_all_ns_ = INT64_MIN;  // of the latest loss without a CPU
    std::uint64_t lost_with_time_ = 0, lost_in_total_ = 0;

    static constexpr std::size_t kTypes = 128;
    std::array<std::uint64_t, kTypes + 1> unused_records_{};  // the last: types beyond
    std::vector<std::uint64_t> unused_samples_;               // by attribute
    std::vector<std::uint64_t> unused_events_;                // by event id
    std::uint64_t unknown_ids_ = 0, without_format_ = 0, without_place_ = 0;
};

}  // namespace wakelab::trace
