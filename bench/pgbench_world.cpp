#include "bench/pgbench_world.hpp"

#include "policy/registry.hpp"
#include "work/scenario.hpp"

namespace wakelab::bench {

PgbenchWorld::PgbenchWorld(const topo::Machine& machine, sim::EngineOptions options,
                           std::unique_ptr<work::WorkloadModel> model)
    : model_(std::move(model)), engine_(machine, std::move(options)) {
    work::TaskChoices choices;
    model_->build(engine_, choices);
}

Result<std::unique_ptr<PgbenchWorld>> PgbenchWorld::create(const PgbenchSpec& spec) {
    auto machine = topo::load_machine(spec.machine);
    if (!machine) return machine.error();
    auto scheduler = policy::find_scheduler(spec.scheduler);
    if (!scheduler) return scheduler.error();
    auto config = policy::configure(**scheduler, *machine, spec.features, {});
    if (!config) return config.error();
    auto scenario = work::load_scenario("pgbench");
    if (!scenario) return scenario.error();
    scenario->clients = spec.clients;
    auto model = work::make_workload(*scenario, *machine, {});
    if (!model) return model.error();
    return std::unique_ptr<PgbenchWorld>(
        new PgbenchWorld(*machine, {.scheduler = *scheduler, .config = *config, .seed = spec.seed},
                         std::move(*model)));
}

}  // namespace wakelab::bench
