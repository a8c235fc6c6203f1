#include <fmt/format.h>

#include <array>

#include "tidy/checks.hpp"

namespace wakelab::tidy {

namespace {

struct Banned {
    std::string_view word;
    std::string_view instead;
};

// style.md 5, determinism rules: what may differ between compilers, C libraries, hosts or two runs.
constexpr std::array kBanned = {
    Banned{"float", "integers; floats round differently per build"},
    Banned{"double", "integers; floats round differently per build"},
    Banned{"<random>", "base/prng.hpp; std:: distributions are unspecified"},
    Banned{"<cmath>", "integer tables; libm differs per host"},
    Banned{"<math.h>", "integer tables; libm differs per host"},
    Banned{"<chrono>", "base/time.hpp; the simulated world has no wall clock"},
    Banned{"<ctime>", "base/time.hpp; the simulated world has no wall clock"},
    Banned{"<thread>", "one run is single-threaded"},
    Banned{"<locale>", "fmt; the simulated world has no locale"},
    Banned{"std::thread", "one run is single-threaded"},
    Banned{"std::hash", "ids; hashes differ per standard library"},
    Banned{"unordered_map", "std::map or a table by id; hashed order differs per standard library"},
    Banned{"unordered_set", "std::set or a table by id; hashed order differs per standard library"},
    Banned{"getenv", "an argument; the simulated world sees no environment"},
};

constexpr std::array kBannedCalls = {
    Banned{"rand", "base/prng.hpp"},
    Banned{"srand", "base/prng.hpp"},
    Banned{"time", "Engine::now(); the simulated world has no wall clock"},
    Banned{"clock", "Engine::now(); the simulated world has no wall clock"},
};

bool is_simulated_world(std::string_view room) {
    return room == "base" || room == "topo" || room == "policy" || room == "sim" || room == "work";
}

// `name(` as a call of the C library: not a member, not a declaration of our own.
bool calls(std::string_view line, std::string_view name) {
    for (std::size_t at = find_word(line, name); at != std::string_view::npos;
         at = find_word(line, name, at + 1)) {
        const std::string_view before = line.substr(0, at);
        const std::string_view after = line.substr(at + name.size());
        if (!after.starts_with('(')) continue;
        if (before.ends_with('.') || before.ends_with("->")) continue;
        const bool qualified = before.ends_with("::");
        if (qualified && !before.ends_with("std::")) continue;
        const bool declared = !qualified && before.ends_with(' ') && before.size() > 1 &&
                              is_word_char(before[before.size() - 2]) &&
                              !before.ends_with("return ");
        if (!declared) return true;
    }
    return false;
}

}  // namespace

Findings check_determinism(const SourceFile& file) {
    if (!is_cpp(file) || is_test(file) || is_bench(file)) return {};
    if (!is_simulated_world(room_of(file))) return {};
    Findings found;
    for (std::size_t i = 0; i < file.code.size(); ++i) {
        for (const Banned& b : kBanned) {
            if (find_word(file.code[i], b.word) == std::string_view::npos) continue;
            // The one place that asks the environment, before a run, where the data files are.
            if (b.word == "getenv" && file.path == "src/base/data_dir.cpp") continue;
            found.push_back({file.path, i + 1, fmt::format("{}: expected {}", b.word, b.instead)});
        }
        for (const Banned& b : kBannedCalls)
            if (calls(file.code[i], b.word))
                found.push_back(
                    {file.path, i + 1, fmt::format("{}(): expected {}", b.word, b.instead)});
    }
    return found;
}

}  // namespace wakelab::tidy
