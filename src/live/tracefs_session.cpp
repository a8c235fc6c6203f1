#include "live/tracefs_session.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "base/text.hpp"
#include "live/libtracefs.hpp"

namespace wakelab::live {

namespace {

constexpr std::string_view kPrefix = "wakelab-";

// Numbers of the entries "cpuN" of a folder, ascending.
std::vector<std::uint32_t> numbered_cpus(const std::string& folder) {
    std::vector<std::uint32_t> cpus;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with("cpu")) continue;
        if (const auto n = parse_int(name.substr(3)))
            cpus.push_back(static_cast<std::uint32_t>(*n));
    }
    std::sort(cpus.begin(), cpus.end());
    return cpus;
}

// An instance in use is safe: the kernel refuses to remove one whose files are open.
void remove_stale(const std::string& root, std::vector<std::string>& notes) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(root + "/instances", error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(kPrefix)) continue;
        const std::string_view rest = std::string_view(name).substr(kPrefix.size());
        const auto pid = parse_int(rest.substr(0, rest.find('-')));
        if (!pid || *pid <= 0 || ::kill(static_cast<pid_t>(*pid), 0) == 0 || errno != ESRCH)
            continue;
        if (::rmdir(entry.path().c_str()) == 0)
            notes.push_back(
                fmt::format("removed the tracing instance {} of a recorder that was killed", name));
    }
}

std::string sudo_hint() {
    return "expected root: sudo wakelab record ...";
}

}  // namespace

