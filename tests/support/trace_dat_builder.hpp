// Ring-buffer pages and trace.dat files by hand, in either byte order and with either size of
// local_t, for tests of what no machine here records.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wakelab::test {

class ByteBuilder {
 public:
    explicit ByteBuilder(bool big_endian) : big_(big_endian) {}
    ByteBuilder& number(std::uint64_t v, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; ++i)
            out += static_cast<char>(v >> (8 * (big_ ? bytes - 1 - i : i)));
        return *this;
    }
    ByteBuilder& text(std::string_view s) {
        out += s;
        return *this;
    }
    ByteBuilder& c_string(std::string_view s) { return text(s).number(0, 1); }
    // Exactly `bytes`, filled up with NULs.
    ByteBuilder& name(std::string_view s, std::size_t bytes) {
        text(s);
        out.append(bytes - s.size(), '\0');
        return *this;
    }
    ByteBuilder& sized(std::string_view s) { return number(s.size(), 8).text(s); }
    [[nodiscard]] bool big() const { return big_; }
    std::string out;

 private:
    bool big_;
};

// kernel/trace/ring_buffer.c; a page of 4096 bytes.
class PageBuilder {
 public:
    PageBuilder(bool big_endian, std::size_t local_bytes, std::uint64_t stamp)
        : data_(big_endian), local_bytes_(local_bytes), stamp_(stamp) {}
    PageBuilder& head(std::uint32_t type, std::uint32_t delta) {
        data_.number(data_.big() ? type << 27 | delta : type | delta << 5, 4);
        return *this;
    }
    PageBuilder& word(std::uint32_t v) {
        data_.number(v, 4);
        return *this;
    }
    // `bytes` is a multiple of 4, at most 112.
    PageBuilder& event(std::uint32_t delta, std::string_view bytes) {
        head(static_cast<std::uint32_t>(bytes.size() / 4), delta);
        data_.text(bytes);
        return *this;
    }
    // With its length in a word of its own.
    PageBuilder& long_event(std::uint32_t delta, std::string_view bytes) {
        head(0, delta).word(static_cast<std::uint32_t>(bytes.size() + 4));
        data_.text(bytes);
        return *this;
    }
    [[nodiscard]] std::string page(std::uint64_t flags = 0, std::uint64_t missed = 0) const {
        ByteBuilder page(data_.big());
        page.number(stamp_, 8).number(data_.out.size() | flags, local_bytes_).text(data_.out);
        if (missed != 0) page.number(missed, local_bytes_);
        page.out.resize(4096, '\0');
        return page.out;
    }

 private:
    ByteBuilder data_;
    std::size_t local_bytes_;
    std::uint64_t stamp_;
};

inline std::string header_page_text(std::size_t local_bytes) {
    const std::string l = std::to_string(local_bytes), d = std::to_string(8 + local_bytes);
    return "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t "
           "commit;\toffset:8;\tsize:" +
           l +
           ";\tsigned:1;\n\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char "
           "data;\toffset:" +
           d + ";\tsize:" + std::to_string(4096 - 8 - local_bytes) + ";\tsigned:0;\n";
}

inline constexpr std::string_view kSwitchFormat =
    "name: sched_switch\nID: 50\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:4;\tsigned:1;\n"
    "\tfield:char next_comm[16];\toffset:36;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t next_pid;\toffset:52;\tsize:4;\tsigned:1;\n"
    "\tfield:int next_prio;\toffset:56;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"prev_state=%s\", REC->prev_state ? __print_flags(REC->prev_state, \"|\", { 1, "
    "\"S\"} , "
    "{ 2, \"D\" }, { 4, \"T\" }, { 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, "
    "\"W\" }) : "
    "\"R\"\n";

// A record of kSwitchFormat.
inline std::string switch_record(bool big, std::int32_t prev, std::string_view prev_comm,
                                 std::uint32_t state, std::int32_t next,
                                 std::string_view next_comm) {
    ByteBuilder b(big);
    b.number(50, 2).number(0, 2).number(static_cast<std::uint32_t>(prev), 4).name(prev_comm, 16);
    b.number(static_cast<std::uint32_t>(prev), 4)
        .number(120, 4)
        .number(state, 4)
        .name(next_comm, 16);
    b.number(static_cast<std::uint32_t>(next), 4).number(120, 4);
    return b.out;
}

// trace-cmd.dat.v6(5). Options: id and data. What follows the word "flyrecord" is pages by CPU.
struct TraceDat6 {
    bool big = false;
    std::size_t local_bytes = 8;
    std::vector<std::string> formats = {std::string(kSwitchFormat)};
    std::string cmdlines;
    std::vector<std::pair<std::uint16_t, std::string>> options;
    std::string kind = "flyrecord";
    std::vector<std::string> cpus;

    [[nodiscard]] std::string bytes() const {
        ByteBuilder b(big);
        b.text("\x17\x08\x44tracing")
            .c_string("6")
            .number(big ? 1 : 0, 1)
            .number(local_bytes, 1)
            .number(4096, 4);
        b.c_string("header_page")
            .sized(header_page_text(local_bytes))
            .c_string("header_event")
            .sized("");
        b.number(0, 4).number(1, 4).c_string("sched").number(formats.size(), 4);
        for (const std::string& f : formats) b.sized(f);
        b.number(0, 4).number(0, 4).sized(cmdlines).number(cpus.size(), 4).name("options  ", 10);
        for (const auto& [id, data] : options) b.number(id, 2).number(data.size(), 4).text(data);
        b.number(0, 2).name(kind, 10);
        std::size_t at = (b.out.size() + 16 * cpus.size() + 4095) / 4096 * 4096;
        for (const std::string& pages : cpus) {
            b.number(at, 8).number(pages.size(), 8);
            at += pages.size();
        }
        if (kind != "flyrecord") return b.out;
        b.out.resize((b.out.size() + 4095) / 4096 * 4096, '\0');
        for (const std::string& pages : cpus) b.text(pages);
        return b.out;
    }
};

}  // namespace wakelab::test
