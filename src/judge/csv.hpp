// Comma-separated values as RFC 4180 has them: quoted fields may hold commas, line ends and doubled
// quotes. Lines end in LF or CRLF; a final line end is optional.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace wakelab::judge {

struct CsvRecord {
    int line = 0;  // where it begins, from 1
    std::vector<std::string> fields;
};

// `origin` names the text in errors ("file:line: ..."). Empty lines are skipped.
[[nodiscard]] Result<std::vector<CsvRecord>> parse_csv(std::string_view text,
                                                       std::string_view origin);

}  // namespace wakelab::judge
