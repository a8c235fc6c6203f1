#include <unistd.h>

#include <fstream>

#include "bench/benches.hpp"
#include "policy/registry.hpp"
#include "sim/sys.hpp"

namespace wakelab::bench {

namespace {

constexpr std::uint32_t kTasks = 10'000;

double resident_bytes() {
    std::ifstream file("/proc/self/statm");
    long total = 0;
    long resident = 0;
    file >> total >> resident;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

sim::Workload sleeper(sim::Sys& sys) {
    while (true) co_await sys.sleep(1'000_s);
}

}  // namespace

Result<std::vector<Figure>> memory_figures() {
    auto machine = topo::load_machine("q6600");
    if (!machine) return machine.error();
    auto scheduler = policy::find_scheduler("cfs-2.6.26");
    if (!scheduler) return scheduler.error();
    auto config = policy::configure(**scheduler, *machine, {}, {});
    if (!config) return config.error();

    const double before = resident_bytes();
    sim::Engine engine(*machine, {.scheduler = *scheduler, .config = *config});
    for (std::uint32_t i = 0; i < kTasks; ++i) {
        sim::Task& task = engine.add_task({.name = "sleeper",
                                           .cpu = CpuId{i % machine->cpus},
                                           .allowed = topo::CpuMask::first_n(machine->cpus)});
        engine.set_program(task, sleeper(*task.sys));
    }
    if (!engine.run_until(Time{} + 100_ms)) return Error{engine.exit_message()};
    const double after = resident_bytes();
    return std::vector<Figure>{
        {"memory: per sleeping task, of 10 000", "bytes", {(after - before) / kTasks}},
        {"memory: sizeof(sim::Task)", "bytes", {sizeof(sim::Task)}},
        {"memory: sizeof(sim::Sys)", "bytes", {sizeof(sim::Sys)}}};
}

}  // namespace wakelab::bench
