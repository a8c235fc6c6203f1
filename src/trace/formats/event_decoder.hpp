// Raw bytes of a kernel trace event to a KernelEvent, by the formats that came with the file. Built once
// per file; decoding is a table lookup by event id and loads at fixed offsets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/formats/event_format.hpp"
#include "trace/kernel_event.hpp"

namespace wakelab::trace {

class EventDecoder {
 public:
    enum class Outcome : std::uint8_t {
        kDecoded,
        kNotNeeded,  // an event that is known by its format and has no meaning here
        kUnknownId,  // no format has this id
        kDamaged,    // shorter than its format says
    };

    // Formats in any order; the first of an id counts. `big_endian` of the traced machine.
    EventDecoder(const std::vector<EventFormat>& formats, bool big_endian);

    // `record` begins at the common fields. Fills all but ns and cpu (which the container knows) of `event`.
    Outcome decode(std::span<const std::byte> record, KernelEvent& event) const;

    // Event id of a record; 0 if it is too short.
    [[nodiscard]] std::uint32_t id_of(std::span<const std::byte> record) const;
    // "sched_stat_runtime", or "event 1234" without a format.
    [[nodiscard]] std::string name_of(std::uint32_t id) const;
    // What is missing in the formats for scheduler analysis: empty if sched_switch is complete.
    [[nodiscard]] std::string missing() const;

 private:
    struct FieldRef {
        std::uint16_t offset = 0;
        std::uint8_t size = 0;  // 0: the event has no such field
        bool is_signed = false;
        bool is_data_loc = false;  // or relative
        std::uint16_t loc_base = 0;  // what the offset of such a field counts from
    };
    // Which fields mean what, by event type; see wire() in the source.
    struct Layout {
        KernelEventType type = KernelEventType::kOther;
        bool known = false;  // false: format known, event without meaning here
        std::uint32_t needed_bytes = 0;
        FieldRef pid, comm, other_pid, other_comm, target_cpu, from_cpu, value, success, io_wait;
        std::string name;
    };

    Layout wire(const EventFormat& format);
    FieldRef ref(const EventFormat& format, Layout& layout,
                 std::initializer_list<std::string_view> names, bool optional = false);
    [[nodiscard]] std::int64_t load(std::span<const std::byte> record, FieldRef f) const;
    [[nodiscard]] Comm load_comm(std::span<const std::byte> record, FieldRef f) const;
    [[nodiscard]] PrevState prev_state(std::uint64_t bits) const;

    bool big_endian_;
    FieldRef common_type_, common_flags_, common_pid_;
    std::uint32_t common_bytes_ = 0;  // that these need
    std::vector<std::uint32_t> layout_of_id_;  // index + 1 into layouts_; 0: none
    std::vector<Layout> layouts_;
    std::vector<std::pair<std::uint64_t, std::string>> letters_;
    std::uint64_t preempted_bit_ = 0;
    std::string missing_ = "no format of sched_switch";
};

}  // namespace wakelab::trace
