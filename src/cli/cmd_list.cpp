#include "cli/cmd_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "policy/registry.hpp"
#include "report/scheduler_diff.hpp"
#include "report/text_table.hpp"
#include "topo/machine.hpp"
#include "work/scenario.hpp"

namespace wakelab::cli {

namespace {

using nlohmann::ordered_json;
using report::Align;
using report::TextTable;

// Rows of texts under their heads: a table, or an array of objects.
struct Listing {
    std::vector<std::string> heads;  // also the keys of the objects
    std::vector<std::vector<std::string>> rows;
    std::string note = {};   // lines under the table
    std::string group = {};  // begins all heads but the first; the table leaves it out
};

Listing schedulers() {
    Listing list{{"scheduler", "kernel", "summary"},
                 {},
                 "With a patch: NAME+PATCH, e.g. cfs-2.6.25.4+P5; see wakelab list patches."};
    for (const policy::SchedulerInfo& s : policy::schedulers())
        list.rows.push_back({std::string(s.name), std::string(s.kernel), std::string(s.summary)});
    return list;
}

Listing patches() {
    Listing list{{"patch", "origin", "applies to", "summary"},
                 {},
                 "Written behind a scheduler: cfs-2.6.26-rc3+P1+P2; applied from left to right."};
    for (const policy::PatchInfo& p : policy::patch_infos()) {
        std::string bases;
        for (const policy::SchedulerInfo& s : policy::schedulers())
            if (std::ranges::find(s.patches, p.name) != s.patches.end())
                bases += (bases.empty() ? "" : ", ") + std::string(s.name);
        list.rows.push_back({std::string(p.name), p.historic ? "2008-2009" : "ours",
                             std::move(bases), std::string(p.summary)});
    }
    return list;
}

Result<Listing> workloads() {
    Listing list{{"workload", "summary"},
                 {},
                 "A path ending in .toml is a scenario of your own, one ending in .json an rt-app "
                 "file."};
    for (const std::string& name : work::scenario_names()) {
        const auto scenario = work::load_scenario(name);
        if (!scenario) return scenario.error();
        list.rows.push_back({name, scenario->summary});
    }
    return list;
}

Result<Listing> machines() {
    Listing list{{"machine", "summary"}, {}, "A path ending in .toml is a machine of your own."};
    for (const std::string& name : topo::machine_names()) {
        const auto machine = topo::load_machine(name);
        if (!machine) return machine.error();
        list.rows.push_back({name, machine->summary});
    }
    return list;
}

Result<Listing> features_of(const std::string& name) {
    const auto info = policy::find_scheduler(name);
    if (!info) return info.error();
    if ((*info)->features.empty())
        return Error{fmt::format("--scheduler {}: it has no features", name)};
    Listing list{{"feature", "bit", "default", "meaning"}, {}};
    for (const policy::FeatureInfo& f : (*info)->features)
        list.rows.push_back({std::string(f.name), std::to_string(f.bit), f.on ? "on" : "off",
                             policy::meaning_of(f)});
    return list;
}

std::string feature_word(const policy::SchedulerInfo& info, std::string_view name) {
    const auto at = std::ranges::find(info.features, name, &policy::FeatureInfo::name);
    if (at == info.features.end()) return "";
    return fmt::format("{}{}", at->on ? '+' : '-', at->bit);
}

// One column for each scheduler that has features; names in order of their first appearance.
Listing all_features() {
    Listing list;
    list.heads = {"feature"};
    list.note =
        "Columns: schedulers cfs-VERSION. Cells: bit in the decimal mask, + on or - off by "
        "default.\nMeanings: wakelab list features --scheduler NAME.";
    list.group = "cfs-";
    std::vector<const policy::SchedulerInfo*> infos;
    std::vector<std::string_view> names;
    for (const policy::SchedulerInfo& info : policy::schedulers()) {
        if (info.features.empty()) continue;
        infos.push_back(&info);
        list.heads.emplace_back(info.name);
        for (const policy::FeatureInfo& f : info.features)
            if (std::ranges::find(names, f.name) == names.end()) names.push_back(f.name);
    }
    for (const std::string_view name : names) {
        list.rows.push_back({std::string(name)});
        for (const policy::SchedulerInfo* info : infos)
            list.rows.back().push_back(feature_word(*info, name));
    }
    return list;
}

Result<Listing> listing_of(const ListOptions& options) {
    if (options.what != "features" && !options.scheduler.empty())
        return Error{"--scheduler: goes with 'list features' only"};
    if (options.what == "schedulers") return schedulers();
    if (options.what == "patches") return patches();
    if (options.what == "workloads") return workloads();
    if (options.what == "machines") return machines();
    if (options.what == "features")
        return options.scheduler.empty() ? all_features() : features_of(options.scheduler);
    return Error{fmt::format(
        "list {}: expected schedulers, patches, parameters, workloads, machines or features; did you "
        "mean {}?",
        options.what,
        nearest(options.what, {"schedulers", "patches", "parameters", "workloads", "machines", "features"}))};
}

std::string to_text(const Listing& list) {
    TextTable table(std::vector<Align>(list.heads.size(), Align::kLeft));
    std::vector<std::string> heads = list.heads;
    for (std::string& head : heads)
        if (head.starts_with(list.group)) head.erase(0, list.group.size());
    table.add(heads);
    for (const auto& row : list.rows) table.add(row);
    return table.text() + (list.note.empty() ? "" : "\n" + list.note + "\n");
}

std::string to_json(const Listing& list) {
    ordered_json all = ordered_json::array();
    for (const auto& row : list.rows) {
        ordered_json object;
        for (std::size_t i = 0; i < row.size(); ++i)
            if (!row[i].empty()) object[list.heads[i]] = row[i];
        all.push_back(std::move(object));
    }
    return all.dump(2) + "\n";
}

}  // namespace

Status cmd_list(const ListOptions& options, const Output& output) {
    if (options.what == "parameters" && options.scheduler.empty()) {
        output.out(options.json ? report::parameters_json() : report::parameters_markdown());
        return {};
    }
    const auto list = listing_of(options);
    if (!list) return list.error();
    output.out(options.json ? to_json(*list) : to_text(*list));
    return {};
}

}  // namespace wakelab::cli
