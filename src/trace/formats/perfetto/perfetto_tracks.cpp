#include "trace/formats/perfetto/perfetto_tracks.hpp"

#include <fmt/format.h>

#include <protozero/pbf_writer.hpp>

#include "base/place_rule.hpp"
#include "trace/formats/perfetto/perfetto_fields.hpp"

namespace wakelab::trace::perfetto {

namespace {

using protozero::pbf_writer;

// Track numbers; those of tasks follow from the task's number.
constexpr std::uint64_t kIdleTrack = 1;
constexpr std::uint64_t kQueuesTrack = 2;
constexpr std::uint64_t kFirstCpuTrack = 0x100;
constexpr std::uint64_t kFirstTaskTrack = 0x100000;

enum Annotation : std::uint32_t { kPlacedBy = 1, kWakee, kFromCpu, kToCpu, kSyncHint, kCount };

std::uint32_t prev_cpu_of(const TraceRecord& wakeup) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(wakeup.payload) >> 32);
}

bool is_runnable(PrevState s) { return !is_blocked(s) && s != PrevState::kDead; }

void intern(pbf_writer& data, std::uint32_t table, std::uint64_t id, std::string_view name) {
    pbf_writer entry{data, table};
    entry.add_uint64(interned::kIid, id);
    entry.add_string(interned::kName, name.data(), name.size());
}

void annotate(pbf_writer& event, Annotation name, std::uint32_t value_field, std::int64_t value) {
    pbf_writer a{event, track_event::kDebugAnnotations};
    a.add_uint64(annotation::kNameIid, name);
    a.add_int64(value_field, value);
}

}  // namespace

void Tracks::begin(const std::string& unit, bool cpus_idle) {
    cpus_idle_ = cpus_idle;
    pbf_writer trace{out_};
    {
        pbf_writer p{trace, kTracePacket};
        p.add_uint32(packet::kSequenceId, kSequence);
        p.add_uint32(packet::kSequenceFlags, kIncrementalStateCleared);
        pbf_writer data{p, packet::kInternedData};
        intern(data, interned::kEventNames, kWakes, "wakes");
        intern(data, interned::kEventNames, kWoken, "is woken by an interrupt");
        intern(data, interned::kEventNames, kRuns, "runs");
        intern(data, interned::kEventNames, kWork, unit.empty() ? "work done" : unit);
        intern(data, interned::kEventNames, kSpuriousName, "woke up for nothing");
        intern(data, interned::kAnnotationNames, kPlacedBy, "placed by");
        intern(data, interned::kAnnotationNames, kWakee, "wakee");
        intern(data, interned::kAnnotationNames, kFromCpu, "from CPU");
        intern(data, interned::kAnnotationNames, kToCpu, "to CPU");
        intern(data, interned::kAnnotationNames, kSyncHint, "sync hint");
        intern(data, interned::kAnnotationNames, kCount, "count");
        for (int rule = 0; rule < kPlaceRuleCount; ++rule)
            intern(data, interned::kAnnotationStrings, static_cast<std::uint64_t>(rule) + 1,
                   to_string(static_cast<PlaceRule>(rule)));
    }
    {
        pbf_writer p{trace, kTracePacket};
        p.add_uint32(packet::kSequenceId, kSequence);
        pbf_writer t{p, packet::kTrackDescriptor};
        t.add_uint64(track::kUuid, kIdleTrack);
        t.add_string(track::kName, "idle CPUs");
        pbf_writer counter{t, track::kCounter};
        counter.add_string(track::kCounterUnitName, "CPUs");
    }
    pbf_writer p{trace, kTracePacket};
    p.add_uint32(packet::kSequenceId, kSequence);
    pbf_writer t{p, packet::kTrackDescriptor};
    t.add_uint64(track::kUuid, kQueuesTrack);
    t.add_string(track::kName, "runnable, waiting");
    t.add_int32(track::kChildOrdering, track::kOrderingExplicit);
}

void Tracks::set_cpus(std::uint32_t cpus) {
    while (cpus_.size() < cpus) {
        describe_cpu(static_cast<std::uint32_t>(cpus_.size()));
        cpus_.push_back({.current = kNobody, .known = cpus_idle_});
        idle_ += cpus_idle_ ? 1 : 0;
    }
}

