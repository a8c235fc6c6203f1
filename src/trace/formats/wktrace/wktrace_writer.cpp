#include "trace/formats/wktrace/wktrace_writer.hpp"

#include <zstd.h>

#include <algorithm>
#include <vector>

#include "trace/formats/wktrace/wktrace_chunk.hpp"
#include "trace/formats/wktrace/wktrace_fields.hpp"
#include "trace/formats/wktrace/wktrace_file.hpp"
#include "trace/output_file.hpp"

namespace wakelab::trace {

namespace {

constexpr int kLevel = 3;  // of zstd: higher ones gain 5 % and cost five times as much

struct ContextDeleter {
    void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
};

class WktWriter final : public TraceWriter {
 public:
    WktWriter(OutputFile file, const TraceQuality& quality)
        : file_(std::move(file)), quality_(quality), context_(ZSTD_createCCtx()) {
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    }

    void begin(const TraceInfo& info) override {
        ByteWriter head;
        head.append(std::as_bytes(std::span(kWktMagic)));
        head.u32(kWktVersion);
        head.u32(0);
        file_.write(head.bytes());
        write_info(info, raw_);
        write_quality(source_quality(), raw_);
        put(WktKind::kInfo, 0);
        cpus_ = info.cpus;
        begun_ = true;
    }
    void add_cpus(std::uint32_t cpus) override {
        cpus_ = std::max(cpus_, cpus);
        announce({.kind = Announcement::Kind::kCpus, .task = cpus_, .name = {}, .facts = {}});
    }
    void add_task(std::uint32_t task, std::string_view name) override {
        announce({.kind = Announcement::Kind::kTask, .task = task, .name = std::string(name), .facts = {}});
    }
    void rename_task(std::uint32_t task, std::string_view name) override {
        announce({.kind = Announcement::Kind::kRename, .task = task, .name = std::string(name), .facts = {}});
    }
    void describe_task(std::uint32_t task, const TaskFacts& facts) override {
        announce({.kind = Announcement::Kind::kFacts, .task = task, .name = {}, .facts = facts});
    }
    void consume(std::span<const TraceRecord> records) override {
        for (const TraceRecord& r : records) {
            chunk_.add(r);
            if (chunk_.full()) put_records();
        }
        written_ += records.size();
    }
    void finish(std::int64_t end_ns) override { end_ns_ = end_ns; }

    Status close() override {
        if (!begun_) begin({});
        if (!chunk_.empty()) put_records();
        raw_.number(written_);
        raw_.signed_number(end_ns_);
        write_quality(source_quality(), raw_);
        put(WktKind::kEnd, 0);
        return file_.commit();
    }

 private:
    // begin() lists the tasks that come before it.
    void announce(Announcement a) {
        if (!begun_) return;
        chunk_.announce(a);
        if (chunk_.full()) put_records();
    }
    // Of what the records were made from, not of a wktrace in between.
    [[nodiscard]] TraceQuality source_quality() const {
        constexpr std::string_view kOwn = "wktrace of ";
        TraceQuality q = quality_;
        if (q.format.starts_with(kOwn)) q.format.erase(0, kOwn.size());
        if (q.format == "wktrace") q.format.clear();
        return q;
    }
    void put_records() {
        const std::uint32_t records = chunk_.records();
        chunk_.finish(raw_);
        put(WktKind::kRecords, records);
    }
    // raw_ as a chunk; it is empty then.
    void put(WktKind kind, std::uint32_t records) {
        stored_.resize(ZSTD_compressBound(raw_.size()));
        const std::size_t size = ZSTD_compress2(context_.get(), stored_.data(), stored_.size(),
                                                raw_.bytes().data(), raw_.size());
        WK_CHECK(ZSTD_isError(size) == 0);
        ByteWriter header;
        header.u32(static_cast<std::uint32_t>(kind));
        header.u32(static_cast<std::uint32_t>(size));
        header.u32(static_cast<std::uint32_t>(raw_.size()));
        header.u32(records);
        header.u32(wkt_header_sum(header.bytes()));
        file_.write(header.bytes());
        file_.write(std::span<const std::byte>(stored_).first(size));
        raw_.clear();
    }

    OutputFile file_;
    const TraceQuality& quality_;
    std::unique_ptr<ZSTD_CCtx, ContextDeleter> context_;
    ChunkEncoder chunk_;
    ByteWriter raw_;
    std::vector<std::byte> stored_;
    std::uint32_t cpus_ = 0;
    std::uint64_t written_ = 0;
    std::int64_t end_ns_ = 0;
    bool begun_ = false;
};

}  // namespace

Result<std::unique_ptr<TraceWriter>> open_wktrace_writer(const std::string& path,
                                                         const TraceQuality& quality) {
    auto file = OutputFile::create(path);
    if (!file) return file.error();
    return std::unique_ptr<TraceWriter>(std::make_unique<WktWriter>(std::move(*file), quality));
}

}  // namespace wakelab::trace
