#include "live/perf_layout.hpp"

#include <cstring>

#include "trace/formats/byte_builder.hpp"
#include "trace/formats/byte_order.hpp"

namespace wakelab::live {

namespace {

constexpr std::size_t kHeader = sizeof(perf_event_header);

// With `body` behind the header and a trailer.
std::string record_of(std::uint32_t type, std::string body, const PerfLoss& at) {
    body.resize((body.size() + 7) / 8 * 8);
    trace::ByteBuilder out;
    out.number(type);
    out.number(std::uint16_t{0});
    out.number(static_cast<std::uint16_t>(kHeader + body.size() + kPerfTrailer));
    out.raw(body);
    out.number(std::uint64_t{0});  // task: none
    out.number(at.ns);
    out.number(std::uint64_t{at.cpu});
    out.number(at.event_id);
    return out.take();
}

}  // namespace

std::uint64_t PerfRecordView::lost() const {
    return type == PERF_RECORD_LOST && bytes.size() >= kHeader + 16
               ? trace::load_u64(bytes.data() + kHeader + 8, false)
               : 0;
}

std::size_t perf_record_size(std::span<const std::byte> bytes) {
    if (bytes.size() < kHeader) return 0;
    perf_event_header header{};
    std::memcpy(&header, bytes.data(), kHeader);
    return header.size < kHeader ? 0 : header.size;
}

PerfRecordView view_perf_record(std::span<const std::byte> bytes) {
    perf_event_header header{};
    std::memcpy(&header, bytes.data(), kHeader);
    PerfRecordView view{.type = header.type, .misc = header.misc, .ns = 0, .bytes = bytes};
    if (bytes.size() < kHeader + kPerfTrailer) return view;
    const std::size_t time_at =
        header.type == PERF_RECORD_SAMPLE ? kHeader + 16 : bytes.size() - kPerfTrailer + 8;
    view.ns = static_cast<std::int64_t>(trace::load_u64(bytes.data() + time_at, false));
    return view;
}

std::string perf_comm_record(const trace::RecordedTask& task) {
    trace::ByteBuilder body;
    body.number(task.tgid);
    body.number(task.pid);
    body.terminated(task.name.substr(0, 15));
    return record_of(PERF_RECORD_COMM, body.take(), {});  // time 0: before the recording
}

std::string perf_lost_record(const PerfLoss& loss) {
    trace::ByteBuilder body;
    body.number(loss.event_id);
    body.number(loss.count);
    return record_of(PERF_RECORD_LOST, body.take(), loss);
}

}  // namespace wakelab::live
