// The machines of the property tests, by name.
#pragma once

#include <string_view>
#include <vector>

#include "topo/machine.hpp"

namespace wakelab::property {

// Four cores in two pairs, two cores apart, and two that no file describes: eight cores in four pairs,
// and two cores of two threads each.
inline constexpr std::string_view kMachineNames[] = {"q6600", "athlon-x2-4600", "oct", "ht"};

[[nodiscard]] inline topo::Machine machine_called(std::string_view name) {
    if (name == "ht") {
        topo::Machine m = *topo::load_machine("q6600");
        m.name = "ht";
        m.smt = {{CpuId{0}, CpuId{1}}, {CpuId{2}, CpuId{3}}};
        return m;
    }
    const bool generated = name == "oct";
    topo::Machine m = *topo::load_machine(generated ? "q6600" : name);
    if (!generated) return m;
    m.name = "oct";
    m.cpus = 8;
    m.caches.clear();
    m.cache_of.clear();
    for (std::uint32_t c = 0; c < m.cpus; ++c) {
        if (c % 2 == 0) m.caches.push_back({.size_bytes = 2u << 20, .cpus = {}});
        m.caches.back().cpus.push_back(CpuId{c});
        m.cache_of.push_back(c / 2);
    }
    return m;
}

}  // namespace wakelab::property
