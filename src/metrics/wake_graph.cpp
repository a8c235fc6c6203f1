#include "metrics/wake_graph.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace wakelab::metrics {

using trace::EventType;
using trace::kNobody;
using trace::PrevState;
using trace::TraceRecord;

namespace {

void add_rules(RuleCounts& to, const RuleCounts& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

// Null: the waker has met too many.
WakeEdge* edge_to(Waker& waker, std::uint32_t wakee) {
    const auto at = std::ranges::lower_bound(waker.edges, wakee, {}, &WakeEdge::wakee);
    if (at != waker.edges.end() && at->wakee == wakee) return &*at;
    if (waker.edges.size() == Waker::kMaxEdges) return nullptr;
    return &*waker.edges.insert(at, {.wakee = wakee});  // a new pair: ends with the warm-up
}

// 0, 1, 2, 3-4, 5-8, ...: the bit width of size - 1, one further for the batches of 0.
std::size_t bucket_of(std::uint64_t size) {
    if (size == 0) return 0;
    const auto width = static_cast<std::size_t>(std::bit_width(size - 1));
    return std::min(width + 1, BatchCounts::kBuckets - 1);
}

}  // namespace

void PlacementCounts::add(const PlacementCounts& other) {
    wakeups += other.wakeups;
    sync += other.sync;
    moved += other.moved;
    onto_waker += other.onto_waker;
    pulled += other.pulled;
    misplaced += other.misplaced;
    stacked += other.stacked;
    far += other.far;
    beside_busy += other.beside_busy;
    handed_over += other.handed_over;
    handed_over_ns += other.handed_over_ns;
    add_rules(by_rule, other.by_rule);
    add_rules(pulled_by_rule, other.pulled_by_rule);
    add_rules(stacked_by_rule, other.stacked_by_rule);
}

void CutCounts::add(const CutCounts& other) {
    cuts += other.cuts;
    wait_ns += other.wait_ns;
    idle_ns += other.idle_ns;
    stacked_idle_ns += other.stacked_idle_ns;
}

void BatchCounts::add(const BatchCounts& other) {
    batches += other.batches;
    for (std::size_t i = 0; i < by_size.size(); ++i) by_size[i] += other.by_size[i];
    wakeups += other.wakeups;
    largest = std::max(largest, other.largest);
    cut.add(other.cut);
}

double BatchCounts::mean_size() const {
    return batches == 0 ? 0 : static_cast<double>(wakeups) / static_cast<double>(batches);
}

const Waker* WakeGraph::find(std::uint32_t task) const {
    const auto at = std::ranges::find(wakers, task, &Waker::task);
    return at == wakers.end() ? nullptr : &*at;
}

WakeGraphCollector::WakeGraphCollector(const trace::TraceInfo& info, const Topology& topology)
    : start_ns_(info.start_ns),
      topology_(topology),
      recorded_(info.recorded),
      tasks_(info.task_names.size()),
      resched_for_(info.cpus, kNobody) {
    add_cpus(info.cpus);
}

void WakeGraphCollector::grow(std::uint32_t count) {
    if (tasks_.size() < count) tasks_.resize(count);
}

void WakeGraphCollector::add_cpus(std::uint32_t cpus) {
    if (resched_for_.size() < cpus) resched_for_.resize(cpus, kNobody);
    if (!topology_.knows_cores()) return;
    const std::vector<std::uint32_t>& core_of = topology_.core_of();
    for (auto cpu = static_cast<std::uint32_t>(cpu_runs_.size()); cpu < cpus; ++cpu) {
        cpu_runs_.push_back(0);
        const std::uint32_t core = core_of[cpu];
        if (core >= topo::kMaxCpus * 2) continue;  // not known
        if (core_runs_.size() <= core) core_runs_.resize(core + 1, kNobody);
        if (core_runs_[core] != kNobody) continue;
        core_runs_[core] = 0;
        ++idle_cores_;
    }
}

void WakeGraphCollector::note_core(std::uint32_t cpu, bool running) {
    if (cpu >= cpu_runs_.size() || cpu_runs_[cpu] == static_cast<std::uint8_t>(running)) return;
    const std::uint32_t core = topology_.core_of()[cpu];
    if (core >= core_runs_.size()) return;
    cpu_runs_[cpu] = running;
    if (running)
        idle_cores_ -= core_runs_[core]++ == 0;
    else
        idle_cores_ += --core_runs_[core] == 0;
}

bool WakeGraphCollector::is_beside_busy(std::uint32_t cpu) const {
    if (idle_cores_ == 0 || cpu >= cpu_runs_.size()) return false;
    const std::uint32_t core = topology_.core_of()[cpu];
    return core < core_runs_.size() && core_runs_[core] > 0;
}

std::uint32_t WakeGraphCollector::waker_index(std::uint32_t task) {
    std::uint32_t& index = task == kInterruptWaker ? interrupt_index_ : tasks_[task].waker_index;
    if (index == kNoIndex) {
        index = static_cast<std::uint32_t>(graph_.wakers.size());
        graph_.wakers.emplace_back().task = task;
        batches_.emplace_back();
    }
    return index;
}

void WakeGraphCollector::add(const TraceRecord& record, const Step& step,
                             const ThreadStates& states, const IdleWatch& watch) {
    if (!step.accepted) return;
    switch (record.type) {
        case EventType::kSwitch:
            return add_switch(record, step, states, watch);
        case EventType::kWaking:
            tasks_[record.arg].waking_cpu = record.cpu;
            return;
        case EventType::kWakeup:
            return add_wakeup(record, step, states);
        case EventType::kResched:
            resched_for_[record.cpu] = record.arg;
            return;
        default:
            return;
    }
}

void WakeGraphCollector::place(PlacementCounts& placed, const TraceRecord& record, const Step& step,
                               std::uint32_t waker_cpu) const {
    const bool moved = static_cast<std::uint32_t>(record.payload >> 32) != record.cpu;
    const bool onto_waker = waker_cpu == record.cpu;
    const auto rule = static_cast<std::size_t>(record.payload & 0xffffffff);
    const bool known_rule = rule < static_cast<std::size_t>(kPlaceRuleCount);
    ++placed.wakeups;
    placed.sync += (record.flags & trace::kWakeSync) != 0;
    placed.moved += moved;
    placed.onto_waker += onto_waker;
    placed.pulled += onto_waker && moved;
    placed.misplaced += step.misplaced;
    placed.stacked += step.misplaced && onto_waker;
    placed.far += topology_.far_apart(waker_cpu, record.cpu);
    placed.beside_busy += step.onto_idle && is_beside_busy(record.cpu);
    if (!known_rule) return;
    ++placed.by_rule[rule];
    placed.pulled_by_rule[rule] += onto_waker && moved;
    placed.stacked_by_rule[rule] += step.misplaced && onto_waker;
}

void WakeGraphCollector::add_wakeup(const TraceRecord& record, const Step& step,
                                    const ThreadStates& states) {
    const bool by_task = record.task != kNobody && (record.flags & trace::kWakeInInterrupt) == 0;
    const std::uint32_t task = by_task ? record.task : kInterruptWaker;
    TaskHot& wakee = tasks_[record.arg];
    wakee.last_waker = task;
    std::uint32_t waker_cpu = std::exchange(wakee.waking_cpu, kNobody);
    if (waker_cpu == kNobody && by_task && states.thread(task).state == ThreadState::kRunning)
        waker_cpu = states.thread(task).cpu;

    const std::uint32_t index = waker_index(task);
    BatchHot& batch = batches_[index];
    Waker& waker = graph_.wakers[index];
    ++batch.wakeups;
    wakee.batch = batch.number;
    wakee.stacked = step.misplaced && waker_cpu == record.cpu;
    if (record.ns >= start_ns_) waker.batch.cut.add(batch.pending);
    batch.pending = {};
    WakeEdge* edge = edge_to(waker, record.arg);
    if (record.ns < start_ns_) return;
    if (edge != nullptr) {
        ++edge->wakeups;
        edge->far += topology_.far_apart(waker_cpu, record.cpu);
    } else {
        ++waker.other_wakeups;
    }
    place(waker.placed, record, step, waker_cpu);
}

void WakeGraphCollector::count_hand_over(const TraceRecord& record, const Step& step) {
    TaskHot& wakee = tasks_[record.arg];
    if (!std::exchange(wakee.stacked, false) || wakee.last_waker != record.task) return;
    if (!trace::is_blocked(static_cast<PrevState>(record.flags)) || record.ns < start_ns_) return;
    const std::int64_t wait_ns = record.ns - step.queued_since_ns;
    if (step.queued_since_ns == Step::kUnknownTime || wait_ns > kHandOverNs) return;
    PlacementCounts& placed = graph_.wakers[tasks_[record.task].waker_index].placed;
    ++placed.handed_over;
    placed.handed_over_ns += wait_ns;
}

void WakeGraphCollector::add_switch(const TraceRecord& record, const Step& step,
                                    const ThreadStates& states, const IdleWatch& watch) {
    if (record.task != kNobody && record.arg != kNobody) count_hand_over(record, step);
    if (record.task != kNobody) switch_out(record, states, watch);
    if (record.arg != kNobody) switch_in(record, states, watch);
    note_core(record.cpu, record.arg != kNobody);
    resched_for_[record.cpu] = kNobody;
}

void WakeGraphCollector::switch_out(const TraceRecord& record, const ThreadStates& states,
                                    const IdleWatch& watch) {
    const std::uint32_t index = tasks_[record.task].waker_index;
    if (index == kNoIndex) return;
    BatchHot& batch = batches_[index];
    const auto how = static_cast<PrevState>(record.flags);
    if (trace::is_blocked(how) || how == PrevState::kDead) {
        if (record.ns >= start_ns_) {
            BatchCounts& counts = graph_.wakers[index].batch;
            ++counts.batches;
            ++counts.by_size[bucket_of(batch.wakeups)];
            counts.wakeups += batch.wakeups;
            counts.largest = std::max(counts.largest, batch.wakeups);
        }
        batch = {.number = batch.number + 1};
        return;
    }
    // Recorded traces do not say why a task was preempted: kPreemptedOther may be a wake-up, too.
    if (how == PrevState::kPreemptedByTick || how == PrevState::kYielded) return;
    const std::uint32_t for_task = resched_for_[record.cpu];
    const std::uint32_t culprit = for_task != kNobody ? for_task : record.arg;
    if (batch.wakeups == 0 || culprit == kNobody) return;
    if (tasks_[culprit].last_waker != record.task) return;
    // Without kResched the switch alone speaks: it must be to a wakee of this batch.
    if (recorded_ && tasks_[culprit].batch != batch.number) return;
    batch.waits = true;
    batch.epoch = states.epoch();
    batch.wakee_stacked = watch.cause_of(culprit) == WaitCause::kPlacement;
    batch.wait_from_ns = record.ns;
    batch.idle_from_ns = watch.totals().idle_cpu_ns;
}

void WakeGraphCollector::switch_in(const TraceRecord& record, const ThreadStates& states,
                                   const IdleWatch& watch) {
    const std::uint32_t index = tasks_[record.arg].waker_index;
    if (index == kNoIndex || !batches_[index].waits) return;
    BatchHot& batch = batches_[index];
    batch.waits = false;
    if (batch.epoch != states.epoch()) return;  // who knows what it did meanwhile
    const std::int64_t idle_ns = watch.totals().idle_cpu_ns - batch.idle_from_ns;
    batch.pending.add(
        {.cuts = 1,
         .wait_ns = std::max<std::int64_t>(0, record.ns - std::max(batch.wait_from_ns, start_ns_)),
         .idle_ns = idle_ns,
         .stacked_idle_ns = batch.wakee_stacked ? idle_ns : 0});
}

WakeGraph WakeGraphCollector::finish() {
    const auto often = [](const Waker& w) {
        std::uint64_t most = 0;
        for (const WakeEdge& e : w.edges) most = std::max(most, e.wakeups);
        return std::max<std::uint64_t>(1, most / WakeGraph::kOftenDivisor);
    };
    // Of every task: how many wake it often, and the one it wakes if that is only one.
    std::vector<std::uint32_t> fan_in(tasks_.size());
    std::vector<std::uint32_t> only_wakee(tasks_.size(), kNobody);
    for (Waker& w : graph_.wakers) {
        graph_.total.add(w.placed);
        if (w.task == kInterruptWaker) continue;
        for (const WakeEdge& e : w.edges) {
            if (e.wakeups < often(w)) continue;
            ++w.fan_out;
            ++fan_in[e.wakee];
            only_wakee[w.task] = e.wakee;
        }
        if (w.fan_out > 1) only_wakee[w.task] = kNobody;
    }
    for (Waker& w : graph_.wakers) {
        if (w.fan_out == 0) continue;
        const std::uint32_t wakee = only_wakee[w.task];
        if (wakee == kNobody)
            w.role = WakeRole::kOneToMany;
        else if (fan_in[wakee] > 1)
            w.role = WakeRole::kManyToOne;
        else
            w.role = only_wakee[wakee] == w.task ? WakeRole::kOneToOne : WakeRole::kPipeline;
    }
    return std::move(graph_);
}

}  // namespace wakelab::metrics
