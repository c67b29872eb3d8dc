#!/usr/bin/env bash
# From a clone to two synced devices: installs what is missing, builds, starts a record service with a development certificate and a
# coordinator with two devices of one user, imports a legacy store on the first, and shows what a helper of another user reads.
#
#   bash Deploy/quickstart.sh [--once] [--legacy FILE] [--dir DIRECTORY]
#
#   --once         stop everything at the end; the folder stays, and a second run goes on with it
#   --legacy FILE  import this Core Data or SwiftData store instead of the sample, and print its row counts as a helper sees them
#   --dir DIR      where everything lies; default /var/tmp/sluice-quickstart-<user>. Other users must be able to enter it
#
# SLUICE_PROGRAMS=DIR takes programs that were built before instead of building them; SLUICE_BUILD=debug builds for debugging.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

once=false legacy="" folder="/var/tmp/sluice-quickstart-$(id -un)"
usage() { sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
while [ $# -gt 0 ]; do
    case $1 in
        --once) once=true ;;
        --legacy) [ $# -gt 1 ] || { echo "quickstart: --legacy needs a file" >&2; exit 64; }; legacy=$(realpath -- "$2"); shift ;;
        --dir) [ $# -gt 1 ] || { echo "quickstart: --dir needs a directory" >&2; exit 64; }; folder=$(realpath -m -- "$2"); shift ;;
        -h | --help) usage; exit 0 ;;
        *) echo "quickstart: unknown argument $1" >&2; usage >&2; exit 64 ;;
    esac
    shift
done
if [ -n "$legacy" ] && [ ! -f "$legacy" ]; then echo "quickstart: $legacy: there is no such file" >&2; exit 66; fi

step() { printf '\n== %s\n' "$*"; }
fail() { echo "quickstart: $*" >&2; exit 1; }

step "1. What is needed"
[ -n "${SLUICE_PROGRAMS:-}" ] || command -v swift >/dev/null || { echo "quickstart: no swift on PATH. Install the Swift 6.3 toolchain, then run this again." >&2; exit 69; }
bash "$repository/Deploy/install-dependencies.sh"
echo "toolchain and libraries are there"

step "2. Build"
cd "$repository"
if [ -n "${SLUICE_PROGRAMS:-}" ]; then
    programs=$(realpath -- "$SLUICE_PROGRAMS") || fail "$SLUICE_PROGRAMS: there is no such directory"
    glance="$programs/sluice-glance"
    echo "taken from $programs"
else
    configuration=${SLUICE_BUILD:-release}
    scratch=.build
    [ "$configuration" = debug ] || scratch=.build-release
    for product in sluice sluiced sluice-records; do
        swift build -c "$configuration" --scratch-path "$scratch" --product "$product" 2>&1 | tail -n 1
    done
    # Helpers are static executables: they start in milliseconds and link no network library.
    bash Deploy/build-helpers.sh sluice-glance
    programs="$repository/$scratch/$configuration"
    glance=.build-static/release/sluice-glance
fi
mkdir -p "$folder" || fail "cannot make $folder"
[ -O "$folder" ] || fail "$folder belongs to somebody else: name another place with --dir"
chmod 755 "$folder"
mkdir -p "$folder/bin"
install -m 755 "$glance" "$folder/bin/sluice-glance"
ldd "$folder/bin/sluice-glance" 2>&1 | sed 's/^[[:space:]]*/sluice-glance: /' || true

step "3. A record service on embedded SQLite, with a certificate of its own"
container=iCloud.quickstart
records=(--data "$folder/records" --container "$container" --environment development)
mkdir -p "$folder/log"
[ -f "$folder/certificates/server.pem" ] || "$programs/sluice-records" dev-cert --out "$folder/certificates" localhost 127.0.0.1 >/dev/null 2>&1
[ -d "$folder/records" ] || "$programs/sluice-records" init "${records[@]}" >/dev/null 2>&1
pids=()
stop_all() {
    for pid in "${pids[@]}"; do kill -TERM "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
}
trap stop_all EXIT
# The port is chosen once: rows belong to one service, and its address is part of that.
port=$(cat "$folder/port" 2>/dev/null || echo 0)
"$programs/sluice-records" serve --data "$folder/records" --port "$port" --certificate "$folder/certificates/server.pem" \
    --key "$folder/certificates/server.key" >"$folder/log/records.out" 2>"$folder/log/records.log" &
pids+=($!)
for _ in $(seq 100); do
    grep -q '^listening on' "$folder/log/records.out" && break
    kill -0 "${pids[0]}" 2>/dev/null || { cat "$folder/log/records.log" >&2; fail "the record service did not start"; }
    sleep 0.1
done
url=$(sed -n 's/^listening on //p' "$folder/log/records.out")
[ -n "$url" ] || fail "the record service did not start in time: see $folder/log/records.log"
echo "${url##*:}" >"$folder/port"
echo "listening on $url"

