#!/usr/bin/env bash
# Builds the libFuzzer targets with clang and runs each one, starting from its corpus in tests/fuzz/corpus and
# from the real files in tests/data/trace. Ends with 1 at the first input that crashes, hangs for 10 s or takes
# more than 512 MB; the input stays in build/fuzz/found/.
#
#   scripts/fuzz.sh [SECONDS] [SEED]     for each target; default WAKELAB_FUZZ_SECONDS or 60, and seed 1: a test that
#                                        fails today fails tomorrow. 0: another way each time
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-${WAKELAB_FUZZ_SECONDS:-60}}"
seed="${2:-1}"

if ! command -v clang++-14 >/dev/null ||
   [ -z "$(find "$(clang++-14 -print-resource-dir)" -name 'libclang_rt.fuzzer-*.a' -print -quit)" ]; then
    echo "SKIP: needs clang-14 and libclang-rt-14-dev"
    exit 77
fi
scripts/build.sh fuzz fuzzers

# Freed blocks that the sanitizer holds back are no memory of the program.
export ASAN_OPTIONS="quarantine_size_mb=32${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
found="build/fuzz/found"
mkdir -p "$found"

# One target; its output goes to a log, and to the screen if it fails.
run_target() {
    local target="$1" seconds="$2" found="$3" seed="$4" name folder fresh seeds
    name="$(basename "$target")"
    folder="${name%_fuzz}"
    # New inputs go to a folder of their own: the corpus in the repository changes by hand only.
    fresh="$(mktemp -d)"
    local inputs=("$fresh") status=0
    for seeds in "tests/fuzz/corpus/$folder" "tests/data/trace/$folder"; do
        if [ -d "$seeds" ]; then inputs+=("$seeds"); fi
    done
    "$target" -seed="$seed" -max_total_time="$seconds" -rss_limit_mb=512 -timeout=10 -max_len=65536 \
        -artifact_prefix="$found/$folder-" -print_final_stats=1 "${inputs[@]}" \
        >"$found/$folder.log" 2>&1 || status=1
    rm -rf "$fresh"
    echo "$name, $seconds s from ${inputs[*]:1}:" \
        $(grep -E 'number_of_executed_units|peak_rss' "$found/$folder.log" | tr -s ' ')
    if [ "$status" -ne 0 ]; then
        echo "FAILED: $name"
        tail -40 "$found/$folder.log"
    fi
    return "$status"
}
export -f run_target
printf '%s\0' build/fuzz/tests/fuzz/*_fuzz |
    xargs -0 -P "$(nproc)" -I {} bash -c 'run_target "$@"' _ {} "$seconds" "$found" "$seed"
