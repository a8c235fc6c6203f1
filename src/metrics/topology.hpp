// Which CPUs are near to each other, as far as a run tells.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/sink.hpp"

namespace wakelab::metrics {

enum class Distance : std::uint8_t { kSameCore, kSameCache, kOtherCache, kOtherNode, kUnknown };
inline constexpr std::size_t kDistances = 5;

class Topology {
 public:
    explicit Topology(const trace::TraceInfo& info)
        : core_of_(info.core_of), cache_of_(info.cache_of), node_of_(info.node_of) {
        add_cpus(info.cpus);
    }

    void add_cpus(std::uint32_t cpus) {
        cpus_ = cpus > cpus_ ? cpus : cpus_;
        for (auto* of : {&core_of_, &cache_of_, &node_of_})
            if (!of->empty() && of->size() < cpus_) of->resize(cpus_, kUnknownSet);
    }
    [[nodiscard]] bool knows_caches() const { return !cache_of_.empty(); }
    [[nodiscard]] bool knows_cores() const { return !core_of_.empty(); }
    // Of different CPUs.
    [[nodiscard]] Distance distance(std::uint32_t a, std::uint32_t b) const {
        if (a >= cpus_ || b >= cpus_) return Distance::kUnknown;
        if (same(core_of_, a, b)) return Distance::kSameCore;
        if (same(cache_of_, a, b)) return Distance::kSameCache;
        if (!node_of_.empty() && !same(node_of_, a, b)) return Distance::kOtherNode;
        return cache_of_.empty() ? Distance::kUnknown : Distance::kOtherCache;
    }
    // Caches known and different.
    [[nodiscard]] bool far_apart(std::uint32_t a, std::uint32_t b) const {
        return a < cpus_ && b < cpus_ && a != b && !cache_of_.empty() && !same(cache_of_, a, b);
    }
    [[nodiscard]] const std::vector<std::uint32_t>& core_of() const { return core_of_; }
    [[nodiscard]] const std::vector<std::uint32_t>& cache_of() const { return cache_of_; }

 private:
    static constexpr std::uint32_t kUnknownSet = ~0u;
    static bool same(const std::vector<std::uint32_t>& of, std::uint32_t a, std::uint32_t b) {
        return !of.empty() && of[a] == of[b] && of[a] != kUnknownSet;
    }

    std::uint32_t cpus_ = 0;
    std::vector<std::uint32_t> core_of_, cache_of_, node_of_;
};

}  // namespace wakelab::metrics
