#include "diag/words.hpp"

#include <gtest/gtest.h>

namespace wakelab::diag {
namespace {

TEST(Words, RatesHaveThreeDigits) {
    EXPECT_EQ(rate_words(0), "0");
    EXPECT_EQ(rate_words(1.25), "1.2");
    EXPECT_EQ(rate_words(8), "8");
    EXPECT_EQ(rate_words(11'234), "11 200");
    EXPECT_EQ(rate_words(999.7), "1 000");
    EXPECT_EQ(rate_words(2'345'678), "2 350 000");
}

TEST(Words, SharesSayWhenTheyAreTiny) {
    EXPECT_EQ(share_words(0), "0 %");
    EXPECT_EQ(share_words(0.0002), "less than 0.1 %");
    EXPECT_EQ(share_words(0.0042), "0.4 %");
    EXPECT_EQ(share_words(0.974), "97 %");
    EXPECT_EQ(share_words(1), "100 %");
}

TEST(Words, DurationsPickTheirUnit) {
    EXPECT_EQ(duration_words(840), "840 ns");
    EXPECT_EQ(duration_words(17'300), "17.3 µs");
    EXPECT_EQ(duration_words(999'900), "1.0 ms");
    EXPECT_EQ(duration_words(250e6), "250 ms");
    EXPECT_EQ(duration_words(4e9), "4.0 s");
}

TEST(Words, CpusAreJoinedToRanges) {
    EXPECT_EQ(cpu_words({3}), "CPU 3");
    EXPECT_EQ(cpu_words({0, 2, 3, 4}), "CPUs 0, 2-4");
}

}  // namespace
}  // namespace wakelab::diag
