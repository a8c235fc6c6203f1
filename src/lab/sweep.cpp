#include "lab/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

namespace wakelab::lab {

namespace {

class Sweep {
 public:
    Sweep(std::span<const RunSpec> specs, const RunFunction& run, const Progress& progress)
        : specs_(specs),
          run_(run),
          progress_(progress),
          results_(specs.size()),
          first_failure_(specs.size()) {}

    // Body of a worker. Indices are handed out in ascending order, so when one fails every lower
    // one has begun and will report; that makes the winning error independent of the threads.
    void work() {
        while (true) {
            const std::size_t i = next_.fetch_add(1);
            if (i >= first_failure_.load()) return;
            finish(i, run_(specs_[i]));
        }
    }

    Result<std::vector<RunResult>> take() {
        if (error_) return *error_;
        std::vector<RunResult> all;
        all.reserve(results_.size());
        for (std::optional<RunResult>& r : results_) all.push_back(std::move(*r));
        return all;
    }

 private:
    void finish(std::size_t i, Result<RunResult> result) {
        const std::scoped_lock lock(mutex_);
        if (!result)
            fail(i, result.error());
        else if (!result->exit.empty())
            fail(i, Error{fmt::format("{}: stopped early: {}", describe(specs_[i]), result->exit)});
        else
            results_[i] = std::move(*result);
        if (progress_) progress_(++done_, specs_.size());
    }

    void fail(std::size_t i, Error error) {
        if (i >= first_failure_.load()) return;
        first_failure_.store(i);
        error_ = std::move(error);
    }

    std::span<const RunSpec> specs_;
    const RunFunction& run_;
    const Progress& progress_;
    std::atomic<std::size_t> next_ = 0;
    std::mutex mutex_;  // guards what follows; first_failure_ is also read without it
    std::vector<std::optional<RunResult>> results_;
    std::atomic<std::size_t> first_failure_;
    std::optional<Error> error_;
    std::size_t done_ = 0;
};

}  // namespace

std::string describe(const RunSpec& spec) {
    std::string text = spec.scenario;
    if (spec.clients > 0)
        text += fmt::format(", {} client{}", spec.clients, spec.clients == 1 ? "" : "s");
    return text + fmt::format(", {} on {}, seed {}", spec.scheduler, spec.machine, spec.seed);
}

Result<std::vector<RunResult>> sweep(std::span<const RunSpec> specs, const RunFunction& run,
                                     const SweepOptions& options) {
    Sweep sweep(specs, run, options.progress);
    std::size_t threads = options.threads;
    if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
    threads = std::min(threads, specs.size());
    {
        std::vector<std::jthread> workers;
        for (std::size_t t = 0; t < threads; ++t) workers.emplace_back([&sweep] { sweep.work(); });
    }
    return sweep.take();
}

}  // namespace wakelab::lab