step "4. A legacy store, and a schema made from it"
mkdir -p "$folder/legacy" "$folder/config/accounts.d" "$folder/config/credentials"
if [ -z "$legacy" ]; then
    name=shopping
    source_file="$folder/legacy/shopping.store"
    [ -f "$source_file" ] || sqlite3 "$source_file" <"$repository/Config/legacy/shopping.sql"
else
        name=$(basename "$legacy" | sed 's/\.[^.]*$//' | tr -c 'A-Za-z0-9\n' '-')
        source_file=$legacy
fi
mkdir -p "$folder/config/schemas/$name"
schema=$(find "$folder/config/schemas/$name" -name '*.yaml' | sort | tail -n 1)
if [ -z "$schema" ]; then
    "$programs/sluice" import --inspect "$source_file" --schema-name "$name" >"$folder/log/schema" 2>"$folder/log/inspect-$name.txt"
    # Schema files are named by their version.
    schema="$folder/config/schemas/$name/$(sed -n 's/^version: //p' "$folder/log/schema").yaml"
    mv "$folder/log/schema" "$schema"
fi
echo "$source_file"
echo "schema: $schema"

step "5. Two devices of one user: only the first has the legacy store"
write_account() { # device, legacy section
    local token="$folder/config/credentials/$1"
    if [ ! -f "$token" ]; then
        (umask 077 && "$programs/sluice-records" token issue --user ann --holder "$1" "${records[@]}" >"$token")
    fi
    cat >"$folder/config/accounts.d/$1.yaml" <<YAML
service:
  url: $url
  container: $container
  environment: development
  authoritiesFile: $folder/certificates/ca.pem
credentials:
  userTokenFile: $token
schema:
  path: $folder/config/schemas/$name
synced:
  stateDirectory: $folder/state/$1
local:
  group: $1
  groupsDirectory: $folder/groups
$group_line
$2
YAML
}
# Helpers are the members of a Unix group; as root we can show one who is another user.
group_line="" helper=() helper_name="$(id -un), since only root can become another user"
if [ "$(id -u)" -eq 0 ]; then
    group_line="  unixGroup: nogroup"
    helper=(runuser -u nobody -g nogroup --)
    helper_name=nobody
fi
suffix=$([ -z "$legacy" ] && echo "" || echo "-$name")
first="phone$suffix" second="laptop$suffix"
write_account "$first" "legacy:
  sources:
    - path: $source_file"
write_account "$second" ""
"$programs/sluice" config check "$folder/config"

step "6. The coordinator: copies the legacy store, imports it, syncs"
"$programs/sluiced" --config "$folder/config" 2>"$folder/log/sluiced.log" &
pids+=($!)
sluice() { "$programs/sluice" "$@" --config "$folder/config"; }
for device in "$first" "$second"; do
    for attempt in $(seq 300); do
        code=0
        sluice sync --account "$device" >/dev/null 2>"$folder/log/sync.txt" || code=$?
        [ "$code" -eq 0 ] && break
        kill -0 "${pids[1]}" 2>/dev/null || { tail -n 20 "$folder/log/sluiced.log" >&2; fail "the coordinator ended"; }
        [ "$attempt" -lt 300 ] || { cat "$folder/log/sync.txt" >&2; fail "$device does not come into step"; }
        sleep 0.2
    done
done
# What the first device sent last may have come after the second one looked.
sluice sync --account "$second" >/dev/null
sluice status || true

step "7. Both devices hold the same records"
digest() { sluice status --account "$1" --digest | sed -n 's/^digest //p'; }
echo "$first  $(digest "$first")"
echo "$second $(digest "$second")"
[ "$(digest "$first")" = "$(digest "$second")" ] || fail "the digests differ: see $folder/log"

step "8. What a helper of another user ($helper_name) reads on the second device, without credentials"
glance() { "${helper[@]}" "$folder/bin/sluice-glance" "$@" --groups-dir "$folder/groups" --group "$second"; }
glance status
if [ -z "$legacy" ]; then
    glance list ShoppingItem --order name --format table
else
        sed -n 's/^  \([A-Za-z_][A-Za-z0-9_]*\):$/\1/p' "$schema" | while read -r entity; do
            printf '%s %s\n' "$entity" "$(glance count "$entity")"
        done
fi

if $once; then
    step "Stopped. Everything is in $folder; run this again to go on with it."
    exit 0
fi
step "Running. Try:"
cat <<TEXT
  $programs/sluice status --config $folder/config
  $programs/sluice put ShoppingItem id=\$(cat /proc/sys/kernel/random/uuid) name=Tea quantity=1 isChecked=false \\
      createdAt=2026-01-01T00:00:00Z --account $first --config $folder/config
  ${helper[*]} $folder/bin/sluice-glance list ShoppingItem --groups-dir $folder/groups --group $second
Ctrl-C stops everything; the folder $folder stays.
TEXT
wait "${pids[@]}"
