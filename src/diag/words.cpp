#include "diag/words.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace wakelab::diag {

std::string count_words(std::uint64_t value) {
    const std::string digits = std::to_string(value);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ' ';
        text += digits[i];
    }
    return text;
}

std::string rate_words(double value) {
    if (value < 100) {
        const std::string text = fmt::format("{:.1f}", value);
        return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
    }
    const double step = std::pow(10.0, std::floor(std::log10(value)) - 2);
    return count_words(static_cast<std::uint64_t>(std::round(value / step) * step));
}

std::string share_words(double share) {
    const double percent = share * 100;
    if (percent == 0) return "0 %";
    if (percent < 0.1) return "less than 0.1 %";
    return percent < 9.95 ? fmt::format("{:.1f} %", percent) : fmt::format("{:.0f} %", percent);
}

std::string duration_words(double ns) {
    static constexpr std::array<std::string_view, 4> kUnits = {"ns", "µs", "ms", "s"};
    std::size_t unit = 0;
    while (ns >= 999.5 && unit + 1 < kUnits.size()) {
        ns /= 1000;
        ++unit;
    }
    return fmt::format("{:.{}f} {}", ns, unit > 0 && ns < 99.95 ? 1 : 0, kUnits[unit]);
}

std::string moment_words(std::int64_t ns) {
    return fmt::format("{:.6f} s", static_cast<double>(ns) * 1e-9);
}

std::string cpu_words(const std::vector<std::uint32_t>& cpus) {
    std::string text = cpus.size() == 1 ? "CPU" : "CPUs";
    for (std::size_t i = 0; i < cpus.size();) {
        std::size_t last = i;
        while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
        text += fmt::format("{}{}", i == 0 ? " " : ", ", cpus[i]);
        if (last > i) text += fmt::format("-{}", cpus[last]);
        i = last + 1;
    }
    return text;
}

std::string plural(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count_words(count), noun, count == 1 ? "" : "s");
}

// The conditions are those of cfs.md 4 and o1.md 5.
std::string_view rule_words(PlaceRule rule) {
    switch (rule) {
        case PlaceRule::kStayedOnPrev:
            return "no rule pulling it from the CPU it ran on last";
        case PlaceRule::kPrevIsThis:
            return "its having run there last (waker and wakee share the CPU already, nothing "
                   "looks "
                   "further)";
        case PlaceRule::kAffineShortcut:
            return "the affine shortcut of wake_affine (sync hint, both overlaps < "
                   "sched_migration_cost)";
        case PlaceRule::kAffineCold:
            return "wake_affine finding the wakee cache-cold (sync hint)";
        case PlaceRule::kAffineLight:
            return "wake_affine finding the waker's CPU lightly loaded";
        case PlaceRule::kAffineBalanced:
            return "wake_affine finding the loads balanced with the wakee on the waker's CPU";
        case PlaceRule::kWakeBalance:
            return "passive wake balancing (SD_WAKE_BALANCE)";
        case PlaceRule::kIdleSearch:
            return "the search for an idle CPU (wake_idle)";
        case PlaceRule::kNotAllowed:
            return "its affinity mask, which excludes the waker's CPU";
        case PlaceRule::kStillQueued:
            return "its being queued still";
        case PlaceRule::kFork:
            return "fork balancing";
        case PlaceRule::kRtLowest:
            return "select_task_rq_rt looking for a CPU of lower priority";
        case PlaceRule::kNoCpuYet:
            return "no rule: the one queue of all CPUs, from which the first to schedule takes it";
        case PlaceRule::kNotRecorded:
            return "a rule that the recording does not tell";
    }
    return "an unknown rule";
}

}  // namespace wakelab::diag
