#include "report/quickstart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "metrics/stats.hpp"
#include "report/explain_text.hpp"
#include "report/number_text.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

constexpr double kThousand = 1000;

std::string thousands(double rate) {
    return fmt::format("{:.1f}", rate / kThousand);
}

std::string published_words(const QuickstartCell& cell) {
    if (!cell.published) return "-";
    return thousands(*cell.published) + (cell.role == judge::Role::kFit ? "f" : "");
}

std::string simulated_words(const QuickstartCell& cell) {
    return thousands(cell.simulated) + (cell.two_humps ? "~" : "");
}

std::string introduction(const Quickstart& s) {
    return fmt::format(
        "pgbench -S is one process that talks to N PostgreSQL backends: one task wakes N. On\n"
        "Linux 2.6.22 it ran well; on the kernels of 2007 and 2008 it collapsed, because a "
        "wake-up\n"
        "may pull the wakee to the CPU of its waker, and there was but one waker. Here the same\n"
        "load runs under the rules of those kernels on a simulated\n{}.\n",
        s.machine);
}

std::string legend(const Quickstart& s) {
    return fmt::format(
        "Thousand transactions per second. print: measured in 2008, \"-\" where nobody published\n"
        "it, f where machine and workload costs were fitted on it; sim: median of {} seeds, ~\n"
        "where they fall into two groups.\n",
        s.seeds);
}

// "print" and "sim" of all columns, by load.
std::vector<std::vector<std::string>> rows(const Quickstart& s) {
    std::vector<std::vector<std::string>> all;
    for (std::size_t load = 0; load < s.clients.size(); ++load) {
        all.push_back({std::to_string(s.clients[load])});
        for (const QuickstartColumn& c : s.columns) {
            all.back().push_back(published_words(c.cells[load]));
            all.back().push_back(simulated_words(c.cells[load]));
        }
    }
    return all;
}

std::string text_grid(const Quickstart& s) {
    TextTable table({Align::kRight});
    std::vector<std::string> heads = {""};
    std::vector<std::string> sides = {"clients"};
    for (const QuickstartColumn& c : s.columns) {
        heads.insert(heads.end(), {"", c.head});
        sides.insert(sides.end(), {"print", "sim"});
    }
    table.add(heads);
    table.add(sides);
    for (auto& row : rows(s)) table.add(std::move(row));
    return table.text();
}

std::string markdown_line(const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) line += " " + cell + " |";
    return line + "\n";
}

std::string markdown_grid(const Quickstart& s) {
    std::vector<std::string> heads = {"clients"};
    for (const QuickstartColumn& c : s.columns)
        heads.insert(heads.end(), {c.head + " print", c.head + " sim"});
    std::string text = markdown_line(heads);
    text += markdown_line(std::vector<std::string>(heads.size(), "--:"));
    for (const auto& row : rows(s)) text += markdown_line(row);
    return text;
}

std::string setup_words(const QuickstartColumn& c) {
    return c.setup + (c.experiment.empty() ? ", never published on this machine"
                                           : ", published as " + c.experiment);
}

std::string text_setups(const Quickstart& s) {
    TextTable table({Align::kLeft, Align::kLeft});
    for (const QuickstartColumn& c : s.columns) table.add({c.head, setup_words(c)});
    return table.text(2);
}

std::string markdown_setups(const Quickstart& s) {
    std::string text;
    for (const QuickstartColumn& c : s.columns)
        text +=
            fmt::format("- {}: `{}`{}\n", c.head, c.setup, setup_words(c).substr(c.setup.size()));
    return text;
}

// How far the cells of one role are from print, in a sentence.
std::string error_sentence(const Quickstart& s, judge::Role role, const char* what) {
    std::vector<double> errors;
    for (const QuickstartColumn& column : s.columns)
        for (const QuickstartCell& cell : column.cells)
            if (cell.published && cell.role == role && cell.simulated > 0)
                errors.push_back(std::abs(std::log(cell.simulated / *cell.published)));
    if (errors.empty()) return {};
    return fmt::format("Median distance from print of the {} cells {}: {}.\n", errors.size(), what,
                       percent_text(metrics::median(errors)));
}

