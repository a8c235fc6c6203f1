// 2.6.23 against a second writing of cfs.md 2.11 that shares nothing with the first: no trees, no
// cached inverses, one CPU, tasks in a plain array. No recorded cases of that kernel exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/prng.hpp"
#include "policy/cfs/test_world.hpp"

namespace wakelab::policy::cfs {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::int64_t kLatency = 20'000'000;  // one CPU
constexpr std::int64_t kMinGran = 2'000'000;
constexpr std::int64_t kWakeGran = 1'000'000;
constexpr std::int64_t kLimit = kLatency;

struct ModelTask {
    std::int64_t weight = 1024;
    std::int64_t key = 0, owed = 0, wait_start = 0, sleep_start = 0;
    std::int64_t ran = 0, ran_at_pick = 0;
    std::uint64_t order = 0;  // of insertion, among equal keys
    bool queued = false, batch = false;
};

// cfs.md 1.3 with the inverse computed anew each time.
std::int64_t scaled(std::int64_t time, std::int64_t weight, std::int64_t total) {
    const auto inverse = ((1ll << 32) - total / 2) / total + 1;
    const Wide product = static_cast<Wide>(time) * static_cast<Wide>(weight);
    const Wide half16 = 1u << 15;
    const Wide result =
        product > (Wide{1} << 32)
            ? (((product + half16) >> 16) * static_cast<Wide>(inverse) + half16) >> 16
            : (product * static_cast<Wide>(inverse) + (Wide{1} << 31)) >> 32;
    return static_cast<std::int64_t>(result);
}

class Model {
 public:
    std::array<ModelTask, 6> tasks;
    std::int64_t now = 0;
    std::int64_t fair_clock = 1, bonus = 0;
    std::optional<std::size_t> curr;
    bool marked = false;

    void account() {
        const std::int64_t delta = now - std::exchange(started_, now);
        if (!curr) return;
        ModelTask& t = tasks[*curr];
        t.ran += delta;
        if (total() == 0) return;
        std::int64_t mine = scaled(delta, t.weight, total());
        const std::int64_t fair = scaled(delta, 1024, total());
        if (bonus > kMinGran) {
            const std::int64_t paid = std::min({mine, bonus, kLimit - t.owed});
            bonus -= paid;
            mine -= paid;
        }
        fair_clock += fair;
        owe(t, mine - delta);
    }
    void enqueue(std::size_t i, bool wakeup) {
        account();
        ModelTask& t = tasks[i];
        if (wakeup && !t.batch) {
            if (bonus <= kLimit) {
                const std::int64_t slept = std::min(2 * kLimit, fair_clock - t.sleep_start);
                const std::int64_t before = t.owed;
                owe(t, slept * t.weight / 1024);
                bonus += t.owed - before;
            }
            t.sleep_start = 0;
        }
        if (curr != i) t.wait_start = fair_clock;
        set_key(t);
        t.queued = true;
    }
    void dequeue(std::size_t i, bool sleep) {
        account();
        ModelTask& t = tasks[i];
        if (curr != i) end_wait(t);
        if (sleep) t.sleep_start = fair_clock;
        t.queued = false;
    }
    void pick() {
        if (curr && tasks[*curr].queued) {
            account();
            tasks[*curr].wait_start = fair_clock;
        }
        curr = leftmost();
        started_ = now;
        marked = false;
        if (!curr) return;
        end_wait(tasks[*curr]);
        tasks[*curr].ran_at_pick = tasks[*curr].ran;
    }
    void tick() {
        if (!curr) return;
        account();
        set_key(tasks[*curr]);
        if (const std::size_t first = *leftmost(); first != *curr) compare(first, granularity());
    }
    void wake(std::size_t i, bool sync) {
        enqueue(i, true);
        if (!curr)
            marked = true;
        else if (!sync)
            compare(i, tasks[i].batch ? 25'000'000 : kWakeGran);
    }
    void yield() {
        if (count() == 1) return;
        account();
        set_key(tasks[*curr]);
    }
    void renice(std::size_t i, std::int64_t weight) {
        const bool queued = tasks[i].queued;
        const bool running = curr == i;
        if (queued) dequeue(i, false);
        if (running) tasks[i].ran_at_pick = tasks[i].ran;
        tasks[i].weight = weight;
        tasks[i].owed = 0;
        if (!queued) return;
        enqueue(i, false);
        if (!running && curr) compare(i, tasks[i].batch ? 25'000'000 : kWakeGran);
    }
    [[nodiscard]] std::int64_t total() const {
        std::int64_t sum = 0;
        for (const ModelTask& t : tasks) sum += t.queued ? t.weight : 0;
        return sum;
    }
    [[nodiscard]] std::int64_t count() const {
        return std::ranges::count(tasks, true, &ModelTask::queued);
    }

