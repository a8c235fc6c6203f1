#include "trace/formats/trace_dat/trace_dat_events.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/text.hpp"

namespace wakelab::trace {

namespace {

static_assert(std::endian::native == std::endian::little, "the writer stores numbers as they are");

constexpr std::string_view kWakeFields =
    "char comm[16]|8|16|0\npid_t pid|24|4|1\nint prio|28|4|1\nint target_cpu|32|4|1";
constexpr std::string_view kWakePrint =
    "\"comm=%s pid=%d prio=%d target_cpu=%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu";
constexpr std::string_view kVecFields = "unsigned int vec|8|4|0";
constexpr std::string_view kVecPrint = "\"vec=%u\", REC->vec";
constexpr std::string_view kPowerFields = "u32 state|8|4|0\nu32 cpu_id|12|4|0";
constexpr std::string_view kPowerPrint =
    "\"state=%lu cpu_id=%lu\", (unsigned long)REC->state, (unsigned long)REC->cpu_id";

// By DatEvent.
constexpr std::array<DatEventSpec, kDatEventCount> kSpecs = {{
    {"sched", "sched_switch", 64,
     "char prev_comm[16]|8|16|0\npid_t prev_pid|24|4|1\nint prev_prio|28|4|1\nlong "
     "prev_state|32|8|1\n"
     "char next_comm[16]|40|16|0\npid_t next_pid|56|4|1\nint next_prio|60|4|1",
     "\"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s next_pid=%d "
     "next_prio=%d\", "
     "REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 0xff) ? "
     "__print_flags(REC->prev_state & 0xff, \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, "
     "{ 0x00000004, \"T\" }, { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, "
     "{ 0x00000040, \"P\" }, { 0x00000080, \"I\" }) : \"R\", REC->prev_state & 0x100 ? \"+\" : "
     "\"\", "
     "REC->next_comm, REC->next_pid, REC->next_prio"},
    {"sched", "sched_waking", 36, kWakeFields, kWakePrint},
    {"sched", "sched_wakeup", 36, kWakeFields, kWakePrint},
    {"sched", "sched_wakeup_new", 36, kWakeFields, kWakePrint},
    {"sched", "sched_migrate_task", 40,
     "char comm[16]|8|16|0\npid_t pid|24|4|1\nint prio|28|4|1\nint orig_cpu|32|4|1\nint "
     "dest_cpu|36|4|1",
     "\"comm=%s pid=%d prio=%d orig_cpu=%d dest_cpu=%d\", REC->comm, REC->pid, REC->prio, "
     "REC->orig_cpu, "
     "REC->dest_cpu"},
    {"sched", "sched_process_fork", 48,
     "char parent_comm[16]|8|16|0\npid_t parent_pid|24|4|1\nchar child_comm[16]|28|16|0\n"
     "pid_t child_pid|44|4|1",
     "\"comm=%s pid=%d child_comm=%s child_pid=%d\", REC->parent_comm, REC->parent_pid, "
     "REC->child_comm, "
     "REC->child_pid"},
    {"sched", "sched_process_exec", 36,
     "__data_loc char[] filename|8|4|0\npid_t pid|12|4|1\npid_t old_pid|16|4|1",
     "\"filename=%s pid=%d old_pid=%d\", __get_str(filename), REC->pid, REC->old_pid"},
    {"sched", "sched_process_exit", 32, "char comm[16]|8|16|0\npid_t pid|24|4|1\nint prio|28|4|1",
     "\"comm=%s pid=%d prio=%d\", REC->comm, REC->pid, REC->prio"},
    {"sched", "sched_blocked_reason", 28,
     "pid_t pid|8|4|1\nvoid * caller|16|8|0\nbool io_wait|24|1|0",
     "\"pid=%d iowait=%d caller=%p\", REC->pid, REC->io_wait, REC->caller"},
    {"irq", "irq_handler_entry", 20, "int irq|8|4|1\n__data_loc char[] name|12|4|0",
     "\"irq=%d name=%s\", REC->irq, __get_str(name)"},
    {"irq", "irq_handler_exit", 16, "int irq|8|4|1\nint ret|12|4|1",
     "\"irq=%d ret=%s\", REC->irq, REC->ret ? \"handled\" : \"unhandled\""},
    {"irq", "softirq_entry", 12, kVecFields, kVecPrint},
    {"irq", "softirq_exit", 12, kVecFields, kVecPrint},
    {"ipi", "ipi_send_cpu", 32,
     "unsigned int cpu|8|4|0\nvoid * callsite|16|8|0\nvoid * callback|24|8|0",
     "\"cpu=%u\", REC->cpu"},
    {"ipi", "ipi_raise", 12, "unsigned int targets|8|4|0", "\"to several CPUs\""},
    {"power", "cpu_idle", 16, kPowerFields, kPowerPrint},
    {"power", "cpu_frequency", 16, kPowerFields, kPowerPrint},
    {"raw_syscalls", "sys_enter", 64, "long id|8|8|1\nunsigned long args[6]|16|48|0",
     "\"NR %ld\", REC->id"},
    {"raw_syscalls", "sys_exit", 24, "long id|8|8|1\nlong ret|16|8|1",
     "\"NR %ld = %ld\", REC->id, REC->ret"},
    {"wakelab", "wakelab_simulated", 32,
     "unsigned int kind|8|4|0\npid_t pid|12|4|1\npid_t arg_pid|16|4|1\nint flags|20|4|1\nlong "
     "payload|24|8|1",
     "\"%s pid=%d arg_pid=%d flags=%d payload=%ld\", __print_symbolic(REC->kind, { 6, \"resched\" "
     "}, "
     "{ 7, \"spurious\" }, { 8, \"work_unit\" }, { 10, \"irq\" }, { 11, \"sleep_until\" }), "
     "REC->pid, "
     "REC->arg_pid, REC->flags, REC->payload"},
}};

}  // namespace

const DatEventSpec& spec_of(DatEvent event) {
    return kSpecs[static_cast<std::size_t>(event)];
}

std::string format_text(DatEvent event) {
    const DatEventSpec& spec = spec_of(event);
    std::string text = fmt::format(
        "name: {}\nID: {}\nformat:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
        spec.name, kFirstDatEventId + static_cast<std::uint16_t>(event));
    for (const std::string& line : split(spec.fields, '\n')) {
        const std::vector<std::string> f = split(line, '|');
        text +=
            fmt::format("\tfield:{};\toffset:{};\tsize:{};\tsigned:{};\n", f[0], f[1], f[2], f[3]);
    }
    return text + fmt::format("\nprint fmt: {}\n", spec.print);
}

DatRecord::DatRecord(DatEvent event, std::int32_t current_pid, bool in_interrupt)
    : size_(spec_of(event).bytes) {
    constexpr std::uint32_t kFlagHardirq = 0x08;  // TRACE_FLAG_HARDIRQ of common_flags
    set_u32(0, static_cast<std::uint32_t>(kFirstDatEventId + static_cast<std::uint16_t>(event)) |
                   (in_interrupt ? kFlagHardirq << 16 : 0));
    set_i32(4, current_pid);
}

void DatRecord::set_name(std::size_t offset, std::string_view name) {
    if (!name.empty())
        std::memcpy(bytes_.data() + offset, name.data(), std::min<std::size_t>(name.size(), 15));
}

}  // namespace wakelab::trace
