// The file around the chunks of wktrace (extension .wkt), wakelab's own format of canonical records.
//
//   magic     "wktrace\n", version (u32, little endian like all), 0 (u32)
//   INFO      what is known when the recording starts: write_info(), write_quality()
//   RECS ...  chunks of at most ChunkEncoder::kMaxRecords records, see wktrace_chunk.hpp
//   END       number of records, end (ns), write_quality() of the whole recording
//
// Each chunk: kind, stored size, size before compression, records (u32 each), FNV-1a of these 16 bytes (u32),
// then a zstd frame with checksum. Without END the file is truncated; what lies before is good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace wakelab::trace {

inline constexpr std::string_view kWktMagic = "wktrace\n";
inline constexpr std::uint32_t kWktVersion = 1;

enum class WktKind : std::uint32_t { kInfo = 0x4f464e49, kRecords = 0x53434552, kEnd = 0x20444e45 };

inline constexpr std::size_t kWktChunkHeader = 20;
// Limits of a reader, far above what the writer makes of a sane recording.
inline constexpr std::uint32_t kWktMaxRaw = 64u << 20;        // of INFO and END
inline constexpr std::uint32_t kWktMaxRawRecords = 8u << 20;  // of RECS
inline constexpr std::size_t kWktMaxMasks = 1u << 18;
inline constexpr std::size_t kWktMaxTasks = 1u << 22;         // PID_MAX_LIMIT of 64-bit kernels
inline constexpr std::size_t kWktMaxNotes = 1000;
inline constexpr std::uint64_t kWktMaxAnnouncements = 1u << 17;  // of a chunk
inline constexpr std::int64_t kWktMaxNs = std::int64_t{1} << 62;  // differences of times stay numbers

[[nodiscard]] inline std::uint32_t wkt_header_sum(std::span<const std::byte> first16) {
    std::uint32_t hash = 2166136261u;
    for (const std::byte b : first16) hash = (hash ^ static_cast<std::uint32_t>(b)) * 16777619u;
    return hash;
}

}  // namespace wakelab::trace
