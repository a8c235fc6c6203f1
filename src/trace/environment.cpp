#include "trace/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace wakelab::trace {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMagic = "WKENV001";
constexpr std::uint64_t kTailBytes = 16;
constexpr std::uint64_t kMaxJsonBytes = 256u << 20;  // a million tasks

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Undoes printable().
std::string bytes_of(std::string_view text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '\\' && i + 3 < text.size() && text[i + 1] == 'x' &&
                            hex_digit(text[i + 2]) >= 0 && hex_digit(text[i + 3]) >= 0;
        if (escape) {
            bytes += static_cast<char>(hex_digit(text[i + 2]) * 16 + hex_digit(text[i + 3]));
            i += 3;
        } else {
            bytes += text[i];
        }
    }
    return bytes;
}

Json escaped(const std::vector<std::string>& texts) {
    Json array = Json::array();
    for (const std::string& text : texts) array.push_back(printable(text));
    return array;
}

Json escaped(const std::vector<std::pair<std::string, std::string>>& pairs) {
    Json object = Json::object();
    for (const auto& [name, value] : pairs) object[printable(name)] = printable(value);
    return object;
}

// Tasks are rows: thousands of them with spelled-out members would be most of a short file.
Json rows_of(const std::vector<RecordedTask>& tasks) {
    Json rows = Json::array();
    for (const RecordedTask& t : tasks)
        rows.push_back(Json::array({t.pid, t.tgid, printable(t.name), t.allowed, t.policy, t.nice,
                                    t.rt_priority, (t.at_start ? 1 : 0) + (t.at_end ? 2 : 0)}));
    return rows;
}

Json rows_of(const std::vector<RecordedCpu>& cpus) {
    Json rows = Json::array();
    for (const RecordedCpu& c : cpus)
        rows.push_back({{"cpu", c.cpu},
                        {"cache", c.cache},
                        {"core", c.core},
                        {"node", c.node},
                        {"package", c.package},
                        {"governor", printable(c.governor)},
                        {"lost", c.lost}});
    return rows;
}

// Reads members, and keeps the first complaint.
class Reader {
 public:
    explicit Reader(const Json& object) : object_(object) {}

    template <class Int>
    requires std::is_integral_v<Int>
    void get(const char* name, Int& out) {
        if (const Json* v = find(name)) integer(*v, name, out);
    }
    void get(const char* name, std::string& out) {
        if (const Json* v = find(name)) text(*v, name, out);
    }
    void get(const char* name, std::vector<std::string>& out) {
        for (const Json& item : list(name)) text(item, name, out.emplace_back());
    }
    void get(const char* name, std::vector<std::int32_t>& out) {
        for (const Json& item : list(name)) integer(item, name, out.emplace_back());
    }
    void get(const char* name, std::vector<std::pair<std::string, std::string>>& out) {
        const Json* v = find(name);
        if (v == nullptr) return;
        if (!v->is_object()) return complain(name, "an object");
        for (const auto& [key, value] : v->items()) {
            auto& pair = out.emplace_back(bytes_of(key), "");
            text(value, name, pair.second);
        }
    }
    const Json& list(const char* name) {
        static const Json kEmpty = Json::array();
        const Json* v = find(name);
        if (v != nullptr && v->is_array()) return *v;
        if (v != nullptr) complain(name, "an array");
        return kEmpty;
    }
    void text(const Json& v, const char* name, std::string& out) {
        if (!v.is_string()) return complain(name, "text");
        out = bytes_of(v.get_ref<const std::string&>());
    }
    template <class Int>
    void integer(const Json& v, const char* name, Int& out) {
        if (!v.is_number_integer()) return complain(name, "an integer");
        const bool fits = v.is_number_unsigned() ? std::in_range<Int>(v.get<std::uint64_t>())
                                                 : std::in_range<Int>(v.get<std::int64_t>());
        if (!fits) return complain(name, "a smaller number");
        out = v.get<Int>();
    }
    void complain(const char* name, const char* expected) {
        if (error.empty())
            error = fmt::format("environment record: {}: expected {}", name, expected);
    }

    std::string error;

