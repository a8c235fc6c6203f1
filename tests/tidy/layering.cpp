#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "tidy/checks.hpp"

namespace wakelab::tidy {

namespace {

// Folder of `#include "folder/..."`; nothing for other lines.
std::optional<std::string> included_folder(const std::string& line) {
    constexpr std::string_view kStart = "#include \"";
    if (!line.starts_with(kStart)) return std::nullopt;
    const std::size_t slash = line.find('/', kStart.size());
    if (slash == std::string::npos) return std::nullopt;
    return line.substr(kStart.size(), slash - kStart.size());
}

bool is_keyword(const std::string& word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

Rooms read_rooms(const SourceFile& src_cmake) {
    Rooms rooms;
    for (std::string line : src_cmake.lines) {
        if (!line.starts_with("wk_room(")) continue;
        std::ranges::replace_if(
            line, [](char c) { return c == '(' || c == ')'; }, ' ');
        std::istringstream words(line);
        std::string word, name, keyword;
        words >> word >> name;
        std::set<std::string>& uses = rooms[name];
        while (words >> word) {
            if (is_keyword(word)) keyword = word;
            if (is_keyword(word) || keyword != "DEPS") continue;
            // Rooms are listed lowest first, so what `word` may use is complete.
            uses.insert(word);
            if (const auto below = rooms.find(word); below != rooms.end())
                uses.insert(below->second.begin(), below->second.end());
        }
    }
    return rooms;
}

Findings check_layering(const SourceFile& file, const Rooms& rooms) {
    const std::string room(room_of(file));
    if (room.empty()) return {};
    const auto self = rooms.find(room);
    if (self == rooms.end())
        return {{file.path, 0,
                 fmt::format("expected a wk_room({} ...) line in src/CMakeLists.txt", room)}};
    Findings found;
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
        const auto folder = included_folder(file.lines[i]);
        if (!folder || *folder == room || self->second.contains(*folder)) continue;
        // Only test programs have tests/ on their include path: a header with it serves tests
        // alone.
        if (*folder == "support" && (is_test(file) || is_header(file))) continue;
        found.push_back({file.path, i + 1,
                         fmt::format("room {} may not include {}; expected one of: {}", room,
                                     *folder, fmt::join(self->second, " "))});
    }
    return found;
}

}  // namespace wakelab::tidy
