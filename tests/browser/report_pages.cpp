// Makes the pages that report_test.py and scripts/report-screenshot open.
//
//   report_pages trace OUT.html        a simulated run; OUT.html.json: what wakelab run --json says
//   of it report_pages million OUT.html      a million slices and as many wake-ups report_pages
//   hostile OUT.html      tasks whose names try to be markup report_pages results IN OUT.html   the
//   page of a result file
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "cli/explained_run.hpp"
#include "cli/write_file.hpp"
#include "metrics/record_script.hpp"
#include "report/html/results_report.hpp"
#include "report/html/trace_report.hpp"
#include "report/run_table.hpp"

namespace {

using namespace wakelab;

struct BothSinks final : trace::TraceSink {
    metrics::RunAnalysis analysis;
    metrics::SliceStore store;

    void begin(const trace::TraceInfo& info) override {
        analysis.begin(info);
        store.begin(info);
    }
    void add_task(std::uint32_t task, std::string_view name) override {
        analysis.add_task(task, name);
    }
    void consume(std::span<const trace::TraceRecord> records) override {
        analysis.consume(records);
        store.consume(records);
    }
    void finish(std::int64_t end_ns) override {
        analysis.finish(end_ns);
        store.finish(end_ns);
    }
};

Status write_page(BothSinks& sinks, const std::string& title, const std::string& path,
                  const lab::RunSpec* spec) {
    const metrics::RunSummary run = sinks.analysis.take();
    const metrics::Lanes lanes = sinks.store.take();
    std::vector<diag::Finding> findings;
    report::TraceReportInput input{
        .title = title, .facts = {}, .run = &run, .findings = {}, .lanes = &lanes, .load = {}};
    if (spec != nullptr) {
        findings = cli::findings_of(*spec, run);
        input.facts = {{"machine", spec->machine}, {"scheduler", spec->scheduler}};
    }
    input.findings = findings;
    if (Status s = cli::write_file(path + ".json", report::run_json(run.metrics, {})); !s) return s;
    return report::write_trace_report(input, path);
}

Status trace_page(const std::string& path) {
    lab::RunSpec spec;
    spec.scenario = "pgbench";
    spec.clients = 8;
    spec.scheduler = "cfs-2.6.26-rc3";
    spec.warmup = 200_ms;
    spec.duration = 300_ms;
    BothSinks sinks;
    if (auto run = lab::run(spec, &sinks); !run) return run.error();
    return write_page(sinks, "pgbench, 8 clients on cfs-2.6.26-rc3", path, &spec);
}

// 8 CPUs; each runs its tasks one after the other for 1 .. 60 us, woken by what ran on the next
// CPU.
Status million_page(const std::string& path) {
    constexpr std::uint32_t kCpus = 8, kTasks = 64, kSlices = 999'992;
    std::vector<std::string> names;
    for (std::uint32_t t = 0; t < kTasks; ++t)
        names.push_back(fmt::format("{}-{}", t % 8 < 5 ? "worker" : "io", t));
    BothSinks sinks;
    sinks.begin(metrics::script::info(kCpus, names));
    std::array<std::uint32_t, kCpus> current;
    current.fill(trace::kNobody);
    std::vector<trace::TraceRecord> records;
    std::int64_t now = 0;
    std::uint64_t seed = 1;
    for (std::uint32_t i = 0; i < kSlices; ++i) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        const auto cpu = static_cast<std::uint16_t>(i % kCpus);
        const std::uint32_t task =
            cpu + kCpus * static_cast<std::uint32_t>((seed >> 40) % (kTasks / kCpus));
        now += 100 + static_cast<std::int64_t>((seed >> 33) % 6000);
        if (task == current[cpu]) {
            records.push_back(metrics::script::run(now, cpu, task, trace::kNobody));
            now += 50;
            current[cpu] = trace::kNobody;
        }
        records.push_back(metrics::script::wakeup(now, current[(cpu + 1) % kCpus], task, cpu));
        now += 20;
        records.push_back(metrics::script::run(now, cpu, current[cpu], task));
        current[cpu] = task;
        if (records.size() > 4000) {
            sinks.consume(records);
            records.clear();
        }
    }
    sinks.consume(records);
    sinks.finish(now);
    return write_page(sinks, "A million slices", path, nullptr);
}

Status hostile_page(const std::string& path) {
    BothSinks sinks;
    sinks.begin(metrics::script::info(2, {"</script><img src=x onerror=alert(1)>",
                                          "\"'><b>bold</b>", "\xff\x00<!--", "]]>&amp;"}));
    const std::vector<trace::TraceRecord> records = {
        metrics::script::run(0, 0, trace::kNobody, 0),
        metrics::script::wakeup(1000, 0, 1, 1),
        metrics::script::run(1500, 1, trace::kNobody, 1),
        metrics::script::wakeup(2000, 1, 2, 0),
        metrics::script::run(2500, 0, 0, 2),
        metrics::script::wakeup(3000, 2, 3, 1),
        metrics::script::run(3500, 1, 1, 3),
        metrics::script::run(4000, 1, 3, trace::kNobody)};
    sinks.consume(records);
    sinks.finish(5000);
    return write_page(sinks, "</title><script>alert(1)</script>", path, nullptr);
}

Status results_page(const std::string& in, const std::string& out) {
    std::ifstream file(in, std::ios::binary);
    const std::string json((std::istreambuf_iterator<char>(file)), {});
    auto page = report::results_report(json, "");
    if (!page) return page.error();
    return cli::write_file(out, *page);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> args(argv + 1, argv + argc);
    Status status =
        Error{"usage: report_pages trace|million|hostile OUT.html | results IN OUT.html"};
    if (args.size() == 2 && args[0] == "trace") status = trace_page(args[1]);
    if (args.size() == 2 && args[0] == "million") status = million_page(args[1]);
    if (args.size() == 2 && args[0] == "hostile") status = hostile_page(args[1]);
    if (args.size() == 3 && args[0] == "results") status = results_page(args[1], args[2]);
    if (status) return 0;
    fmt::print(stderr, "{}\n", status.error().message);
    return 2;
}
