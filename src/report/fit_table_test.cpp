#include "report/fit_table.hpp"

#include <gtest/gtest.h>

namespace wakelab::report {
namespace {

// ln(110/100) = 9.53 %, ln(95/100) = -5.13 %.
TEST(FitTable, ShowsParametersAndCellsBeforeAndAfter) {
    judge::FitRecord r;
    r.objective_before = 0.5;
    r.objective_after = 0.25;
    r.rounds = 4;
    r.runs = 77;
    r.converged = true;
    judge::FittedParameter& p = r.parameters.emplace_back();
    p.parameter.name = "q6600";
    p.parameter.key = "costs.ipi";
    p.parameter.start = 1000;
    p.parameter.lo = 500;
    p.parameter.hi = 2000;
    p.value = 2000;
    r.cells.push_back({.experiment = "E03",
                       .label = "pinned",
                       .clients = 8,
                       .published = 10'000,
                       .before = 11'000,
                       .after = 9500});
    EXPECT_EQ(fit_text(r),
              "objective 0.50000 -> 0.25000 in 4 rounds, 77 runs, converged\n\n"
              "parameter                start  fitted   lo    hi\n"
              "machine q6600 costs.ipi   1000    2000  500  2000  at bound\n"
              "\nerror = 100 ln(simulated/published)\n"
              "table  column  clients  published  before  error  after  error\n"
              "E03    pinned        8      10000   11000  +9.5%   9500  -5.1%\n");
}

}  // namespace
}  // namespace wakelab::report
