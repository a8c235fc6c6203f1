#!/usr/bin/env bash
# Installs the Debian packages of scripts/packages.txt that are missing; touches nothing when none is.
#
#   scripts/install-deps.sh build|test
set -euo pipefail

stage="${1:?usage: scripts/install-deps.sh build|test}"
list="$(dirname "$0")/packages.txt"

wanted() {
    awk -v stage="$stage" '!/^#/ && NF > 2 && ($2 == "build" || stage == "test") {print $1}' "$list"
}

is_installed() {
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

if ! command -v dpkg-query >/dev/null; then
    echo "Not a Debian system: install what docs/dependencies.md lists, if the build stops below."
    exit 0
fi

missing=()
for package in $(wanted); do
    is_installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
    echo "All packages of scripts/packages.txt are installed."
    exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "Missing packages and neither root nor sudo. As root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "Installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}"
