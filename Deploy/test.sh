#!/usr/bin/env bash
# Installs what is missing, builds everything and runs the tests. Arguments go to `swift test` (for example --filter Store).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v swift >/dev/null || {
    echo "Deploy/test.sh: no swift on PATH. Install the Swift 6.3 toolchain, then run this again." >&2
    exit 69
}
bash Deploy/install-dependencies.sh
# The official client that sluice-mcp is tried with; its test would make it too, while others wait.
bash Deploy/mcp-client.sh >/dev/null
# A client of the record service's dialect that nobody here wrote.
bash Deploy/cloudkit-client.sh >/dev/null

# Tests with real processes and sockets share two cores with each other: too many at once only wait for one another.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}
# Nobody steps through these programs: without what a debugger needs, and each module as a whole, they are built sooner.
build=(-debug-info-format none -Xswiftc -wmo -Xswiftc -num-threads -Xswiftc 1)
swift test "${build[@]}" "$@"
if [ $# -gt 0 ]; then exit 0; fi

# Helpers are static executables without a network or TLS library in them. Looked at beside what follows: neither needs the other.
data=$(mktemp -d)
bash Deploy/check-helpers.sh >"$data/helpers" 2>&1 &
helpers=$!
trap 'kill "$helpers" 2>/dev/null || true; rm -rf "$data"' EXIT

# A package of somebody else's, that names this one by path, builds and runs the README's example and a file that says `import SwiftData`.
second=(swift run --quiet "${build[@]}" --package-path Tests/SecondPackage --scratch-path .build-second)
expect() {
    local printed
    printed=$(XDG_DATA_HOME="$data" "${second[@]}" "$1" 2>"$data/errors") || { cat "$data/errors" >&2; exit 1; }
    [ "$printed" = "$2" ] || { echo "Deploy/test.sh: $1 printed $printed instead of $2" >&2; exit 1; }
}
expect Example '["milk"]'
expect Unchanged '["Lyon on the way to Turin"]'
echo "second package: builds by path, runs the README's example"

wait "$helpers" || { cat "$data/helpers" >&2; exit 1; }
cat "$data/helpers"
