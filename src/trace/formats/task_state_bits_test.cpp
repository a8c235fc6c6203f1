#include "trace/formats/task_state_bits.hpp"

#include <gtest/gtest.h>

namespace wakelab::trace {
namespace {

TEST(TaskStateBits, BitsOfEachKernelComeBack) {
    EXPECT_EQ(state_bits_of("6.1.0-18-amd64"), StateBits::kSince4_14);
    EXPECT_EQ(state_bits_of("4.9.337"), StateBits::kBefore4_14);
    EXPECT_EQ(state_bits_of("3.10.0"), StateBits::kBefore4_8);
    EXPECT_EQ(state_bits_of("android"), StateBits::kUnknownKernel);
    for (const StateBits kernel : {StateBits::kUnknownKernel, StateBits::kBefore4_8, StateBits::kBefore4_14,
                                   StateBits::kSince4_14})
        for (const PrevState s : {PrevState::kPreemptedOther, PrevState::kBlocked, PrevState::kDead,
                                  PrevState::kUninterruptible, PrevState::kIdleThread, PrevState::kStopped})
            EXPECT_EQ(prev_state_of_bits(bits_of(s, kernel), kernel), s);
    // "R+" of any kernel, where the file does not say which.
    for (const std::int64_t bits : {0x100, 0x800, 0x1000})
        EXPECT_EQ(prev_state_of_bits(bits, StateBits::kUnknownKernel), PrevState::kPreemptedOther);
    EXPECT_EQ(prev_state_of_bits(0x82, StateBits::kBefore4_8), PrevState::kUninterruptible);  // "D|K"
}

}  // namespace
}  // namespace wakelab::trace
