#include "work/workload.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace wakelab::work {

namespace {

bool selects(std::string_view word, std::string_view task) {
    if (word == "all" || word == task) return true;
    return task.size() > word.size() && task.starts_with(word) && task[word.size()] == '-';
}

}  // namespace

Result<topo::CpuMask> parse_cpu_list(std::string_view text, std::uint32_t cpu_count) {
    topo::CpuMask mask;
    for (const std::string& part : split(text, ',')) {
        const std::vector<std::string> ends = split(part, '-');
        const auto first = parse_int(ends.front());
        const auto last = parse_int(ends.back());
        if (ends.size() > 2 || !first || !last || *first < 0 || *last < *first)
            return Error{fmt::format("'{}' is not a CPU list like 0,2-3", text)};
        if (*last >= cpu_count)
            return Error{fmt::format("CPU list '{}': the machine has CPUs 0-{}", text, cpu_count - 1)};
        for (auto c = static_cast<std::uint32_t>(*first); c <= *last; ++c) mask.set(CpuId{c});
    }
    return mask;
}

Status TaskChoices::pin(std::string_view name, std::string_view cpus, std::uint32_t cpu_count) {
    auto mask = parse_cpu_list(cpus, cpu_count);
    if (!mask) return Error{fmt::format("pin {}: {}", name, mask.error().message)};
    pins_.push_back({std::string(name), *mask});
    return {};
}

void TaskChoices::apply(sim::Engine::TaskSpec& spec) {
    for (Pin& p : pins_) {
        if (!selects(p.name, spec.name)) continue;
        p.used = true;
        spec.allowed = p.mask;
        spec.cpu = p.mask.first();
    }
    batch_used_.resize(batch_.size(), false);
    for (std::size_t i = 0; i < batch_.size(); ++i) {
        if (!selects(batch_[i], spec.name)) continue;
        batch_used_[i] = true;
        spec.policy = policy::SchedPolicy::kBatch;
    }
}

std::vector<std::string> TaskChoices::unused() const {
    std::vector<std::string> names;
    for (const Pin& p : pins_)
        if (!p.used) names.push_back(p.name);
    for (std::size_t i = 0; i < batch_.size(); ++i)
        if (i >= batch_used_.size() || !batch_used_[i]) names.push_back(batch_[i]);
    return names;
}

}  // namespace wakelab::work
