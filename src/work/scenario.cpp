#include "work/scenario.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/data_dir.hpp"
#include "base/text.hpp"
#include "work/pgbench.hpp"
#include "work/pipe_ring.hpp"
#include "work/rtapp/rtapp.hpp"

namespace wakelab::work {

namespace {

constexpr std::int32_t kMaxClients = 10'000;

std::string scenario_dir() { return data_dir() + "/../scenarios"; }

struct Reader {
    std::string_view origin;
    Scenario scenario;

    Error expected(std::string_view key, const toml::node& node, std::string_view what) const {
        return Error{fmt::format("{}:{}: {}: expected {}", origin, node.source().begin.line, key, what)};
    }

    Status text(std::string_view key, const toml::node& node, std::string& out) const {
        const auto value = node.value_exact<std::string>();
        if (!value) return expected(key, node, "a text");
        out = *value;
        return {};
    }

    Status clients(const toml::node& node) {
        const auto value = node.value_exact<std::int64_t>();
        if (!value || *value < 1 || *value > kMaxClients)
            return expected("clients", node, fmt::format("an integer 1 .. {}", kMaxClients));
        scenario.clients = static_cast<std::int32_t>(*value);
        return {};
    }

    Status batch(const toml::node& node) {
        if (!node.is_array()) return expected("batch", node, "a list of task names");
        for (const toml::node& item : *node.as_array())
            if (Status s = text("batch", item, scenario.batch.emplace_back()); !s) return s;
        return {};
    }

    Status by_task(std::string_view key, const toml::node& node, std::string_view what,
                   std::vector<std::pair<std::string, std::string>>& out) const {
        if (!node.is_table()) return expected(key, node, fmt::format("a table: task = \"{}\"", what));
        for (const auto& [task, value] : *node.as_table()) {
            auto& p = out.emplace_back(std::string(task.str()), "");
            if (Status s = text(fmt::format("{}.{}", key, task.str()), value, p.second); !s) return s;
        }
        return {};
    }

    Status field(std::string_view key, const toml::node& node) {
        if (key == "summary") return text(key, node, scenario.summary);
        if (key == "workload") return text(key, node, scenario.workload);
        if (key == "file") return text(key, node, scenario.file);
        if (key == "clients") return clients(node);
        if (key == "batch") return batch(node);
        if (key == "pin") return by_task(key, node, "CPU list", scenario.pins);
        if (key == "policy") return by_task(key, node, "fifo=50", scenario.policies);
        return Error{fmt::format("{}:{}: unknown field '{}'; did you mean {}?", origin,
                                 node.source().begin.line, key,
                                 nearest(key, {"summary", "workload", "file", "clients", "batch", "pin",
                                               "policy"}))};
    }
};

}  // namespace

Result<Scenario> parse_scenario(std::string_view toml_text, std::string_view origin) {
    toml::table root;
    try {
        root = toml::parse(toml_text);
    } catch (const toml::parse_error& e) {
        return Error{fmt::format("{}:{}: {}", origin, e.source().begin.line, e.description())};
    }
    Reader reader{.origin = origin, .scenario = {}};
    for (const auto& [key, node] : root)
        if (Status s = reader.field(key.str(), node); !s) return s.error();
    const std::vector<std::string> workloads = {"pgbench", "lat_ctx", "pipe-test", "rt-app"};
    if (std::ranges::find(workloads, reader.scenario.workload) == workloads.end())
        return Error{
            fmt::format("{}: workload: expected one of {}", origin, fmt::join(workloads, ", "))};
    if ((reader.scenario.workload == "rt-app") == reader.scenario.file.empty())
        return Error{fmt::format("{}: file: goes with workload = \"rt-app\", and only with it", origin)};
    reader.scenario.name = std::filesystem::path(origin).stem().string();
    return reader.scenario;
}

Result<Scenario> load_scenario(std::string_view name_or_path) {
    std::string path(name_or_path);
    if (name_or_path.ends_with(".json")) {
        Scenario s;
        s.name = path;
        s.workload = "rt-app";
        s.file = path;
        return s;
    }
    if (!name_or_path.ends_with(".toml")) {
        const std::vector<std::string> names = scenario_names();
        if (!std::ranges::binary_search(names, path))
            return Error{fmt::format("unknown scenario '{}'; did you mean {}, or a file ending in .toml or "
                                     ".json? (wakelab list workloads)",
                                     path, nearest(path, names))};
        path = scenario_dir() + "/" + path + ".toml";
    }
    std::ifstream in(path);
    if (!in) return Error{fmt::format("{}: cannot be read", path)};
    const std::string content((std::istreambuf_iterator<char>(in)), {});
    return parse_scenario(content, path);
}

std::vector<std::string> scenario_names() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(scenario_dir(), error))
        if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

namespace {

using Made = Result<std::unique_ptr<WorkloadModel>>;

Made make_rtapp(const Scenario& scenario, const topo::Machine& machine,
                const WorkloadOverrides& overrides) {
    if (!overrides.empty())
        return Error{fmt::format("workload.{}: an rt-app file has no costs", overrides[0].first)};
    auto model = RtApp::load(scenario.file);
    if (!model) return model.error();
    if (Status s = (*model)->check(machine); !s) return s.error();
    return std::unique_ptr<WorkloadModel>(std::move(*model));
}

Made make_ring(const Scenario& scenario, const WorkloadOverrides& overrides) {
    const bool pipe_test = scenario.workload == "pipe-test";
    if (scenario.clients < 2 || (pipe_test && scenario.clients != 2))
        return Error{fmt::format("{}: {} clients: expected {}", scenario.name, scenario.clients,
                                 pipe_test ? "2, the two ends" : "at least 2, the ring")};
    auto costs = load_pipe_ring_costs();
    if (!costs) return costs.error();
    for (const auto& [key, value] : overrides)
        if (Status s = set_pipe_ring_value(*costs, key, value); !s) return s.error();
    return std::unique_ptr<WorkloadModel>(std::make_unique<PipeRing>(
        *costs, pipe_test ? RingProgram::kPipeTest : RingProgram::kLatCtx,
        static_cast<std::uint32_t>(scenario.clients)));
}

Made make_pgbench(const Scenario& scenario, const WorkloadOverrides& overrides) {
    auto costs = load_pgbench_costs();
    if (!costs) return costs.error();
    for (const auto& [key, value] : overrides)
        if (Status s = set_pgbench_value(*costs, key, value); !s) return s.error();
    return std::unique_ptr<WorkloadModel>(
        std::make_unique<Pgbench>(*costs, static_cast<std::uint32_t>(scenario.clients)));
}

}  // namespace

Result<std::unique_ptr<WorkloadModel>> make_workload(const Scenario& scenario,
                                                     const topo::Machine& machine,
                                                     const WorkloadOverrides& overrides) {
    if (scenario.workload == "rt-app") return make_rtapp(scenario, machine, overrides);
    if (scenario.workload == "pgbench") return make_pgbench(scenario, overrides);
    return make_ring(scenario, overrides);
}

}  // namespace wakelab::work
