// The longest waits of a run: who waited where for how long, who ran instead, and which CPU idled
// meanwhile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wakelab::report::html {

struct WorstWait {
    std::string task;  // bytes, as all names here
    double wait_ns = 0;
    double from_ns = 0;  // since the start of the run
    std::uint32_t cpu = 0;
    std::string waker;                                    // empty: not known
    std::vector<std::pair<std::string, double>> instead;  // task, ns; most first
    std::int64_t idle_cpu = -1;                           // -1: none that it may use
    double idle_ns = 0;
};

// "" without waits.
[[nodiscard]] std::string worst_waits_html(std::string_view caption,
                                           const std::vector<WorstWait>& waits);

// Of metrics::WaitCase; `nobody` is its "no task".
template <class Cases, class NameOf>
[[nodiscard]] std::vector<WorstWait> worst_waits(const Cases& cases, std::int64_t start_ns,
                                                 std::uint32_t nobody, const NameOf& name_of) {
    std::vector<WorstWait> waits;
    for (const auto& c : cases) {
        WorstWait w{.task = name_of(c.task),
                    .wait_ns = static_cast<double>(c.wait_ns),
                    .from_ns = static_cast<double>(c.from_ns - start_ns),
                    .cpu = c.cpu,
                    .waker = c.waker == nobody ? "" : name_of(c.waker),
                    .instead = {},
                    .idle_cpu = c.idle_cpu == nobody ? -1 : static_cast<std::int64_t>(c.idle_cpu),
                    .idle_ns = static_cast<double>(c.idle_ns)};
        for (const auto& other : c.instead)
            if (other.ns > 0)
                w.instead.emplace_back(other.task == nobody ? "idle" : name_of(other.task),
                                       static_cast<double>(other.ns));
        waits.push_back(std::move(w));
    }
    return waits;
}

}  // namespace wakelab::report::html
