#!/usr/bin/env bash
# Configures a preset of CMakePresets.json and builds the given targets (none: everything), with ccache
# when it is installed.
#
#   scripts/build.sh PRESET [TARGET...]
set -euo pipefail

preset="${1:?usage: scripts/build.sh PRESET [TARGET...]}"
shift
cd "$(dirname "$0")/.."

configure=(cmake --preset "$preset")
if command -v ccache >/dev/null; then
    configure+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    # Another clone of the same sources finds its objects, too.
    export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
fi
targets=()
if [ $# -gt 0 ]; then
    targets=(--target "$@")
fi

echo "Building preset $preset: ${*:-everything}"
"${configure[@]}" >/dev/null
cmake --build "build/$preset" -j "$(nproc)" "${targets[@]}"
