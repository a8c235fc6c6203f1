// pgbench of PostgreSQL 8.3, select-only, over AF_UNIX (workloads.md 2): one single-threaded driver holds
// N connections and serves them in index order; one backend process per connection. A 1:N waker whose
// wakees answer: the load that the schedulers of 2008 broke on.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "work/workload.hpp"

namespace wakelab::work {

// User times in ns on the reference machine (Q6600); from data/workloads/pgbench.toml.
struct PgbenchCosts {
    std::int64_t driver_loop = 0;              // one pass of the main loop around select()
    std::int64_t driver_loop_per_client = 0;   // building the fd set, walking the connections
    std::int64_t driver_reply = 0;             // taking one result and building the next query
    std::int64_t driver_bytes = 0;             // hot footprint
    std::int64_t driver_bytes_per_client = 0;
    std::int64_t backend_execute = 0;          // parse, plan, index scan, reply
    std::int64_t backend_bytes = 0;            // hot private footprint
    std::int64_t shared_hot_bytes = 0;         // catalog, upper index pages, lock tables: in every cache
    std::int64_t shared_lines = 0;             // lock tables and buffer headers written each time
    std::int64_t snapshot_lines_per_client = 0;  // entry of every other backend, read for a snapshot
    std::int64_t cold_lines = 0;               // leaf and heap page of a random account
    std::int64_t query_bytes = 0;
    std::int64_t reply_bytes = 0;
    std::int64_t jitter_permille = 0;          // uniform, on every user time
    std::int64_t tail_permille = 0;            // share of backend_execute that is exponential
    std::int64_t connections = 0;              // 1: opened at the start; 0: backends wait where they are put
    std::int64_t connect_run = 0;              // libpq prepares one connection
    std::int64_t accept_run = 0;               // the postmaster takes one, before fork()
    std::int64_t backend_start = 0;            // a backend gets ready for its first query
    std::int64_t set_run = 0;                  // it serves the SET that pgbench sends first
    std::int64_t startup_bytes = 0;            // what a client says first
    std::int64_t ready_bytes = 0;              // and what it is answered
    std::int64_t server_processes = 0;         // 1: the server's own processes run, too
    std::int64_t writer_period = 0;            // of the background writer and of the WAL writer
    std::int64_t writer_run = 0;               // one round of either
    std::int64_t report_period = 0;            // a backend reports its counters no sooner again
    std::int64_t report_bytes = 0;
    std::int64_t collector_run = 0;            // the statistics collector takes one report
    std::int64_t collector_write = 0;          // and writes its file, at most once a report_period
    std::int64_t server_process_bytes = 0;     // hot private footprint of one of the three
};

[[nodiscard]] Result<PgbenchCosts> load_pgbench_costs();
// Sets one value by its name in the file. Error: no such name, or negative.
Status set_pgbench_value(PgbenchCosts& costs, std::string_view key, std::int64_t value);

class Pgbench final : public WorkloadModel {
 public:
    Pgbench(const PgbenchCosts& costs, std::uint32_t clients);
    void build(sim::Engine& engine, TaskChoices& choices) override;
    [[nodiscard]] std::string_view unit() const override { return "transactions"; }

 private:
    struct Connection {
        sim::SocketPair socket;                // a: the driver, b: the backend
        Pgbench* bench = nullptr;
        sim::Engine::TaskSpec backend;
    };

    static sim::Workload driver(sim::Sys& sys, Pgbench& bench);
    static sim::Workload backend(sim::Sys& sys, void* connection);
    // pgbench_start.cpp
    void add_backends(sim::Engine& engine, TaskChoices& choices, Prng& random);
    static sim::Workload postmaster(sim::Sys& sys, Pgbench& bench);
    // pgbench_server.cpp
    void add_server_processes(sim::Engine& engine, TaskChoices& choices);
    static Duration random_phase(sim::Sys& sys, std::int64_t period);  // below period; by task and seed
    static sim::Workload writer(sim::Sys& sys, Pgbench& bench);
    static sim::Workload collector(sim::Sys& sys, Pgbench& bench);

    PgbenchCosts costs_;
    std::uint32_t clients_;
    std::deque<Connection> connections_;
    sim::SocketPair listening_;                // a: the driver, b: the postmaster
    bool connects_ = false;                    // the driver opens the connections; else they are open
    std::unique_ptr<sim::SelectSet> set_;
    sim::SharedSet shared_;
    sim::SocketPair reports_;                  // a: all backends, b: the statistics collector
};

}  // namespace wakelab::work
