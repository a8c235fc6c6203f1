#include "cli/cmd_diff.hpp"

#include "report/scheduler_diff.hpp"

namespace wakelab::cli {

Status cmd_diff(const DiffOptions& options, const Output& output) {
    const auto a = policy::find_scheduler(options.a);
    if (!a) return a.error();
    const auto b = policy::find_scheduler(options.b);
    if (!b) return b.error();
    const auto machine = topo::load_machine(options.machine);
    if (!machine) return machine.error();
    const auto diff = report::diff_schedulers(**a, **b, *machine, options.all);
    output.out(options.json ? report::diff_json(diff) : report::diff_text(diff));
    return {};
}

}  // namespace wakelab::cli
