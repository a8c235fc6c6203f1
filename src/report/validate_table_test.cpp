#include "report/validate_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/validate_json.hpp"
#include "report/validate_markdown.hpp"
#include "report/validate_words.hpp"

namespace wakelab::report {
namespace {

using judge::Role;

judge::CellReport cell(std::int32_t clients, double published, double simulated, Role role) {
    judge::CellReport c;
    c.published = {.clients = clients,
                   .value = published,
                   .low = published,
                   .high = published,
                   .runs = 1,
                   .role = role};
    c.simulated = judge::SimulatedCell{};
    c.simulated->median = c.simulated->min = c.simulated->max = simulated;
    c.simulated->log_ratio = judge::log_ratio(simulated, published);
    c.simulated->batch = 2.5;
    c.simulated->busy = 0.75;
    return c;
}

// One column with a fitted and two predicted cells (errors ln 2 and 0), one that cannot be run.
judge::ValidationReport example() {
    judge::ValidationReport r;
    r.seeds = 3;
    r.warmup = 1_s;
    r.duration = 2_s;
    judge::TableReport& t = r.tables.emplace_back();
    t.experiment = "E13";
    judge::ColumnReport& stock = t.columns.emplace_back();
    stock.column.label = "-rc5";
    stock.column.kernel = "2.6.26-rc5";
    stock.column.variant = "stock";
    stock.column.machine = "q6600";
    stock.column.scheduler = "cfs-2.6.26";
    stock.cells = {cell(1, 10'000, 10'000, Role::kFit), cell(2, 15'000, 30'000, Role::kPredict),
                   cell(10, 12'000, 12'000, Role::kPredict)};
    stock.cells[1].simulated->bistable = true;
    stock.cells[1].simulated->min = 14'000;
    stock.cells[1].simulated->in_range = true;
    judge::ColumnReport& patched = t.columns.emplace_back();
    patched.column.label = "-rc5+P4";
    patched.column.needs = "patch P4";
    t.predict.cells = r.predict.cells = 2;
    t.predict.median_error = r.predict.median_error = std::log(2) / 2;
    t.predict.max_error = r.predict.max_error = std::log(2);
    r.predict.within = {.total = 4, .same = 3};
    t.fit.cells = r.fit.cells = 1;
    return r;
}

TEST(ValidateTable, ShowsPrintSimulationErrorAndMarks) {
    const std::string text = validate_text(example(), ValidateDetail::kRates);
    EXPECT_NE(text.find("E13 q6600   clients       1     2    10  median\n"
                        "-rc5        published  10.0  15.0  12.0\n"
                        "cfs-2.6.26  simulated  10.0  30.0  12.0\n"
                        "            error %      +0   +69    +0  34.7 %\n"
                        "            marks         f    ~+\n"
                        "-rc5+P4     not runnable yet: needs patch P4\n"),
              text.npos)
        << text;
    EXPECT_NE(text.find("75.0 % of 4"), text.npos);
    EXPECT_EQ(text.find("batch size"), text.npos);
}

TEST(ValidateTable, CausesAreAddedOnRequest) {
    const std::string text = validate_text(example(), ValidateDetail::kCauses);
    EXPECT_NE(text.find("batch size   2.5   2.5   2.5"), text.npos) << text;
    EXPECT_NE(text.find("busy %        75    75    75"), text.npos) << text;
}

TEST(ValidateTable, WorstCellsComeLargestErrorFirst) {
    const judge::ValidationReport report = example();
    const auto worst = worst_cells(report, 2);
    ASSERT_EQ(worst.size(), 2u);
    EXPECT_EQ(worst[0].cell->published.clients, 2);
    EXPECT_EQ(worst[1].cell->published.clients, 1);
}

TEST(ValidateJson, HasTheScoresTablesAndCells) {
    const auto json = nlohmann::json::parse(validate_json(example()));
    EXPECT_EQ(json["predict"]["cells"], 2);
    EXPECT_NEAR(json["predict"]["median_error"].get<double>(), std::log(2) / 2, 1e-6);
    EXPECT_DOUBLE_EQ(json["predict"]["direction"], 0.75);
    EXPECT_EQ(json["predict"]["direction_pairs"], 4);
    EXPECT_TRUE(json["predict"]["tau"].is_null());
    EXPECT_TRUE(json["fit"]["direction"].is_null());
    const auto& table = json["tables"][0];
    EXPECT_EQ(table["experiment"], "E13");
    EXPECT_EQ(table["predict"]["cells"], 2);
    ASSERT_EQ(table["cells"].size(), 3u);
    EXPECT_EQ(table["cells"][1]["role"], "predict");
    EXPECT_NEAR(table["cells"][1]["error"].get<double>(), std::log(2), 1e-6);
    EXPECT_EQ(table["cells"][0]["role"], "fit");
    EXPECT_EQ(table["not_run"][0]["needs"], "patch P4");
}

TEST(ValidateMarkdown, HasEveryCell) {
    const std::string text = validate_markdown(example());
    EXPECT_NE(text.find("### E13"), text.npos);
    EXPECT_NE(text.find("- -rc5+P4 (, ): not runnable yet, needs patch P4"), text.npos);
    EXPECT_NE(text.find("| -rc5 | 2 | 15000 | 30000 | 14000 .. 30000 | +69.3 | ~+ | 2.5 |"),
              text.npos)
        << text;
    const auto lines = std::ranges::count(text, '\n');
    EXPECT_GE(lines, 3 + 6);
}

TEST(ValidateWords, SetupNamesWhatDiffersFromTheDefault) {
    judge::PublishedColumn c;
    c.scheduler = "cfs-2.6.26-rc3";
    EXPECT_EQ(setup_text(c), "cfs-2.6.26-rc3");
    c.features = {"863"};
    c.batch = {"all"};
    c.pins = {{"pgbench", "0"}};
    EXPECT_EQ(setup_text(c), "cfs-2.6.26-rc3 863 batch pinned");
}

}  // namespace
}  // namespace wakelab::report
