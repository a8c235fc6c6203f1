#include "trace/formats/wktrace/wktrace_chunk.hpp"

#include <algorithm>
#include <array>

#include "topo/cpu_mask.hpp"
#include "trace/formats/wktrace/wktrace_file.hpp"

namespace wakelab::trace {

namespace {

// A record's tag: its type, and what need not be said.
constexpr std::uint8_t kTypeBits = 0x1f;
constexpr std::uint8_t kSameCpu = 0x20;
constexpr std::uint8_t kSameFlags = 0x40;
constexpr std::uint8_t kSamePayload = 0x80;
static_assert(kEventTypeCount <= kTypeBits + 1);

// Task numbers: 0 as predicted, 1 nobody, else task + 2.
constexpr std::uint64_t kPredicted = 0, kNone = 1, kFirstTask = 2;

bool is_wakeup(EventType t) {
    return t == EventType::kWakeup || t == EventType::kWakeupEarly;
}

}  // namespace

// Who runs where, who was woken last: makes most task numbers one byte that hardly varies.
struct RecordModel {
    std::uint64_t ns = 0;
    std::uint16_t cpu = 0;
    std::uint32_t waker = kNobody, wakee = kNobody;
    std::array<std::uint32_t, topo::kMaxCpus> current, woken_on;
    std::array<std::uint32_t, 4096> partner;  // whom a task (modulo) woke last
    std::array<std::array<std::uint32_t, 2>, kTypeBits + 1> flags;
    std::array<std::array<std::int64_t, 16>, kTypeBits + 1> payload;

    RecordModel() { reset(); }
    void reset() {
        ns = 0;
        cpu = 0;
        waker = wakee = kNobody;
        current.fill(kNobody);
        woken_on.fill(kNobody);
        partner.fill(kNobody);
        for (auto& f : flags) f.fill(0);
        for (auto& p : payload) p.fill(0);
    }

