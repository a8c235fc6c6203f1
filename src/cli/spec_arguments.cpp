#include "cli/spec_arguments.hpp"

#include <fmt/format.h>

#include <limits>

#include "cli/argument_words.hpp"
#include "diag/words.hpp"
#include "policy/registry.hpp"
#include "topo/machine.hpp"
#include "work/scenario.hpp"

namespace wakelab::cli {

namespace {

Status parse_times(const SpecArguments& arguments, lab::RunSpec& spec) {
    const auto warmup = parse_duration("--warmup", arguments.warmup);
    if (!warmup) return warmup.error();
    const auto duration = parse_duration("--duration", arguments.duration);
    if (!duration) return duration.error();
    if (duration->ns == 0) return Error{"--duration: expected more than 0"};
    spec.warmup = *warmup;
    spec.duration = *duration;
    return {};
}

Status parse_choices(const SpecArguments& arguments, lab::RunSpec& spec) {
    spec.features = parse_list(arguments.features);
    spec.batch = parse_list(arguments.batch);
    const auto parse_all = [](const std::vector<std::string>& texts, std::string_view option,
                              auto parse, auto& words) {
        for (const std::string& text : texts)
            if (Status s = append(parse(option, text), words); !s) return s;
        return Status{};
    };
    if (Status s = parse_all(arguments.settings, "--set", parse_setting, spec.tunables); !s)
        return s;
    if (Status s = parse_all(arguments.pins, "--pin", parse_pin, spec.pins); !s) return s;
    if (Status s = parse_all(arguments.groups, "--group", parse_group, spec.groups); !s) return s;
    return parse_all(arguments.policies, "--policy", parse_policy, spec.policies);
}

template <class Words, class Text>
std::string joined(const Words& words, Text text) {
    std::string all;
    for (const auto& word : words) all += (all.empty() ? "" : " ") + text(word);
    return all;
}

std::string time_words(Duration d) {
    return diag::duration_words(static_cast<double>(d.ns));
}

}  // namespace

Result<lab::RunSpec> to_spec(const SpecArguments& arguments) {
    lab::RunSpec spec;
    spec.scenario = arguments.scenario;
    spec.machine = arguments.machine;
    spec.scheduler = arguments.scheduler;
    if (!arguments.clients.empty()) {
        const auto clients =
            parse_number("--clients", arguments.clients, "a client count", 1, kMaxClients);
        if (!clients) return clients.error();
        spec.clients = static_cast<std::int32_t>(*clients);
    }
    const auto seed = parse_number("--seed", arguments.seed, "a seed", 0,
                                   std::numeric_limits<std::int64_t>::max());
    if (!seed) return seed.error();
    spec.seed = static_cast<std::uint64_t>(*seed);
    if (Status s = parse_times(arguments, spec); !s) return s.error();
    if (Status s = parse_choices(arguments, spec); !s) return s.error();
    return spec;
}

Status check_spec(lab::RunSpec& spec) {
    const auto scenario = work::load_scenario(spec.scenario);
    if (!scenario) return scenario.error();
    if (scenario->workload == "rt-app" && spec.clients > 0)
        return Error{
            fmt::format("--clients: {} is an rt-app file, which has no clients", spec.scenario)};
    if (scenario->workload != "rt-app" && spec.clients == 0) spec.clients = scenario->clients;
    const auto machine = topo::load_machine(spec.machine);
    if (!machine) return machine.error();
    const auto scheduler = policy::find_scheduler(spec.scheduler);
    if (!scheduler) return scheduler.error();
    if (Status s = lab::check_policies(spec, *scenario, **scheduler); !s) return s;
    const auto config = policy::configure(**scheduler, *machine, spec.features, spec.tunables);
    return config ? Status{} : Status{config.error()};
}

report::RunLabels labels_of(const lab::RunSpec& spec) {
    report::RunLabels labels = {{"scenario", spec.scenario}};
    if (spec.clients > 0) labels.emplace_back("clients", std::to_string(spec.clients));
    labels.emplace_back("machine", spec.machine);
    labels.emplace_back("scheduler", spec.scheduler);
    const auto add = [&](std::string name, std::string value) {
        if (!value.empty()) labels.emplace_back(std::move(name), std::move(value));
    };
    add("features", joined(spec.features, [](const std::string& word) { return word; }));
    add("set", joined(spec.tunables,
                      [](const auto& t) { return fmt::format("{}={}", t.first, t.second); }));
    add("batch", joined(spec.batch, [](const std::string& task) { return task; }));
    add("pin",
        joined(spec.pins, [](const auto& p) { return fmt::format("{}={}", p.first, p.second); }));
    add("policy", joined(spec.policies,
                         [](const auto& p) { return fmt::format("{}={}", p.first, p.second); }));
    add("group", joined(spec.groups,
                        [](const auto& g) { return fmt::format("{}={}", g.first, g.second); }));
    add("seed", std::to_string(spec.seed));
    add("time",
        fmt::format("{} after {} of warm-up", time_words(spec.duration), time_words(spec.warmup)));
    return labels;
}

}  // namespace wakelab::cli
