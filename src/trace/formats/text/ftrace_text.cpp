#include "trace/formats/text/ftrace_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "topo/cpu_mask.hpp"
#include "trace/formats/text/event_text.hpp"
#include "trace/formats/text/ftrace_line.hpp"
#include "trace/formats/text/line_reader.hpp"
#include "trace/formats/text/line_tasks.hpp"

namespace wakelab::trace {

namespace {

bool take_word(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

void skip_blanks(std::string_view& text) {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

std::string_view next_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

struct LostLine {
    std::uint32_t cpu = 0;
    std::int64_t count = 0;  // 0: not told
};

// "CPU:3 [LOST 12 EVENTS]", "CPU:3 [LOST EVENTS]" of the kernel; "CPU:3 [12 EVENTS DROPPED]",
// "CPU:3 [EVENTS DROPPED]" of trace-cmd.
bool parse_lost(std::string_view line, LostLine& lost) {
    if (!take_word(line, "CPU:")) return false;
    const auto cpu = take_number(line);
    if (!cpu || *cpu < 0 || *cpu >= topo::kMaxCpus || !take_word(line, " [")) return false;
    take_word(line, "LOST ");
    lost.cpu = static_cast<std::uint32_t>(*cpu);
    lost.count = take_number(line).value_or(0);
    return line.ends_with("EVENTS]") || line.ends_with("EVENTS DROPPED]");
}

// "##### CPU 2 buffer started ####"
bool parse_buffer_started(std::string_view line, LostLine& lost) {
    if (!take_word(line, "##### CPU ")) return false;
    const auto cpu = take_number(line);
    if (!cpu || *cpu < 0 || *cpu >= topo::kMaxCpus) return false;
    lost = {.cpu = static_cast<std::uint32_t>(*cpu), .count = 0};
    return line.starts_with(" buffer started");
}

bool is_html(std::string_view head) {
    skip_blanks(head);
    if (!head.starts_with("<!DOCTYPE") && !head.starts_with("<html") && !head.starts_with("<!doctype"))
        return false;
    for (const std::string_view word : {"trace-data", "trace-viewer", "Android System Trace", "systrace"})
        if (head.find(word) != head.npos) return true;
    return false;
}

class FtraceTextReader {
 public:
    FtraceTextReader(Input& input, Translator& translator)
        : lines_(input), translator_(translator), name_(input.name()),
          html_(is_html({reinterpret_cast<const char*>(input.head().data()), input.head().size()})) {}

    Status run();

 private:
    void text_line(std::string_view line);
    void html_line(std::string_view line);
    void comment(std::string_view line);
    void event(const FtraceLine& line);
    void flush_lost(std::int64_t ns);
    void damaged();
    void finish_quality();
    TraceQuality& quality() { return translator_.quality(); }

    LineReader lines_;
    Translator& translator_;
    std::string name_;
    bool html_;
    bool in_data_ = false;        // html: inside a <script class="trace-data">
    bool data_is_ftrace_ = false;  // and its first line is one of ours
    bool overwritten_ = false;     // the header says that the buffer was too small
    bool latency_format_ = false;
    std::uint64_t events_ = 0;
    std::uint64_t first_damaged_line_ = 0;
    std::uint8_t digits_ = 0;      // of the fraction of a second: the most seen
    std::int64_t latest_ns_ = 0;
    std::vector<LostLine> lost_;   // not yet followed by an event
    LineTasks tasks_{translator_};
};

Status FtraceTextReader::run() {
    std::string_view line;
    while (lines_.next(line)) {
        if (lines_.too_long()) {
            if (!html_) damaged();
        } else if (html_) {
            html_line(line);
        } else {
            text_line(line);
        }
    }
    if (!lines_.status()) return lines_.status().error();
    flush_lost(latest_ns_);
    if (events_ == 0 && latency_format_)
        return Error{name_ + ": ftrace text in latency format; expected option latency-format off"};
    if (events_ == 0 && quality().damaged > 0)
        return Error{fmt::format("{}: line {}: not a line of ftrace text; expected \"comm-pid [cpu] seconds: "
                                 "event: arguments\"", name_, first_damaged_line_)};
    finish_quality();
    return {};
}

// Other scripts of the page and their data are not ours, so nothing in them counts as damage.
void FtraceTextReader::html_line(std::string_view line) {
    if (!in_data_) {
        const std::size_t at = line.find("class=\"trace-data\"");
        if (at == line.npos) return;
        in_data_ = true;
        data_is_ftrace_ = false;
        const std::size_t close = line.find('>', at);
        line = close == line.npos ? std::string_view{} : line.substr(close + 1);
    }
    const std::size_t end = line.find("</script");
    in_data_ = end == line.npos;
    line = line.substr(0, end);
    std::string_view content = line;
    skip_blanks(content);
    if (content.empty()) return;
    if (!data_is_ftrace_) data_is_ftrace_ = line[0] == '#' || parse_ftrace_line(line).has_value();
    if (data_is_ftrace_) text_line(line);
}

void FtraceTextReader::text_line(std::string_view line) {
    if (const auto parsed = parse_ftrace_line(line)) return event(*parsed);
    LostLine lost;
    if (line.empty()) return;
    if (line[0] == 'C' && parse_lost(line, lost)) {
        if (lost_.size() < topo::kMaxCpus) lost_.push_back(lost);
    } else if (line[0] == '#') {
        comment(line);
    } else if (events_ == 0 && take_word(line, "cpus=")) {
        if (const auto n = take_number(line); n && *n > 0)
            translator_.set_cpus(static_cast<std::uint32_t>(std::min<std::int64_t>(*n, topo::kMaxCpus)));
    } else if (lines_.ended_without_newline()) {
        quality().truncated = true;
    } else if (line != "capturing trace... done" && line != "TRACE:") {  // atrace
        damaged();
    }
}

void FtraceTextReader::comment(std::string_view line) {
    LostLine lost;
    if (parse_buffer_started(line, lost)) {
        // What this CPU did before is missing, unless it just had nothing to say.
        if (overwritten_ && events_ > 0 && lost_.size() < topo::kMaxCpus) lost_.push_back(lost);
        return;
    }
    if (line.starts_with("# latency: ")) latency_format_ = true;
    if (const std::size_t at = line.find("#P:"); at != line.npos) {
        std::string_view count = line.substr(at + 3);
        if (const auto n = take_number(count); n && *n > 0 && *n <= topo::kMaxCpus)
            translator_.set_cpus(static_cast<std::uint32_t>(*n));
    }
    const std::size_t at = line.find("entries-written: ");
    if (at == line.npos) return;
    std::string_view numbers = line.substr(at + 17);
    const auto kept = take_number(numbers);
    if (!kept || !take_word(numbers, "/")) return;
    const auto written = take_number(numbers);
    if (!written || *written <= *kept) return;
    overwritten_ = true;
    quality().notes.push_back(fmt::format(
        "{} events before the first were overwritten in the tracer's buffer", *written - *kept));
}

void FtraceTextReader::damaged() {
    if (quality().damaged++ == 0) first_damaged_line_ = lines_.number();
}

void FtraceTextReader::flush_lost(std::int64_t ns) {
    for (const LostLine& lost : lost_) {
        KernelEvent e;
        e.ns = ns;
        e.cpu = lost.cpu;
        e.type = KernelEventType::kLost;
        e.value = lost.count;
        translator_.add(e);
    }
    lost_.clear();
}

void FtraceTextReader::event(const FtraceLine& line) {
    ++events_;
    digits_ = std::max(digits_, line.fraction_digits);
    latest_ns_ = line.ns;
    if (!lost_.empty()) flush_lost(line.ns);
    if (line.event.empty()) return quality().skip("functions");
    KernelEvent e;
    e.ns = line.ns;
    e.cpu = line.cpu;
    e.context = line.context;
    e.pid = line.pid;
    switch (parse_event_text(line.event, line.args, e)) {
        case TextOutcome::kDamaged:
            if (lines_.ended_without_newline()) quality().truncated = true;
            else damaged();
            return;
        case TextOutcome::kNotNeeded:
            return quality().skip(std::string(line.event));
        case TextOutcome::kDecoded:
            break;
    }
    tasks_.add(e, line.comm);
    tasks_.tell_process(line.pid, line.tgid);
}

void FtraceTextReader::finish_quality() {
    TraceQuality& q = quality();
    if (first_damaged_line_ != 0)
        q.notes.push_back(fmt::format("the first line that could not be read is line {}",
                                      first_damaged_line_));
    if (events_ == 0) return;
    q.resolution_ns = 1;
    for (std::uint8_t d = digits_; d < 9 && d > 0; ++d) q.resolution_ns *= 10;
    if (digits_ != 0) return;
    q.clock = "not in seconds";
    q.notes.push_back("the timestamps are not in seconds (trace clock counter or x86-tsc): each unit is "
                      "taken for a nanosecond");
}

bool is_text_of_lines(std::string_view head) {
    int good = 0, bad = 0;
    const bool whole = head.size() < Input::kHeadBytes;
    while (!head.empty() && good < 20 && bad < 20) {
        if (!whole && head.find('\n') == head.npos) break;
        const std::string_view line = next_line(head);
        LostLine lost;
        if (line.empty() || line[0] == '#' || line.starts_with("cpus=") || parse_lost(line, lost)) continue;
        ++(parse_ftrace_line(line) ? good : bad);
    }
    return good > bad;
}

}  // namespace

bool is_ftrace_text(std::span<const std::byte> bytes) {
    const std::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return head.starts_with("# tracer: ") || is_html(head) || is_text_of_lines(head);
}

Status read_ftrace_text(Input& input, Translator& translator) {
    return FtraceTextReader(input, translator).run();
}

}  // namespace wakelab::trace
