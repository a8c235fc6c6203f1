#include "trace/formats/writer.hpp"

#include <fmt/format.h>

#include <array>

#include "trace/formats/perfetto/perfetto_writer.hpp"
#include "trace/formats/text/ftrace_text_writer.hpp"
#include "trace/formats/trace_dat/trace_dat_writer.hpp"
#include "trace/formats/wktrace/wktrace_writer.hpp"

namespace wakelab::trace {

namespace {

constexpr std::array<std::string_view, 1> kWktrace = {".wkt"};
constexpr std::array<std::string_view, 1> kTraceDat = {".dat"};
constexpr std::array<std::string_view, 2> kFtraceText = {".txt", ".ftrace"};

}  // namespace

std::span<const WriterFormat> writer_formats() {
    static constexpr std::array kWriters = {
        WriterFormat{"perfetto", kPerfettoExtensions, open_perfetto_writer},
        WriterFormat{"wktrace", kWktrace, open_wktrace_writer},
        WriterFormat{"trace.dat", kTraceDat, open_trace_dat_writer},
        WriterFormat{"ftrace", kFtraceText, open_ftrace_text_writer},
    };
    return kWriters;
}

Result<const WriterFormat*> find_writer(const std::string& path,
                                        const std::optional<std::string>& name) {
    std::string known;
    for (const WriterFormat& w : writer_formats()) {
        if (name && w.name == *name) return &w;
        known += known.empty() ? "" : ", ";
        known += w.name;
        known += " (";
        for (const std::string_view extension : w.extensions) {
            if (!name && path.ends_with(extension)) return &w;
            known += extension;
            known += extension == w.extensions.back() ? ")" : " ";
        }
    }
    if (name) return Error{fmt::format("{}: no format to write; expected one of: {}", *name, known)};
    return Error{fmt::format("{}: its ending names no format to write; expected one of: {}", path, known)};
}

}  // namespace wakelab::trace
