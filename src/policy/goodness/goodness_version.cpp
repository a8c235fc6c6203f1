#include "policy/goodness/goodness_version.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"

namespace wakelab::policy::goodness {

namespace {

constexpr GoodnessVersion v14() {
    GoodnessVersion v;
    v.name = "goodness-2.4.14";
    v.key = "good-2.4.14";
    v.kernel = "up to 2.4.14 (2001-11-05)";
    v.summary = "one queue for all CPUs; the running task wins ties, yield keeps its place";
    v.still_running = true;
    v.yield_to_tail = false;
    return v;
}

constexpr GoodnessVersion v16() {
    GoodnessVersion v = v14();
    v.name = "goodness-2.4.16";
    v.key = "good-2.4.16";
    v.kernel = "2.4.15 (2001-11-23), 2.4.16, 2.5.0, 2.5.1";
    v.summary = "the running task competes by its place in the list, yield goes to the end";
    v.still_running = false;
    v.yield_to_tail = true;
    return v;
}

constexpr GoodnessVersion v17() {
    GoodnessVersion v = v16();
    v.name = "goodness-2.4.17";
    v.key = "good-2.4.17";
    v.alias = "goodness-2.4";
    v.kernel = "2.4.17 (2001-12-21) = 2.4.18, 2.4.19";
    v.summary = "also goodness-2.4: whoever calls schedule() first takes a woken task";
    v.ht_siblings = true;
    return v;
}

// The announcements of the -aa kernels, filled up from the patch they rework (goodness.md 11): a
// yielding task keeps its slice and rolls to the end of the list, nothing else.
constexpr GoodnessVersion dyn() {
    GoodnessVersion v = v17();
    v.name = "goodness-2.4-dyn";
    v.key = "good-dyn";
    v.alias = {};
    v.kernel = "dyn-sched of the -aa kernels, 2.4.18-pre2aa1 to mid-2002";
    v.summary = "slice and bonus are two numbers; recalculation leaves sleepers alone";
    v.yield_marks = false;
    v.credit = Credit::kDynPrio;
    return v;
}

constexpr GoodnessVersion v20() {
    GoodnessVersion v = v17();
    v.name = "goodness-2.4.20";
    v.key = "good-2.4.20";
    v.alias = {};
    v.kernel = "2.4.20 (2002-11-28) and later";
    v.summary = "woken tasks are inserted at the end of the list";
    v.insert_tail = true;
    return v;
}

constexpr std::array kVersions = {v14(), v16(), v17(), dyn(), v20()};

}  // namespace

std::span<const GoodnessVersion> goodness_versions() {
    return kVersions;
}

const GoodnessVersion& goodness_version(std::string_view name) {
    const auto it = std::ranges::find(kVersions, name, &GoodnessVersion::name);
    WK_CHECK(it != kVersions.end());
    return *it;
}

}  // namespace wakelab::policy::goodness
