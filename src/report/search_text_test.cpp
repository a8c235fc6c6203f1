#include "report/search_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/search_json.hpp"

namespace wakelab::report {
namespace {

lab::Change bit(std::string name, std::uint64_t value, bool on) {
    lab::Change c;
    c.knob = std::move(name);
    c.from = on ? "on" : "off";
    c.to = on ? "off" : "on";
    c.bit = value;
    c.features = {(on ? "NO_" : "") + c.knob};
    return c;
}

lab::Effect effect(std::vector<lab::Change> changes, lab::Verdict verdict, double gain) {
    lab::Effect e;
    e.changes = std::move(changes);
    e.verdict = verdict;
    if (verdict == lab::Verdict::kUnread) return e;
    e.rate = 1000 * (1 + gain);
    e.rates = {e.rate, e.rate, e.rate};
    e.gain = {.mean = gain, .low = gain - 0.01, .high = gain + 0.01};
    e.has_interval = true;
    return e;
}

lab::SearchResult example() {
    lab::SearchResult r;
    r.plan.base.scenario = "pgbench";
    r.plan.base.clients = 8;
    r.plan.base.scheduler = "cfs-2.6.26-rc3";
    r.plan.mask = 895;
    r.plan.seeds = {1, 2, 3};
    r.unit = "transactions/s";
    r.base_rate = 1000;
    r.base_rates = {1000, 1000, 1000};
    r.comparisons = 3;
    r.singles = {effect({bit("SYNC_WAKEUPS", 32, true)}, lab::Verdict::kHelps, 1.5),
                 effect({bit("START_DEBIT", 4, true)}, lab::Verdict::kHurts, -0.2),
                 effect({bit("DOUBLE_TICK", 128, false)}, lab::Verdict::kSameRun, 0),
                 effect({bit("DEADLINE", 512, true)}, lab::Verdict::kUnread, 0)};
    return r;
}

TEST(SearchText, TableAndSentences) {
    EXPECT_EQ(search_text(example()),
              R"(pgbench, 8 clients, cfs-2.6.26-rc3 on q6600: each feature changed alone
unchanged (mask 895): 1000 transactions/s, mean of 3 seeds

feature       bit  from -> to   rate     gain            interval  verdict
SYNC_WAKEUPS   32   on -> off   2500  +150.0%  +149.0% .. +151.0%  helps
START_DEBIT     4   on -> off  800.0   -20.0%    -21.0% .. -19.0%  hurts
DOUBLE_TICK   128   off -> on   1000    +0.0%      -1.0% .. +1.0%  no effect (same run)
DEADLINE      512   on -> off      -        -                      no effect (not read in this version)

SYNC_WAKEUPS comes first: clearing it gains 150.0 % (1000 -> 2500 transactions/s).
Try: --features NO_SYNC_WAKEUPS (sched_features 863)
Better left as they are: START_DEBIT (-20.0%).
Do nothing here, every run is the same event for event: DOUBLE_TICK.
Listed by cfs-2.6.26-rc3 but read nowhere: DEADLINE.
Gains are paired by seed. Intervals hold at 95 % for all 3 changes together.
)");
}

TEST(SearchText, SaysWhenNothingHelpsAndWhenSeedsAreTooFew) {
    lab::SearchResult r = example();
    r.singles.erase(r.singles.begin());
    r.plan.seeds = {1};
    const std::string text = search_text(r);
    EXPECT_NE(text.find("No single bit gains anything certain.\n"), text.npos) << text;
    EXPECT_NE(text.find("warning: one seed"), text.npos) << text;
}

TEST(SearchText, PairsTellWhatTheyAddToEachOther) {
    lab::SearchResult r = example();
    r.plan.pairs = true;
    r.pairs = {effect({bit("SYNC_WAKEUPS", 32, true), bit("DOUBLE_TICK", 128, false)},
                      lab::Verdict::kHelps, 1.8)};
    r.pairs[0].beyond = lab::Gain{.mean = 0.3, .low = 0.2, .high = 0.4};
    const std::string text = search_text(r);
    EXPECT_NE(text.find("NO_SYNC_WAKEUPS DOUBLE_TICK  2800  +180.0%  +179.0% .. +181.0%"
                        "             +30.0%  +20.0% .. +40.0%  helps\n"),
              text.npos)
        << text;
    // 895 - 32 + 128
    EXPECT_NE(text.find("Best pair: NO_SYNC_WAKEUPS DOUBLE_TICK gains 180.0 % (mask 991); together "
                        "more than the"),
              text.npos)
        << text;
}

TEST(SearchJson, HoldsTheSameNumbers) {
    const auto json = nlohmann::json::parse(search_json(example()));
    EXPECT_EQ(json["mask"], 895);
    EXPECT_EQ(json["base"]["rate"], 1000.0);
    const auto& first = json["singles"][0];
    EXPECT_EQ(first["knobs"][0]["name"], "SYNC_WAKEUPS");
    EXPECT_EQ(first["arguments"], "--features NO_SYNC_WAKEUPS");
    EXPECT_DOUBLE_EQ(first["gain"], 1.5);
    EXPECT_EQ(first["verdict"], "helps");
    const auto& last = json["singles"][3];
    EXPECT_TRUE(last["rate"].is_null());
    EXPECT_EQ(last["verdict"], "none");
    EXPECT_EQ(last["why"], "no effect (not read in this version)");
}

}  // namespace
}  // namespace wakelab::report
