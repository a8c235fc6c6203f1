// Priorities, recalc_task_prio() and cpu_load[] against the recorded original (o1_prio,
// o1_recalc_task_prio, o1_cpu_load).
#include <string>

#include "policy/o1/conformance.hpp"
#include "policy/o1/load.hpp"

namespace wakelab::policy::o1::test {
namespace {

// Rows of a CSV file by column name.
class Row {
 public:
    Row(const std::vector<std::string>& names, std::vector<std::string> values)
        : names_(names), values_(std::move(values)) {}
    [[nodiscard]] const std::string& text(std::string_view name) const {
        for (std::size_t i = 0; i < names_.size(); ++i)
            if (names_[i] == name) return values_.at(i);
        ADD_FAILURE() << "no column " << name;
        return names_.front();
    }
    [[nodiscard]] std::int64_t number(std::string_view name) const {
        return std::stoll(text(name));
    }
    [[nodiscard]] std::uint32_t small(std::string_view name) const {
        return static_cast<std::uint32_t>(number(name));
    }
    [[nodiscard]] std::string version() const { return "o1-" + text("version"); }

 private:
    const std::vector<std::string>& names_;
    std::vector<std::string> values_;
};

template <class Check>
void for_each_row(const std::string& file, Check check) {
    const std::vector<std::string> lines = wakelab::test::vector_lines(file);
    const std::vector<std::string> names = wakelab::test::split_csv(lines.at(0));
    ASSERT_GT(lines.size(), 1u);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        Differ differ(file, i);
        check(Row(names, wakelab::test::split_csv(lines[i])), differ);
        ASSERT_EQ(differ.text(), "");
    }
}

TEST(O1Conformance, PrioritiesAndSlices) {
    for_each_row("o1_prio.csv", [](const Row& row, Differ& differ) {
        const O1Version& version = o1_version(row.version());
        const PrioTables t(version, row.small("HZ"), row.small("online_cpus"));
        const int static_prio = nice_to_prio(static_cast<int>(row.number("nice")));
        const auto sleep_avg = static_cast<std::uint64_t>(row.number("sleep_avg"));
        const int prio = t.normal_prio(static_prio, sleep_avg);
        differ.field("prio", row.number("prio"), prio);
        differ.field("time_slice", row.number("time_slice"), t.timeslice(static_prio));
        differ.field("interactive", row.number("interactive"),
                     t.interactive(prio, static_prio) ? 1 : 0);
        differ.field("granularity", row.number("granularity"), t.granularity(t.bonus(sleep_avg)));
        differ.field("interactive_sleep_ns", row.number("interactive_sleep_ns"),
                     t.interactive_sleep(static_prio));
        if (version.load_unit == LoadUnit::kWeight)
            differ.field("load_weight", row.number("load_weight"), t.normal_weight(static_prio));
    });
}

TEST(O1Conformance, RecalcTaskPrio) {
    for_each_row("o1_recalc_task_prio.csv", [](const Row& row, Differ& differ) {
        TestWorld w(row.version(), private_caches(1), row.small("HZ"));
        SchedTask& p = w.add(0, static_cast<std::uint64_t>(row.number("sleep_avg_in")),
                             static_cast<int>(row.number("nice")));
        p.policy = policy_of(static_cast<int>(row.number("policy")));
        p.is_user = row.number("user") == 1;
        Entity& e = entity_of(p);
        e.sleep_type = sleep_type_of(w.state(), static_cast<int>(row.number("type_in")));
        const bool credits = w.state().version.sleep_rule == SleepRule::kCredit;
        if (credits) e.interactive_credit = static_cast<std::int16_t>(row.number("credit_in"));
        e.timestamp = static_cast<std::uint64_t>(row.number("timestamp"));
        const int prio =
            recalc_task_prio(w.state(), e, static_cast<std::uint64_t>(row.number("now")));
        differ.field("prio", row.number("prio"), prio);
        differ.field("sleep_avg", row.number("sleep_avg"), e.sleep_avg);
        differ.field("type", row.number("type"), code_of(w.state(), e.sleep_type));
        if (credits) differ.field("credit", row.number("credit"), e.interactive_credit);
    });
}

TEST(O1Conformance, CpuLoad) {
    for_each_row("o1_cpu_load.csv", [](const Row& row, Differ& differ) {
        TestWorld w(row.version(), private_caches(1), 250);
        RunQueue& rq = w.rq(0);
        const auto input = row.small("load_input");
        switch (w.state().version.load_unit) {
            case LoadUnit::kTasks:
            case LoadUnit::kBiased:
                rq.nr_running = input;
                break;
            case LoadUnit::kWeight:
                rq.raw_weighted_load = input;
                break;
        }
        const std::uint32_t averages = w.state().version.one_cpu_load ? 1 : 3;
        for (std::uint32_t i = 0; i < averages; ++i)
            rq.cpu_load[i] = static_cast<std::uint64_t>(row.number("in" + std::to_string(i)));
        update_cpu_load(w.state(), rq);
        for (std::uint32_t i = 0; i < averages; ++i) {
            const std::string name = "out" + std::to_string(i);
            differ.field(name, row.number(name), rq.cpu_load[i]);
        }
    });
}

}  // namespace
}  // namespace wakelab::policy::o1::test
