#include "report/fit_table.hpp"

#include <fmt/format.h>

#include "judge/score.hpp"
#include "report/number_text.hpp"
#include "report/text_table.hpp"

namespace wakelab::report {

namespace {

std::string parameters(const judge::FitRecord& record) {
    TextTable table({Align::kLeft});
    table.add({"parameter", "start", "fitted", "lo", "hi", ""});
    for (const judge::FittedParameter& p : record.parameters)
        table.add({p.parameter.describe(), std::to_string(p.parameter.start),
                   std::to_string(p.value), std::to_string(p.parameter.lo),
                   std::to_string(p.parameter.hi), p.at_bound() ? "at bound" : ""});
    return table.text();
}

std::string cells(const judge::FitRecord& record) {
    TextTable table({Align::kLeft, Align::kLeft});
    table.add({"table", "column", "clients", "published", "before", "error", "after", "error"});
    for (const judge::FittedCell& c : record.cells)
        table.add({c.experiment, c.label, std::to_string(c.clients), level_text(c.published),
                   level_text(c.before), change_text(judge::log_ratio(c.before, c.published)),
                   level_text(c.after), change_text(judge::log_ratio(c.after, c.published))});
    return table.text();
}

}  // namespace

std::string fit_text(const judge::FitRecord& record) {
    std::string text =
        fmt::format("objective {:.5f} -> {:.5f} in {} rounds, {} runs, {}\n\n",
                    record.objective_before, record.objective_after, record.rounds, record.runs,
                    record.converged ? "converged" : "stopped by rounds_max");
    text += parameters(record);
    return text + "\nerror = 100 ln(simulated/published)\n" + cells(record);
}

}  // namespace wakelab::report
