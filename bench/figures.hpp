// A measured figure, how it is printed, and the clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wakelab::bench {

struct Figure {
    std::string name;
    std::string unit;
    std::vector<double> samples;  // one per repetition; a count or a size has one
};

// CPU time of this thread in ns: other programs on the CPU do not count.
[[nodiscard]] std::int64_t thread_cpu_ns();

// "name  median +- MAD unit", a line each.
[[nodiscard]] std::string figures_text(const std::vector<Figure>& figures);
// {"host": .., "figures": [{"name", "unit", "median", "mad", "repetitions"} ..]}
[[nodiscard]] std::string figures_json(const std::vector<Figure>& figures);
// Date, CPU and compiler: what a figure cannot be read without.
[[nodiscard]] std::string host_line();

}  // namespace wakelab::bench
