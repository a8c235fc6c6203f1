// The frame of every page: head with policy and style, skip link, navigation, sections, tables.
// A page asks the network for nothing: its Content-Security-Policy forbids it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wakelab::report::html {

struct PageHead {
    std::string title;                                            // bytes
    std::string subtitle;                                         // HTML
    std::vector<std::pair<std::string, std::string>> facts;       // name, value; bytes
    std::vector<std::pair<std::string, std::string>> navigation;  // id, words
};

// Up to and including <main>.
[[nodiscard]] std::string page_begin(const PageHead& head);
// `footer` is HTML.
[[nodiscard]] std::string page_end(std::string_view footer);

// `lead`, HTML, says what the reader sees; may be empty.
[[nodiscard]] std::string section_begin(std::string_view id, std::string_view title,
                                        std::string_view lead = {});
inline constexpr std::string_view kSectionEnd = "</section>\n";

// A figure with a caption (HTML) around an SVG.
[[nodiscard]] std::string figure(std::string_view svg, std::string_view caption);

// A cell knows the HTML it shows and, for numbers, the value behind it ("data-v"): what a script or
// a test reads is not rounded.
struct Cell {
    std::string html;
    std::string value;  // empty: text
    std::string style_class;
};
[[nodiscard]] Cell text_cell(std::string_view bytes);
[[nodiscard]] Cell number_cell(double value, std::string html);
[[nodiscard]] Cell number_cell(double value);
[[nodiscard]] Cell time_cell(double ns);
[[nodiscard]] Cell share_cell(double share);
[[nodiscard]] Cell empty_cell();

class HtmlTable {
 public:
    // `caption` and column heads are HTML. The first cell of a row is its head.
    HtmlTable(std::string caption, std::vector<std::string> head)
        : caption_(std::move(caption)), head_(std::move(head)) {}

    void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
    [[nodiscard]] bool empty() const { return rows_.empty(); }
    [[nodiscard]] std::string html() const;

 private:
    std::string caption_;
    std::vector<std::string> head_;
    std::vector<std::vector<Cell>> rows_;
};

// <details> that is closed at first.
[[nodiscard]] std::string folded(std::string_view summary, std::string_view html);

}  // namespace wakelab::report::html
