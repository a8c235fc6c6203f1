#include "topo/machine.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/data_dir.hpp"

namespace wakelab::topo {
namespace {

std::string q6600_text() {
    std::ifstream in(data_dir() + "/machines/q6600.toml");
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
    const auto m = parse_machine(text, "m.toml");
    return m ? "accepted" : m.error().message;
}

TEST(Machine, EveryMachineOfTheDataFolderLoads) {
    EXPECT_GE(machine_names().size(), 2u);
    for (const std::string& name : machine_names()) {
        const auto m = load_machine(name);
        ASSERT_TRUE(m) << m.error().message;
        EXPECT_EQ(m->name, name);
        EXPECT_EQ(m->cache_of.size(), m->cpus);
    }
}

TEST(Machine, Q6600PairsShareACache) {
    const auto m = load_machine("q6600");
    ASSERT_TRUE(m) << m.error().message;
    EXPECT_EQ(m->cpus, 4u);
    EXPECT_TRUE(m->same_cache(CpuId{0}, CpuId{1}));
    EXPECT_FALSE(m->same_cache(CpuId{1}, CpuId{2}));
}

TEST(Machine, NodesAreAPartitionOrLeftOut) {
    const std::string good = q6600_text();
    EXPECT_TRUE(parse_machine(good, "m.toml")->nodes.empty());
    const std::string two = "[[node]]\ncpus = [2, 3]\n[[node]]\ncpus = [1, 0]\n";
    const auto m = parse_machine(good + two, "m.toml");
    ASSERT_TRUE(m) << m.error().message;
    ASSERT_EQ(m->nodes.size(), 2u);
    EXPECT_EQ(m->nodes[1], (std::vector<CpuId>{CpuId{0}, CpuId{1}}));
    EXPECT_NE(error_of(good + "[[node]]\ncpus = [0, 1, 2]\n").find("CPU 3 is in no node"),
              std::string::npos);
    EXPECT_NE(error_of(good + two + "[[node]]\ncpus = [3]\n").find("CPU 3 is in two nodes"),
              std::string::npos);
    EXPECT_NE(error_of(good + "[[node]]\nsize = 3\n").find("node: expected cpus = [LIST]"),
              std::string::npos);
}

TEST(Machine, BadInputNamesLineFieldAndWhatWasExpected) {
    const std::string good = q6600_text();
    EXPECT_EQ(error_of(good), "accepted");
    EXPECT_NE(error_of(replaced(good, "cpus = 4", "cpus = 0")).find("cpus: expected an integer 1 .. 1024"),
              std::string::npos);
    EXPECT_NE(error_of(replaced(good, "cpus = [2, 3]", "cpus = [1, 3]")).find("CPU 1 is in two caches"),
              std::string::npos);
    EXPECT_NE(error_of(replaced(good, "cpus = [2, 3]", "cpus = [3]")).find("CPU 2 is in no cache"),
              std::string::npos);
    EXPECT_NE(error_of(replaced(good, "vendor = \"intel\"", "vendor = \"via\"")).find("vendor: expected"),
              std::string::npos);
    EXPECT_NE(error_of(replaced(good, "line_far", "line_fat")).find("did you mean costs.line_far"),
              std::string::npos);
    EXPECT_NE(error_of(replaced(good, "ipi = 1000", "")).find("costs.ipi is missing"), std::string::npos);
    EXPECT_NE(error_of(replaced(good, "ipi = 1000", "ipi = -1")).find("costs.ipi: expected an integer"),
              std::string::npos);
    EXPECT_EQ(error_of("name = ").find("m.toml:1: "), 0u);
}

TEST(Machine, ThreadsOfACore) {
    const std::string good = q6600_text();
    EXPECT_TRUE(load_machine("q6600")->smt.empty());
    const auto with = [&](const std::string& smt) {
        return replaced(good, "[[cache]]", "smt = " + smt + "\n[[cache]]");
    };
    const auto m = parse_machine(with("[[2, 3], [1, 0]]"), "m.toml");
    ASSERT_TRUE(m) << m.error().message;
    EXPECT_EQ(m->smt, (std::vector<std::vector<CpuId>>{{CpuId{0}, CpuId{1}}, {CpuId{2}, CpuId{3}}}));
    EXPECT_NE(error_of(with("[[0, 2]]")).find("CPUs 0 and 2 of one core have different caches"),
              std::string::npos);
    EXPECT_NE(error_of(with("[[0, 1], [1, 0]]")).find("CPU 1 is in two cores"), std::string::npos);
    EXPECT_NE(error_of(with("[[0]]")).find("less than two threads"), std::string::npos);
    EXPECT_NE(error_of(with("[[0, 4]]")).find("expected an integer 0 .. 3"), std::string::npos);
    EXPECT_NE(error_of(with("2")).find("smt: expected [[CPU, CPU], ...]"), std::string::npos);
}

TEST(Machine, UnknownNameSuggestsTheNearest) {
    const auto m = load_machine("q660");
    ASSERT_FALSE(m);
    EXPECT_NE(m.error().message.find("did you mean q6600"), std::string::npos);
}

}  // namespace
}  // namespace wakelab::topo
