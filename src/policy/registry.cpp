#include "policy/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/text.hpp"
#include "policy/families.hpp"

namespace wakelab::policy {

namespace {

std::vector<SchedulerInfo> build_table() {
    std::vector<SchedulerInfo> table;
    append_goodness(table);
    append_o1(table);
    append_cfs(table);
    return table;
}

std::vector<std::string> feature_names(const SchedulerInfo& info) {
    std::vector<std::string> names;
    for (const FeatureInfo& f : info.features) names.emplace_back(f.name);
    return names;
}

Status apply_feature(const SchedulerInfo& info, const std::string& word, std::uint64_t& mask) {
    if (info.features.empty())
        return Error{fmt::format("--features {}: {} has no features", word, info.name)};
    if (const auto number = parse_int(word)) {
        if (*number < 0) return Error{fmt::format("--features {}: a mask is not negative", word)};
        std::uint64_t known = 0;
        for (const FeatureInfo& f : info.features) known |= f.bit;
        mask = static_cast<std::uint64_t>(*number) & known;
        return {};
    }
    const bool clear = word.starts_with("NO_");
    const std::string_view name = std::string_view(word).substr(clear ? 3 : 0);
    for (const FeatureInfo& f : info.features) {
        if (f.name != name) continue;
        mask = clear ? mask & ~f.bit : mask | f.bit;
        return {};
    }
    return Error{fmt::format("--features {}: {} has no such feature; did you mean {}?", word, info.name,
                             nearest(name, feature_names(info)))};
}

Status apply_kernel_option(KernelConfig& kernel, const std::string& name, std::int64_t value) {
    if (name == "hz") {
        if (value != 100 && value != 250 && value != 300 && value != 1000 && value != 1024)
            return Error{fmt::format("--set hz={}: expected 100, 250, 300, 1000 or 1024", value)};
        kernel.hz = static_cast<std::uint32_t>(value);
        return {};
    }
    if (value != 0 && value != 1) return Error{fmt::format("--set {}={}: expected 0 or 1", name, value)};
    if (name == "no_hz") kernel.no_hz = value == 1;
    if (name == "high_res") kernel.high_res = value == 1;
    if (name == "preempt") kernel.preempt = value == 1 ? PreemptModel::kFull : PreemptModel::kNone;
    if (name == "sched_smt") kernel.sched_smt = value == 1;
    return {};
}

bool is_kernel_option(std::string_view name) {
    return name == "hz" || name == "no_hz" || name == "high_res" || name == "preempt" ||
           name == "sched_smt";
}

Status apply_tunable(const SchedulerInfo& info, const std::string& name, std::int64_t value,
                     SchedulerConfig& config) {
    if (is_kernel_option(name)) return apply_kernel_option(config.kernel, name, value);
    std::vector<std::string> names = {"hz", "no_hz", "high_res", "preempt", "sched_smt"};
    for (TunableInfo& t : config.tunables) {
        names.push_back(t.name);
        if (t.name != name) continue;
        if (value < t.min || value > t.max)
            return Error{fmt::format("--set {}={}: expected {} .. {} {}", name, value, t.min, t.max,
                                     t.unit)};
        t.value = value;
        return {};
    }
    return Error{fmt::format("--set {}: {} has no such tunable; did you mean {}?", name, info.name,
                             nearest(name, names))};
}

}  // namespace

std::string_view use_words(FeatureUse use) {
    switch (use) {
        case FeatureUse::kRead:
            return "";
        case FeatureUse::kUnread:
            return "not read in this version";
        case FeatureUse::kNotModelled:
            break;
    }
    return "not modelled";
}

std::string meaning_of(const FeatureInfo& feature) {
    const std::string meaning(feature.meaning);
    return feature.wired() ? meaning : fmt::format("{} ({})", meaning, use_words(feature.use));
}

std::int64_t SchedulerConfig::tunable(std::string_view name) const {
    const auto it = std::ranges::find(tunables, name, &TunableInfo::name);
    WK_CHECK(it != tunables.end());
    return it->value;
}

std::span<const SchedulerInfo> schedulers() {
    static const std::vector<SchedulerInfo> table = build_table();
    return table;
}

std::vector<std::string> all_scheduler_names() {
    std::vector<std::string> names;
    for (const SchedulerInfo& info : schedulers()) {
        names.emplace_back(info.name);
        for (const std::string& patch : info.patches)
            names.push_back(fmt::format("{}+{}", info.name, patch));
    }
    return names;
}

Result<const SchedulerInfo*> find_scheduler(std::string_view name) {
    std::vector<std::string> names;
    for (const SchedulerInfo& info : schedulers()) {
        if (info.name == name || (!info.alias.empty() && info.alias == name)) return &info;
        names.emplace_back(info.name);
    }
    const std::string_view base = name.substr(0, name.find('+'));
    for (const SchedulerInfo& info : schedulers()) {
        if (base == name || (base != info.name && base != info.alias)) continue;
        if (!info.patches.empty()) return find_patched_cfs(name);
        return Error{fmt::format("'{}': no patch is known for {}", name, info.name)};
    }
    return Error{fmt::format("unknown scheduler '{}'; did you mean {}? (wakelab list schedulers)", name,
                             nearest(name, names))};
}

Result<SchedulerConfig> configure(const SchedulerInfo& info, const topo::Machine& machine,
                                  std::span<const std::string> features,
                                  std::span<const std::pair<std::string, std::int64_t>> tunables) {
    SchedulerConfig config;
    config.kernel = info.kernel_config;
    if (info.tunables) config.tunables = info.tunables(machine);
    for (const FeatureInfo& f : info.features)
        if (f.on) config.features |= f.bit;
    for (const std::string& word : features)
        if (Status s = apply_feature(info, word, config.features); !s) return s.error();
    for (const auto& [name, value] : tunables)
        if (Status s = apply_tunable(info, name, value, config); !s) return s.error();
    return config;
}

}  // namespace wakelab::policy
