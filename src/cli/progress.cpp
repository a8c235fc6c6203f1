#include "cli/progress.hpp"

#include <fmt/format.h>

namespace wakelab::cli {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t kBarColumns = 30;
constexpr auto kDelay = std::chrono::seconds(1);
constexpr auto kInterval = std::chrono::milliseconds(100);
constexpr std::string_view kClearLine = "\r\033[K";

}  // namespace

Progress::Progress(const Output& output, std::string what)
    : output_(output), what_(std::move(what)), start_(steady_clock::now()), drawn_(start_) {}

Progress::~Progress() {
    if (visible_) output_.err(kClearLine);
}

lab::Progress Progress::callback() {
    if (!output_.progress) return {};
    return [this](std::size_t done, std::size_t total) {
        if (!is_due()) return;
        const std::size_t full = total == 0 ? kBarColumns : done * kBarColumns / total;
        draw(fmt::format("[{:#<{}}{:.<{}}] {}/{} runs", "", full, "", kBarColumns - full, done,
                         total));
    };
}

void Progress::note(std::string_view text) {
    if (output_.progress) draw(text);
}

bool Progress::is_due() {
    const auto now = steady_clock::now();
    return now - start_ >= kDelay && now - drawn_ >= kInterval;
}

void Progress::draw(std::string_view text) {
    output_.err(fmt::format("{}{} {}", kClearLine, what_, text));
    drawn_ = steady_clock::now();
    visible_ = true;
}

}  // namespace wakelab::cli
