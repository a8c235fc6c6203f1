#include "policy/cfs/features.hpp"

#include <gtest/gtest.h>

#include <map>

#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

std::uint64_t default_mask(std::string_view key) {
    std::uint64_t mask = 0;
    for (const FeatureInfo& f : feature_infos(version_of(key).features, {}))
        if (f.on) mask |= f.bit;
    return mask;
}

// cfs.md UT-7.
TEST(Features, DefaultMasks) {
    const std::map<std::string_view, std::uint64_t> expected = {
        {"V23", 29},        {"V24", 7},           {"V25", 15},       {"V26A", 895},
        {"V26", 895},       {"V27", 7935},        {"V28", 24191},    {"V29", 24191},
        {"V30", 113917},    {"V31", 113917},      {"V32", 15834235}, {"T0913", 113916},
        {"V32A", 15834235}, {"T0913+P7", 244988}, {"V25+P5", 111},   {"V25+P6", 15}};
    for (const auto& [key, mask] : expected) EXPECT_EQ(default_mask(key), mask) << key;
}

std::string names_on(std::string_view key, std::uint64_t mask) {
    const auto slots = version_of(key).features;
    const FeatureSet set = decode_features(slots, mask);
    const std::vector<FeatureInfo> infos = feature_infos(slots, {});
    std::string text;
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (set.has(slots[i].feature)) text += std::string(infos[i].name) + " ";
    return text;
}

struct MaskRow {
    std::uint64_t mask;
    std::string_view v23, v24, v27, v30, v32;
};

// cfs.md UT-7: the same decimal number means different things per version.
constexpr MaskRow kMaskRows[] = {
    {
        15,
        "FAIR_SLEEPERS SLEEPER_AVG SLEEPER_LOAD_AVG PRECISE_CPU_LOAD ",
        "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT TREE_AVG ",
        "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER WAKEUP_PREEMPT START_DEBIT ",
        "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER ADAPTIVE_GRAN WAKEUP_PREEMPT ",
        "FAIR_SLEEPERS GENTLE_FAIR_SLEEPERS NORMALIZED_SLEEPER START_DEBIT ",
    },
    {
        45,
        "FAIR_SLEEPERS SLEEPER_LOAD_AVG PRECISE_CPU_LOAD SKIP_INITIAL ",
        "NEW_FAIR_SLEEPERS START_DEBIT TREE_AVG ",
        "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT CACHE_HOT_BUDDY ",
        "NEW_FAIR_SLEEPERS ADAPTIVE_GRAN WAKEUP_PREEMPT AFFINE_WAKEUPS ",
        "FAIR_SLEEPERS NORMALIZED_SLEEPER START_DEBIT ADAPTIVE_GRAN ",
    },
    {
        47,
        "FAIR_SLEEPERS SLEEPER_AVG SLEEPER_LOAD_AVG PRECISE_CPU_LOAD SKIP_INITIAL ",
        "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT TREE_AVG ",
        "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER WAKEUP_PREEMPT START_DEBIT CACHE_HOT_BUDDY ",
        "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER ADAPTIVE_GRAN WAKEUP_PREEMPT AFFINE_WAKEUPS ",
        "FAIR_SLEEPERS GENTLE_FAIR_SLEEPERS NORMALIZED_SLEEPER START_DEBIT ADAPTIVE_GRAN ",
    },
    {
        111,
        "FAIR_SLEEPERS SLEEPER_AVG SLEEPER_LOAD_AVG PRECISE_CPU_LOAD SKIP_INITIAL ",
        "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT TREE_AVG ",
        "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER WAKEUP_PREEMPT START_DEBIT CACHE_HOT_BUDDY "
        "SYNC_WAKEUPS ",
        "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER ADAPTIVE_GRAN WAKEUP_PREEMPT AFFINE_WAKEUPS "
        "CACHE_HOT_BUDDY ",
        "FAIR_SLEEPERS GENTLE_FAIR_SLEEPERS NORMALIZED_SLEEPER START_DEBIT ADAPTIVE_GRAN "
        "ASYM_GRAN ",
    },
    {
        863,
        "FAIR_SLEEPERS SLEEPER_AVG SLEEPER_LOAD_AVG PRECISE_CPU_LOAD START_DEBIT ",
        "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT TREE_AVG APPROX_AVG ",
        "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER WAKEUP_PREEMPT START_DEBIT AFFINE_WAKEUPS "
        "SYNC_WAKEUPS DOUBLE_TICK ASYM_GRAN ",
        "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER ADAPTIVE_GRAN WAKEUP_PREEMPT START_DEBIT "
        "CACHE_HOT_BUDDY HRTICK DOUBLE_TICK ",
        "FAIR_SLEEPERS GENTLE_FAIR_SLEEPERS NORMALIZED_SLEEPER START_DEBIT WAKEUP_PREEMPT "
        "ASYM_GRAN WAKEUP_OVERLAP WAKEUP_RUNNING ",
    },
    {
        895,
        "FAIR_SLEEPERS SLEEPER_AVG SLEEPER_LOAD_AVG PRECISE_CPU_LOAD START_DEBIT SKIP_INITIAL ",
        "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT TREE_AVG APPROX_AVG ",
        "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER WAKEUP_PREEMPT START_DEBIT AFFINE_WAKEUPS "
        "CACHE_HOT_BUDDY SYNC_WAKEUPS DOUBLE_TICK ASYM_GRAN ",
        "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER ADAPTIVE_GRAN WAKEUP_PREEMPT START_DEBIT "
        "AFFINE_WAKEUPS CACHE_HOT_BUDDY HRTICK DOUBLE_TICK ",
        "FAIR_SLEEPERS GENTLE_FAIR_SLEEPERS NORMALIZED_SLEEPER START_DEBIT WAKEUP_PREEMPT "
        "ADAPTIVE_GRAN ASYM_GRAN WAKEUP_OVERLAP WAKEUP_RUNNING ",
    },
};

