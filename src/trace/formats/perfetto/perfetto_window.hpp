// The order of ftrace bundles in a Perfetto trace. Each holds events of one CPU, and CPUs follow each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/formats/reorder_buffer.hpp"
#include "trace/translator.hpp"

namespace wakelab::trace::perfetto {

// traced_probes reads the buffers of all CPUs in rounds, a CPU without news leaving no bundle; nothing in the
// file says where a round ends. It has ended when a CPU comes again after another one. Two things then hold:
// * A CPU whose buffer was read to its end has nothing older left than the newest event of the round
//   before: that had been recorded when this reading began.
// * A CPU that was cut short (there is a limit per reading) comes again, with events newer than its last.
// So up to the earlier of that newest event and the last events of all CPUs seen in the latest two rounds
// everything is there, and leaves. A file that is not so ordered, or has bundles of one CPU only, is held
// until the buffer is full; what then comes too late is counted by the Translator (out_of_order).
class BundleWindow {
 public:
    explicit BundleWindow(Translator& translator,
                          std::size_t capacity = ReorderBuffer::kDefaultCapacity)
        : translator_(translator), buffer_(capacity) {}

    void begin_bundle(std::uint32_t cpu) {
        if (cpu >= cpus_.size()) cpus_.resize(cpu + 1);
        if (cpus_[cpu].round == round_ && cpu != last_cpu_) end_round();
        cpus_[cpu].round = round_;
        last_cpu_ = cpu;
    }
    // Of the CPU of the latest bundle.
    void push(const KernelEvent& event) {
        Cpu& cpu = cpus_[last_cpu_];
        cpu.last_ns = std::max(cpu.last_ns, event.ns);
        buffer_.push(event.cpu, event, [this](const KernelEvent& e) { translator_.add(e); });
    }
    // Everything that was recorded before what comes next has been pushed.
    void flush() {
        buffer_.flush_all([this](const KernelEvent& e) { translator_.add(e); });
    }
    [[nodiscard]] std::int64_t max_ns() const { return buffer_.max_ns(); }

 private:
    struct Cpu {
        std::int64_t last_ns = INT64_MIN;
        std::uint64_t round = 0;  // of its latest bundle
    };

    void end_round() {
        std::int64_t complete = newest_before_;
        for (const Cpu& cpu : cpus_)
            if (cpu.round != 0 && cpu.round + 1 >= round_) complete = std::min(complete, cpu.last_ns);
        buffer_.flush(complete, [this](const KernelEvent& e) { translator_.add(e); });
        newest_before_ = buffer_.max_ns();
        ++round_;
    }

    Translator& translator_;
    ReorderBuffer buffer_;
    std::vector<Cpu> cpus_;
    std::uint64_t round_ = 1;
    std::uint32_t last_cpu_ = ~0u;
    std::int64_t newest_before_ = INT64_MIN;  // at the end of the round before
};

}  // namespace wakelab::trace::perfetto
