#!/usr/bin/env bash
# The program as a process: exit status, which stream says what, and that a failed command leaves nothing
# behind. What commands print is tested in src/cli.
#
#   tests/cli/program_test.sh PATH_TO_WAKELAB
set -uo pipefail

wakelab="${1:?usage: tests/cli/program_test.sh PATH_TO_WAKELAB}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"      # no command may depend on where it is called
short=(--warmup 1ms --duration 5ms)
failures=0

# expect STATUS OUT_LINES ERR_LINES COMMAND...: numbers of lines are exact, "some" is one or more.
expect() {
    local status="$1" out="$2" err="$3"
    shift 3
    "$@" >out.txt 2>err.txt
    local got=$?
    [ "$got" -eq "$status" ] || complain "$*: expected status $status, got $got"
    check_lines out.txt "$out" "$*"
    check_lines err.txt "$err" "$*"
}

check_lines() {
    local lines
    lines="$(wc -l <"$1")"
    if [ "$2" = some ]; then
        [ "$lines" -gt 0 ] || complain "$3: expected text in $1"
    else
        [ "$lines" -eq "$2" ] || complain "$3: expected $2 lines in $1, got $lines: $(head -c 300 "$1")"
    fi
}

complain() {
    echo "FAILED: $1"
    failures=$((failures + 1))
}

# Answers go to stdout, and a command that is not on a terminal draws no progress bar.
expect 0 some 0 "$wakelab" --help
expect 0 1 0 "$wakelab" --version
expect 0 some 0 "$wakelab" list schedulers
expect 0 some 0 "$wakelab" run pgbench --clients 2 "${short[@]}"
expect 0 some 0 "$wakelab" run pgbench --clients 2 "${short[@]}" --json
expect 0 some 0 "$wakelab" search pgbench --clients 2 --seeds 2 "${short[@]}"

# Wrong input: one line on stderr, nothing on stdout, status 2.
expect 2 0 1 "$wakelab"
expect 2 0 1 "$wakelab" run no-such-workload
expect 2 0 1 "$wakelab" run pgbench --scheduler cfs-9
expect 2 0 1 "$wakelab" run pgbench --machine ./missing.toml
expect 2 0 1 "$wakelab" run pgbench --clients 0
expect 2 0 1 "$wakelab" search pgbench --over nothing
printf 'name = "x"\ncpus = "four"\n' >broken.toml
expect 2 0 1 "$wakelab" run pgbench --machine ./broken.toml
grep -q 'broken.toml' err.txt || complain "the error does not name the file: $(cat err.txt)"

# A full disk is an error, not a short report.
"$wakelab" list schedulers >/dev/full 2>err.txt
[ $? -eq 2 ] || complain "list >/dev/full: expected status 2"
check_lines err.txt 1 "list >/dev/full"

# Same seed, same bytes; another seed, other bytes.
"$wakelab" run pgbench --clients 2 "${short[@]}" --seed 1 --json >one.txt
"$wakelab" run pgbench --clients 2 "${short[@]}" --seed 1 --json >again.txt
"$wakelab" run pgbench --clients 2 "${short[@]}" --seed 2 --json >two.txt
cmp -s one.txt again.txt || complain "the same run printed different bytes"
! cmp -s one.txt two.txt || complain "another seed printed the same bytes"

[ "$failures" -eq 0 ] && echo "program_test: all as expected"
exit "$((failures > 0))"
