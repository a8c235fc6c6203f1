#include "cli/argument_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "base/text.hpp"

namespace wakelab::cli {

namespace {

constexpr std::int64_t kMaxDurationNs = 1'000'000'000'000;

struct Unit {
    std::string_view name;
    std::int64_t ns;
};
// "s" last: it ends the other names too.
constexpr auto kUnits =
    std::to_array<Unit>({{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}});

bool is_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Decimal `number` times `unit_ns`; nothing if it is no such number or no whole ns.
std::optional<std::int64_t> scaled(std::string_view number, std::int64_t unit_ns) {
    const std::vector<std::string> parts = split(number, '.');
    if (parts.size() > 2 || !is_digits(parts[0])) return {};
    const auto whole = parse_int(parts[0]);
    if (!whole || *whole > kMaxDurationNs / unit_ns) return {};
    std::int64_t ns = *whole * unit_ns;
    if (parts.size() == 1) return ns;
    if (!is_digits(parts[1]) || parts[1].size() > 3) return {};
    for (const char digit : parts[1]) {
        if (unit_ns == 1) return {};
        unit_ns /= 10;
        ns += (digit - '0') * unit_ns;
    }
    return ns;
}

// "NAME=VALUE" as its parts; empty ones where it is no such thing.
std::pair<std::string, std::string> assignment(std::string_view text) {
    const std::size_t at = text.find('=');
    if (at == text.npos) return {};
    return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

// "TASK=WORDS", both parts not empty; `expected` says so to the user.
Result<std::pair<std::string, std::string>> parse_of_task(std::string_view option,
                                                          std::string_view text,
                                                          std::string_view expected) {
    auto words = assignment(text);
    if (words.first.empty() || words.second.empty())
        return Error{fmt::format("{} {}: expected {}", option, text, expected)};
    return words;
}

Status apply_change(std::string_view option, const std::string& change, SchedulerWord& word) {
    constexpr std::string_view kPin = "pin.";
    constexpr std::string_view kPolicy = "policy.";
    constexpr std::string_view kGroup = "group.";
    if (change.find('=') == change.npos) {
        word.features.push_back(change);
        return {};
    }
    const std::string_view text = change;
    if (text.starts_with(kPin))
        return append(parse_pin(option, text.substr(kPin.size())), word.pins);
    if (text.starts_with(kPolicy))
        return append(parse_policy(option, text.substr(kPolicy.size())), word.policies);
    if (text.starts_with(kGroup))
        return append(parse_group(option, text.substr(kGroup.size())), word.groups);
    auto [name, value] = assignment(change);
    if (name == "batch") {
        if (value.empty()) return Error{fmt::format("{}: batch=: expected a task name", option)};
        word.batch.push_back(std::move(value));
        return {};
    }
    return append(parse_setting(option, text), word.tunables);
}

}  // namespace

Result<Duration> parse_duration(std::string_view option, std::string_view text) {
    for (const Unit& unit : kUnits) {
        if (!text.ends_with(unit.name)) continue;
        const auto ns = scaled(text.substr(0, text.size() - unit.name.size()), unit.ns);
        if (!ns || *ns > kMaxDurationNs) break;
        return Duration{*ns};
    }
    return Error{fmt::format("{} {}: expected a time like 250us, 10ms or 1.5s, at most 1000s",
                             option, text)};
}

Result<std::uint64_t> parse_bytes(std::string_view option, std::string_view text) {
    constexpr std::int64_t kMost = std::int64_t{64} << 30;
    const std::string_view units = "kMG";
    const std::size_t unit = text.empty() ? units.npos : units.find(text.back());
    const int shift = unit == units.npos ? 0 : 10 * static_cast<int>(unit + 1);
    const auto number = parse_int(text.substr(0, text.size() - (shift > 0 ? 1 : 0)));
    if (!number || *number <= 0 || *number > kMost >> shift)
        return Error{fmt::format("{} {}: expected a size like 512k, 4M or 1G, up to 64G", option, text)};
    return static_cast<std::uint64_t>(*number) << shift;
}

Result<std::int64_t> parse_number(std::string_view option, std::string_view text,
                                  std::string_view what, std::int64_t lo, std::int64_t hi) {
    const auto value = parse_int(text);
    if (!value || *value < lo || *value > hi)
        return Error{fmt::format("{} {}: expected {} {} .. {}", option, text, what, lo, hi)};
    return *value;
}

Result<std::vector<std::int32_t>> parse_client_list(std::string_view option,
                                                    std::string_view text) {
    std::set<std::int32_t> counts;
    for (const std::string& part : split(text, ',')) {
        const std::vector<std::string> ends = split(part, '-');
        const auto first = parse_int(ends.front());
        const auto last = parse_int(ends.back());
        if (ends.size() > 2 || !first || !last || *first < 1 || *last < *first ||
            *last > kMaxClients)
            return Error{fmt::format("{} {}: expected client counts 1 .. {} like 1,2,5-8,50",
                                     option, text, kMaxClients)};
        for (std::int64_t n = *first; n <= *last; ++n) counts.insert(static_cast<std::int32_t>(n));
    }
    return std::vector<std::int32_t>(counts.begin(), counts.end());
}

Result<std::pair<std::string, std::int64_t>> parse_setting(std::string_view option,
                                                           std::string_view text) {
    auto [name, value] = assignment(text);
    const auto number = parse_int(value);
    if (name.empty() || !number)
        return Error{fmt::format("{} {}: expected NAME=INTEGER", option, text)};
    return std::pair{std::move(name), *number};
}

Result<std::pair<std::string, std::string>> parse_pin(std::string_view option,
                                                      std::string_view text) {
    return parse_of_task(option, text, "TASK=CPUS, like postgres=1-3");
}

Result<std::pair<std::string, std::string>> parse_policy(std::string_view option,
                                                         std::string_view text) {
    return parse_of_task(option, text,
                         "TASK=POLICY, like postgres=batch, all=fifo=50 or pgbench=nice=-5");
}

Result<std::pair<std::string, std::string>> parse_group(std::string_view option,
                                                        std::string_view text) {
    return parse_of_task(option, text, "TASK=GROUP, like postgres=db or pgbench=web=2048");
}

std::vector<std::string> parse_list(const std::vector<std::string>& values) {
    std::vector<std::string> parts;
    for (const std::string& value : values)
        for (std::string& part : split(value, ','))
            if (!part.empty()) parts.push_back(std::move(part));
    return parts;
}

Result<std::vector<std::uint64_t>> parse_seed_count(std::string_view option,
                                                    std::string_view text) {
    const auto count = parse_number(option, text, "a number of seeds", 1, kMaxSeeds);
    if (!count) return count.error();
    std::vector<std::uint64_t> seeds;
    for (std::int64_t s = 1; s <= *count; ++s) seeds.push_back(static_cast<std::uint64_t>(s));
    return seeds;
}

Result<SchedulerWord> parse_scheduler(std::string_view option, std::string_view text) {
    const std::vector<std::string> parts = split(text, ':');
    SchedulerWord word;
    word.label = text;
    word.name = parts.front();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].empty())
            return Error{fmt::format("{} {}: expected NAME or NAME:CHANGE", option, text)};
        if (i == 0) continue;
        if (Status s = apply_change(option, parts[i], word); !s) return s.error();
    }
    return word;
}

}  // namespace wakelab::cli