 private:
    const Json* find(const char* name) {
        const auto it = object_.find(name);
        return it == object_.end() ? nullptr : &*it;
    }

    const Json& object_;
};

void read_tasks(Reader& r, std::vector<RecordedTask>& tasks) {
    for (const Json& row : r.list("tasks")) {
        if (!row.is_array() || row.size() < 8) return r.complain("tasks", "rows of eight values");
        RecordedTask t;
        int seen = 0;
        r.integer(row[0], "tasks", t.pid);
        r.integer(row[1], "tasks", t.tgid);
        r.text(row[2], "tasks", t.name);
        r.text(row[3], "tasks", t.allowed);
        r.integer(row[4], "tasks", t.policy);
        r.integer(row[5], "tasks", t.nice);
        r.integer(row[6], "tasks", t.rt_priority);
        r.integer(row[7], "tasks", seen);
        t.at_start = (seen & 1) != 0;
        t.at_end = (seen & 2) != 0;
        tasks.push_back(std::move(t));
    }
}

void read_cpus(Reader& r, std::vector<RecordedCpu>& cpus) {
    for (const Json& object : r.list("cpus")) {
        if (!object.is_object()) return r.complain("cpus", "objects");
        Reader in(object);
        RecordedCpu c;
        in.get("cpu", c.cpu);
        in.get("cache", c.cache);
        in.get("core", c.core);
        in.get("node", c.node);
        in.get("package", c.package);
        in.get("governor", c.governor);
        in.get("lost", c.lost);
        if (!in.error.empty() && r.error.empty()) r.error = in.error;
        cpus.push_back(std::move(c));
    }
}

// By CPU number; empty unless every CPU of the file tells its place.
std::vector<std::uint32_t> places(const std::vector<RecordedCpu>& cpus,
                                  std::int32_t RecordedCpu::*place) {
    std::vector<std::uint32_t> by_cpu;
    for (const RecordedCpu& c : cpus) {
        if (c.*place < 0) return {};
        if (c.cpu >= topo::kMaxCpus) continue;
        // A number that is missing in between is an offline CPU, alone in a place of its own.
        while (by_cpu.size() <= c.cpu) by_cpu.push_back(static_cast<std::uint32_t>(by_cpu.size()));
        by_cpu[c.cpu] = static_cast<std::uint32_t>(c.*place);
    }
    return by_cpu;
}

}  // namespace

