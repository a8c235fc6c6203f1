#include "live/perf_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "live/perf_layout.hpp"

namespace wakelab::live {

namespace {

// The records of one file.
class RecordCursor {
 public:
    RecordCursor(const CpuRecords& records, RoundFiles files) : records_(records), files_(files) {
        next();
    }

    // Nothing: at the end, or where error() is not 0.
    [[nodiscard]] const std::optional<PerfRecordView>& record() const { return record_; }
    [[nodiscard]] int error() const { return error_; }

    void next() {
        if (record_) begin_ += record_->bytes.size();
        record_.reset();
        if (end_ - begin_ < kMostBytes) fill();
        const auto left = std::span<const std::byte>(buffer_).subspan(begin_, end_ - begin_);
        const std::size_t size = perf_record_size(left);
        if (size != 0 && size <= left.size()) record_ = view_perf_record(left.first(size));
    }

 private:
    static constexpr std::size_t kMostBytes = 1u << 16;  // of a record
    static constexpr std::size_t kBuffer = 1u << 18;

    void fill() {
        if (read_ == records_.bytes || error_ != 0) return;
        buffer_.resize(kBuffer);
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
        while (end_ < kBuffer && read_ < records_.bytes) {
            const auto wanted = std::min<std::uint64_t>(kBuffer - end_, records_.bytes - read_);
            const ssize_t n = retried([&] {
                return ::pread(records_.file.get(), buffer_.data() + end_, wanted,
                               static_cast<off_t>(read_));
            });
            if (n <= 0) {
                error_ = n < 0 ? errno : EIO;
                return;
            }
            end_ += static_cast<std::size_t>(n);
            read_ += static_cast<std::uint64_t>(n);
        }
        // Refused by some file systems: then both copies take their space until the end.
        if (files_ == RoundFiles::kFree)
            ::fallocate(records_.file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                        static_cast<off_t>(read_));
    }

    const CpuRecords& records_;
    RoundFiles files_;
    std::vector<std::byte> buffer_;
    std::size_t begin_ = 0, end_ = 0;
    std::uint64_t read_ = 0;  // from the file
    std::optional<PerfRecordView> record_;
    int error_ = 0;
};

bool counts_as_event(const PerfRecordView& record, bool has_tracepoints) {
    if (has_tracepoints) return record.type == PERF_RECORD_SAMPLE;
    return record.is_switch_out() || record.type == PERF_RECORD_FORK ||
           record.type == PERF_RECORD_EXIT || record.type == PERF_RECORD_COMM;
}

void add(RoundTotals& totals, std::size_t cpu, const PerfRecordView& record, bool has_tracepoints) {
    totals.told_lost[cpu] += record.lost();
    if (counts_as_event(record, has_tracepoints)) ++totals.events;
    totals.first_ns = totals.bytes == 0 ? record.ns : std::min(totals.first_ns, record.ns);
    totals.last_ns = std::max(totals.last_ns, record.ns);
    totals.bytes += record.bytes.size();
}

std::optional<std::int64_t> earliest(const std::vector<RecordCursor>& cursors) {
    std::optional<std::int64_t> ns;
    for (const RecordCursor& c : cursors)
        if (c.record() && (!ns || c.record()->ns < *ns)) ns = c.record()->ns;
    return ns;
}

}  // namespace

Result<RoundTotals> write_rounds(const std::vector<CpuRecords>& cpus, bool has_tracepoints,
                                 RoundFiles files,
                                 const std::function<void(std::span<const std::byte>)>& put) {
    const perf_event_header end_of_round{
        .type = 68, .misc = 0, .size = sizeof(perf_event_header)};  // PERF_RECORD_FINISHED_ROUND
    RoundTotals totals;
    totals.told_lost.resize(cpus.size());
    std::vector<RecordCursor> cursors;
    cursors.reserve(cpus.size());
    for (const CpuRecords& c : cpus) cursors.emplace_back(c, files);
    while (const auto begin = earliest(cursors)) {
        for (std::size_t i = 0; i < cursors.size(); ++i) {
            RecordCursor& cursor = cursors[i];
            for (; cursor.record() && cursor.record()->ns <= *begin + kRoundNs; cursor.next()) {
                add(totals, i, *cursor.record(), has_tracepoints);
                put(cursor.record()->bytes);
            }
        }
        put(std::as_bytes(std::span(&end_of_round, 1)));
        totals.bytes += sizeof end_of_round;
    }
    for (const RecordCursor& c : cursors)
        if (c.error() != 0)
            return Error{
                fmt::format("temporary file: cannot be read: {}", std::strerror(c.error()))};
    return totals;
}

}  // namespace wakelab::live
