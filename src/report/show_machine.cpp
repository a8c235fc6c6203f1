#include "report/show_machine.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/cost_words.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using nlohmann::ordered_json;

constexpr std::uint64_t kKib = 1024;

std::string size_words(std::uint64_t bytes) {
    const std::uint64_t kib = bytes / kKib;
    return kib % kKib == 0 ? fmt::format("{} MiB", kib / kKib) : fmt::format("{} KiB", kib);
}

std::string tree(const topo::Machine& m) {
    std::string text = fmt::format("{} CPUs with {} KiB of L1, {} last-level cache{}\n", m.cpus,
                                   m.l1_kib, m.caches.size(), m.caches.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < m.nodes.size(); ++i) {
        text += fmt::format("node {}: CPUs", i);
        for (const CpuId cpu : m.nodes[i]) text += fmt::format(" {}", cpu.v);
        text += '\n';
    }
    for (std::size_t i = 0; i < m.caches.size(); ++i) {
        const bool last = i + 1 == m.caches.size();
        const topo::Cache& cache = m.caches[i];
        text += fmt::format("{}cache {}, {}\n", last ? "└── " : "├── ", i,
                            size_words(cache.size_bytes));
        for (const CpuId cpu : cache.cpus)
            text += fmt::format("{}{}CPU {}\n", last ? "    " : "│   ",
                                cpu == cache.cpus.back() ? "└── " : "├── ", cpu.v);
    }
    return text;
}

}  // namespace

std::string machine_text(const topo::Machine& machine) {
    TextTable costs({Align::kLeft, Align::kRight, Align::kLeft, Align::kLeft});
    costs.add({"cost", "value", "unit", "meaning"});
    for (const CostWords& c : cost_words())
        costs.add({std::string(c.name), std::to_string(machine.costs.*c.value), std::string(c.unit),
                   std::string(c.meaning)});
    return fmt::format(
        "{}: {}\nvendor {}; user code takes {:.3f} times as long as on the Q6600\n\n{}\n{}",
        machine.name, machine.summary, machine.vendor,
        static_cast<double>(machine.user_time_permille) / 1000, tree(machine), costs.text());
}

std::string machine_json(const topo::Machine& machine) {
    ordered_json json = {
        {"name", machine.name},           {"summary", machine.summary},
        {"vendor", machine.vendor},       {"cpus", machine.cpus},
        {"l1_kib", machine.l1_kib},       {"caches", ordered_json::array()},
        {"nodes", ordered_json::array()}, {"user_time_permille", machine.user_time_permille},
        {"costs", ordered_json::object()}};
    for (const topo::Cache& cache : machine.caches) {
        ordered_json cpus = ordered_json::array();
        for (const CpuId cpu : cache.cpus) cpus.push_back(cpu.v);
        json["caches"].push_back({{"size_bytes", cache.size_bytes}, {"cpus", std::move(cpus)}});
    }
    for (const std::vector<CpuId>& node : machine.nodes) {
        ordered_json cpus = ordered_json::array();
        for (const CpuId cpu : node) cpus.push_back(cpu.v);
        json["nodes"].push_back(std::move(cpus));
    }
    for (const CostWords& c : cost_words())
        json["costs"][std::string(c.name)] = {
            {"value", machine.costs.*c.value}, {"unit", c.unit}, {"meaning", c.meaning}};
    return json.dump(2) + "\n";
}

}  // namespace wakelab::report
