#!/usr/bin/env bash
# Makes a Python environment with the official Model Context Protocol client in it, where it is missing, and prints its interpreter. For tests.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=2.3.0
folder=$PWD/.build/mcp-client-$version
mkdir -p .build
# One at a time; whoever comes second finds it made.
exec 9>"$folder.lock"
flock 9
if ! [ -e "$folder/complete" ]; then
    rm -rf "$folder"
    # Debian's own interpreter, whatever else is on the path.
    /usr/bin/python3 -m venv "$folder" >&2
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "mcp==$version" >&2
    touch "$folder/complete"
fi
echo "$folder/bin/python"
