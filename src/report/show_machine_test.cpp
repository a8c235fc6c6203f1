#include "report/show_machine.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/cost_words.hpp"

namespace wakelab::report {
namespace {

topo::Machine two_caches() {
    topo::Machine m;
    m.name = "toy";
    m.cpus = 3;
    m.l1_kib = 32;
    m.caches = {{.size_bytes = std::uint64_t{512} * 1024, .cpus = {CpuId{0}, CpuId{2}}},
                {.size_bytes = std::uint64_t{2048} * 1024, .cpus = {CpuId{1}}}};
    m.cache_of = {0, 1, 0};
    m.costs.line_far = 120;
    return m;
}

// Costs holds nothing but 64-bit numbers, so its size tells how many there are.
TEST(CostWords, NameEveryCost) {
    EXPECT_EQ(cost_words().size() * sizeof(std::int64_t), sizeof(topo::Costs));
}

TEST(ShowMachine, DrawsCachesAndTheirCpus) {
    const std::string text = machine_text(two_caches());
    EXPECT_NE(text.find("├── cache 0, 512 KiB\n"
                        "│   ├── CPU 0\n"
                        "│   └── CPU 2\n"
                        "└── cache 1, 2 MiB\n"
                        "    └── CPU 1\n"),
              std::string::npos)
        << text;
}

TEST(ShowMachine, NodesWhereThereAreAny) {
    topo::Machine m = two_caches();
    EXPECT_EQ(machine_text(m).find("node"), std::string::npos);
    m.nodes = {{CpuId{0}, CpuId{2}}, {CpuId{1}}};
    EXPECT_NE(machine_text(m).find("node 0: CPUs 0 2\nnode 1: CPUs 1\n"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(machine_json(m))["nodes"], (nlohmann::json{{0, 2}, {1}}));
}

TEST(ShowMachine, JsonHoldsCostsWithUnits) {
    const auto all = nlohmann::json::parse(machine_json(two_caches()));
    EXPECT_EQ(all["costs"]["line_far"]["value"], 120);
    EXPECT_EQ(all["costs"]["line_far"]["unit"], "ns/line");
    EXPECT_EQ(all["caches"][0]["cpus"], (nlohmann::json{0, 2}));
}

}  // namespace
}  // namespace wakelab::report
