#include "metrics/idle_watch.hpp"

#include <algorithm>
#include <numeric>

namespace wakelab::metrics {

namespace {

// Tasks that may use one CPU only never wait in vain: another CPU being idle is no help to them.
// They need no class, which keeps per-CPU kernel threads from making one class per CPU.
constexpr std::uint32_t kPinned = ~0u;

}  // namespace

IdleWatch::IdleWatch(const trace::TraceInfo& info)
    : last_ns_(info.start_ns), cpus_(info.cpus), idle_cpus_(info.cpus) {
    classes_.push_back({.mask = topo::CpuMask::first_n(info.cpus), .idle_cpus = info.cpus});
    for (const topo::CpuMask& allowed : info.allowed)
        tasks_.push_back({.mask_class = class_of(allowed)});
    grow(static_cast<std::uint32_t>(info.task_names.size()));
    queued_.resize(cpus_.size() * classes_.size());
}

std::uint32_t IdleWatch::class_of(const topo::CpuMask& allowed) {
    const topo::CpuMask mask = allowed & classes_[0].mask;
    const std::uint32_t cpus = mask.count();
    if (cpus < 2) return kPinned;
    const auto known = std::ranges::find(classes_, mask, &MaskClass::mask);
    if (known == classes_.end()) {
        classes_.push_back({.mask = mask, .idle_cpus = cpus});
        return static_cast<std::uint32_t>(classes_.size() - 1);
    }
    return static_cast<std::uint32_t>(known - classes_.begin());
}

void IdleWatch::grow(std::uint32_t count) {
    if (tasks_.size() < count) tasks_.resize(count);
}

bool IdleWatch::idle_cpu_for(std::uint32_t task) const {
    const std::uint32_t k = tasks_[task].mask_class;
    return k != kPinned && classes_[k].idle_cpus > 0;
}

void IdleWatch::advance(std::int64_t now_ns) {
    const std::int64_t dt = now_ns - last_ns_;
    if (dt <= 0) return;
    last_ns_ = now_ns;
    if (idle_cpus_ == 0) return;
    totals_.idle_cpu_ns += dt * idle_cpus_;
    const std::uint32_t stuck = std::accumulate(stuck_.begin(), stuck_.end(), 0u);
    if (stuck == 0) return;
    totals_.stuck_time_ns += dt;
    totals_.lost_cpu_ns += dt * std::min(stuck, idle_cpus_);
    for (std::size_t c = 0; c < kWaitCauseCount; ++c) totals_.stuck_wait_ns[c] += dt * stuck_[c];
}

void IdleWatch::change_waiting(MaskClass& mask_class, const Counts& counts, bool more) {
    for (std::size_t c = 0; c < kWaitCauseCount; ++c) {
        const std::uint32_t delta = more ? counts[c] : 0u - counts[c];
        mask_class.waiting[c] += delta;
        if (mask_class.idle_cpus > 0) stuck_[c] += delta;
    }
}

void IdleWatch::change_idle(std::uint32_t cpu, bool idle) {
    const std::uint32_t delta = idle ? 1u : ~0u;
    idle_cpus_ += delta;
    for (MaskClass& k : classes_) {
        if (!k.mask.test(CpuId{cpu})) continue;
        const bool had_one = k.idle_cpus > 0;
        k.idle_cpus += delta;
        const bool has_one = k.idle_cpus > 0;
        if (had_one == has_one) continue;
        for (std::size_t c = 0; c < kWaitCauseCount; ++c)
            stuck_[c] += has_one ? k.waiting[c] : 0u - k.waiting[c];
    }
}

void IdleWatch::wait_begin(std::uint32_t task, std::uint32_t cpu, WaitCause cause) {
    if (is_idle(cpu)) change_idle(cpu, false);
    ++cpus_[cpu].queued;
    tasks_[task].cause = cause;
    const std::uint32_t k = tasks_[task].mask_class;
    if (k == kPinned) return;
    Counts one{};
    one[static_cast<std::size_t>(cause)] = 1;
    ++queued(cpu, k)[static_cast<std::size_t>(cause)];
    if (cpus_[cpu].running) change_waiting(classes_[k], one, true);
}

void IdleWatch::wait_end(std::uint32_t task, std::uint32_t cpu) {
    --cpus_[cpu].queued;
    const std::uint32_t k = tasks_[task].mask_class;
    if (k != kPinned) {
        const auto cause = static_cast<std::size_t>(tasks_[task].cause);
        Counts one{};
        one[cause] = 1;
        --queued(cpu, k)[cause];
        if (cpus_[cpu].running) change_waiting(classes_[k], one, false);
    }
    if (is_idle(cpu)) change_idle(cpu, true);
}

void IdleWatch::set_running(std::uint32_t cpu, bool running) {
    if (cpus_[cpu].running == running) return;
    if (is_idle(cpu)) change_idle(cpu, false);
    cpus_[cpu].running = running;
    for (std::uint32_t k = 0; k < classes_.size(); ++k)
        change_waiting(classes_[k], queued(cpu, k), running);
    if (is_idle(cpu)) change_idle(cpu, true);
}

}  // namespace wakelab::metrics
