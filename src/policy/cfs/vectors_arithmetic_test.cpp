// cfs_calc_delta_mine, cfs_slice, cfs_wakeup_preempt_entity, cfs_cpu_load, cfs_domains: one
// function each.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>

#include "policy/cfs/cpu_load.hpp"
#include "policy/cfs/vector_case.hpp"
#include "support/vector_file.hpp"

namespace wakelab::policy::cfs {

namespace {

// A CSV file with named columns, restricted to one version.
class CsvRows {
 public:
    CsvRows(const std::string& file, const std::string& key)
        : file_(file), lines_(test::vector_lines(file)), columns_(test::split_csv(lines_[0])) {
        for (std::size_t i = 1; i < lines_.size(); ++i)
            if (lines_[i].starts_with(key + ",")) selected_.push_back(i);
    }
    [[nodiscard]] const std::vector<std::size_t>& lines() const { return selected_; }
    void read(std::size_t line) { fields_ = test::split_csv(lines_[line]); }
    [[nodiscard]] const std::string& text(std::string_view column) const {
        const auto it = std::ranges::find(columns_, column);
        return fields_[static_cast<std::size_t>(it - columns_.begin())];
    }
    [[nodiscard]] std::uint64_t operator[](std::string_view column) const {
        const std::string& field = text(column);
        const char* end = field.data() + field.size();
        if (field.starts_with('-')) {
            std::int64_t negative = 0;
            std::from_chars(field.data(), end, negative);
            return static_cast<std::uint64_t>(negative);
        }
        std::uint64_t value = 0;
        std::from_chars(field.data(), end, value);
        return value;
    }
    [[nodiscard]] std::string where(std::size_t line) const {
        return file_ + " line " + std::to_string(line + 1) + ": " + lines_[line];
    }

