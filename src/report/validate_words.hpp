// Words that all renderings of a validation share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "judge/validate.hpp"

namespace wakelab::report {

// "cfs-2.6.26-rc3 863 batch", "cfs-2.6.26-rc3 pinned": how a column is run, in short.
[[nodiscard]] std::string setup_text(const judge::PublishedColumn& column);

// A value of the tables in a scale of their set: "9.6", "5.70".
[[nodiscard]] std::string value_text(const judge::ValueScale& scale, double value);

// "f" fitted, "r" reference, "~" two humps over the seeds, "~+" and print within their range.
[[nodiscard]] std::string marks_text(const judge::CellReport& cell);
inline constexpr const char* kMarksLegend =
    "f fitted, r reference (not judged), ~ two humps over the seeds, ~+ and print lies within "
    "their range";

// "91.7 % of 48", "-" without pairs.
[[nodiscard]] std::string share_text(const judge::Pairs& pairs);
// "0.71", "-" where there is none.
[[nodiscard]] std::string tau_text(const std::optional<double>& tau);

// The cells of scores that hold any, one line each: "E01 predicted", .., "all predicted", "all
// fitted".
struct ScoreLine {
    std::string name;
    const judge::Score* score = nullptr;  // into the report
};
[[nodiscard]] std::vector<ScoreLine> score_lines(const judge::ValidationReport& report);

// A simulated cell and where it stands; pointers into the report.
struct CellRef {
    const judge::TableReport* table = nullptr;
    const judge::ColumnReport* column = nullptr;
    const judge::CellReport* cell = nullptr;
};
// The judged cells with the largest errors, largest first; of equal ones the first in the report.
[[nodiscard]] std::vector<CellRef> worst_cells(const judge::ValidationReport& report,
                                               std::size_t count);

}  // namespace wakelab::report
