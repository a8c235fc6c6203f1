#include "cli/argument_words.hpp"

#include <gtest/gtest.h>

namespace wakelab::cli {
namespace {

using Clients = std::vector<std::int32_t>;

TEST(ParseDuration, TakesFourUnitsAndDecimals) {
    EXPECT_EQ(*parse_duration("--warmup", "7ns"), 7_ns);
    EXPECT_EQ(*parse_duration("--warmup", "250us"), 250_us);
    EXPECT_EQ(*parse_duration("--warmup", "10ms"), 10_ms);
    EXPECT_EQ(*parse_duration("--warmup", "2s"), 2_s);
    EXPECT_EQ(*parse_duration("--warmup", "1.5s"), 1500_ms);
    EXPECT_EQ(*parse_duration("--warmup", "0.025ms"), 25_us);
    EXPECT_EQ(*parse_duration("--warmup", "0s"), 0_ns);
    EXPECT_EQ(*parse_duration("--warmup", "1000s"), 1000_s);
}

TEST(ParseDuration, RefusesWhatIsNoTimeInRange) {
    for (const char* text : {"", "5", "s", "ms", "-1s", "+1s", "1.s", ".5s", "1.2345s", "0.5ns",
                             "1m", "1001s", "1000.001s", "99999999999999999999s", "1 s", "1e3s"})
        EXPECT_FALSE(parse_duration("--warmup", text)) << text;
    EXPECT_EQ(parse_duration("--warmup", "5").error().message,
              "--warmup 5: expected a time like 250us, 10ms or 1.5s, at most 1000s");
}

TEST(ParseClientList, SortsAndJoinsRanges) {
    EXPECT_EQ(*parse_client_list("-c", "8"), (Clients{8}));
    EXPECT_EQ(*parse_client_list("-c", "50,1,2,5-8,6"), (Clients{1, 2, 5, 6, 7, 8, 50}));
}

TEST(ParseClientList, RefusesWhatIsNoListOfCounts) {
    for (const char* text : {"", "0", "1,,2", "8-5", "1-", "-3", "a", "1-2-3", "10001", "1;2"})
        EXPECT_FALSE(parse_client_list("-c", text)) << text;
}

TEST(ParseScheduler, NameAlone) {
    const auto word = parse_scheduler("-s", "o1-2.6.16+wb");
    ASSERT_TRUE(word);
    EXPECT_EQ(word->name, "o1-2.6.16+wb");
    EXPECT_EQ(word->label, "o1-2.6.16+wb");
    EXPECT_TRUE(word->features.empty());
}

TEST(ParseScheduler, CarriesChangesOfEveryKind) {
    const auto word = parse_scheduler(
        "-s", "cfs-2.6.25:863:NO_HRTICK:batch=all:pin.postgres=1-3:sched_migration_cost=-1");
    ASSERT_TRUE(word);
    EXPECT_EQ(word->name, "cfs-2.6.25");
    EXPECT_EQ(word->features, (std::vector<std::string>{"863", "NO_HRTICK"}));
    EXPECT_EQ(word->batch, (std::vector<std::string>{"all"}));
    ASSERT_EQ(word->pins.size(), 1u);
    EXPECT_EQ(word->pins[0], (std::pair<std::string, std::string>{"postgres", "1-3"}));
    ASSERT_EQ(word->tunables.size(), 1u);
    EXPECT_EQ(word->tunables[0],
              (std::pair<std::string, std::int64_t>{"sched_migration_cost", -1}));
}

TEST(ParseScheduler, RefusesEmptyAndHalfChanges) {
    for (const char* text : {"", ":863", "a:", "a::863", "a:x=", "a:x=1.5",
                             "a:batch=", "a:pin.t=", "a:pin.=0", "a:=3"})
        EXPECT_FALSE(parse_scheduler("-s", text)) << text;
}

TEST(ParsePin, SplitsAtTheFirstEqualsSign) {
    EXPECT_EQ(*parse_pin("--pin", "a=1-3,5"), (std::pair<std::string, std::string>{"a", "1-3,5"}));
    EXPECT_FALSE(parse_pin("--pin", "a"));
    EXPECT_FALSE(parse_pin("--pin", "=1"));
}

TEST(ParseList, SplitsAtCommasAndDropsEmptyParts) {
    EXPECT_EQ(parse_list({"863", "A,,NO_B", ""}), (std::vector<std::string>{"863", "A", "NO_B"}));
}

TEST(ParseSeedCount, CountsFromOne) {
    EXPECT_EQ(*parse_seed_count("--seeds", "3"), (std::vector<std::uint64_t>{1, 2, 3}));
    EXPECT_FALSE(parse_seed_count("--seeds", "0"));
    EXPECT_EQ(parse_seed_count("--seeds", "x").error().message,
              "--seeds x: expected a number of seeds 1 .. 1000");
}

}  // namespace
}  // namespace wakelab::cli