std::vector<std::string> tracefs_places() {
    return {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
}

Result<std::string> find_tracefs(const std::vector<std::string>& candidates) {
    for (const std::string& root : candidates) {
        const std::string instances = root + "/instances";
        struct stat info {};
        if (::stat(instances.c_str(), &info) == 0) {
            if (::access(instances.c_str(), W_OK | X_OK) == 0) return root;
            return Error{
                fmt::format("{}: {}; {}", instances, std::strerror(errno),
                            errno == EROFS ? "expected it mounted for writing" : sudo_hint())};
        }
        if (errno == EACCES || errno == EPERM)
            return Error{fmt::format("{}: {}; {}", root, std::strerror(errno), sudo_hint())};
    }
    struct stat info {};
    if (::stat(candidates.front().c_str(), &info) == 0)
        return Error{
            fmt::format("tracefs is not mounted; expected after: sudo mount -t tracefs nodev {}",
                        candidates.front())};
    return Error{
        fmt::format("{} is not there: expected a kernel with CONFIG_FTRACE and event tracing "
                    "(in a container: run wakelab on the host)",
                    candidates.front())};
}

Error TracefsSession::refused(const std::string& what) const {
    return Error{fmt::format("tracefs: {}: {}{}", what, std::strerror(errno),
                             errno == EPERM || errno == EACCES
                                 ? "; expected root and a kernel not locked down for tracing (see "
                                   "/sys/kernel/security/lockdown)"
                                 : "")};
}

Result<TracefsSession> TracefsSession::create(std::vector<std::string>& notes,
                                              const std::string& suffix) {
    auto root = find_tracefs(tracefs_places());
    if (!root) return root.error();
    TracefsSession session;
    session.root_ = *root;
    remove_stale(*root, notes);
    session.name_ = fmt::format("{}{}{}", kPrefix, ::getpid(), suffix);
    session.instance_ = tracefs_instance_create(session.name_.c_str());
    if (session.instance_ == nullptr) return session.refused("cannot make an instance");
    if (Status prepared = session.prepare(); !prepared) return prepared.error();
    return session;
}

Status TracefsSession::prepare() {
    if (tracefs_trace_off(instance_) != 0) return refused("tracing_on");
    tracefs_instance_file_write(instance_, "options/disable_on_free", "1");
    char* path = tracefs_instance_get_file(instance_, "free_buffer");
    free_buffer_ = Fd(::open(path, O_WRONLY | O_CLOEXEC));
    tracefs_put_tracing_file(path);
    if (tracefs_instance_file_write(instance_, "trace_clock", "mono") < 0)
        return refused("clock mono");
    // Losses are told in the data only by this mode: the oldest go, and the next page says how
    // many.
    tracefs_instance_file_write(instance_, "options/overwrite", "1");
    char* folder = tracefs_instance_get_file(instance_, "per_cpu");
    cpus_ = numbered_cpus(folder);
    tracefs_put_tracing_file(folder);
    if (cpus_.empty()) return Error{"tracefs: per_cpu: expected a folder per CPU"};
    return {};
}

TracefsSession::TracefsSession(TracefsSession&& other) noexcept
    : instance_(std::exchange(other.instance_, nullptr)),
      root_(std::move(other.root_)),
      name_(std::move(other.name_)),
      cpus_(std::move(other.cpus_)),
      enabled_(std::move(other.enabled_)),
      free_buffer_(std::move(other.free_buffer_)) {}

TracefsSession::~TracefsSession() {
    if (instance_ == nullptr) return;
    stop();
    free_buffer_.reset();
    tracefs_instance_destroy(instance_);
    tracefs_instance_free(instance_);
}

Status TracefsSession::set_buffer(std::uint64_t bytes) {
    const std::string kib = fmt::format("{}", (bytes + 1023) / 1024);
    if (tracefs_instance_file_write(instance_, "buffer_size_kb", kib.c_str()) >= 0) return {};
    if (errno == ENOMEM)
        return Error{fmt::format(
            "no memory for {} KiB of buffer per CPU; expected a smaller --buffer", kib)};
    return refused("buffer_size_kb");
}

Status TracefsSession::enable(const std::vector<EventName>& events,
                              std::vector<std::string>& notes) {
    for (const EventName& e : events) {
        if (!tracefs_event_file_exists(instance_, e.system.c_str(), e.name.c_str(), "enable")) {
            if (e.required)
                return Error{fmt::format("this kernel has no event {}:{}", e.system, e.name)};
            notes.push_back(fmt::format("this kernel has no event {}:{}", e.system, e.name));
            continue;
        }
        if (tracefs_event_enable(instance_, e.system.c_str(), e.name.c_str()) != 0)
            return refused(fmt::format("event {}:{}", e.system, e.name));
        enabled_.push_back(e);
    }
    return {};
}

void TracefsSession::disable(const std::vector<EventName>& events) {
    for (const EventName& e : events)
        tracefs_event_disable(instance_, e.system.c_str(), e.name.c_str());
    enabled_.clear();
}

Status TracefsSession::start() {
    if (tracefs_trace_on(instance_) != 0) return refused("tracing_on");
    return {};
}

void TracefsSession::stop() {
    tracefs_trace_off(instance_);
}

Result<Fd> TracefsSession::open_pages(std::uint32_t cpu) const {
    const std::string name = fmt::format("per_cpu/cpu{}/trace_pipe_raw", cpu);
    const int fd =
        tracefs_instance_file_open(instance_, name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return refused(name);
    return Fd(fd);
}

std::string TracefsSession::stats_text(std::uint32_t cpu) const {
    return file(fmt::format("instances/{}/per_cpu/cpu{}/stats", name_, cpu));
}

std::string TracefsSession::file(const std::string& name) const {
    return read_pseudo_file(root_ + "/" + name);
}

std::string TracefsSession::clock_line() const {
    return file(fmt::format("instances/{}/trace_clock", name_));
}

CpuStats parse_cpu_stats(std::string_view text) {
    CpuStats stats;
    for (const std::string& line : split(text, '\n')) {
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) continue;
        const auto value = parse_int(std::string_view(line).substr(colon + 2));
        if (!value || *value < 0) continue;
        const auto n = static_cast<std::uint64_t>(*value);
        const std::string_view name = std::string_view(line).substr(0, colon);
        if (name == "entries") stats.entries = n;
        if (name == "read events") stats.read = n;
        if (name == "overrun") stats.overrun = n;
        if (name == "dropped events" || name == "commit overrun") stats.dropped += n;
    }
    return stats;
}

}  // namespace wakelab::live
