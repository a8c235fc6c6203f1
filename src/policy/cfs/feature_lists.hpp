// sched_features.h of each version: the flags in list order with their defaults (cfs.md 3.1). The
// order is the numbering of the decimal mask.
#pragma once

#include "policy/cfs/features.hpp"

namespace wakelab::policy::cfs::lists {

using F = Feature;

inline constexpr FeatureSlot k23[] = {
    {F::kFairSleepers, true},   {F::kSleeperAvg, false}, {F::kSleeperLoadAvg, true},
    {F::kPreciseCpuLoad, true}, {F::kStartDebit, true},  {F::kSkipInitial, false},
};

inline constexpr FeatureSlot k24[] = {
    {F::kNewFairSleepers, true}, {F::kWakeupPreempt, true}, {F::kStartDebit, true},
    {F::kTreeAvg, false},        {F::kApproxAvg, false},
};

inline constexpr FeatureSlot k25[] = {
    {F::kNewFairSleepers, true}, {F::kWakeupPreempt, true}, {F::kStartDebit, true},
    {F::kHrtick, true},          {F::kDoubleTick, false},
};

// With P5.
inline constexpr FeatureSlot k25p5[] = {
    {F::kNewFairSleepers, true}, {F::kWakeupPreempt, true}, {F::kStartDebit, true},
    {F::kHrtick, true},          {F::kDoubleTick, false},   {F::kAffineWakeups, true},
    {F::kSyncWakeups, true},
};

// With P6.
inline constexpr FeatureSlot k25p6[] = {
    {F::kNewFairSleepers, true}, {F::kWakeupPreempt, true}, {F::kStartDebit, true},
    {F::kHrtick, true},          {F::kDoubleTick, false},   {F::kSyncWakeups, false},
};

inline constexpr FeatureSlot k26[] = {
    {F::kNewFairSleepers, true}, {F::kWakeupPreempt, true}, {F::kStartDebit, true},
    {F::kAffineWakeups, true},   {F::kCacheHotBuddy, true}, {F::kSyncWakeups, true},
    {F::kHrtick, true},          {F::kDoubleTick, false},   {F::kNormalizedSleeper, true},
    {F::kDeadline, true},
};

inline constexpr FeatureSlot k27[] = {
    {F::kNewFairSleepers, true}, {F::kNormalizedSleeper, true},
    {F::kWakeupPreempt, true},   {F::kStartDebit, true},
    {F::kAffineWakeups, true},   {F::kCacheHotBuddy, true},
    {F::kSyncWakeups, true},     {F::kHrtick, true},
    {F::kDoubleTick, false},     {F::kAsymGran, true},
    {F::kLbBias, true},          {F::kLbWakeupUpdate, true},
    {F::kAsymEffLoad, true},
};

inline constexpr FeatureSlot k28[] = {
    {F::kNewFairSleepers, true}, {F::kNormalizedSleeper, true},
    {F::kWakeupPreempt, true},   {F::kStartDebit, true},
    {F::kAffineWakeups, true},   {F::kCacheHotBuddy, true},
    {F::kSyncWakeups, true},     {F::kHrtick, false},
    {F::kDoubleTick, false},     {F::kAsymGran, true},
    {F::kLbBias, true},          {F::kLbWakeupUpdate, true},
    {F::kAsymEffLoad, true},     {F::kWakeupOverlap, false},
    {F::kLastBuddy, true},
};

inline constexpr FeatureSlot k30[] = {
    {F::kNewFairSleepers, true}, {F::kNormalizedSleeper, false}, {F::kAdaptiveGran, true},
    {F::kWakeupPreempt, true},   {F::kStartDebit, true},         {F::kAffineWakeups, true},
    {F::kCacheHotBuddy, true},   {F::kSyncWakeups, true},        {F::kHrtick, false},
    {F::kDoubleTick, false},     {F::kAsymGran, true},           {F::kLbBias, true},
    {F::kLbWakeupUpdate, true},  {F::kAsymEffLoad, true},        {F::kWakeupOverlap, false},
    {F::kLastBuddy, true},       {F::kOwnerSpin, true},
};

inline constexpr FeatureSlot k0913[] = {
    {F::kNewFairSleepers, false}, {F::kNormalizedSleeper, false}, {F::kAdaptiveGran, true},
    {F::kWakeupPreempt, true},    {F::kStartDebit, true},         {F::kAffineWakeups, true},
    {F::kCacheHotBuddy, true},    {F::kSyncWakeups, true},        {F::kHrtick, false},
    {F::kDoubleTick, false},      {F::kAsymGran, true},           {F::kLbBias, true},
    {F::kLbWakeupUpdate, true},   {F::kAsymEffLoad, true},        {F::kWakeupOverlap, false},
    {F::kLastBuddy, true},        {F::kOwnerSpin, true},
};

// With P7.
inline constexpr FeatureSlot k0913p7[] = {
    {F::kNewFairSleepers, false}, {F::kNormalizedSleeper, false}, {F::kAdaptiveGran, true},
    {F::kWakeupPreempt, true},    {F::kStartDebit, true},         {F::kAffineWakeups, true},
    {F::kCacheHotBuddy, true},    {F::kSyncWakeups, true},        {F::kHrtick, false},
    {F::kDoubleTick, false},      {F::kAsymGran, true},           {F::kLbBias, true},
    {F::kLbWakeupUpdate, true},   {F::kAsymEffLoad, true},        {F::kWakeupOverlap, false},
    {F::kNextBuddy, true},        {F::kLastBuddy, true},          {F::kOwnerSpin, true},
};

inline constexpr FeatureSlot k32[] = {
    {F::kFairSleepers, true},   {F::kGentleFairSleepers, true}, {F::kNormalizedSleeper, false},
    {F::kStartDebit, true},     {F::kWakeupPreempt, true},      {F::kAdaptiveGran, true},
    {F::kAsymGran, true},       {F::kWakeupSync, false},        {F::kWakeupOverlap, false},
    {F::kWakeupRunning, false}, {F::kSyncWakeups, true},        {F::kAffineWakeups, true},
    {F::kSyncLess, true},       {F::kSyncMore, false},          {F::kNextBuddy, false},
    {F::kLastBuddy, true},      {F::kCacheHotBuddy, true},      {F::kArchPower, false},
    {F::kHrtick, false},        {F::kDoubleTick, false},        {F::kLbBias, true},
    {F::kLbSharesUpdate, true}, {F::kAsymEffLoad, true},        {F::kOwnerSpin, true},
};

}  // namespace wakelab::policy::cfs::lists
