#include "metrics/task_groups.hpp"

#include <algorithm>
#include <map>

namespace wakelab::metrics {

std::string_view group_stem(std::string_view task_name) {
    const std::string_view digits = "0123456789";
    const std::string_view separators = "-_/:.# ";
    std::string_view stem = task_name;
    for (;;) {
        const std::size_t last_letter = stem.find_last_not_of(digits);
        if (last_letter == std::string_view::npos) return task_name;
        if (last_letter + 1 == stem.size()) return stem;
        const std::size_t last = stem.substr(0, last_letter + 1).find_last_not_of(separators);
        if (last == std::string_view::npos) return task_name;
        stem = stem.substr(0, last + 1);
    }
}

TaskGroups::TaskGroups(std::span<const std::string> task_names) {
    std::map<std::string_view, std::uint32_t> by_stem;
    group_of_.reserve(task_names.size());
    for (const std::string& name : task_names) {
        const auto next = static_cast<std::uint32_t>(by_stem.size());
        const auto [it, is_new] = by_stem.try_emplace(group_stem(name), next);
        const std::uint32_t group = std::min(it->second, kMaxGroups);
        if (is_new && group < kMaxGroups) groups_.push_back({name, 0});
        group_of_.push_back(group);
    }
    groups_.push_back({"others", 0});
    for (const std::uint32_t group : group_of_) ++groups_[group].size;
    for (Group& group : groups_) {
        if (group.size < 2 || &group == &groups_.back()) continue;
        group.name = group.name.substr(
                         0, group.name.find_first_of("0123456789", group_stem(group.name).size())) +
                     "*";
    }
}

}  // namespace wakelab::metrics
