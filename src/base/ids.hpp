// Typed indices. An id is an index into the table of its kind, given out in order of creation, so
// ordering by id is deterministic; kNone marks "no such thing".
#pragma once

#include <compare>
#include <cstdint>

namespace wakelab {

template <class Tag>
struct Id {
    std::uint32_t v = ~0u;
    auto operator<=>(const Id&) const = default;
    [[nodiscard]] constexpr bool valid() const { return v != ~0u; }
};

using CpuId = Id<struct CpuTag>;
using TaskId = Id<struct TaskTag>;

inline constexpr CpuId kNoCpu{};
inline constexpr TaskId kNoTask{};

}  // namespace wakelab
