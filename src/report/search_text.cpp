#include "report/search_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/number_text.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

using lab::Change;
using lab::Effect;
using lab::SearchResult;
using lab::Verdict;

constexpr std::size_t kPairRows = 15;  // a table to read, not all 171 of 2.6.32
constexpr std::size_t kWidth = 100;

bool over_features(const SearchResult& r) {
    return r.plan.over == lab::SearchOver::kFeatures;
}

std::string change_words(const Change& c) {
    return c.from + " -> " + c.to;
}

std::string interval_words(const lab::Gain& g) {
    return change_text(g.low) + " .. " + change_text(g.high);
}

// rate, gain, interval, verdict
std::vector<std::string> figures(const Effect& e) {
    const std::string verdict = verdict_words(e.verdict);
    if (e.rates.empty()) return {"-", "-", "", verdict};
    return {level_text(e.rate), change_text(e.gain.mean),
            e.has_interval ? interval_words(e.gain) : "", verdict};
}

void add_row(TextTable& table, std::vector<std::string> cells, const Effect& e) {
    for (std::string& cell : figures(e)) cells.push_back(std::move(cell));
    table.add(std::move(cells));
}

std::string single_table(const SearchResult& r) {
    using enum Align;
    if (!over_features(r)) {
        TextTable table({kLeft, kRight, kRight, kRight, kRight, kLeft});
        table.add({"tunable", "from -> to", "rate", "gain", "interval", "verdict"});
        for (const Effect& e : r.singles)
            add_row(table, {e.changes[0].knob, change_words(e.changes[0])}, e);
        return table.text();
    }
    TextTable table({kLeft, kRight, kRight, kRight, kRight, kRight, kLeft});
    table.add({"feature", "bit", "from -> to", "rate", "gain", "interval", "verdict"});
    for (const Effect& e : r.singles) {
        const Change& c = e.changes[0];
        add_row(table, {c.knob, std::to_string(c.bit), change_words(c)}, e);
    }
    return table.text();
}

std::string pair_name(const Effect& e) {
    const auto word = [](const Change& c) { return c.features.front(); };
    return word(e.changes[0]) + " " + word(e.changes[1]);
}

// One of the two does nothing, alone or beside the other.
bool adds_nothing(const Effect& pair) {
    return pair.has_interval && pair.beyond->low == 0 && pair.beyond->high == 0;
}

std::string pair_table(const SearchResult& r) {
    if (r.pairs.empty()) return {};
    using enum Align;
    TextTable table({kLeft, kRight, kRight, kRight, kRight, kRight, kLeft});
    table.add({"pair", "rate", "gain", "interval", "beyond both alone", "interval", "verdict"});
    std::size_t rows = 0;
    for (const Effect& e : r.pairs) {
        if (adds_nothing(e) || rows == kPairRows) continue;
        ++rows;
        std::vector<std::string> cells = {pair_name(e)};
        const std::vector<std::string> f = figures(e);
        cells.insert(cells.end(), f.begin(), f.end() - 1);
        cells.push_back(change_text(e.beyond->mean));
        cells.push_back(e.has_interval ? interval_words(*e.beyond) : "");
        cells.push_back(f.back());
        table.add(std::move(cells));
    }
    if (rows == 0) return "\nno pair does anything beyond what each of the two does alone\n";
    std::string text = "\n" + table.text();
    if (rows < r.pairs.size())
        text += fmt::format("and {} pairs that do less, or nothing beyond both alone; see --json\n",
                            r.pairs.size() - rows);
    return text;
}

std::string head(const SearchResult& r) {
    const lab::RunSpec& base = r.plan.base;
    std::string text = base.scenario;
    if (base.clients > 0)
        text += fmt::format(", {} client{}", base.clients, base.clients == 1 ? "" : "s");
    text += fmt::format(", {} on {}: each {} changed alone{}\n", base.scheduler, base.machine,
                        over_features(r) ? "feature" : "tunable",
                        r.plan.pairs ? ", then in pairs" : "");
    const std::size_t seeds = r.plan.seeds.size();
    return text + fmt::format("unchanged{}: {} {}, mean of {} seed{}\n\n",
                              over_features(r) ? fmt::format(" (mask {})", r.plan.mask) : "",
                              level_text(r.base_rate), r.unit, seeds, seeds == 1 ? "" : "s");
}

std::uint64_t mask_with(const SearchResult& r, const Effect& e) {
    std::uint64_t mask = r.plan.mask;
    for (const Change& c : e.changes) mask ^= c.bit;
    return mask;
}

// "clearing it", "setting it to 0"
std::string doing(const Change& c) {
    if (c.bit == 0) return fmt::format("setting it to {} (from {})", c.to, c.from);
    return c.to == "off" ? "clearing it" : "setting it";
}

std::string gain_words(const Effect& e) {
    const double percent = e.gain.mean * 100;
    return percent > 0 ? fmt::format("gains {:.1f} %", percent)
                       : fmt::format("loses {:.1f} %", -percent);
}

// Each knob of which an effect has the verdict, once; the first sentence has told the best one.
std::vector<std::string> knobs_with(const SearchResult& r, Verdict verdict) {
    const Effect* best = r.best_single();
    std::vector<std::string> knobs;
    for (const Effect& e : r.singles) {
        const std::string& knob = e.changes[0].knob;
        if (e.verdict != verdict) continue;
        if (verdict == Verdict::kHelps && best != nullptr && best->changes[0].knob == knob)
            continue;
        if (std::ranges::find(knobs, knob) == knobs.end()) knobs.push_back(knob);
    }
    return knobs;
}

