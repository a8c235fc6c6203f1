#include "trace/tracefs_recording.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>
#include <vector>

namespace wakelab::test {

namespace {

namespace fs = std::filesystem;

const fs::path kTracefs = "/sys/kernel/tracing";
constexpr std::array kEvents = {"sched_switch", "sched_waking", "sched_wakeup", "sched_wakeup_new",
                                "sched_migrate_task", "sched_process_fork", "sched_process_exit",
                                "sched_process_exec"};

bool write_to(const fs::path& file, const std::string& text) {
    const int fd = ::open(file.c_str(), O_WRONLY);
    if (fd < 0) return false;
    const ssize_t n = ::write(fd, text.data(), text.size());
    ::close(fd);
    return n == static_cast<ssize_t>(text.size());
}

bool copy_text(const fs::path& from, const fs::path& to) {
    fs::create_directories(to.parent_path());
    std::ifstream in(from, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    std::ofstream(to, std::ios::binary) << text.str();
    return in.good() || !text.str().empty();
}

class Instance {
 public:
    Instance() : path_(kTracefs / "instances" / ("wakelab_test_" + std::to_string(::getpid()))) {
        made_ = ::mkdir(path_.c_str(), 0700) == 0;
    }
    ~Instance() {
        if (!made_) return;
        write_to(path_ / "tracing_on", "0");
        write_to(path_ / "set_event", "");
        for (int i = 0; i < 50 && ::rmdir(path_.c_str()) != 0; ++i) ::usleep(20000);
    }
    [[nodiscard]] bool made() const { return made_; }
    [[nodiscard]] const fs::path& path() const { return path_; }

 private:
    fs::path path_;
    bool made_ = false;
};

void ping_pong(int rounds) {
    int there[2], back[2];
    if (::pipe(there) != 0 || ::pipe(back) != 0) return;
    char byte = 'x';
    const pid_t child = ::fork();
    if (child == 0) {
        for (int i = 0; i < rounds; ++i)
            if (::read(there[0], &byte, 1) != 1 || ::write(back[1], &byte, 1) != 1) ::_exit(1);
        ::_exit(0);
    }
    for (int i = 0; i < rounds; ++i)
        if (::write(there[1], &byte, 1) != 1 || ::read(back[0], &byte, 1) != 1) break;
    ::waitpid(child, nullptr, 0);
    for (const int fd : {there[0], there[1], back[0], back[1]}) ::close(fd);
}

// What is there without waiting for a page to fill up.
void save_pages(const fs::path& from, const fs::path& to) {
    const int fd = ::open(from.c_str(), O_RDONLY | O_NONBLOCK);
    if (fd < 0) return;
    std::ofstream out(to, std::ios::binary);
    std::vector<char> page(65536);
    for (;;) {
        const ssize_t n = ::read(fd, page.data(), 4096);
        if (n <= 0) break;
        out.write(page.data(), n);
    }
    ::close(fd);
}

}  // namespace

std::optional<std::string> record_ping_pong(const fs::path& dir, int rounds) {
    std::error_code error;
    if (!fs::exists(kTracefs / "instances", error)) return "no tracefs at /sys/kernel/tracing";
    Instance instance;
    if (!instance.made()) return "an instance of tracefs cannot be made (root only)";
    const fs::path& in = instance.path();
    fs::remove_all(dir);
    for (const char* event : kEvents) {
        if (!write_to(in / "events/sched" / event / "enable", "1")) return "events cannot be switched on";
        copy_text(in / "events/sched" / event / "format", dir / "events/sched" / event / "format");
    }
    write_to(in / "trace_clock", "mono");
    write_to(in / "buffer_size_kb", "16384");
    write_to(in / "tracing_on", "1");
    ping_pong(rounds);
    write_to(in / "tracing_on", "0");
    for (const char* name : {"header_page", "header_event"})
        copy_text(kTracefs / "events" / name, dir / "events" / name);
    copy_text(kTracefs / "events/ftrace/print/format", dir / "events/ftrace/print/format");
    copy_text(kTracefs / "saved_cmdlines", dir / "saved_cmdlines");
    copy_text(kTracefs / "printk_formats", dir / "printk_formats");
    copy_text(in / "trace_clock", dir / "trace_clock");
    for (const fs::directory_entry& cpu : fs::directory_iterator(in / "per_cpu"))
        save_pages(cpu.path() / "trace_pipe_raw", dir / (cpu.path().filename().string() + ".raw"));
    return {};
}

}  // namespace wakelab::test
