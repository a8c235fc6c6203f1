#include "trace/formats/text/ftrace_line.hpp"

#include <algorithm>
#include <array>

#include "trace/formats/text/event_text.hpp"
#include "trace/kernel_event.hpp"

// kernel/trace/trace_output.c: trace_print_context(), trace_print_lat_fmt(). trace-cmd's lib/trace-output and
// tep_print_event("%16s-%-5d [%03d]") follow it.

namespace wakelab::trace {

namespace {

// The dash between name and pid: "%16s-".
constexpr std::size_t kNameColumns = 16;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

void skip_spaces(std::string_view& text) {
    std::size_t n = 0;
    while (n < text.size() && text[n] == ' ') ++n;
    text.remove_prefix(n);
}

// Interrupt letters of "d.h2.": no other column uses them.
std::uint8_t context_of(std::string_view flags) {
    std::uint8_t context = 0;
    for (const char c : flags) {
        if (c == 'h' || c == 'z' || c == 'Z') context |= kInHardirq;
        if (c == 'H') context |= kInHardirq | kInSoftirq;
        if (c == 's') context |= kInSoftirq;
    }
    return context;
}

// Up to 19 digits: more are left, and fail what comes next.
inline bool take_unsigned(std::string_view& text, std::uint64_t& value, std::size_t& digits) {
    const char* const first = text.data();
    const char* const end = first + std::min<std::size_t>(text.size(), 19);
    const char* at = first;
    std::uint64_t v = 0;
    for (; at != end; ++at) {
        const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
        if (digit > 9) break;
        v = v * 10 + digit;
    }
    value = v;
    digits = static_cast<std::size_t>(at - first);
    text.remove_prefix(digits);
    return digits > 0;
}

// "26611.810723:" to ns; without a fraction the number itself.
bool take_time(std::string_view& text, FtraceLine& line) {
    static constexpr std::array<std::int64_t, 10> kScale = {1'000'000'000, 100'000'000, 10'000'000, 1'000'000,
                                                            100'000, 10'000, 1'000, 100, 10, 1};
    std::uint64_t whole = 0, fraction = 0;
    std::size_t digits = 0;
    if (!take_unsigned(text, whole, digits)) return false;
    if (!text.empty() && text[0] == '.') {
        text.remove_prefix(1);
        if (digits > 9 || !take_unsigned(text, fraction, digits) || digits > 9) return false;
        line.fraction_digits = static_cast<std::uint8_t>(digits);
        line.ns = static_cast<std::int64_t>(whole) * 1'000'000'000 +
                  static_cast<std::int64_t>(fraction) * kScale[digits];
    } else {
        if (digits > 18) return false;
        line.fraction_digits = 0;
        line.ns = static_cast<std::int64_t>(whole);
    }
    if (text.empty() || text[0] != ':') return false;
    text.remove_prefix(1);
    return true;
}

// "[001]", or "1d..2." of the latency format.
bool take_cpu(std::string_view& text, FtraceLine& line) {
    const bool in_brackets = !text.empty() && text[0] == '[';
    if (in_brackets) text.remove_prefix(1);
    std::uint64_t cpu = 0;
    std::size_t digits = 0;
    if (!take_unsigned(text, cpu, digits) || digits > 6) return false;
    line.cpu = static_cast<std::uint32_t>(cpu);
    if (text.empty() || (in_brackets ? text[0] != ']' : text[0] == ' ')) return false;
    if (in_brackets) text.remove_prefix(1);
    return true;
}

// Flags and time; flags need not be there.
bool take_flags_and_time(std::string_view& text, FtraceLine& line) {
    skip_spaces(text);
    const std::size_t end = text.find(' ');
    if (end == text.npos || end == 0) return false;
    if (text[end - 1] != ':' || !is_digit(text[0])) {
        if (end > 12) return false;
        line.context = context_of(text.substr(0, end));
        text.remove_prefix(end);
        skip_spaces(text);
    }
    return take_time(text, line);
}

bool take_event_name(std::string_view& text, FtraceLine& line) {
    skip_spaces(text);
    if (text.starts_with("(+") || text.starts_with("(-")) {  // trace-cmd report --ts-diff
        text.remove_prefix(std::min(text.find(')'), text.size() - 1) + 1);
        skip_spaces(text);
    }
    std::size_t at = 0;
    while (at < text.size() && text[at] != ':' && text[at] != ' ' && text[at] != '(') ++at;
    const char stop = at < text.size() ? text[at] : '\0';
    const bool returns = stop == ' ' && text.substr(at).starts_with(" -> ");
    if (stop != ':' && stop != '(' && !returns) {
        line.args = text;
        return !text.empty();
    }
    line.event = text.substr(0, at);
    text.remove_prefix(at + (stop == ':' ? 1 : 0));
    skip_spaces(text);
    while (text.ends_with(' ')) text.remove_suffix(1);
    line.args = text;
    return true;
}

// What follows the dash at `dash`.
bool parse_from(std::string_view text, std::size_t dash, FtraceLine& line) {
    std::string_view rest = text.substr(dash + 1);
    std::uint64_t number = 0;
    std::size_t digits = 0;
    if (!take_unsigned(rest, number, digits) || digits > 9) return false;
    line.pid = static_cast<std::int32_t>(number);
    line.tgid = -1;
    line.context = 0;
    line.event = {};
    skip_spaces(rest);
    if (!rest.empty() && rest[0] == '(') {  // option record-tgid: "( 123)", "(-----)"
        rest.remove_prefix(1);
        skip_spaces(rest);
        if (take_unsigned(rest, number, digits) && digits <= 9) line.tgid = static_cast<std::int32_t>(number);
        const std::size_t close = rest.find(')');
        if (close == rest.npos || close > 8) return false;
        rest.remove_prefix(close + 1);
        skip_spaces(rest);
    }
    if (!take_cpu(rest, line) || !take_flags_and_time(rest, line) || !take_event_name(rest, line))
        return false;
    std::string_view name = text.substr(0, dash);
    skip_spaces(name);
    line.comm = name == "<...>" ? std::string_view{} : name;
    return true;
}

}  // namespace

// A name of at most 15 bytes ends at the last dash behind which all of the rest has its form, so a name
// like "a-1 [0] 1.0: x:" stays one.
std::optional<FtraceLine> parse_ftrace_line(std::string_view text) {
    FtraceLine line;
    if (text.size() > kNameColumns && text[kNameColumns] == '-' && parse_from(text, kNameColumns, line))
        return line;
    skip_spaces(text);  // written with fewer spaces, or edited
    for (std::size_t dash = std::min(kNameColumns, text.size()); dash-- > 0;)
        if (text[dash] == '-' && parse_from(text, dash, line)) return line;
    return std::nullopt;
}

}  // namespace wakelab::trace
