#include "trace/formats/perfetto/perfetto_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "trace/formats/perfetto/field_cursor.hpp"
#include "trace/formats/perfetto/inflate.hpp"
#include "trace/formats/perfetto/packet_stream.hpp"
#include "trace/formats/perfetto/perfetto_bundle.hpp"
#include "trace/formats/perfetto/perfetto_fields.hpp"
#include "trace/formats/perfetto/perfetto_window.hpp"
#include "trace/formats/task_state_bits.hpp"

namespace wakelab::trace {

using namespace perfetto;

namespace {

class PerfettoReader {
 public:
    PerfettoReader(Input& input, Translator& translator)
        : input_(input), translator_(translator), quality_(translator.quality()), window_(translator),
          bundles_(quality_, window_) {}

    Status run();

 private:
    // Fields of a packet, which may come in any order.
    struct Packet {
        std::string_view ftrace, tree, system, cpus, deflated, zstd, service;
        bool dropped = false;
        std::uint32_t machine = 0;
        std::uint32_t other = 0;  // field of the data, if it is none of these
    };

    Status read_packets(PacketStream& stream, bool compressed);
    Status on_packet(std::string_view packet, bool compressed);
    static bool split(std::string_view packet, Packet& p);
    Status on_compressed(std::string_view bytes, Compression how);
    void on_cpu_info(std::string_view info);
    void on_tree(std::string_view tree);
    void on_thread(std::string_view thread);
    void on_process(std::string_view process);
    void on_system(std::string_view system);
    void finish();

