// Kernel threads that belong to one CPU, known by their names: recordings rarely tell affinity masks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace wakelab::metrics {

// The CPU of "migration/3", "ksoftirqd/3", "kworker/3:1H"; nothing for other names ("kworker/u8:2" is
// bound to no CPU). A guess: every program may call itself so.
[[nodiscard]] std::optional<std::uint32_t> cpu_in_name(std::string_view name);

}  // namespace wakelab::metrics
