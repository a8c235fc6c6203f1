#include "report/html/wake_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "base/text.hpp"
#include "diag/waker_groups.hpp"
#include "report/html/html_page.hpp"
#include "report/html/html_text.hpp"
#include "report/html/xy_chart.hpp"

namespace wakelab::report::html {

namespace {

constexpr std::size_t kNodes = 14;
constexpr std::size_t kLinks = 40;
constexpr std::size_t kRows = 30;
constexpr double kWidth = 760;
constexpr double kNodePx = 9;

struct Node {
    std::string name;
    double traffic = 0;
    std::size_t hue = 0;
    double x = 0, y = 0;    // centre
    double ux = 0, uy = 0;  // unit vector away from the middle
};

std::string rate_of(double wakeups, double seconds) {
    return seconds > 0 ? number_words(wakeups / seconds, 3) + "/s"
                       : count_words(static_cast<std::uint64_t>(wakeups));
}

std::vector<Node> nodes_of(const std::vector<WakeLink>& links,
                           const std::vector<std::string>& hues) {
    std::map<std::string, double> traffic;
    for (const WakeLink& l : links) {
        traffic[l.waker] += l.wakeups;
        if (l.wakee != l.waker) traffic[l.wakee] += l.wakeups;
    }
    std::vector<Node> nodes;
    for (const auto& [name, sum] : traffic) nodes.push_back({.name = name, .traffic = sum});
    std::ranges::stable_sort(nodes, std::greater{}, &Node::traffic);
    if (nodes.size() > kNodes) nodes.resize(kNodes);
    std::size_t next = hues.size();
    for (Node& n : nodes) {
        const auto known = std::ranges::find(hues, n.name);
        n.hue = known == hues.end() ? next++ : static_cast<std::size_t>(known - hues.begin());
        n.hue %= kSeriesColours;
    }
    return nodes;
}

double height_for(std::size_t nodes) {
    return nodes <= 2 ? 170 : std::min(460.0, 200 + 26 * static_cast<double>(nodes));
}

void place(std::vector<Node>& nodes, double height) {
    const double rx = nodes.size() <= 2 ? 190 : 210;
    const double ry = height / 2 - 56;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const double turn = static_cast<double>(i) / static_cast<double>(nodes.size());
        const double angle = std::numbers::pi * (1 + 2 * turn);  // the busiest on the left
        Node& n = nodes[i];
        n.ux = std::cos(angle);
        n.uy = std::sin(angle);
        n.x = kWidth / 2 + rx * n.ux;
        n.y = height / 2 + ry * n.uy;
    }
}

std::string arrow_head(double x, double y, double dx, double dy) {
    const double length = std::max(std::hypot(dx, dy), 1e-9);
    dx /= length;
    dy /= length;
    return fmt::format("<polygon points=\"{},{} {},{} {},{}\"/>", px(x), px(y),
                       px(x - 9 * dx + 4 * dy), px(y - 9 * dy - 4 * dx), px(x - 9 * dx - 4 * dy),
                       px(y - 9 * dy + 4 * dx));
}

// From `a` to `b`, bent to the right so that the way back is another line.
std::string link_path(const Node& a, const Node& b, double width, const std::string& label) {
    const double dx = b.x - a.x, dy = b.y - a.y;
    const double length = std::max(std::hypot(dx, dy), 1.0);
    const double bend = 26 + length * 0.06;
    const double mx = (a.x + b.x) / 2 - dy / length * bend,
                 my = (a.y + b.y) / 2 + dx / length * bend;
    const auto leave = [&](const Node& n, double to_x, double to_y, double by) {
        const double d = std::max(std::hypot(to_x - n.x, to_y - n.y), 1e-9);
        return std::pair(n.x + (to_x - n.x) / d * by, n.y + (to_y - n.y) / d * by);
    };
    const auto [sx, sy] = leave(a, mx, my, kNodePx + 2);
    const auto [ex, ey] = leave(b, mx, my, kNodePx + 3);
    const auto [lx, ly] = leave(b, mx, my, kNodePx + 10);  // the line ends within the head
    std::string svg = fmt::format("<path d=\"M{} {}Q{} {} {} {}\" stroke-width=\"{}\"/>", px(sx),
                                  px(sy), px(mx), px(my), px(lx), px(ly), px(width));
    svg += arrow_head(ex, ey, ex - mx, ey - my);
    return svg + fmt::format("<text class=\"m\" x=\"{}\" y=\"{}\" dy=\".32em\">{}</text>",
                             px((a.x + b.x) / 4 + mx / 2), px((a.y + b.y) / 4 + my / 2), label);
}

// A loop beside the node, away from the middle's label side: above or below.
std::string self_path(const Node& n, double width, const std::string& label) {
    const double side = n.uy > 0.3 ? 1 : -1;
    const double y = n.y + side * kNodePx;
    std::string svg = fmt::format("<path d=\"M{} {}C{} {} {} {} {} {}\" stroke-width=\"{}\"/>",
                                  px(n.x - 5), px(y), px(n.x - 26), px(y + side * 34), px(n.x + 26),
                                  px(y + side * 34), px(n.x + 6), px(y + side * 6), px(width));
    svg += arrow_head(n.x + 5, y + side, -0.4, -side);
    return svg + fmt::format("<text class=\"m\" x=\"{}\" y=\"{}\" dy=\".32em\">{}</text>", px(n.x),
                             px(y + side * 36), label);
}

std::string node_svg(const Node& n, double seconds) {
    const bool right = n.ux > 0.3, left = n.ux < -0.3;
    const double x = n.x + (right ? kNodePx + 8 : left ? -kNodePx - 8 : 0);
    const double y = n.y + (right || left ? 0 : n.uy > 0 ? kNodePx + 14 : -kNodePx - 22);
    std::string name = printable(n.name);
    if (name.size() > 26) name = name.substr(0, 25) + "…";
    std::string svg = fmt::format("<g class=\"node c{}\"><circle cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
                                  n.hue, px(n.x), px(n.y), px(kNodePx));
    const char* anchor = right ? "" : left ? " class=\"e\"" : " class=\"m\"";
    svg += fmt::format("<text x=\"{}\" y=\"{}\"{}>{}</text>", px(x), px(y), anchor, escaped(name));
    svg +=
        fmt::format("<text x=\"{}\" y=\"{}\" class=\"small{}\">{}</text></g>\n", px(x), px(y + 14),
                    right  ? ""
                    : left ? " e"
                           : " m",
                    rate_of(n.traffic, seconds));
    return svg;
}

std::string map_svg(const std::vector<WakeLink>& links, double seconds,
                    const std::vector<std::string>& hues) {
    std::vector<Node> nodes = nodes_of(links, hues);
    const double height = height_for(nodes.size());
    place(nodes, height);
    const auto find = [&](const std::string& name) {
        return std::ranges::find(nodes, name, &Node::name);
    };
    std::string svg = fmt::format(
        "<svg class=\"map\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
        "aria-label=\"Who wakes whom; the table below says the same\">\n",
        px(kWidth), px(height));
    const double most = links.front().wakeups;
    for (std::size_t i = std::min(links.size(), kLinks); i-- > 0;) {
        const WakeLink& l = links[i];
        const auto a = find(l.waker), b = find(l.wakee);
        if (a == nodes.end() || b == nodes.end()) continue;
        const double width = 0.8 + 5.2 * std::sqrt(l.wakeups / most);
        const std::string label = l.wakeups >= most / 50 ? rate_of(l.wakeups, seconds) : "";
        svg += fmt::format("<g class=\"edge c{}\"><title>{} wakes {}: {}</title>", a->hue,
                           shown(l.waker), shown(l.wakee), rate_of(l.wakeups, seconds));
        svg += a == b ? self_path(*a, width, label) : link_path(*a, *b, width, label);
        svg += "</g>\n";
    }
    for (const Node& n : nodes) svg += node_svg(n, seconds);
    return svg + "</svg>\n";
}

}  // namespace

