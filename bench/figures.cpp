#include "bench/figures.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

#include "metrics/stats.hpp"

namespace wakelab::bench {

namespace {

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "unknown CPU";
}

// Three digits that matter: 63.2, 0.0214, 1480000.
std::string number(double value) {
    if (value == 0) return "0";
    if (value >= 100) return fmt::format("{:.0f}", value);
    return fmt::format("{:.3g}", value);
}

}  // namespace

std::int64_t thread_cpu_ns() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::string figures_text(const std::vector<Figure>& figures) {
    std::size_t width = 0;
    for (const Figure& f : figures) width = std::max(width, f.name.size());
    std::string text = host_line() + "\n\n";
    for (const Figure& f : figures) {
        text += fmt::format("{:<{}}  {:>9}", f.name, width, number(metrics::median(f.samples)));
        if (f.samples.size() > 1)
            text += fmt::format(" +- {:<8}", number(metrics::median_absolute_deviation(f.samples)));
        else
            text += fmt::format("{:12}", "");
        text += fmt::format(" {}\n", f.unit);
    }
    return text;
}

std::string figures_json(const std::vector<Figure>& figures) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Figure& f : figures)
        rows.push_back({{"name", f.name},
                        {"unit", f.unit},
                        {"median", metrics::median(f.samples)},
                        {"mad", metrics::median_absolute_deviation(f.samples)},
                        {"repetitions", f.samples.size()}});
    const nlohmann::ordered_json document{{"host", host_line()}, {"figures", rows}};
    return document.dump(2) + "\n";
}

std::string host_line() {
    return fmt::format("{:%Y-%m-%d}, {}, GCC {}", fmt::gmtime(std::time(nullptr)), cpu_model(),
                       __VERSION__);
}

}  // namespace wakelab::bench
