#include "lab/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

namespace wakelab::lab {
namespace {

// What a run's rate is made of: 1000, what the seed does to all arms alike, and what each changed
// knob adds in that seed.
using Added = std::map<std::string, std::vector<double>>;  // argument -> by seed

RunFunction fake(const Added& added, double base = 1000) {
    return [added, base](const RunSpec& spec) -> Result<RunResult> {
        RunResult r;
        r.unit = "transactions";
        r.rate = base + 100.0 * static_cast<double>(spec.seed);
        r.fingerprint = spec.seed;
        std::vector<std::string> words = spec.features;
        for (const auto& [name, value] : spec.tunables)
            words.push_back(name + "=" + std::to_string(value));
        for (const std::string& word : words) {
            const auto at = added.find(word);
            if (at == added.end()) continue;
            r.rate += at->second[spec.seed - 1];
            r.fingerprint += 1'000;
        }
        return r;
    };
}

RunSpec spec_of(std::string scheduler) {
    RunSpec spec;
    spec.scheduler = std::move(scheduler);
    spec.clients = 8;
    return spec;
}

SearchPlan plan(std::string scheduler, std::size_t seeds, bool pairs = false,
                SearchOver over = SearchOver::kFeatures) {
    std::vector<std::uint64_t> all;
    for (std::size_t s = 1; s <= seeds; ++s) all.push_back(s);
    return *plan_search(spec_of(std::move(scheduler)), over, pairs, all);
}

SearchResult found(const SearchPlan& plan, const Added& added) {
    auto result = search(plan, fake(added));
    EXPECT_TRUE(result);
    return *result;
}

std::vector<std::string> ranking(const std::vector<Effect>& effects) {
    std::vector<std::string> names;
    for (const Effect& e : effects) names.push_back(e.changes[0].knob);
    return names;
}

const Effect& effect_of(const SearchResult& r, std::string_view knob) {
    return *std::ranges::find_if(r.singles,
                                 [&](const Effect& e) { return e.changes[0].knob == knob; });
}

// The base is 1100, 1200, 1300 (mean 1200); the differences 110, 120, 130 are 0.1 of it on average.
// 2.6.25 has five bits: alpha = 0.05 / 5 = 0.01, t(0.995; 2) = 9.92484,
// standard error = (10 / 1200) / sqrt 3 = 0.00481125, so 0.1 +- 0.047751.
TEST(Search, GainIsThePairedDifferenceWithAnIntervalForAllChangesTogether) {
    const SearchResult r = found(plan("cfs-2.6.25", 3), {{"NO_START_DEBIT", {110, 120, 130}}});
    EXPECT_EQ(r.comparisons, 5u);
    EXPECT_DOUBLE_EQ(r.base_rate, 1200);
    const Effect& e = effect_of(r, "START_DEBIT");
    EXPECT_DOUBLE_EQ(e.rate, 1320);
    EXPECT_NEAR(e.gain.mean, 0.1, 1e-12);
    EXPECT_NEAR(e.gain.low, 0.1 - 0.047751, 1e-5);
    EXPECT_NEAR(e.gain.high, 0.1 + 0.047751, 1e-5);
    EXPECT_EQ(e.verdict, Verdict::kHelps);
    EXPECT_EQ(r.best_single(), &e);
}

// The seeds move the rate by 100 and more; a gain of 20 that is the same in all of them is certain
// all the same, because every arm has the same seeds.
TEST(Search, WhatTheSeedDoesToAllArmsCancels) {
    const SearchResult r = found(plan("cfs-2.6.25", 3), {{"NO_HRTICK", {20, 20.1, 19.9}}});
    EXPECT_EQ(effect_of(r, "HRTICK").verdict, Verdict::kHelps);
}

TEST(Search, RanksHelpsHurtsSmallUncertainAndNothing) {
    const SearchResult r =
        found(plan("cfs-2.6.26-rc3", 3), {
                                             {"NO_SYNC_WAKEUPS", {900, 900, 901}},
                                             {"NO_HRTICK", {30, 30, 31}},
                                             {"NO_START_DEBIT", {-990, -990, -991}},
                                             {"DOUBLE_TICK", {1, 1, 1}},
                                             {"NO_CACHE_HOT_BUDDY", {900, -900, 30}},
                                         });
    EXPECT_EQ(ranking(r.singles),
              (std::vector<std::string>{"SYNC_WAKEUPS", "HRTICK", "START_DEBIT", "DOUBLE_TICK",
                                        "CACHE_HOT_BUDDY", "NEW_FAIR_SLEEPERS", "WAKEUP_PREEMPT",
                                        "NORMALIZED_SLEEPER", "AFFINE_WAKEUPS", "DEADLINE"}));
    EXPECT_EQ(effect_of(r, "START_DEBIT").verdict, Verdict::kHurts);
    EXPECT_EQ(effect_of(r, "DOUBLE_TICK").verdict, Verdict::kSmall);
    EXPECT_EQ(effect_of(r, "CACHE_HOT_BUDDY").verdict, Verdict::kUncertain);
    EXPECT_EQ(effect_of(r, "WAKEUP_PREEMPT").verdict, Verdict::kSameRun);
    EXPECT_EQ(effect_of(r, "DEADLINE").verdict, Verdict::kUnread);
    EXPECT_TRUE(effect_of(r, "DEADLINE").rates.empty());
    EXPECT_EQ(r.best_single()->changes[0].knob, "SYNC_WAKEUPS");
}

// 10 bits, two of them not read: the base and 8 arms alone, 28 in pairs, 3 seeds each.
TEST(Search, RunsTheBaseAndEveryWiredArmWithTheSameSeeds) {
    EXPECT_EQ(plan_runs(plan("cfs-2.6.26-rc3", 3)).size(), 9u * 3);
    const std::vector<RunSpec> runs = plan_runs(plan("cfs-2.6.26-rc3", 3, true));
    ASSERT_EQ(runs.size(), 37u * 3);
    for (std::size_t i = 0; i < runs.size(); ++i) EXPECT_EQ(runs[i].seed, i % 3 + 1);
    EXPECT_TRUE(runs[0].features.empty());
    EXPECT_EQ(runs.back().features.size(), 2u);
}

// Alone +100 and +50; together 100 + 50 + 240. All in every seed, so the intervals have no width.
TEST(Search, APairShowsWhatItGainsBeyondBothAlone) {
    SearchPlan p = plan("cfs-2.6.25", 3, true);
    const auto run = [inner = fake({{"NO_HRTICK", {100, 100, 100}},
                                    {"NO_START_DEBIT", {50, 50, 50}}})](const RunSpec& spec) {
        auto r = inner(spec);
        const auto has = [&](const char* word) {
            return std::ranges::find(spec.features, word) != spec.features.end();
        };
        if (has("NO_HRTICK") && has("NO_START_DEBIT")) r->rate += 240;
        return r;
    };
    const auto r = search(p, run);
    ASSERT_TRUE(r);
    EXPECT_EQ(r->pairs.size(), 10u);
    const Effect& best = r->pairs.front();
    EXPECT_EQ(r->best_pair(), &best);
    EXPECT_EQ(best.changes[0].knob + " " + best.changes[1].knob, "START_DEBIT HRTICK");
    EXPECT_NEAR(best.gain.mean, 390.0 / 1200, 1e-12);
    EXPECT_NEAR(best.beyond->mean, 240.0 / 1200, 1e-12);
    EXPECT_TRUE(best.beyond->excludes_zero());
    EXPECT_NEAR(r->pairs[1].beyond->mean, 0, 1e-12);
}

TEST(Search, SettingsOfATunableStayTogetherAtTheirBest) {
    const SearchResult r =
        found(plan("cfs-2.6.26", 3, false, SearchOver::kTunables),
              {{"sched_migration_cost=0", {100, 100, 100}}, {"sched_nr_migrate=64", {40, 40, 40}}});
    EXPECT_EQ(r.singles[0].changes[0].to, "0");
    std::vector<std::string> knobs = ranking(r.singles);
    EXPECT_EQ(knobs[0], "sched_migration_cost");
    EXPECT_EQ(knobs[7], "sched_nr_migrate");
    knobs.erase(std::unique(knobs.begin(), knobs.end()), knobs.end());
    std::ranges::sort(knobs);
    EXPECT_EQ(std::ranges::adjacent_find(knobs), knobs.end()) << "a tunable stands in two places";
}

TEST(Search, OneSeedMakesNothingCertain) {
    const SearchResult r = found(plan("cfs-2.6.25", 1), {{"NO_HRTICK", {5000}}});
    EXPECT_EQ(effect_of(r, "HRTICK").verdict, Verdict::kUncertain);
    EXPECT_FALSE(effect_of(r, "HRTICK").has_interval);
    EXPECT_EQ(r.best_single(), nullptr);
}

TEST(Search, RefusesWhatCannotBeSearched) {
    const auto refused = [](std::string scheduler, SearchOver over, bool pairs) {
        const auto p = plan_search(spec_of(std::move(scheduler)), over, pairs, {1});
        return p ? std::string("accepted") : p.error().message;
    };
    EXPECT_EQ(refused("o1-2.6.22", SearchOver::kFeatures, false),
              "--over features: o1-2.6.22 has no features; try --over tunables");
    EXPECT_EQ(refused("cfs-2.6.26", SearchOver::kTunables, true),
              "--pairs: goes with --over features");
    const auto idle = search(plan("cfs-2.6.25", 1), fake({}, -100));
    ASSERT_FALSE(idle);
    EXPECT_NE(idle.error().message.find("no work was done"), std::string::npos);
}

}  // namespace
}  // namespace wakelab::lab