    Input& input_;
    Translator& translator_;
    TraceQuality& quality_;
    BundleWindow window_;
    BundleDecoder bundles_;
    std::uint64_t bundle_count_ = 0;
    bool ours_ = false;  // written by wakelab
    std::array<std::uint64_t, 1024> other_packets_{};  // by field of the data
};

Status PerfettoReader::run() {
    PacketStream stream([this](std::span<std::byte> out) { return input_.read(out); });
    if (Status s = read_packets(stream, false); !s) return s;
    if (bundle_count_ == 0)
        return Error{fmt::format("{}: a Perfetto trace without ftrace events; expected a recording with the "
                                 "data source linux.ftrace",
                                 input_.name())};
    finish();
    return {};
}

Status PerfettoReader::read_packets(PacketStream& stream, bool compressed) {
    for (;;) {
        switch (stream.next()) {
            case PacketStream::Next::kPacket:
                if (Status s = on_packet(stream.packet(), compressed); !s) return s;
                break;
            case PacketStream::Next::kTooLong: quality_.skip("packets longer than 16 MB"); break;
            case PacketStream::Next::kEnd: return {};
            case PacketStream::Next::kFailed: return stream.error();
            case PacketStream::Next::kTruncated: quality_.truncated = true; return {};
            case PacketStream::Next::kDamaged:
                ++quality_.damaged;
                quality_.notes.push_back(fmt::format(
                    "No packet begins at byte {}{}; what follows was not read.", stream.position(),
                    compressed ? " of a compressed packet" : ""));
                return {};
        }
    }
}

// False: damaged; has what comes before.
bool PerfettoReader::split(std::string_view packet, Packet& p) {
    FieldCursor r(packet);
    while (r.next()) {
        switch (r.key()) {
            case bytes_key(packet::kFtraceEvents): p.ftrace = r.bytes(); break;
            case bytes_key(packet::kProcessTree): p.tree = r.bytes(); break;
            case bytes_key(packet::kSystemInfo): p.system = r.bytes(); break;
            case bytes_key(packet::kCpuInfo): p.cpus = r.bytes(); break;
            case bytes_key(packet::kCompressedPackets): p.deflated = r.bytes(); break;
            case bytes_key(packet::kZstdCompressedPackets): p.zstd = r.bytes(); break;
            case bytes_key(packet::kServiceEvent): p.service = r.bytes(); break;
            case varint_key(packet::kPreviousPacketDropped): p.dropped = r.uint32() != 0; break;
            case varint_key(packet::kMachineId): p.machine = r.uint32(); break;
            default:
                if (r.is_bytes() && r.field() != packet::kInternedData) p.other = r.field();
        }
    }
    return !r.damaged();
}

Status PerfettoReader::on_packet(std::string_view packet, bool compressed) {
    // A packet has one kind of data; ours and some others begin with it.
    if (!packet.empty() && packet.front() == static_cast<char>(bytes_key(packet::kTrackEvent))) {
        ++other_packets_[packet::kTrackEvent];
        return {};
    }
    Packet p;
    if (!split(packet, p)) ++quality_.damaged;
    if (p.machine != 0) {
        quality_.skip("packets of other machines");
        return {};
    }
    if (!p.system.empty()) on_system(p.system);
    if (!p.cpus.empty()) on_cpu_info(p.cpus);
    if (!p.tree.empty()) on_tree(p.tree);
    // The service sets the flag on a sequence's first packet, too; there is nothing to lose then.
    if (p.dropped && !p.ftrace.empty()) bundles_.lose_all();
    if (!p.ftrace.empty()) {
        ++bundle_count_;
        bundles_.decode(p.ftrace);
    }
    if (ours_ && !p.service.empty() && FieldCursor(p.service).has(kAllDataSourcesFlushed)) window_.flush();
    if (p.other != 0 && p.other < other_packets_.size()) ++other_packets_[p.other];
    if (p.deflated.empty() && p.zstd.empty()) return {};
    if (compressed) {  // never nested
        ++quality_.damaged;
        return {};
    }
    return p.zstd.empty() ? on_compressed(p.deflated, Compression::kZlib)
                          : on_compressed(p.zstd, Compression::kZstd);
}

// The packet's own bytes are in the buffer of the outer stream, which stands still meanwhile.
Status PerfettoReader::on_compressed(std::string_view data, Compression how) {
    Inflater inflater(how, std::as_bytes(std::span(data.data(), data.size())));
    PacketStream stream([&](std::span<std::byte> out) -> Result<std::size_t> { return inflater.read(out); });
    const bool was_truncated = quality_.truncated;
    if (Status s = read_packets(stream, true); !s) return s;
    if (inflater.damaged()) ++quality_.damaged;
    quality_.truncated = was_truncated;  // the file goes on
    return {};
}

// --- names and numbers ---

void PerfettoReader::on_cpu_info(std::string_view info) {
    std::uint32_t cpus = 0;
    FieldCursor r(info);
    while (r.next())
        if (r.key() == bytes_key(kCpuInfoCpus)) ++cpus;
    translator_.set_cpus(cpus);
}

void PerfettoReader::on_tree(std::string_view tree) {
    FieldCursor r(tree);
    while (r.next()) {
        switch (r.key()) {
            case bytes_key(process_tree::kThreads): on_thread(r.bytes()); break;
            case bytes_key(process_tree::kProcesses): on_process(r.bytes()); break;
            default: break;
        }
    }
}

void PerfettoReader::on_thread(std::string_view thread) {
    TaskFacts facts;
    std::string_view name;
    FieldCursor r(thread);
    while (r.next()) {
        switch (r.key()) {
            case varint_key(process_tree::kThreadTid): facts.pid = r.int32(); break;
            case varint_key(process_tree::kThreadTgid): facts.tgid = r.int32(); break;
            case bytes_key(process_tree::kThreadName): name = r.bytes(); break;
            default: break;
        }
    }
    translator_.describe(name, facts);
}

// A command line is not the name of the main thread, unless the file says so; the events will tell that.
void PerfettoReader::on_process(std::string_view process) {
    TaskFacts facts;
    std::string_view command;
    bool is_comm = false;
    FieldCursor r(process);
    while (r.next()) {
        switch (r.key()) {
            case varint_key(process_tree::kProcessPid): facts.pid = r.int32(); break;
            case varint_key(process_tree::kProcessCmdlineIsComm): is_comm = r.number() != 0; break;
            case bytes_key(process_tree::kProcessCmdline):
                if (command.empty()) command = r.bytes();
                break;
            default: break;
        }
    }
    facts.tgid = facts.pid;
    translator_.describe(is_comm ? command : std::string_view{}, facts);
}

void PerfettoReader::on_system(std::string_view system) {
    FieldCursor r(system);
    while (r.next()) {
        switch (r.key()) {
            case varint_key(system_info::kNumCpus): translator_.set_cpus(r.uint32()); break;
            case bytes_key(system_info::kServiceVersion): ours_ |= r.bytes().starts_with(kOwnName); break;
            case bytes_key(system_info::kUtsname): {
                FieldCursor uts(r.bytes());
                while (uts.next()) {
                    switch (uts.key()) {
                        case bytes_key(system_info::kRelease): quality_.kernel = uts.bytes(); break;
                        case bytes_key(system_info::kMachine): quality_.architecture = uts.bytes(); break;
                        default: break;
                    }
                }
                bundles_.set_state_bits(state_bits_of(quality_.kernel));
                break;
            }
            default: break;
        }
    }
}

void PerfettoReader::finish() {
    window_.flush();
    bundles_.finish();
    window_.flush();
    for (std::uint32_t field = 0; field < other_packets_.size(); ++field) {
        // Data sources that have nothing to do with scheduling; what describes the trace itself is not
        // worth a word.
        switch (field) {
            case packet::kClockSnapshot:
            case packet::kTrackDescriptor:
            case 9: case 33: case 34: case 35: case 36: case 59: case 89:
                break;
            default:
                if (other_packets_[field] != 0)
                    quality_.skip(field == packet::kTrackEvent ? "track events"
                                                               : fmt::format("packets of kind {}", field),
                                  other_packets_[field]);
        }
    }
}

// The fields of a TracePacket that are numbers; all others are messages, texts or bytes.
bool is_number(std::uint32_t field) {
    constexpr std::array<std::uint32_t, 10> kNumbers = {3, 8, 10, 13, 41, 42, 58, 79, 87, 98};
    return std::find(kNumbers.begin(), kNumbers.end(), field) != kNumbers.end();
}

// Could these be the fields of a TracePacket? A packet of which only the beginning is there must be right as
// far as it goes.
bool is_packet(std::string_view packet, bool whole) {
    FieldCursor r(packet);
    int fields = 0;
    for (; r.next(); ++fields)
        if (r.field() > 2000 || r.is_varint() != is_number(r.field())) return false;
    if (whole) return !r.damaged();
    return fields > 0 || (r.is_bytes() && r.field() < 2000 && !is_number(r.field()));
}

}  // namespace

bool is_perfetto(std::span<const std::byte> head) {
    constexpr std::size_t kLook = 4096;
    std::array<char, kLook + kSlack> bytes{};
    const std::size_t size = std::min(head.size(), kLook);
    std::copy_n(reinterpret_cast<const char*>(head.data()), size, bytes.data());
    const char* at = bytes.data();
    const char* const end = at + size;
    for (int packets = 0; packets < 4 && at != end; ++packets) {
        std::uint64_t key = 0, length = 0;
        if (!take_varint(at, end, key) || key != bytes_key(kTracePacket)) return false;
        if (!take_varint(at, end, length)) return false;
        const auto there = static_cast<std::uint64_t>(end - at);
        const std::string_view packet{at, static_cast<std::size_t>(std::min(length, there))};
        if (!is_packet(packet, length <= there)) return false;
        if (length > there) return true;
        at += length;
    }
    return size > 2;
}

Status read_perfetto(Input& input, Translator& translator) {
    return PerfettoReader(input, translator).run();
}

}  // namespace wakelab::trace
