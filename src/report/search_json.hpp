// A search for the guilty knob, for programs.
#pragma once

#include <string>

#include "lab/search.hpp"

namespace wakelab::report {

// "scenario", "clients" (null: the scenario has none), "machine", "scheduler", "over", "mask" (null
// for tunables), "unit", "seeds", "confidence" (of all intervals together), "comparisons", "base"
// {"rate", "values"}, "singles" and "pairs": ranked objects with "knobs" [{"name", "bit", "from",
// "to"}], "arguments", "rate", "gain", "low", "high", "verdict", "why" and "values". Gains are
// fractions of the base; null where nothing was run or there is no interval. Pairs have "beyond"
// {"gain", "low", "high"}, too. "verdict" is one word: helps, hurts, small, uncertain or none.
[[nodiscard]] std::string search_json(const lab::SearchResult& result);

}  // namespace wakelab::report
