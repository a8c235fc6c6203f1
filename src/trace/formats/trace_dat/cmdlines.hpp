// saved_cmdlines of tracefs: "PID NAME" lines, the names of tasks when the recording ended.
#pragma once

#include <charconv>
#include <string_view>

#include "trace/translator.hpp"

namespace wakelab::trace {

// For tasks that no event names. Before the first event.
inline void set_cmdlines(std::string_view text, Translator& translator) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        while (line.starts_with(' ')) line.remove_prefix(1);
        std::int32_t pid = 0;
        const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), pid);
        const auto digits = static_cast<std::size_t>(rest - line.data());
        if (error != std::errc{} || digits + 1 >= line.size() || line[digits] != ' ') continue;
        const std::string_view name = line.substr(digits + 1);
        if (name != "<...>") translator.set_fallback_name(pid, name);  // the kernel's word for unknown
    }
}

}  // namespace wakelab::trace
