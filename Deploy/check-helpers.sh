#!/usr/bin/env bash
# Builds the helpers as the fully static executables that they are installed as, and looks into each: no library of the network or of TLS may be
# in one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Read from a file, never from a pipe: a search that ends at its first hit would end `nm` with SIGPIPE, and so the pipe with a failure.
symbols=$(mktemp)
trap 'rm -f "$symbols"' EXIT

bash Deploy/build-helpers.sh
for helper in sluice-glance sluice-mcp; do
    program=.build-static/release/$helper
    if ldd "$program" >/dev/null 2>&1; then
        echo "Deploy/check-helpers.sh: $helper is a dynamic executable; it must be static" >&2
        exit 1
    fi
    # Symbols stay in a release: with none to look at, nothing would be proved.
    nm "$program" >"$symbols"
    grep -q ' sqlite3_open_v2$' "$symbols" || {
        echo "Deploy/check-helpers.sh: $helper shows no symbols" >&2
        exit 1
    }
    if grep -E ' (curl_easy_|SSL_|EVP_|gnutls_|MHD_|PQconnect)' "$symbols"; then
        echo "Deploy/check-helpers.sh: $helper holds a network or TLS library; a helper must not" >&2
        exit 1
    fi
    echo "$helper: static, no network or TLS library"
done
