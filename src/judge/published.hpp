// The published results of data/published: one row per printed number, and the role each plays
// here. The README in that folder describes the columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace wakelab::judge {

// What a row may be used for (data/published/README.md, last section).
enum class Role : std::uint8_t {
    kPredict,    // judged; no constant may be chosen by looking at it. The default.
    kFit,        // machine and workload files may be fitted on it
    kCopy,       // repeats another table; counts nowhere
    kReference,  // shown, never judged
};

[[nodiscard]] std::string_view to_string(Role role);

struct PublishedRow {
    std::string source;
    std::string experiment;
    std::string reporter;
    std::string machine;
    std::string kernel;
    std::string variant;
    std::string workload;
    std::string clients;  // load level as printed; may be empty or a word
    std::string metric;
    std::string unit;
    std::string value;  // exactly as printed; may be a range in a sentence
    std::string run;
    std::string note;
    std::optional<double> number;  // `value`, where it is a plain number
    Role role = Role::kPredict;
    std::string file;  // where it stands, for messages
    int line = 0;
};

// A line of roles.csv. An empty field matches any row.
struct RoleRule {
    std::string experiment;
    std::string kernel;
    std::string variant;
    std::string clients;
    Role role = Role::kPredict;
    std::string why;
    int line = 0;

    [[nodiscard]] bool matches(const PublishedRow& row) const;
};

// `origin` names the text in errors, which are one line: "file:line: what was expected".
[[nodiscard]] Result<std::vector<PublishedRow>> parse_published(std::string_view csv,
                                                                std::string_view origin);
[[nodiscard]] Result<std::vector<RoleRule>> parse_roles(std::string_view csv,
                                                        std::string_view origin);

// Sets the role of every row: that of the first rule that matches, else kPredict. A rule that
// matches no row is an error: a misspelt rule would let a row be judged, or fitted, that must not
// be.
[[nodiscard]] Status assign_roles(std::vector<PublishedRow>& rows,
                                  const std::vector<RoleRule>& rules, std::string_view origin);

// All *.csv of `folder` in order of name, with the roles of its roles.csv.
[[nodiscard]] Result<std::vector<PublishedRow>> load_published(const std::string& folder);
// The one of the data folder.
[[nodiscard]] Result<std::vector<PublishedRow>> load_published();

}  // namespace wakelab::judge
