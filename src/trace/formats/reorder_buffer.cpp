#include "trace/formats/reorder_buffer.hpp"

namespace wakelab::trace {

namespace {

constexpr auto kLaterArrival = [](const auto& a, const auto& b) {
    return a.event.ns != b.event.ns ? a.event.ns > b.event.ns : a.number > b.number;
};

// Equal times: those of `a` first.
template <class Key>
void merge(std::span<const Key> a, std::span<const Key> b, Key* out) {
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        const bool second = b[j].ns < a[i].ns;
        const Key* from = second ? &b[j] : &a[i];
        *out++ = *from;
        j += second ? 1 : 0;
        i += second ? 0 : 1;
    }
    out = std::copy(a.begin() + static_cast<std::ptrdiff_t>(i), a.end(), out);
    std::copy(b.begin() + static_cast<std::ptrdiff_t>(j), b.end(), out);
}

}  // namespace

void ReorderBuffer::insert(std::uint32_t run, const KernelEvent& event) {
    ++held_;
    max_ns_ = std::max(max_ns_, event.ns);
    if (run >= kMaxRuns) return push_late(event);
    if (run >= runs_.size()) runs_.resize(run + 1);
    Run& r = runs_[run];
    if (!r.empty() && event.ns < r.events.back().ns) return push_late(event);
    r.events.push_back(event);
}

void ReorderBuffer::push_late(const KernelEvent& event) {
    late_.push_back({event, arrivals_++});
    std::push_heap(late_.begin(), late_.end(), kLaterArrival);
}

std::span<const ReorderBuffer::Key> ReorderBuffer::order(std::int64_t up_to) {
    keys_.clear();
    ends_.clear();
    leaving_late_.clear();
    for (std::uint32_t r = 0; r < runs_.size(); ++r) {
        const std::vector<KernelEvent>& events = runs_[r].events;
        const std::size_t before = keys_.size();
        for (std::size_t i = runs_[r].head; i < events.size() && events[i].ns <= up_to; ++i)
            keys_.push_back({events[i].ns, r, static_cast<std::uint32_t>(i)});
        if (keys_.size() > before) ends_.push_back(keys_.size());
    }
    while (!late_.empty() && late_.front().event.ns <= up_to) {
        keys_.push_back({late_.front().event.ns, kLateRun,
                         static_cast<std::uint32_t>(leaving_late_.size())});
        std::pop_heap(late_.begin(), late_.end(), kLaterArrival);
        leaving_late_.push_back(late_.back());
        late_.pop_back();
    }
    if (!leaving_late_.empty()) ends_.push_back(keys_.size());
    merged_.resize(keys_.size());
    while (ends_.size() > 1) {
        merged_ends_.clear();
        for (std::size_t i = 0, begin = 0; i < ends_.size(); i += 2) {
            const std::size_t middle = ends_[i];
            const std::size_t end = ends_[std::min(i + 1, ends_.size() - 1)];
            const std::span<const Key> keys(keys_);
            merge(keys.subspan(begin, middle - begin), keys.subspan(middle, end - middle),
                  merged_.data() + begin);
            merged_ends_.push_back(end);
            begin = end;
        }
        keys_.swap(merged_);
        ends_.swap(merged_ends_);
    }
    return keys_;
}

// A run makes room once more has left it than stays, so that an event is moved once on average.
void ReorderBuffer::remove(std::span<const Key> left) {
    held_ -= left.size();
    std::size_t late = 0;
    for (const Key key : left) {
        if (key.run == kLateRun)
            ++late;
        else
            runs_[key.run].head = key.index + 1;
    }
    for (; late < leaving_late_.size(); ++late) push_late(leaving_late_[late].event);
    for (Run& run : runs_) {
        if (run.head * 2 < run.events.size() || run.head == 0) continue;
        run.events.erase(run.events.begin(),
                         run.events.begin() + static_cast<std::ptrdiff_t>(run.head));
        run.head = 0;
    }
}

}  // namespace wakelab::trace
