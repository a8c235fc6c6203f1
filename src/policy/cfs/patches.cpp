#include "policy/cfs/patches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <mutex>

#include "base/text.hpp"
#include "policy/cfs/feature_lists.hpp"

namespace wakelab::policy::cfs {

namespace {

using V = CfsVersion;

bool has_open_shortcut(const V& v) {
    return v.affine == AffineRule::kOverlapShortcut && v.select == SelectRule::kClassHook &&
           v.shortcut_filter == ShortcutFilter::kNone;
}

bool lists(const V& v, std::span<const FeatureSlot> list) {
    return v.features.data() == list.data();
}

bool is_plain_25(const V& v) {
    return lists(v, lists::k25) && has_open_shortcut(v) &&
           v.sync_subtraction == SyncSubtraction::kAlways;
}

// P2 and P3 were posted against the queue-weighted tree of May 2008; the text of wake_affine() that
// they change is the one of 2.6.25, too.
constexpr std::array kPatches = {
    Patch{"P1",
          "se.waker: the overlap shortcut only if waker and wakee last woke the same third task",
          true, has_open_shortcut, [](V& v) { v.shortcut_filter = ShortcutFilter::kSameWaker; }},
    Patch{"P1i",
          "P1 as it may have been meant: the shortcut only for two tasks that wake each other",
          false, has_open_shortcut, [](V& v) { v.shortcut_filter = ShortcutFilter::kMutual; }},
    Patch{"no-shortcut", "wake_affine() without the overlap shortcut (lessons.md 5.1)", false,
          has_open_shortcut, [](V& v) { v.shortcut_filter = ShortcutFilter::kNobody; }},
    Patch{"P2", "a sync waker's weight is taken only from a load above it", true,
          [](const V& v) {
              return v.affine == AffineRule::kOverlapShortcut &&
                     v.select == SelectRule::kClassHook &&
                     v.sync_subtraction == SyncSubtraction::kAlways;
          },
          [](V& v) { v.sync_subtraction = SyncSubtraction::kIfAboveWaker; }},
    Patch{"P3", "bad_imbalance: the shortcut only if it does not unbalance; became 2.6.26's rule",
          true,
          [](const V& v) {
              return v.buddies == BuddyRule::kGranularity && has_open_shortcut(v) &&
                     v.sync_subtraction == SyncSubtraction::kAlways;
          },
          [](V& v) {
              v.affine = AffineRule::kBalanced;
              v.sync_subtraction = SyncSubtraction::kIfAny;
              v.always_on = {Feature::kLbBias};  // wires up AFFINE_WAKEUPS
          }},
    Patch{"P4",
          "last_preempter: a task that several wakees take turns to preempt gets a batch of work",
          true,
          [](const V& v) {
              return v.affine == AffineRule::kBalanced && v.mark == OverlapMark::kPreemptCheck &&
                     !v.limits_preempters;
          },
          [](V& v) { v.limits_preempters = true; }},
    Patch{"P5", "features AFFINE_WAKEUPS and SYNC_WAKEUPS, wake_affine() of 2.6.26", true,
          is_plain_25,
          [](V& v) {
              v.features = lists::k25p5;
              v.always_on = {Feature::kCacheHotBuddy, Feature::kLbBias};
              v.affine = AffineRule::kBalanced;
          }},
    Patch{"P6", "feature SYNC_WAKEUPS, off", true, [](const V& v) { return lists(v, lists::k25); },
          [](V& v) {
              v.features = lists::k25p6;
              v.always_on = {Feature::kCacheHotBuddy, Feature::kAffineWakeups, Feature::kLbBias};
          }},
    Patch{"P7", "feature NEXT_BUDDY", true, [](const V& v) { return lists(v, lists::k0913); },
          [](V& v) {
              v.features = lists::k0913p7;
              v.preempt.next_is_feature = true;
          }},
    Patch{"P8", "avg_overlap grows when a task is preempted; became part of 2.6.30", true,
          [](const V& v) {
              return v.mark == OverlapMark::kEveryWakeup &&
                     v.preempted_sample == PreemptedSample::kNone;
          },
          [](V& v) { v.preempted_sample = PreemptedSample::kSincePick; }},
    Patch{"P8b", "P8, counted from the last wake-up as its lost predecessor may have done", false,
          [](const V& v) {
              return v.mark == OverlapMark::kEveryWakeup &&
                     v.preempted_sample == PreemptedSample::kNone;
          },
          [](V& v) { v.preempted_sample = PreemptedSample::kSinceWakeup; }},
    Patch{"SCHED_PREEMPT",
          "a policy whose tasks always preempt their waker (proposed, never coded)", false,
          [](const V& v) { return v.model == FairModel::kVruntime && !v.has_preempt_policy; },
          [](V& v) { v.has_preempt_policy = true; }},
};

const V* base_named(std::string_view name) {
    for (const V& v : versions())
        if (v.name == name || (!v.alias.empty() && v.alias == name)) return &v;
    return nullptr;
}

Error refused(const V& version, std::string_view patch) {
    std::vector<std::string> names;
    for (const Patch& p : patches()) names.emplace_back(p.name);
    const bool known = std::ranges::find(names, patch) != names.end();
    std::string why = known ? fmt::format("does not apply to {}", version.name)
                            : fmt::format("is not known; did you mean {}?", nearest(patch, names));
    return Error{fmt::format("patch '{}' {} (those that apply: {})", patch, why,
                             fmt::join(applicable_patches(version), ", "))};
}

void apply(PatchedVersion& p, const Patch& patch) {
    p.name += fmt::format("+{}", patch.name);
    p.key += fmt::format("+{}", patch.name);
    p.kernel += fmt::format(" + {}", patch.name);
    p.summary = p.summary.empty() ? patch.summary : fmt::format("{}; {}", p.summary, patch.summary);
    patch.apply(p.version);
    p.version.name = p.name;
    p.version.key = p.key;
    p.version.kernel = p.kernel;
    p.version.summary = p.summary;
    p.version.alias = {};
}

// Splits "A+B" at the first plus.
std::pair<std::string_view, std::string_view> split_first(std::string_view text) {
    const std::size_t plus = text.find('+');
    if (plus == std::string_view::npos) return {text, {}};
    return {text.substr(0, plus), text.substr(plus + 1)};
}

Result<std::unique_ptr<PatchedVersion>> make_version(const V& base, std::string_view names) {
    auto made = std::make_unique<PatchedVersion>(base);
    made->name = base.name;
    made->key = base.key;
    made->kernel = base.kernel;
    while (!names.empty()) {
        const auto [name, rest] = split_first(names);
        const auto* patch = std::ranges::find(kPatches, name, &Patch::name);
        if (patch == kPatches.end() || !patch->applies(made->version))
            return refused(made->version, name);
        apply(*made, *patch);
        names = rest;
    }
    return made;
}

}  // namespace

std::span<const Patch> patches() {
    return kPatches;
}

std::vector<std::string> applicable_patches(const CfsVersion& version) {
    std::vector<std::string> names;
    for (const Patch& p : kPatches)
        if (p.applies(version)) names.emplace_back(p.name);
    return names;
}

Result<const CfsVersion*> find_version(std::string_view name) {
    static std::mutex mutex;
    static std::deque<std::unique_ptr<PatchedVersion>> kept;
    const auto [base_name, patch_names] = split_first(name);
    const V* base = base_named(base_name);
    if (base == nullptr) return Error{fmt::format("no version '{}'", base_name)};
    if (base_name.size() == name.size()) return base;
    auto made = make_version(*base, patch_names);
    if (!made) return made.error();
    const std::lock_guard lock(mutex);
    for (const auto& old : kept)
        if (old->name == (*made)->name) return &old->version;
    return &kept.emplace_back(std::move(*made))->version;
}

}  // namespace wakelab::policy::cfs
