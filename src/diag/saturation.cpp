#include <fmt/format.h>

#include "diag/rules.hpp"
#include "diag/words.hpp"

namespace wakelab::diag {

std::optional<Finding> find_saturation(const Case& c) {
    constexpr double kIdleShare = 0.03;
    const double idle = c.run.metrics.idle_share();
    std::int64_t unknown_ns = 0;
    for (const metrics::CpuMetrics& cpu : c.run.metrics.cpus) unknown_ns += cpu.unknown_ns;
    if (idle + c.run.metrics.capacity_share(unknown_ns) >= kIdleShare) return {};
    Finding f;
    f.id = "saturated";
    f.title = "All CPUs are busy";
    f.symptom.push_back(
        fmt::format("The CPUs idled {} of the time: no placement can find more CPU time here. What "
                    "is left is what "
                    "the tasks do with it (cold caches, switches, work of the program itself).",
                    share_words(idle)));
    f.evidence = {{"idle_share", idle}};
    f.confidence = Confidence::kHigh;
    f.explains = 0;
    return f;
}

}  // namespace wakelab::diag
