#!/usr/bin/env bash
# Installs what is missing, builds everything and runs the tests. Arguments go to `swift test` (for example --filter Store).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v swift >/dev/null || {
    echo "Deploy/test.sh: no swift on PATH. Install the Swift 6.3 toolchain, then run this again." >&2
    exit 69
}
bash Deploy/install-dependencies.sh

# Tests with real processes and sockets share two cores with each other: too many at once only wait for one another.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-4}
swift test "$@"
