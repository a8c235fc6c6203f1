#include "work/rtapp/rtapp_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace wakelab::work::rtapp {

namespace {

struct ThreadSums {
    std::int64_t passes = 0;
    Duration run;
    Duration period;
    Duration slack;
    Duration slack_min;
    std::vector<Duration> wu_lat;  // of the passes with a timer
};

void add(ThreadSums& sums, const PassRecord& r) {
    ++sums.passes;
    sums.run += r.run;
    sums.period += r.period();
    if (!r.timed) return;
    sums.slack_min = sums.wu_lat.empty() ? r.slack : std::min(sums.slack_min, r.slack);
    sums.slack += r.slack;
    sums.wu_lat.push_back(r.wu_lat);
}

// us with one decimal, rounded half away from zero; integers only, as everywhere in this room.
std::string us(std::int64_t ns) {
    const std::int64_t tenths = ((ns < 0 ? -ns : ns) + 50) / 100;
    return fmt::format("{}{}.{}", ns < 0 && tenths > 0 ? "-" : "", tenths / 10, tenths % 10);
}

std::string mean_us(Duration sum, std::int64_t n) {
    return n == 0 ? "-" : us(sum.ns / n);
}

void render_line(std::string& out, const std::string& name, ThreadSums& sums, std::size_t width) {
    const auto timed = static_cast<std::int64_t>(sums.wu_lat.size());
    std::ranges::sort(sums.wu_lat);
    const bool any = timed > 0;
    fmt::format_to(std::back_inserter(out),
                   "{:<{}} {:>8} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}\n", name, width,
                   sums.passes, mean_us(sums.run, sums.passes), mean_us(sums.period, sums.passes),
                   any ? us(sums.slack_min.ns) : "-", mean_us(sums.slack, timed),
                   any ? us(sums.wu_lat[(sums.wu_lat.size() - 1) / 2].ns) : "-",
                   any ? us(sums.wu_lat.back().ns) : "-");
}

}  // namespace

void PassLog::add(const PassRecord& record) {
    if (records_.size() < cap_)
        records_.push_back(record);
    else
        ++dropped_;
}

std::string render_pass_log(const PassLog& log, std::span<const std::string> names) {
    std::vector<ThreadSums> threads(names.size());
    for (const PassRecord& r : log.records()) add(threads[r.thread], r);
    std::size_t width = 6;
    for (const std::string& name : names) width = std::max(width, name.size());
    std::string out = fmt::format("{:<{}} {:>8} {:>12} {:>12} {:>12} {:>12} {:>12} {:>12}\n",
                                  "thread", width, "passes", "run us", "period us", "slack min",
                                  "slack mean", "wu_lat p50", "wu_lat max");
    for (std::size_t i = 0; i < names.size(); ++i) render_line(out, names[i], threads[i], width);
    if (log.dropped() > 0)
        fmt::format_to(std::back_inserter(out),
                       "the first {} passes; {} later ones were not logged\n", log.records().size(),
                       log.dropped());
    return out;
}

}  // namespace wakelab::work::rtapp
