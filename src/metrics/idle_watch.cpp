#include "metrics/idle_watch.hpp"

#include <algorithm>
#include <bit>

namespace wakelab::metrics {

using trace::kNobody;

IdleWatch::IdleWatch(const trace::TraceInfo& info)
    : last_ns_(info.start_ns), new_cpus_known_(!info.recorded) {
    classes_.emplace_back();
    add_cpus(info.cpus);
    for (std::uint32_t task = 0; task < info.allowed.size(); ++task) {
        grow(task + 1);
        set_allowed(task, info.allowed[task], false);
    }
    grow(static_cast<std::uint32_t>(info.task_names.size()));
}

void IdleWatch::add_cpus(std::uint32_t cpus) {
    const auto before = static_cast<std::uint32_t>(cpus_.size());
    if (cpus <= before) return;
    cpus_.resize(cpus, Cpu{.known = false});
    queued_.resize(std::size_t{cpus} * stride_);
    idle_words_.resize((cpus + 63) / 64);
    for (std::uint32_t cpu = before; cpu < cpus; ++cpu) {
        classes_[0].mask.set(CpuId{cpu});
        if (!new_cpus_known_) continue;
        cpus_[cpu].known = true;
        change_idle(cpu, true);
    }
}

std::uint32_t IdleWatch::class_of(const topo::CpuMask& allowed) {
    const topo::CpuMask& all = classes_[0].mask;
    if (allowed.empty() || (allowed & all) == all) return 0;
    if (allowed.count() < 2) return kPinned;
    const auto known = std::ranges::find(classes_, allowed, &MaskClass::mask);
    if (known != classes_.end()) return static_cast<std::uint32_t>(known - classes_.begin());
    if (classes_.size() == kMaxClasses) {
        ++ignored_masks_;
        return 0;
    }
    MaskClass& made = classes_.emplace_back();
    made.mask = allowed;
    for (std::uint32_t cpu = 0; cpu < cpus_.size(); ++cpu)
        made.idle_cpus += allowed.test(CpuId{cpu}) && is_idle(cpu);
    if (classes_.size() > stride_) {
        std::vector<Counts> wider(cpus_.size() * stride_ * 2);
        for (std::size_t cpu = 0; cpu < cpus_.size(); ++cpu)
            std::copy_n(queued_.begin() + static_cast<std::ptrdiff_t>(cpu * stride_), stride_,
                        wider.begin() + static_cast<std::ptrdiff_t>(cpu * stride_ * 2));
        queued_ = std::move(wider);
        stride_ *= 2;
    }
    return static_cast<std::uint32_t>(classes_.size() - 1);
}

void IdleWatch::set_allowed(std::uint32_t task, const topo::CpuMask& allowed, bool kernel_thread) {
    Task& t = tasks_[task];
    t.mask_class = class_of(allowed);
    if (t.mask_class != kPinned) return;
    t.only_cpu = static_cast<std::uint16_t>(allowed.first().v);
    if (kernel_thread) t.mask_class = kPinnedKernel;
}

bool IdleWatch::allows(std::uint32_t task, std::uint32_t cpu) const {
    const Task& t = tasks_[task];
    if (t.mask_class >= kPinnedKernel) return t.only_cpu == cpu;
    return t.mask_class == 0 || classes_[t.mask_class].mask.test(CpuId{cpu});
}

void IdleWatch::grow(std::uint32_t count) {
    if (tasks_.size() < count) tasks_.resize(count);
}

void IdleWatch::pass(std::int64_t now_ns) {
    const std::int64_t dt = now_ns - last_ns_;
    totals_.idle_cpu_ns += dt * idle_cpus_;
    if (open_ != (stuck_total_ > 0)) {
        if (open_)
            close_violation();
        else
            open_violation();
    }
    if (waiting_ == 0 || idle_cpus_ == 0) return;
    const std::uint32_t used = std::min(stuck_total_, idle_cpus_);
    if (const std::uint32_t excluded = waiting_ - stuck_total_; excluded > 0) {
        totals_.excluded_wait_ns += dt * excluded;
        totals_.excluded_cpu_ns += dt * std::min(excluded, idle_cpus_ - used);
    }
    if (stuck_total_ == 0) return;
    totals_.stuck_time_ns += dt;
    totals_.lost_cpu_ns += dt * used;
    for (std::size_t c = 0; c < kWaitCauseCount; ++c) totals_.stuck_wait_ns[c] += dt * stuck_[c];
}

// Called when time passes, not at every change: what changes and changes back in one instant (a task
// that moves from queue to queue) neither begins nor ends anything.
void IdleWatch::open_violation() {
    open_ = true;
    violation_ = {.from_ns = last_ns_, .length_ns = 0, .task = kNobody, .idle_cpu = kNobody};
    if (latest_waiter_ != kNobody && idle_cpu_for(latest_waiter_)) violation_.task = latest_waiter_;
    const std::uint32_t k = violation_.task == kNobody ? 0 : tasks_[violation_.task].mask_class;
    for (std::uint32_t i = 0; i < idle_words_.size(); ++i) {
        const std::uint64_t idle = idle_words_[i] & classes_[k].mask.word(i);
        if (idle == 0) continue;
        violation_.idle_cpu = i * 64 + static_cast<std::uint32_t>(std::countr_zero(idle));
        return;
    }
}

void IdleWatch::close_violation() {
    open_ = false;
    violation_.length_ns = last_ns_ - violation_.from_ns;
    ++totals_.violations;
    const auto width =
        static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(violation_.length_ns)));
    ++totals_.violations_by_length[std::min(width, IdleWatchTotals::kLengths - 1)];
    std::vector<Violation>& longest = totals_.longest;
    const bool full = longest.size() == IdleWatchTotals::kLongest;
    if (full && longest.back().length_ns >= violation_.length_ns) return;
    if (full) longest.pop_back();
    const auto shorter = std::ranges::find_if(
        longest, [&](const Violation& v) { return v.length_ns < violation_.length_ns; });
    longest.insert(shorter, violation_);
}

