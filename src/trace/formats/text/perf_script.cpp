#include "trace/formats/text/perf_script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "topo/cpu_mask.hpp"
#include "trace/formats/text/event_text.hpp"
#include "trace/formats/text/line_reader.hpp"
#include "trace/formats/text/line_tasks.hpp"
#include "trace/formats/text/perf_script_line.hpp"

namespace wakelab::trace {

namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t';
}

// "\tffffffff813b4986 try_to_wake_up+0x3b6 ([kernel.kallsyms])", or the empty line that ends a call chain.
bool is_caller(std::string_view line) {
    if (line.empty()) return true;
    if (!is_space(line[0])) return false;
    const std::size_t word = line.find_first_not_of(" \t");
    if (word == line.npos) return true;
    const std::size_t end = std::min(line.find(' ', word), line.size());
    return std::ranges::all_of(line.substr(word, end - word), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

// Systems whose events have the meaning of their names; a probe may have any name.
bool is_kernel_system(std::string_view system) {
    static constexpr std::array<std::string_view, 7> kSystems = {"sched", "irq",          "power",   "ipi",
                                                                 "",      "raw_syscalls", "syscalls"};
    return std::ranges::find(kSystems, system) != kSystems.end();
}

class PerfScriptReader {
 public:
    PerfScriptReader(Input& input, Translator& translator)
        : lines_(input), translator_(translator), name_(input.name()) {}

    Status run();

 private:
    void comment(std::string_view line);
    void event(const PerfScriptLine& line);
    void lost(const PerfScriptLine& line);
    void skip(std::string_view event);
    void damaged();
    Status finish();
    TraceQuality& quality() { return translator_.quality(); }

    LineReader lines_;
    Translator& translator_;
    std::string name_;
    std::uint64_t events_ = 0, without_cpu_ = 0;
    std::uint64_t first_damaged_line_ = 0;
    std::uint8_t digits_ = 0;   // of the fraction of a second: the most seen
    LineTasks tasks_{translator_};
    std::string skipped_name_;  // of the latest lines without meaning here
    std::uint64_t skipped_ = 0;
};

Status PerfScriptReader::run() {
    std::string_view line;
    while (lines_.next(line)) {
        if (lines_.too_long()) {
            damaged();
        } else if (!line.empty() && line[0] == '#') {
            comment(line);
        } else if (const auto parsed = line.empty() ? std::nullopt : parse_perf_script_line(line)) {
            event(*parsed);
        } else if (!is_caller(line)) {
            damaged();
        }
    }
    if (!lines_.status()) return lines_.status().error();
    return finish();
}

// "# os release : 6.18.0" of perf script --header.
void PerfScriptReader::comment(std::string_view line) {
    const std::size_t colon = line.find(" : ");
    if (colon == line.npos) return;
    const std::string_view key = line.substr(std::min<std::size_t>(2, colon), colon - 2);
    const std::string value(line.substr(colon + 3, 1000));
    if (key == "hostname") quality().hostname = value;
    if (key == "os release") quality().kernel = value;
    if (key == "arch") quality().architecture = value;
    if (key == "cmdline") quality().notes.push_back("Recorded by: " + printable(value));
    if (key == "nrcpus online" && events_ == 0)
        if (const auto n = parse_int(value); n && *n > 0 && *n <= topo::kMaxCpus)
            translator_.set_cpus(static_cast<std::uint32_t>(*n));
}

void PerfScriptReader::event(const PerfScriptLine& line) {
    ++events_;
    digits_ = std::max(digits_, line.fraction_digits);
    if (line.event == "PERF_RECORD_LOST") return lost(line);
    if (!is_kernel_system(line.system)) return skip(line.event);
    KernelEvent e;
    e.ns = line.ns;
    e.pid = line.tid;
    switch (parse_event_text(line.event, line.args, e)) {
        case TextOutcome::kDamaged: return damaged();
        case TextOutcome::kNotNeeded: return skip(line.event);
        case TextOutcome::kDecoded: break;
    }
    if (line.cpu < 0) {
        ++without_cpu_;
        return;
    }
    e.cpu = static_cast<std::uint32_t>(std::min<std::int64_t>(line.cpu, UINT32_MAX));
    tasks_.add(e, line.comm);
    tasks_.tell_process(line.tid, line.pid);
}

// "PERF_RECORD_LOST lost 12" of perf script --show-lost-events.
void PerfScriptReader::lost(const PerfScriptLine& line) {
    std::string_view args = line.args;
    if (!args.starts_with("lost ") || line.cpu < 0 || line.cpu >= topo::kMaxCpus) return damaged();
    args.remove_prefix(5);
    KernelEvent e;
    e.type = KernelEventType::kLost;
    e.ns = line.ns;
    e.cpu = static_cast<std::uint32_t>(line.cpu);
    e.value = std::max<std::int64_t>(take_number(args).value_or(0), 0);
    translator_.add(e);
}

void PerfScriptReader::skip(std::string_view event) {
    if (event != skipped_name_) {
        if (skipped_ != 0) quality().skip(skipped_name_, skipped_);
        skipped_name_ = event;
        skipped_ = 0;
    }
    ++skipped_;
}

// The last line may be cut; if that leaves it well-formed nobody can know.
void PerfScriptReader::damaged() {
    if (lines_.ended_without_newline()) {
        quality().truncated = true;
        return;
    }
    if (quality().damaged++ == 0) first_damaged_line_ = lines_.number();
}

Status PerfScriptReader::finish() {
    TraceQuality& q = quality();
    if (skipped_ != 0) q.skip(skipped_name_, skipped_);
    if (without_cpu_ != 0 && q.total_events() == 0)
        return Error{name_ +
                     ": perf script without CPUs; expected the fields tid, cpu, time, event and trace"};
    if (without_cpu_ != 0) q.skip("event without CPU", without_cpu_);
    if (events_ == 0 && first_damaged_line_ != 0)
        return Error{fmt::format("{}: line {}: not a line of perf script; expected \"comm pid/tid [cpu] "
                                 "seconds: event: arguments\"", name_, first_damaged_line_)};
    if (first_damaged_line_ != 0)
        q.notes.push_back(fmt::format("The first line that could not be read is line {}.",
                                      first_damaged_line_));
    if (q.count(KernelEventType::kWaking) + q.count(KernelEventType::kWakeup) != 0)
        q.notes.emplace_back("perf script does not tell which wake-ups came from interrupts.");
    q.clock = "perf";
    q.resolution_ns = 1;
    for (std::uint8_t d = digits_; d < 9 && events_ != 0; ++d) q.resolution_ns *= 10;
    return {};
}

}  // namespace

// More lines of ours than others among the first that are no comments and no call chains.
bool is_perf_script(std::span<const std::byte> bytes) {
    std::string_view head(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool whole = head.size() < Input::kHeadBytes;
    int good = 0, bad = 0;
    while (!head.empty() && good < 20 && bad < 20) {
        const std::size_t end = head.find('\n');
        if (end == head.npos && !whole) break;
        const std::string_view line = head.substr(0, end);
        head.remove_prefix(std::min(line.size() + 1, head.size()));
        if (line.empty() || line[0] == '#') continue;
        if (parse_perf_script_line(line))
            ++good;
        else if (!is_caller(line))
            ++bad;
    }
    return good > bad;
}

Status read_perf_script(Input& input, Translator& translator) {
    return PerfScriptReader(input, translator).run();
}

}  // namespace wakelab::trace
