// Findings as paragraphs, and filling words into lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "diag/finding.hpp"

namespace wakelab::report {

// Words filled into lines of at most 96 columns; `first` begins the first line, `indent` the others.
[[nodiscard]] std::string paragraph(std::string_view text, std::string_view first,
                                    std::string_view indent);

// "1. Title (confidence high, costs 12 % of the machine)", the symptom, with_cases: when and where it
// was seen, and what to try.
[[nodiscard]] std::string finding_text(const diag::Finding& f, std::size_t number, bool with_cases);

}  // namespace wakelab::report
