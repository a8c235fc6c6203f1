#include "work/cost_file.hpp"

#include <toml++/toml.h>

#include "base/data_dir.hpp"

namespace wakelab::work {

std::string cost_file_path(std::string_view workload) {
    return fmt::format("{}/workloads/{}.toml", data_dir(), workload);
}

Result<std::vector<CostEntry>> read_cost_file(std::string_view workload) {
    const std::string path = cost_file_path(workload);
    toml::table root;
    try {
        root = toml::parse_file(path);
    } catch (const toml::parse_error& e) {
        return Error{fmt::format("{}:{}: {}", path, e.source().begin.line, e.description())};
    }
    std::vector<CostEntry> entries;
    for (const auto& [key, node] : root) {
        std::string where = fmt::format("{}:{}", path, node.source().begin.line);
        const auto value = node.value_exact<std::int64_t>();
        if (!value) return Error{fmt::format("{}: {}: expected an integer", where, key.str())};
        entries.push_back({std::string(key.str()), *value, std::move(where)});
    }
    return entries;
}

}  // namespace wakelab::work
