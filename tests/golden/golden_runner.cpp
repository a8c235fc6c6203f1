// Runs the cases of tests/golden/cases.toml and compares what happens with the files beside it: a
// readable timeline, the counters and the fingerprint of every scheduling event.
//
//   golden_runner compare            every file as recorded
//   golden_runner twice              two runs of one case give the same text
//   golden_runner sinks-off          a run that nobody watches has the same counters and
//   fingerprint golden_runner bless              rewrites the files; explain the difference in the
//   commit
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "golden/golden_case.hpp"
#include "golden/timeline.hpp"
#include "support/source_path.hpp"

namespace wakelab::golden {
namespace {

constexpr std::size_t kTimelineLines = 48;

std::string folder() {
    return test::source_path("tests/golden/");
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), {});
}

bool write_file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream out(path, std::ios::binary);
    out << text;
    return out.good();
}

std::string title(const lab::RunSpec& s) {
    std::string text =
        fmt::format("{} on {} under {}, seed {}", s.scenario, s.machine, s.scheduler, s.seed);
    if (s.clients > 0) text += fmt::format(", {} clients", s.clients);
    for (const std::string& word : s.features) text += " " + word;
    for (const std::string& name : s.batch) text += fmt::format(", {} SCHED_BATCH", name);
    for (const auto& [task, cpus] : s.pins) text += fmt::format(", {} on cpu {}", task, cpus);
    return text;
}

std::string results_text(const lab::RunResult& r) {
    const lab::Counters& c = r.counters;
    std::string text = fmt::format("{:16} {}\n", r.unit, c.work_units);
    const auto line = [&](const char* name, std::uint64_t value) {
        text += fmt::format("{:16} {}\n", name, value);
    };
    line("batches", c.batches);
    line("switches", c.switches);
    line("wakeups", c.wakeups);
    line("early wakeups", c.early_wakeups);
    line("spurious wakeups", c.spurious_wakeups);
    line("migrations", c.migrations);
    line("at wake-up", c.wake_migrations);
    line("preemptions", c.preemptions);
    line("by wake-up", c.preempt_wakeup);
    line("by tick", c.preempt_tick);
    line("events", c.events);
    for (std::size_t cpu = 0; cpu < r.busy_ns.size(); ++cpu)
        text += fmt::format("{:16} {} us\n", fmt::format("cpu{} busy", cpu), r.busy_ns[cpu] / 1000);
    text += fmt::format("fingerprint      {:016x}\n", r.fingerprint);
    if (!r.exit.empty()) text += fmt::format("ended early: {}\n", r.exit);
    return text;
}

Result<std::string> watched_text(const lab::RunSpec& spec) {
    Timeline timeline(kTimelineLines);
    const auto result = lab::run(spec, &timeline);
    if (!result) return result.error();
    std::string text =
        fmt::format("{}\nafter {} ms of warm-up:\n\n", title(spec), spec.warmup.ns / 1'000'000);
    for (const std::string& line : timeline.lines()) text += line + "\n";
    return text + fmt::format("\nin {} ms:\n\n", spec.duration.ns / 1'000'000) +
           results_text(*result);
}

Result<std::string> unwatched_text(const lab::RunSpec& spec) {
    const auto result = lab::run(spec);
    if (!result) return result.error();
    return results_text(*result);
}

// First line in which two texts differ, with its number.
std::string first_difference(std::string_view expected, std::string_view got) {
    for (std::size_t line = 1;; ++line) {
        const std::string_view a = expected.substr(0, expected.find('\n'));
        const std::string_view b = got.substr(0, got.find('\n'));
        if (a != b) return fmt::format("line {}\n  expected: {}\n  got:      {}", line, a, b);
        if (a.size() == expected.size() || b.size() == got.size())
            return fmt::format("line {}: one text ends here", line);
        expected.remove_prefix(a.size() + 1);
        got.remove_prefix(b.size() + 1);
    }
}

enum class Mode { kCompare, kTwice, kSinksOff, kBless };

std::optional<Mode> parse_mode(std::string_view word) {
    if (word == "compare") return Mode::kCompare;
    if (word == "twice") return Mode::kTwice;
    if (word == "sinks-off") return Mode::kSinksOff;
    if (word == "bless") return Mode::kBless;
    return std::nullopt;
}

// Returns what is wrong, or nothing.
std::string check(const GoldenCase& c, Mode mode) {
    const auto text = watched_text(c.spec);
    if (!text) return text.error().message;
    const std::string path = folder() + c.file();
    if (mode == Mode::kBless) return write_file(path, *text) ? "" : "cannot write the file";
    if (mode == Mode::kCompare) {
        const std::string expected = read_file(path);
        if (expected.empty()) return "no such file; golden_runner bless writes it";
        return expected == *text ? "" : first_difference(expected, *text);
    }
    const auto again = mode == Mode::kTwice ? watched_text(c.spec) : unwatched_text(c.spec);
    if (!again) return again.error().message;
    const bool same = mode == Mode::kTwice ? *again == *text : text->ends_with(*again);
    return same ? "" : "the second run differs";
}

int run(std::string_view word) {
    const auto mode = parse_mode(word);
    if (!mode) {
        fmt::print(stderr, "usage: golden_runner compare|twice|sinks-off|bless\n");
        return 2;
    }
    // Cases name files of the source tree, and goldens must not name its place.
    std::filesystem::current_path(test::source_path(""));
    const std::string list = folder() + "cases.toml";
    const auto cases = parse_cases(read_file(list), list);
    if (!cases) {
        fmt::print(stderr, "{}\n", cases.error().message);
        return 2;
    }
    std::size_t bad = 0;
    for (const GoldenCase& c : *cases) {
        const std::string problem = check(c, *mode);
        if (problem.empty()) continue;
        ++bad;
        fmt::print("tests/golden/{}: {}\n", c.file(), problem);
    }
    fmt::print("{} of {} goldens as expected\n", cases->size() - bad, cases->size());
    return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace wakelab::golden

int main(int argc, char** argv) {
    return wakelab::golden::run(argc == 2 ? argv[1] : "");
}