TEST(Features, MasksMeanOtherThingsInEveryVersion) {
    for (const MaskRow& row : kMaskRows) {
        EXPECT_EQ(names_on("V23", row.mask), row.v23) << row.mask;
        EXPECT_EQ(names_on("V24", row.mask), row.v24) << row.mask;
        for (const std::string_view key : {"V27", "V28", "V29"})
            EXPECT_EQ(names_on(key, row.mask), row.v27) << key << " " << row.mask;
        for (const std::string_view key : {"V30", "V31", "T0913"})
            EXPECT_EQ(names_on(key, row.mask), row.v30) << key << " " << row.mask;
        for (const std::string_view key : {"V32A", "V32"})
            EXPECT_EQ(names_on(key, row.mask), row.v32) << key << " " << row.mask;
    }
}

// cfs.md 3.3.
TEST(Features, MasksOfTheMails) {
    for (const std::uint64_t mask : {15u, 47u, 111u})
        EXPECT_EQ(names_on("V25", mask), "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT HRTICK ");
    EXPECT_EQ(names_on("V25", 45), "NEW_FAIR_SLEEPERS START_DEBIT HRTICK ");
    for (const std::string_view key : {"V26A", "V26"}) {
        EXPECT_EQ(names_on(key, 15),
                  "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT AFFINE_WAKEUPS ");
        EXPECT_EQ(names_on(key, 45), "NEW_FAIR_SLEEPERS START_DEBIT AFFINE_WAKEUPS SYNC_WAKEUPS ");
        EXPECT_EQ(names_on(key, 47),
                  "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT AFFINE_WAKEUPS SYNC_WAKEUPS ");
        EXPECT_EQ(
            names_on(key, 111),
            "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT AFFINE_WAKEUPS SYNC_WAKEUPS HRTICK ");
        EXPECT_EQ(names_on(key, 863),
                  "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT AFFINE_WAKEUPS CACHE_HOT_BUDDY "
                  "HRTICK NORMALIZED_SLEEPER DEADLINE ");
        EXPECT_EQ(names_on(key, 895),
                  "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT AFFINE_WAKEUPS CACHE_HOT_BUDDY "
                  "SYNC_WAKEUPS HRTICK NORMALIZED_SLEEPER DEADLINE ");
    }
    EXPECT_EQ(names_on("V25+P5", 45), "NEW_FAIR_SLEEPERS START_DEBIT HRTICK AFFINE_WAKEUPS ");
    EXPECT_EQ(names_on("V25+P6", 45), "NEW_FAIR_SLEEPERS START_DEBIT HRTICK SYNC_WAKEUPS ");
    EXPECT_EQ(names_on("V25+P5", 111),
              "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT HRTICK AFFINE_WAKEUPS SYNC_WAKEUPS ");
    for (const CfsVersion& v : versions()) EXPECT_EQ(names_on(v.key, 0), "") << v.key;
}

std::string names_with(std::string_view key, FeatureUse use) {
    const CfsVersion& v = version_of(key);
    std::string text;
    for (const FeatureInfo& f : feature_infos(v.features, unread_features(v)))
        if (f.use == use) text += std::string(f.name) + " ";
    return text;
}

// cfs.md 3.2: AFFINE_WAKEUPS is not wired up in V26A, NORMALIZED_SLEEPER was reverted in V26,
// DEADLINE is unused. P3 wires AFFINE_WAKEUPS up.
TEST(Features, BitsThatAVersionListsAndNeverReads) {
    EXPECT_EQ(names_with("V26A", FeatureUse::kUnread), "AFFINE_WAKEUPS DEADLINE ");
    EXPECT_EQ(names_with("V26A+P3", FeatureUse::kUnread), "DEADLINE ");
    EXPECT_EQ(names_with("V26", FeatureUse::kUnread), "NORMALIZED_SLEEPER DEADLINE ");
    for (const std::string_view key : {"V24", "V25", "V27", "V28", "V30", "T0913", "V32"})
        EXPECT_EQ(names_with(key, FeatureUse::kUnread), "") << key;
    EXPECT_EQ(names_with("V27", FeatureUse::kNotModelled), "LB_WAKEUP_UPDATE ASYM_EFF_LOAD ");
    EXPECT_EQ(names_with("V32", FeatureUse::kNotModelled),
              "ARCH_POWER LB_SHARES_UPDATE ASYM_EFF_LOAD OWNER_SPIN ");
}

}  // namespace

}  // namespace wakelab::policy::cfs
