// The events that the trace.dat writer writes: their numbers and where their fields lie, as the kernel's
// format files describe them to any reader. The layouts are those of kernels before 6.17, with names in
// the record (include/trace/events/{sched,irq,power,ipi}.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace wakelab::trace {

enum class DatEvent : std::uint16_t {  // id = value + kFirstDatEventId
    kSwitch, kWaking, kWakeup, kWakeupNew, kMigrate, kFork, kExec, kExit, kBlockedReason,
    kIrqEntry, kIrqExit, kSoftirqEntry, kSoftirqExit, kIpi, kIpiMany, kCpuIdle, kFrequency,
    kSyscallEnter, kSyscallExit,
    kSimulated,  // what only the simulator knows; for people who read the file
};
inline constexpr std::size_t kDatEventCount = static_cast<std::size_t>(DatEvent::kSimulated) + 1;
inline constexpr std::uint16_t kFirstDatEventId = 300;

struct DatEventSpec {
    std::string_view system, name;
    std::uint16_t bytes;           // of a record, common fields included; a multiple of 4
    std::string_view fields;       // "DECLARATION|offset|size|signed", one a line
    std::string_view print;
};
[[nodiscard]] const DatEventSpec& spec_of(DatEvent event);
// The text of events/SYSTEM/NAME/format.
[[nodiscard]] std::string format_text(DatEvent event);

// Bytes of one record, little endian.
class DatRecord {
 public:
    DatRecord(DatEvent event, std::int32_t current_pid, bool in_interrupt);
    void set_u32(std::size_t offset, std::uint32_t v) { std::memcpy(bytes_.data() + offset, &v, 4); }
    void set_i32(std::size_t offset, std::int32_t v) { std::memcpy(bytes_.data() + offset, &v, 4); }
    void set_i64(std::size_t offset, std::int64_t v) { std::memcpy(bytes_.data() + offset, &v, 8); }
    // Up to 15 bytes and a NUL.
    void set_name(std::size_t offset, std::string_view name);
    [[nodiscard]] std::span<const std::byte> bytes() const { return std::span(bytes_).first(size_); }

 private:
    std::array<std::byte, 112> bytes_{};
    std::size_t size_;
};

}  // namespace wakelab::trace
