// Findings as verdicts: from a diagnosis, or from the result file of `wakelab explain`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "diag/finding.hpp"
#include "report/html/json_view.hpp"

namespace wakelab::report::html {

struct FindingView {
    std::string title;  // bytes, as all texts here
    std::string confidence;
    std::optional<double> explains;
    bool healthy = false;  // says that nothing is wrong
    std::vector<std::string> symptom;
    std::vector<std::pair<std::string, double>> evidence;
    std::vector<std::pair<std::string, std::string>> experiments;  // arguments, why
};

[[nodiscard]] std::vector<FindingView> finding_views(std::span<const diag::Finding> findings);
[[nodiscard]] std::vector<FindingView> finding_views(const Json& findings);

[[nodiscard]] std::string findings_html(const std::vector<FindingView>& findings);

}  // namespace wakelab::report::html
