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

namespace {

struct PolicyWord {
    std::string_view word;  // ends in "=" when a number follows
    std::optional<policy::SchedPolicy> policy;
    std::int64_t lo = 0, hi = 0;
};

constexpr PolicyWord kPolicyWords[] = {
    {"normal", policy::SchedPolicy::kNormal},    {"batch", policy::SchedPolicy::kBatch},
    {"idle", policy::SchedPolicy::kIdle},        {"preempt", policy::SchedPolicy::kPreempt},
    {"fifo=", policy::SchedPolicy::kFifo, 1, 99}, {"rr=", policy::SchedPolicy::kRr, 1, 99},
    {"nice=", std::nullopt, -20, 19}};

}  // namespace

Status TaskChoices::policy(std::string_view name, std::string_view word) {
    for (const PolicyWord& w : kPolicyWords) {
        if (!w.word.ends_with('=')) {
            if (w.word != word) continue;
            changes_.push_back({std::string(name), w.policy});
            return {};
        }
        if (!word.starts_with(w.word)) continue;
        const auto value = parse_int(word.substr(w.word.size()));
        if (!value || *value < w.lo || *value > w.hi)
            return Error{fmt::format("policy {}={}: expected {}{} .. {}", name, word, w.word, w.lo, w.hi)};
        changes_.push_back({std::string(name), w.policy, static_cast<std::int8_t>(*value)});
        return {};
    }
    return Error{fmt::format("policy {}={}: expected normal, batch, idle, preempt, fifo=PRIO, rr=PRIO or "
                             "nice=N",
                             name, word)};
}

void TaskChoices::apply(sim::Engine::TaskSpec& spec) {
    for (Pin& p : pins_) {
        if (!selects(p.name, spec.name)) continue;
        p.used = true;
        spec.allowed = p.mask;
        spec.cpu = p.mask.first();
    }
    for (Membership& m : groups_) {
        if (!selects(m.name, spec.name)) continue;
        m.used = true;
        spec.group = m.group;
    }
    for (Change& c : changes_) {
        if (!selects(c.name, spec.name)) continue;
        c.used = true;
        if (!c.policy) {
            spec.nice = c.value;
            continue;
        }
        spec.policy = *c.policy;
        spec.rt_priority = static_cast<std::uint8_t>(c.value);
    }
}

std::vector<std::string> TaskChoices::unused() const {
    std::vector<std::string> names;
    for (const Pin& p : pins_)
        if (!p.used) names.push_back(p.name);
    for (const Membership& m : groups_)
        if (!m.used) names.push_back(m.name);
    for (const Change& c : changes_)
        if (!c.used) names.push_back(c.name);
    return names;
}

}  // namespace wakelab::work
