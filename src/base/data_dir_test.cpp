#include "base/data_dir.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support/source_path.hpp"

namespace wakelab {
namespace {

TEST(DataDir, IsTheSourceTreeUnlessTheEnvironmentNamesAnother) {
    unsetenv("WAKELAB_DATA");
    EXPECT_EQ(data_dir(), test::source_path("data"));
    setenv("WAKELAB_DATA", "/somewhere/data/", 1);
    EXPECT_EQ(data_dir(), "/somewhere/data");
    setenv("WAKELAB_DATA", "", 1);
    EXPECT_EQ(data_dir(), test::source_path("data"));
    unsetenv("WAKELAB_DATA");
}

}  // namespace
}  // namespace wakelab
