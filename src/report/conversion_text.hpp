// What `wakelab convert` has done.
#pragma once

#include <string>
#include <string_view>

#include "trace/quality.hpp"

namespace wakelab::report {

// How many events of which format went to `target`, and on further lines what did not.
[[nodiscard]] std::string conversion_text(std::string_view target, const trace::TraceQuality& quality);
// The same as one object.
[[nodiscard]] std::string conversion_json(std::string_view target, const trace::TraceQuality& quality);

}  // namespace wakelab::report
