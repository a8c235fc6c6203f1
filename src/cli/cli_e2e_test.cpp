// Commands from their arguments to their output, in this process.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "diag/words.hpp"
#include "support/cli_outcome.hpp"

namespace wakelab::cli {
namespace {

using nlohmann::json;

const Args kShort = {"--warmup", "20ms", "--duration", "50ms"};

Args shortened(Args args) {
    args.insert(args.end(), kShort.begin(), kShort.end());
    return args;
}

TEST(Cli, HelpTeachesByExample) {
    const Outcome o = wakelab({"--help"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, "");
    expect_words(o.out, {"wakelab quickstart", "wakelab run pgbench", "compare", "explain",
                         "search", "fit", "validate", "list", "show", "diff", "record", "top",
                         "timeline", "report", "convert"});
}

TEST(Cli, EveryCommandHasHelpWithExamples) {
    for (const char* command :
         {"run", "compare", "explain", "search", "quickstart", "list", "show", "diff", "validate",
          "fit", "record", "top", "timeline", "report", "convert"}) {
        const Outcome o = wakelab({command, "--help"});
        EXPECT_EQ(o.status, 0) << command;
        expect_words(o.out, {"Example", "wakelab " + std::string(command), "--json"});
    }
}

TEST(Cli, Version) {
    const Outcome o = wakelab({"--version"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out, "wakelab " WAKELAB_VERSION "\n");
}

TEST(Cli, WrongWordsAreOneLine) {
    expect_refused({}, "expected a command: run");
    expect_refused({"rum", "pgbench"}, "unknown command 'rum'; did you mean run");
    expect_refused({"--verbose"}, "unknown option '--verbose'");
    expect_refused({"run", "pgbench", "--clinets", "8"}, "did you mean --clients");
    expect_refused({"run", "pgbench", "extra"}, "run: unexpected argument 'extra'");
    expect_refused({"run"}, "SCENARIO is required");
    expect_refused({"run", "pgbench", "--clients"}, "--clients: expected one value");
    expect_refused({"run", "pgbench", "-c", "3", "-c", "4"}, "--clients: expected one value");
    expect_refused({"list"}, "WHAT is required");
    expect_refused({"list", "schedulars"}, "did you mean schedulers");
    expect_refused({"list", "machines", "--scheduler", "cfs-2.6.25"}, "'list features' only");
    expect_refused({"list", "features", "--scheduler", "o1-2.6.22"}, "no features");
    expect_refused({"show", "cpu", "0"}, "expected machine or scheduler");
    expect_refused({"validate", "tbench"}, "there is: pgbench, lat_ctx, pipe-test");
    expect_refused({"fit", "tbench"}, "there is: pgbench");
}

TEST(Cli, UnknownNamesAreOneLine) {
    expect_refused({"run", "pgbenhc"}, "unknown scenario 'pgbenhc'; did you mean pgbench");
    expect_refused({"run", "pgbench", "--scheduler", "cfs-2.6.99"}, "unknown scheduler");
    expect_refused({"run", "pgbench", "--machine", "q6601"}, "q6600");
    expect_refused({"run", "pgbench", "--batch", "nobody"}, "no task is called 'nobody'");
    expect_refused({"run", "pgbench", "--pin", "pgbench=9"}, "the machine has CPUs 0-3");
    expect_refused({"run", "nowhere.toml"}, "nowhere.toml");
    expect_refused({"run", "nowhere.json"}, "nowhere.json");
    expect_refused({"show", "scheduler", "cfs"}, "unknown scheduler");
    expect_refused({"show", "machine", "q66"}, "q6600");
    expect_refused({"validate", "pgbench", "--experiment", "E99"}, "E99");
    expect_refused({"fit", "pgbench", "--plan", "nowhere.toml"}, "nowhere.toml");
}

TEST(Cli, WrongValuesAreOneLine) {
    expect_refused({"run", "pgbench", "--clients", "0"}, "--clients 0: expected a client count");
    expect_refused({"run", "pgbench", "--seed", "x"}, "--seed x");
    expect_refused({"run", "pgbench", "--duration", "2"}, "--duration 2: expected a time");
    expect_refused({"run", "pgbench", "--duration", "0s"}, "--duration: expected more than 0");
    expect_refused({"run", "pgbench", "--set", "hz"}, "--set hz: expected NAME=INTEGER");
    expect_refused({"run", "pgbench", "--set", "hz=77"}, "--set hz=77");
    expect_refused({"run", "pgbench", "--set", "sched_latncy_ns=1"}, "sched_latency_ns");
    expect_refused({"run", "pgbench", "--features", "NO_SUNC_WAKEUPS"}, "SYNC_WAKEUPS");
    expect_refused({"run", "pgbench", "--scheduler", "o1-2.6.22", "--features", "863"},
                   "o1-2.6.22 has no features");
    expect_refused({"run", "pgbench", "--scheduler", "o1-2.6.9", "--batch", "all"},
                   "older than SCHED_BATCH");
    expect_refused({"compare", "pgbench", "-s", "cfs-2.6.25", "-c", "8-5"}, "8-5");
    expect_refused({"compare", "pgbench", "-s", ","}, "at least one scheduler");
    expect_refused({"compare", "pgbench", "-s", "cfs-2.6.25,cfs-2.6.25"}, "two variants");
    expect_refused({"compare", "pgbench", "-s", "cfs-2.6.25", "--baseline", "cfs-2.6.24"},
                   "not among --schedulers");
}

TEST(Cli, MalformedFilesAreOneLineWithTheirPlace) {
    const TemporaryFolder folder;
    const std::string scenario = folder.write("a.toml", "workload = \"pgbench\"\nclientz = 3\n");
    expect_refused({"run", scenario}, "a.toml:2: unknown field 'clientz'");
    const std::string rtapp = folder.write("b.json", "{ \"tasks\": { \"t\": { \"run\": } } }");
    expect_refused({"run", rtapp}, "b.json");
    const std::string machine = folder.write("m.toml", "name = \"m\"\ncpus = \"four\"\n");
    expect_refused({"run", "pgbench", "--machine", machine}, "m.toml:2");
    const std::string plan = folder.write("p.toml", "[search]\nseedz = 3\n");
    expect_refused({"fit", "pgbench", "--plan", plan}, "p.toml:2");
}

TEST(Cli, AnRtAppFileHasNoClients) {
    const TemporaryFolder folder;
    const std::string file =
        folder.write("t.json", R"({"tasks": {"t": {"run": 100, "sleep": 900}}})");
    expect_refused({"run", file, "--clients", "3"}, "which has no clients");
    const Outcome o = wakelab(shortened({"run", file}));
    EXPECT_EQ(o.status, 0) << o.err;
    expect_words(o.out, {"phase passes", "wu_lat"});
}

// A task that does nothing for ever never lets time pass.
TEST(Cli, ARunThatEndsEarlyIsRefused) {
    const TemporaryFolder folder;
    const std::string file = folder.write("spin.json", R"({"tasks": {"t": {"run": 0}}})");
    expect_refused({"run", file}, "stopped early: ");
    expect_refused({"explain", file}, "stopped early: ");
    expect_refused({"compare", file, "-s", "cfs-2.6.26"}, "stopped early: ");
}

TEST(Cli, ListsNames) {
    expect_words(wakelab({"list", "schedulers"}).out,
                 {"o1-2.6.22", "cfs-2.6.24", "cfs-2.6.25", "cfs-2.6.26-rc3", "cfs-2.6.26"});
    expect_words(wakelab({"list", "workloads"}).out, {"pgbench", "pgbench-pinned", ".json"});
    expect_words(wakelab({"list", "machines"}).out, {"q6600", "athlon-x2-4600"});
    const std::string features = wakelab({"list", "features"}).out;
    expect_words(features, {"SYNC_WAKEUPS", "2.6.24", "2.6.26-rc3", "+"});
    EXPECT_EQ(features.find("o1-2.6.22"), std::string::npos) << "has no features";
    const json list = json::parse(wakelab({"list", "schedulers", "--json"}).out);
    EXPECT_GE(list.size(), 5u);
    EXPECT_TRUE(list[0].contains("kernel"));
}

TEST(Cli, ListsFeaturesOfOneScheduler) {
    const json list =
        json::parse(wakelab({"list", "features", "--scheduler", "cfs-2.6.26-rc3", "--json"}).out);
    const auto at =
        std::ranges::find_if(list, [](const json& f) { return f["feature"] == "SYNC_WAKEUPS"; });
    ASSERT_NE(at, list.end());
    EXPECT_EQ((*at)["default"], "on");
    EXPECT_FALSE((*at)["meaning"].get<std::string>().empty());
}

// The Q6600 has two caches of two CPUs each.
TEST(Cli, ShowsTheTreeAndCostsOfAMachine) {
    const std::string text = wakelab({"show", "machine", "q6600"}).out;
    expect_words(text, {"├── cache 0, 4 MiB", "└── cache 1, 4 MiB", "│   └── CPU 1",
                        "    └── CPU 3", "line_far", "ns/line", "try_to_wake_up"});
    const json all = json::parse(wakelab({"show", "machine", "q6600", "--json"}).out);
    EXPECT_EQ(all["cpus"], 4);
    EXPECT_EQ(all["caches"].size(), 2u);
}

// sched_latency_ns grows with 1 + log2(CPUs): 20 ms * 3 on four CPUs, 20 ms * 2 on two.
TEST(Cli, ShowsASchedulerAsOnAMachine) {
    const std::string quad = wakelab({"show", "scheduler", "cfs-2.6.25"}).out;
    expect_words(
        quad, {"HRTICK", "sched_latency_ns", "60000000", "kernel build", "hz", "no_hz", "2.6.25"});
    const std::string x2 =
        wakelab({"show", "scheduler", "cfs-2.6.25", "--machine", "athlon-x2-4600"}).out;
    expect_words(x2, {"40000000"});
    expect_words(wakelab({"show", "scheduler", "o1-2.6.22"}).out, {"features: none"});
    const json all = json::parse(wakelab({"show", "scheduler", "cfs-2.6.25", "--json"}).out);
    EXPECT_EQ(all["name"], "cfs-2.6.25");
    EXPECT_FALSE(all["tunables"].empty());
}

TEST(Cli, RunPrintsTheSameFiguresAsTextAndAsJson) {
    const Args args = shortened({"run", "pgbench", "--clients", "4"});
    const Outcome text = wakelab(args);
    ASSERT_EQ(text.status, 0) << text.err;
    Args with_json = args;
    with_json.emplace_back("--json");
    const json all = json::parse(wakelab(with_json).out);
    const double rate = all["metrics"]["rate_per_s"];
    const std::uint64_t units = all["metrics"]["work_units"];
    EXPECT_EQ(all["run"]["clients"], "4");
    EXPECT_GT(units, 0u);
    EXPECT_NEAR(rate, static_cast<double>(units) / 0.05, 1e-3);
    expect_words(text.out, {diag::rate_words(rate) + "/s (" + diag::count_words(units),
                            all["run"]["fingerprint"].get<std::string>()});
}

TEST(Cli, RunTakesEveryChange) {
    const Outcome o = wakelab(shortened({"run",        "pgbench",
                                         "-c",         "3",
                                         "-s",         "cfs-2.6.26-rc3",
                                         "--features", "863,NO_HRTICK",
                                         "--features", "SYNC_WAKEUPS",
                                         "--set",      "hz=1000",
                                         "--set",      "sched_migration_cost=0",
                                         "--batch",    "postgres",
                                         "--pin",      "pgbench=0",
                                         "--pin",      "postgres=1,2-3",
                                         "--seed",     "7"}));
    EXPECT_EQ(o.status, 0) << o.err;
    expect_words(o.out, {"863 NO_HRTICK SYNC_WAKEUPS", "hz=1000 sched_migration_cost=0",
                         "pgbench=0 postgres=1,2-3"});
}

TEST(Cli, CompareLabelsColumnsAsTypedAndMovesTheBaselineFirst) {
    const Outcome o = wakelab(
        shortened({"compare", "pgbench", "-c", "2,4", "-s", "cfs-2.6.26-rc3,cfs-2.6.26-rc3:863",
                   "--seeds", "1", "--baseline", "cfs-2.6.26-rc3:863", "--json"}));
    ASSERT_EQ(o.status, 0) << o.err;
    const json all = json::parse(o.out);
    EXPECT_EQ(all["baseline"], "cfs-2.6.26-rc3:863");
    EXPECT_EQ(all["levels"].size(), 2u);
    EXPECT_EQ(all["levels"][0]["clients"], 2);
}

Args searched(const Args& more) {
    Args args = {"search", "pgbench", "-c", "8", "--warmup", "200ms", "--duration", "200ms"};
    args.insert(args.end(), more.begin(), more.end());
    return args;
}

// What one man found by hand in a day of May 2008: mask 863, SYNC_WAKEUPS off.
TEST(Cli, SearchFindsTheGuiltyBitOf2008) {
    const Args args = searched({"-s", "cfs-2.6.26-rc3", "--over", "features"});
    const Outcome o = wakelab(args);
    ASSERT_EQ(o.status, 0) << o.err;
    expect_words(
        o.out, {"(mask 895)", "SYNC_WAKEUPS comes first: clearing it gains",
                "Try: --features NO_SYNC_WAKEUPS (sched_features 863)",
                "no effect (not read in this version)", "read nowhere: AFFINE_WAKEUPS, DEADLINE."});
    Args with_json = args;
    with_json.emplace_back("--json");
    const json all = json::parse(wakelab(with_json).out);
    EXPECT_EQ(all["singles"].size(), 10u);
    EXPECT_EQ(all["singles"][0]["knobs"][0]["name"], "SYNC_WAKEUPS");
    EXPECT_EQ(all["singles"][0]["verdict"], "helps");
    EXPECT_GT(all["singles"][0]["low"], 0.5);
}

TEST(Cli, SearchGoesOverTunablesAndPairs) {
    const Outcome tunables =
        wakelab(searched({"-s", "o1-2.6.22", "--over", "tunables", "--seeds", "2"}));
    ASSERT_EQ(tunables.status, 0) << tunables.err;
    expect_words(tunables.out, {"each tunable changed alone", "migration_cost_mc_us", "1 -> 0"});
    const Outcome pairs = wakelab(searched(
        {"-s", "cfs-2.6.25", "--pairs", "--seeds", "2", "--features", "NO_HRTICK", "--json"}));
    ASSERT_EQ(pairs.status, 0) << pairs.err;
    const json all = json::parse(pairs.out);
    EXPECT_EQ(all["pairs"].size(), 10u);
    EXPECT_EQ(all["mask"], 7);
}

TEST(Cli, SearchRefusesWhatItCannotSearch) {
    expect_refused({"search", "pgbench", "--over", "featurs"}, "did you mean features");
    expect_refused({"search", "pgbench", "-s", "o1-2.6.22"},
                   "has no features; try --over tunables");
    expect_refused({"search", "pgbench", "--over", "tunables", "--pairs"}, "--over features");
    expect_refused({"search", "pgbench", "--seeds", "0"}, "--seeds 0");
}

// cfs-2.6.26-rc3 lists AFFINE_WAKEUPS and never reads it (cfs.md 3.2).
TEST(Cli, ExplainProposesNoBitThatIsNotRead) {
    const auto proposals = [](const std::string& scheduler) {
        return wakelab({"explain", "pgbench", "-c", "8", "-s", scheduler, "--duration", "200ms",
                        "--warmup", "200ms", "--json"})
            .out;
    };
    EXPECT_EQ(proposals("cfs-2.6.26-rc3").find("NO_AFFINE_WAKEUPS"), std::string::npos);
    EXPECT_NE(proposals("cfs-2.6.26").find("NO_AFFINE_WAKEUPS"), std::string::npos);
}

TEST(Cli, ListAndShowSayWhichBitsAreNotRead) {
    const std::string line = "(not read in this version)";
    expect_words(wakelab({"list", "features", "--scheduler", "cfs-2.6.26-rc3"}).out, {line});
    expect_words(wakelab({"show", "scheduler", "cfs-2.6.26-rc3"}).out, {line});
    expect_words(wakelab({"show", "scheduler", "cfs-2.6.32"}).out, {"(not modelled)"});
}

TEST(Cli, ExplainTriesWhatItProposes) {
    const Outcome o = wakelab({"explain", "pgbench", "-c", "8", "-s", "cfs-2.6.26-rc3",
                               "--duration", "200ms", "--warmup", "200ms", "--json"});
    ASSERT_EQ(o.status, 0) << o.err;
    const json all = json::parse(o.out);
    ASSERT_FALSE(all["findings"].empty());
    const std::size_t proposed = all["findings"][0]["experiments"].size();
    EXPECT_GE(all["tried"]["trials"].size(), proposed);
    EXPECT_LE(all["tried"]["trials"].size(), proposed + 2);
    EXPECT_EQ(all["tried"]["seeds"], 3);
}

// X19 is listed with what it lacks; the others are held against print, in us.
TEST(Cli, ValidateTakesLatencies) {
    const Args args = {"validate", "lat_ctx", "--seeds",    "1",
                       "--warmup", "20ms",    "--duration", "50ms"};
    const Outcome o = wakelab(args);
    ASSERT_EQ(o.status, 0) << o.err;
    expect_words(o.out, {"published against simulated, us", "X17 numa-4x4", "6.69", "5.70",
                         "not runnable yet: needs hyper-threads", "domain1.flags=1101"});
    Args with_json = args;
    with_json.emplace_back("--json");
    const json all = json::parse(wakelab(with_json).out);
    EXPECT_EQ(all["unit"], "us");
    EXPECT_EQ(all["predict"]["cells"], 4);
}

TEST(Cli, ARingPrintsWhatItsProgramPrints) {
    const Outcome lat = wakelab(shortened({"run", "lat_ctx", "--machine", "numa-4x4"}));
    ASSERT_EQ(lat.status, 0) << lat.err;
    expect_words(lat.out, {"size=0k ovr="});
    const Outcome test = wakelab(shortened({"run", "pipe-test"}));
    expect_words(test.out, {" usecs/loop."});
    expect_refused({"run", "pipe-test", "--clients", "3"}, "expected 2, the two ends");
}

TEST(Cli, ValidateWritesAWholePageOrNone) {
    const TemporaryFolder folder;
    const Args args = {"validate", "pgbench",  "-e",   "E05",        "--seeds",
                       "1",        "--warmup", "20ms", "--duration", "20ms"};
    Args good = args;
    good.insert(good.end(), {"--markdown", folder.file("page.md")});
    const Outcome o = wakelab(good);
    ASSERT_EQ(o.status, 0) << o.err;
    expect_words(o.out, {"E05", "page.md"});
    EXPECT_EQ(folder.files(), 1u) << "a temporary file was left behind";
    Args bad = args;
    bad.insert(bad.end(), {"--markdown", folder.file("no/such/folder.md")});
    expect_refused(bad, "folder.md: cannot be written: No such file or directory");
    EXPECT_EQ(folder.files(), 1u);
}

}  // namespace
}  // namespace wakelab::cli
