// The FtraceEventBundles of a Perfetto trace, decoded to KernelEvents.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/formats/perfetto/perfetto_event.hpp"
#include "trace/formats/perfetto/perfetto_fields.hpp"
#include "trace/formats/perfetto/perfetto_window.hpp"
#include "trace/quality.hpp"

namespace wakelab::trace::perfetto {

// The compact form of sched_switch names the next task only. The previous one is the next one of the CPU's
// switch before; a CPU's first switch, and its first one after a loss, is left out because of that (so does
// Perfetto), with a note.
class BundleDecoder {
 public:
    // Both must outlive this.
    BundleDecoder(TraceQuality& quality, BundleWindow& window) : quality_(quality), window_(window) {}

    void set_state_bits(StateBits bits) { states_.bits = bits; }
    // Pushes the events of a bundle, in time order as far as the bundle is. kSlack bytes behind it must be
    // readable. What is damaged is counted.
    void decode(std::string_view bundle);
    // Packets are missing: whatever CPU they were of.
    void lose_all();
    // Once, after the last bundle: losses without anything after them, and counts into the quality.
    void finish();

 private:
    static constexpr std::int32_t kUnknown = -1;
    static constexpr std::size_t kMaxNames = 65536;  // of one bundle
    static constexpr std::uint32_t kEventIds = 2048;

    struct Cpu {
        bool seen = false;
        bool lost = false;                 // events are missing before the next one
        std::int32_t current = kUnknown;   // pid
        std::int32_t new_task = kUnknown;  // told by task_newtask, sched_process_fork to come
        Comm current_comm;                 // only if no event has told it yet
    };
    struct Columns;

    void note_clock(FtraceClock clock);
    void emit(KernelEvent& e, bool is_compact);
    bool decode_event(std::string_view bytes, KernelEvent& e);
    // perfetto_compact.cpp
    void decode_with_compact(std::string_view bundle, std::string_view compact);
    void read_columns(std::string_view compact, Columns& columns);
    bool next_switch(Columns& columns, KernelEvent& e);
    bool next_waking(Columns& columns, KernelEvent& e);
    [[nodiscard]] Comm name_at(std::uint64_t index) const;

    TraceQuality& quality_;
    BundleWindow& window_;
    StateReader states_;
    bool clock_told_ = false;
    std::uint32_t cpu_ = 0;  // of the bundle being decoded
    std::vector<Cpu> cpus_;
    std::vector<Comm> names_;  // of the bundle being decoded
    std::array<std::uint64_t, kEventIds> skipped_{};  // by event id; 0: beyond
    std::uint64_t first_switches_ = 0;
};

}  // namespace wakelab::trace::perfetto
