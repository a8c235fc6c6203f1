// wakelab compare: several schedulers over several client counts and seeds.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/output.hpp"
#include "cli/spec_arguments.hpp"
#include "lab/compare.hpp"

namespace wakelab::cli {

struct CompareOptions {
    SpecArguments spec;                   // scheduler, clients and seed are not used
    std::vector<std::string> schedulers;  // each a comma separated list of SchedulerWord
    std::string clients;                  // client list; empty: the scenario's own
    std::string seeds = "5";
    std::string baseline;  // one of the schedulers as typed; empty: the first
    bool json = false;
};

// Error: an unknown name, changes that a scheduler does not have, a baseline that is not compared.
[[nodiscard]] Result<lab::ComparePlan> plan_of(const CompareOptions& options);
[[nodiscard]] Status cmd_compare(const CompareOptions& options, const Output& output);

}  // namespace wakelab::cli
