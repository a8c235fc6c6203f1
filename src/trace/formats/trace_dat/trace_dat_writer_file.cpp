// The file around the pages: trace-cmd.dat.v6(5).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "trace/formats/trace_dat/trace_dat_head.hpp"
#include "trace/formats/trace_dat/trace_dat_writer.hpp"

namespace wakelab::trace {

namespace {

constexpr std::string_view kHeaderPage =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";
constexpr std::string_view kHeaderEvent =
    "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n"
    "\tarray       :   32 bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n"
    "\ttime_stamp : type == 31\n\tdata max type_len  == 28\n";

template <class T>
void append(std::string& out, T number) {
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), &number, sizeof number);
    out.append(bytes.data(), bytes.size());
}

std::vector<TraceDatHead::System> event_systems() {
    std::map<std::string_view, TraceDatHead::System> systems;
    for (std::size_t e = 0; e < kDatEventCount; ++e) {
        const auto event = static_cast<DatEvent>(e);
        TraceDatHead::System& system = systems[spec_of(event).system];
        system.name = spec_of(event).system;
        system.formats.push_back(format_text(event));
    }
    std::vector<TraceDatHead::System> list;
    for (auto& [name, system] : systems) list.push_back(std::move(system));
    return list;
}

}  // namespace

std::string TraceDatWriter::names() const {
    std::string names;
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
        const std::int32_t pid = tasks_[t].pid > 0 ? tasks_[t].pid : static_cast<std::int32_t>(t + 1);
        std::string name(tasks_[t].comm.view());
        std::replace(name.begin(), name.end(), '\n', '?');  // one a line
        if (!name.empty()) names += fmt::format("{} {}\n", pid, name);
    }
    names += '\0';  // trace-cmd takes it for a C string
    return names;
}

// Up to the pages of CPU 0.
std::string TraceDatWriter::head() const {
    std::string scale;
    append<std::uint32_t>(scale, 1);
    append<std::uint32_t>(scale, kStampShift);
    append<std::uint64_t>(scale, 0);
    TraceDatHead head;
    head.page_bytes = PageSpool::kPageBytes;
    head.header_page = kHeaderPage;
    head.header_event = kHeaderEvent;
    head.systems = event_systems();
    head.cmdlines = names();
    head.options = {{DatOption::kTsc2Nsec, scale},
                    {DatOption::kOffset, fmt::format("{}", base_ns_) + std::string(1, '\0')}};
    head.clock = "[mono]";
    for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu)
        head.cpu_bytes.push_back(cpu < spool_.cpus() ? spool_.bytes_of(cpu) : 0);
    return trace_dat_head(head);
}

Status TraceDatWriter::close() {
    if (closed_) return status_;
    if (!held_.empty()) write(held_[0], nullptr);
    held_.clear();
    spool_.finish();
    status_ = spool_.status();
    const std::string out = head();
    std::uint64_t at = out.size();
    for (std::uint32_t cpu = 0; cpu < std::min(cpus_, spool_.cpus()); ++cpu) {
        if (status_ && spool_.bytes_of(cpu) != 0) status_ = spool_.copy(cpu, fd_, at);
        at += spool_.bytes_of(cpu);
    }
    if (status_) status_ = write_all_at(fd_, std::as_bytes(std::span(out)), 0);
    // The last page ends the file; without any, the head does.
    if (::close(fd_) != 0 && status_) status_ = Error{std::strerror(errno)};
    fd_ = -1;
    const std::string name = path_ + ".tmp";
    if (status_ && std::rename(name.c_str(), path_.c_str()) != 0) status_ = Error{std::strerror(errno)};
    if (!status_) {
        ::unlink(name.c_str());
        status_ = Error{fmt::format("{}: cannot be written: {}", path_, status_.error().message)};
    }
    closed_ = true;
    return status_;
}

Result<std::unique_ptr<TraceWriter>> open_trace_dat_writer(const std::string& path,
                                                           const TraceQuality& /*quality*/) {
    if (path == "-")
        return Error{"trace.dat cannot go to standard output; expected a path (or --as ftrace, wktrace)"};
    auto writer = TraceDatWriter::open(path);
    if (!writer) return writer.error();
    return std::unique_ptr<TraceWriter>(std::move(*writer));
}

}  // namespace wakelab::trace
