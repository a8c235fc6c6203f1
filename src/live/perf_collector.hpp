// Records of perf_event rings to a temporary file per CPU, while the recording runs or (flight
// recorder) once at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/fd.hpp"
#include "live/perf_ring.hpp"
#include "live/perf_session.hpp"
#include "live/reader_threads.hpp"

namespace wakelab::live {

struct CpuRecords {
    std::uint32_t cpu = 0;
    Fd file;  // whole records, one after the other, nearly in time order
    std::uint64_t bytes = 0;
    std::int64_t forgot_before_ns = -1;  // a flight recorder's ring overwrote what was before
};

class PerfCollector {
 public:
    // Error: temporary files cannot be made in `folder`.
    static Result<std::unique_ptr<PerfCollector>> create(PerfSession& session,
                                                         const std::string& folder);
    // The threads; they sleep until a ring is half full.
    void start();
    // The events have ended: reads what is left and ends the threads. With `keep_after_ns`: of
    // rings that are overwritten what is not older. Error: it could not be written.
    Status finish(std::optional<std::int64_t> keep_after_ns);

    [[nodiscard]] int failure_fd() const { return threads_.failure_fd(); }
    [[nodiscard]] std::vector<CpuRecords>& cpus() { return records_; }
    [[nodiscard]] std::vector<std::int32_t> thread_ids() const { return threads_.thread_ids(); }

 private:
    explicit PerfCollector(PerfSession& session) : session_(session) {}
    bool copy(std::size_t i);
    bool copy_overwritten(std::size_t i, std::int64_t keep_after_ns);

    PerfSession& session_;
    std::string folder_;
    std::vector<CpuRecords> records_;
    std::vector<int> errors_;  // errno by CPU
    ReaderThreads threads_;    // last: they end before what they use
};

// [from, to) of a ring behind what the file holds. False: errno says why not.
bool append_records(const RingBytes& ring, std::uint64_t from, std::uint64_t to,
                    CpuRecords& records);
// Of an overwritten ring, the oldest first. False: errno says why not.
bool append_overwritten(const RingBytes& ring, std::uint64_t head, std::int64_t keep_after_ns,
                        CpuRecords& records);

}  // namespace wakelab::live
