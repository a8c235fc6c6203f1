#include "metrics/task_groups.hpp"

namespace wakelab::metrics {

std::string_view group_stem(std::string_view task_name) {
    const std::string_view digits = "0123456789";
    const std::string_view separators = "-_/:.# ";
    std::string_view stem = task_name;
    for (;;) {
        const std::size_t end = stem.find_last_not_of(digits) + 1;  // npos + 1 = 0: only digits
        if (end == 0 || end == stem.size()) return stem;
        const std::size_t last = stem.substr(0, end).find_last_not_of(separators);
        if (last == std::string_view::npos) return stem;
        const bool separated = last + 1 < end;
        // A number that touches the name is part of what earlier cuts left ("cc1-0" -> "cc1").
        if (!separated && stem.size() < task_name.size()) return stem;
        stem = stem.substr(0, last + 1);
    }
}

std::uint32_t TaskGroups::group_called(std::string_view name) {
    if (name.empty()) return kOthers;
    const std::string_view stem = group_stem(name);
    const auto known = by_stem_.find(stem);
    if (known != by_stem_.end()) return known->second;
    if (count() > kMaxGroups) return kOthers;
    by_stem_.emplace(stem, count());
    groups_.push_back({std::string(name), 0});
    return count() - 1;
}

void TaskGroups::add(std::uint32_t task, std::string_view name) {
    const std::uint32_t group = group_called(name);
    if (group_of_.size() <= task) group_of_.resize(task + 1, kOthers);
    group_of_[task] = group;
    Group& g = groups_[group];
    if (g.size++ == 0 && group != kOthers) g.first_name = name;
}

void TaskGroups::rename(std::uint32_t task, std::string_view name) {
    if (task < group_of_.size()) --groups_[group_of_[task]].size;
    add(task, name);
}

std::string TaskGroups::name(std::uint32_t group) const {
    const std::string& first = groups_[group].first_name;
    if (group == kOthers || groups_[group].size < 2) return first;
    return first.substr(0, first.find_first_of("0123456789", group_stem(first).size())) + "*";
}

}  // namespace wakelab::metrics
