// A chunk of wktrace before compression: records as columns of differences and of what a simple model of the
// scheduler did not predict, and between them what the sink is told of tasks and CPUs. Each chunk is
// decoded without the others.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/formats/wktrace/wktrace_bytes.hpp"
#include "trace/record.hpp"
#include "trace/sink.hpp"

namespace wakelab::trace {

// A call of the sink between two records.
struct Announcement {
    enum class Kind : std::uint8_t { kCpus, kTask, kRename, kFacts };
    Kind kind = Kind::kTask;
    std::uint32_t at = 0;    // records of the chunk that come before
    std::uint32_t task = 0;  // kCpus: how many
    std::string name;
    TaskFacts facts;
};

struct RecordModel;  // what encoder and decoder predict

class ChunkEncoder {
 public:
    static constexpr std::uint32_t kMaxRecords = 16384;
    static constexpr std::size_t kMaxAnnouncementBytes = 1u << 18;

    ChunkEncoder();
    ~ChunkEncoder();

    void add(const TraceRecord& record);
    void announce(const Announcement& a);  // `at` is set here
    [[nodiscard]] std::uint32_t records() const { return records_; }
    [[nodiscard]] bool empty() const { return records_ == 0 && announcements_ == 0; }
    [[nodiscard]] bool full() const {
        return records_ >= kMaxRecords || announced_.size() >= kMaxAnnouncementBytes;
    }
    // The chunk; then starts the next.
    void finish(ByteWriter& out);

 private:
    ByteWriter tags_, cpus_, times_, ids_, flags_, payloads_, announced_;
    std::unique_ptr<RecordModel> model_;
    std::uint32_t records_ = 0, announcements_ = 0;
};

struct DecodedChunk {
    std::vector<TraceRecord> records;
    std::vector<Announcement> announcements;  // in order of `at`
};

class ChunkDecoder {
 public:
    ChunkDecoder();
    ~ChunkDecoder();
    // False: not a chunk, or of other than `records` records.
    [[nodiscard]] bool decode(std::span<const std::byte> bytes, std::uint32_t records, DecodedChunk& out);

 private:
    std::unique_ptr<RecordModel> model_;
};

// A set of CPUs by its words of 64.
void write_mask(const topo::CpuMask& mask, ByteWriter& out);
[[nodiscard]] topo::CpuMask read_mask(ByteReader& in);

}  // namespace wakelab::trace
