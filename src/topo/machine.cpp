#include "topo/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <toml++/toml.h>

#include "base/data_dir.hpp"
#include "base/text.hpp"

namespace wakelab::topo {

namespace {

struct CostField {
    std::string_view name;
    std::int64_t Costs::*member;
    std::int64_t fallback = kRequired;     // value of a file that does not name it

    static constexpr std::int64_t kRequired = -1;
};

constexpr auto kCostFields = std::to_array<CostField>({
    {"switch_direct", &Costs::switch_direct},
    {"switch_refill", &Costs::switch_refill},
    {"switch_idle", &Costs::switch_idle},
    {"wake", &Costs::wake},
    {"wake_remote", &Costs::wake_remote},
    {"wake_far_lines", &Costs::wake_far_lines},
    {"idle_wake", &Costs::idle_wake},
    {"ipi", &Costs::ipi},
    {"irq", &Costs::irq},
    {"tick", &Costs::tick},
    {"hrtimer_program", &Costs::hrtimer_program},
    {"migration_thread", &Costs::migration_thread},
    {"pull", &Costs::pull},
    {"send_before", &Costs::send_before},
    {"send_after", &Costs::send_after},
    {"recv_before", &Costs::recv_before},
    {"recv_after", &Costs::recv_after},
    {"message_lines", &Costs::message_lines},
    {"block", &Costs::block},
    {"select_before", &Costs::select_before},
    {"select_per_fd", &Costs::select_per_fd},
    {"select_after", &Costs::select_after},
    {"pipe_before", &Costs::pipe_before},
    {"pipe_after", &Costs::pipe_after},
    {"copy_per_kib", &Costs::copy_per_kib},
    {"timer_call", &Costs::timer_call},
    {"yield_call", &Costs::yield_call},
    {"fork_call", &Costs::fork_call},
    {"exec_call", &Costs::exec_call},
    {"exit_call", &Costs::exit_call},
    // Assumed in goodness.md 9.3 for a box of 2002 with four 700 MHz CPUs; recalc_task there from 40 to
    // 50 thousand cycles for some hundred tasks.
    {"runqueue_scan", &Costs::runqueue_scan, 500},
    {"runqueue_wake", &Costs::runqueue_wake, 300},
    {"runqueue_examine", &Costs::runqueue_examine, 300},
    {"ipi_send", &Costs::ipi_send, 1000},
    {"recalc_task", &Costs::recalc_task, 600},
    {"line_bytes", &Costs::line_bytes},
    {"line_l1", &Costs::line_l1},
    {"line_near", &Costs::line_near},
    {"line_far", &Costs::line_far},
    {"line_memory", &Costs::line_memory},
});

constexpr std::int64_t kMaxCostNs = 1'000'000'000;

std::string at(std::string_view origin, const toml::node& node) {
    return fmt::format("{}:{}", origin, node.source().begin.line);
}

Result<std::int64_t> integer(const toml::node& node, std::string_view origin, std::string_view key,
                             std::int64_t lo, std::int64_t hi) {
    const auto value = node.value_exact<std::int64_t>();
    if (!value || *value < lo || *value > hi)
        return Error{fmt::format("{}: {}: expected an integer {} .. {}", at(origin, node), key, lo, hi)};
    return *value;
}

Result<std::string> text(const toml::table& table, std::string_view origin, std::string_view key) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return Error{fmt::format("{}: {} is missing", origin, key)};
    const auto value = node->value_exact<std::string>();
    if (!value) return Error{fmt::format("{}: {}: expected a text", at(origin, *node), key)};
    return *value;
}

// A list of CPU numbers below `cpus`, as ascending ids.
Result<std::vector<CpuId>> parse_cpus(const toml::node& list, std::string_view origin,
                                      std::string_view key, std::uint32_t cpus) {
    std::vector<CpuId> ids;
    for (const toml::node& item : *list.as_array()) {
        const auto cpu = integer(item, origin, key, 0, cpus - 1);
        if (!cpu) return cpu.error();
        ids.push_back(CpuId{static_cast<std::uint32_t>(*cpu)});
    }
    std::ranges::sort(ids);
    return ids;
}

Result<Cache> parse_cache(const toml::table& table, std::string_view origin, std::uint32_t cpus) {
    Cache cache;
    for (const auto& [key, node] : table) {
        if (key == "size_kib") {
            const auto kib = integer(node, origin, "cache.size_kib", 1, 1 << 24);
            if (!kib) return kib.error();
            cache.size_bytes = static_cast<std::uint64_t>(*kib) * 1024;
        } else if (key == "ways") {
            const auto ways = integer(node, origin, "cache.ways", 1, 64);
            if (!ways) return ways.error();
            cache.ways = static_cast<std::uint32_t>(*ways);
        } else if (key == "cpus" && node.is_array()) {
            auto list = parse_cpus(node, origin, "cache.cpus", cpus);
            if (!list) return list.error();
            cache.cpus = std::move(*list);
        } else {
            return Error{fmt::format("{}: cache.{}: expected size_kib = KIB, ways = WAYS or cpus = [LIST]",
                                     at(origin, node), key.str())};
        }
    }
    if (cache.size_bytes == 0 || cache.cpus.empty())
        return Error{fmt::format("{}: a [[cache]] needs size_kib and cpus", at(origin, table))};
    return cache;
}

Status parse_caches(const toml::table& root, std::string_view origin, Machine& m) {
    const toml::array* list = root.get_as<toml::array>("cache");
    if (list == nullptr) return Error{fmt::format("{}: no [[cache]]", origin)};
    m.cache_of.assign(m.cpus, ~0u);
    for (const toml::node& item : *list) {
        if (!item.is_table()) return Error{fmt::format("{}: expected [[cache]]", at(origin, item))};
        auto cache = parse_cache(*item.as_table(), origin, m.cpus);
        if (!cache) return cache.error();
        for (const CpuId c : cache->cpus) {
            if (m.cache_of[c.v] != ~0u)
                return Error{fmt::format("{}: CPU {} is in two caches", at(origin, item), c.v)};
            m.cache_of[c.v] = static_cast<std::uint32_t>(m.caches.size());
        }
        m.caches.push_back(std::move(*cache));
    }
    for (std::uint32_t c = 0; c < m.cpus; ++c)
        if (m.cache_of[c] == ~0u) return Error{fmt::format("{}: CPU {} is in no cache", origin, c)};
    return {};
}

// A machine without [[node]] is one node.
Status parse_nodes(const toml::table& root, std::string_view origin, Machine& m) {
    const toml::array* list = root.get_as<toml::array>("node");
    if (list == nullptr) return {};
    std::vector<std::uint32_t> seen(m.cpus, 0);
    for (const toml::node& item : *list) {
        const toml::node* cpus = item.is_table() && item.as_table()->size() == 1
                                     ? item.as_table()->get("cpus")
                                     : nullptr;
        if (cpus == nullptr || !cpus->is_array())
            return Error{fmt::format("{}: node: expected cpus = [LIST]", at(origin, item))};
        auto ids = parse_cpus(*cpus, origin, "node.cpus", m.cpus);
        if (!ids) return ids.error();
        for (const CpuId c : *ids)
            if (seen[c.v]++ > 0)
                return Error{fmt::format("{}: CPU {} is in two nodes", at(origin, item), c.v)};
        m.nodes.push_back(std::move(*ids));
    }
    for (std::uint32_t c = 0; c < m.cpus; ++c)
        if (seen[c] == 0) return Error{fmt::format("{}: CPU {} is in no node", origin, c)};
    return {};
}

// Threads of a core share its caches.
Result<std::vector<CpuId>> parse_core(const toml::node& node, std::string_view origin, const Machine& m,
                                      CpuMask& seen) {
    std::vector<CpuId> core;
    if (!node.is_array()) return Error{fmt::format("{}: smt: expected [[CPU, CPU], ...]", at(origin, node))};
    for (const toml::node& item : *node.as_array()) {
        const auto number = integer(item, origin, "smt", 0, m.cpus - 1);
        if (!number) return number.error();
        const CpuId cpu{static_cast<std::uint32_t>(*number)};
        if (seen.test(cpu))
            return Error{fmt::format("{}: smt: CPU {} is in two cores", at(origin, item), cpu.v)};
        seen.set(cpu);
        if (!core.empty() && !m.same_cache(core.front(), cpu))
            return Error{fmt::format("{}: smt: CPUs {} and {} of one core have different caches",
                                     at(origin, item), core.front().v, cpu.v)};
        core.push_back(cpu);
    }
    if (core.size() < 2)
        return Error{fmt::format("{}: smt: a core of less than two threads is not listed", at(origin, node))};
    std::ranges::sort(core);
    return core;
}

Status parse_smt(const toml::table& root, std::string_view origin, Machine& m) {
    const toml::node* list = root.get("smt");
    if (list == nullptr) return {};
    if (!list->is_array())
        return Error{fmt::format("{}: smt: expected [[CPU, CPU], ...]", at(origin, *list))};
    CpuMask seen;
    for (const toml::node& node : *list->as_array()) {
        auto core = parse_core(node, origin, m, seen);
        if (!core) return core.error();
        m.smt.push_back(std::move(*core));
    }
    std::ranges::sort(m.smt, {}, [](const auto& core) { return core.front(); });
    return {};
}

Status parse_costs(const toml::table& root, std::string_view origin, Machine& m) {
    const toml::table* costs = root.get_as<toml::table>("costs");
    if (costs == nullptr) return Error{fmt::format("{}: no [costs]", origin)};
    for (const auto& [key, node] : *costs) {
        const auto value = integer(node, origin, "costs." + std::string(key.str()), 0, kMaxCostNs);
        if (!value) return value.error();
        if (Status s = set_machine_value(m, "costs." + std::string(key.str()), *value); !s)
            return Error{fmt::format("{}: {}", at(origin, node), s.error().message)};
    }
    for (const CostField& f : kCostFields) {
        if (costs->get(f.name) != nullptr) continue;
        if (f.fallback == CostField::kRequired)
            return Error{fmt::format("{}: costs.{} is missing", at(origin, *costs), f.name)};
        m.costs.*f.member = f.fallback;
    }
    if (m.costs.line_bytes == 0) return Error{fmt::format("{}: costs.line_bytes is 0", origin)};
    return {};
}

Status parse_head(const toml::table& root, std::string_view origin, Machine& m) {
    for (const auto& [key, node] : root) {
        if (key == "name" || key == "summary" || key == "vendor" || key == "cache" ||
            key == "node" || key == "smt" || key == "costs")
            continue;
        if (key == "cpus") {
            const auto n = integer(node, origin, "cpus", 1, kMaxCpus);
            if (!n) return n.error();
            m.cpus = static_cast<std::uint32_t>(*n);
            continue;
        }
        const auto value = integer(node, origin, key.str(), 0, 1'000'000);
        if (!value) return value.error();
        if (Status s = set_machine_value(m, key.str(), *value); !s)
            return Error{fmt::format("{}: {}", at(origin, node), s.error().message)};
    }
    if (m.cpus == 0) return Error{fmt::format("{}: cpus is missing", origin)};
    if (m.l1_kib == 0) return Error{fmt::format("{}: l1_kib is missing", origin)};
    for (const auto& [key, member] : {std::pair{"name", &Machine::name},
                                      std::pair{"summary", &Machine::summary},
                                      std::pair{"vendor", &Machine::vendor}}) {
        auto value = text(root, origin, key);
        if (!value) return value.error();
        m.*member = std::move(*value);
    }
    if (m.vendor != "intel" && m.vendor != "amd")
        return Error{fmt::format("{}: vendor: expected \"intel\" or \"amd\"", origin)};
    return {};
}

}  // namespace

