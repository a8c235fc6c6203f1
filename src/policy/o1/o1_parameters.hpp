// A row of O1Version in words.
#pragma once

#include <vector>

#include "policy/o1/o1_version.hpp"
#include "policy/parameter.hpp"

namespace wakelab::policy::o1 {

// Every field of `version` that decides something; same names in the same order for all versions.
[[nodiscard]] std::vector<Parameter> parameters_of(const O1Version& version);

}  // namespace wakelab::policy::o1
