#include "trace/formats/wktrace/wktrace.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "base/place_rule.hpp"
#include "topo/cpu_mask.hpp"
#include "trace/formats/wktrace/wktrace_chunk.hpp"
#include "trace/formats/wktrace/wktrace_fields.hpp"
#include "trace/formats/wktrace/wktrace_file.hpp"

namespace wakelab::trace {

namespace {

struct ContextDeleter {
    void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
};

class WktReader {
 public:
    WktReader(Input& input, TraceSink& sink, TraceQuality& quality, const Window& window)
        : input_(input), sink_(sink), quality_(quality), window_(window),
          context_(ZSTD_createDCtx()) {}

    Status run();

 private:
    enum class Next : std::uint8_t { kChunk, kCut, kDamaged, kUnreadable };

    Next next_chunk();
    bool begin();
    bool records();
    bool end();
    void tell(const Announcement& a);
    void pass_on(std::span<TraceRecord> records);
    bool sane(TraceRecord& r);
    void finish_truncated(bool damaged);

    Input& input_;
    TraceSink& sink_;
    TraceQuality& quality_;
    Window window_;
    std::unique_ptr<ZSTD_DCtx, ContextDeleter> context_;
    Status status_;
    WktKind kind_{};
    std::uint32_t chunk_records_ = 0;
    std::vector<std::byte> stored_, raw_;
    ChunkDecoder decoder_;
    DecodedChunk chunk_;
    std::uint32_t cpus_ = 0, tasks_ = 0;
    std::int64_t last_ns_ = INT64_MIN;
    std::int64_t end_ns_ = 0;
    std::uint64_t in_file_ = 0;   // records, the bad ones included
    std::uint64_t disorder_ = 0;
    std::uint64_t insane_ = 0;
    std::array<std::uint64_t, 32> by_type_{};  // five bits in the file
};

WktReader::Next WktReader::next_chunk() {
    std::array<std::byte, kWktChunkHeader> header;
    const auto n = input_.read(header);
    if (!n) {
        status_ = n.error();
        return Next::kUnreadable;
    }
    if (*n < header.size()) return Next::kCut;
    ByteReader in(header);
    kind_ = static_cast<WktKind>(in.u32());
    const std::uint32_t stored = in.u32(), raw = in.u32();
    chunk_records_ = in.u32();
    const bool is_records = kind_ == WktKind::kRecords;
    if (in.u32() != wkt_header_sum(std::span(header).first(16)) ||
        raw > (is_records ? kWktMaxRawRecords : kWktMaxRaw) || stored > ZSTD_compressBound(raw) ||
        (is_records && chunk_records_ > ChunkEncoder::kMaxRecords))
        return Next::kDamaged;
    stored_.resize(stored);
    const auto got = input_.read(stored_);
    if (!got) {
        status_ = got.error();
        return Next::kUnreadable;
    }
    if (*got < stored) return Next::kCut;
    // Asked first: the frame's own word must agree before that much memory is used.
    if (ZSTD_getFrameContentSize(stored_.data(), stored) != raw) return Next::kDamaged;
    raw_.resize(raw);
    const std::size_t size = ZSTD_decompressDCtx(context_.get(), raw_.data(), raw, stored_.data(), stored);
    return ZSTD_isError(size) != 0 || size != raw ? Next::kDamaged : Next::kChunk;
}

bool WktReader::begin() {
    TraceInfo info;
    TraceQuality q;
    ByteReader in(raw_);
    if (!read_info(in, info) || !read_quality(in, q)) return false;
    quality_ = std::move(q);
    cpus_ = info.cpus;
    tasks_ = static_cast<std::uint32_t>(info.task_names.size());
    const std::int64_t start = info.start_ns;
    const auto after = [&](std::int64_t ns) { return start + std::clamp(ns, std::int64_t{0}, kWktMaxNs); };
    info.start_ns = after(window_.from_ns);
    if (window_.to_ns) {
        const std::int64_t to = after(*window_.to_ns);
        info.end_ns = info.end_ns > 0 ? std::min(info.end_ns, to) : to;
    }
    end_ns_ = info.start_ns;
    sink_.begin(info);
    return true;
}

void WktReader::tell(const Announcement& a) {
    using Kind = Announcement::Kind;
    if (a.kind == Kind::kCpus) {
        if (a.task <= cpus_ || a.task > topo::kMaxCpus) return;
        cpus_ = a.task;
        return sink_.add_cpus(cpus_);
    }
    // Numbers are dense: a sink keeps tables by task.
    if (a.kind == Kind::kTask ? a.task > tasks_ || a.task >= kWktMaxTasks : a.task >= tasks_) {
        ++insane_;
        return;
    }
    if (a.kind == Kind::kTask) {
        tasks_ = std::max(tasks_, a.task + 1);
        sink_.add_task(a.task, a.name);
    } else if (a.kind == Kind::kRename) {
        sink_.rename_task(a.task, a.name);
    } else {
        sink_.describe_task(a.task, a.facts);
    }
}

bool WktReader::sane(TraceRecord& r) {
    if (static_cast<std::size_t>(r.type) >= kEventTypeCount) {  // of a later wakelab
        ++by_type_[static_cast<std::size_t>(r.type)];
        return false;
    }
    const auto is_task = [&](std::uint32_t t) { return t < tasks_ || t == kNobody; };
    const auto is_cpu = [&](std::int64_t c) { return c >= 0 && c < static_cast<std::int64_t>(cpus_); };
    bool good = is_cpu(r.cpu) && is_task(r.task) && is_task(r.arg) && r.ns > -kWktMaxNs && r.ns < kWktMaxNs;
    switch (r.type) {
        case EventType::kSwitch:
            good &= r.flags <= static_cast<std::uint32_t>(PrevState::kStopped);
            break;
        case EventType::kWakeup:
        case EventType::kWakeupEarly:
            good &= is_cpu(r.payload >> 32) || r.payload >> 32 == -1;  // -1: kNobody, no CPU yet
            good &= (r.payload & 0xffffffff) < kPlaceRuleCount && r.arg != kNobody;
            break;
        case EventType::kMigrate:
            good &= is_cpu(r.payload);
            [[fallthrough]];
        case EventType::kWaking:
        case EventType::kWakeupNew:
        case EventType::kFork:
        case EventType::kBlockedReason:
            good &= r.arg != kNobody;
            break;
        case EventType::kExit:
        case EventType::kIpi:
            good &= r.type != EventType::kIpi || r.payload == -1 || is_cpu(r.payload);
            break;
        default:
            break;
    }
    if (!good) {
        ++insane_;
        return false;
    }
    if (r.ns < last_ns_) {
        ++disorder_;
        r.ns = last_ns_;
    }
    last_ns_ = r.ns;
    ++by_type_[static_cast<std::size_t>(r.type)];
    return true;
}

void WktReader::pass_on(std::span<TraceRecord> records) {
    std::size_t kept = 0;
    for (TraceRecord& r : records)
        if (sane(r)) records[kept++] = r;
    if (kept > 0) sink_.consume(records.first(kept));
}

bool WktReader::records() {
    if (!decoder_.decode(raw_, chunk_records_, chunk_)) return false;
    in_file_ += chunk_records_;
    const std::span<TraceRecord> all(chunk_.records);
    std::size_t done = 0;
    for (const Announcement& a : chunk_.announcements) {
        pass_on(all.subspan(done, a.at - done));
        done = a.at;
        tell(a);
    }
    pass_on(all.subspan(done));
    return true;
}

bool WktReader::end() {
    ByteReader in(raw_);
    const std::uint64_t count = in.number();
    const std::int64_t end_ns = in.signed_number();
    TraceQuality q;
    if (!in.good() || !read_quality(in, q) || end_ns <= -kWktMaxNs || end_ns >= kWktMaxNs) return false;
    quality_ = std::move(q);
    quality_.damaged += insane_ + (count == in_file_ ? 0 : 1);
    quality_.out_of_order += disorder_;
    end_ns_ = std::max(end_ns, last_ns_);
    return true;
}

// No END: what it would tell of the events is counted from the records.
void WktReader::finish_truncated(bool damaged) {
    static constexpr std::array<std::pair<EventType, KernelEventType>, 19> kCounted = {{
        {EventType::kSwitch, KernelEventType::kSwitch},
        {EventType::kWaking, KernelEventType::kWaking},
        {EventType::kWakeup, KernelEventType::kWakeup},
        {EventType::kWakeupEarly, KernelEventType::kWakeup},
        {EventType::kWakeupNew, KernelEventType::kWakeupNew},
        {EventType::kMigrate, KernelEventType::kMigrate},
        {EventType::kFork, KernelEventType::kFork},
        {EventType::kExec, KernelEventType::kExec},
        {EventType::kExit, KernelEventType::kExit},
        {EventType::kBlockedReason, KernelEventType::kBlockedReason},
        {EventType::kIrqEntry, KernelEventType::kIrqEntry},
        {EventType::kIrqExit, KernelEventType::kIrqExit},
        {EventType::kSoftirqEntry, KernelEventType::kSoftirqEntry},
        {EventType::kSoftirqExit, KernelEventType::kSoftirqExit},
        {EventType::kIpi, KernelEventType::kIpi},
        {EventType::kCpuIdle, KernelEventType::kCpuIdle},
        {EventType::kFrequency, KernelEventType::kFrequency},
        {EventType::kSyscallEnter, KernelEventType::kSyscallEnter},
        {EventType::kSyscallExit, KernelEventType::kSyscallExit},
    }};
    for (const auto& [from, to] : kCounted)
        quality_.events[static_cast<std::size_t>(to)] += by_type_[static_cast<std::size_t>(from)];
    quality_.gaps = by_type_[static_cast<std::size_t>(EventType::kLost)];
    quality_.truncated = true;
    quality_.damaged += insane_ + (damaged ? 1 : 0);
    quality_.out_of_order = disorder_;
    quality_.notes.push_back(fmt::format("the file {} after {} records",
                                         damaged ? "is damaged" : "ends early", in_file_));
    end_ns_ = std::max(end_ns_, last_ns_);
}

Status WktReader::run() {
    std::array<std::byte, 16> start;
    const auto n = input_.read(start);
    if (!n) return n.error();
    ByteReader in{std::span<const std::byte>(start).subspan(kWktMagic.size())};
    if (*n < start.size()) return Error{input_.name() + ": ends within the first 16 bytes of a wktrace"};
    if (const std::uint32_t version = in.u32(); version != kWktVersion)
        return Error{fmt::format("{}: wktrace version {}; expected {}", input_.name(), version, kWktVersion)};
    Next next = next_chunk();
    if (next == Next::kUnreadable) return status_;
    if (next != Next::kChunk || kind_ != WktKind::kInfo || !begin())
        return Error{input_.name() + ": the first chunk of this wktrace is damaged or not whole"};
    bool good = true, ended = false;
    while (!ended && good && (next = next_chunk()) == Next::kChunk) {
        if (kind_ == WktKind::kRecords) good = records();
        else if (kind_ == WktKind::kEnd) good = ended = end();
    }
    if (next == Next::kUnreadable) return status_;
    if (!ended) finish_truncated(!good || next == Next::kDamaged);
    for (std::size_t type = kEventTypeCount; type < by_type_.size(); ++type)
        if (by_type_[type] > 0) quality_.skip(fmt::format("record type {}", type), by_type_[type]);
    quality_.format = "wktrace" + (quality_.format.empty() ? "" : " of " + quality_.format);
    sink_.finish(end_ns_);
    return {};
}

}  // namespace

bool is_wktrace(std::span<const std::byte> head) {
    return std::string_view(reinterpret_cast<const char*>(head.data()), head.size()).starts_with(kWktMagic);
}

Status read_wktrace(Input& input, TraceSink& sink, TraceQuality& quality, const Window& window) {
    return WktReader(input, sink, quality, window).run();
}

}  // namespace wakelab::trace
