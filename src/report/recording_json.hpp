// What `wakelab record` has done, for programs.
#pragma once

#include <string>

#include "live/record.hpp"

namespace wakelab::report {

// One object; times in seconds.
[[nodiscard]] std::string recording_json(const live::RecordReport& report);

}  // namespace wakelab::report
