// Commands of wakelab run in this process, for tests of the command line.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/run_cli.hpp"

namespace wakelab::cli {

using Args = std::vector<std::string>;

struct Outcome {
    int status = 0;
    std::string out;
    std::string err;
};

inline Outcome wakelab(const Args& args) {
    Outcome o;
    Output output;
    output.out = [&](std::string_view text) { o.out += text; };
    output.err = [&](std::string_view text) { o.err += text; };
    o.status = run_cli(args, output);
    return o;
}

// A folder that goes away with the test.
class TemporaryFolder {
 public:
    TemporaryFolder()
        : path_(std::filesystem::temp_directory_path() /
                ("wakelab-cli-" + std::to_string(::getpid()))) {
        std::filesystem::create_directory(path_);
    }
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }
    [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name) << text;
        return file(name);
    }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(std::filesystem::directory_iterator(path_), {}));
    }

 private:
    std::filesystem::path path_;
};

// Exit status 2, nothing on stdout, one line on stderr that contains `words`.
inline void expect_refused(const Args& args, const std::string& words) {
    const Outcome o = wakelab(args);
    EXPECT_EQ(o.status, 2) << words;
    EXPECT_EQ(o.out, "") << words;
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
    EXPECT_TRUE(o.err.starts_with("wakelab: ")) << o.err;
    EXPECT_TRUE(o.err.ends_with("\n")) << o.err;
    EXPECT_NE(o.err.find(words), std::string::npos) << o.err << "expected: " << words;
}

inline void expect_words(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << word << "\n" << text;
}

}  // namespace wakelab::cli
