#include "report/show_scheduler.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using nlohmann::ordered_json;
using policy::SchedulerInfo;

// What --set knows besides the tunables (policy::configure).
struct BuildOption {
    std::string name;
    std::int64_t value = 0;
    std::string meaning;
};

std::vector<BuildOption> build_options(const policy::KernelConfig& k) {
    return {{"hz", k.hz, "ticks a second: 100, 250, 300, 1000 or 1024"},
            {"no_hz", k.no_hz ? 1 : 0, "idle CPUs stop their tick"},
            {"high_res", k.high_res ? 1 : 0, "slices may end between ticks (HRTICK)"},
            {"preempt", k.preempt == policy::PreemptModel::kFull ? 1 : 0,
             "CONFIG_PREEMPT: preemption inside system calls"},
            {"sched_smt", k.sched_smt ? 1 : 0, "CONFIG_SCHED_SMT"}};
}

std::vector<policy::TunableInfo> tunables_of(const SchedulerInfo& info,
                                             const topo::Machine& machine) {
    return info.tunables ? info.tunables(machine) : std::vector<policy::TunableInfo>{};
}

std::string feature_table(const SchedulerInfo& info) {
    if (info.features.empty()) return "features: none\n";
    TextTable table({Align::kLeft, Align::kRight, Align::kLeft, Align::kLeft});
    table.add({"feature", "bit", "default", "meaning"});
    std::uint64_t mask = 0;
    for (const policy::FeatureInfo& f : info.features) {
        if (f.on) mask |= f.bit;
        table.add({std::string(f.name), std::to_string(f.bit), f.on ? "on" : "off",
                   policy::meaning_of(f)});
    }
    return table.text() + fmt::format(
                              "default mask {}; change with --features MASK, NAME or "
                              "NO_NAME\n",
                              mask);
}

}  // namespace

std::string scheduler_text(const SchedulerInfo& info, const topo::Machine& machine) {
    TextTable tunables({Align::kLeft, Align::kRight, Align::kLeft, Align::kLeft});
    tunables.add({"tunable", "value", "unit", "meaning"});
    for (const policy::TunableInfo& t : tunables_of(info, machine))
        tunables.add(
            {t.name, std::to_string(t.value), std::string(t.unit), std::string(t.meaning)});
    TextTable build({Align::kLeft, Align::kRight, Align::kLeft});
    build.add({"kernel build", "value", "meaning"});
    for (const BuildOption& o : build_options(info.kernel_config))
        build.add({o.name, std::to_string(o.value), o.meaning});
    return fmt::format(
        "{}: {}\nkernel {}; SCHED_BATCH: {}\n\n{}\n{}values on {} ({} CPUs); change with --set "
        "NAME=VALUE\n\n{}",
        info.name, info.summary, info.kernel, info.has_batch ? "yes" : "no", feature_table(info),
        tunables.text(), machine.name, machine.cpus, build.text());
}

std::string scheduler_json(const SchedulerInfo& info, const topo::Machine& machine) {
    ordered_json json = {{"name", info.name},
                         {"kernel", info.kernel},
                         {"summary", info.summary},
                         {"machine", machine.name},
                         {"sched_batch", info.has_batch},
                         {"features", ordered_json::array()},
                         {"tunables", ordered_json::array()},
                         {"build", ordered_json::object()}};
    for (const policy::FeatureInfo& f : info.features)
        json["features"].push_back({{"name", f.name},
                                    {"bit", f.bit},
                                    {"on", f.on},
                                    {"meaning", f.meaning},
                                    {"wired", f.wired()}});
    for (const policy::TunableInfo& t : tunables_of(info, machine))
        json["tunables"].push_back({{"name", t.name},
                                    {"value", t.value},
                                    {"min", t.min},
                                    {"max", t.max},
                                    {"unit", t.unit},
                                    {"meaning", t.meaning}});
    for (const BuildOption& o : build_options(info.kernel_config)) json["build"][o.name] = o.value;
    return json.dump(2) + "\n";
}

}  // namespace wakelab::report
