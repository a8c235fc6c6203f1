// The runs whose course is kept in tests/golden: read from cases.toml.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "lab/run.hpp"

namespace wakelab::golden {

struct GoldenCase {
    std::string name;  // of the file: tests/golden/<scheduler>/<name>.txt
    lab::RunSpec spec;

    [[nodiscard]] std::string file() const { return spec.scheduler + "/" + name + ".txt"; }
};

// One case per [[case]] and name in its `schedulers`, in file order. `origin` names the text in
// errors.
[[nodiscard]] Result<std::vector<GoldenCase>> parse_cases(std::string_view toml,
                                                          std::string_view origin);

}  // namespace wakelab::golden
