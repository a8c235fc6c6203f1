#include "judge/pgbench_tables.hpp"

#include <algorithm>

namespace wakelab::judge {

namespace {

constexpr const char* kX2 = "athlon-x2-4600";
constexpr const char* kQuad = "q6600";
// "2.6.26-smp" and "2.6.26.git" of May 2008 are the state of -rc3 (cfs.md 0.1, V26A); -rc5 is the
// fair class of the release (V26).
constexpr const char* kMay2008 = "cfs-2.6.26-rc3";
constexpr const char* kUnknownTree =
    "the kernel tree, which its author had changed in unknown ways";

void add_x2(std::vector<PublishedColumn>& t) {
    const auto stock = [&](std::string experiment, std::string kernel, std::string label,
                           std::string scheduler, std::string needs = {}) {
        t.push_back({.experiment = std::move(experiment),
                     .kernel = std::move(kernel),
                     .variant = "stock",
                     .label = std::move(label),
                     .machine = kX2,
                     .scheduler = std::move(scheduler),
                     .features = {},
                     .batch = {},
                     .pins = {},
                     .needs = std::move(needs)});
    };
    stock("E01", "2.6.9 (CentOS 4)", "2.6.9-el", "o1-2.6.9-el");
    stock("E01", "2.6.22", "2.6.22", "o1-2.6.22");
    stock("E01", "2.6.24", "2.6.24", "cfs-2.6.24");
    stock("E01", "2.6.25", "2.6.25", "cfs-2.6.25");
    stock("E01", "Solaris 10", "Solaris 10", "", "another operating system");
    stock("E06", "2.6.26-rc3", "-rc3", "cfs-2.6.26-rc3");
    stock("E06", "2.6.26-rc3", "-rc3+P1", "cfs-2.6.26-rc3+P1");
    t.back().variant = "se.waker patch";
}

struct QuadColumn {
    std::string experiment, kernel, variant, label, scheduler;
};

PublishedColumn quad(QuadColumn c) {
    return {.experiment = std::move(c.experiment),
            .kernel = std::move(c.kernel),
            .variant = std::move(c.variant),
            .label = std::move(c.label),
            .machine = kQuad,
            .scheduler = std::move(c.scheduler),
            .features = {},
            .batch = {},
            .pins = {},
            .needs = {}};
}

void add_quad_stock(std::vector<PublishedColumn>& t) {
    const std::string snapshot = "2.6.26-smp x86_64 (May 2008 development snapshot)";
    t.push_back(quad({"E02", snapshot, "default; +Nadia ipc/idr patches", "default", kMay2008}));
    t.push_back(quad({"E03", snapshot,
                      "taskset: postgres on CPUs 1-3, pgbench on CPU 0; +Nadia ipc/idr patches",
                      "pinned", kMay2008}));
    t.back().pins = {{"pgbench", "0"}, {"postgres", "1-3"}};
    t.push_back(
        quad({"E04", "2.6.26.git", "sched_features=863 (SYNC_WAKEUPS off)", "863", kMay2008}));
    t.back().features = {"863"};
    t.push_back(
        quad({"E05", "2.6.22.17-0.1-default (openSUSE 10.3)", "stock", "2.6.22", "o1-2.6.22"}));

    t.push_back(quad({"E07", "2.6.22.18", "normal", "2.6.22", "o1-2.6.22"}));
    t.push_back(
        quad({"E07", "2.6.22.18", "SCHED_BATCH (whole load)", "2.6.22 batch", "o1-2.6.22"}));
    t.back().batch = {"all"};
    t.push_back(quad({"E07", "2.6.26.git", "normal; tweaked", ".git", kMay2008}));
    t.back().needs = kUnknownTree;
    t.push_back(quad({"E07", "2.6.26.git", "SCHED_BATCH; tweaked as round-robin as possible",
                      ".git batch", kMay2008}));
    t.back().features = {"0"};
    t.back().batch = {"all"};
}

void add_quad_patches(std::vector<PublishedColumn>& t) {
    const std::string smp = "2.6.26-smp x86_64";
    // Two readings of what was under the patch (lessons.md 5.1): -rc3, or a tree without the
    // overlap shortcut in wake_affine.
    const std::string p2 = "sync tl>load.weight guard patch; ";
    const std::string on_rc3 = "cfs-2.6.26-rc3+P2";
    const std::string without = "cfs-2.6.26-rc3+no-shortcut+P2";
    t.push_back(quad({"E08", smp, p2 + "SCHED_BATCH", "P2 batch", on_rc3}));
    t.back().batch = {"all"};
    t.push_back(quad({"E08", smp, p2 + "SCHED_BATCH", "P2 batch no shortcut", without}));
    t.back().batch = {"all"};
    t.push_back(quad({"E09", smp, p2 + "SCHED_NORMAL", "P2", on_rc3}));
    t.push_back(quad({"E09", smp, p2 + "SCHED_NORMAL", "P2 no shortcut", without}));
    t.push_back(quad({"E11", smp, "bad_imbalance wake_affine patch; default features", "P3",
                      "cfs-2.6.26-rc3+P3"}));
    t.push_back(quad({"E13", "2.6.26-rc5", "stock", "-rc5", "cfs-2.6.26"}));
    t.push_back(
        quad({"E13", "2.6.26-rc5", "last_preempter 1:N patch", "-rc5+P4", "cfs-2.6.26+P4"}));
    for (const std::string mask : {"45", "111", "47"}) {  // bits of the patch, not of 2.6.25
        t.push_back(quad({"E16", "2.6.25.4", "AFFINE/SYNC feature patch; features=" + mask,
                          "P5 " + mask, "cfs-2.6.25+P5"}));
        t.back().features = {mask};
    }
}

std::vector<PublishedColumn> build_table() {
    std::vector<PublishedColumn> table;
    add_x2(table);
    add_quad_stock(table);
    add_quad_patches(table);
    std::ranges::stable_sort(table, {}, &PublishedColumn::experiment);
    return table;
}

}  // namespace

std::span<const PublishedColumn> pgbench_columns() {
    static const std::vector<PublishedColumn> table = build_table();
    return table;
}

}  // namespace wakelab::judge
