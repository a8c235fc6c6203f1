#!/usr/bin/env bash
# Builds the libFuzzer targets with clang and runs each one, starting from its corpus in tests/fuzz/corpus and
# from the real files in tests/data/trace. Ends with 1 at the first input that crashes, hangs for 10 s or takes
# more than 512 MB; the input stays in build/fuzz/found/.
#
#   scripts/fuzz.sh [SECONDS]       for each target; default WAKELAB_FUZZ_SECONDS or 5
set -euo pipefail
cd "$(dirname "$0")/.."
seconds="${1:-${WAKELAB_FUZZ_SECONDS:-5}}"

if ! command -v clang++-14 >/dev/null ||
   [ -z "$(find "$(clang++-14 -print-resource-dir)" -name 'libclang_rt.fuzzer-*.a' -print -quit)" ]; then
    echo "SKIP: needs clang-14 and libclang-rt-14-dev"
    exit 77
fi
scripts/build.sh fuzz fuzzers

# Freed blocks that the sanitizer holds back are no memory of the program.
export ASAN_OPTIONS="quarantine_size_mb=32${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
status=0
found="build/fuzz/found"
mkdir -p "$found"
for target in build/fuzz/tests/fuzz/*_fuzz; do
    name="$(basename "$target")"
    folder="${name%_fuzz}"
    # New inputs go to a folder of their own: the corpus in the repository changes by hand only.
    fresh="$(mktemp -d)"
    inputs=("$fresh")
    for seeds in "tests/fuzz/corpus/$folder" "tests/data/trace/$folder"; do
        if [ -d "$seeds" ]; then inputs+=("$seeds"); fi
    done
    echo "$name: $seconds s from ${inputs[*]:1}"
    if ! "$target" -max_total_time="$seconds" -rss_limit_mb=512 -timeout=10 -max_len=65536 \
            -artifact_prefix="$found/$folder-" -print_final_stats=1 "${inputs[@]}" \
            >"$found/$folder.log" 2>&1; then
        echo "FAILED: $name"
        tail -40 "$found/$folder.log"
        status=1
    fi
    grep -E 'number_of_executed_units|peak_rss' "$found/$folder.log" || true
    rm -rf "$fresh"
done
exit "$status"
