#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tidy/checks.hpp"

namespace wakelab::tidy {

namespace {

struct Package {
    std::string stage;
    std::size_t line = 0;
};
using Packages = std::map<std::string, Package>;

// name stage why...
Packages read_list(const SourceFile& list) {
    Packages packages;
    for (std::size_t i = 0; i < list.lines.size(); ++i) {
        std::istringstream words(list.lines[i]);
        std::string name, stage;
        if (list.lines[i].starts_with('#') || !(words >> name >> stage)) continue;
        packages[name] = {stage, i + 1};
    }
    return packages;
}

// | `name` | stage | ...
Packages read_table(const SourceFile& document) {
    Packages packages;
    for (std::size_t i = 0; i < document.lines.size(); ++i) {
        std::string line = document.lines[i];
        if (!line.starts_with("| `")) continue;
        std::ranges::replace_if(
            line, [](char c) { return c == '|' || c == '`'; }, ' ');
        std::istringstream words(line);
        std::string name, stage;
        words >> name >> stage;
        packages[name] = {stage, i + 1};
    }
    return packages;
}

}  // namespace

Findings check_packages(const SourceFile& list, const SourceFile& document) {
    const Packages listed = read_list(list);
    const Packages described = read_table(document);
    Findings found;
    if (listed.empty()) found.push_back({list.path, 1, "expected packages"});
    for (const auto& [name, package] : listed) {
        if (package.stage != "build" && package.stage != "test")
            found.push_back({list.path, package.line, "expected stage build or test"});
        const auto row = described.find(name);
        if (row == described.end())
            found.push_back({list.path, package.line,
                             fmt::format("expected a row for {} in {}", name, document.path)});
        else if (row->second.stage != package.stage)
            found.push_back({document.path, row->second.line,
                             fmt::format("expected stage {} as in {}", package.stage, list.path)});
    }
    for (const auto& [name, row] : described)
        if (!listed.contains(name))
            found.push_back(
                {document.path, row.line, fmt::format("expected {} in {}", name, list.path)});
    return found;
}

}  // namespace wakelab::tidy
