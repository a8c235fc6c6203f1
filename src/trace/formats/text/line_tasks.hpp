// What the head of a line of text tells of its task, beside the event: a name and a process.
#pragma once

#include <string_view>

#include "trace/formats/text/pid_set.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace {

// Hands events on, each pid's name and process once.
class LineTasks {
 public:
    explicit LineTasks(Translator& translator) : translator_(translator) {}

    // `name`: in front of the pid. The recorder has it from a cache, and it may be of another time or another
    // one than the kernel's: it serves until an event tells one.
    void add(KernelEvent& e, std::string_view name) {
        if (e.type == KernelEventType::kSwitch || e.type == KernelEventType::kFork) {
            named_.insert(e.pid);
            named_.insert(e.other_pid);
        } else if (named_.insert(e.pid) && !e.comm.told()) {
            e.comm = Comm(name);
        }
        translator_.add(e);
    }
    // After the first event of `pid`. 0 or less: not told.
    void tell_process(std::int32_t pid, std::int32_t tgid) {
        if (tgid > 0 && pid > 0 && grouped_.insert(pid))
            translator_.describe({}, {.pid = pid, .tgid = tgid, .allowed = {}});
    }

 private:
    Translator& translator_;
    PidSet named_, grouped_;
};

}  // namespace wakelab::trace