 private:
    void owe(ModelTask& t, std::int64_t delta) {
        t.owed = std::max(-kLimit, std::min(kLimit, t.owed + delta));
    }
    void end_wait(ModelTask& t) {
        if (t.wait_start == 0) return;
        owe(t, std::min(2 * kLimit, fair_clock - t.wait_start) * t.weight / 1024);
        t.wait_start = 0;
    }
    static std::int64_t inverse_of_task(std::int64_t weight) {
        const auto* it =
            std::ranges::find(kNiceLoad, static_cast<std::uint64_t>(weight), &LoadWeight::weight);
        return static_cast<std::int64_t>(it->inv);
    }
    void set_key(ModelTask& t) {
        const std::int64_t size = t.owed < 0 ? -t.owed : t.owed;
        const auto back = static_cast<std::int64_t>(
            (static_cast<Wide>(size) * static_cast<Wide>(inverse_of_task(t.weight))) >> 22);
        t.key = fair_clock - (t.owed < 0 ? -back : back);
        t.order = ++insertions_;
    }
    [[nodiscard]] std::optional<std::size_t> leftmost() const {
        std::optional<std::size_t> first;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            if (!tasks[i].queued) continue;
            if (!first || std::pair{tasks[i].key, tasks[i].order} <
                              std::pair{tasks[*first].key, tasks[*first].order})
                first = i;
        }
        return first;
    }
    [[nodiscard]] std::int64_t granularity() const {
        const std::int64_t n = count();
        return n == 1 ? kLatency : std::max(kLatency / n - kLatency / n / n, kMinGran);
    }
    void compare(std::size_t other, std::int64_t gran) {
        const ModelTask& c = tasks[*curr];
        if (c.ran - c.ran_at_pick > std::max(kLatency / count(), kMinGran)) gran = 0;
        if (c.weight < 1024) gran = c.weight * gran / 1024;
        if (c.weight > 1024) gran = inverse_of_task(c.weight) * gran >> 22;
        if (c.key - tasks[other].key > gran) marked = true;
    }

    std::int64_t started_ = 0;
    std::uint64_t insertions_ = 0;
};

