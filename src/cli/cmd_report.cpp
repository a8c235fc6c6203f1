#include "cli/cmd_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/write_file.hpp"
#include "diag/diagnose.hpp"
#include "metrics/slice_store.hpp"
#include "report/html/results_report.hpp"
#include "report/html/trace_report.hpp"
#include "trace/input.hpp"

namespace wakelab::cli {

namespace {

constexpr std::size_t kMaxResultBytes = std::size_t{256} << 20;

Result<std::string> whole_text(trace::Input& input) {
    std::string text;
    while (text.size() < kMaxResultBytes) {
        constexpr std::size_t kBlock = std::size_t{1} << 20;
        const std::size_t before = text.size();
        text.resize(before + kBlock);
        const auto n = input.read(std::as_writable_bytes(std::span(text).subspan(before)));
        if (!n) return n.error();
        text.resize(before + *n);
        if (*n < kBlock) return text;
    }
    return Error{fmt::format("{}: larger than a result file can be (256 MB)", input.name())};
}

Status results_page(const ReportArguments& arguments, trace::Input& input) {
    const auto text = whole_text(input);
    if (!text) return text.error();
    const auto page = report::results_report(*text, arguments.title);
    if (!page) return Error{fmt::format("{}: {}", input.name(), page.error().message)};
    return write_file(arguments.output, *page);
}

Status trace_page(const ReportArguments& arguments, const Output& output, trace::Input* opened) {
    metrics::SliceStore slices;
    const auto run = analysed_trace(arguments.source, output, {&slices}, opened);
    if (!run) return run.error();
    diag::Knobs knobs;
    knobs.live = diag::LiveSystem::of_release(run->quality.kernel);
    const auto findings = diag::diagnose(run->summary, knobs);
    const metrics::Lanes lanes = slices.take();
    report::TraceReportInput page;
    page.title = arguments.title.empty() ? arguments.source.file : arguments.title;
    page.facts = {{"file", arguments.source.file}};
    page.run = &run->summary;
    page.findings = findings;
    page.quality = &run->quality;
    page.lanes = &lanes;
    return report::write_trace_report(page, arguments.output);
}

Status write_page(const ReportArguments& arguments, const Output& output) {
    auto input = trace::Input::open(arguments.source.file);
    if (!input) return trace_page(arguments, output, nullptr);  // a folder of raw pages, or an error
    const auto head = input->head();
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    if (report::looks_like_results(text)) return results_page(arguments, *input);
    return trace_page(arguments, output, &*input);
}

}  // namespace

Status cmd_report(const ReportArguments& arguments, const Output& output) {
    if (Status s = write_page(arguments, output); !s) return s;
    if (arguments.output == "-") return {};
    const std::string path = printable(arguments.output);
    output.out(arguments.json ? nlohmann::ordered_json{{"output", path}}.dump(2) + "\n"
                              : path + ": open it in a browser\n");
    return {};
}

}  // namespace wakelab::cli
