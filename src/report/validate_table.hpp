// A validation for people at a terminal.
#pragma once

#include <cstdint>
#include <string>

#include "judge/validate.hpp"

namespace wakelab::report {

enum class ValidateDetail : std::uint8_t {
    kRates,   // published, simulated, error
    kCauses,  // also batch size, switches, migrations, spurious wake-ups and busy share
};

// One table per experiment (values over client counts), the scores, the worst ten.
[[nodiscard]] std::string validate_text(const judge::ValidationReport& report,
                                        ValidateDetail detail);

}  // namespace wakelab::report
