// Makes perf.data files for tests: of any byte order and attribute size, with the records one asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wakelab::test {

class ByteWriter {
 public:
    explicit ByteWriter(bool big_endian = false) : big_endian_(big_endian) {}

    ByteWriter& u8(std::uint64_t v) { return number(v, 1); }
    ByteWriter& u16(std::uint64_t v) { return number(v, 2); }
    ByteWriter& u32(std::uint64_t v) { return number(v, 4); }
    ByteWriter& u64(std::uint64_t v) { return number(v, 8); }
    // `size` bytes, NUL-padded; 0: as long as it is.
    ByteWriter& text(std::string_view s, std::size_t size = 0) {
        for (std::size_t i = 0; i < (size == 0 ? s.size() : size); ++i)
            bytes_.push_back(static_cast<std::byte>(i < s.size() ? s[i] : 0));
        return *this;
    }
    ByteWriter& append(const std::vector<std::byte>& other) {
        bytes_.insert(bytes_.end(), other.begin(), other.end());
        return *this;
    }
    ByteWriter& pad(std::size_t to) {
        while (bytes_.size() % to != 0) bytes_.push_back({});
        return *this;
    }
    [[nodiscard]] std::size_t size() const { return bytes_.size(); }
    [[nodiscard]] bool big_endian() const { return big_endian_; }
    [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
    ByteWriter& number(std::uint64_t v, int size) {
        for (int i = 0; i < size; ++i)
            bytes_.push_back(static_cast<std::byte>(v >> 8 * (big_endian_ ? size - 1 - i : i)));
        return *this;
    }

    bool big_endian_;
    std::vector<std::byte> bytes_;
};

// Ids of the formats in PerfDataBuilder::tracing_data().
enum : std::uint64_t { kSwitchId = 10, kWakingId = 11, kForkId = 12 };

class PerfDataBuilder {
 public:
    struct Attr {
        std::uint32_t type = 2;
        std::uint64_t config = kSwitchId;
        std::uint64_t sample_type = 0;
        std::uint64_t read_format = 0;
        std::vector<std::uint64_t> ids = {};
        std::uint32_t size = 112;  // of the attribute: 64, 72, 80, 96, 104, 112 .. over the years
        bool sample_id_all = true;
        bool context_switch = false;
    };

    explicit PerfDataBuilder(bool big_endian = false) : big_(big_endian), records_(big_endian) {}

    void add(Attr attr) { attrs_.push_back(std::move(attr)); }
    // Body: what follows the header of 8 bytes; padded to 8.
    void record(std::uint32_t type, std::uint16_t misc, const ByteWriter& body) {
        const std::size_t size = 8 + (body.size() + 7) / 8 * 8;
        records_.u32(type).u16(misc).u16(size).append(body.bytes()).pad(8);
    }
    void raw(const ByteWriter& bytes) { records_.append(bytes.bytes()); }
    [[nodiscard]] ByteWriter body() const { return ByteWriter(big_); }

    // The bytes of a sched_switch or sched_waking as the ring buffer holds them.
    [[nodiscard]] ByteWriter sched_switch(int prev, std::uint64_t state, int next) const {
        ByteWriter w(big_);
        common(w, kSwitchId, prev).text("task-" + std::to_string(prev), 16).u32(prev).u64(state);
        w.text("task-" + std::to_string(next), 16).u32(next);
        return w;
    }
    [[nodiscard]] ByteWriter sched_waking(int waker, int wakee, int cpu) const {
        ByteWriter w(big_);
        common(w, kWakingId, waker).text("task-" + std::to_string(wakee), 16).u32(wakee).u32(cpu);
        return w;
    }
    [[nodiscard]] ByteWriter sched_fork(int parent, int child) const {
        ByteWriter w(big_);
        common(w, kForkId, parent).u32(parent).text("task-" + std::to_string(child), 16).u32(child);
        return w;
    }
    // PERF_SAMPLE_RAW: a size and the bytes, together a multiple of 8.
    [[nodiscard]] static ByteWriter raw_field(const ByteWriter& event) {
        ByteWriter w(event.big_endian());
        w.u32((event.size() + 4 + 7) / 8 * 8 - 4).append(event.bytes()).pad(8);
        return w;
    }

    [[nodiscard]] std::vector<std::byte> file(bool with_formats = true) const;
    [[nodiscard]] std::vector<std::byte> pipe() const;

 private:
    static ByteWriter& common(ByteWriter& w, std::uint64_t id, int pid) {
        return w.u16(id).u8(0).u8(0).u32(pid);
    }
    [[nodiscard]] ByteWriter attr_bytes(const Attr& a) const {
        ByteWriter w(big_);
        std::uint64_t flags = 0;
        const auto flag = [&](bool on, int n) {
            if (on) flags |= std::uint64_t{1} << (big_ ? 63 - n : n);
        };
        flag(a.sample_id_all, 18);
        flag(a.context_switch, 26);
        w.u32(a.type).u32(a.size).u64(a.config).u64(1).u64(a.sample_type).u64(a.read_format).u64(flags);
        while (w.size() < a.size) w.u64(0);
        return w;
    }
    [[nodiscard]] ByteWriter tracing_data() const;

