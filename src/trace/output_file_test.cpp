#include "trace/output_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

namespace wakelab::trace {
namespace {

std::string temporary(std::string_view name) {
    return testing::TempDir() + "output_file_test." + std::to_string(::getpid()) + "." + std::string(name);
}

std::string content(const std::string& path) {
    std::ostringstream all;
    all << std::ifstream(path, std::ios::binary).rdbuf();
    return all.str();
}

bool exists(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0;
}

TEST(OutputFile, AppearsOnlyWhenCommitted) {
    const std::string path = temporary("whole");
    {
        auto file = OutputFile::create(path);
        ASSERT_TRUE(file);
        file->write("size=???? ");
        for (int i = 0; i < 100'000; ++i) file->write("0123456789");
        EXPECT_EQ(file->position(), 1'000'010u);
        const std::string size = "done";
        file->write_at(5, std::as_bytes(std::span(size)));
        file->write("!");
        EXPECT_FALSE(exists(path));
        EXPECT_TRUE(exists(path + ".tmp"));
        ASSERT_TRUE(file->commit());
    }
    EXPECT_FALSE(exists(path + ".tmp"));
    const std::string all = content(path);
    EXPECT_EQ(all.size(), 1'000'011u);
    EXPECT_TRUE(all.starts_with("size=done 0123"));
    EXPECT_TRUE(all.ends_with("789!"));
    std::remove(path.c_str());
}

TEST(OutputFile, KeepsTheOldFileWhenGivenUp) {
    const std::string path = temporary("old");
    std::ofstream(path) << "old";
    {
        auto file = OutputFile::create(path);
        ASSERT_TRUE(file);
        file->write("new");
    }
    EXPECT_EQ(content(path), "old");
    EXPECT_FALSE(exists(path + ".tmp"));
    std::remove(path.c_str());
}

TEST(OutputFile, SaysWhyItCannotWrite) {
    const auto directory = OutputFile::create(testing::TempDir());
    ASSERT_FALSE(directory);
    EXPECT_EQ(directory.error().message,
              testing::TempDir() + ": is a directory; expected the name of a file to write");
    const auto nowhere = OutputFile::create("/nonexistent/x");
    ASSERT_FALSE(nowhere);
    EXPECT_EQ(nowhere.error().message,
              "/nonexistent/x: cannot be written: No such file or directory");
}

TEST(OutputFile, TellsOfAFullDiskAtTheEnd) {
    auto file = OutputFile::create("/dev/full");
    if (!file) GTEST_SKIP() << "no /dev/full: " << file.error().message;
    EXPECT_FALSE(file->seekable());
    for (int i = 0; i < 1'000'000; ++i) file->write("0123456789");
    EXPECT_TRUE(file->failed());
    const Status s = file->commit();
    ASSERT_FALSE(s);
    EXPECT_EQ(s.error().message, "/dev/full: cannot be written: No space left on device");
}

}  // namespace
}  // namespace wakelab::trace
