// Tasks that do the same job, told apart only by a number ("postgres-0" .. "postgres-49"), belong
// to one group ("postgres-*"): reports and rules speak of groups where there are many equal tasks.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace wakelab::metrics {

// The name without the numbers at its end and what separates them: "sender-3-12" -> "sender". A
// name that is nothing but a number stays as it is.
[[nodiscard]] std::string_view group_stem(std::string_view task_name);

class TaskGroups {
 public:
    // Stems beyond this many share kOthers, so that tables by group and CPU stay small.
    static constexpr std::uint32_t kMaxGroups = 256;
    // The group of those and of tasks without a name.
    static constexpr std::uint32_t kOthers = 0;

    void add(std::uint32_t task, std::string_view name);
    // Another name for a task that has been added.
    void rename(std::uint32_t task, std::string_view name);

    // kOthers and the groups in order of their first task.
    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(groups_.size()); }
    [[nodiscard]] std::uint32_t group_of(std::uint32_t task) const {
        return task < group_of_.size() ? group_of_[task] : kOthers;
    }
    // "postgres-*", or the name of the only task.
    [[nodiscard]] std::string name(std::uint32_t group) const;
    // How many of the added tasks belong to it now.
    [[nodiscard]] std::uint32_t size(std::uint32_t group) const { return groups_[group].size; }

 private:
    struct Group {
        std::string first_name;  // of the tasks in it
        std::uint32_t size = 0;
    };

    std::uint32_t group_called(std::string_view name);

    std::vector<std::uint32_t> group_of_;
    std::vector<Group> groups_ = {{"others", 0}};
    std::map<std::string, std::uint32_t, std::less<>> by_stem_;
};

}  // namespace wakelab::metrics
