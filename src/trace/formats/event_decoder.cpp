#include "trace/formats/event_decoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace wakelab::trace {

namespace {

constexpr std::uint32_t kMaxId = 65535;  // common_type is 16 bits wide
// include/linux/trace_events.h, TRACE_FLAG_*
constexpr std::int64_t kFlagHardirq = 0x08;
constexpr std::int64_t kFlagSoftirq = 0x10;

template <class T>
T load_as(const std::byte* at, bool swap) {
    T value;
    std::memcpy(&value, at, sizeof value);
    if (!swap) return value;
    if constexpr (sizeof(T) == 2) return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
    if constexpr (sizeof(T) == 4) return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
    if constexpr (sizeof(T) == 8) return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
    return value;
}

// Bytes behind the NUL are whatever lay there before; the last one is a NUL in any case.
void cut_at_nul(Comm& comm) {
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), comm.bytes.data(), sizeof words);
    const auto first_nul = [](std::uint64_t w) {  // top bit of each NUL byte, exact up to the first
        return (w - 0x0101010101010101) & ~w & 0x8080808080808080;
    };
    if constexpr (std::endian::native == std::endian::little) {
        const std::uint64_t low = first_nul(words[0]), high = first_nul(words[1]);
        words[1] &= low != 0 ? 0 : high != 0 ? (high & (0 - high)) - 1 : ~0ull >> 8;
        if (low != 0) words[0] &= (low & (0 - low)) - 1;
        std::memcpy(comm.bytes.data(), words.data(), sizeof words);
    } else {
        const std::size_t length = strnlen(comm.bytes.data(), 15);
        std::memset(comm.bytes.data() + length, 0, comm.bytes.size() - length);
    }
}

}  // namespace

EventDecoder::EventDecoder(const std::vector<EventFormat>& formats, bool big_endian)
    : big_endian_(big_endian), layout_of_id_(kMaxId + 1) {
    for (const EventFormat& format : formats) {
        if (format.id > kMaxId || layout_of_id_[format.id] != 0) continue;
        layouts_.push_back(wire(format));
        layout_of_id_[format.id] = static_cast<std::uint32_t>(layouts_.size());
        if (common_type_.size != 0) continue;
        Layout common;
        common_type_ = ref(format, common, {"common_type"});
        common_flags_ = ref(format, common, {"common_flags"}, true);
        common_pid_ = ref(format, common, {"common_pid"}, true);
        common_bytes_ = common.needed_bytes;
    }
}

// The first of `names` that the event has; the layout then needs that many bytes. Without one and not
// optional, the event cannot be used.
EventDecoder::FieldRef EventDecoder::ref(const EventFormat& format, Layout& layout,
                                         std::initializer_list<std::string_view> names, bool optional) {
    for (const std::string_view name : names) {
        const EventField* field = format.find(name);
        if (field == nullptr || field->offset > UINT16_MAX) continue;
        const bool wide = field->size > 8 && !field->is_array;
        if (field->size == 0 || field->size > UINT16_MAX || wide) continue;
        layout.needed_bytes = std::max(layout.needed_bytes, field->offset + field->size);
        return {.offset = static_cast<std::uint16_t>(field->offset),
                .size = static_cast<std::uint8_t>(std::min(field->size, 255u)),
                .is_signed = field->is_signed, .is_data_loc = field->is_data_loc || field->is_rel_loc,
                .loc_base = static_cast<std::uint16_t>(
                    field->is_rel_loc ? std::min(field->offset + field->size, 65535u) : 0)};
    }
    if (!optional) layout.known = false;
    return {};
}

