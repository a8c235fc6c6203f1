#include "trace/formats/perf/perf_records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topo/cpu_mask.hpp"
#include "trace/formats/byte_order.hpp"
#include "trace/formats/perf/perf_record_names.hpp"

namespace wakelab::trace {

namespace {

constexpr std::uint64_t kMaxTracingData = std::uint64_t{64} << 20;
constexpr std::size_t kMaxPendingForks = 65536;

}  // namespace

PerfRecords::PerfRecords(Translator& translator, bool big_endian)
    : translator_(translator), quality_(translator.quality()), swap_(needs_swap(big_endian)),
      attrs_(big_endian) {}

std::uint32_t PerfRecords::u32(std::span<const std::byte> record, std::size_t at) const {
    return load_u32(record.data() + at, swap_);
}

std::uint64_t PerfRecords::u64(std::span<const std::byte> record, std::size_t at) const {
    return load_u64(record.data() + at, swap_);
}

bool PerfRecords::holds(std::span<const std::byte> record, std::size_t bytes) {
    if (record.size() >= bytes) return true;
    ++quality_.damaged;
    return false;
}

PerfSample PerfRecords::trailer(std::span<const std::byte> record, std::size_t fixed) const {
    const PerfAttr* const attr = attrs_.of_other(record);
    return attr != nullptr ? parse_perf_trailer(*attr, record, fixed, swap_) : PerfSample{};
}

void PerfRecords::take_feature(PerfFeature feature, std::span<const std::byte> bytes) {
    if (!take_perf_feature(feature, bytes, swap_, features_, quality_)) ++quality_.damaged;
}

void PerfRecords::take_formats(std::span<const std::byte> bytes) {
    if (decoder_) return;
    auto data = parse_perf_tracing_data(bytes);
    if (!data) {
        ++quality_.damaged;
        return;
    }
    quality_.damaged += data->damaged;
    quality_.truncated = quality_.truncated || data->truncated;
    formats_ = std::move(data->formats);
    decoder_.emplace(formats_, data->big_endian);
    prepared_ = false;
}

bool PerfRecords::records_tracepoint(std::string_view name) const {
    const auto format = std::ranges::find(formats_, name, &EventFormat::name);
    if (format == formats_.end()) return false;
    return std::ranges::any_of(attrs_.all(), [&](const PerfAttr& a) {
        return a.is_tracepoint() && a.config == format->id;
    });
}

// Once all that comes before the kernel's records is known.
void PerfRecords::prepare() {
    prepared_ = true;
    translator_.set_cpus(features_.cpus);
    translator_.set_caches(features_.cache_of);
    std::vector<PerfAttr>& attrs = attrs_.all();
    for (std::size_t i = 0; i < std::min(attrs.size(), features_.event_names.size()); ++i)
        attrs[i].name = features_.event_names[i];
    unused_samples_.resize(attrs.size());
    tracepoints_.any = std::ranges::any_of(attrs, &PerfAttr::is_tracepoint);
    tracepoints_.has_switch = records_tracepoint("sched_switch");
    tracepoints_.fork = records_tracepoint("sched_process_fork");
    tracepoints_.exec = records_tracepoint("sched_process_exec");
    tracepoints_.exit = records_tracepoint("sched_process_exit");
    if (attrs.empty()) return;
    quality_.clock = attrs.front().clock_id ? perf_clock_name(*attrs.front().clock_id) : "perf";
    if (features_.clock_resolution_ns > 0) quality_.resolution_ns = features_.clock_resolution_ns;
}

Status PerfRecords::read(PerfRecordStream& stream) {
    using Outcome = PerfRecordStream::Outcome;
    PerfRecord record;
    while (true) {
        const Outcome outcome = stream.next(record);
        if (outcome == Outcome::kReadError) return stream.error();
        if (outcome == Outcome::kTruncated) quality_.truncated = true;
        if (outcome == Outcome::kDamaged) {
            ++quality_.damaged;
            quality_.notes.emplace_back("A record has a size that cannot be; what follows it is not read.");
        }
        if (outcome != Outcome::kRecord) break;
        take(record, stream);
    }
    quality_.damaged += stream.damaged_compressed();
    return finish();
}

void PerfRecords::take(const PerfRecord& record, PerfRecordStream& stream) {
    using T = PerfRecordType;
    if (static_cast<std::uint32_t>(record.type) >= 64) return take_own(record, stream);
    if (!prepared_) prepare();
    switch (record.type) {
        case T::kSample: return on_sample(record.bytes);
        case T::kComm: return on_comm(record);
        case T::kFork: return on_fork(record.bytes);
        case T::kExit: return on_exit(record.bytes);
        case T::kLost: return on_lost(record.bytes, 16);
        case T::kLostSamples: return on_lost(record.bytes, 8);
        case T::kSwitch: return on_switch(record, false);
        case T::kSwitchCpuWide: return on_switch(record, true);
        default: ++unused_records_[std::min<std::size_t>(static_cast<std::size_t>(record.type), kTypes)];
    }
}

// Records that perf itself writes.
void PerfRecords::take_own(const PerfRecord& record, PerfRecordStream& stream) {
    using T = PerfRecordType;
    const std::span<const std::byte> bytes = record.bytes;
    switch (record.type) {
        case T::kFinishedRound: return end_round();
        case T::kHeaderAttr: return on_header_attr(bytes);
        case T::kThreadMap: return on_thread_map(bytes);
        case T::kHeaderFeature:
            if (holds(bytes, 16)) take_feature(static_cast<PerfFeature>(u64(bytes, 8)), bytes.subspan(16));
            return;
        case T::kHeaderTracingData: {
            std::vector<std::byte> data;
            if (!holds(bytes, 12)) return;
            if (!stream.take((std::uint64_t{u32(bytes, 8)} + 7) / 8 * 8, kMaxTracingData, data))
                quality_.truncated = true;
            return take_formats(data);
        }
        case T::kAuxtrace:
            if (holds(bytes, 16) && !stream.skip(u64(bytes, 8))) quality_.truncated = true;
            ++unused_records_[static_cast<std::size_t>(T::kAuxtrace)];
            return;
        case T::kHeaderEventType: case T::kHeaderBuildId: case T::kIdIndex: case T::kCpuMap:
        case T::kEventUpdate: case T::kTimeConv: case T::kFinishedInit:
            return;  // perf's bookkeeping, of no use here
        default: ++unused_records_[std::min<std::size_t>(static_cast<std::size_t>(record.type), kTypes)];
    }
}

void PerfRecords::on_header_attr(std::span<const std::byte> record) {
    // The attribute says its own size; ids follow to the end.
    if (!holds(record, 16)) return;
    const std::uint32_t size = u32(record, 12);
    if (!holds(record, std::size_t{8} + size)) return;
    if (!attrs_.add(record.subspan(8, size), record.subspan(8 + size))) ++quality_.damaged;
    prepared_ = false;
}

void PerfRecords::on_sample(std::span<const std::byte> record) {
    const PerfAttr* const attr = attrs_.of_sample(record);
    if (attr == nullptr) {
        ++unknown_ids_;
        return;
    }
    PerfSample s;
    if (!parse_perf_sample(*attr, record, swap_, s)) {
        ++quality_.damaged;
        return;
    }
    if (!attr->is_tracepoint() || !attr->has_raw()) {
        ++unused_samples_[static_cast<std::size_t>(attr - attrs_.all().data())];
        return;
    }
    if (!decoder_) {
        ++without_format_;
        return;
    }
    KernelEvent e;
    switch (decoder_->decode(s.raw, e)) {
        case EventDecoder::Outcome::kDecoded: break;
        case EventDecoder::Outcome::kDamaged: ++quality_.damaged; return;
        default: return count_unused(decoder_->id_of(s.raw));
    }
    if (s.ns < 0 || s.cpu < 0) {
        ++without_place_;
        return;
    }
    e.ns = s.ns;
    e.cpu = static_cast<std::uint32_t>(s.cpu);
    push(e);
}

void PerfRecords::count_unused(std::uint32_t event_id) {
    if (event_id >= unused_events_.size()) unused_events_.resize(event_id + 1);
    ++unused_events_[event_id];
}

void PerfRecords::push(const KernelEvent& event) {
    if (event.cpu < topo::kMaxCpus) cpus_seen_ = std::max(cpus_seen_, event.cpu + 1);
    buffer_.push(event.cpu, event, [this](const KernelEvent& e) { deliver(e); });
}

void PerfRecords::deliver(const KernelEvent& e) {
    if (e.type == KernelEventType::kOther && e.value != 0) {
        if (e.value == kMarkComm || !tracepoints_.fork) return describe(e.pid, e.other_pid, e.comm);
        // The tracepoint of the same fork comes next; before it, the pid may still mean another task.
        if (process_of_.size() < kMaxPendingForks) process_of_[e.pid] = e.other_pid;
        return;
    }
    ++events_;
    translator_.add(e);
    if (e.type != KernelEventType::kFork || process_of_.empty()) return;
    const auto process = process_of_.find(e.other_pid);
    if (process == process_of_.end()) return;
    describe(process->first, process->second, {});
    process_of_.erase(process);
}

void PerfRecords::describe(std::int32_t tid, std::int32_t tgid, const Comm& comm) {
    translator_.describe(comm.view(), {.pid = tid, .tgid = tgid, .allowed = {}});
}

// A buffer may hold events older than what another gave in the same round, but not older than what was
// given two rounds ago (tools/perf/util/session.c, process_finished_round).
void PerfRecords::end_round() {
    buffer_.flush(next_flush_ns_, [this](const KernelEvent& e) { deliver(e); });
    next_flush_ns_ = buffer_.max_ns();
}

void PerfRecords::state_losses() {
    for (std::size_t t = 0; t <= kTypes; ++t)
        if (unused_records_[t] != 0)
            quality_.skip(perf_record_name(static_cast<std::uint32_t>(t)), unused_records_[t]);
    for (std::size_t a = 0; a < unused_samples_.size(); ++a) {
        if (unused_samples_[a] == 0) continue;
        const PerfAttr& attr = attrs_.all()[a];
        quality_.skip(!attr.name.empty() ? attr.name
                                         : fmt::format("perf event {}:{}", attr.type, attr.config),
                      unused_samples_[a]);
    }
    for (std::uint32_t id = 0; id < unused_events_.size(); ++id)
        if (unused_events_[id] != 0 && decoder_) quality_.skip(decoder_->name_of(id), unused_events_[id]);
    if (unknown_ids_ != 0) quality_.skip("sample of an unknown event", unknown_ids_);
    if (without_format_ != 0) quality_.skip("tracepoint without format", without_format_);
    if (without_place_ != 0) quality_.skip("event without time or CPU", without_place_);
    if (lost_in_total_ > lost_with_time_) {
        const std::uint64_t unplaced = lost_in_total_ - lost_with_time_;
        quality_.lost_events += unplaced;
        quality_.notes.push_back(
            fmt::format("perf lost {} events at times that the file does not tell.", unplaced));
    }
    if (buffer_.forced() != 0)
        quality_.notes.push_back(
            fmt::format("More than {} events had to be held to put them in order; some may be out of order.",
                        ReorderBuffer::kDefaultCapacity));
}

Status PerfRecords::finish() {
    if (!prepared_) prepare();
    buffer_.flush_all([this](const KernelEvent& e) { deliver(e); });
    state_losses();
    if (events_ == 0 && tracepoints_.any && !decoder_)
        return Error{"has no event formats, which perf record writes when it ends; was it killed?"};
    if (events_ == 0 && !tracepoints_.any && !has_switches_)
        return Error{"holds no scheduler events; expected a recording of perf sched record, perf record -e "
                     "'sched:*' or perf record --switch-events"};
    if (has_switches_)
        quality_.notes.emplace_back("Context switches are those of perf record --switch-events: there are no "
                                    "wake-ups, and how a task sleeps is not told.");
    else if (!tracepoints_.has_switch)
        quality_.notes.emplace_back("sched_switch was not recorded: nobody is known to run.");
    return {};
}

}  // namespace wakelab::trace
