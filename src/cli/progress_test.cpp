#include "cli/progress.hpp"

#include <gtest/gtest.h>

#include <string>

namespace wakelab::cli {
namespace {

struct Terminal {
    std::string shown;
    Output output{.out = {},
                  .err = [this](std::string_view text) { shown += text; },
                  .colour = false,
                  .progress = true};
};

TEST(Progress, ShortWorkShowsNothing) {
    Terminal terminal;
    {
        Progress progress(terminal.output, "compare");
        const lab::Progress callback = progress.callback();
        callback(1, 2);
        callback(2, 2);
    }
    EXPECT_EQ(terminal.shown, "");
}

TEST(Progress, TheLineIsClearedAtTheEnd) {
    Terminal terminal;
    {
        Progress progress(terminal.output, "fit");
        progress.note("round 1");
    }
    EXPECT_EQ(terminal.shown, "\r\033[Kfit round 1\r\033[K");
}

TEST(Progress, WithoutATerminalThereIsNone) {
    Terminal terminal;
    terminal.output.progress = false;
    Progress progress(terminal.output, "fit");
    progress.note("round 1");
    EXPECT_FALSE(progress.callback());
    EXPECT_EQ(terminal.shown, "");
}

}  // namespace
}  // namespace wakelab::cli
