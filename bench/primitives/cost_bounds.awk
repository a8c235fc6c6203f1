# Bounds of the pgbench cost parameters on the Q6600, from the tables of scripts/measure-pgbench-costs
# (files primitives, accounts, instructions, gaps in this order).
#
# Known: a backend's user time on the Q6600 lies in 40..60 us. User time of the driver follows from the
# ratio of instructions; the backend of 8.3 may have needed as little as 60 % of today's instructions
# (assumed). Kernel time scales by the user time of the backend here and there, after the entry and exit
# of the call is taken off: with page-table isolation that part costs several times what it did in 2008
# (there 100..200 ns).
BEGIN { known_lo = 40000; known_hi = 60000; older = 0.6; entry_lo = 100; entry_hi = 200 }

FILENAME == "primitives" { ns[$1] = $2 }
FILENAME == "accounts" { ticks_driver[$1, $2] = $4; ticks_backend[$1, $2] = $6 }
FILENAME == "instructions" { count[$1, $2] = $3; batch[$1, $2] = $4 }
FILENAME == "gaps" {
    driver[$1, $2] = $3; backend[$1, $2] = $9
    if (shortest == 0 || $9 < shortest) shortest = $9
    if ($9 > longest) longest = $9
}

function row(name, lo, hi, how) { printf "%-24s %6.0f .. %-6.0f %s\n", name, lo, hi, how }
function user_row(name, instructions, how) { row(name, instructions * lo, instructions * hi, how) }
function kernel_row(name, here) { row(name, here * slow + entry_lo, here * fast + entry_hi, "ns here " here) }
function per_loop(n) { return 1 / batch["select-loop", n] }

# instructions per transaction = reply + (loop + clients * per_client) / replies per loop, at 1, 8 and 50
# clients: three equations for three unknowns.
function solve(    a, b, c, d, e, f) {
    a = per_loop(8) - per_loop(1);   b = 8 * per_loop(8) - per_loop(1)
    c = per_loop(50) - per_loop(1);  d = 50 * per_loop(50) - per_loop(1)
    e = count["select-loop", 8] - count["select-loop", 1]
    f = count["select-loop", 50] - count["select-loop", 1]
    loop = (e * d - b * f) / (a * d - b * c)
    per_client = (a * f - e * c) / (a * d - b * c)
    reply = count["select-loop", 1] - (loop + per_client) * per_loop(1)
}

END {
    lo = known_lo / count["backend", 1]
    hi = known_hi / count["backend", 1] / older
    solve()
    printf "ns per instruction %.2f .. %.2f\n", lo, hi
    user_row("driver_reply", reply, sprintf("%.0f instructions", reply))
    user_row("driver_loop", loop, sprintf("%.0f instructions", loop))
    user_row("driver_loop_per_client", per_client, sprintf("%.0f instructions", per_client))
    user_row("pgbench-15, all user", count["pgbench-15", 8], "upper bound of reply and loop together")
    slow = known_lo / longest
    fast = known_hi / shortest
    printf "backend user here %.0f .. %.0f us: factor %.2f .. %.2f\n", shortest / 1000, longest / 1000, slow, fast
    row("select_per_fd", ns["select_per_fd"] * slow, ns["select_per_fd"] * fast, "")
    kernel_row("select, fixed", ns["select_1"] - ns["select_per_fd"] - ns["null_call"])
    kernel_row("send, no wake-up", ns["send"] - ns["null_call"])
    kernel_row("recv", ns["recv"] - ns["null_call"])
    printf "send : recv %.2f, without entry and exit %.2f\n", ns["send"] / ns["recv"], \
        (ns["send"] - ns["null_call"]) / (ns["recv"] - ns["null_call"])
    print "driver user : backend user per transaction at 1, 8, 50 clients"
    for (i = 1; i <= 2; ++i) {
        name = (i == 1) ? "pgbench-15" : "select-loop"
        printf "  %-12s instructions %s   probe %s   accounting %s\n", name, instruction_ratios(name),
            ratios(driver, backend, name), ratios(ticks_driver, ticks_backend, name)
    }
}

function three(a, b, c) { return sprintf("%.3f %.3f %.3f", a, b, c) }
function instruction_ratios(name,    b) {
    b = count["backend", 1]
    return three(count[name, 1] / b, count[name, 8] / b, count[name, 50] / b)
}
function ratio(a, b, name, n) { return b[name, n] ? a[name, n] / b[name, n] : 0 }
function ratios(a, b, name) {
    return three(ratio(a, b, name, 1), ratio(a, b, name, 8), ratio(a, b, name, 50))
}
