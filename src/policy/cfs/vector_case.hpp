// For tests: the shared part of the conformance files (data/vectors/README.md): tunables, queues
// and tasks of a case put into a TestWorld.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

using Json = nlohmann::json;

inline std::uint64_t u64(const Json& j) {
    return j.is_number_unsigned() ? j.get<std::uint64_t>()
                                  : static_cast<std::uint64_t>(j.get<std::int64_t>());
}

inline SchedPolicy policy_of(int kernel_policy) {
    switch (kernel_policy) {
        case 1:
            return SchedPolicy::kFifo;
        case 2:
            return SchedPolicy::kRr;
        case 3:
            return SchedPolicy::kBatch;
        case 5:
            return SchedPolicy::kIdle;
        default:
            return SchedPolicy::kNormal;
    }
}

class VectorCase {
 public:
    VectorCase(const Json& j, std::string_view machine_name)
        : world(j["ver"].get<std::string>(), machine_name) {
        world.config.features = u64(j["features"]);
        world.set("sched_latency_ns", j["latency"]);
        world.set("sched_min_granularity_ns", j["min_gran"]);
        world.set("sched_wakeup_granularity_ns", j["wakeup_gran"]);
        world.set("sched_migration_cost", j["migration_cost"]);
        world.boot();
    }

    // A row of "tasks" by task_cols, asleep.
    void add_task(const Json& row) {
        const SchedPolicy policy = policy_of(row[2]);
        SchedTask& p = world.add_task(row[1], policy, row[3]);
        p.allowed = topo::CpuMask::of_word(u64(row[6]));
        Entity& se = entity_of(p);
        se.vruntime = u64(row[7]);
        se.exec_start = u64(row[8]);
        se.sum_exec = u64(row[9]);
        se.prev_sum = u64(row[10]);
        if (row.size() > 12) {
            se.last_wakeup = u64(row[11]);
            se.avg_overlap = u64(row[12]);
        }
        if (row.size() > 14) {
            se.start_runtime = u64(row[13]);
            se.avg_wakeup = u64(row[14]);
        }
        if (row.size() > 15) se.avg_running = u64(row[15]);
    }

    // A row of "rqs" by rq_cols; the tasks are there already. Those queued but in no tree column
    // are real-time or running.
    void fill_rq(const Json& row, const Json& task_rows) {
        Rq& q = world.rq(row[0]);
        q.clock = u64(row[1]);
        for (std::size_t i = 0; i < q.cpu_load.size(); ++i) q.cpu_load[i] = u64(row[4][i]);
        const int curr = row[5];
        // Ascending ids were enqueued in that order. The tree is taken as it is: in some cases it
        // was built while min_vruntime was another, so its order need not fit the present one.
        for (std::size_t i = 0; i < task_rows.size(); ++i) {
            const bool here = task_rows[i][1] == row[0] && task_rows[i][5] != 0;
            if (here) world.queue(i);
        }
        q.cfs.tree.clear();
        for (const Json& id : row[11]) q.cfs.tree.push_back(world.se(id));
        if (curr >= 0) {
            q.curr = world.tasks[static_cast<std::size_t>(curr)].get();
            if (!q.curr->is_rt()) q.cfs.curr = &entity_of(*q.curr);
        }
        q.cfs.min_vruntime = u64(row[8]);
        q.cfs.next = entity_at(row[9]);
        q.cfs.last = entity_at(row[10]);
    }

    [[nodiscard]] Entity* entity_at(int id) {
        return id < 0 ? nullptr : &world.se(static_cast<std::size_t>(id));
    }
    [[nodiscard]] static std::int64_t id_of(const Entity* se) {
        return se == nullptr ? -1 : static_cast<std::int64_t>(se->task->id.v);
    }

    TestWorld world;
};

// Versions with recorded arithmetic, and those with recorded whole functions and sequences, too.
inline std::vector<std::string> version_keys() {
    return {"V24", "V25", "V26A", "V26", "V27", "V28", "V29", "V30", "V31", "V32"};
}
inline std::vector<std::string> recorded_version_keys() {
    std::vector<std::string> keys = version_keys();
    std::erase_if(keys, [](const std::string& key) { return key == "V29" || key == "V31"; });
    return keys;
}

// Compares one number of a case; on a mismatch says where, and shows the case.
class CaseCheck {
 public:
    CaseCheck(std::string file_in, std::size_t line_in, const Json& j)
        : file(std::move(file_in)), line(line_in), json(j) {}
    void same(std::string_view field, std::uint64_t got, const Json& want) {
        if (got == u64(want)) return;
        if (text.empty()) text = file + " line " + std::to_string(line) + ":";
        text += " " + std::string(field) + " is " + std::to_string(got) + ", expected " +
                std::to_string(u64(want)) + ";";
    }
    [[nodiscard]] bool ok() const { return text.empty(); }
    [[nodiscard]] std::string failure() const { return text + "\n" + json.dump(); }

 private:
    std::string file;
    std::size_t line;
    const Json& json;
    std::string text;
};

}  // namespace wakelab::policy::cfs
