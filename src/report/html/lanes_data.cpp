#include "report/html/lanes_data.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/text.hpp"
#include "report/html/html_text.hpp"

namespace wakelab::report::html {

namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

using metrics::Lanes;
using metrics::Slice;
using metrics::WakeArrow;

std::string info_json(const Lanes& lanes, const LaneTasks& tasks,
                      const std::vector<std::string>& names) {
    nlohmann::ordered_json info;
    info["span_ns"] = lanes.end_ns - lanes.start_ns;
    info["slices"] = nlohmann::ordered_json::array();
    info["busy"] = nlohmann::ordered_json::array();
    const double span =
        static_cast<double>(std::max<std::int64_t>(lanes.end_ns - lanes.start_ns, 1));
    for (const std::vector<Slice>& lane : lanes.cpus) {
        std::int64_t busy = 0;
        for (const Slice& s : lane) busy += s.busy_ns;
        info["slices"].push_back(lane.size());
        info["busy"].push_back(static_cast<double>(busy) / span);
    }
    info["arrows"] = lanes.arrows.size();
    info["groups"] = nlohmann::ordered_json::array();
    for (const std::string& name : tasks.group_names) info["groups"].push_back(printable(name));
    info["tasks"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < tasks.order.size(); ++i) {
        const std::uint32_t task = tasks.order[i];
        const std::string name = task < names.size() && !names[task].empty()
                                     ? printable(names[task])
                                     : "task " + std::to_string(task);
        info["tasks"].push_back({name, tasks.group[i]});
    }
    info["gaps"] = nlohmann::ordered_json::array();
    for (const metrics::LaneGap& g : lanes.gaps)
        info["gaps"].push_back({g.cpu, g.start_ns - lanes.start_ns, g.span_ns});
    return info.dump();
}

void write_slices(const Lanes& lanes, const LaneTasks& tasks, Base64Writer& out) {
    for (const std::vector<Slice>& lane : lanes.cpus) {
        std::int64_t now = lanes.start_ns;
        for (const Slice& s : lane) {
            out.number(static_cast<std::uint64_t>(s.start_ns - now));
            out.number(static_cast<std::uint64_t>(s.span_ns));
            out.number(std::uint64_t{tasks.number[s.task]} * 2 + (s.merged > 1 ? 1 : 0));
            if (s.merged > 1) {
                out.number(static_cast<std::uint64_t>(s.busy_ns));
                out.number(s.merged);
            }
            now = s.start_ns + s.span_ns;
        }
    }
}

void write_arrows(const Lanes& lanes, const LaneTasks& tasks, Base64Writer& out) {
    std::int64_t now = lanes.start_ns;
    for (const WakeArrow& a : lanes.arrows) {
        out.number(static_cast<std::uint64_t>(a.wake_ns - now));
        out.number(static_cast<std::uint64_t>(a.latency_ns));
        out.number(a.waker_cpu);
        out.number(a.cpu);
        out.number(tasks.number[a.wakee]);
        out.number(a.waker == trace::kNobody ? 0 : std::uint64_t{tasks.number[a.waker]} + 1);
        now = a.wake_ns;
    }
}

}  // namespace

void Base64Writer::put(std::uint32_t bits, int characters) {
    for (int i = 0; i < characters; ++i) line_ += kAlphabet[(bits >> (18 - 6 * i)) & 63];
    if (line_.size() < kLine) return;
    line_ += '\n';
    sink_(line_);
    line_.clear();
}

void Base64Writer::byte(std::uint8_t value) {
    pending_ = pending_ << 8 | value;
    if (++pending_bytes_ < 3) return;
    put(pending_, 4);
    pending_ = 0;
    pending_bytes_ = 0;
}

void Base64Writer::number(std::uint64_t value) {
    for (; value > 127; value >>= 7) byte(static_cast<std::uint8_t>(value | 128));
    byte(static_cast<std::uint8_t>(value));
}

void Base64Writer::finish() {
    if (pending_bytes_ > 0) {
        put(pending_ << (8 * (3 - pending_bytes_)), pending_bytes_ + 1);
        line_.append(static_cast<std::size_t>(3 - pending_bytes_), '=');
    }
    sink_(line_);
    line_.clear();
}

LaneTasks lane_tasks(const Lanes& lanes, const metrics::TaskGroups& groups) {
    std::uint32_t count = 0;
    for (const auto& lane : lanes.cpus)
        for (const Slice& s : lane) count = std::max(count, s.task + 1);
    for (const WakeArrow& a : lanes.arrows) {
        count = std::max(count, a.wakee + 1);
        if (a.waker != trace::kNobody) count = std::max(count, a.waker + 1);
    }
    std::vector<bool> used(count);
    std::vector<std::int64_t> group_busy(groups.count());
    for (const auto& lane : lanes.cpus)
        for (const Slice& s : lane) {
            used[s.task] = true;
            group_busy[groups.group_of(s.task)] += s.busy_ns;
        }
    for (const WakeArrow& a : lanes.arrows) {
        used[a.wakee] = true;
        if (a.waker != trace::kNobody) used[a.waker] = true;
    }
    std::vector<std::uint32_t> by_busy(groups.count());
    std::iota(by_busy.begin(), by_busy.end(), 0u);
    std::ranges::stable_sort(by_busy, std::greater{},
                             [&](std::uint32_t g) { return group_busy[g]; });
    LaneTasks tasks;
    std::vector<std::uint32_t> rank(groups.count());
    for (std::uint32_t i = 0; i < by_busy.size(); ++i) {
        rank[by_busy[i]] = i;
        if (group_busy[by_busy[i]] > 0 || i == 0)
            tasks.group_names.push_back(groups.name(by_busy[i]));
    }
    tasks.number.resize(count);
    for (std::uint32_t task = 0; task < count; ++task)
        if (used[task]) tasks.order.push_back(task);
    std::ranges::stable_sort(tasks.order, {},
                             [&](std::uint32_t t) { return rank[groups.group_of(t)]; });
    for (std::uint32_t i = 0; i < tasks.order.size(); ++i) {
        tasks.number[tasks.order[i]] = i;
        tasks.group.push_back(rank[groups.group_of(tasks.order[i])]);
    }
    return tasks;
}

void write_lanes_data(const Lanes& lanes, const LaneTasks& tasks,
                      const std::vector<std::string>& names, const HtmlSink& sink) {
    sink("<script type=\"application/json\" id=\"lanes-info\">");
    sink(for_script(info_json(lanes, tasks, names)));
    sink("</script>\n<script type=\"text/plain\" id=\"lanes-slices\">\n");
    Base64Writer slices(sink);
    write_slices(lanes, tasks, slices);
    slices.finish();
    sink("</script>\n<script type=\"text/plain\" id=\"lanes-arrows\">\n");
    Base64Writer arrows(sink);
    write_arrows(lanes, tasks, arrows);
    arrows.finish();
    sink("</script>\n");
}

}  // namespace wakelab::report::html
