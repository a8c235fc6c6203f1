// Ring-buffer pages from the kernel to a temporary file per CPU, while the recording runs or
// (flight recorder) once at its end. The temporary files have no names: nothing is left behind
// however the recorder ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "live/fd.hpp"
#include "live/reader_threads.hpp"

namespace wakelab::live {

struct CpuPages {
    std::uint32_t cpu = 0;
    Fd file;                           // the pages, one after the other
    std::uint64_t bytes = 0;           // a multiple of the page size
    std::uint64_t counted_events = 0;  // in pages read by finish(), those of a flight recorder all
    std::int64_t first_ns = -1;        // begin of the first page that is kept; -1: none
};

class PageCollector {
 public:
    static constexpr std::size_t kPageBytes = 4096;

    // `sources`: trace_pipe_raw of each CPU, in the order of `cpus`, not blocking. Temporary files
    // are made in `folder`. Error: they cannot be made.
    static Result<std::unique_ptr<PageCollector>> create(std::vector<Fd> sources,
                                                         const std::vector<std::uint32_t>& cpus,
                                                         const std::string& folder);

    // The threads; they sleep until a buffer is half full (buffer_percent of the instance).
    void start();
    // Tracing has stopped: reads what is left and ends the threads. With `keep_after_ns`, pages
    // whose events are all older are left out. Error: the first that could not be written or read.
    Status finish(std::optional<std::int64_t> keep_after_ns = std::nullopt);

    // Readable when a thread failed: nothing more is recorded.
    [[nodiscard]] int failure_fd() const { return threads_.failure_fd(); }
    [[nodiscard]] std::vector<CpuPages>& cpus() { return pages_; }
    [[nodiscard]] std::vector<std::int32_t> thread_ids() const { return threads_.thread_ids(); }

 private:
    struct Reader {
        Fd source, pipe_out, pipe_in;
        int error = 0;         // errno of the first failure
        bool writing = false;  // it was the file, not the kernel
    };

    PageCollector() = default;
    bool splice_full_pages(std::size_t i);
    bool copy_pipe(std::size_t i, std::size_t bytes);
    void read_rest(std::size_t i, std::optional<std::int64_t> keep_after_ns);
    bool append(std::size_t i, const char* bytes, std::size_t size);
    void fail(std::size_t i, bool writing);

    std::string folder_;
    std::vector<CpuPages> pages_;
    std::vector<std::unique_ptr<Reader>> readers_;
    ReaderThreads threads_;  // last: they end before what they use
};

// Events in a page of PageCollector::kPageBytes, whatever it holds.
[[nodiscard]] std::uint64_t events_in_page(const char* page);

}  // namespace wakelab::live
