// A search for the guilty knob, for people.
#pragma once

#include <string>

#include "lab/search.hpp"

namespace wakelab::report {

// What was searched, one line per change (then per pair worth a line), and in sentences: which
// change comes first and what it gains, which others matter, which do nothing and why.
[[nodiscard]] std::string search_text(const lab::SearchResult& result);

// "helps", "no effect (not read in this version)", ...
[[nodiscard]] std::string verdict_words(lab::Verdict verdict);

}  // namespace wakelab::report
