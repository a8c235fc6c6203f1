# One row of the table of scripts/measure-pgbench-costs from the lines of socket_probe:
#   program pid from to count median
# Medians of several processes are averaged, weighted by their counts.
{
    side = ($1 == "postgres") ? "backend" : "driver"
    key = side " " $3 " " $4
    count[key] += $5
    sum[key] += $5 * $6
    if ($4 != "call") user[side] += $5 * $6
}

function median(key) { return count[key] ? sum[key] / count[key] : 0 }

END {
    tx = count["driver send call"]
    loops = count["driver wait call"]
    if (tx == 0 || loops == 0 || count["backend send call"] == 0) {
        print "socket_probe wrote nothing for " name " with " n " clients"
        exit 1
    }
    # reply: from recv() to the send() of the next query. loop: around the waiting call.
    printf "%-12s %7d %8.0f %6.0f %6.0f %13.2f %7.0f %7.0f %17.0f %8.0f %7.0f %7.0f\n", name, n,
        user["driver"] / tx, median("driver recv send"),
        median("driver send wait") + median("driver wait recv"), tx / loops,
        median("driver send call"), median("driver recv call"),
        user["backend"] / count["backend send call"], median("backend recv send"),
        median("backend send call"), median("backend recv call")
}
