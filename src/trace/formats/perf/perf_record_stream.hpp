// The records of perf.data one after the other, those inside compressed records in their place, through
// buffers of fixed size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "trace/input.hpp"

struct ZSTD_DCtx_s;

namespace wakelab::trace {

// enum perf_event_type of the kernel, and from 64 on enum perf_user_event_type of tools/lib/perf.
enum class PerfRecordType : std::uint32_t {
    kMmap = 1, kLost = 2, kComm = 3, kExit = 4, kThrottle = 5, kUnthrottle = 6, kFork = 7, kRead = 8,
    kSample = 9, kLostSamples = 13, kSwitch = 14, kSwitchCpuWide = 15,
    kHeaderAttr = 64, kHeaderEventType = 65, kHeaderTracingData = 66, kHeaderBuildId = 67,
    kFinishedRound = 68, kIdIndex = 69, kAuxtrace = 71, kThreadMap = 73, kCpuMap = 74, kEventUpdate = 78,
    kTimeConv = 79, kHeaderFeature = 80, kCompressed = 81, kFinishedInit = 82, kCompressed2 = 83,
};

struct PerfRecord {
    PerfRecordType type{};
    std::uint16_t misc = 0;
    std::span<const std::byte> bytes;  // with its header of 8 bytes; valid until the next call
};

class PerfRecordStream {
 public:
    enum class Outcome : std::uint8_t {
        kRecord,
        kEnd,
        kTruncated,    // ends inside a record
        kDamaged,      // a size that cannot be: where the next record begins is not known
        kReadError,    // of the input; see error()
    };

    // Records of `input` from where it stands to its end (a pipe).
    PerfRecordStream(Input& input, bool swap);
    // Records in [begin, end) of a seekable input.
    PerfRecordStream(Input& input, bool swap, std::uint64_t begin, std::uint64_t end);
    ~PerfRecordStream();
    PerfRecordStream(const PerfRecordStream&) = delete;
    PerfRecordStream& operator=(const PerfRecordStream&) = delete;

    Outcome next(PerfRecord& record);
    // The `size` bytes that follow the latest record and belong to it. False: the input ends before.
    bool skip(std::uint64_t size);
    // The same, kept, if they are at most `limit`.
    bool take(std::uint64_t size, std::uint64_t limit, std::vector<std::byte>& out);
    [[nodiscard]] const Error& error() const { return error_; }
    // Compressed records from the first that could not be decompressed on: none of them can be.
    [[nodiscard]] std::uint64_t damaged_compressed() const { return damaged_compressed_; }

 private:
    static constexpr std::size_t kBuffer = std::size_t{1} << 17;  // a record has at most 64 KiB

    bool fill(std::size_t needed);
    Outcome next_raw(PerfRecord& record);
    Outcome next_plain(PerfRecord& record);
    void start_decompression(const PerfRecord& record);
    bool decompress();

    Input& input_;
    bool swap_;
    bool sequential_;
    std::uint64_t position_ = 0, limit_ = 0;
    bool at_end_ = false;
    Error error_;
    std::vector<std::byte> buffer_;
    std::size_t begin_ = 0, end_ = 0;

    std::unique_ptr<ZSTD_DCtx_s, void (*)(ZSTD_DCtx_s*)> zstd_;
    std::uint64_t damaged_compressed_ = 0;
    std::span<const std::byte> packed_;  // in buffer_, not decompressed yet
    std::vector<std::byte> plain_;
    std::size_t plain_begin_ = 0, plain_end_ = 0;
    bool more_plain_ = false;  // the decompressor may hold more without further input
};

}  // namespace wakelab::trace