// Both, doing the same.
struct Pair {
    Pair() : w("V23", "one") {
        w.boot();
        for (std::size_t i = 0; i < model.tasks.size(); ++i) {
            model.tasks[i].batch = i == 5;
            w.add_task(0, i == 5 ? SchedPolicy::kBatch : SchedPolicy::kNormal);
            model.tasks[i].sleep_start = 1;
        }
    }
    void advance(std::int64_t ns) {
        model.now += ns;
        w.host.time = model.now;
        // The clock of 2.6.23 stops one tick after the last one.
        for (Rq& q : w.state().rqs) q.tick_timestamp = static_cast<std::uint64_t>(model.now);
    }
    void schedule() {
        SchedTask* prev = w.rq(0).curr;
        policy::schedule(*w.sched, CpuId{0}, prev);
        w.host.marked[0] = false;
        model.pick();
    }
    void wake(std::size_t i, bool sync) {
        if (model.tasks[i].queued) return;
        try_to_wake_up(*w.sched, *w.tasks[i],
                       {.this_cpu = CpuId{0}, .waker = w.rq(0).curr, .sync = sync});
        model.wake(i, sync);
        if (!model.curr) schedule();
    }
    void sleep() {
        if (!model.curr) return;
        model.dequeue(*model.curr, true);
        w.rq(0).curr->state = TaskState::kInterruptible;
        schedule();
    }
    void tick() {
        w.rq(0).tick_timestamp -= w.state().tick;
        w.sched->tick(CpuId{0});
        model.tick();
    }
    void yield() {
        if (!model.curr) return;
        w.sched->yield(CpuId{0});
        model.yield();
        schedule();
    }
    void renice(std::size_t i, int nice) {
        const auto index = static_cast<std::size_t>(nice + 20);
        const bool lowered = model.curr == i && nice > w.tasks[i]->nice;
        w.sched->set_policy(*w.tasks[i], w.tasks[i]->policy, static_cast<std::int8_t>(nice), 0);
        model.renice(i, static_cast<std::int64_t>(kNiceLoad[index].weight));
        if (lowered) model.marked = true;
    }
    void step(Prng& random) {
        advance(static_cast<std::int64_t>(random.below(3'000'000)));
        const auto i = static_cast<std::size_t>(random.below(6));
        switch (random.below(10)) {
            case 0:
            case 1:
            case 2:
                wake(i, random.below(2) == 0);
                break;
            case 3:
                sleep();
                break;
            case 4:
                yield();
                break;
            case 5:
                if (random.below(4) == 0) renice(i, static_cast<int>(random.below(13)) - 6);
                break;
            default:
                tick();
                break;
        }
        if (model.marked && random.below(3) != 0) schedule();
    }
    void compare(std::uint64_t seed, int at) {
        const std::string where = "seed " + std::to_string(seed) + " step " + std::to_string(at);
        const Rq& rq = w.rq(0);
        ASSERT_EQ(w.host.marked[0], model.marked) << where;
        ASSERT_EQ(rq.cfs.fair_clock, static_cast<std::uint64_t>(model.fair_clock)) << where;
        ASSERT_EQ(rq.cfs.sleeper_bonus, static_cast<std::uint64_t>(model.bonus)) << where;
        ASSERT_EQ(rq.load, static_cast<std::uint64_t>(model.total())) << where;
        ASSERT_EQ(rq.curr, model.curr ? w.tasks[*model.curr].get() : nullptr) << where;
        for (std::size_t i = 0; i < model.tasks.size(); ++i) {
            const ModelTask& t = model.tasks[i];
            const Entity& se = w.se(i);
            ASSERT_EQ(se.wait.owed, t.owed) << where << " task " << i;
            ASSERT_EQ(se.sum_exec, static_cast<std::uint64_t>(t.ran)) << where << " task " << i;
            if (t.queued) {
                ASSERT_EQ(static_cast<std::int64_t>(se.vruntime), t.key) << where << " task " << i;
            }
        }
    }

    TestWorld w;
    Model model;
};

TEST(WaitRuntimeReference, TwoWritingsAgreeStepByStep) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Pair pair;
        Prng random(seed, 0, 0);
        for (int i = 0; i < 400; ++i) {
            pair.step(random);
            pair.compare(seed, i);
            if (HasFatalFailure()) return;
        }
    }
}

// Nobody sleeps, so what some are owed the others owe: the sum of the debts, with the waits that
// are not yet credited, stays at what rounding leaves (a fair clock of 32 bits of inverse).
TEST(WaitRuntimeReference, DebtsOfHogsCancelOut) {
    Pair pair;
    for (std::size_t i = 0; i < 4; ++i) pair.wake(i, true);
    for (auto& t : pair.model.tasks) t.owed = 0;
    for (std::size_t i = 0; i < 6; ++i) pair.w.se(i).wait.owed = 0;
    for (int tick = 0; tick < 2000; ++tick) {
        pair.advance(4'000'000);
        pair.tick();
        if (pair.model.marked) pair.schedule();
        pair.compare(0, tick);
        std::int64_t sum = 0;
        for (const ModelTask& t : pair.model.tasks)
            sum += t.owed + (t.wait_start != 0 ? pair.model.fair_clock - t.wait_start : 0);
        ASSERT_LE(std::abs(sum), 64 * (tick + 1)) << "tick " << tick;
        if (HasFatalFailure()) return;
    }
    // Eight seconds, four hogs: two each, within a latency.
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_LE(std::abs(pair.model.tasks[i].ran - 2'000'000'000), kLatency) << i;
}

// Nice 0 and nice 5: 1024 : 335.
TEST(WaitRuntimeReference, HogsShareByWeight) {
    Pair pair;
    pair.renice(1, 5);
    pair.wake(0, true);
    pair.wake(1, true);
    for (int tick = 0; tick < 5000; ++tick) {
        pair.advance(4'000'000);
        pair.tick();
        if (pair.model.marked) pair.schedule();
    }
    const std::int64_t expected = 20'000'000'000 / 1359 * 1024;
    EXPECT_LE(std::abs(pair.model.tasks[0].ran - expected), 2 * kLatency);
    EXPECT_EQ(pair.w.se(0).sum_exec, static_cast<std::uint64_t>(pair.model.tasks[0].ran));
}

}  // namespace

}  // namespace wakelab::policy::cfs
