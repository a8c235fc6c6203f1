#include "report/scheduler_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using nlohmann::ordered_json;
using policy::SchedulerInfo;

struct Fact {
    std::string name;
    std::string section;
    std::string value;
};

std::string yes_no(bool on) {
    return on ? "yes" : "no";
}

std::vector<Fact> rules_of(const SchedulerInfo& info) {
    std::vector<Fact> facts;
    for (const policy::Parameter& p : info.parameters)
        facts.push_back({std::string(p.name), std::string(p.section), p.value});
    return facts;
}

std::vector<Fact> features_of(const SchedulerInfo& info) {
    std::vector<Fact> facts;
    for (const policy::FeatureInfo& f : info.features)
        facts.push_back({std::string(f.name), "",
                         fmt::format("{}, bit {}{}", f.on ? "on" : "off", f.bit,
                                     f.wired() ? "" : ", decides nothing")});
    return facts;
}

std::vector<Fact> tunables_of(const SchedulerInfo& info, const topo::Machine& machine) {
    std::vector<Fact> facts;
    if (!info.tunables) return facts;
    for (const policy::TunableInfo& t : info.tunables(machine))
        facts.push_back({t.name, "", fmt::format("{} {}", t.value, t.unit)});
    return facts;
}

std::vector<Fact> hints_of(const SchedulerInfo& info) {
    const policy::IpcRules& r = info.ipc;
    return {{"socket data wakes sync", "", yes_no(r.data_ready_sync)},
            {"AF_UNIX write space wakes sync", "", yes_no(r.unix_write_space_sync)},
            {"end of a pipe call wakes sync", "", yes_no(r.pipe_end_sync)},
            {"full or empty pipe wakes sync", "", yes_no(r.pipe_mid_sync)},
            {"pages of a pipe", "", std::to_string(r.pipe_slots)},
            {"pipe sleeps are non-interactive", "", yes_no(r.pipe_noninteractive)}};
}

std::vector<Fact> build_of(const SchedulerInfo& info) {
    const policy::KernelConfig& k = info.kernel_config;
    return {{"hz", "", std::to_string(k.hz)},
            {"no_hz", "", yes_no(k.no_hz)},
            {"high_res", "", yes_no(k.high_res)},
            {"SCHED_BATCH", "", yes_no(info.has_batch)}};
}

// Facts of both by name: those of `a` in their order, then those only `b` has.
void compare(std::string_view group, const std::vector<Fact>& a, const std::vector<Fact>& b,
             bool all, SchedulerDiff& diff) {
    const auto add = [&](const Fact& of, std::string left, std::string right) {
        const bool equal = left == right;
        if (equal) ++diff.same;
        if (equal && !all) return;
        diff.rows.push_back(
            {std::string(group), of.name, of.section, std::move(left), std::move(right)});
    };
    for (const Fact& fact : a) {
        const auto other = std::ranges::find(b, fact.name, &Fact::name);
        add(fact, fact.value, other == b.end() ? "-" : other->value);
    }
    for (const Fact& fact : b)
        if (std::ranges::find(a, fact.name, &Fact::name) == a.end()) add(fact, "-", fact.value);
}

std::string group_title(const std::string& group, const std::string& machine) {
    if (group == "tunables") return fmt::format("tunables (on {})", machine);
    if (group == "hints") return "hints of the kernel's pipes and sockets";
    if (group == "build") return "kernel build, by default";
    return group;
}

}  // namespace

SchedulerDiff diff_schedulers(const SchedulerInfo& a, const SchedulerInfo& b,
                              const topo::Machine& machine, bool all) {
    SchedulerDiff diff{.a = &a, .b = &b, .machine = machine.name, .rows = {}};
    compare("rules", rules_of(a), rules_of(b), all, diff);
    compare("features", features_of(a), features_of(b), all, diff);
    compare("tunables", tunables_of(a, machine), tunables_of(b, machine), all, diff);
    compare("hints", hints_of(a), hints_of(b), all, diff);
    compare("build", build_of(a), build_of(b), all, diff);
    return diff;
}

std::string diff_text(const SchedulerDiff& diff) {
    std::string text;
    for (const SchedulerInfo* info : {diff.a, diff.b})
        text += fmt::format("{}: kernel {}\n  {}\n", info->name, info->kernel, info->summary);
    if (diff.a->family != diff.b->family)
        text += "\nTwo families: rules of one have no counterpart in the other (-).\n";
    std::vector<Align> columns(4, Align::kLeft);
    TextTable table(columns);
    std::string group;
    for (const DiffRow& row : diff.rows) {
        if (row.group != group) {
            if (!group.empty()) table.add({""});
            group = row.group;
            table.add({group_title(group, diff.machine), std::string(diff.a->name),
                       std::string(diff.b->name), group == "rules" ? "specification" : ""});
        }
        table.add({"  " + row.name, row.a, row.b, row.section});
    }
    if (!diff.rows.empty()) text += "\n" + table.text();
    const std::size_t different = static_cast<std::size_t>(
        std::ranges::count_if(diff.rows, [](const DiffRow& row) { return row.a != row.b; }));
    return text + fmt::format("\n{} differ, {} are the same{}.\n", different, diff.same,
                              diff.rows.size() == different ? " (--all lists them)" : "");
}

std::string diff_json(const SchedulerDiff& diff) {
    ordered_json json = {{"a", diff.a->name},
                         {"b", diff.b->name},
                         {"machine", diff.machine},
                         {"rows", ordered_json::array()},
                         {"same", diff.same}};
    for (const DiffRow& row : diff.rows)
        json["rows"].push_back({{"group", row.group},
                                {"name", row.name},
                                {"section", row.section},
                                {"a", row.a},
                                {"b", row.b}});
    return json.dump(2) + "\n";
}

}  // namespace wakelab::report
