#!/usr/bin/env bash
# Makes a Python environment with one published package in it, where it is missing, and prints its interpreter. For tests.
#   bash Deploy/python-client.sh NAME PACKAGE VERSION
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

name=$1 package=$2 version=$3
folder=$PWD/.build/$name-$version
mkdir -p .build
# One at a time; whoever comes second finds it made.
exec 9>"$folder.lock"
flock 9
if ! [ -e "$folder/complete" ]; then
    rm -rf "$folder"
    # Debian's own interpreter, whatever else is on the path.
    /usr/bin/python3 -m venv "$folder" >&2
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$package==$version" >&2 || {
        echo "Deploy/python-client.sh: $package $version cannot be fetched; the package index must be reachable once" >&2
        exit 69
    }
    touch "$folder/complete"
fi
echo "$folder/bin/python"
