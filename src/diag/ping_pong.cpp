// Tasks that change CPU at most wake-ups, there and back. What that costs is measured, not assumed:
// the same task's run periods after a move against those without (metrics::PeriodCost).
#include <fmt/format.h>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

namespace {

constexpr double kMoveShare = 0.25;     // run periods that begin with a move
constexpr double kReturnShare = 0.5;    // moves back to the CPU before
constexpr double kCostShare = 0.01;     // of all CPU time
constexpr std::uint64_t kEnough = 100;  // run periods

struct GroupMoves {
    std::uint64_t moves = 0;
    std::uint64_t returns = 0;
    std::uint64_t periods = 0;
    std::uint64_t by_wakeup = 0;
    std::uint64_t by_balancer = 0;
    [[nodiscard]] double move_share() const {
        return static_cast<double>(moves) / static_cast<double>(periods);
    }
    [[nodiscard]] double return_share() const {
        return static_cast<double>(returns) / static_cast<double>(moves);
    }
    [[nodiscard]] bool is_ping_pong() const {
        return periods >= kEnough && move_share() >= kMoveShare && return_share() >= kReturnShare;
    }
};

std::vector<GroupMoves> moves_by_group(const metrics::RunMetrics& m) {
    std::vector<GroupMoves> groups(m.groups.count());
    for (std::uint32_t task = 0; task < m.tasks.size(); ++task) {
        const metrics::TaskMetrics& t = m.tasks[task];
        GroupMoves& g = groups[m.groups.group_of(task)];
        g.moves += t.moves;
        g.returns += t.returns;
        g.periods += t.near_periods.periods + t.far_periods.periods;
        g.by_wakeup += t.wake_migrations;
        g.by_balancer += t.balance_migrations;
    }
    return groups;
}

std::vector<Experiment> experiments(const Knobs& knobs, const GroupMoves& g) {
    std::vector<Experiment> out;
    if (g.by_wakeup >= g.by_balancer) {
        try_without_feature(knobs, "AFFINE_WAKEUPS", "wakees stay where they ran", out);
        try_without_feature(knobs, "SYNC_WAKEUPS", "fewer wake-ups count as pulls worth making",
                            out);
        return out;
    }
    const TunableKnob* cost = knobs.tunable("sched_migration_cost");
    if (cost != nullptr)
        try_tunable(knobs, cost->name, 10 * cost->value,
                    "tasks that ran lately count as cache-hot and are not moved", out);
    return out;
}

}  // namespace

std::optional<Finding> find_ping_pong(const Case& c) {
    const metrics::RunMetrics& m = c.run.metrics;
    const double cost = m.move_cost_ns() /
                        (static_cast<double>(m.duration_ns()) * static_cast<double>(m.cpus.size()));
    if (cost < kCostShare) return {};
    const std::vector<GroupMoves> groups = moves_by_group(m);
    std::uint32_t worst = metrics::TaskGroups::kOthers;
    for (std::uint32_t g = 0; g < groups.size(); ++g)
        if (groups[g].is_ping_pong() && groups[g].moves > groups[worst].moves) worst = g;
    const GroupMoves& g = groups[worst];
    if (!g.is_ping_pong()) return {};

    Finding f;
    f.id = "ping-pong";
    f.title = fmt::format("{} moves back and forth between CPUs", m.groups.name(worst));
    f.symptom.push_back(
        fmt::format("{} of its runs began on another CPU than the one before, {} of these moves "
                    "went back to the "
                    "CPU it had left; {} were made at wake-up, {} by the balancer.",
                    share_words(g.move_share()), share_words(g.return_share()),
                    count_words(g.by_wakeup), count_words(g.by_balancer)));
    f.symptom.push_back(fmt::format(
        "After a move into another cache the same task runs longer for the same work: {} of the "
        "machine goes into that.",
        share_words(cost)));
    f.evidence = {{"move_share", g.move_share()},
                  {"return_share", g.return_share()},
                  {"wake_migrations", static_cast<double>(g.by_wakeup)},
                  {"balance_migrations", static_cast<double>(g.by_balancer)}};
    f.groups = {worst};
    f.explains = cost;
    f.confidence = Confidence::kMedium;
    f.experiments = experiments(c.knobs, g);
    return f;
}

}  // namespace wakelab::diag
