// A machine: CPUs, the caches they share, and what its hardware and kernel primitives cost. Read from
// data/machines/NAME.toml; every number there has its source or the table it was fitted on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "topo/cpu_mask.hpp"

namespace wakelab::topo {

// A last-level cache: the level whose contents a task loses when it moves away.
struct Cache {
    std::uint64_t size_bytes = 0;
    std::uint32_t ways = 8;            // associativity; read for the 2.4 schedulers only
    std::vector<CpuId> cpus;           // ascending
};

// Costs in ns of CPU time unless named otherwise. "Line" = one cache line of line_bytes.
struct Costs {
    // switching
    std::int64_t switch_direct = 0;    // schedule() and the register switch
    std::int64_t switch_refill = 0;    // kernel stack and page tables after another task ran on the CPU
    std::int64_t switch_idle = 0;      // from idle back to the task that ran there last
    // waking
    std::int64_t wake = 0;             // try_to_wake_up on the waker
    std::int64_t wake_remote = 0;      // more, when the wakee goes to another CPU
    std::int64_t wake_far_lines = 0;   // lines of task and queue that waker and wakee pass to each other
                                       // between two caches; each of them pays for as many
    std::int64_t idle_wake = 0;        // need_resched of an idle CPU until its schedule()
    std::int64_t ipi = 0;              // reschedule IPI until it interrupts a busy CPU
    std::int64_t irq = 0;              // interrupt entry, handler and exit
    std::int64_t tick = 0;             // timer tick
    std::int64_t hrtimer_program = 0;  // programming the slice timer
    std::int64_t migration_thread = 0; // one active balance
    std::int64_t pull = 0;             // moving one queued task
    // system calls: before and after their effect
    std::int64_t send_before = 0;      // AF_UNIX stream send: copy, queue
    std::int64_t send_after = 0;
    std::int64_t recv_before = 0;      // AF_UNIX stream recv
    std::int64_t recv_after = 0;
    std::int64_t message_lines = 0;    // lines of a message and its buffers, when sent in another cache
    std::int64_t block = 0;            // from "nothing there" to schedule(), and again after a wake-up
    std::int64_t select_before = 0;    // fixed part of one scan
    std::int64_t select_per_fd = 0;
    std::int64_t select_after = 0;
    std::int64_t pipe_before = 0;      // pipe read or write, per call
    std::int64_t pipe_after = 0;
    std::int64_t copy_per_kib = 0;     // copying to or from a kernel buffer, data in this cache
    std::int64_t timer_call = 0;       // nanosleep, timer wait: entry
    std::int64_t yield_call = 0;
    std::int64_t fork_call = 0;
    std::int64_t exec_call = 0;        // exec(): loading the new image
    std::int64_t exit_call = 0;
    // schedulers with one runqueue lock (2.4); goodness.md 9.1 names them s0, w0, q, i, r
    std::int64_t runqueue_scan = 0;    // lock held by a pass of schedule(), without the tasks visited
    std::int64_t runqueue_wake = 0;    // lock held by try_to_wake_up()
    std::int64_t runqueue_examine = 0; // more, for each CPU whose current task it looks at
    std::int64_t ipi_send = 0;         // more, for a reschedule IPI
    std::int64_t recalc_task = 0;      // new ticks for one task
    // memory
    std::int64_t line_bytes = 64;
    std::int64_t line_l1 = 0;          // line that L1 lost but the cache below still has, TLB included
    std::int64_t line_near = 0;        // dirty line of another CPU that shares the cache
    std::int64_t line_far = 0;         // line that another cache of the same level holds
    std::int64_t line_memory = 0;      // line from memory
};

struct Machine {
    std::string name;
    std::string summary;
    std::string vendor;                // "intel" or "amd": decides cache domains of old kernels
    std::uint32_t cpus = 0;
    std::vector<Cache> caches;         // every CPU in exactly one
    std::vector<std::vector<CpuId>>
        nodes;                         // of memory; every CPU in one; empty: the machine is one
    // Sets of CPUs that are threads of one core, ascending; CPUs in none are cores of their own. Only
    // schedulers look at it: the cost model lets threads of a core run at full speed.
    std::vector<std::vector<CpuId>> smt;
    std::int64_t l1_kib = 0;           // private first-level data cache of a CPU
    std::vector<std::uint32_t> cache_of;  // CPU number -> index in caches
    // Ways of the cache model: 0 = fully random replacement (evicted share 1 - exp(-x)); k > 0 = the
    // k-stage step (regularised gamma) that a set-associative LRU cache shows; 0, 2, 4 or 8.
    std::uint32_t cache_stages = 0;
    // Speed of user code relative to the Q6600 the workload files are written for, in permille of time.
    std::int64_t user_time_permille = 1000;
    Costs costs;

    [[nodiscard]] bool same_cache(CpuId a, CpuId b) const {
        return cache_of[a.v] == cache_of[b.v];
    }
};

// `name_or_path`: a machine of data/machines, or a path ending in .toml.
// Error: one line with file, line or field and what was expected.
[[nodiscard]] Result<Machine> load_machine(std::string_view name_or_path);
// For tests and overrides. `origin` names the text in errors.
[[nodiscard]] Result<Machine> parse_machine(std::string_view toml, std::string_view origin);
// Sets one number by its name in the file ("costs.line_far", "user_time_permille"), for what-if runs and
// fitting. Error: no such name, or out of range.
Status set_machine_value(Machine& machine, std::string_view key, std::int64_t value);
// Names in data/machines, sorted.
[[nodiscard]] std::vector<std::string> machine_names();

}  // namespace wakelab::topo
