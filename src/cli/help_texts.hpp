// What --help says beyond the list of options: examples first of all.
#pragma once

namespace wakelab::cli::help {

inline constexpr const char* kProgram =
    "A laboratory for the wake-up path of CPU schedulers: put a workload on a scheduler on a\n"
    "machine, see where its tasks are placed and why it is slow, and try the change that fixes it.";

inline constexpr const char* kExamples =
    R"(Examples, in the order in which one meets them:
  wakelab quickstart                             the story of pgbench in 2008, in a minute
  wakelab run pgbench -c 8 -s cfs-2.6.26-rc3     one run: rate, latencies, where tasks ran
  wakelab explain pgbench -c 8 -s cfs-2.6.26-rc3 why it is slow, and what helps
  wakelab search pgbench -c 8 -s cfs-2.6.26-rc3  which feature bit is guilty
  wakelab compare pgbench -c 1,4,8,16 -s o1-2.6.22,cfs-2.6.26-rc3,cfs-2.6.26-rc3:863
  wakelab list schedulers                        and patches, parameters, workloads ...
  wakelab show scheduler cfs-2.6.26              its features and tunables in words
  wakelab validate pgbench                       simulation against published tables
wakelab COMMAND --help says more. Exit status: 0 done, 2 wrong input (one line on stderr).)";

inline constexpr const char* kRun = R"(Examples:
  wakelab run pgbench --clients 8 --scheduler cfs-2.6.25
  wakelab run pgbench --features 863 -s cfs-2.6.26-rc3 --duration 500ms --json
  wakelab run pgbench -c 8 --duration 50ms --trace run.pftrace  (opens in the Perfetto UI)
  wakelab run pgbench --pin pgbench=0 --pin postgres=1-3 --set sched_migration_cost=0
  wakelab run examples/rtapp/tutorial1.json          (also prints rt-app's own log))";

inline constexpr const char* kExplain = R"(Examples:
  wakelab record -- ./benchmark && wakelab explain wakelab.dat
  wakelab explain perf.data --from 2s --to 5s
  wakelab explain pgbench --clients 8 --scheduler cfs-2.6.26-rc3
  wakelab explain pgbench --clients 8 --scheduler o1-2.6.22 --json
The experiments of the first finding, and at most two more, are tried with 3 seeds each.)";

inline constexpr const char* kSearch = R"(Examples:
  wakelab search pgbench --clients 8 --scheduler cfs-2.6.26-rc3
  wakelab search pgbench -c 8 -s cfs-2.6.26-rc3 --over features --pairs
  wakelab search pgbench -c 8 -s cfs-2.6.26 --over tunables --seeds 9 --json
  wakelab search pgbench -c 8 -s cfs-2.6.26-rc3 --features 863     (what is left to gain)
Each bit is flipped alone; each tunable is set to 0, 1/8 .. 8 times its value, switches to their
other value. All arms run with the same seeds. --features and --set change what is searched from.)";

inline constexpr const char* kCompare = R"(A scheduler may carry changes of its own after colons:
  NAME:863  NAME:NO_SYNC_WAKEUPS     feature mask or word
  NAME:sched_migration_cost=0        tunable, as for --set
  NAME:batch=all                     as --batch all
  NAME:pin.pgbench=0                 as --pin pgbench=0
  NAME:policy.pgbench=nice=-5        as --policy pgbench=nice=-5
  NAME:group.postgres=db=2048        as --group postgres=db=2048
--features, --set, --batch, --pin, --policy and --group apply to all schedulers.
Examples:
  wakelab compare pgbench -c 1,2,5-8,50 -s o1-2.6.22,cfs-2.6.25,cfs-2.6.26
  wakelab compare pgbench -c 8 -s cfs-2.6.26-rc3,cfs-2.6.26-rc3:863,o1-2.6.22:batch=all --seeds 9
  wakelab compare pgbench -c 8 -s cfs-2.6.24,cfs-2.6.26 --baseline cfs-2.6.26 --json)";

inline constexpr const char* kQuickstart = R"(Examples:
  wakelab quickstart
  wakelab quickstart --output story.md)";

inline constexpr const char* kList = R"(Examples:
  wakelab list schedulers
  wakelab list patches
  wakelab list parameters                        every rule of every scheduler, as Markdown
  wakelab list features
  wakelab list features --scheduler cfs-2.6.26-rc3)";

inline constexpr const char* kShow = R"(Examples:
  wakelab show machine q6600
  wakelab show scheduler cfs-2.6.25
  wakelab show scheduler cfs-2.6.25 --machine athlon-x2-4600 --json)";

inline constexpr const char* kDiff = R"(Examples:
  wakelab diff cfs-2.6.25 cfs-2.6.26
  wakelab diff cfs-2.6.25.4 cfs-2.6.25.4+P5
  wakelab diff o1-2.6.22 cfs-2.6.24 --machine athlon-x2-4600 --json)";

inline constexpr const char* kValidate = R"(Examples:
  wakelab validate pgbench                           (some minutes; --seeds 5 for a first look)
  wakelab validate pgbench --experiment E13 --seeds 9 --causes
  wakelab validate pgbench --markdown validation.md
  wakelab validate lat_ctx)";

inline constexpr const char* kFit = R"(Examples:
  wakelab fit pgbench
  wakelab fit pgbench --plan my-plan.toml --json)";

inline constexpr const char* kRecord = R"(Examples:
  wakelab record -- pgbench -S -c 8 -T 5 bench
  wakelab record -o slow.dat --events irq,syscalls -- ./server --once
  wakelab record --last 5s                           (Ctrl-C when it has happened)
  wakelab explain wakelab.dat                        (what went wrong)
The file is a trace.dat: trace-cmd report, KernelShark and Perfetto read it too. Needs root, or a
tracefs that you may write to. Where tracefs is not there or may not be written to, events come
through perf_event (--backend perf), and the file is a perf.data for perf script: with all events
where their formats can be read in tracefs, else only who ran when, without wake-ups.)";

inline constexpr const char* kTop = R"(Examples:
  wakelab top wakelab.dat
  wakelab top perf.data --rows 32 --last 2s
  trace-cmd report | wakelab top -)";

inline constexpr const char* kTimeline = R"(Examples:
  wakelab timeline wakelab.dat                       (around the longest wake-up latency)
  wakelab timeline wakelab.dat --from 1.25s --to 1.26s
  wakelab timeline run.wkt --from 0ms --to 2ms --width 160
One letter a task, '.' an idle CPU; under a lane, how many tasks wait there.)";

inline constexpr const char* kReport = R"(Examples:
  wakelab report wakelab.dat -o slow.html
  wakelab compare pgbench -c 1,4,8 -s o1-2.6.22,cfs-2.6.26 --json | wakelab report - -o compare.html
One file without any network access; zoom with + and -, the arrow keys or the mouse.)";

inline constexpr const char* kConvert = R"(Examples:
  wakelab convert trace.dat trace.pftrace            (opens in the Perfetto UI)
  wakelab convert perf.data part.dat --from 1.5s --to 2s
  perf script | wakelab convert - small.wkt
  wakelab convert run.wkt - --as ftrace | less)";

}  // namespace wakelab::cli::help
