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

// cfs.md 3.3 and UT-7: the same decimal number means different things per version.
TEST(Features, MasksOfTheMailsPerVersion) {
    EXPECT_EQ(names_on("V23", 15), "FAIR_SLEEPERS SLEEPER_AVG SLEEPER_LOAD_AVG PRECISE_CPU_LOAD ");
    EXPECT_EQ(names_on("V23", 45), "FAIR_SLEEPERS SLEEPER_LOAD_AVG PRECISE_CPU_LOAD SKIP_INITIAL ");
    for (const std::uint64_t mask : {47u, 111u})
        EXPECT_EQ(names_on("V23", mask),
                  "FAIR_SLEEPERS SLEEPER_AVG SLEEPER_LOAD_AVG PRECISE_CPU_LOAD SKIP_INITIAL ");
    EXPECT_EQ(names_on("V23", 863),
              "FAIR_SLEEPERS SLEEPER_AVG SLEEPER_LOAD_AVG PRECISE_CPU_LOAD START_DEBIT ");
    EXPECT_EQ(
        names_on("V23", 895),
        "FAIR_SLEEPERS SLEEPER_AVG SLEEPER_LOAD_AVG PRECISE_CPU_LOAD START_DEBIT SKIP_INITIAL ");
    EXPECT_EQ(names_on("V24", 15), "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT TREE_AVG ");
    EXPECT_EQ(names_on("V24", 895),
              "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT TREE_AVG APPROX_AVG ");
    EXPECT_EQ(names_on("V25", 45), "NEW_FAIR_SLEEPERS START_DEBIT HRTICK ");
    EXPECT_EQ(names_on("V26", 15), "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT AFFINE_WAKEUPS ");
    EXPECT_EQ(names_on("V26", 45), "NEW_FAIR_SLEEPERS START_DEBIT AFFINE_WAKEUPS SYNC_WAKEUPS ");
    EXPECT_EQ(names_on("V26", 863),
              "NEW_FAIR_SLEEPERS WAKEUP_PREEMPT START_DEBIT AFFINE_WAKEUPS CACHE_HOT_BUDDY HRTICK "
              "NORMALIZED_SLEEPER DEADLINE ");
    EXPECT_EQ(names_on("V28", 47),
              "NEW_FAIR_SLEEPERS NORMALIZED_SLEEPER WAKEUP_PREEMPT START_DEBIT CACHE_HOT_BUDDY ");
    EXPECT_EQ(names_on("V31", 45),
              "NEW_FAIR_SLEEPERS ADAPTIVE_GRAN WAKEUP_PREEMPT AFFINE_WAKEUPS ");
    EXPECT_EQ(names_on("V32", 111),
              "FAIR_SLEEPERS GENTLE_FAIR_SLEEPERS NORMALIZED_SLEEPER START_DEBIT ADAPTIVE_GRAN "
              "ASYM_GRAN ");
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
