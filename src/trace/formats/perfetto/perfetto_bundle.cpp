#include "trace/formats/perfetto/perfetto_bundle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topo/cpu_mask.hpp"
#include "trace/formats/perfetto/field_cursor.hpp"

namespace wakelab::trace::perfetto {

namespace {

constexpr std::uint32_t kEventKey = bytes_key(bundle::kEvent);

}  // namespace

void BundleDecoder::note_clock(FtraceClock clock) {
    constexpr std::array<std::string_view, 5> kNames = {"boot", "unknown", "global", "local", "mono_raw"};
    const auto index = static_cast<std::size_t>(clock);
    const std::string_view name = index < kNames.size() ? kNames[index] : "unknown";
    if (!clock_told_) {
        clock_told_ = true;
        quality_.clock = name;
    } else if (quality_.clock != name && quality_.clock != "several") {
        quality_.notes.push_back(fmt::format(
            "Some events have times of the clock {}, others of {}; they are compared as they are.",
            quality_.clock, name));
        quality_.clock = "several";
    }
}

void BundleDecoder::decode(std::string_view bundle_bytes) {
    std::uint64_t cpu = 0;
    bool has_cpu = false, lost = false;
    auto clock = FtraceClock::kBoot;
    std::string_view compact;
    FieldCursor head(bundle_bytes);
    while (head.skip_short(kEventKey), head.next()) {
        switch (head.key()) {
            case varint_key(bundle::kCpu):
                cpu = head.number();
                has_cpu = true;
                break;
            case varint_key(bundle::kLostEvents): lost = head.number() != 0; break;
            case bytes_key(bundle::kCompactSched): compact = head.bytes(); break;
            case varint_key(bundle::kFtraceClock): clock = static_cast<FtraceClock>(head.uint32()); break;
            default: break;
        }
    }
    if (head.damaged()) ++quality_.damaged;
    if (!has_cpu || cpu >= topo::kMaxCpus) {
        ++quality_.damaged;
        return;
    }
    note_clock(clock);
    cpu_ = static_cast<std::uint32_t>(cpu);
    if (cpu_ >= cpus_.size()) cpus_.resize(cpu_ + 1);
    cpus_[cpu_].seen = true;
    if (lost) {
        cpus_[cpu_].lost = true;
        cpus_[cpu_].current = kUnknown;
    }
    window_.begin_bundle(cpu_);
    if (!compact.empty()) return decode_with_compact(bundle_bytes, compact);
    FieldCursor events(bundle_bytes);
    while (events.next_short(kEventKey) || events.next()) {
        if (events.key() != kEventKey) continue;
        KernelEvent e;
        if (decode_event(events.bytes(), e)) emit(e, false);
    }
}

// Marks a loss before the event; knows who runs.
void BundleDecoder::emit(KernelEvent& e, bool is_compact) {
    Cpu& cpu = cpus_[cpu_];
    e.cpu = cpu_;
    if (cpu.lost) {
        cpu.lost = false;
        KernelEvent loss;
        loss.ns = e.ns;
        loss.cpu = cpu_;
        loss.type = KernelEventType::kLost;
        window_.push(loss);
    }
    if (e.type == KernelEventType::kSwitch) {
        const bool first = is_compact && cpu.current == kUnknown;
        if (is_compact && !first) {
            e.pid = cpu.current;
            e.comm = cpu.current_comm;
            cpu.current_comm = {};
        }
        cpu.current = e.other_pid;
        if (first) {
            cpu.current_comm = e.other_comm;
            ++first_switches_;
            return;
        }
    } else if (is_compact) {
        e.pid = std::max(cpu.current, 0);
    } else if (e.type == KernelEventType::kFork) {
        const bool again = cpu.new_task == e.other_pid && e.value != kByNewtask;
        cpu.new_task = e.value == kByNewtask ? e.other_pid : kUnknown;
        e.value = 0;
        if (again) return;
    }
    window_.push(e);
}

bool BundleDecoder::decode_event(std::string_view message, KernelEvent& e) {
    std::uint64_t ns = ~std::uint64_t{0};
    std::uint64_t flags = 0;
    std::uint32_t id = 0;
    std::string_view payload;
    FieldCursor c(message);
    // Time and pid come first and the event next, mostly.
    std::uint64_t pid = 0;
    if (c.take_number(varint_key(event::kTimestamp), ns) && c.take_number(varint_key(event::kPid), pid))
        e.pid = static_cast<std::int32_t>(pid);
    while (c.next()) {
        switch (c.key()) {
            case varint_key(event::kTimestamp): ns = c.number(); break;
            case varint_key(event::kPid): e.pid = c.int32(); break;
            case varint_key(event::kCommonFlags): flags = c.number(); break;
            default:
                if (!c.is_bytes()) break;
                id = c.field();
                payload = c.bytes();
        }
    }
    if (c.damaged() || ns > kMaxNs || id == 0) {
        ++quality_.damaged;
        return false;
    }
    e.ns = static_cast<std::int64_t>(ns);
    e.context = context_of(flags);
    if (perfetto::decode_event(id, payload, states_, e)) return true;
    ++skipped_[id < kEventIds ? id : 0];
    return false;
}

// --- losses and counts ---

void BundleDecoder::lose_all() {
    for (Cpu& cpu : cpus_) {
        if (!cpu.seen) continue;
        cpu.lost = true;
        cpu.current = kUnknown;
    }
}

void BundleDecoder::finish() {
    for (cpu_ = 0; cpu_ < cpus_.size(); ++cpu_) {
        if (!cpus_[cpu_].lost || window_.max_ns() == INT64_MIN) continue;
        KernelEvent loss;
        loss.ns = window_.max_ns();
        loss.cpu = cpu_;
        loss.type = KernelEventType::kLost;
        window_.begin_bundle(cpu_);
        window_.push(loss);
    }
    for (std::uint32_t id = 0; id < kEventIds; ++id)
        if (skipped_[id] != 0) quality_.skip(event_name(id), skipped_[id]);
    if (first_switches_ != 0)
        quality_.notes.push_back(fmt::format(
            "{} switches name no previous task (compact form, first of a CPU or after a loss) and are left "
            "out.",
            first_switches_));
    if (states_.bits == StateBits::kUnknownKernel && states_.guessed != 0)
        quality_.notes.push_back(fmt::format(
            "The file does not name its kernel: what {} tasks did when they were switched out (preempted, "
            "idle kernel thread, parked, dead) is guessed from values that kernels use differently.",
            states_.guessed));
}

}  // namespace wakelab::trace::perfetto
