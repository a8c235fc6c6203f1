#include "report/timeline_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"
#include "diag/words.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using metrics::Timeline;
using metrics::TimelineSlice;
using trace::kNobody;

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr char kOther = '#';
constexpr char kIdle = '.';
constexpr char kUnknown = '?';
constexpr std::size_t kMinWidth = 40;

struct Legend {
    std::map<std::uint32_t, char> letter_of;
    std::vector<std::pair<std::uint32_t, std::int64_t>> tasks;  // with run time, most first

    [[nodiscard]] char letter(const TimelineSlice& s) const {
        if (!s.known) return kUnknown;
        if (s.task == kNobody) return kIdle;
        const auto at = letter_of.find(s.task);
        return at == letter_of.end() ? kOther : at->second;
    }
};

Legend legend_of(const Timeline& t) {
    std::map<std::uint32_t, std::int64_t> run_ns;
    for (const auto& lane : t.lanes)
        for (const TimelineSlice& s : lane)
            if (s.known && s.task != kNobody) run_ns[s.task] += s.to_ns - s.from_ns;
    Legend legend;
    legend.tasks.assign(run_ns.begin(), run_ns.end());
    std::ranges::stable_sort(legend.tasks, std::greater{}, [](const auto& p) { return p.second; });
    for (std::size_t i = 0; i < legend.tasks.size() && i < kLetters.size(); ++i)
        legend.letter_of[legend.tasks[i].first] = kLetters[i];
    return legend;
}

struct Lane {
    std::string runs;
    std::string waits;  // digits; blank: nobody waits
    bool any_waits = false;
};

// Of each column the letter with most time, and the longest queue.
Lane lane_of(const std::vector<TimelineSlice>& slices, const Timeline& t, const Legend& legend,
             std::size_t columns) {
    Lane lane{std::string(columns, ' '), std::string(columns, ' '), false};
    const double step =
        static_cast<double>(t.to_ns - t.from_ns) / static_cast<double>(columns);
    std::size_t first = 0;
    for (std::size_t c = 0; c < columns; ++c) {
        const std::int64_t from =
            t.from_ns + static_cast<std::int64_t>(step * static_cast<double>(c));
        const std::int64_t to =
            t.from_ns + static_cast<std::int64_t>(step * static_cast<double>(c + 1));
        std::array<std::int64_t, 256> time{};
        std::uint32_t queued = 0;
        while (first < slices.size() && slices[first].to_ns <= from) ++first;
        for (std::size_t i = first; i < slices.size() && slices[i].from_ns < to; ++i) {
            const TimelineSlice& s = slices[i];
            const auto letter = static_cast<unsigned char>(legend.letter(s));
            time[letter] += std::min(to, s.to_ns) - std::max(from, s.from_ns);
            queued = std::max(queued, s.queued);
        }
        const auto most = std::ranges::max_element(time);
        if (*most > 0) lane.runs[c] = static_cast<char>(most - time.begin());
        if (queued == 0) continue;
        lane.any_waits = true;
        lane.waits[c] = queued > 9 ? '+' : static_cast<char>('0' + queued);
    }
    return lane;
}

std::string legend_text(const Timeline& t, const Legend& legend) {
    TextTable table({Align::kLeft, Align::kLeft});
    for (const auto& [task, ns] : legend.tasks) {
        const auto letter = legend.letter_of.find(task);
        if (letter == legend.letter_of.end()) break;
        const bool named = task < t.task_names.size() && !t.task_names[task].empty();
        table.add({std::string(1, letter->second),
                   named ? printable(t.task_names[task]) : fmt::format("task {}", task),
                   diag::duration_words(static_cast<double>(ns))});
    }
    std::string text = table.text(2);
    if (legend.tasks.size() > kLetters.size())
        text += fmt::format("  {}  {} more tasks\n", kOther, legend.tasks.size() - kLetters.size());
    return text;
}

}  // namespace

std::string timeline_text(const Timeline& timeline, std::size_t width) {
    const std::int64_t length = timeline.to_ns - timeline.from_ns;
    if (length <= 0 || timeline.lanes.empty()) return "nothing in this window\n";
    const std::string last = fmt::format("CPU {}", timeline.lanes.size() - 1);
    const std::size_t columns = std::max(width, kMinWidth) - last.size() - 2;
    const Legend legend = legend_of(timeline);
    std::string text = fmt::format(
        "{} in {} columns of {}; . idle, ? unknown, digits: tasks waiting\n",
        diag::duration_words(static_cast<double>(length)), columns,
        diag::duration_words(static_cast<double>(length) / static_cast<double>(columns)));
    if (timeline.cut) text += "Cut: the window holds more than is kept; ask for a shorter one.\n";
    for (std::size_t cpu = 0; cpu < timeline.lanes.size(); ++cpu) {
        const Lane lane = lane_of(timeline.lanes[cpu], timeline, legend, columns);
        text += fmt::format("{:<{}}  {}\n", fmt::format("CPU {}", cpu), last.size(), lane.runs);
        if (!lane.any_waits) continue;
        std::string waits = lane.waits;
        waits.erase(waits.find_last_not_of(' ') + 1);
        text += fmt::format("{:<{}}  {}\n", "", last.size(), waits);
    }
    return text + "\n" + legend_text(timeline, legend);
}

}  // namespace wakelab::report
