#!/usr/bin/env bash
# Installs the Debian packages that building and testing need, where they are missing. Needs root only then.
set -euo pipefail

packages=(
    libsqlite3-dev libssl-dev libcurl4-openssl-dev libmicrohttpd-dev libgnutls28-dev libyaml-dev libplist-dev zlib1g-dev libpq-dev
    pkg-config sqlite3 curl ca-certificates
    # Tests start a PostgreSQL server of their own.
    postgresql
    # Tests make certificates, become another user, mount small disks and look into executables.
    openssl util-linux mount binutils
    # Stands before a record service in tests.
    nginx-light
    # What helpers print is tried in the shells and programs that read it.
    zsh fish tmux groff-base
    # The official client of the protocol that sluice-mcp speaks, and a published one of the record service's.
    python3 python3-venv
)

missing=()
for package in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

echo "installing: ${missing[*]}" >&2
as_root=()
if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq >&2
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
