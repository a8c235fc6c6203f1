#include "live/event_choice.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace wakelab::live {

namespace {

struct GroupMember {
    std::string_view group, system, name;
    bool required = false;
};

// Names of Linux 3.2 to 6.18; ipi_raise is arm's, ipi_send_* are of 6.4 and later.
constexpr std::array kMembers = {
    GroupMember{"sched", "sched", "sched_switch", true},
    GroupMember{"sched", "sched", "sched_waking"},
    GroupMember{"sched", "sched", "sched_wakeup", true},
    GroupMember{"sched", "sched", "sched_wakeup_new"},
    GroupMember{"sched", "sched", "sched_migrate_task"},
    GroupMember{"sched", "sched", "sched_process_fork"},
    GroupMember{"sched", "sched", "sched_process_exec"},
    GroupMember{"sched", "sched", "sched_process_exit"},
    GroupMember{"irq", "irq", "irq_handler_entry"},
    GroupMember{"irq", "irq", "irq_handler_exit"},
    GroupMember{"softirq", "irq", "softirq_entry"},
    GroupMember{"softirq", "irq", "softirq_exit"},
    GroupMember{"idle", "power", "cpu_idle"},
    GroupMember{"frequency", "power", "cpu_frequency"},
    GroupMember{"power", "power", "cpu_idle"},  // both of those
    GroupMember{"power", "power", "cpu_frequency"},
    GroupMember{"ipi", "ipi", "ipi_send_cpu"},
    GroupMember{"ipi", "ipi", "ipi_send_cpumask"},
    GroupMember{"ipi", "ipi", "ipi_raise"},
    GroupMember{"syscalls", "raw_syscalls", "sys_enter"},
    GroupMember{"syscalls", "raw_syscalls", "sys_exit"},
};

void add_once(std::vector<EventName>& events, EventName event) {
    const auto same = [&](const EventName& e) {
        return e.system == event.system && e.name == event.name;
    };
    if (std::none_of(events.begin(), events.end(), same)) events.push_back(std::move(event));
}

bool add_group(std::vector<EventName>& events, std::string_view group) {
    bool known = false;
    for (const GroupMember& m : kMembers) {
        if (m.group != group) continue;
        add_once(events, {std::string(m.system), std::string(m.name), m.required});
        known = true;
    }
    return known;
}

// Path components of tracefs.
bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-';
    });
}

}  // namespace

std::vector<std::string> event_groups() {
    std::vector<std::string> groups;
    for (const GroupMember& m : kMembers)
        if (groups.empty() || groups.back() != m.group) groups.emplace_back(m.group);
    return groups;
}

Result<std::vector<EventName>> choose_events(const std::vector<std::string>& words) {
    std::vector<EventName> events;
    add_group(events, "sched");
    for (const std::string& word : words) {
        const std::size_t mark = word.find_first_of(":/");
        if (mark != std::string::npos) {
            const std::string system = word.substr(0, mark), name = word.substr(mark + 1);
            if (!is_name(system) || !is_name(name))
                return Error{fmt::format(
                    "--events {}: expected SYSTEM:NAME, e.g. sched:sched_stat_runtime", word)};
            add_once(events, {system, name, true});
        } else if (!add_group(events, word)) {
            return Error{fmt::format("--events {}: expected {} or SYSTEM:NAME", word,
                                     fmt::join(event_groups(), ", "))};
        }
    }
    return events;
}

}  // namespace wakelab::live
