// A row of CfsVersion in words.
#pragma once

#include <vector>

#include "policy/cfs/cfs_version.hpp"
#include "policy/parameter.hpp"

namespace wakelab::policy::cfs {

// Every field of `version` that decides something; same names in the same order for all versions.
[[nodiscard]] std::vector<Parameter> parameters_of(const CfsVersion& version);

}  // namespace wakelab::policy::cfs