// The same with the largest effect of each: "HRTICK (+7.7%)", "sched_nr_migrate (+4.0% at 64)".
std::vector<std::string> gains_with(const SearchResult& r, Verdict verdict) {
    std::vector<std::string> texts;
    for (const std::string& knob : knobs_with(r, verdict)) {
        const Effect* largest = nullptr;
        for (const Effect& e : r.singles)
            if (e.changes[0].knob == knob && e.verdict == verdict &&
                (largest == nullptr || std::abs(e.gain.mean) > std::abs(largest->gain.mean)))
                largest = &e;
        texts.push_back(fmt::format("{} ({}{})", knob, change_text(largest->gain.mean),
                                    over_features(r) ? "" : " at " + largest->changes[0].to));
    }
    return texts;
}

// Knobs of which every setting gave the same run.
std::vector<std::string> knobs_without_effect(const SearchResult& r) {
    std::vector<std::string> knobs = knobs_with(r, Verdict::kSameRun);
    std::erase_if(knobs, [&](const std::string& knob) {
        return std::ranges::any_of(r.singles, [&](const Effect& e) {
            return e.changes[0].knob == knob && e.verdict != Verdict::kSameRun;
        });
    });
    return knobs;
}

// Words of a sentence in lines of at most kWidth, later ones indented.
std::string wrapped(const std::string& sentence) {
    std::string text;
    std::size_t column = 0;
    for (std::size_t at = 0; at < sentence.size();) {
        const std::size_t end = std::min(sentence.find(' ', at), sentence.size());
        const std::string word = sentence.substr(at, end - at);
        if (column > 0 && column + 1 + word.size() > kWidth) {
            text += "\n  ";
            column = 2;
        } else if (column > 0) {
            text += ' ';
            ++column;
        }
        text += word;
        column += word.size();
        at = end + 1;
    }
    return text + "\n";
}

std::string list_sentence(const std::string& what, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    std::string text = what;
    for (std::size_t i = 0; i < names.size(); ++i) text += (i == 0 ? " " : ", ") + names[i];
    return wrapped(text + ".");
}

std::string first_sentence(const SearchResult& r) {
    const std::string what = over_features(r) ? "bit" : "setting";
    const Effect* best = r.best_single();
    if (best == nullptr) return wrapped(fmt::format("No single {} gains anything certain.", what));
    const Change& c = best->changes[0];
    const std::string text =
        fmt::format("{} comes first: {} {} ({} -> {} {}).", c.knob, doing(c), gain_words(*best),
                    level_text(r.base_rate), level_text(best->rate), r.unit);
    std::string command = "Try: " + c.arguments();
    if (over_features(r)) command += fmt::format(" (sched_features {})", mask_with(r, *best));
    return wrapped(text) + command + "\n";
}

std::string pair_sentence(const SearchResult& r) {
    const Effect* best = r.best_pair();
    if (best == nullptr) return {};
    const bool more = best->has_interval && best->beyond->excludes_zero();
    return wrapped(fmt::format(
        "Best pair: {} {} (mask {}); {}.", pair_name(*best), gain_words(*best), mask_with(r, *best),
        more ? fmt::format("together {} than the two alone add up to",
                           best->beyond->mean > 0 ? "more" : "less")
             : "no more and no less than the two alone add up to, as far as the seeds tell"));
}

std::string footnote(const SearchResult& r) {
    if (r.plan.seeds.size() < 2)
        return "warning: one seed; nothing is certain without --seeds 3 or more\n";
    return wrapped(fmt::format(
        "Gains are paired by seed. Intervals hold at {:.0f} % for all {} changes together.",
        lab::kSearchConfidence * 100, r.comparisons));
}

}  // namespace

std::string verdict_words(Verdict verdict) {
    switch (verdict) {
        case Verdict::kHelps:
            return "helps";
        case Verdict::kHurts:
            return "hurts";
        case Verdict::kSmall:
            return fmt::format("less than {:.0f} %", lab::kSmallGain * 100);
        case Verdict::kUncertain:
            return "nothing certain";
        case Verdict::kSameRun:
            return "no effect (same run)";
        case Verdict::kNotModelled:
            return fmt::format("no effect ({})", use_words(policy::FeatureUse::kNotModelled));
        case Verdict::kUnread:
            break;
    }
    return fmt::format("no effect ({})", use_words(policy::FeatureUse::kUnread));
}

std::string search_text(const SearchResult& r) {
    const bool bits = over_features(r);
    std::string text = head(r) + single_table(r) + pair_table(r) + "\n";
    text += first_sentence(r);
    text += list_sentence("Also gain:", gains_with(r, Verdict::kHelps));
    text += list_sentence(bits ? "Better left as they are:" : "Settings that cost:",
                          gains_with(r, Verdict::kHurts));
    text += pair_sentence(r);
    text += list_sentence("Do nothing here, every run is the same event for event:",
                          knobs_without_effect(r));
    text += list_sentence(fmt::format("Listed by {} but read nowhere:", r.plan.base.scheduler),
                          knobs_with(r, Verdict::kUnread));
    text += list_sentence("Read by the kernel for things that are not modelled:",
                          knobs_with(r, Verdict::kNotModelled));
    return text + footnote(r);
}

}  // namespace wakelab::report
