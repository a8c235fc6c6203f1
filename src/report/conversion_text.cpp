#include "report/conversion_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "diag/words.hpp"

namespace wakelab::report {

namespace {

std::uint64_t skipped_events(const trace::TraceQuality& quality) {
    std::uint64_t n = 0;
    for (const auto& [name, count] : quality.skipped) n += count;
    return n;
}

}  // namespace

std::string conversion_text(std::string_view target, const trace::TraceQuality& quality) {
    using diag::count_words;
    std::string text = fmt::format("{}: {} events of {}\n", target, count_words(quality.total_events()),
                                   quality.format);
    const auto line = [&](std::uint64_t count, std::string_view what) {
        if (count > 0) text += fmt::format("  {} {}\n", count_words(count), what);
    };
    line(skipped_events(quality), "events that mean nothing here were left out");
    line(quality.damaged, "records could not be decoded and were left out");
    line(quality.gaps, "times the recorder lost events; the gaps are in the new file");
    line(quality.out_of_order, "events came late and were given the time of the one before");
    if (quality.truncated) text += "  the source ends in the middle of something\n";
    for (const std::string& note : quality.notes) text += fmt::format("  {}\n", printable(note));
    return text;
}

std::string conversion_json(std::string_view target, const trace::TraceQuality& quality) {
    nlohmann::ordered_json json;
    json["target"] = printable(target);
    json["format"] = quality.format;
    json["events"] = quality.total_events();
    json["skipped"] = skipped_events(quality);
    json["damaged"] = quality.damaged;
    json["gaps"] = quality.gaps;
    json["lost_events"] = quality.lost_events;
    json["out_of_order"] = quality.out_of_order;
    json["truncated"] = quality.truncated;
    return json.dump(2) + "\n";
}

}  // namespace wakelab::report
