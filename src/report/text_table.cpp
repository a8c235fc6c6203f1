#include "report/text_table.hpp"

#include <algorithm>

namespace wakelab::report {

std::size_t display_width(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count_if(
        text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string TextTable::text(std::size_t indent) const {
    std::vector<std::size_t> widths;
    for (const Row& row : rows_) {
        if (widths.size() < row.cells.size()) widths.resize(row.cells.size());
        for (std::size_t i = 0; i < row.cells.size(); ++i)
            widths[i] = std::max(widths[i], display_width(row.cells[i]));
    }
    std::string text;
    for (const Row& row : rows_) {
        std::string line(indent, ' ');
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            const bool left = i < align_.size() && align_[i] == Align::kLeft;
            const std::string blanks(widths[i] - display_width(row.cells[i]), ' ');
            if (i > 0) line += "  ";
            line += left ? row.cells[i] + blanks : blanks + row.cells[i];
        }
        if (!row.note.empty()) line += "  " + row.note;
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + '\n';
    }
    return text;
}

}  // namespace wakelab::report
