#!/usr/bin/env bash
# Builds helpers as the fully static executables that they are installed as: .build-static/release/NAME. Arguments: names (default: all of them).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ $# -gt 0 ] || set -- sluice-glance sluice-mcp
for helper in "$@"; do
    # What a start touches lies together: a helper lives for two milliseconds, and most of them would go to bringing in its pages.
    # Deploy/order-helpers.py makes the list; a name in it that is gone does no harm.
    swift build -c release --scratch-path .build-static --product "$helper" -Xswiftc -static-executable -Xswiftc -use-ld=lld \
        -Xlinker --symbol-ordering-file=Deploy/helpers.order -Xlinker --no-warn-symbol-ordering 2>&1 | tail -n 1
    # The linker writes here and there, and the kernel keeps such a file in small pieces. A copy is written, and mapped, in large ones.
    cp ".build-static/release/$helper" ".build-static/release/$helper.copy"
    mv ".build-static/release/$helper.copy" ".build-static/release/$helper"
done
