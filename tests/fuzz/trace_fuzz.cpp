// libFuzzer target of a trace reader: whatever the bytes, reading ends in records that keep the rules of
// src/trace/README.md, or in one line that says what is wrong. Compiled once per format, which
// WAKELAB_FUZZ_FORMAT names as formats() does. scripts/fuzz.sh builds and runs all of them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "trace/formats/format.hpp"

namespace wakelab::trace {

namespace {

// Takes everything and keeps nothing but what the rules need.
struct RuleSink final : TraceSink {
    bool begun = false, finished = false;
    std::uint32_t cpus = 0;
    std::vector<bool> announced;
    std::int64_t last_ns = INT64_MIN;

    void begin(const TraceInfo& info) override {
        WK_CHECK(!begun);
        begun = true;
        cpus = info.cpus;
        announced.assign(info.task_names.size(), true);
    }
    void add_cpus(std::uint32_t n) override {
        WK_CHECK(begun && n > cpus);
        cpus = n;
    }
    void add_task(std::uint32_t task, std::string_view /*name*/) override {
        WK_CHECK(begun && !is_known(task));
        if (task >= announced.size()) announced.resize(task + 1);
        announced[task] = true;
    }
    void rename_task(std::uint32_t task, std::string_view /*name*/) override { WK_CHECK(is_known(task)); }
    void describe_task(std::uint32_t task, const TaskFacts& /*facts*/) override { WK_CHECK(is_known(task)); }
    void consume(std::span<const TraceRecord> records) override {
        WK_CHECK(begun && !finished);
        for (const TraceRecord& r : records) {
            WK_CHECK(r.ns >= last_ns);
            last_ns = r.ns;
            WK_CHECK(r.cpu < cpus);
            WK_CHECK(static_cast<std::size_t>(r.type) < kEventTypeCount);
            WK_CHECK(r.task == kNobody || is_known(r.task));
            WK_CHECK(r.arg == kNobody || is_known(r.arg));
        }
    }
    void finish(std::int64_t end_ns) override {
        WK_CHECK(begun && !finished && end_ns >= last_ns);
        finished = true;
    }
    [[nodiscard]] bool is_known(std::uint32_t task) const {
        return task < announced.size() && announced[task];
    }
};

// Whatever a file holds, its bytes do not reach a terminal as they are.
bool is_one_line(std::string_view text) {
    return !text.empty() && std::ranges::none_of(text, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
}

void check_reader(const Format& format, std::span<const std::byte> bytes) {
    Input input = Input::of_bytes({bytes.begin(), bytes.end()}, "fuzzed");
    if (!format.matches(input.head())) return;
    RuleSink sink;
    TraceQuality quality;
    const Status status = read_trace(input, sink, quality);
    if (status)
        WK_CHECK(sink.finished);
    else
        WK_CHECK(is_one_line(status.error().message));
}

}  // namespace

}  // namespace wakelab::trace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace wakelab::trace;
    bool found = false;
    for (const Format& format : formats()) {
        if (format.name != WAKELAB_FUZZ_FORMAT) continue;
        found = true;
        check_reader(format, std::as_bytes(std::span(data, size)));
    }
    WK_CHECK(found);
    return 0;
}