void IdleWatch::finish() {
    if (open_) close_violation();
}

void IdleWatch::change_waiting(MaskClass& mask_class, const Counts& counts, bool more) {
    for (std::size_t c = 0; c < kWaitCauseCount; ++c) {
        const std::uint32_t delta = more ? counts[c] : 0u - counts[c];
        mask_class.waiting[c] += delta;
        if (mask_class.idle_cpus > 0) stick(c, delta);
    }
}

void IdleWatch::change_idle(std::uint32_t cpu, bool idle) {
    const std::uint32_t delta = idle ? 1u : ~0u;
    idle_cpus_ += delta;
    idle_words_[cpu / 64] ^= 1ull << (cpu % 64);
    for (MaskClass& k : classes_) {
        if (!k.mask.test(CpuId{cpu})) continue;
        const bool had_one = k.idle_cpus > 0;
        k.idle_cpus += delta;
        const bool has_one = k.idle_cpus > 0;
        if (had_one == has_one) continue;
        for (std::size_t c = 0; c < kWaitCauseCount; ++c)
            stick(c, has_one ? k.waiting[c] : 0u - k.waiting[c]);
    }
}

void IdleWatch::wait_begin(std::uint32_t task, std::uint32_t cpu, WaitCause cause) {
    Cpu& lane = cpus_[cpu];
    if (lane.is_idle()) change_idle(cpu, false);
    ++lane.queued;
    tasks_[task].cause = cause;
    const std::uint32_t k = tasks_[task].mask_class;
    if (k == kPinnedKernel) {
        ++lane.queued_kernel;
        return;
    }
    waiting_ += lane.running;
    if (k == kPinned) return;
    const auto c = static_cast<std::size_t>(cause);
    ++queued(cpu, k)[c];
    if (!lane.running) return;
    latest_waiter_ = task;
    ++classes_[k].waiting[c];
    if (classes_[k].idle_cpus > 0) stick(c, 1);
}

void IdleWatch::wait_end(std::uint32_t task, std::uint32_t cpu) {
    Cpu& lane = cpus_[cpu];
    --lane.queued;
    const std::uint32_t k = tasks_[task].mask_class;
    if (k == kPinnedKernel) {
        --lane.queued_kernel;
    } else {
        waiting_ -= lane.running;
        if (k != kPinned) {
            const auto c = static_cast<std::size_t>(tasks_[task].cause);
            --queued(cpu, k)[c];
            if (lane.running) {
                --classes_[k].waiting[c];
                if (classes_[k].idle_cpus > 0) {
                    stick(c, ~0u);
                    if (open_ && violation_.task == kNobody) violation_.task = task;
                }
                if (latest_waiter_ == task) latest_waiter_ = kNobody;
            }
        }
    }
    if (lane.is_idle()) change_idle(cpu, true);
}

// What is queued on the CPU begins or ends to wait behind another task.
void IdleWatch::add_queue(std::uint32_t cpu, bool more) {
    const std::uint32_t others = cpus_[cpu].queued - cpus_[cpu].queued_kernel;
    if (others == 0) return;
    waiting_ += more ? others : 0u - others;
    for (std::uint32_t k = 0; k < classes_.size(); ++k)
        change_waiting(classes_[k], queued(cpu, k), more);
}

void IdleWatch::set_running(std::uint32_t cpu, bool running) {
    Cpu& lane = cpus_[cpu];
    if (lane.running == running && lane.known) return;
    if (lane.is_idle()) change_idle(cpu, false);
    lane.known = true;
    if (lane.running != running) add_queue(cpu, running);
    lane.running = running;
    if (lane.is_idle()) change_idle(cpu, true);
}

void IdleWatch::set_unknown(std::uint32_t cpu) {
    Cpu& lane = cpus_[cpu];
    if (lane.is_idle()) change_idle(cpu, false);
    if (lane.running) add_queue(cpu, false);
    for (std::uint32_t k = 0; k < classes_.size(); ++k) queued(cpu, k) = {};
    lane = Cpu{.known = false};
}

}  // namespace wakelab::metrics
