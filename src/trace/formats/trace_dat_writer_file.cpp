// The file around the pages: trace-cmd.dat.v6(5).
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "trace/formats/trace_dat_file.hpp"
#include "trace/formats/trace_dat_writer.hpp"

namespace wakelab::trace {

namespace {

constexpr std::uint16_t kOptionOffset = 7;
constexpr std::uint16_t kOptionTraceClock = 4;
constexpr std::uint16_t kOptionTsc2Nsec = 14;

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

void append_sized(std::string& out, std::string_view text) {
    append<std::uint64_t>(out, text.size());
    out += text;
}

void append_option(std::string& out, std::uint16_t id, std::string_view data) {
    append(out, id);
    append(out, static_cast<std::uint32_t>(data.size()));
    out += data;
}

void append_formats(std::string& out) {
    std::map<std::string_view, std::string> systems;
    std::map<std::string_view, std::uint32_t> counts;
    for (std::size_t e = 0; e < kDatEventCount; ++e) {
        const auto event = static_cast<DatEvent>(e);
        append_sized(systems[spec_of(event).system], format_text(event));
        ++counts[spec_of(event).system];
    }
    append(out, static_cast<std::uint32_t>(systems.size()));
    for (const auto& [system, texts] : systems) {
        out += system;
        out += '\0';
        append(out, counts[system]);
        out += texts;
    }
}

}  // namespace

// Up to the table of CPUs, which follows.
std::string TraceDatWriter::head(std::uint32_t cpus) const {
    std::string out(kTraceDatMagic);
    out += std::string_view("6\0\0\x08", 4);  // version, little endian, 8-byte long
    append(out, static_cast<std::uint32_t>(PageSpool::kPageBytes));
    out += std::string_view("header_page", 12);
    append_sized(out, kHeaderPage);
    out += std::string_view("header_event", 13);
    append_sized(out, kHeaderEvent);
    append<std::uint32_t>(out, 0);  // formats of ftrace
    append_formats(out);
    append<std::uint32_t>(out, 0);  // kallsyms
    append<std::uint32_t>(out, 0);  // printk formats
    std::string names;
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
        const std::int32_t pid = tasks_[t].pid > 0 ? tasks_[t].pid : static_cast<std::int32_t>(t + 1);
        std::string name(tasks_[t].comm.view());
        std::replace(name.begin(), name.end(), '\n', '?');  // one a line
        if (!name.empty()) names += fmt::format("{} {}\n", pid, name);
    }
    names += '\0';  // trace-cmd takes it for a C string
    append_sized(out, names);
    append(out, cpus);
    out += std::string_view("options  ", 10);
    std::string scale;
    append<std::uint32_t>(scale, 1);
    append<std::uint32_t>(scale, kStampShift);
    append<std::uint64_t>(scale, 0);
    append_option(out, kOptionTsc2Nsec, scale);
    append_option(out, kOptionOffset, fmt::format("{}", base_ns_) + std::string(1, '\0'));
    append_option(out, kOptionTraceClock, std::string_view("[mono]", 7));
    append<std::uint16_t>(out, 0);
    out += std::string_view("flyrecord", 10);
    return out;
}

Status TraceDatWriter::close() {
    if (closed_) return status_;
    if (!held_.empty()) write(held_[0], nullptr);
    held_.clear();
    spool_.finish();
    status_ = spool_.status();
    std::string out = head(cpus_);
    const auto page_end = [](std::uint64_t at) { return (at + 4095) / 4096 * 4096; };
    std::uint64_t at = page_end(out.size() + std::uint64_t{16} * cpus_);
    for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) {
        const std::uint64_t size = cpu < spool_.cpus() ? spool_.bytes_of(cpu) : 0;
        append(out, at);
        append(out, size);
        if (status_ && size != 0) status_ = spool_.copy(cpu, fd_, at);
        at += size;
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

}  // namespace wakelab::trace
