#include "cli/cmd_show.hpp"

#include <fmt/format.h>

#include "report/show_machine.hpp"
#include "report/show_scheduler.hpp"

namespace wakelab::cli {

Status cmd_show(const ShowOptions& options, const Output& output) {
    if (options.what == "machine") {
        const auto machine = topo::load_machine(options.name);
        if (!machine) return machine.error();
        output.out(options.json ? report::machine_json(*machine) : report::machine_text(*machine));
        return {};
    }
    if (options.what == "scheduler") {
        const auto info = policy::find_scheduler(options.name);
        if (!info) return info.error();
        const auto machine = topo::load_machine(options.machine);
        if (!machine) return machine.error();
        output.out(options.json ? report::scheduler_json(**info, *machine)
                                : report::scheduler_text(**info, *machine));
        return {};
    }
    return Error{fmt::format("show {}: expected machine or scheduler", options.what)};
}

}  // namespace wakelab::cli
