#include "lab/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "work/scenario.hpp"

namespace wakelab::lab {

namespace {

// Splits "machine.KEY" and "workload.KEY" overrides; applies the former.
Result<work::WorkloadOverrides> apply_overrides(const RunSpec& spec, topo::Machine& machine) {
    work::WorkloadOverrides rest;
    for (const auto& [key, value] : spec.overrides) {
        const std::size_t dot = key.find('.');
        const std::string room = key.substr(0, dot);
        const std::string name = dot == std::string::npos ? "" : key.substr(dot + 1);
        if (room == "machine") {
            if (Status s = topo::set_machine_value(machine, name, value); !s) return s.error();
        } else if (room == "workload") {
            rest.emplace_back(name, value);
        } else {
            return Error{fmt::format("override '{}': expected machine.NAME or workload.NAME", key)};
        }
    }
    return rest;
}

Result<work::TaskChoices> choices_of(const RunSpec& spec, const work::Scenario& scenario,
                                     const topo::Machine& machine) {
    work::TaskChoices choices;
    for (const auto* pins : {&scenario.pins, &spec.pins})
        for (const auto& [task, cpus] : *pins)
            if (Status s = choices.pin(task, cpus, machine.cpus); !s) return s.error();
    for (const auto* names : {&scenario.batch, &spec.batch})
        for (const std::string& name : *names)
            if (Status s = choices.policy(name, "batch"); !s) return s.error();
    for (const auto* policies : {&scenario.policies, &spec.policies})
        for (const auto& [task, word] : *policies)
            if (Status s = choices.policy(task, word); !s) return s.error();
    return choices;
}

Status check_policy(std::string_view task, std::string_view word, const policy::SchedulerInfo& info) {
    if (word == "batch" && !info.has_batch)
        return Error{
            fmt::format("policy {}={}: {} is older than SCHED_BATCH (2.6.16)", task, word, info.name)};
    if (word == "preempt" && !info.has_preempt)
        return Error{fmt::format("policy {}={}: expected a scheduler with +SCHED_PREEMPT", task, word)};
    return {};
}

// Index of the group `path` ("db", "db/batch") as SchedTask::group; its ancestors and itself are
// made when they are new.
std::uint32_t group_called(std::string_view path, std::vector<policy::GroupInfo>& groups) {
    const auto known = std::ranges::find(groups, path, &policy::GroupInfo::name);
    if (known != groups.end()) return static_cast<std::uint32_t>(known - groups.begin()) + 1;
    const std::size_t slash = path.rfind('/');
    const std::uint32_t parent =
        slash == std::string_view::npos ? 0 : group_called(path.substr(0, slash), groups);
    groups.push_back({.name = std::string(path), .parent = parent});
    return static_cast<std::uint32_t>(groups.size());
}

Status apply_groups(const RunSpec& spec, const policy::SchedulerInfo& info,
                    work::TaskChoices& choices, policy::SchedulerConfig& config) {
    for (const auto& [task, word] : spec.groups) {
        if (!info.has_groups)
            return Error{
                fmt::format("group {}={}: {} has no task groups (2.6.24 and later CFS has)", task,
                            word, info.name)};
        const std::size_t equals = word.find('=');
        const std::string path = word.substr(0, equals);
        const bool named = !path.empty() && !path.starts_with('/') && !path.ends_with('/') &&
                           path.find("//") == std::string::npos;
        const auto shares = equals == std::string::npos
                                ? std::optional<std::int64_t>(0)
                                : parse_int(std::string_view(word).substr(equals + 1));
        const bool sized = equals == std::string::npos ||
                           (shares && std::cmp_greater_equal(*shares, policy::kMinShares) &&
                            std::cmp_less_equal(*shares, policy::kMaxShares));
        if (!named || !sized)
            return Error{
                fmt::format("group {}={}: expected a name like db or db/batch, and shares {} .. {}",
                            task, word, policy::kMinShares, policy::kMaxShares)};
        const std::uint32_t index = group_called(path, config.groups);
        if (equals != std::string::npos)
            config.groups[index - 1].shares = static_cast<std::uint64_t>(*shares);
        choices.group(task, index);
    }
    return {};
}

// Of every CPU the number of its set; CPUs in none are sets of their own. Empty: there are no sets.
std::vector<std::uint32_t> set_of(const std::vector<std::vector<CpuId>>& sets, std::uint32_t cpus) {
    if (sets.empty()) return {};
    std::vector<std::uint32_t> result(cpus);
    for (std::uint32_t cpu = 0; cpu < cpus; ++cpu)
        result[cpu] = static_cast<std::uint32_t>(sets.size()) + cpu;
    for (std::uint32_t i = 0; i < sets.size(); ++i)
        for (const CpuId cpu : sets[i]) result[cpu.v] = i;
    return result;
}

trace::TraceInfo describe(const RunSpec& spec, const sim::Engine& engine, std::string_view unit) {
    trace::TraceInfo info{.cpus = engine.machine().cpus,
                          .task_names = {},
                          .start_ns = spec.warmup.ns,
                          .end_ns = (spec.warmup + spec.duration).ns,
                          .unit = std::string(unit),
                          .allowed = {},
                          .cache_of = engine.machine().cache_of,
                          .core_of = set_of(engine.machine().smt, engine.machine().cpus),
                          .node_of = set_of(engine.machine().nodes, engine.machine().cpus)};
    for (const sim::Task& t : engine.tasks()) {
        info.task_names.push_back(t.name);
        info.allowed.push_back(t.allowed);
    }
    return info;
}

RunResult collect(const sim::Engine& engine, std::string_view unit, Time start) {
    RunResult r;
    r.unit = unit;
    r.counters = engine.counters();
    r.duration_ns = (engine.now() - start).ns;
    if (r.duration_ns > 0)
        r.rate =
            static_cast<double>(r.counters.work_units) * 1e9 / static_cast<double>(r.duration_ns);
    for (const sim::Task& t : engine.tasks())
        r.tasks.push_back(
            {t.name, t.stats.cpu_ns, t.stats.switches, t.stats.wakeups, t.stats.migrations});
    for (const sim::Cpu& cpu : engine.cpus()) r.busy_ns.push_back(cpu.busy_ns);
    r.fingerprint = engine.fingerprint();
    r.exit = engine.exit_message();
    return r;
}

}  // namespace

Status check_policies(const RunSpec& spec, const work::Scenario& scenario,
                      const policy::SchedulerInfo& info) {
    for (const auto* names : {&scenario.batch, &spec.batch})
        for (const std::string& name : *names)
            if (Status s = check_policy(name, "batch", info); !s) return s;
    for (const auto* policies : {&scenario.policies, &spec.policies})
        for (const auto& [task, word] : *policies)
            if (Status s = check_policy(task, word, info); !s) return s;
    return {};
}

Result<RunResult> run(const RunSpec& spec, trace::TraceSink* sink) {
    if (spec.duration.ns <= 0 || spec.warmup.ns < 0)
        return Error{"a run needs a duration above 0 and a warm-up of at least 0"};
    auto machine = topo::load_machine(spec.machine);
    if (!machine) return machine.error();
    auto scheduler = policy::find_scheduler(spec.scheduler);
    if (!scheduler) return scheduler.error();
    auto config = policy::configure(**scheduler, *machine, spec.features, spec.tunables);
    if (!config) return config.error();
    auto scenario = work::load_scenario(spec.scenario);
    if (!scenario) return scenario.error();
    if (spec.clients > 0) scenario->clients = spec.clients;
    auto overrides = apply_overrides(spec, *machine);
    if (!overrides) return overrides.error();
    auto choices = choices_of(spec, *scenario, *machine);
    if (!choices) return choices.error();
    if (Status s = check_policies(spec, *scenario, **scheduler); !s) return s.error();
    if (Status s = apply_groups(spec, **scheduler, *choices, *config); !s) return s.error();
    auto model = work::make_workload(*scenario, *machine, *overrides);
    if (!model) return model.error();

    sim::Engine engine(
        *machine, {.scheduler = *scheduler, .config = *config, .seed = spec.seed, .sink = sink});
    (*model)->build(engine, *choices);
    if (const auto unused = choices->unused(); !unused.empty())
        return Error{fmt::format("no task is called '{}'", unused.front())};
    if (sink != nullptr) sink->begin(describe(spec, engine, (*model)->unit()));
    const Time start = Time{} + spec.warmup;
    if (engine.run_until(start)) {
        engine.reset_counters();
        engine.run_until(start + spec.duration);
    }
    engine.settle_times();
    engine.flush_trace();
    if (sink != nullptr) sink->finish(engine.now().ns);
    RunResult result = collect(engine, (*model)->unit(), engine.now() < start ? Time{} : start);
    result.latency_ns = (*model)->latency_ns();
    result.log = (*model)->log_table();
    return result;
}

}  // namespace wakelab::lab
