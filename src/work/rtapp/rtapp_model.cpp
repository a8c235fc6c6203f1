#include "work/rtapp/rtapp_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "work/rtapp/rtapp_events.hpp"
#include "work/rtapp/rtapp_fields.hpp"

namespace wakelab::work::rtapp {

namespace {

using policy::SchedPolicy;

// Keys of rt-app that would change how the load runs and are not modelled. A file that has one is
// refused.
constexpr auto kNotModelled =
    std::to_array<std::string_view>({"dl-runtime", "dl-period", "dl-deadline", "period", "deadline",
                                     "nodes_membind", "util_min", "util_max", "taskgroup"});

const std::vector<std::string> kPhaseKeys = {"loop", "policy", "priority", "cpus"};
const std::vector<std::string> kTaskKeys = {"instance", "delay",    "loop", "phases",
                                            "policy",   "priority", "cpus"};

// What only says how rt-app itself logs, calibrates and locks memory: checked for its kind, else
// unused.
struct GlobalKey {
    std::string_view name;
    JsonKind kind;
    JsonKind or_kind;
};
constexpr auto kGlobalKeys = std::to_array<GlobalKey>({
    {"duration", JsonKind::kInteger, JsonKind::kInteger},
    {"default_policy", JsonKind::kString, JsonKind::kString},
    {"cumulative_slack", JsonKind::kBool, JsonKind::kBool},
    {"calibration", JsonKind::kInteger, JsonKind::kString},
    {"pi_enabled", JsonKind::kBool, JsonKind::kBool},
    {"lock_pages", JsonKind::kBool, JsonKind::kBool},
    {"logdir", JsonKind::kString, JsonKind::kString},
    {"log_basename", JsonKind::kString, JsonKind::kString},
    {"log_size", JsonKind::kInteger, JsonKind::kString},
    {"frag", JsonKind::kInteger, JsonKind::kInteger},  // of an older rt-app, still in its examples
    {"ftrace", JsonKind::kString, JsonKind::kBool},
    {"gnuplot", JsonKind::kBool, JsonKind::kBool},
    {"io_device", JsonKind::kString, JsonKind::kString},
    {"mem_buffer_size", JsonKind::kInteger, JsonKind::kInteger},
});

class ModelReader {
 public:
    explicit ModelReader(std::string_view origin) : fields_(origin) {}
    Result<Model> model(const JsonValue& root);

 private:
    Status global(const JsonMember& m);
    Status tasks(const JsonMember& m);
    Result<TaskModel> task(const JsonMember& m);
    Status phases(const JsonMember& m, TaskModel& task);
    Result<Phase> phase(const JsonMember& m, TaskModel& task, SchedPolicy before);
    Status check_keys(const JsonMember& m, const std::vector<std::string>& settings) const;
    Result<SchedPolicy> policy(const JsonMember& m) const;
    Result<Sched> sched(const JsonValue& object, SchedPolicy otherwise) const;
    Result<std::optional<CpuList>> cpus(const JsonValue& object) const;

