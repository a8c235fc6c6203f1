// Process numbers of a recording to the dense task numbers of canonical records. A number that is used
// again after its task has gone belongs to a new task.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace wakelab::trace {

class TaskTable {
 public:
    // The task that has this pid now, a new one if there is none; `fresh` tells which. Memory grows with
    // the number of different pids, whatever their values.
    std::uint32_t find_or_add(std::int32_t pid, bool& fresh) {
        std::uint32_t& slot = slot_of(pid);
        fresh = slot == 0;
        if (fresh) slot = ++tasks_;
        return slot - 1;
    }
    // From now on `pid` means a task not seen before.
    std::uint32_t renew(std::int32_t pid) {
        slot_of(pid) = ++tasks_;
        return tasks_ - 1;
    }
    [[nodiscard]] std::uint32_t size() const { return tasks_; }

 private:
    static constexpr std::uint32_t kPageBits = 10;
    static constexpr std::uint32_t kPages = (1u << 22) >> kPageBits;  // PID_MAX_LIMIT of 64-bit kernels
    using Page = std::vector<std::uint32_t>;

    std::uint32_t& slot_of(std::int32_t pid) {
        const auto number = static_cast<std::uint32_t>(pid);
        const std::uint32_t page = number >> kPageBits;
        if (page >= kPages) return strange_[pid];  // negative or damaged
        if (pages_.empty()) pages_.resize(kPages);
        if (pages_[page].empty()) pages_[page].resize(1u << kPageBits);
        return pages_[page][number & ((1u << kPageBits) - 1)];
    }

    std::vector<Page> pages_;                      // task + 1; 0: none
    std::map<std::int32_t, std::uint32_t> strange_;
    std::uint32_t tasks_ = 0;
};

}  // namespace wakelab::trace
