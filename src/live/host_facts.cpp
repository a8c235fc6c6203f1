#include "live/host_facts.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <time.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "live/fd.hpp"

namespace wakelab::live {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> entries(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    // Tasks come and go while we look: errors end a folder, not the list.
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        names.push_back(it->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    return text;
}

// "PID (NAME) STATE PPID ..." of proc(5); names may hold anything, also parentheses. Fields by
// their number in the manual.
bool parse_stat(const std::string& text, trace::RecordedTask& task) {
    const std::size_t open = text.find('('), close = text.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open) return false;
    task.name = text.substr(open + 1, close - open - 1).substr(0, 15);
    const std::vector<std::string> rest =
        split(trimmed(text.substr(close + 1)), ' ');  // [1] = field 3
    const auto field = [&](std::size_t number) {
        const std::size_t i = number - 2;
        return i < rest.size() ? parse_int(rest[i]).value_or(0) : 0;
    };
    task.nice = static_cast<std::int32_t>(field(19));
    task.rt_priority = static_cast<std::int32_t>(field(40));
    task.policy = static_cast<std::int32_t>(field(41));
    return true;
}

std::string allowed_cpus(std::int32_t tid) {
    std::array<unsigned long, topo::kMaxCpus / (8 * sizeof(unsigned long))> words{};
    auto* set = reinterpret_cast<cpu_set_t*>(words.data());
    if (::sched_getaffinity(tid, sizeof words, set) != 0) return {};
    topo::CpuMask mask;
    for (std::uint32_t c = 0; c < topo::kMaxCpus; ++c)
        if (CPU_ISSET_S(c, sizeof words, set)) mask.set(CpuId{c});
    return trace::kernel_cpu_list(mask);
}

// Lowest CPU of a list file, -1 if it cannot be read.
std::int32_t lowest_of(const std::string& path) {
    const auto mask = trace::parse_kernel_cpu_list(trimmed(read_pseudo_file(path)));
    return mask ? static_cast<std::int32_t>(mask->first().v) : -1;
}

std::int32_t number_in(const std::string& path) {
    const auto number = parse_int(trimmed(read_pseudo_file(path)));
    return number ? static_cast<std::int32_t>(*number) : -1;
}

// The unified or data cache of the highest level.
std::int32_t last_level_cache(const std::string& cpu) {
    std::int32_t best_level = -1, lowest = -1;
    for (const std::string& name : entries(cpu + "/cache")) {
        if (!name.starts_with("index")) continue;
        const std::string index = cpu + "/cache/" + name;
        const std::int32_t level = number_in(index + "/level");
        if (level <= best_level || trimmed(read_pseudo_file(index + "/type")) == "Instruction")
            continue;
        best_level = level;
        lowest = lowest_of(index + "/shared_cpu_list");
    }
    return lowest;
}

std::int32_t node_of(const std::string& cpu) {
    for (const std::string& name : entries(cpu))
        if (name.starts_with("node"))
            if (const auto n = parse_int(std::string_view(name).substr(4)))
                return static_cast<std::int32_t>(*n);
    return -1;
}

void add_setting(trace::Environment& environment, const std::string& path,
                 const std::string& name) {
    int error = 0;
    const std::string value = trimmed(read_pseudo_file(path, error, 4096));
    if (error == 0)
        environment.settings.emplace_back(name, value);
    else
        environment.unreadable.emplace_back(name, std::strerror(error));
}

// sched/debug begins with the settings, also where the files of the settings are locked: lines
// "  .sysctl_sched_base_slice  : 2.800000".
void add_debug_lines(trace::Environment& environment, const std::string& path) {
    int error = 0;
    for (const std::string& line : split(read_pseudo_file(path, error, 8192), '\n')) {
        const std::size_t at = line.find(".sysctl_"), colon = line.find(':');
        if (at == std::string::npos || colon == std::string::npos || colon < at) continue;
        environment.settings.emplace_back(
            "sched/debug " + trimmed(line.substr(at + 1, colon - at - 1)),
            trimmed(line.substr(std::min(line.size(), colon + 2))));
    }
}

// CONFIG_HZ without the kernel's configuration: the coarse clock advances once a tick.
void add_hz(trace::Environment& environment) {
    timespec tick{};
    if (::clock_getres(CLOCK_MONOTONIC_COARSE, &tick) != 0 || tick.tv_nsec <= 0) return;
    environment.settings.emplace_back("CONFIG_HZ", fmt::format("{}", 1'000'000'000 / tick.tv_nsec));
}

}  // namespace

std::vector<trace::RecordedTask> list_tasks(const HostPaths& paths) {
    const bool real = paths.proc == "/proc";
    std::vector<trace::RecordedTask> tasks;
    for (const std::string& process : entries(paths.proc)) {
        const auto tgid = parse_int(process);
        if (!tgid) continue;
        const std::string folder = paths.proc + "/" + process + "/task";
        for (const std::string& thread : entries(folder)) {
            const auto tid = parse_int(thread);
            trace::RecordedTask task;
            if (!tid || !parse_stat(read_pseudo_file(folder + "/" + thread + "/stat"), task))
                continue;
            task.pid = static_cast<std::int32_t>(*tid);
            task.tgid = static_cast<std::int32_t>(*tgid);
            if (real) task.allowed = allowed_cpus(task.pid);
            tasks.push_back(std::move(task));
        }
    }
    return tasks;
}

std::vector<trace::RecordedTask> merge_tasks(std::vector<trace::RecordedTask> start,
                                             std::vector<trace::RecordedTask> end) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> by_id;
    for (trace::RecordedTask& t : start) {
        t.at_start = true;
        by_id[{t.pid, t.tgid}] = static_cast<std::size_t>(&t - start.data());
    }
    for (trace::RecordedTask& t : end) {
        const auto same = by_id.find({t.pid, t.tgid});
        if (same != by_id.end()) {
            start[same->second].at_end = true;
            continue;
        }
        t.at_end = true;
        start.push_back(std::move(t));
    }
    std::stable_sort(start.begin(), start.end(),
                     [](const auto& a, const auto& b) { return a.pid < b.pid; });
    return start;
}

std::vector<trace::RecordedCpu> list_cpus(const HostPaths& paths) {
    const std::string root = paths.sys + "/devices/system/cpu";
    const auto online = trace::parse_kernel_cpu_list(trimmed(read_pseudo_file(root + "/online")));
    std::vector<trace::RecordedCpu> cpus;
    for (std::uint32_t c = 0; online && c < topo::kMaxCpus; ++c) {
        if (!online->test(CpuId{c})) continue;
        const std::string cpu = fmt::format("{}/cpu{}", root, c);
        trace::RecordedCpu record;
        record.cpu = c;
        record.cache = last_level_cache(cpu);
        record.core = lowest_of(cpu + "/topology/core_cpus_list");
        if (record.core < 0)
            record.core = lowest_of(cpu + "/topology/thread_siblings_list");  // before 5.3
        record.node = node_of(cpu);
        record.package = number_in(cpu + "/topology/physical_package_id");
        record.governor = trimmed(read_pseudo_file(cpu + "/cpufreq/scaling_governor"));
        cpus.push_back(std::move(record));
    }
    return cpus;
}

void describe_kernel(trace::Environment& environment, const HostPaths& paths) {
    utsname name{};
    if (::uname(&name) == 0) {
        environment.kernel_release = name.release;
        environment.kernel_version = name.version;
        environment.hostname = name.nodename;
        environment.architecture = name.machine;
    }
    environment.kernel_cmdline = trimmed(read_pseudo_file(paths.proc + "/cmdline"));
    add_hz(environment);
    for (const std::string& entry : entries(paths.proc + "/sys/kernel"))
        if (entry.starts_with("sched_"))
            add_setting(environment, paths.proc + "/sys/kernel/" + entry, "kernel." + entry);
    const std::string debug = paths.sys + "/kernel/debug/sched";
    for (const char* knob :
         {"features", "base_slice_ns", "min_granularity_ns", "wakeup_granularity_ns", "latency_ns",
          "migration_cost_ns", "nr_migrate", "tunable_scaling", "preempt"}) {
        const std::string path = debug + "/" + knob;
        std::error_code error;
        if (fs::exists(path, error)) add_setting(environment, path, fmt::format("sched/{}", knob));
    }
    add_debug_lines(environment, debug + "/debug");
    std::error_code error;
    if (!fs::exists(debug, error))
        environment.unreadable.emplace_back("sched",
                                            debug + " is not there: debugfs is not mounted");
}

}  // namespace wakelab::live