std::vector<WakeLink> wake_links(const metrics::RunSummary& run) {
    std::vector<WakeLink> links;
    for (const diag::WakerGroup& g : diag::group_wakers(run))
        for (const diag::WakeeShare& w : g.wakees)
            links.push_back({g.name, w.name, static_cast<double>(w.wakeups)});
    return links;
}

std::vector<WakeLink> wake_links(const Json& wakers) {
    std::vector<WakeLink> links;
    if (!wakers.is_array()) return links;
    for (const Json& g : wakers) {
        const Json& wakees = member(g, "wakees");
        if (!wakees.is_object()) continue;
        for (const auto& [name, wakeups] : wakees.items())
            if (wakeups.is_number())
                links.push_back({words(g, "name"), name, wakeups.get<double>()});
    }
    return links;
}

std::string wake_map_html(std::vector<WakeLink> links, double seconds,
                          const std::vector<std::string>& hues) {
    std::erase_if(links, [](const WakeLink& l) { return !(l.wakeups > 0); });
    if (links.empty()) return {};
    std::ranges::stable_sort(links, std::greater{}, &WakeLink::wakeups);
    double sum = 0;
    for (const WakeLink& l : links) sum += l.wakeups;
    std::vector<std::string> head = {"waker", "wakee", "wake-ups", "share"};
    if (seconds > 0) head.push_back("a second");
    HtmlTable table("", head);
    for (std::size_t i = 0; i < links.size() && i < kRows; ++i) {
        const WakeLink& l = links[i];
        std::vector<Cell> row = {
            text_cell(l.waker), text_cell(l.wakee),
            number_cell(l.wakeups, count_words(static_cast<std::uint64_t>(l.wakeups))),
            share_cell(l.wakeups / sum)};
        if (seconds > 0) row.push_back(number_cell(l.wakeups / seconds));
        table.add(std::move(row));
    }
    std::string html = figure(map_svg(links, seconds, hues),
                              "Groups of tasks; an arrow goes from the waker to the wakee.");
    html += table.html();
    if (links.size() > kRows)
        html += fmt::format("<p class=\"hint\">{} rarer pairs are not shown.</p>\n",
                            links.size() - kRows);
    return html;
}

}  // namespace wakelab::report::html
