#include <cstdio>
#include <cstdlib>
#include <cstring>
#include "lab/run.hpp"
// temporary driver
int main(int argc, char** argv) {
    wakelab::lab::RunSpec spec;
    for (int i = 1; i + 1 < argc; i += 2) {
        std::string k = argv[i], v = argv[i + 1];
        if (k == "-c") spec.clients = atoi(v.c_str());
        if (k == "-m") spec.machine = v;
        if (k == "-s") spec.scheduler = v;
        if (k == "-f") spec.features.push_back(v);
        if (k == "-w") spec.scenario = v;
        if (k == "-b") spec.batch.push_back(v);
        if (k == "-S") spec.seed = atoi(v.c_str());
    }
    auto r = wakelab::lab::run(spec);
    if (!r) { fprintf(stderr, "%s\n", r.error().message.c_str()); return 2; }
    auto& c = r->counters; double n = c.work_units ? c.work_units : 1;
    printf("rate %.0f batch %.2f sw %.2f mig %.3f spur %.3f early %.3f preempt %.3f ev/tx %.2f events %lu exit %s\n", r->rate, n / c.batches, c.switches / n, c.migrations / n, c.spurious_wakeups / n, c.early_wakeups / n, c.preemptions / n, c.events / n, c.events, r->exit.c_str());
    for (auto b : r->busy_ns) printf(" %.3f", (double)b / r->duration_ns);
    printf("\n");
}
