#include "trace/formats/wktrace/wktrace_fields.hpp"

#include <algorithm>
#include <string>

#include "topo/cpu_mask.hpp"
#include "trace/formats/wktrace/wktrace_chunk.hpp"
#include "trace/formats/wktrace/wktrace_file.hpp"

namespace wakelab::trace {

namespace {

// Each: name, size, value. A value is one number, one string or a list of either.
class FieldWriter {
 public:
    explicit FieldWriter(ByteWriter& out) : out_(out) {}
    ~FieldWriter() { out_.string(""); }  // the end

    void number(std::string_view name, std::int64_t v) {
        value_.signed_number(v);
        end(name);
    }
    void string(std::string_view name, std::string_view s) {
        value_.append(std::as_bytes(std::span(s)));
        end(name);
    }
    ByteWriter& value() { return value_; }
    void end(std::string_view name) {
        out_.string(name);
        out_.number(value_.size());
        out_.append(value_.bytes());
        value_.clear();
    }

 private:
    ByteWriter& out_;
    ByteWriter value_;
};

// The next field; false at the end or at damage.
bool next_field(ByteReader& in, std::string_view& name, ByteReader& value) {
    name = in.string();
    if (!in.good() || name.empty()) return false;
    value = ByteReader(in.take(in.number()));
    return in.good();
}

std::string_view rest(ByteReader value) {
    const auto bytes = value.take(value.left());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void write_info(const TraceInfo& info, ByteWriter& out) {
    FieldWriter w(out);
    w.number("cpus", info.cpus);
    w.number("start_ns", info.start_ns);
    w.number("end_ns", info.end_ns);
    w.string("unit", info.unit);
    for (const std::string& name : info.task_names) w.value().string(name);
    w.end("task_names");
    for (const topo::CpuMask& mask : info.allowed) write_mask(mask, w.value());
    w.end("allowed");
    const auto write_places = [&](std::string_view field, const std::vector<std::uint32_t>& places) {
        for (const std::uint32_t place : places) w.value().number(place);
        w.end(field);
    };
    write_places("cache_of", info.cache_of);
    write_places("core_of", info.core_of);
    write_places("node_of", info.node_of);
    w.number("recorded", info.recorded ? 1 : 0);
}

namespace {

// Null: no such field.
std::vector<std::uint32_t>* places_called(std::string_view field, TraceInfo& info) {
    if (field == "cache_of") return &info.cache_of;
    if (field == "core_of") return &info.core_of;
    return field == "node_of" ? &info.node_of : nullptr;
}

}  // namespace

bool read_info(ByteReader& in, TraceInfo& info) {
    std::string_view name;
    ByteReader value;
    while (next_field(in, name, value)) {
        if (name == "cpus") {
            const std::int64_t cpus = value.signed_number();
            if (cpus < 0 || cpus > topo::kMaxCpus) return false;
            info.cpus = static_cast<std::uint32_t>(cpus);
        } else if (name == "start_ns") {
            info.start_ns = value.signed_number();
        } else if (name == "end_ns") {
            info.end_ns = value.signed_number();
        } else if (name == "unit") {
            info.unit = rest(value);
        } else if (name == "task_names") {
            while (value.good() && value.left() > 0 && info.task_names.size() < kWktMaxTasks)
                info.task_names.emplace_back(value.string());
        } else if (name == "allowed") {
            while (value.good() && value.left() > 0 && info.allowed.size() < kWktMaxMasks)
                info.allowed.push_back(read_mask(value));
        } else if (std::vector<std::uint32_t>* places = places_called(name, info); places != nullptr) {
            while (value.good() && value.left() > 0 && places->size() < topo::kMaxCpus)
                places->push_back(static_cast<std::uint32_t>(value.number()));
        } else if (name == "recorded") {
            info.recorded = value.signed_number() != 0;
        }
        if (!value.good()) return false;
    }
    const auto sane = [](std::int64_t ns) { return ns > -kWktMaxNs && ns < kWktMaxNs; };
    return in.good() && sane(info.start_ns) && sane(info.end_ns) &&
           info.allowed.size() <= info.task_names.size();
}

void write_quality(const TraceQuality& q, ByteWriter& out) {
    FieldWriter w(out);
    w.string("format", q.format);
    w.string("clock", q.clock);
    w.string("kernel", q.kernel);
    w.string("hostname", q.hostname);
    w.string("architecture", q.architecture);
    w.number("resolution_ns", q.resolution_ns);
    for (const auto& [name, count] : q.skipped) {
        w.value().string(name);
        w.value().number(count);
    }
    w.end("skipped");
    w.number("damaged", static_cast<std::int64_t>(q.damaged));
    w.number("truncated", q.truncated ? 1 : 0);
    for (const std::string& note : q.notes) w.value().string(note);
    w.end("notes");
    for (std::size_t i = 0; i < q.events.size(); ++i) {
        w.value().string(to_string(static_cast<KernelEventType>(i)));
        w.value().number(q.events[i]);
    }
    w.end("events");
    w.number("lost_events", static_cast<std::int64_t>(q.lost_events));
    w.number("gaps", static_cast<std::int64_t>(q.gaps));
    w.number("out_of_order", static_cast<std::int64_t>(q.out_of_order));
    w.number("bad_cpu", static_cast<std::int64_t>(q.bad_cpu));
    w.number("inferred_migrations", static_cast<std::int64_t>(q.inferred_migrations));
    w.number("inferred_wakeups", static_cast<std::int64_t>(q.inferred_wakeups));
}

namespace {

void read_events(ByteReader& value, TraceQuality& q) {
    while (value.good() && value.left() > 0) {
        const std::string_view name = value.string();
        const std::uint64_t count = value.number();
        for (std::size_t i = 0; i < q.events.size(); ++i)
            if (to_string(static_cast<KernelEventType>(i)) == name) q.events[i] = count;
    }
}

std::string* text_field(std::string_view name, TraceQuality& q) {
    if (name == "format") return &q.format;
    if (name == "clock") return &q.clock;
    if (name == "kernel") return &q.kernel;
    if (name == "hostname") return &q.hostname;
    return name == "architecture" ? &q.architecture : nullptr;
}

std::uint64_t* count_field(std::string_view name, TraceQuality& q) {
    if (name == "damaged") return &q.damaged;
    if (name == "lost_events") return &q.lost_events;
    if (name == "gaps") return &q.gaps;
    if (name == "out_of_order") return &q.out_of_order;
    if (name == "bad_cpu") return &q.bad_cpu;
    if (name == "inferred_migrations") return &q.inferred_migrations;
    return name == "inferred_wakeups" ? &q.inferred_wakeups : nullptr;
}

}  // namespace

bool read_quality(ByteReader& in, TraceQuality& q) {
    std::string_view name;
    ByteReader value;
    while (next_field(in, name, value)) {
        if (std::string* text = text_field(name, q)) {
            *text = rest(value);
        } else if (std::uint64_t* count = count_field(name, q)) {
            *count = static_cast<std::uint64_t>(value.signed_number());
        } else if (name == "resolution_ns") {
            q.resolution_ns = std::clamp<std::int64_t>(value.signed_number(), 1, 1'000'000'000);
        } else if (name == "truncated") {
            q.truncated = value.signed_number() != 0;
        } else if (name == "skipped") {
            while (value.good() && value.left() > 0) {
                const std::string event(value.string());
                q.skip(event, value.number());
            }
        } else if (name == "notes") {
            while (value.good() && value.left() > 0 && q.notes.size() < kWktMaxNotes)
                q.notes.emplace_back(value.string());
        } else if (name == "events") {
            read_events(value, q);
        }
        if (!value.good()) return false;
    }
    return in.good();
}

}  // namespace wakelab::trace
