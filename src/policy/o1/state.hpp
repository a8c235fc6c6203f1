// Everything the O(1) scheduler of one run knows. The functions of kernel/sched.c are free
// functions on it, one file each; O1Class only connects them to SchedClass. Plain data, so that
// tests can put it into any state the conformance vectors describe.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/domains.hpp"
#include "policy/kernel.hpp"
#include "policy/o1/o1_version.hpp"
#include "policy/o1/prio.hpp"
#include "policy/o1/runqueue.hpp"
#include "policy/sched_class.hpp"

namespace wakelab::policy::o1 {

// enum idle_type, in the kernel's order.
enum class IdleType : std::uint8_t { kIdle, kNotIdle, kNewlyIdle };

// The tick-less idle CPUs and the one that balances for them (o1.md 8.4).
struct Nohz {
    topo::CpuMask idle;
    CpuId load_balancer;
};

struct State {
    State(const O1Version& row, const KernelConfig& kernel, std::uint32_t cpu_count,
          SchedHost& world)
        : version(row),
          prio(row, kernel.hz, cpu_count),
          host(world),
          hz(kernel.hz),
          cpus(cpu_count),
          sched_smt(kernel.sched_smt),
          no_hz(kernel.no_hz),
          clock_compensation(row.clock_compensation),
          rqs(cpu_count),
          domains(cpu_count) {}

    const O1Version& version;
    PrioTables prio;
    SchedHost& host;
    std::uint32_t hz;
    std::uint32_t cpus;
    bool sched_smt;
    bool no_hz;
    bool clock_compensation;    // shift timestamps between the clocks of two CPUs
    bool wake_balance = true;   // kernel.wake_balance
    std::vector<RunQueue> rqs;  // by CPU number
    std::vector<std::vector<SchedDomain>> domains;  // [cpu][level, bottom up]
    Nohz nohz;

    [[nodiscard]] RunQueue& rq(CpuId cpu) { return rqs[cpu.v]; }
    [[nodiscard]] const RunQueue& rq(CpuId cpu) const { return rqs[cpu.v]; }
    [[nodiscard]] std::uint64_t now() const { return static_cast<std::uint64_t>(host.now().ns); }

    // A time on the clock of `from` as the clock of `to` shows it (o1.md 5, 8.2). With synchronous
    // ticks and clocks the two snapshots up to 2.6.19 are equal.
    [[nodiscard]] std::uint64_t shifted(std::uint64_t time, CpuId from, CpuId to) const {
        if (!clock_compensation || from == to) return time;
        return time - rq(from).clock + rq(to).clock;
    }
};

}  // namespace wakelab::policy::o1
