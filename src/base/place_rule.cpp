#include "base/place_rule.hpp"

#include <array>

namespace wakelab {

std::string_view to_string(PlaceRule rule) {
    static constexpr std::array<std::string_view, kPlaceRuleCount> kNames = {
        "stayed on prev",  "prev is this CPU", "affine shortcut", "affine, cache-cold",
        "affine, light",   "affine, balanced", "wake balance",    "idle search",
        "waker's CPU forbidden", "still queued", "fork", "lower priority", "no CPU yet", "not recorded"};
    return kNames[static_cast<std::size_t>(rule)];
}

}  // namespace wakelab