// The counters of all CPUs share one scale: lengths compare at a glance.
void Tracks::describe_cpu(std::uint32_t cpu) {
    pbf_writer trace{out_};
    pbf_writer p{trace, kTracePacket};
    p.add_uint32(packet::kSequenceId, kSequence);
    pbf_writer t{p, packet::kTrackDescriptor};
    t.add_uint64(track::kUuid, kFirstCpuTrack + cpu);
    t.add_uint64(track::kParentUuid, kQueuesTrack);
    t.add_string(track::kName, fmt::format("CPU {} runnable, waiting", cpu));
    t.add_int32(track::kSiblingOrderRank, static_cast<std::int32_t>(cpu));
    pbf_writer counter{t, track::kCounter};
    counter.add_string(track::kCounterUnitName, "tasks");
    counter.add_string(track::kCounterShareKey, "queues");
}

void Tracks::observe(const TraceRecord& r) {
    if (r.ns != now_) {
        if (now_ != INT64_MIN) write_counters();
        now_ = r.ns;
    }
    switch (r.type) {
        case EventType::kSwitch: return on_switch(r);
        case EventType::kWakeup:
        case EventType::kWakeupNew:
            if (r.type == EventType::kWakeup) wakeup_event(r);
            return on_queued(r.arg, r.cpu);
        case EventType::kMigrate:
            if (tasks_[r.arg].waiting) {
                change_waiting(tasks_[r.arg].cpu, -1);
                change_waiting(r.cpu, 1);
            }
            tasks_[r.arg].cpu = r.cpu;
            return;
        case EventType::kWorkUnit: return r.task == kNobody ? void() : instant(r, r.task, kWork);
        case EventType::kSpurious:
            return r.task == kNobody ? void() : instant(r, r.task, kSpuriousName);
        case EventType::kLost: return on_lost(r.cpu);
        default: return;
    }
}

void Tracks::on_queued(std::uint32_t task, std::uint32_t cpu) {
    WriterTask& t = tasks_[task];
    if (t.running || t.waiting) return;
    t.waiting = true;
    t.cpu = cpu;
    change_waiting(cpu, 1);
}

void Tracks::on_switch(const TraceRecord& r) {
    if (r.arg != kNobody) {
        WriterTask& in = tasks_[r.arg];
        if (in.waiting) change_waiting(in.cpu, -1);
        in.waiting = false;
        in.running = true;
        in.cpu = r.cpu;
        if (in.flow != 0) instant(r, r.arg, kRuns);
        in.flow = 0;
    }
    if (r.task != kNobody) {
        WriterTask& out = tasks_[r.task];
        out.running = false;
        out.cpu = r.cpu;
        if (out.waiting) change_waiting(out.cpu, -1);
        out.waiting = is_runnable(static_cast<PrevState>(r.flags));
        if (out.waiting) change_waiting(r.cpu, 1);
    }
    set_current(r.cpu, r.arg);
}

void Tracks::set_current(std::uint32_t cpu, std::uint32_t task) {
    Cpu& c = cpus_[cpu];
    if (c.known && c.current == kNobody) --idle_;
    c.known = true;
    c.current = task;
    if (task == kNobody) ++idle_;
}

// Who runs and waits on that CPU is unknown from here on.
void Tracks::on_lost(std::uint32_t cpu) {
    for (WriterTask& t : tasks_) {
        if (t.cpu != cpu) continue;
        t.waiting = t.running = false;
        t.flow = 0;
    }
    Cpu& c = cpus_[cpu];
    change_waiting(cpu, -c.waiting);
    if (c.known && c.current == kNobody) --idle_;
    c.known = false;
    c.current = kNobody;
}

void Tracks::change_waiting(std::uint32_t cpu, std::int32_t by) {
    Cpu& c = cpus_[cpu];
    c.waiting += by;
    if (c.dirty) return;
    c.dirty = true;
    dirty_.push_back(cpu);
}