// Where each kernel peaks, and what the explained one reaches at the explained load.
std::string reading(const Quickstart& s) {
    const QuickstartColumn& fast = s.columns.front();
    const QuickstartColumn& slow = s.columns[s.column];
    const double before = fast.cells[s.load].simulated;
    const double after = slow.cells[s.load].simulated;
    std::string text = fmt::format(
        "With {} clients {} does {} thousand transactions a second, {} does {} thousand{}.\n",
        s.clients[s.load], fast.head, thousands(before), slow.head, thousands(after),
        before > 0 ? fmt::format(": {:.0f} % of it", 100 * after / before) : "");
    text += error_sentence(s, judge::Role::kPredict, "that nothing was fitted on");
    text += error_sentence(s, judge::Role::kFit, "used for fitting");
    return text;
}

// The trial that the story turns on, as a sentence; nothing if it was not made.
std::string hint_sentence(const Quickstart& s) {
    for (const Trial& t : s.trials.trials)
        if (t.experiment.features == std::vector<std::string>{"NO_SYNC_WAKEUPS"})
            return fmt::format(
                "Without the sync hint (NO_SYNC_WAKEUPS) {} thousand become {} thousand: {}.\n\n",
                thousands(s.trials.before.median), thousands(t.after.median),
                change_text(change_of(s.trials, t)));
    return {};
}

std::string why_head(const Quickstart& s) {
    return fmt::format("Why {} collapses with {} clients", s.columns[s.column].head,
                       s.clients[s.load]);
}

constexpr const char* kNext =
    "wakelab explain pgbench -c 8 -s cfs-2.6.26-rc3      this explanation, of any run\n"
    "wakelab compare pgbench -c 1-8 -s cfs-2.6.25,cfs-2.6.26 --seeds 5\n"
    "wakelab show scheduler cfs-2.6.26-rc3               features and tunables to try\n"
    "wakelab validate pgbench                            all published tables\n";

nlohmann::ordered_json cell_json(const QuickstartCell& cell) {
    nlohmann::ordered_json json;
    json["published"] = nullptr;
    if (cell.published) json["published"] = json_number(*cell.published);
    json["role"] = judge::to_string(cell.role);
    json["simulated"] = json_number(cell.simulated);
    json["two_humps"] = cell.two_humps;
    return json;
}

}  // namespace

std::string quickstart_text(const Quickstart& s) {
    return fmt::format(
        "{}\n{}\n{}\n{}\n{}\n== {} ==\n\n{}\n== What helps ==\n\n{}{}\n== How to go on ==\n\n{}",
        introduction(s), text_grid(s), legend(s), text_setups(s), reading(s), why_head(s),
        explain_text(s.run, s.findings, s.labels), hint_sentence(s), trials_text(s.trials), kNext);
}

std::string quickstart_markdown(const Quickstart& s) {
    return fmt::format(
        "# pgbench on the Linux of 2008\n\n{}\n{}\n{}\n{}\n{}\n## {}\n\n```\n{}```\n\n"
        "## What helps\n\n{}```\n{}```\n\n## How to go on\n\n```\n{}```\n",
        introduction(s), markdown_grid(s), legend(s), markdown_setups(s), reading(s), why_head(s),
        explain_text(s.run, s.findings, s.labels), hint_sentence(s), trials_text(s.trials), kNext);
}

std::string quickstart_json(const Quickstart& s) {
    using nlohmann::ordered_json;
    ordered_json json = {{"machine", s.machine},
                         {"clients", s.clients},
                         {"seeds", s.seeds},
                         {"columns", ordered_json::array()}};
    for (const QuickstartColumn& c : s.columns) {
        ordered_json column = {{"head", c.head}, {"setup", c.setup}};
        column["experiment"] = c.experiment.empty() ? ordered_json() : ordered_json(c.experiment);
        column["cells"] = ordered_json::array();
        for (const QuickstartCell& cell : c.cells) column["cells"].push_back(cell_json(cell));
        json["columns"].push_back(std::move(column));
    }
    json["explained"] =
        ordered_json::parse(with_trials(explain_json(s.run, s.findings, s.labels), s.trials));
    return json.dump(2) + "\n";
}

}  // namespace wakelab::report
