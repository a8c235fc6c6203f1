#include "base/data_dir.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace wakelab {
namespace {

TEST(DataDir, IsTheSourceTreeUnlessTheEnvironmentNamesAnother) {
    unsetenv("WAKELAB_DATA");
    EXPECT_EQ(data_dir(), WAKELAB_SOURCE_DIR "/data");
    setenv("WAKELAB_DATA", "/somewhere/data/", 1);
    EXPECT_EQ(data_dir(), "/somewhere/data");
    setenv("WAKELAB_DATA", "", 1);
    EXPECT_EQ(data_dir(), WAKELAB_SOURCE_DIR "/data");
    unsetenv("WAKELAB_DATA");
}

}  // namespace
}  // namespace wakelab