std::string to_json(const Environment& e) {
    Json j = Json::object();
    j["recorder"] = e.recorder;
    j["backend"] = e.backend;
    j["command"] = escaped(e.command);
    j["command_pid"] = e.command_pid;
    j["command_end"] = e.command_end;
    j["started_unix_ns"] = e.started_unix_ns;
    j["started_ns"] = e.started_ns;
    j["duration_ns"] = e.duration_ns;
    j["clock"] = e.clock;
    j["kernel_release"] = printable(e.kernel_release);
    j["kernel_version"] = printable(e.kernel_version);
    j["kernel_cmdline"] = printable(e.kernel_cmdline);
    j["hostname"] = printable(e.hostname);
    j["architecture"] = printable(e.architecture);
    j["settings"] = escaped(e.settings);
    j["unreadable"] = escaped(e.unreadable);
    j["events"] = escaped(e.events);
    j["recorder_tids"] = e.recorder_tids;
    j["cpus"] = rows_of(e.cpus);
    j["tasks"] = rows_of(e.tasks);
    return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<Environment> parse_environment(std::string_view json) {
    const Json j = Json::parse(json, nullptr, false);
    if (!j.is_object()) return Error{"environment record: expected a JSON object"};
    Environment e;
    Reader r(j);
    r.get("recorder", e.recorder);
    r.get("backend", e.backend);
    r.get("command", e.command);
    r.get("command_pid", e.command_pid);
    r.get("command_end", e.command_end);
    r.get("started_unix_ns", e.started_unix_ns);
    r.get("started_ns", e.started_ns);
    r.get("duration_ns", e.duration_ns);
    r.get("clock", e.clock);
    r.get("kernel_release", e.kernel_release);
    r.get("kernel_version", e.kernel_version);
    r.get("kernel_cmdline", e.kernel_cmdline);
    r.get("hostname", e.hostname);
    r.get("architecture", e.architecture);
    r.get("settings", e.settings);
    r.get("unreadable", e.unreadable);
    r.get("events", e.events);
    r.get("recorder_tids", e.recorder_tids);
    read_cpus(r, e.cpus);
    read_tasks(r, e.tasks);
    if (!r.error.empty()) return Error{r.error};
    return e;
}

std::string environment_trailer(const Environment& environment) {
    std::string bytes = to_json(environment);
    std::uint64_t size = bytes.size();
    for (int i = 0; i < 8; ++i, size >>= 8) bytes += static_cast<char>(size & 0xff);
    bytes += kMagic;
    return bytes;
}

Result<std::optional<Environment>> read_environment(const Input& input) {
    if (input.size() < kTailBytes) return std::optional<Environment>{};
    std::array<unsigned char, kTailBytes> tail{};
    const auto got =
        input.read_at(input.size() - kTailBytes, std::as_writable_bytes(std::span(tail)));
    if (!got) return got.error();
    if (*got != kTailBytes || !std::equal(kMagic.begin(), kMagic.end(), tail.begin() + 8))
        return std::optional<Environment>{};
    std::uint64_t size = 0;
    for (std::size_t i = 8; i-- > 0;) size = size << 8 | tail[i];
    if (size > input.size() - kTailBytes || size > kMaxJsonBytes)
        return Error{input.name() + ": environment record: longer than the file"};
    std::string json(size, '\0');
    const auto text =
        input.read_at(input.size() - kTailBytes - size, std::as_writable_bytes(std::span(json)));
    if (!text) return text.error();
    if (*text != size) return Error{input.name() + ": environment record: cut short"};
    Result<Environment> environment = parse_environment(json);
    if (!environment) return Error{input.name() + ": " + environment.error().message};
    return std::optional(std::move(*environment));
}

void describe_environment(const Environment& environment, Translator& translator) {
    if (!environment.cpus.empty()) {
        const std::uint32_t last = environment.cpus.back().cpu;
        if (last < topo::kMaxCpus) translator.set_cpus(last + 1);
        translator.set_caches(places(environment.cpus, &RecordedCpu::cache));
        translator.set_cores(places(environment.cpus, &RecordedCpu::core));
        translator.set_nodes(places(environment.cpus, &RecordedCpu::node));
    }
    for (const RecordedTask& t : environment.tasks) {
        if (t.pid <= 0) continue;
        const TaskFacts facts{
            .pid = t.pid, .tgid = t.tgid, .allowed = parse_kernel_cpu_list(t.allowed)};
        if (t.at_start) translator.describe(t.name, facts);
        if (!t.at_start) translator.expect(facts);
    }
}

std::optional<topo::CpuMask> parse_kernel_cpu_list(std::string_view list) {
    topo::CpuMask mask;
    const char* at = list.data();
    const char* const end = at + list.size();
    while (at != end) {
        std::uint32_t first = 0;
        auto [next, ec] = std::from_chars(at, end, first);
        if (ec != std::errc{}) return std::nullopt;
        std::uint32_t last = first;
        if (next != end && *next == '-') {
            const auto upper = std::from_chars(next + 1, end, last);
            if (upper.ec != std::errc{} || last < first) return std::nullopt;
            next = upper.ptr;
        }
        for (std::uint32_t c = first; c <= last && c < topo::kMaxCpus; ++c) mask.set(CpuId{c});
        if (next != end && *next != ',') return std::nullopt;
        at = next == end ? end : next + 1;
    }
    if (mask.empty()) return std::nullopt;
    return mask;
}

std::string kernel_cpu_list(const topo::CpuMask& mask) {
    std::string list;
    for (std::uint32_t c = 0; c < topo::kMaxCpus; ++c) {
        if (!mask.test(CpuId{c})) continue;
        std::uint32_t last = c;
        while (last + 1 < topo::kMaxCpus && mask.test(CpuId{last + 1})) ++last;
        if (!list.empty()) list += ',';
        list += last == c ? fmt::format("{}", c) : fmt::format("{}-{}", c, last);
        c = last;
    }
    return list;
}

}  // namespace wakelab::trace
