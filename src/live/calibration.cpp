#include "live/calibration.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>

#include "live/perf_layout.hpp"
#include "live/recording.hpp"
#include "live/tracefs_session.hpp"

namespace wakelab::live {

namespace {

constexpr int kPairs = 5;
constexpr std::int64_t kBlockNs = 50'000'000;
constexpr std::uint64_t kRingBytes = 256u << 10;

// Two threads on one CPU that hand a byte to and fro.
class PingPong {
 public:
    static std::unique_ptr<PingPong> start() {
        std::unique_ptr<PingPong> p(new PingPong());
        for (auto& ends : p->pipes_) {
            int fds[2];
            if (::pipe2(fds, O_CLOEXEC) != 0) return nullptr;
            ends = {Fd(fds[0]), Fd(fds[1])};
        }
        p->partner_ = std::thread([raw = p.get()] {
            raw->stay_on_one_cpu();
            char byte = 0;
            while (::read(raw->pipes_[0][0].get(), &byte, 1) == 1)
                if (::write(raw->pipes_[1][1].get(), &byte, 1) != 1) return;
        });
        return p;
    }
    ~PingPong() {
        pipes_[0][1].reset();  // the partner reads the end of file
        if (partner_.joinable()) partner_.join();
    }
    // Round trips for kBlockNs: CPU time of each, for others may run meanwhile.
    double round_trip_ns() {
        char byte = 0;
        std::int64_t trips = 0;
        const std::int64_t start = monotonic_ns(), cpu_start = own_cpu_ns();
        while (monotonic_ns() - start < kBlockNs) {
            for (int i = 0; i < 64; ++i, ++trips) {
                if (::write(pipes_[0][1].get(), &byte, 1) != 1) return 0;
                if (::read(pipes_[1][0].get(), &byte, 1) != 1) return 0;
            }
        }
        trips_ += static_cast<std::uint64_t>(trips);
        return static_cast<double>(own_cpu_ns() - cpu_start) / static_cast<double>(trips);
    }
    [[nodiscard]] std::uint64_t trips() const { return trips_; }

    // On the first CPU of those allowed.
    static void stay_on_one_cpu() {
        cpu_set_t one = allowed();
        for (int c = CPU_SETSIZE; c-- > 0;)
            if (CPU_ISSET(c, &one) && CPU_COUNT(&one) > 1) CPU_CLR(c, &one);
        ::sched_setaffinity(0, sizeof one, &one);
    }
    static cpu_set_t allowed() {
        cpu_set_t set;
        CPU_ZERO(&set);
        ::sched_getaffinity(0, sizeof set, &set);
        return set;
    }

 private:
    PingPong() = default;
    std::array<std::array<Fd, 2>, 2> pipes_;
    std::thread partner_;
    std::uint64_t trips_ = 0;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

// What is recorded in the traced halves.
class Traced {
 public:
    virtual ~Traced() = default;
    virtual Status begin() = 0;
    virtual void end() = 0;
    virtual std::uint64_t events_so_far() = 0;
};

Result<double> cost_of(Traced& traced) {
    const cpu_set_t before = PingPong::allowed();
    const auto ping_pong = PingPong::start();
    if (ping_pong == nullptr) return Error{fmt::format("calibration: {}", std::strerror(errno))};
    PingPong::stay_on_one_cpu();
    std::vector<double> differences;
    std::uint64_t traced_events = 0, traced_trips = 0;
    std::optional<Error> failed;
    ping_pong->round_trip_ns();
    for (int i = 0; i < kPairs && !failed; ++i) {
        const double untraced = ping_pong->round_trip_ns();
        const std::uint64_t trips = ping_pong->trips(), earlier = traced.events_so_far();
        if (const Status on = traced.begin(); !on) failed = on.error();
        const double with_events = ping_pong->round_trip_ns();
        traced.end();
        traced_events += traced.events_so_far() - earlier;
        traced_trips += ping_pong->trips() - trips;
        differences.push_back(with_events - untraced);
    }
    ::sched_setaffinity(0, sizeof before, &before);
    if (failed) return *failed;
    if (traced_events == 0 || traced_trips == 0)
        return Error{"calibration: no events were recorded"};
    const double per_trip = static_cast<double>(traced_events) / static_cast<double>(traced_trips);
    return std::max(0.0, median(differences) / per_trip);
}

class TracedByTracefs final : public Traced {
 public:
    TracedByTracefs(TracefsSession& session, const std::vector<EventName>& events)
        : session_(session), events_(events) {}
    Status begin() override {
        std::vector<std::string> known;  // told again by the recording
        if (Status on = session_.enable(events_, known); !on) return on;
        return session_.start();
    }
    void end() override {
        session_.stop();
        session_.disable(events_);
    }
    std::uint64_t events_so_far() override {
        std::uint64_t events = 0;
        for (const std::uint32_t cpu : session_.cpus()) {
            const CpuStats s = parse_cpu_stats(session_.stats_text(cpu));
            events += s.entries + s.read + s.overrun;
        }
        return events;
    }

 private:
    TracefsSession& session_;
    const std::vector<EventName>& events_;
};

class TracedByPerf final : public Traced {
 public:
    TracedByPerf(PerfSession& session, bool has_tracepoints)
        : session_(session), has_tracepoints_(has_tracepoints) {}
    Status begin() override {
        session_.start();
        return {};
    }
    void end() override { session_.stop(); }
    // Nothing counts switches: the two records of each are nearly all that is in the ring, and its
    // head goes down by their bytes.
    std::uint64_t events_so_far() override {
        std::uint64_t events = 0;
        for (const PerfSession::Cpu& cpu : session_.cpus())
            events += has_tracepoints_ ? session_.counters(cpu).events
                                       : (0 - cpu.ring.head()) / (2 * kPerfSwitchBytes);
        return events;
    }

 private:
    PerfSession& session_;
    bool has_tracepoints_;
};

}  // namespace

Result<double> calibrate_event_cost(const std::vector<EventName>& events,
                                    std::vector<std::string>& notes) {
    auto session = TracefsSession::create(notes, "-calibration");
    if (!session) return session.error();
    TracedByTracefs traced(*session, events);
    return cost_of(traced);
}

Result<double> calibrate_perf_event_cost(const std::vector<std::uint32_t>& cpus,
                                         PerfChoice choice) {
    choice.overwritten = true;
    auto session = PerfSession::open(cpus, choice);
    if (!session) return session.error();
    if (Status s = session->map_rings(kRingBytes, true); !s) return s.error();
    TracedByPerf traced(*session, !choice.tracepoints.empty());
    return cost_of(traced);
}

}  // namespace wakelab::live
