#include "report/cost_words.hpp"

#include <array>

namespace wakelab::report {

namespace {

using topo::Costs;

constexpr auto kCosts = std::to_array<CostWords>({
    {"switch_direct", &Costs::switch_direct, "ns", "schedule() and the register switch"},
    {"switch_refill", &Costs::switch_refill, "ns",
     "kernel stack and page tables after another task"},
    {"switch_idle", &Costs::switch_idle, "ns", "from idle back to the last task"},
    {"wake", &Costs::wake, "ns", "try_to_wake_up() on the waker"},
    {"wake_remote", &Costs::wake_remote, "ns", "more, when the wakee goes to another CPU"},
    {"wake_far_lines", &Costs::wake_far_lines, "lines",
     "of task and queue, passed between two caches"},
    {"idle_wake", &Costs::idle_wake, "ns", "an idle CPU from need_resched to schedule()"},
    {"ipi", &Costs::ipi, "ns", "reschedule IPI until it interrupts a busy CPU"},
    {"irq", &Costs::irq, "ns", "interrupt entry, handler and exit"},
    {"tick", &Costs::tick, "ns", "timer tick"},
    {"hrtimer_program", &Costs::hrtimer_program, "ns", "programming the slice timer"},
    {"migration_thread", &Costs::migration_thread, "ns", "one active balance"},
    {"pull", &Costs::pull, "ns", "moving one queued task"},
    {"send_before", &Costs::send_before, "ns", "AF_UNIX send, before its effect"},
    {"send_after", &Costs::send_after, "ns", "and after"},
    {"recv_before", &Costs::recv_before, "ns", "AF_UNIX recv, before its effect"},
    {"recv_after", &Costs::recv_after, "ns", "and after"},
    {"message_lines", &Costs::message_lines, "lines", "of a message that another cache sent"},
    {"block", &Costs::block, "ns", "from \"nothing there\" to schedule(), and again when woken"},
    {"select_before", &Costs::select_before, "ns", "select(): fixed part of a scan"},
    {"select_per_fd", &Costs::select_per_fd, "ns/fd", "and per descriptor"},
    {"select_after", &Costs::select_after, "ns", "and after its effect"},
    {"pipe_before", &Costs::pipe_before, "ns", "pipe read or write, before its effect"},
    {"pipe_after", &Costs::pipe_after, "ns", "and after"},
    {"copy_per_kib", &Costs::copy_per_kib, "ns/KiB", "copy to or from a kernel buffer"},
    {"timer_call", &Costs::timer_call, "ns", "entry of a sleep or timer wait"},
    {"yield_call", &Costs::yield_call, "ns", "sched_yield()"},
    {"fork_call", &Costs::fork_call, "ns", "fork()"},
    {"exec_call", &Costs::exec_call, "ns", "exec()"},
    {"exit_call", &Costs::exit_call, "ns", "exit()"},
    {"runqueue_scan", &Costs::runqueue_scan, "ns", "2.4: lock held by schedule(), without the scan"},
    {"runqueue_wake", &Costs::runqueue_wake, "ns", "2.4: lock held by a wake-up"},
    {"runqueue_examine", &Costs::runqueue_examine, "ns", "2.4: and for each CPU it looks at"},
    {"ipi_send", &Costs::ipi_send, "ns", "2.4: and for an IPI"},
    {"recalc_task", &Costs::recalc_task, "ns", "2.4: new ticks for one task"},
    {"line_bytes", &Costs::line_bytes, "bytes", "size of a cache line"},
    {"line_l1", &Costs::line_l1, "ns/line", "line that L1 lost but the cache below has"},
    {"line_near", &Costs::line_near, "ns/line", "dirty line of a CPU with the same cache"},
    {"line_far", &Costs::line_far, "ns/line", "line that another cache holds"},
    {"line_memory", &Costs::line_memory, "ns/line", "line from memory"},
});

}  // namespace

std::span<const CostWords> cost_words() {
    return kCosts;
}

}  // namespace wakelab::report
