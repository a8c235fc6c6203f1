#include "report/html/results_report.hpp"

#include <array>

#include "report/html/result_pages.hpp"

namespace wakelab::report {

namespace {

using html::Json;

struct Kind {
    std::array<const char*, 2> keys;  // the object has both
    std::string (*page)(const Json&, const std::string&);
};

// The first that fits.
constexpr std::array kKinds = {
    Kind{{"levels", "variants"}, html::compare_page},
    Kind{{"tables", "predict"}, html::validate_page},
    Kind{{"findings", "wakers"}, html::explain_page},
    Kind{{"metrics", "cpus"}, html::run_page},
    Kind{{"singles", "base"}, html::search_page},
};

}  // namespace

bool looks_like_results(std::string_view beginning) {
    const std::size_t first = beginning.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || beginning[first] != '{') return false;
    const std::size_t second = beginning.find_first_not_of(" \t\r\n", first + 1);
    return second != std::string_view::npos && beginning[second] == '"';
}

Result<std::string> results_report(std::string_view json, const std::string& title) {
    const Json result = Json::parse(json, nullptr, /*allow_exceptions=*/false);
    if (result.is_discarded()) return Error{"results: not valid JSON"};
    for (const Kind& kind : kKinds)
        if (result.is_object() && result.contains(kind.keys[0]) && result.contains(kind.keys[1]))
            return kind.page(result, title);
    return Error{
        "results: expected what wakelab compare, validate, run, explain or search print with "
        "--json"};
}

}  // namespace wakelab::report
