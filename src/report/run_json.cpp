#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/number_text.hpp"
#include "report/run_table.hpp"

namespace wakelab::report {

namespace {

using nlohmann::ordered_json;

ordered_json histogram(const metrics::ExactHistogram& h) {
    return {{"count", h.count()},
            {"p50_ns", h.quantile_ns(0.5)},
            {"p90_ns", h.quantile_ns(0.9)},
            {"p99_ns", h.quantile_ns(0.99)},
            {"p999_ns", h.quantile_ns(0.999)},
            {"max_ns", h.max_ns()},
            {"mean_ns", json_number(h.mean_ns())}};
}

ordered_json summary(const metrics::RunMetrics& m) {
    using metrics::WaitCause;
    const auto waits = [&](WaitCause cause) {
        return m.idle.stuck_wait_ns[static_cast<std::size_t>(cause)];
    };
    return {{"unit", m.unit},
            {"rate_per_s", json_number(m.per_second(m.work_units))},
            {"work_units", m.work_units},
            {"duration_ns", m.duration_ns()},
            {"idle_share", json_number(m.idle_share())},
            {"wait_while_idle",
             {{"time_ns", m.idle.stuck_time_ns},
              {"lost_cpu_ns", m.idle.lost_cpu_ns},
              {"task_time_placed_ns", waits(WaitCause::kPlacement)},
              {"task_time_all_busy_ns", waits(WaitCause::kAllBusy)},
              {"task_time_preempted_ns", waits(WaitCause::kPreempted)}}},
            {"wakeups", m.wakeups},
            {"early_wakeups", m.early_wakeups},
            {"spurious_wakeups", m.spurious_wakeups},
            {"forks", m.forks},
            {"switches", m.switches},
            {"task_switches", m.task_switches},
            {"yields", m.yields},
            {"preemptions",
             {{"wakeup", m.preemptions.by_wakeup},
              {"tick", m.preemptions.by_tick},
              {"other", m.preemptions.other}}},
            {"migrations", {{"wakeup", m.wake_migrations}, {"balance", m.balance_migrations}}},
            {"wakeup_latency", histogram(m.wakeup_latency)},
            {"preemption_delay", histogram(m.preemption_delay)},
            {"records_that_do_not_fit", m.anomalies.total()}};
}

ordered_json task(const metrics::RunMetrics& m, std::uint32_t id) {
    const metrics::TaskMetrics& t = m.tasks[id];
    return {{"name", id < m.task_names.size() ? printable(m.task_names[id]) : ""},
            {"run_ns", t.run_ns},
            {"runnable_ns", t.runnable_ns},
            {"wakeups", t.wakeups},
            {"switches", t.switches},
            {"preemptions", t.preemptions},
            {"wake_migrations", t.wake_migrations},
            {"balance_migrations", t.balance_migrations},
            {"latency_sum_ns", t.latency_sum_ns},
            {"latency_max_ns", t.latency_max_ns},
            {"work_units", t.work_units}};
}

}  // namespace

std::string run_json(const metrics::RunMetrics& m, const RunLabels& labels) {
    ordered_json json;
    json["run"] = ordered_json::object();
    for (const auto& [name, value] : labels) json["run"][name] = value;
    json["metrics"] = summary(m);
    json["cpus"] = ordered_json::array();
    for (const metrics::CpuMetrics& cpu : m.cpus)
        json["cpus"].push_back(
            {{"busy_ns", cpu.busy_ns}, {"idle_ns", cpu.idle_ns}, {"switches", cpu.switches}});
    json["tasks"] = ordered_json::array();
    for (std::uint32_t id = 0; id < m.tasks.size(); ++id) json["tasks"].push_back(task(m, id));
    return json.dump(2) + "\n";
}

}  // namespace wakelab::report
