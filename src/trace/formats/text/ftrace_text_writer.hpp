// Writer of ftrace text, as the file trace of tracefs has it, for people, the Perfetto UI and other readers
// of systrace.
//
// Times have nine digits, not the kernel's six, so that no number changes; readers of text take any number of
// digits (Perfetto's systrace parser reads a decimal number of seconds).
// A task without a process number (of a simulation) gets its task number + 1. Priorities are not in
// canonical records: all are 120. Names end at 15 bytes, as the kernel's; a line end in one becomes '?'.
// A loss has no time in text: its reader takes that of the next event.
// Inferred records are left out, since who reads the text infers them again. What only simulations have
// (kResched, kSpurious, kWorkUnit, kIrq, kSleepUntil, allowed CPUs, caches) has no text.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "trace/formats/writer.hpp"

namespace wakelab::trace {

// As WriterFormat::open.
[[nodiscard]] Result<std::unique_ptr<TraceWriter>> open_ftrace_text_writer(const std::string& path,
                                                                           const TraceQuality& quality);

}  // namespace wakelab::trace
