#include "tidy/source_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tidy/strip_code.hpp"

namespace wakelab::tidy {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool is_skipped_folder(const fs::path& path) {
    const std::string name = path.filename().string();
    return name == ".git" || name == ".cache" || name == "build" || name == "out" ||
           name == "node_modules";
}

// Binary files, tables of numbers, the licence and the output of our own programs have no style.
bool is_skipped_file(const fs::path& path) {
    const std::string extension = path.extension().string();
    return extension == ".zst" || extension == ".csv" || path.filename() == "LICENSE" ||
           path.string().find("/tests/data/") != std::string::npos;
}

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), {});
}

bool is_text(std::string_view content) {
    return content.find('\0') == std::string_view::npos;
}

}  // namespace

std::string to_text(const Findings& findings) {
    std::string text;
    for (const Finding& f : findings) text += fmt::format("{}:{}: {}\n", f.path, f.line, f.message);
    return text;
}

SourceFile make_source_file(std::string path, std::string_view text) {
    SourceFile file;
    file.path = std::move(path);
    file.lines = split_lines(text);
    if (is_cpp(file)) file.code = strip_code(file.lines);
    return file;
}

std::vector<SourceFile> read_tree(const std::string& root) {
    std::vector<SourceFile> files;
    for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator();
         ++it) {
        if (it->is_directory() && is_skipped_folder(it->path())) it.disable_recursion_pending();
        if (!it->is_regular_file() || is_skipped_file(it->path())) continue;
        const std::string content = read_file(it->path());
        // Pictures have no lines, but documents link to them.
        files.push_back(make_source_file(it->path().lexically_relative(root).string(),
                                         is_text(content) ? content : std::string()));
    }
    std::ranges::sort(files, {}, &SourceFile::path);
    return files;
}

bool is_cpp(const SourceFile& file) {
    return file.path.ends_with(".cpp") || is_header(file) || file.path.ends_with(".inc");
}

bool is_header(const SourceFile& file) {
    return file.path.ends_with(".hpp") || file.path.ends_with(".h");
}

bool is_test(const SourceFile& file) {
    return file.path.ends_with("_test.cpp");
}

bool is_bench(const SourceFile& file) {
    return file.path.ends_with("_bench.cpp");
}

std::string_view room_of(const SourceFile& file) {
    std::string_view path = file.path;
    if (!path.starts_with("src/")) return {};
    path.remove_prefix(4);
    const std::size_t slash = path.find('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view file_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t find_word(std::string_view line, std::string_view word, std::size_t from) {
    for (std::size_t at = line.find(word, from); at != std::string_view::npos;
         at = line.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool left = at == 0 || !is_word_char(word.front()) || !is_word_char(line[at - 1]);
        const bool right =
            end == line.size() || !is_word_char(word.back()) || !is_word_char(line[end]);
        if (left && right) return at;
    }
    return std::string_view::npos;
}

}  // namespace wakelab::tidy