// One value per instant: what goes up and down again within it was never there.
void Tracks::write_counters() {
    for (const std::uint32_t cpu : dirty_) {
        Cpu& c = cpus_[cpu];
        c.dirty = false;
        if (c.waiting == c.written) continue;
        c.written = c.waiting;
        write_counter(kFirstCpuTrack + cpu, c.waiting);
    }
    dirty_.clear();
    if (idle_ == idle_written_) return;
    idle_written_ = idle_;
    write_counter(kIdleTrack, idle_);
}

void Tracks::write_counter(std::uint64_t uuid, std::int64_t value) {
    pbf_writer trace{out_};
    pbf_writer p{trace, kTracePacket};
    {  // first, so that a reader sees soon that it does not want this packet
        pbf_writer e{p, packet::kTrackEvent};
        e.add_int32(track_event::kType, track_event::kCounter);
        e.add_uint64(track_event::kTrackUuid, uuid);
        e.add_int64(track_event::kCounterValue, value);
    }
    p.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(now_));
    p.add_uint32(packet::kSequenceId, kSequence);
}

// The UI draws an arrow from waker to wakee by itself, from sched_waking and sched_switch, but cannot know
// the rule: the event carries it, and its flow leads to where the wakee gets to run.
void Tracks::wakeup_event(const TraceRecord& r) {
    const auto rule = static_cast<PlaceRule>(static_cast<std::uint32_t>(r.payload));
    if (rule == PlaceRule::kNotRecorded || static_cast<int>(rule) >= kPlaceRuleCount) return;
    tasks_[r.arg].flow = ++flows_;
    instant(r, r.task == kNobody ? r.arg : r.task, r.task == kNobody ? kWoken : kWakes);
}

void Tracks::instant(const TraceRecord& r, std::uint32_t task, Name name) {
    const std::uint64_t uuid = track_of(task);
    pbf_writer trace{out_};
    pbf_writer p{trace, kTracePacket};
    {
        pbf_writer e{p, packet::kTrackEvent};
        e.add_int32(track_event::kType, track_event::kInstant);
        e.add_uint64(track_event::kNameIid, name);
        e.add_uint64(track_event::kTrackUuid, uuid);
        if (name == kWakes || name == kWoken) annotate_wakeup(e, r);
        if (name == kRuns) e.add_fixed64(track_event::kTerminatingFlowIds, tasks_[r.arg].flow);
        if (name == kWork) annotate(e, kCount, annotation::kInt, r.payload);
    }
    p.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(r.ns));
    p.add_uint32(packet::kSequenceId, kSequence);
    p.add_uint32(packet::kSequenceFlags, kNeedsIncrementalState);
}

void Tracks::annotate_wakeup(pbf_writer& e, const TraceRecord& r) const {
    annotate(e, kPlacedBy, annotation::kStringIid, static_cast<std::uint32_t>(r.payload) + 1);
    if (r.task != kNobody) {
        pbf_writer a{e, track_event::kDebugAnnotations};
        a.add_uint64(annotation::kNameIid, kWakee);
        a.add_string(annotation::kString, tasks_[r.arg].name);
    }
    if (prev_cpu_of(r) != kNobody) annotate(e, kFromCpu, annotation::kInt, prev_cpu_of(r));
    annotate(e, kToCpu, annotation::kInt, r.cpu);
    if ((r.flags & kWakeSync) != 0) annotate(e, kSyncHint, annotation::kBool, 1);
    e.add_fixed64(track_event::kFlowIds, tasks_[r.arg].flow);
}

std::uint64_t Tracks::track_of(std::uint32_t number) {
    const std::uint64_t uuid = kFirstTaskTrack + number;
    WriterTask& task = tasks_[number];
    if (task.has_track) return uuid;
    task.has_track = true;
    pbf_writer trace{out_};
    pbf_writer p{trace, kTracePacket};
    p.add_uint32(packet::kSequenceId, kSequence);
    pbf_writer t{p, packet::kTrackDescriptor};
    t.add_uint64(track::kUuid, uuid);
    pbf_writer thread{t, track::kThread};
    thread.add_int32(track::kThreadPid, task.tgid);
    thread.add_int64(track::kThreadTid, task.pid);
    thread.add_string(track::kThreadName, task.name);
    return uuid;
}

}  // namespace wakelab::trace::perfetto
