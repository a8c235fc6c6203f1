// wakelab_bench: prints every figure of docs/performance.md. See bench/run.
#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "bench/benches.hpp"

namespace wakelab::bench {
namespace {

// Fewer say nothing about the spread.
constexpr std::uint32_t kFewestRepetitions = 9;

struct Options {
    bool json = false;
    std::uint32_t repetitions = 11;
};

Result<Options> parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--json") {
            options.json = true;
        } else if (word == "--repetitions" && i + 1 < argc) {
            const std::string_view value = argv[++i];
            const auto [end, error] =
                std::from_chars(value.data(), value.data() + value.size(), options.repetitions);
            if (error != std::errc{} || end != value.data() + value.size() ||
                options.repetitions < kFewestRepetitions)
                return Error{fmt::format("--repetitions {}: expected a number of at least {}",
                                         value, kFewestRepetitions)};
        } else {
            return Error{fmt::format("'{}': expected [--json] [--repetitions N]", word)};
        }
    }
    return options;
}

Result<std::vector<Figure>> measure_all(std::uint32_t repetitions) {
    auto memory = memory_figures();
    if (!memory) return memory;
    auto figures = engine_figures(repetitions);
    if (!figures) return figures;
    figures->insert(figures->end(), memory->begin(), memory->end());
    const std::vector<Figure> queue = queue_figures(repetitions);
    figures->insert(figures->end(), queue.begin(), queue.end());
    return figures;
}

int run(int argc, char** argv) {
    const auto options = parse(argc, argv);
    if (!options) {
        fmt::print(stderr, "wakelab_bench: {}\n", options.error().message);
        return 2;
    }
    const auto figures = measure_all(options->repetitions);
    if (!figures) {
        fmt::print(stderr, "wakelab_bench: {}\n", figures.error().message);
        return 1;
    }
    fmt::print("{}", options->json ? figures_json(*figures) : figures_text(*figures));
    return 0;
}

}  // namespace
}  // namespace wakelab::bench

int main(int argc, char** argv) {
    return wakelab::bench::run(argc, argv);
}