 private:
    std::string file_;
    std::vector<std::string> lines_;
    std::vector<std::string> columns_;
    std::vector<std::size_t> selected_;
    std::vector<std::string> fields_;
};

LoadWeight load_with(const CfsVersion& v, std::uint64_t weight) {
    if (weight == v.idle_policy_load.weight) return v.idle_policy_load;
    const auto* it = std::ranges::find(kNiceLoad, weight, &LoadWeight::weight);
    return it != kNiceLoad.end() ? *it : LoadWeight{weight, 0};
}

class ArithmeticVectors : public testing::TestWithParam<std::string> {};

TEST_P(ArithmeticVectors, CalcDeltaMine) {
    CsvRows rows("cfs_calc_delta_mine.csv", GetParam());
    const InverseRule rule = version_by_key(GetParam()).inverse;
    for (const std::size_t line : rows.lines()) {
        rows.read(line);
        LoadWeight lw{rows["lw_weight"], rows["lw_inv_in"]};
        ASSERT_EQ(cdm(rows["delta"], rows["weight"], lw, rule), rows["result"]) << rows.where(line);
        ASSERT_EQ(lw.inv, rows["lw_inv_out"]) << rows.where(line);
    }
}

TEST_P(ArithmeticVectors, SliceAndVslice) {
    CsvRows rows("cfs_slice.csv", GetParam());
    TestWorld w(GetParam(), "one");
    w.boot();
    for (const std::size_t line : rows.lines()) {
        rows.read(line);
        w.state().tune.latency = rows["latency"];
        w.state().tune.min_granularity = rows["min_gran"];
        CfsRq cfs;
        cfs.nr_running = static_cast<std::uint32_t>(rows["nr_running"]);
        cfs.load = {rows["cfs_load"], 0};
        Entity se;
        se.cfs = &cfs;
        se.load = load_with(w.version, rows["se_weight"]);
        se.on_rq = rows["se_on_rq"] != 0;
        ASSERT_EQ(sched_slice(w.state(), cfs, se), rows["sched_slice"]) << rows.where(line);
        ASSERT_EQ(sched_vslice(w.state(), cfs, se), rows["sched_vslice"]) << rows.where(line);
    }
}

// The file starts with V26A: V24 and V25 have no such function.
TEST_P(ArithmeticVectors, WakeupPreemptEntity) {
    CsvRows rows("cfs_wakeup_preempt_entity.csv", GetParam());
    for (const std::size_t line : rows.lines()) {
        rows.read(line);
        TestWorld w(GetParam(), "one");
        w.config.features = rows["features"];
        w.set("sched_wakeup_granularity_ns", static_cast<std::int64_t>(rows["wakeup_gran"]));
        w.boot();
        CfsRq cfs;
        cfs.nr_running = static_cast<std::uint32_t>(rows["nr_running"]);
        cfs.load = {rows["cfs_load"], 0};
        Entity curr;
        curr.cfs = &cfs;
        Entity wakee;
        wakee.cfs = &cfs;
        if (rows["has_curr"] != 0) cfs.curr = &curr;
        curr.load = load_with(w.version, rows["c_weight"]);
        curr.vruntime = rows["c_vruntime"];
        curr.sum_exec = rows["c_sum_exec"];
        curr.prev_sum = rows["c_prev_sum"];
        wakee.load = load_with(w.version, rows["s_weight"]);
        wakee.vruntime = rows["s_vruntime"];
        wakee.avg_wakeup = rows["s_avg_wakeup"];
        ASSERT_EQ(wakeup_gran(w.state(), cfs, curr, wakee), rows["gran"]) << rows.where(line);
        ASSERT_EQ(static_cast<std::uint64_t>(wakeup_preempt_entity(w.state(), cfs, curr, wakee)),
                  rows["wpe"])
            << rows.where(line);
    }
}

TEST_P(ArithmeticVectors, CpuLoad) {
    CsvRows rows("cfs_cpu_load.csv", GetParam());
    for (const std::size_t line : rows.lines()) {
        rows.read(line);
        Rq rq;
        rq.load = rows["load"];
        for (std::size_t i = 0; i < 5; ++i) rq.cpu_load[i] = rows["in" + std::to_string(i)];
        average_cpu_load(rq, rq.load, version_by_key(GetParam()).cpu_load_rounds_up);
        for (std::size_t i = 0; i < 5; ++i)
            ASSERT_EQ(rq.cpu_load[i], rows["out" + std::to_string(i)]) << rows.where(line);
    }
}

TEST_P(ArithmeticVectors, DomainLevels) {
    CsvRows rows("cfs_domains.csv", GetParam());
    for (const std::size_t line : rows.lines()) {
        rows.read(line);
        const bool mc = rows.text("level") == "MC";
        const auto levels = version_by_key(GetParam()).levels;
        const auto kind = mc ? LevelKind::kMc : LevelKind::kCpu;
        const auto found = std::ranges::find(levels, kind, &LevelParams::kind);
        ASSERT_NE(found, levels.end());
        const LevelParams& level = *found;
        EXPECT_EQ(level.min_interval_ms, rows["min_interval"]) << rows.where(line);
        EXPECT_EQ(level.max_interval_ms, rows["max_interval"]) << rows.where(line);
        EXPECT_EQ(level.busy_factor, rows["busy_factor"]) << rows.where(line);
        EXPECT_EQ(level.imbalance_pct, rows["imbalance_pct"]) << rows.where(line);
        EXPECT_EQ(level.cache_nice_tries, rows["cache_nice_tries"]) << rows.where(line);
        EXPECT_EQ(level.busy_idx, rows["busy_idx"]) << rows.where(line);
        EXPECT_EQ(level.idle_idx, rows["idle_idx"]) << rows.where(line);
        EXPECT_EQ(level.newidle_idx, rows["newidle_idx"]) << rows.where(line);
        EXPECT_EQ(level.wake_idx, rows["wake_idx"]) << rows.where(line);
        EXPECT_EQ(level.forkexec_idx, rows["forkexec_idx"]) << rows.where(line);
        EXPECT_EQ(level.flags, rows["flags"]) << rows.where(line);
    }
}

INSTANTIATE_TEST_SUITE_P(Cfs, ArithmeticVectors, testing::ValuesIn(version_keys()),
                         [](const auto& p) { return p.param; });

}  // namespace

}  // namespace wakelab::policy::cfs
