// Replays the seeds of the fuzzer, and holds the examples to what they promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/fifo_sched.hpp"
#include "support/source_path.hpp"
#include "work/rtapp/rtapp.hpp"

namespace wakelab::work {
namespace {

std::vector<std::string> files_of(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(test::source_path(folder)))
        files.push_back(entry.path().string());
    std::ranges::sort(files);
    return files;
}

TEST(RtAppCorpus, EverySeedEndsInAModelOrOneLine) {
    std::size_t models = 0;
    std::size_t errors = 0;
    for (const std::string& file : files_of("tests/fuzz/corpus/rtapp")) {
        const auto app = RtApp::load(file);
        ++(app ? models : errors);
        if (app) continue;
        EXPECT_TRUE(app.error().message.starts_with(file + ":")) << app.error().message;
        EXPECT_EQ(app.error().message.find('\n'), std::string::npos) << file;
    }
    EXPECT_GE(models, 5u);
    EXPECT_GE(errors, 5u);
}

TEST(RtAppCorpus, ExamplesRunOnFourCpus) {
    const std::vector<std::string> files = files_of("examples/rtapp");
    EXPECT_GE(files.size(), 3u);
    for (const std::string& file : files) {
        const auto app = RtApp::load(file);
        ASSERT_TRUE(app) << app.error().message;
        EXPECT_TRUE((*app)->check(test::free_machine(4))) << file;
    }
}

}  // namespace
}  // namespace wakelab::work
