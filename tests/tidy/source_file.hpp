// The files that the tidy checks read: path, lines, and the lines without comments and literals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wakelab::tidy {

struct SourceFile {
    std::string path;  // relative to the root of the source tree
    std::vector<std::string> lines;
    std::vector<std::string> code;  // C++ only: comments and the inside of literals are blanks
};

// One broken rule: where, and what was expected.
struct Finding {
    std::string path;
    std::size_t line = 0;  // from 1; 0: the file as a whole
    std::string message;
};
using Findings = std::vector<Finding>;

// "path:line: message", one per line.
[[nodiscard]] std::string to_text(const Findings& findings);

// A file as the checks see it; for tests and for read_tree.
[[nodiscard]] SourceFile make_source_file(std::string path, std::string_view text);

// All text files below `root` except build output and version control, sorted by path.
[[nodiscard]] std::vector<SourceFile> read_tree(const std::string& root);

// --- what kind of file a path names
// --------------------------------------------------------------------
[[nodiscard]] bool is_cpp(const SourceFile& file);
[[nodiscard]] bool is_header(const SourceFile& file);
[[nodiscard]] bool is_test(const SourceFile& file);   // *_test.cpp
[[nodiscard]] bool is_bench(const SourceFile& file);  // *_bench.cpp
// "sim" of "src/sim/engine.hpp"; empty outside src/<room>/.
[[nodiscard]] std::string_view room_of(const SourceFile& file);
[[nodiscard]] std::string_view file_name(std::string_view path);

// --- words
// ---------------------------------------------------------------------------------------------
[[nodiscard]] bool is_word_char(char c);
// Position of `word` in `line` where no identifier character touches it; npos if there is none.
[[nodiscard]] std::size_t find_word(std::string_view line, std::string_view word,
                                    std::size_t from = 0);

}  // namespace wakelab::tidy
