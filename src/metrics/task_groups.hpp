// Tasks that do the same job, told apart only by a number ("postgres-0" .. "postgres-49"), belong
// to one group ("postgres-*"): reports and rules speak of groups where there are many equal tasks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wakelab::metrics {

// The name without the numbers at its end and what separates them: "sender-3-12" -> "sender". A
// name that is nothing but a number stays as it is.
[[nodiscard]] std::string_view group_stem(std::string_view task_name);

class TaskGroups {
 public:
    // Stems beyond this many share the last group, so that tables by group and CPU stay small.
    static constexpr std::uint32_t kMaxGroups = 256;

    TaskGroups() : TaskGroups(std::span<const std::string>{}) {}
    explicit TaskGroups(std::span<const std::string> task_names);

    // Groups in order of their first task; the last is "others": stems beyond kMaxGroups and tasks
    // that appeared after the names were known.
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(groups_.size()); }
    [[nodiscard]] std::uint32_t group_of(std::uint32_t task) const {
        return task < group_of_.size() ? group_of_[task] : count() - 1;
    }
    // "postgres-*", or the name of the only task.
    [[nodiscard]] const std::string& name(std::uint32_t group) const { return groups_[group].name; }
    // How many of the named tasks belong to it.
    [[nodiscard]] std::uint32_t size(std::uint32_t group) const { return groups_[group].size; }

 private:
    struct Group {
        std::string name;
        std::uint32_t size = 0;
    };
    std::vector<std::uint32_t> group_of_;
    std::vector<Group> groups_;
};

}  // namespace wakelab::metrics
