// Recordings on the command line: every format in, every format out, bad files and arguments.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/cli_outcome.hpp"
#include "support/source_path.hpp"

namespace wakelab::cli {
namespace {

using nlohmann::json;

const std::string kData = test::source_path("tests/data/trace/");
const std::string kDat = kData + "trace_dat/real_v6.dat";

json explained(const std::string& file) {
    const Outcome o = wakelab({"explain", file, "--json"});
    EXPECT_EQ(o.status, 0) << o.err;
    return o.status == 0 ? json::parse(o.out) : json();
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(CliTraces, ExplainReadsFilesOfEveryRecorder) {
    for (const char* file :
         {"trace_dat/real_v6.dat", "trace_dat/real_v7.dat", "trace_dat/real_v7_zstd.dat",
          "perf/file.perf.data", "perf/pipe.perf.data", "perf/zstd.perf.data",
          "perf/callchain.perf.data", "perf/sched.perf.data", "perf/file.perf.txt",
          "text/hostile.trace", "text/hostile.trace_pipe", "text/hostile.report",
          "text/systrace.html"}) {
        const Outcome o = wakelab({"explain", kData + file});
        EXPECT_EQ(o.status, 0) << file << ": " << o.err;
        expect_words(o.out, {"events", "1. ", "How long they waited", "Who wakes whom"});
    }
}

// The same recording in three dresses of trace.dat has the same numbers, whatever carried it.
TEST(CliTraces, TheFormatDoesNotChangeTheNumbers) {
    const json v6 = explained(kDat);
    for (const char* file : {"trace_dat/real_v7.dat", "trace_dat/real_v7_zstd.dat"}) {
        const json other = explained(kData + file);
        for (const char* part :
             {"groups", "wakeup_latency", "cpus", "idle_while_waiting", "wakers", "worst"})
            EXPECT_EQ(v6.at(part), other.at(part)) << file << " " << part;
    }
}

// Converted there and back, a simulated run and a recording keep what is measured.
TEST(CliTraces, ConversionKeepsTheNumbers) {
    const TemporaryFolder folder;
    const std::string run = folder.file("run.wkt");
    ASSERT_EQ(wakelab({"run", "pgbench", "-c", "4", "--warmup", "0ms", "--duration", "20ms",
                       "--trace", run})
                  .status,
              0);
    for (const std::string& source : {run, kDat}) {
        const json before = explained(source);
        for (const char* ending : {".wkt", ".dat", ".txt", ".pftrace"}) {
            const std::string target = folder.file(std::string("copy") + ending);
            const Outcome o = wakelab({"convert", source, target});
            ASSERT_EQ(o.status, 0) << o.err;
            const json after = explained(target);
            for (const char* part : {"wakeup_latency", "preemption_delay", "idle_while_waiting"}) {
                // A recording ends with its last event; a run may go on, which only .wkt can tell.
                const bool open_end = source == run && target != folder.file("copy.wkt");
                if (open_end && std::string(part) == "idle_while_waiting") continue;
                EXPECT_EQ(before.at(part), after.at(part)) << source << ending << " " << part;
            }
        }
    }
}

TEST(CliTraces, TopTimelineAndReportShowAPart) {
    const TemporaryFolder folder;
    const Outcome top = wakelab({"top", kDat, "-n", "2"});
    EXPECT_EQ(top.status, 0) << top.err;
    expect_words(top.out, {"waited", "woken by", "ran instead"});
    const Outcome timeline =
        wakelab({"timeline", kDat, "--from", "10ms", "--to", "30ms", "--width", "80"});
    EXPECT_EQ(timeline.status, 0) << timeline.err;
    expect_words(timeline.out, {"20.0 ms in", "CPU 0", "CPU 1"});
    const std::string page = folder.file("page.html");
    const Outcome report = wakelab({"report", kDat, "-o", page, "--last", "50ms"});
    EXPECT_EQ(report.status, 0) << report.err;
    expect_words(read_file(page), {"<!doctype html>", "Content-Security-Policy", "real_v6.dat"});
    const Outcome run =
        wakelab({"run", "pgbench", "--warmup", "1ms", "--duration", "20ms", "--json"});
    const std::string results = folder.write("run.json", run.out);
    EXPECT_EQ(wakelab({"report", results, "-o", page}).status, 0);
}

TEST(CliTraces, RefusesInOneLine) {
    const TemporaryFolder folder;
    const std::string page = folder.file("page.html");
    expect_refused({"explain", test::source_path("README.md")},
                   "not a trace that can be read; expected one of");
    expect_refused({"top", folder.file("none.dat")}, "cannot be opened");
    expect_refused({"explain", "pgbench", "--last", "1s"}, "expected a trace file");
    expect_refused({"explain", kDat, "--last", "1s", "--to", "2s"},
                   "--last: expected without --from and --to");
    expect_refused({"explain", kDat, "--from", "2s", "--to", "1s"},
                   "--to: expected a time after --from");
    expect_refused({"timeline", kDat, "--width", "3"}, "--width");
    expect_refused({"top", kDat, "-n", "0"}, "--rows");
    expect_refused({"convert", kDat, folder.file("x.unknown")}, "names no format to write");
    expect_refused({"convert", kDat, "-", "--as", "trace.dat"}, "standard output");
    expect_refused({"report", test::source_path("README.md"), "-o", page},
                   "not a trace that can be read");
    expect_refused({"record", "--duration", "x", "--", "true"}, "--duration");
    expect_refused({"record", "--backend", "x", "--", "true"}, "--backend");
    expect_refused({"record", "--buffer", "x", "--", "true"}, "--buffer");
    expect_refused({"record", "--backend", "perf", "--events", "x", "--", "true"}, "--events x");
    EXPECT_EQ(folder.files(), 0u);  // nothing half written
}

}  // namespace
}  // namespace wakelab::cli
