// Raw ring-buffer pages of a machine that has no trace-cmd: a directory of files copied from tracefs
// (instances/NAME or the top). Expected in it:
//
//     cpuN or cpuN.raw             cat per_cpu/cpuN/trace_pipe_raw; one for each CPU with events
//       (or per_cpu/cpuN/trace_pipe_raw itself, as `cp -r` leaves it)
//     events/SYSTEM/EVENT/format   of the events that were recorded, at least sched/sched_switch
//     events/header_page           or header_page
//     saved_cmdlines, trace_clock  names and clock, optional
//
// For example, with I=/sys/kernel/tracing/instances/x and D=recorded:
//     mkdir -p $D/events; cp -r $I/../../events/{header_page,sched,irq,power} $D/events
//     for c in $I/per_cpu/cpu*; do timeout 1 cat $c/trace_pipe_raw > $D/${c##*/}.raw; done
//     cp $I/../../saved_cmdlines $I/trace_clock $D
#pragma once

#include <string>

#include "base/result.hpp"
#include "trace/quality.hpp"
#include "trace/sink.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

// Byte order is that in which the first page makes sense. Error: not a directory, no CPU, no header_page, no
// format of sched_switch; says what was looked for.
[[nodiscard]] Status read_raw_pages(const std::string& dir, TraceSink& sink, TraceQuality& quality,
                                    const Window& window = {});

}  // namespace wakelab::trace
