#include "live/page_collector.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "live/unnamed_file.hpp"

namespace wakelab::live {

namespace {

constexpr int kPipeBytes = 1 << 20;

// Header of a page (events/header_page): u64 timestamp, then local_t commit, whose upper bits tell
// that events were lost before it.
struct PageHead {
    std::uint64_t ns = 0;
    std::uint32_t commit = 0;
};
constexpr std::uint32_t kLostBits = 3u << 30;  // RB_MISSED_EVENTS, RB_MISSED_STORED of the kernel

PageHead head_of(const char* page) {
    PageHead head;
    std::memcpy(&head.ns, page, sizeof head.ns);
    std::memcpy(&head.commit, page + 8, sizeof head.commit);
    return head;
}

// Overwritten events before the first page that a flight recorder keeps are before the recording.
void forget_losses(char* page) {
    const std::uint32_t commit = head_of(page).commit & ~kLostBits;
    std::memcpy(page + 8, &commit, sizeof commit);
}

}  // namespace

// events/header_event: 5 bits type_len, 27 bits time_delta; 1..28 is a length in words, 0 a length
// in the next word, 29 padding (to the end of the page if time_delta is 0), 30 and 31 times of 8
// bytes.
std::uint64_t events_in_page(const char* page) {
    constexpr std::size_t kHeader = 16, kSizeMask = (1u << 20) - 1;
    const std::size_t end = std::min<std::size_t>(kHeader + (head_of(page).commit & kSizeMask),
                                                  PageCollector::kPageBytes);
    std::uint64_t events = 0;
    for (std::size_t at = kHeader; at + 8 <= end;) {
        std::array<std::uint32_t, 2> words{};
        std::memcpy(words.data(), page + at, sizeof words);
        const std::uint32_t type_len = words[0] & 31, delta = words[0] >> 5;
        if (type_len == 29 && delta == 0) break;
        std::size_t size = 8;
        if (type_len == 0 || type_len == 29) size = 4 + std::size_t{words[1]};
        if (type_len >= 1 && type_len <= 28) size = 4 + 4 * std::size_t{type_len};
        if (type_len <= 28) ++events;
        at += std::max<std::size_t>(size, 4);
    }
    return events;
}

Result<std::unique_ptr<PageCollector>> PageCollector::create(std::vector<Fd> sources,
                                                             const std::vector<std::uint32_t>& cpus,
                                                             const std::string& folder) {
    std::unique_ptr<PageCollector> collector(new PageCollector());
    collector->folder_ = folder;
    for (std::size_t i = 0; i < cpus.size(); ++i) {
        Result<Fd> file = unnamed_file(folder);
        if (!file) return file.error();
        auto reader = std::make_unique<Reader>();
        reader->source = std::move(sources[i]);
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0)
            return Error{fmt::format("cannot make a pipe: {}; expected after: ulimit -n 8192",
                                     std::strerror(errno))};
        reader->pipe_out = Fd(ends[0]);
        reader->pipe_in = Fd(ends[1]);
        ::fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);  // refused: smaller bites
        collector->readers_.push_back(std::move(reader));
        collector->pages_.push_back({.cpu = cpus[i],
                                     .file = std::move(*file),
                                     .bytes = 0,
                                     .counted_events = 0,
                                     .first_ns = -1});
    }
    return collector;
}

void PageCollector::start() {
    std::vector<int> sources;
    for (const auto& r : readers_) sources.push_back(r->source.get());
    threads_.start(sources, [this](std::size_t i) { return splice_full_pages(i); });
}

void PageCollector::fail(std::size_t i, bool writing) {
    readers_[i]->error = errno;
    readers_[i]->writing = writing;
    threads_.fail();
}

bool PageCollector::splice_full_pages(std::size_t i) {
    Reader& r = *readers_[i];
    for (;;) {
        const ssize_t n = retried([&] {
            return ::splice(r.source.get(), nullptr, r.pipe_in.get(), nullptr, kPipeBytes,
                            SPLICE_F_NONBLOCK);
        });
        if (n < 0 && errno != EAGAIN) {
            fail(i, false);
            return false;
        }
        if (n <= 0) return true;
        if (!copy_pipe(i, static_cast<std::size_t>(n))) return false;
    }
}

// Out of the pipe into the file.
bool PageCollector::copy_pipe(std::size_t i, std::size_t bytes) {
    Reader& r = *readers_[i];
    while (bytes > 0) {
        ssize_t n = retried([&] {
            return ::splice(r.pipe_out.get(), nullptr, pages_[i].file.get(), nullptr, bytes, 0);
        });
        if (n < 0 && errno == EINVAL) {  // a file system without splice
            std::array<char, 16 * kPageBytes> buffer;
            n = retried([&] {
                return ::read(r.pipe_out.get(), buffer.data(), std::min(bytes, buffer.size()));
            });
            if (n > 0) {
                if (!append(i, buffer.data(), static_cast<std::size_t>(n))) return false;
                bytes -= static_cast<std::size_t>(n);
                continue;
            }
        }
        if (n <= 0) {
            if (n == 0) errno = EIO;
            fail(i, true);
            return false;
        }
        pages_[i].bytes += static_cast<std::uint64_t>(n);
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

bool PageCollector::append(std::size_t i, const char* bytes, std::size_t size) {
    if (!write_whole(pages_[i].file, bytes, size)) {
        fail(i, true);
        return false;
    }
    pages_[i].bytes += size;
    return true;
}

// The last page is not full, so only read() gives it. A page is older than the limit if the next
// one begins before it: one is held back until its successor is seen.
void PageCollector::read_rest(std::size_t i, std::optional<std::int64_t> keep_after_ns) {
    std::array<char, kPageBytes> page{}, held{};
    bool have_held = false, kept = false;
    const auto keep = [&](char* p) {
        if (!kept && keep_after_ns) forget_losses(p);
        kept = true;
        pages_[i].counted_events += events_in_page(p);
        return append(i, p, kPageBytes);
    };
    for (;;) {
        const ssize_t n =
            retried([&] { return ::read(readers_[i]->source.get(), page.data(), page.size()); });
        if (n == 0 || (n < 0 && errno == EAGAIN)) break;
        if (n < 0) return fail(i, false);
        std::memset(page.data() + n, 0, page.size() - static_cast<std::size_t>(n));
        const bool old =
            keep_after_ns && static_cast<std::int64_t>(head_of(page.data()).ns) <= *keep_after_ns;
        if (have_held && !old && !keep(held.data())) return;
        have_held = old;
        if (old)
            held = page;
        else if (!keep(page.data()))
            return;
    }
    if (have_held) keep(held.data());
}

Status PageCollector::finish(std::optional<std::int64_t> keep_after_ns) {
    threads_.stop();
    for (std::size_t i = 0; i < readers_.size(); ++i) {
        if (readers_[i]->error == 0) read_rest(i, keep_after_ns);
        readers_[i]->source.reset();
        if (readers_[i]->error == 0 && pages_[i].bytes >= 8) {
            std::uint64_t ns = 0;
            if (::pread(pages_[i].file.get(), &ns, sizeof ns, 0) == sizeof ns)
                pages_[i].first_ns = static_cast<std::int64_t>(ns);
        }
    }
    for (std::size_t i = 0; i < readers_.size(); ++i) {
        const Reader& r = *readers_[i];
        if (r.error == 0) continue;
        if (r.writing) return cannot_hold(folder_, r.error);
        return Error{fmt::format("tracefs: cpu{}/trace_pipe_raw: {}", pages_[i].cpu,
                                 std::strerror(r.error))};
    }
    return {};
}

}  // namespace wakelab::live
