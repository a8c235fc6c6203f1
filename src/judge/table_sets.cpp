#include "judge/table_sets.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "judge/pgbench_tables.hpp"
#include "judge/ring_tables.hpp"

namespace wakelab::judge {

namespace {

constexpr ValueScale kMicroseconds = {.unit = "us", .divisor = 1, .digits = 2};

constexpr auto kSets = std::to_array<TableSet>({
    {.name = "pgbench",
     .title = "pgbench tables of 2008",
     .brief = {.unit = "thousand transactions/s", .divisor = 1000, .digits = 1},
     .full = {.unit = "transactions per second", .divisor = 1, .digits = 0},
     .columns = &pgbench_columns},
    {.name = "lat_ctx",
     .title = "lat_ctx -s 0 in commits of 2008, time per hop",
     .brief = kMicroseconds,
     .full = kMicroseconds,
     .columns = &lat_ctx_columns},
    {.name = "pipe-test",
     .title = "pipe-test in a commit of 2008, time per round trip",
     .brief = kMicroseconds,
     .full = kMicroseconds,
     .columns = &pipe_test_columns},
});

}  // namespace

std::span<const TableSet> table_sets() {
    return kSets;
}

Result<TableSet> find_table_set(std::string_view name) {
    std::string names;
    for (const TableSet& set : kSets) {
        if (set.name == name) return set;
        names += (names.empty() ? "" : ", ") + std::string(set.name);
    }
    return Error{fmt::format("{}: no such tables; there is: {}", name, names)};
}

}  // namespace wakelab::judge
