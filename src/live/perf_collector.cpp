#include "live/perf_collector.hpp"

#include <algorithm>

#include "live/perf_layout.hpp"
#include "live/unnamed_file.hpp"

namespace wakelab::live {

namespace {

std::vector<std::byte> record_at(const RingBytes& ring, std::uint64_t at, std::uint32_t size) {
    std::vector<std::byte> record;
    for (const std::span<const std::byte> part : ring.between(at, at + size))
        record.insert(record.end(), part.begin(), part.end());
    return record;
}

}  // namespace

bool append_records(const RingBytes& ring, std::uint64_t from, std::uint64_t to,
                    CpuRecords& records) {
    for (const std::span<const std::byte> part : ring.between(from, to))
        if (!write_whole(records.file, part.data(), part.size())) return false;
    records.bytes += to - from;
    return true;
}

bool append_overwritten(const RingBytes& ring, std::uint64_t head, std::int64_t keep_after_ns,
                        CpuRecords& records) {
    constexpr std::size_t kChunk = 1u << 20;
    const OverwrittenRecords found = list_overwritten(ring, head);
    std::vector<std::byte> chunk;
    const auto write_chunk = [&] {
        if (!write_whole(records.file, chunk.data(), chunk.size())) return false;
        records.bytes += chunk.size();
        chunk.clear();
        return true;
    };
    for (auto at = found.newest_first.rbegin(); at != found.newest_first.rend(); ++at) {
        const std::vector<std::byte> record = record_at(ring, at->first, at->second);
        const std::int64_t ns = view_perf_record(record).ns;
        if (found.forgot && records.forgot_before_ns < 0) records.forgot_before_ns = ns;
        if (ns < keep_after_ns) continue;
        chunk.insert(chunk.end(), record.begin(), record.end());
        if (chunk.size() >= kChunk && !write_chunk()) return false;
    }
    return write_chunk();
}

Result<std::unique_ptr<PerfCollector>> PerfCollector::create(PerfSession& session,
                                                             const std::string& folder) {
    std::unique_ptr<PerfCollector> collector(new PerfCollector(session));
    collector->folder_ = folder;
    collector->errors_.resize(session.cpus().size());
    for (const PerfSession::Cpu& cpu : session.cpus()) {
        Result<Fd> file = unnamed_file(folder);
        if (!file) return file.error();
        CpuRecords& records = collector->records_.emplace_back();
        records.cpu = cpu.number;
        records.file = std::move(*file);
    }
    return collector;
}

void PerfCollector::start() {
    std::vector<int> sources;
    for (const PerfSession::Cpu& cpu : session_.cpus()) sources.push_back(cpu.leader.get());
    threads_.start(sources, [this](std::size_t i) { return copy(i); });
}

bool PerfCollector::copy(std::size_t i) {
    PerfRing& ring = session_.cpus()[i].ring;
    const std::uint64_t head = ring.head();
    if (!append_records(ring.bytes(), ring.tail(), head, records_[i])) {
        errors_[i] = errno;
        threads_.fail();
        return false;
    }
    ring.free_up_to(head);
    return true;
}

bool PerfCollector::copy_overwritten(std::size_t i, std::int64_t keep_after_ns) {
    const PerfRing& ring = session_.cpus()[i].ring;
    if (append_overwritten(ring.bytes(), ring.head(), keep_after_ns, records_[i])) return true;
    errors_[i] = errno;
    return false;
}

Status PerfCollector::finish(std::optional<std::int64_t> keep_after_ns) {
    threads_.stop();
    for (std::size_t i = 0; i < records_.size(); ++i) {
        if (errors_[i] == 0) keep_after_ns ? copy_overwritten(i, *keep_after_ns) : copy(i);
        session_.cpus()[i].ring = PerfRing();  // its memory is needed for the next
        if (errors_[i] != 0) return cannot_hold(folder_, errors_[i]);
    }
    return {};
}

}  // namespace wakelab::live