    bool big_;
    ByteWriter records_;
    std::vector<Attr> attrs_;
};

inline ByteWriter PerfDataBuilder::tracing_data() const {
    const std::string common =
        "format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
    const std::vector<std::string> formats = {
        "name: sched_switch\nID: 10\n" + common +
            "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
            "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
            "\tfield:long prev_state;\toffset:28;\tsize:8;\tsigned:1;\n"
            "\tfield:char next_comm[16];\toffset:36;\tsize:16;\tsigned:0;\n"
            "\tfield:pid_t next_pid;\toffset:52;\tsize:4;\tsigned:1;\n\n"
            "print fmt: \"\", { 0x01, \"S\" }, { 0x02, \"D\" }, { 0x10, \"X\" }, { 0x80, \"I\" }\n",
        "name: sched_waking\nID: 11\n" + common +
            "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
            "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
            "\tfield:int target_cpu;\toffset:28;\tsize:4;\tsigned:1;\n",
        "name: sched_process_fork\nID: 12\n" + common +
            "\tfield:pid_t parent_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
            "\tfield:char child_comm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
            "\tfield:pid_t child_pid;\toffset:28;\tsize:4;\tsigned:1;\n"};
    ByteWriter w(big_);
    w.text("\x17\x08\x44tracing").text("0.6", 4).u8(big_ ? 1 : 0).u8(8).u32(4096);
    w.text("header_page", 12).u64(4).text("page").text("header_event", 13).u64(5).text("event");
    w.u32(0).u32(1).text("sched", 6).u32(formats.size());
    for (const std::string& f : formats) w.u64(f.size()).text(f);
    w.u32(0).u32(0).u64(0);
    return w;
}

inline std::vector<std::byte> PerfDataBuilder::file(bool with_formats) const {
    constexpr std::uint64_t kHeader = 104, kTracingData = 1, kHostname = 3, kRelease = 4, kCpus = 7;
    const std::uint32_t attr_size = attrs_.empty() ? 112 : attrs_.front().size;
    ByteWriter ids(big_), attrs(big_), features(big_);
    for (const Attr& a : attrs_) {
        attrs.append(attr_bytes(a).bytes()).u64(kHeader + ids.size()).u64(a.ids.size() * 8);
        for (const std::uint64_t id : a.ids) ids.u64(id);
    }
    const std::uint64_t attrs_at = kHeader + ids.size();
    const std::uint64_t data_at = attrs_at + attrs.size();
    const std::uint64_t features_at = data_at + records_.size();
    const auto string = [&](std::string_view s) { return ByteWriter(big_).u32(64).text(s, 64); };
    std::vector<std::pair<std::uint64_t, ByteWriter>> sections;
    if (with_formats) sections.emplace_back(kTracingData, tracing_data());
    sections.emplace_back(kHostname, string("tester"));
    sections.emplace_back(kRelease, string("2.6.39"));
    sections.emplace_back(kCpus, ByteWriter(big_).u32(8).u32(4));
    std::uint64_t bitmap = 0, at = features_at + 16 * sections.size();
    for (const auto& [feature, bytes] : sections) {
        bitmap |= std::uint64_t{1} << feature;
        features.u64(at).u64(bytes.size());
        at += bytes.size();
    }
    for (const auto& section : sections) features.append(section.second.bytes());
    ByteWriter w(big_);
    w.u64(0x32454c4946524550).u64(kHeader).u64(attr_size + 16).u64(attrs_at).u64(attrs.size());
    w.u64(data_at).u64(records_.size()).u64(0).u64(0).u64(bitmap).u64(0).u64(0).u64(0);
    w.append(ids.bytes()).append(attrs.bytes()).append(records_.bytes()).append(features.bytes());
    return w.bytes();
}

inline std::vector<std::byte> PerfDataBuilder::pipe() const {
    ByteWriter w(big_);
    w.u64(0x32454c4946524550).u64(16);
    for (const Attr& a : attrs_) {
        ByteWriter body = attr_bytes(a);
        for (const std::uint64_t id : a.ids) body.u64(id);
        w.u32(64).u16(0).u16(8 + body.size()).append(body.bytes());
    }
    const ByteWriter formats = tracing_data();
    w.u32(66).u16(0).u16(16).u32((formats.size() + 7) / 8 * 8).u32(0).append(formats.bytes());
    while ((w.size() - 16) % 8 != 0) w.u8(0);
    return w.append(records_.bytes()).bytes();
}

}  // namespace wakelab::test
