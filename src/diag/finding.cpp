#include "diag/finding.hpp"

#include <fmt/format.h>

#include <array>

namespace wakelab::diag {

std::string Experiment::arguments() const {
    if (!command.empty()) return command;
    std::string text;
    const auto add = [&](std::string_view option, std::string_view value) {
        text += fmt::format("{}{} {}", text.empty() ? "" : " ", option, value);
    };
    for (const std::string& word : features) add("--features", word);
    for (const auto& [name, value] : tunables) add("--set", fmt::format("{}={}", name, value));
    for (const std::string& task : batch) add("--batch", task);
    for (const auto& [task, cpus] : pins) add("--pin", fmt::format("{}={}", task, cpus));
    return text;
}

std::string_view to_string(Confidence confidence) {
    static constexpr std::array<std::string_view, 3> kNames = {"low", "medium", "high"};
    return kNames[static_cast<std::size_t>(confidence)];
}

}  // namespace wakelab::diag
