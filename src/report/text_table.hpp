// A plain text table: columns as wide as their widest cell, two spaces apart, no trailing blanks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wakelab::report {

enum class Align : std::uint8_t { kLeft, kRight };

class TextTable {
 public:
    // Columns beyond the given ones are right-aligned, as numbers are.
    explicit TextTable(std::vector<Align> columns) : align_(std::move(columns)) {}

    void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), {}}); }
    // A row of which only the first cell is in a column; `text` runs freely after it.
    void add_note(std::string first, std::string text) {
        rows_.push_back({{std::move(first)}, std::move(text)});
    }
    // Every line ends in a line end and begins with `indent` blanks.
    [[nodiscard]] std::string text(std::size_t indent = 0) const;

 private:
    struct Row {
        std::vector<std::string> cells;
        std::string note;
    };
    std::vector<Align> align_;
    std::vector<Row> rows_;
};

// Characters of UTF-8 text, taken as one column each.
[[nodiscard]] std::size_t display_width(std::string_view text);

}  // namespace wakelab::report