EventDecoder::Layout EventDecoder::wire(const EventFormat& format) {
    using K = KernelEventType;
    Layout l;
    l.name = format.name;
    l.known = true;
    const auto is = [&](std::string_view name) { return format.name == name; };
    const auto wakeup = [&](K type) {
        l.type = type;
        l.other_pid = ref(format, l, {"pid"});
        l.other_comm = ref(format, l, {"comm"}, true);
        l.target_cpu = ref(format, l, {"target_cpu", "cpu"}, true);
        l.success = ref(format, l, {"success"}, true);
    };
    const auto valued = [&](K type, std::initializer_list<std::string_view> names) {
        l.type = type;
        l.value = ref(format, l, names);
    };
    if (is("sched_switch")) {
        l.type = K::kSwitch;
        l.pid = ref(format, l, {"prev_pid"});
        l.comm = ref(format, l, {"prev_comm"}, true);
        l.other_pid = ref(format, l, {"next_pid"});
        l.other_comm = ref(format, l, {"next_comm"}, true);
        l.value = ref(format, l, {"prev_state"});
        letters_ = format.prev_state_letters;
        for (const auto& [bit, letter] : letters_) preempted_bit_ = std::max(preempted_bit_, bit);
        // include/trace/events/sched.h: "+" is the bit above the last with a letter (TASK_REPORT_MAX since
        // 4.14), or TASK_STATE_MAX above states that have none.
        preempted_bit_ = std::bit_floor(preempted_bit_) << 1;
        missing_ = l.known ? "" : "a field of sched_switch";
    } else if (is("sched_waking")) {
        wakeup(K::kWaking);
    } else if (is("sched_wakeup")) {
        wakeup(K::kWakeup);
    } else if (is("sched_wakeup_new")) {
        wakeup(K::kWakeupNew);
    } else if (is("sched_migrate_task")) {
        l.type = K::kMigrate;
        l.other_pid = ref(format, l, {"pid"});
        l.other_comm = ref(format, l, {"comm"}, true);
        l.from_cpu = ref(format, l, {"orig_cpu"}, true);
        l.target_cpu = ref(format, l, {"dest_cpu"});
    } else if (is("sched_process_fork")) {
        l.type = K::kFork;
        l.comm = ref(format, l, {"parent_comm"}, true);
        l.pid = ref(format, l, {"parent_pid"}, true);
        l.other_comm = ref(format, l, {"child_comm"}, true);
        l.other_pid = ref(format, l, {"child_pid"});
    } else if (is("sched_process_exec")) {
        l.type = K::kExec;
        l.pid = ref(format, l, {"pid"}, true);
    } else if (is("sched_process_exit")) {
        l.type = K::kExit;
        l.pid = ref(format, l, {"pid"});
        l.comm = ref(format, l, {"comm"}, true);
    } else if (is("sched_blocked_reason")) {
        l.type = K::kBlockedReason;
        l.other_pid = ref(format, l, {"pid"});
        l.value = ref(format, l, {"caller"}, true);
        l.io_wait = ref(format, l, {"io_wait", "iowait"}, true);
    } else if (is("irq_handler_entry")) {
        valued(K::kIrqEntry, {"irq"});
    } else if (is("irq_handler_exit")) {
        valued(K::kIrqExit, {"irq"});
    } else if (is("softirq_entry")) {
        valued(K::kSoftirqEntry, {"vec"});
    } else if (is("softirq_exit")) {
        valued(K::kSoftirqExit, {"vec"});
    } else if (is("ipi_send_cpu")) {
        l.type = K::kIpi;
        l.target_cpu = ref(format, l, {"cpu"});
    } else if (is("ipi_send_cpumask") || is("ipi_raise")) {
        l.type = K::kIpi;
    } else if (is("cpu_idle")) {
        valued(K::kCpuIdle, {"state"});
        l.target_cpu = ref(format, l, {"cpu_id"}, true);
    } else if (is("cpu_frequency")) {
        valued(K::kFrequency, {"state"});
        l.target_cpu = ref(format, l, {"cpu_id"}, true);
    } else if (is("sys_enter")) {
        valued(K::kSyscallEnter, {"id"});
    } else if (is("sys_exit")) {
        valued(K::kSyscallExit, {"ret"});
    } else {
        l.known = false;
    }
    return l;
}

inline std::int64_t EventDecoder::load(std::span<const std::byte> record, FieldRef f) const {
    const std::byte* at = record.data() + f.offset;
    const bool swap = big_endian_ != (std::endian::native == std::endian::big);
    if (f.size == 4) {  // nearly all fields
        const auto value = load_as<std::uint32_t>(at, swap);
        return f.is_signed ? static_cast<std::int64_t>(static_cast<std::int32_t>(value))
                           : static_cast<std::int64_t>(value);
    }
    switch (f.size) {
        case 1:
            return f.is_signed ? static_cast<std::int64_t>(load_as<std::int8_t>(at, false))
                               : static_cast<std::int64_t>(load_as<std::uint8_t>(at, false));
        case 2:
            return f.is_signed ? static_cast<std::int64_t>(load_as<std::int16_t>(at, swap))
                               : static_cast<std::int64_t>(load_as<std::uint16_t>(at, swap));
        case 8:
            return load_as<std::int64_t>(at, swap);
        default:
            return 0;
    }
}

