#include "trace/formats/task_state_bits.hpp"

#include <array>
#include <charconv>

namespace wakelab::trace {

namespace {

// The same in all kernels.
constexpr std::int64_t kInterruptible = 0x1;
constexpr std::int64_t kUninterruptible = 0x2;
constexpr std::int64_t kStopped = 0x4;
constexpr std::int64_t kTraced = 0x8;
constexpr std::int64_t kDead = 0x10, kZombie = 0x20;

struct Layout {
    std::int64_t preempted;  // TASK_STATE_MAX, since 4.14 TASK_REPORT_MAX
    std::int64_t parked;
    std::int64_t idle;       // bits that are set together
    std::int64_t task_dead;  // 0: not reported
};
constexpr std::array<Layout, 4> kLayouts = {{
    {0x800, 0x200, 0x402, 0x40},
    {0x800, 0x200, 0x402, 0x40},
    {0x1000, 0x200, 0x402, 0x40},
    {0x100, 0x40, 0x80, 0},
}};

const Layout& layout_of(StateBits bits) { return kLayouts[static_cast<std::size_t>(bits)]; }

// Values that only one of the layouts can report decide. 0x100 is TASK_WAKING and 0x80 TASK_WAKEKILL of old
// kernels, neither of which is ever alone; 0x40 alone is far more often an exit (old) than a parking (new).
StateBits guess(std::int64_t bits) {
    if (bits == 0x100 || bits == 0x80) return StateBits::kSince4_14;
    return (bits & 0x1000) != 0 ? StateBits::kBefore4_14 : StateBits::kBefore4_8;
}

}  // namespace

StateBits state_bits_of(std::string_view release) {
    int major = 0, minor = 0;
    const char* end = release.data() + release.size();
    const auto first = std::from_chars(release.data(), end, major);
    if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '.') return StateBits::kUnknownKernel;
    if (std::from_chars(first.ptr + 1, end, minor).ec != std::errc{}) return StateBits::kUnknownKernel;
    if (major > 4 || (major == 4 && minor >= 14)) return StateBits::kSince4_14;
    return major == 4 && minor >= 8 ? StateBits::kBefore4_14 : StateBits::kBefore4_8;
}

PrevState prev_state_of_bits(std::int64_t bits, StateBits kernel) {
    if (bits == 0) return PrevState::kPreemptedOther;
    if (bits == kInterruptible) return PrevState::kBlocked;
    if (kernel == StateBits::kUnknownKernel) kernel = guess(bits);
    const Layout& layout = layout_of(kernel);
    if ((bits & layout.preempted) != 0) return PrevState::kPreemptedOther;
    if ((bits & (kDead | kZombie | layout.task_dead)) != 0) return PrevState::kDead;
    if ((bits & layout.idle) == layout.idle) return PrevState::kIdleThread;
    if ((bits & (kStopped | kTraced | layout.parked)) != 0) return PrevState::kStopped;
    if ((bits & kUninterruptible) != 0) return PrevState::kUninterruptible;
    return PrevState::kBlocked;
}

std::int64_t bits_of(PrevState state, StateBits kernel) {
    switch (state) {
        case PrevState::kPreemptedByWakeup:
        case PrevState::kPreemptedByTick:
        case PrevState::kPreemptedOther: return layout_of(kernel).preempted;
        case PrevState::kYielded: return 0;
        case PrevState::kBlocked: return kInterruptible;
        case PrevState::kDead: return kDead;
        case PrevState::kUninterruptible: return kUninterruptible;
        case PrevState::kIdleThread: return layout_of(kernel).idle;
        case PrevState::kStopped: return kStopped;
    }
    return kInterruptible;
}

}  // namespace wakelab::trace