    Fields fields_;
    Model model_;
    SchedPolicy default_policy_ = SchedPolicy::kNormal;
    std::int64_t threads_ = 0;
};

Result<Model> ModelReader::model(const JsonValue& root) {
    if (root.kind != JsonKind::kObject)
        return fields_.error(root.line, "expected an object with 'tasks'");
    for (const JsonMember& m : root.members) {
        if (m.key != "global" && m.key != "tasks" && m.key != "resources")
            return fields_.error(m.line,
                                 fmt::format("unknown section '{}'; did you mean {}?", m.key,
                                             nearest(m.key, {"global", "tasks", "resources"})));
        if (Status s = fields_.check_once(root, m); !s) return s.error();
        if (Status s = fields_.check_kind(m, JsonKind::kObject); !s) return s.error();
    }
    if (const JsonMember* m = root.find("global"))  // first: tasks need default_policy
        if (Status s = global(*m); !s) return s.error();
    const JsonMember* list = root.find("tasks");
    if (list == nullptr) return fields_.error(root.line, "there is no section 'tasks'");
    if (Status s = tasks(*list); !s) return s.error();
    return std::move(model_);
}

Status ModelReader::global(const JsonMember& section) {
    for (const JsonMember& m : section.value.members) {
        const auto key = std::ranges::find(kGlobalKeys, m.key, &GlobalKey::name);
        if (key == kGlobalKeys.end()) {
            std::vector<std::string> names;
            for (const GlobalKey& k : kGlobalKeys) names.emplace_back(k.name);
            return fields_.error(m.line, fmt::format("'global' has no '{}'; did you mean {}?",
                                                     m.key, nearest(m.key, names)));
        }
        if (Status s = fields_.check_once(section.value, m); !s) return s;
        if (Status s = fields_.check_kind(m, key->kind, key->or_kind); !s) return s;
        if (m.key == "cumulative_slack") model_.cumulative_slack = m.value.flag;
        if (m.key == "duration") {
            const auto seconds = fields_.integer(m, {.min = -1, .unit = "s"});
            if (!seconds) return seconds.error();
            if (*seconds > 0) model_.duration = Duration{*seconds * 1'000'000'000};
        }
        if (m.key == "default_policy") {
            const auto p = policy(m);
            if (!p) return p.error();
            default_policy_ = *p;
        }
    }
    return {};
}

Status ModelReader::tasks(const JsonMember& section) {
    for (const JsonMember& m : section.value.members) {
        auto t = task(m);
        if (!t) return t.error();
        threads_ += t->instances;
        if (threads_ > kMaxThreads)
            return fields_.error(m.line, fmt::format("more than {} threads", kMaxThreads));
        model_.tasks.push_back(std::move(*t));
    }
    if (threads_ == 0) return fields_.error(section.line, "'tasks' defines no thread to run");
    return {};
}

// Every key is a setting (once), an event (as often as one likes), or an error.
Status ModelReader::check_keys(const JsonMember& object,
                               const std::vector<std::string>& settings) const {
    for (const JsonMember& m : object.value.members) {
        if (std::ranges::find(settings, m.key) != settings.end()) {
            if (Status s = fields_.check_once(object.value, m); !s) return s;
        } else if (std::ranges::find(kNotModelled, m.key) != kNotModelled.end()) {
            return fields_.error(
                m.line, fmt::format("'{}' is not supported yet; supported: {}, events", m.key,
                                    fmt::join(settings, ", ")));
        } else if (!is_event(m.key)) {
            std::vector<std::string> names = settings;
            names.insert(names.end(), {"run", "runtime", "sleep", "timer", "yield"});
            return fields_.error(m.line, fmt::format("'{}' has no '{}'; did you mean {}?",
                                                     object.key, m.key, nearest(m.key, names)));
        }
    }
    return {};
}

Result<TaskModel> ModelReader::task(const JsonMember& m) {
    if (Status s = fields_.check_kind(m, JsonKind::kObject); !s) return s.error();
    if (m.key.empty() || std::ranges::any_of(m.key, [](char c) { return c >= 0 && c <= ' '; }))
        return fields_.error(m.line, "a task needs a name without blanks");
    if (Status s = check_keys(m, kTaskKeys); !s) return s.error();
    TaskModel t;
    t.name = m.key;
    const auto instances = fields_.integer_or(m.value.find("instance"), {.max = kMaxThreads}, 1);
    if (!instances) return instances.error();
    t.instances = *instances;
    const auto delay = fields_.integer_or(m.value.find("delay"), {.unit = "us"}, 0);
    if (!delay) return delay.error();
    t.delay = Duration{*delay * 1000};
    const auto own = sched(m.value, default_policy_);
    if (!own) return own.error();
    t.sched = *own;
    auto mask = cpus(m.value);
    if (!mask) return mask.error();
    t.cpus = *mask;

    const JsonMember* loop = m.value.find("loop");
    if (const JsonMember* list = m.value.find("phases")) {
        const auto rounds = fields_.loop_or(loop, kForever);
        if (!rounds) return rounds.error();
        t.loop = *rounds;
        if (Status s = phases(*list, t); !s) return s.error();
        for (const JsonMember& e : m.value.members)
            if (is_event(e.key))
                return fields_.error(e.line,
                                     fmt::format("event '{}' beside 'phases' would never run; "
                                                 "move it into a phase",
                                                 e.key));
        return t;
    }
    // Events stand in the task itself: one phase. Its loop counts passes; without it there is no
    // end.
    auto only = phase(m, t, t.sched.policy);
    if (!only) return only.error();
    only->sched.reset();
    only->cpus.reset();
    t.phases.push_back(std::move(*only));
    t.loop = loop != nullptr ? 1 : kForever;
    return t;
}

Status ModelReader::phases(const JsonMember& list, TaskModel& task) {
    if (Status s = fields_.check_kind(list, JsonKind::kObject); !s) return s;
    SchedPolicy before = task.sched.policy;
    for (const JsonMember& m : list.value.members) {
        if (Status s = fields_.check_kind(m, JsonKind::kObject); !s) return s;
        if (Status s = check_keys(m, kPhaseKeys); !s) return s;
        auto p = phase(m, task, before);
        if (!p) return p.error();
        if (p->sched) before = p->sched->policy;
        task.phases.push_back(std::move(*p));
    }
    if (task.phases.empty()) return fields_.error(list.line, "'phases' is empty");
    return {};
}

// `before`: the policy in effect when the phase begins for the first time, which one with a
// priority alone keeps for good.
Result<Phase> ModelReader::phase(const JsonMember& m, TaskModel& task, SchedPolicy before) {
    Phase p;
    const auto loop = fields_.loop_or(m.value.find("loop"), 1);
    if (!loop) return loop.error();
    p.loop = *loop;
    for (const JsonMember& e : m.value.members) {
        if (!is_event(e.key)) continue;
        const auto event = read_event(fields_, e, {model_.shared_timers, task.unique_timers});
        if (!event) return event.error();
        p.events.push_back(*event);
    }
    if (p.events.empty())
        return fields_.error(m.line,
                             fmt::format("'{}' has no events, so it would do nothing", m.key));
    if (m.value.find("policy") != nullptr || m.value.find("priority") != nullptr) {
        const auto own = sched(m.value, before);
        if (!own) return own.error();
        p.sched = *own;
    }
    auto mask = cpus(m.value);
    if (!mask) return mask.error();
    p.cpus = *mask;
    return p;
}

Result<SchedPolicy> ModelReader::policy(const JsonMember& m) const {
    constexpr auto kPolicies = std::to_array<std::pair<std::string_view, SchedPolicy>>({
        {"SCHED_OTHER", SchedPolicy::kNormal},
        {"SCHED_BATCH", SchedPolicy::kBatch},
        {"SCHED_IDLE", SchedPolicy::kIdle},
        {"SCHED_RR", SchedPolicy::kRr},
        {"SCHED_FIFO", SchedPolicy::kFifo},
    });
    if (Status s = fields_.check_kind(m, JsonKind::kString); !s) return s.error();
    for (const auto& [name, value] : kPolicies)
        if (m.value.text == name) return value;
    if (m.value.text == "SCHED_DEADLINE")
        return fields_.error(m.line,
                             "SCHED_DEADLINE is not supported yet; supported: SCHED_OTHER, "
                             "SCHED_BATCH, SCHED_IDLE, SCHED_RR, SCHED_FIFO");
    std::vector<std::string> names;
    for (const auto& entry : kPolicies) names.emplace_back(entry.first);
    return fields_.error(m.line, fmt::format("'{}': '{}' is not a policy; did you mean {}?", m.key,
                                             m.value.text, nearest(m.value.text, names)));
}

// `otherwise`: the policy of an object that names none. The default priority depends on the policy.
Result<Sched> ModelReader::sched(const JsonValue& object, SchedPolicy otherwise) const {
    const JsonMember* priority = object.find("priority");
    Sched s{.policy = otherwise};
    if (const JsonMember* p = object.find("policy")) {
        const auto named = policy(*p);
        if (!named) return named.error();
        s.policy = *named;
    }
    if (s.policy == SchedPolicy::kFifo || s.policy == SchedPolicy::kRr) {
        const auto v = fields_.integer_or(priority, {.min = 1, .max = 99}, 10);
        if (!v) return v.error();
        s.rt_priority = static_cast<std::uint8_t>(*v);
    } else {
        const auto v = fields_.integer_or(priority, {.min = -20, .max = 19}, 0);
        if (!v) return v.error();
        s.nice = static_cast<std::int8_t>(*v);
    }
    return s;
}

Result<std::optional<CpuList>> ModelReader::cpus(const JsonValue& object) const {
    const JsonMember* m = object.find("cpus");
    if (m == nullptr) return std::optional<CpuList>{};
    if (Status s = fields_.check_kind(*m, JsonKind::kArray); !s) return s.error();
    CpuList list{.line = m->line};
    for (const JsonValue& item : m->value.items) {
        const auto cpu = fields_.integer({.key = m->key, .line = item.line, .value = item},
                                         {.max = topo::kMaxCpus - 1});
        if (!cpu) return cpu.error();
        list.mask.set(CpuId{static_cast<std::uint32_t>(*cpu)});
    }
    if (list.mask.empty()) return fields_.error(m->line, "'cpus' is empty: nowhere to run");
    return std::optional<CpuList>{list};
}

}  // namespace

Result<Model> parse_model(std::string_view text, std::string_view origin) {
    const auto root = parse_relaxed_json(text, origin);
    if (!root) return root.error();
    return ModelReader(origin).model(*root);
}

}  // namespace wakelab::work::rtapp
