#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "tidy/checks.hpp"

namespace wakelab::tidy {

namespace {

// Written in two parts so that this file does not break its own rules.
constexpr std::array<std::string_view, 3> kMarkers = {
    "TO"
    "DO",
    "FIX"
    "ME",
    "X"
    "XX"};
constexpr std::array<std::string_view, 3> kHostPaths = {
    "/wo"
    "rk/",
    "/ro"
    "ot/",
    "/ho"
    "me/"};

// The families below src/policy/ have the same parts under the same names, to be compared; a
// program of bench/ may be called like what it measures.
bool has_a_twin(std::string_view path) {
    constexpr std::string_view kPolicy = "src/policy/";
    if (path.starts_with("bench/")) return true;
    return path.starts_with(kPolicy) &&
           path.substr(kPolicy.size()).find('/') != std::string_view::npos;
}

bool is_document(const SourceFile& file) {
    return file.path.ends_with(".md");
}

}  // namespace

Findings check_pragma_once(const SourceFile& file) {
    if (!is_header(file)) return {};
    const auto once = std::ranges::find(file.lines, std::string("#pragma once"));
    if (once != file.lines.end()) return {};
    return {{file.path, 1, "expected #pragma once"}};
}

Findings check_markers(const SourceFile& file) {
    Findings found;
    for (std::size_t i = 0; i < file.lines.size(); ++i)
        for (const std::string_view marker : kMarkers)
            if (find_word(file.lines[i], marker) != std::string_view::npos)
                found.push_back({file.path, i + 1,
                                 fmt::format("{}: expected finished work or an issue", marker)});
    return found;
}

Findings check_host_paths(const SourceFile& file) {
    Findings found;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        const std::string& line = file.lines[i];
        for (const std::string_view path : kHostPaths) {
            const std::size_t at = line.find(path);
            if (at == std::string::npos) continue;
            // "src" + path and the like are relative.
            if (at > 0 && (is_word_char(line[at - 1]) || line[at - 1] == '.' ||
                           line[at - 1] == '*' || line[at - 1] == '}' || line[at - 1] == '>'))
                continue;
            found.push_back(
                {file.path, i + 1,
                 fmt::format("path of a build machine ({}): expected a relative path", path)});
        }
    }
    return found;
}

Findings check_has_test(const SourceFile& file) {
    if (!is_test(file)) return {};
    const bool has = std::ranges::any_of(file.code, [](const std::string& line) {
        return line.starts_with("TEST(") || line.starts_with("TEST_F(") ||
               line.starts_with("TEST_P(");
    });
    if (has) return {};
    return {{file.path, 1, "expected at least one TEST"}};
}

Findings check_unique_names(const Files& files) {
    std::map<std::string_view, std::string_view> first;
    Findings found;
    for (const SourceFile& file : files) {
        if (!file.path.ends_with(".cpp") || has_a_twin(file.path)) continue;
        const auto [at, added] = first.emplace(file_name(file.path), file.path);
        if (!added)
            found.push_back(
                {file.path, 0, fmt::format("expected a name of its own; {} has it", at->second)});
    }
    return found;
}

Findings check_room_readmes(const Files& files) {
    std::set<std::string> with_code, with_readme;
    for (const SourceFile& file : files) {
        const std::string room(room_of(file));
        if (room.empty()) continue;
        if (is_cpp(file)) with_code.insert(room);
        if (file.path == "src/" + room + "/README.md") with_readme.insert(room);
    }
    Findings found;
    for (const std::string& room : with_code)
        if (!with_readme.contains(room))
            found.push_back({"src/" + room + "/README.md", 0,
                             "expected: purpose, entry points, what the room must not know"});
    return found;
}

Findings check_links(const Files& files) {
    std::set<std::string> paths = {"LICENSE"};
    for (const SourceFile& file : files) {
        paths.insert(file.path);
        for (std::string folder = file.path; folder.find('/') != std::string::npos;) {
            folder.resize(folder.rfind('/'));
            paths.insert(folder);
        }
    }
    Findings found;
    for (const SourceFile& file : files) {
        if (!is_document(file)) continue;
        const std::filesystem::path folder = std::filesystem::path(file.path).parent_path();
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const std::string& line = file.lines[i];
            for (std::size_t at = line.find("]("); at != std::string::npos;
                 at = line.find("](", at + 2)) {
                const std::size_t end = line.find_first_of(")#", at + 2);
                std::string target =
                    line.substr(at + 2, end == std::string::npos ? end : end - at - 2);
                if (target.empty() || target.find("://") != std::string::npos) continue;
                while (target.ends_with('/')) target.pop_back();
                const std::string path = (folder / target).lexically_normal().string();
                if (!paths.contains(path) && !path.ends_with(".csv"))
                    found.push_back({file.path, i + 1, fmt::format("expected a file {}", path)});
            }
        }
    }
    return found;
}

}  // namespace wakelab::tidy