inline Comm EventDecoder::load_comm(std::span<const std::byte> record, FieldRef f) const {
    if (f.size == 0) return {};
    std::size_t offset = f.offset, size = f.size;
    if (f.is_data_loc) {
        const auto where = static_cast<std::uint32_t>(load(record, f));
        offset = std::size_t{f.loc_base} + (where & 0xffff);
        size = where >> 16;
        if (offset + size > record.size()) return {};
    }
    Comm comm;
    if (size == 16) {  // TASK_COMM_LEN: two words, no call
        std::memcpy(comm.bytes.data(), record.data() + offset, 16);
        cut_at_nul(comm);
        return comm;
    }
    std::memcpy(comm.bytes.data(), record.data() + offset, std::min<std::size_t>(size, 15));
    cut_at_nul(comm);
    return comm;
}

PrevState EventDecoder::prev_state(std::uint64_t bits) const {
    if (bits == 0 || (preempted_bit_ != 0 && bits >= preempted_bit_))
        return PrevState::kPreemptedOther;
    if (bits == 1) return PrevState::kBlocked;  // TASK_INTERRUPTIBLE, always
    std::string text;
    for (const auto& [bit, letter] : letters_)
        if ((bits & bit) != 0) text += letter;
    return text.empty() ? PrevState::kBlocked : prev_state_of(text);
}

EventDecoder::Outcome EventDecoder::decode(std::span<const std::byte> record, KernelEvent& e) const {
    const std::uint32_t id = id_of(record);
    const std::uint32_t index = layout_of_id_[id];
    if (index == 0) return Outcome::kUnknownId;
    const Layout& l = layouts_[index - 1];
    if (!l.known) return Outcome::kNotNeeded;
    if (record.size() < std::max(l.needed_bytes, common_bytes_)) return Outcome::kDamaged;
    e.type = l.type;
    if (l.success.size != 0 && load(record, l.success) == 0) return Outcome::kNotNeeded;
    const std::int64_t flags = load(record, common_flags_);
    e.context = static_cast<std::uint8_t>(((flags & kFlagHardirq) != 0 ? kInHardirq : 0) |
                                          ((flags & kFlagSoftirq) != 0 ? kInSoftirq : 0));
    e.pid = static_cast<std::int32_t>(load(record, l.pid.size != 0 ? l.pid : common_pid_));
    e.other_pid = static_cast<std::int32_t>(load(record, l.other_pid));
    e.from_cpu = l.from_cpu.size != 0 ? static_cast<std::int32_t>(load(record, l.from_cpu)) : -1;
    e.target_cpu = l.target_cpu.size != 0 ? static_cast<std::int32_t>(load(record, l.target_cpu)) : -1;
    e.io_wait = load(record, l.io_wait) != 0;
    e.value = load(record, l.value);
    e.comm = load_comm(record, l.comm);
    e.other_comm = load_comm(record, l.other_comm);
    if (l.type == KernelEventType::kSwitch)
        e.value = static_cast<std::int64_t>(prev_state(static_cast<std::uint64_t>(e.value)));
    else if (l.type == KernelEventType::kCpuIdle)
        e.value = static_cast<std::int32_t>(e.value);  // PWR_EVENT_EXIT is (u32)-1
    return Outcome::kDecoded;
}

std::uint32_t EventDecoder::id_of(std::span<const std::byte> record) const {
    if (common_type_.size == 0 || record.size() < std::size_t{common_type_.offset} + common_type_.size)
        return 0;
    return static_cast<std::uint32_t>(load(record, common_type_)) & kMaxId;
}

std::string EventDecoder::name_of(std::uint32_t id) const {
    if (id <= kMaxId && layout_of_id_[id] != 0) return layouts_[layout_of_id_[id] - 1].name;
    return fmt::format("event {}", id);
}

std::string EventDecoder::missing() const {
    return missing_;
}

}  // namespace wakelab::trace
