#include "trace/formats/text/perf_script_line.hpp"

#include <algorithm>

#include "trace/formats/text/event_text.hpp"

// perf_sample__fprintf_start() and process_event() of tools/perf/builtin-script.c.

namespace wakelab::trace {

namespace {

// "%16s ": the name, from the right, and a space; with call chains "%s ".
constexpr std::size_t kNameColumns = 16;
// Names that perf reads from /proc may be longer than those of the kernel's events: of workers up to 63.
constexpr std::size_t kMaxName = 63;

void skip_spaces(std::string_view& text) {
    std::size_t n = 0;
    while (n < text.size() && text[n] == ' ') ++n;
    text.remove_prefix(n);
}

bool take(std::string_view& text, char c) {
    if (text.empty() || text[0] != c) return false;
    text.remove_prefix(1);
    return true;
}

bool take_id(std::string_view& text, std::int32_t& id) {
    const auto n = take_number(text);
    if (!n || *n < -1 || *n > INT32_MAX) return false;
    id = static_cast<std::int32_t>(*n);
    return true;
}

// "25952.109685:"
bool take_time(std::string_view& text, PerfScriptLine& line) {
    const auto seconds = take_number(text);
    if (!seconds || *seconds < 0 || *seconds > 9'000'000'000 || !take(text, '.')) return false;
    const std::size_t before = text.size();
    const auto fraction = take_number(text);
    const std::size_t digits = before - text.size();
    if (!fraction || *fraction < 0 || digits > 9 || !take(text, ':')) return false;
    std::int64_t unit = 1;
    for (std::size_t d = digits; d < 9; ++d) unit *= 10;
    line.fraction_digits = static_cast<std::uint8_t>(digits);
    line.ns = *seconds * 1'000'000'000 + *fraction * unit;
    return true;
}

// "      sched:sched_switch: ", before it perhaps the period.
bool take_event(std::string_view& text, PerfScriptLine& line) {
    skip_spaces(text);
    std::string_view rest = text;
    if (const auto period = take_number(rest); period && !rest.empty() && rest[0] == ' ') {
        skip_spaces(rest);
        text = rest;
    }
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view name = text.substr(0, end);
    if (name.starts_with("PERF_RECORD_")) {  // without a colon
        line.event = name;
    } else if (name.size() > 1 && name.back() == ':') {
        name.remove_suffix(1);
        const std::size_t colon = name.find(':');
        line.system = colon == name.npos ? std::string_view{} : name.substr(0, colon);
        line.event = colon == name.npos ? name : name.substr(colon + 1);
    } else {
        return false;
    }
    text.remove_prefix(end);
    skip_spaces(text);
    while (text.ends_with(' ')) text.remove_suffix(1);
    line.args = text;
    return true;
}

// All that follows the name; it begins with the space that ends it, or (no name) anyhow.
bool parse_from(std::string_view text, PerfScriptLine& line) {
    line = {};
    skip_spaces(text);
    if (!take_id(text, line.tid)) return false;
    if (take(text, '/')) {
        line.pid = line.tid;
        if (!take_id(text, line.tid)) return false;
    }
    if (text.empty() || text[0] != ' ') return false;
    skip_spaces(text);
    if (take(text, '[')) {
        const auto cpu = take_number(text);
        if (!cpu || *cpu < 0 || !take(text, ']')) return false;
        line.cpu = *cpu;
        skip_spaces(text);
    }
    return take_time(text, line) && take_event(text, line);
}

}  // namespace

// A name may hold anything that the rest does; it ends in its column, else at the last place in reach from
// which the rest has its form.
std::optional<PerfScriptLine> parse_perf_script_line(std::string_view text) {
    PerfScriptLine line;
    const auto ends_at = [&](std::size_t at) {
        if (at >= text.size() || text[at] != ' ' || !parse_from(text.substr(at), line)) return false;
        std::string_view name = text.substr(0, at);
        skip_spaces(name);
        if (name.starts_with(':')) {  // ":1234": perf knows no name
            std::string_view rest = name.substr(1);
            std::int32_t id = 0;
            if (take_id(rest, id) && rest.empty() && id == line.tid) name = {};
        }
        line.comm = name;
        return true;
    };
    if (ends_at(kNameColumns)) return line;
    for (std::size_t at = std::min(kNameColumns, text.size()); at-- > 1;)
        if (ends_at(at)) return line;
    for (std::size_t at = kNameColumns + 1; at < std::min(text.size(), kMaxName + 1); ++at)
        if (ends_at(at)) return line;
    return parse_from(text, line) ? std::optional(line) : std::nullopt;
}

}  // namespace wakelab::trace