    static std::size_t slot(std::uint16_t cpu) { return cpu % topo::kMaxCpus; }
    [[nodiscard]] std::uint32_t task_of(EventType type, std::uint16_t on) const {
        return is_wakeup(type) ? waker : current[slot(on)];
    }
    [[nodiscard]] std::uint32_t arg_of(EventType type, std::uint16_t on, std::uint32_t task) const {
        if (type == EventType::kSwitch) return woken_on[slot(on)];
        if (type == EventType::kWaking) return partner[task % partner.size()];
        return is_wakeup(type) ? wakee : kNobody;
    }
    std::uint32_t& flags_of(const TraceRecord& r) {
        return flags[static_cast<std::size_t>(r.type) & kTypeBits][r.task == kNobody ? 1 : 0];
    }
    std::int64_t& payload_of(const TraceRecord& r) {
        return payload[static_cast<std::size_t>(r.type) & kTypeBits][r.cpu % 16];
    }
    void learn(const TraceRecord& r) {
        ns = static_cast<std::uint64_t>(r.ns);
        cpu = r.cpu;
        if (r.type == EventType::kSwitch) {
            current[slot(r.cpu)] = r.arg;
            if (woken_on[slot(r.cpu)] == r.arg) woken_on[slot(r.cpu)] = kNobody;
        } else if (r.type == EventType::kWaking) {
            waker = r.task;
            wakee = r.arg;
            partner[r.task % partner.size()] = r.arg;
        } else if (r.type == EventType::kWakeup || r.type == EventType::kWakeupNew) {
            woken_on[slot(r.cpu)] = r.arg;
        }
    }
};

void write_mask(const topo::CpuMask& mask, ByteWriter& out) {
    std::array<std::uint64_t, topo::kMaxCpus / 64> words{};
    std::size_t used = 0;
    for (std::uint32_t c = 0; c < topo::kMaxCpus; ++c) {
        if (!mask.test(CpuId{c})) continue;
        words[c / 64] |= 1ull << (c % 64);
        used = c / 64 + 1;
    }
    out.number(used);
    for (std::size_t i = 0; i < used; ++i) out.number(words[i]);
}

topo::CpuMask read_mask(ByteReader& in) {
    topo::CpuMask mask;
    const std::uint64_t used = std::min<std::uint64_t>(in.number(), topo::kMaxCpus / 64);
    for (std::uint32_t i = 0; i < used; ++i) {
        const std::uint64_t word = in.number();
        for (std::uint32_t bit = 0; bit < 64; ++bit)
            if ((word >> bit & 1) != 0) mask.set(CpuId{i * 64 + bit});
    }
    return mask;
}

ChunkEncoder::ChunkEncoder() : model_(std::make_unique<RecordModel>()) {}
ChunkEncoder::~ChunkEncoder() = default;

void ChunkEncoder::add(const TraceRecord& r) {
    RecordModel& m = *model_;
    auto tag = static_cast<std::uint8_t>(r.type);
    if (r.cpu == m.cpu) tag |= kSameCpu;
    else cpus_.number(r.cpu);
    times_.number(static_cast<std::uint64_t>(r.ns) - m.ns);
    const auto id = [&](std::uint32_t task, std::uint32_t predicted) {
        ids_.number(task == predicted ? kPredicted : task == kNobody ? kNone : task + kFirstTask);
    };
    id(r.task, m.task_of(r.type, r.cpu));
    id(r.arg, m.arg_of(r.type, r.cpu, r.task));
    if (std::uint32_t& flags = m.flags_of(r); flags == r.flags) tag |= kSameFlags;
    else flags_.number(flags = r.flags);
    if (std::int64_t& payload = m.payload_of(r); payload == r.payload) tag |= kSamePayload;
    else payloads_.signed_number(payload = r.payload);
    tags_.u8(tag);
    m.learn(r);
    ++records_;
}

void ChunkEncoder::announce(const Announcement& a) {
    ++announcements_;
    announced_.u8(static_cast<std::uint8_t>(a.kind));
    announced_.number(records_);
    announced_.number(a.task);
    if (a.kind == Announcement::Kind::kTask || a.kind == Announcement::Kind::kRename)
        announced_.string(a.name);
    if (a.kind != Announcement::Kind::kFacts) return;
    announced_.signed_number(a.facts.pid);
    announced_.signed_number(a.facts.tgid);
    announced_.u8(a.facts.allowed ? 1 : 0);
    if (a.facts.allowed) write_mask(*a.facts.allowed, announced_);
}

void ChunkEncoder::finish(ByteWriter& out) {
    out.number(announcements_);
    for (ByteWriter* column : {&tags_, &cpus_, &times_, &ids_, &flags_, &payloads_, &announced_}) {
        out.number(column->size());
        out.append(column->bytes());
        column->clear();
    }
    records_ = announcements_ = 0;
    model_->reset();
}

ChunkDecoder::ChunkDecoder() : model_(std::make_unique<RecordModel>()) {}
ChunkDecoder::~ChunkDecoder() = default;

namespace {

bool decode_announcements(std::uint64_t count, ByteReader in, std::uint32_t records, DecodedChunk& out) {
    std::uint32_t at = 0;
    for (std::uint64_t i = 0; i < count && in.good(); ++i) {
        Announcement a;
        const std::uint8_t kind = in.u8();
        if (kind > static_cast<std::uint8_t>(Announcement::Kind::kFacts)) return false;
        a.kind = static_cast<Announcement::Kind>(kind);
        const std::uint64_t before = in.number(), task = in.number();
        if (before < at || before > records || task >= kNobody) return false;
        a.at = at = static_cast<std::uint32_t>(before);
        a.task = static_cast<std::uint32_t>(task);
        if (a.kind == Announcement::Kind::kTask || a.kind == Announcement::Kind::kRename)
            a.name = in.string();
        if (a.kind == Announcement::Kind::kFacts) {
            a.facts.pid = static_cast<std::int32_t>(in.signed_number());
            a.facts.tgid = static_cast<std::int32_t>(in.signed_number());
            if (in.u8() != 0) a.facts.allowed = read_mask(in);
        }
        out.announcements.push_back(std::move(a));
    }
    return in.good() && in.left() == 0;
}

}  // namespace

bool ChunkDecoder::decode(std::span<const std::byte> bytes, std::uint32_t records, DecodedChunk& out) {
    out.records.clear();
    out.announcements.clear();
    ByteReader in(bytes);
    const std::uint64_t announcements = in.number();
    const auto column = [&in] { return ByteReader(in.take(in.number())); };
    ByteReader tags = column(), cpus = column(), times = column(), ids = column(), flags = column(),
               payloads = column(), announced = column();
    if (!in.good() || tags.left() != records || announcements > kWktMaxAnnouncements) return false;
    RecordModel& m = *model_;
    m.reset();
    out.records.resize(records);
    for (TraceRecord& r : out.records) {
        const std::uint8_t tag = tags.u8();
        r.type = static_cast<EventType>(tag & kTypeBits);
        r.cpu = (tag & kSameCpu) != 0 ? m.cpu : static_cast<std::uint16_t>(cpus.number());
        r.ns = static_cast<std::int64_t>(m.ns + times.number());
        const auto id = [&](std::uint32_t predicted) {
            const std::uint64_t code = ids.number();
            if (code == kPredicted) return predicted;
            return code == kNone ? kNobody : static_cast<std::uint32_t>(code - kFirstTask);
        };
        r.task = id(m.task_of(r.type, r.cpu));
        r.arg = id(m.arg_of(r.type, r.cpu, r.task));
        std::uint32_t& f = m.flags_of(r);
        if ((tag & kSameFlags) == 0) f = static_cast<std::uint32_t>(flags.number());
        r.flags = f;
        std::int64_t& p = m.payload_of(r);
        if ((tag & kSamePayload) == 0) p = payloads.signed_number();
        r.payload = p;
        m.learn(r);
    }
    const bool good = cpus.good() && times.good() && ids.good() && flags.good() && payloads.good();
    return good && decode_announcements(announcements, announced, records, out);
}

}  // namespace wakelab::trace
