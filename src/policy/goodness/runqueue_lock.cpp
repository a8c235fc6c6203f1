#include "policy/goodness/runqueue_lock.hpp"

#include <algorithm>

namespace wakelab::policy::goodness {

namespace {

constexpr std::uint64_t kBlockBytes = 8192;  // task structure and kernel stack (i386)
constexpr std::uint64_t kOne = 1ull << RunqueueLock::kMissBits;
constexpr int kHalfBits = RunqueueLock::kMissBits / 2;

}  // namespace

RunqueueLock::RunqueueLock(const topo::Machine& machine)
    : costs_(machine.costs),
      ways_(machine.caches.front().ways),
      sets_(std::max<std::uint64_t>(machine.caches.front().size_bytes / (kBlockBytes * ways_), 1)),
      in_set_(ways_, 0),
      miss_{0},
      scan_ns_{0} {
    in_set_[0] = kOne;
}

// One more task falls into a given set with probability 1 / sets. sets <= 2^21, so the products
// stay below 2^61.
void RunqueueLock::expect_tasks(std::uint32_t tasks) {
    while (miss_.size() <= tasks) {
        const auto n = static_cast<std::int64_t>(miss_.size());
        if (n > 1) {
            for (std::size_t k = ways_; k-- > 0;) {
                const std::uint64_t joins = k > 0 ? in_set_[k - 1] : 0;
                in_set_[k] = (in_set_[k] * (sets_ - 1) + joins) / sets_;
            }
        }
        std::uint64_t fits = 0;
        for (const std::uint64_t p : in_set_) fits += p;
        const std::uint64_t miss = kOne - std::min(fits, kOne);
        miss_.push_back(miss);
        const auto missing = static_cast<std::int64_t>(miss >> kHalfBits);
        scan_ns_.push_back(n * costs_.line_l1 + ((n * costs_.line_memory * missing) >> kHalfBits));
    }
}

// What one CPU does at one instant follows each other, it never waits for itself.
Duration RunqueueLock::take(Time now, CpuId cpu, Duration hold) {
    const Time start = std::max(now, free_at_);
    const Duration spin = holder_ == cpu ? Duration{} : start - now;
    free_at_ = start + hold;
    holder_ = cpu;
    return spin;
}

}  // namespace wakelab::policy::goodness
