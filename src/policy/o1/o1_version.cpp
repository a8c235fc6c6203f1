#include "policy/o1/o1_version.hpp"

#include <algorithm>
#include <array>

#include "base/check.hpp"

namespace wakelab::policy::o1 {

namespace {

// Sockets pass no sync hint in any of these kernels; pipes do when a call blocks half-way (o1.md
// 11).
constexpr IpcRules kSinglePagePipes = {.pipe_slots = 1, .pipe_noninteractive = false};
constexpr IpcRules kSixteenPagePipes = {.pipe_slots = 16, .pipe_noninteractive = true};

constexpr KernelConfig config(std::uint32_t hz) {
    return {.hz = hz, .no_hz = false, .high_res = false};
}

constexpr O1Version v2_6_9() {
    O1Version v;
    v.name = "o1-2.6.9";
    v.key = "2.6.9";
    v.kernel = "2.6.9 (2004-10-18), x86_64";
    v.summary =
        "first sched-domains kernels: wake-affine for cache-cold tasks, aggressive idle pull";
    v.kernel_config = config(1000);
    v.ipc = kSinglePagePipes;
    v.exec_rule = ExecRule::kLightest;
    v.sleep_rule = SleepRule::kCredit;
    v.delta_rounds_down = false;
    v.granularity_10ms = false;
    v.charge_by_bonus = false;
    v.pick_always_requeues = true;
    v.rotation_updates_prio = true;
    v.batch_expires = false;
    v.has_batch = false;
    v.pipe_sleep_typed = false;
    v.rt_activation = RtActivation::kAsOthers;
    v.nice_keeps_bonus = false;
    v.exit_needs_same_cpu = false;
    v.fork_runs_tick = true;
    v.wake_by_cache_hot = true;
    v.wake_idle_needs_short_queue = false;
    v.load_unit = LoadUnit::kTasks;
    v.one_cpu_load = true;
    v.clock_follows_switches = false;
    v.clock_compensation = false;
    v.balance_on_next_balance = false;
    v.imbalance_rule = ImbalanceRule::k2_6_9;
    v.idle_pull_is_forced = true;
    v.refuse_hot_at_first = true;
    v.balanced_resets_failed = false;
    v.newidle_resets_failed = false;
    v.keeps_pinned_backoff = false;
    v.kick_doubles_interval = false;
    v.push_to_idle_groups = true;
    v.failed_after_kick = 0;
    v.queue_load_idx = 1;
    v.reports_busy_sibling = false;
    v.hot_time = HotTime::kDecayTicks;
    v.domains = DomainSet::k2_6_9;
    return v;
}

constexpr O1Version v2_6_9_el() {
    O1Version v = v2_6_9();
    v.name = "o1-2.6.9-el";
    v.key = "2.6.9-EL";
    v.kernel = "2.6.9-67.EL (RHEL 4, CentOS 4), x86_64 smp";
    v.summary = "2.6.9 without the aggressive idle pull, cores as cores, kernel.wake_balance";
    v.starves_since_switch = true;
    v.wake_balance = WakeBalanceSysctl::kKeepsWakeIdle;
    v.idle_pull_is_forced = false;
    v.balanced_resets_failed = true;
    v.push_to_idle_groups = false;
    v.domains = DomainSet::k2_6_9El;
    return v;
}

constexpr O1Version v2_6_16() {
    O1Version v;
    v.name = "o1-2.6.16";
    v.key = "2.6.16";
    v.kernel = "2.6.16 (2006-03-20), wake-up code of 2.6.13 .. 2.6.17";
    v.summary = "wake-affine without a cache-hot test, three load averages, SCHED_BATCH";
    v.kernel_config = config(250);
    v.ipc = kSixteenPagePipes;
    v.sleep_rule = SleepRule::kMultiplier;
    v.delta_rounds_down = false;
    v.pick_always_requeues = true;
    v.batch_expires = false;
    v.pipe_sleep_typed = false;
    v.rt_activation = RtActivation::kMarksOnly;
    v.nice_keeps_bonus = false;
    v.fork_runs_tick = true;
    v.wake_idle_needs_short_queue = false;
    v.load_unit = LoadUnit::kTasks;
    v.clock_follows_switches = false;
    v.clock_compensation = false;
    v.balance_on_next_balance = false;
    v.imbalance_rule = ImbalanceRule::k2_6_14;
    v.domains = DomainSet::k2_6_16;
    return v;
}

constexpr O1Version v2_6_16_rc3() {
    O1Version v = v2_6_16();
    v.name = "o1-2.6.16-rc3";
    v.key = "2.6.16-rc3";
    v.kernel = "2.6.16-rc3 (2006-02-12)";
    v.summary = "2.6.16 with filtered affine wake-ups: only a repeated waker CPU may pull";
    v.wake_filter = true;
    return v;
}

constexpr O1Version v2_6_16_rc1() {
    O1Version v = v2_6_16_rc3();
    v.name = "o1-2.6.16-rc1";
    v.key = "2.6.16-rc1";
    v.kernel = "2.6.16-rc1, -rc2 (2006-01-17)";
    v.summary = "filtered affine wake-ups, loads biased by priority (smpnice v1)";
    v.load_unit = LoadUnit::kBiased;
    return v;
}

constexpr O1Version v2_6_16_wb() {
    O1Version v = v2_6_16();
    v.name = "o1-2.6.16+wb";
    v.key = "2.6.16+wb";
    v.kernel = "2.6.16 with the kernel.wake_balance patch of February 2006 (not merged)";
    v.summary = "2.6.16 with a sysctl that keeps remote wake-ups on the previous CPU";
    v.wake_balance = WakeBalanceSysctl::kSkipsWakeIdle;
    return v;
}

constexpr O1Version v2_6_22() {
    O1Version v;
    v.name = "o1-2.6.22";
    v.key = "2.6.22";
    v.kernel = "2.6.22 (2007-07-08), scheduler identical in 2.6.22.19";
    v.summary = "the last O(1) scheduler: weighted loads, multi-core domains";
    v.kernel_config = config(250);
    v.ipc = kSixteenPagePipes;
    return v;
}

constexpr std::array kVersions = {v2_6_9(),  v2_6_9_el(),  v2_6_16_rc1(), v2_6_16_rc3(),
                                  v2_6_16(), v2_6_16_wb(), v2_6_22()};

}  // namespace

std::span<const O1Version> o1_versions() {
    return kVersions;
}

const O1Version& o1_version(std::string_view name) {
    const auto it = std::ranges::find(kVersions, name, &O1Version::name);
    WK_CHECK(it != kVersions.end());
    return *it;
}

}  // namespace wakelab::policy::o1