Status set_machine_value(Machine& m, std::string_view key, std::int64_t value) {
    if (key == "user_time_permille" && value > 0) {
        m.user_time_permille = value;
        return {};
    }
    if (key == "l1_kib" && value > 0) {
        m.l1_kib = value;
        return {};
    }
    if (key == "cache_stages" && (value == 0 || value == 2 || value == 4 || value == 8)) {
        m.cache_stages = static_cast<std::uint32_t>(value);
        return {};
    }
    std::vector<std::string> names = {"user_time_permille", "l1_kib", "cache_stages"};
    for (const CostField& f : kCostFields) {
        names.push_back("costs." + std::string(f.name));
        if (names.back() != key) continue;
        m.costs.*f.member = value;
        return {};
    }
    return Error{fmt::format("a machine has no value '{}' (or {} is out of range); did you mean {}?", key,
                             value, nearest(key, names))};
}

Result<Machine> parse_machine(std::string_view toml_text, std::string_view origin) {
    toml::table root;
    try {
        root = toml::parse(toml_text);
    } catch (const toml::parse_error& e) {
        return Error{fmt::format("{}:{}: {}", origin, e.source().begin.line, e.description())};
    }
    Machine m;
    if (Status s = parse_head(root, origin, m); !s) return s.error();
    if (Status s = parse_caches(root, origin, m); !s) return s.error();
    if (Status s = parse_nodes(root, origin, m); !s) return s.error();
    if (Status s = parse_smt(root, origin, m); !s) return s.error();
    if (Status s = parse_costs(root, origin, m); !s) return s.error();
    return m;
}

Result<Machine> load_machine(std::string_view name_or_path) {
    std::string path(name_or_path);
    if (!name_or_path.ends_with(".toml")) {
        const std::vector<std::string> names = machine_names();
        if (!std::ranges::binary_search(names, path))
            return Error{fmt::format("unknown machine '{}'; did you mean {}? (wakelab list machines)", path,
                                     nearest(path, names))};
        path = data_dir() + "/machines/" + path + ".toml";
    }
    std::ifstream in(path);
    if (!in) return Error{fmt::format("{}: cannot be read", path)};
    const std::string content((std::istreambuf_iterator<char>(in)), {});
    return parse_machine(content, path);
}

std::vector<std::string> machine_names() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(data_dir() + "/machines", error))
        if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
    std::ranges::sort(names);
    return names;
}

}  // namespace wakelab::topo
