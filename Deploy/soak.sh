#!/usr/bin/env bash
# Things that the tests do in small. Prints progress and summaries; exits with 1 on a violation. Takes hours; smaller by the variables.
#
# Simulated runs: devices, a service, networks, disks, clocks and people from 100,000 seeds; and code that is broken on purpose, each variant
# caught within 10,000 seeds. What fails is shrunk and written to .build/soak-failures.
#
#     SLUICE_SOAK_SEEDS=100000      simulated runs
#     SLUICE_SOAK_VARIANT_SEEDS=10000
#
# 32 writers and three readers on one zone, on each storage of the record service: every version seen once.
#
#     SLUICE_SOAK_FEED=600        seconds per storage
#
# Migrations cut off again and again: a three-stage migration of many rows, killed at every failpoint and at random moments, and on a disk that
# fails at every write of a small store and at a sample of a large one's. After each the store is wholly the old one or wholly the new one, sound,
# and the next attempt completes it.
#
#     SLUICE_SOAK_ROWS=100000     rows of the large store
#     SLUICE_SOAK_SMALL_ROWS=1000 rows of the store of which every write fails once
#     SLUICE_SOAK_KILLS=200       kills at random moments
#     SLUICE_SOAK_WRITES=40       failing writes of the large store
#     SLUICE_SEED=1               which moments and writes
#
# Many rows saved in one transaction, pushed by one coordinator and read on the other side while they come.
#
#     SLUICE_SOAK_BULK_ROWS=80000
#
# Two coordinators and a service behind a network that fails, all of them killed at random moments while both sides edit the same records.
#
#     SLUICE_SOAK_CONTENTION_KILLS=200   of each process
#
# One coordinator with very many accounts, some of them broken or slow: what each costs, and that none waits for another.
#
#     SLUICE_SOAK_ACCOUNTS=1000
#
# Bytes that are a little wrong, or very, to everything that reads any: JSON, records, configuration, the record service, the control socket.
#
#     SLUICE_SOAK_FUZZ=1800       seconds in all
#     SLUICE_SEED                 which bytes; drawn where it is not set, and printed
#
# The service with a file, one of two services on PostgreSQL, and PostgreSQL itself, killed at random moments while eight writers write.
#
#     SLUICE_SOAK_SERVICE_KILLS=200   of each
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

command -v swift >/dev/null || {
    echo "Deploy/soak.sh: no swift on PATH. Install the Swift 6.3 toolchain, then run this again." >&2
    exit 69
}
swift build -c release --product sluice-simulate 2>&1 | tail -n 1
simulate=$(swift build -c release --show-bin-path)/sluice-simulate
"$simulate" --seeds "${SLUICE_SOAK_SEEDS:-100000}" --workers "$(nproc)" --save .build/soak-failures
"$simulate" --variants --seeds "${SLUICE_SOAK_VARIANT_SEEDS:-10000}"

swift build --build-tests 2>&1 | tail -n 1
progress=$(mktemp)
log=$(mktemp)
tail -f "$progress" &
trap 'kill %1 2>/dev/null || true; rm -f "$progress" "$log"' EXIT

# Failpoints and failing disks are in debug builds only, so this runs as a test.
code=0
SLUICE_SOAK="$progress" swift test --skip-build --filter MigrationSoakTests >"$log" 2>&1 || code=$?
sleep 1
summaries=$(grep -c '^soak: summary: ' "$progress" || true)
if [ "$code" -ne 0 ] || [ "$summaries" -ne 4 ]; then
    grep -E '^✘|^↳|Violation|error:' "$log" >&2 || tail -n 40 "$log" >&2
    echo "Deploy/soak.sh: a violation, or a run that did not end: see above" >&2
    exit 1
fi
echo "Deploy/soak.sh: no violation in $summaries runs"

# The same log, for what prints no progress of its own.
run() {
    if ! swift test --skip-build --filter "$1" >"$log" 2>&1; then
        grep -E '^✘|^↳|error:' "$log" >&2 || tail -n 40 "$log" >&2
        echo "Deploy/soak.sh: $2: see above" >&2
        exit 1
    fi
}
SLUICE_FEED_SECONDS="${SLUICE_SOAK_FEED:-600}" run 'FeedStorageTests/.*32 writers.*' 'a feed that skipped, repeated or collided'
echo "Deploy/soak.sh: every version of every record came once"
SLUICE_SOAK_BULK_ROWS="${SLUICE_SOAK_BULK_ROWS:-80000}" run BulkTests 'rows of one transaction that did not arrive as they should'
echo "Deploy/soak.sh: ${SLUICE_SOAK_BULK_ROWS:-80000} rows of one transaction arrived"
SLUICE_SOAK_CONTENTION_KILLS="${SLUICE_SOAK_CONTENTION_KILLS:-200}" SLUICE_SEED="${SLUICE_SEED:-1}" run ContentionTests 'devices that do not agree'
echo "Deploy/soak.sh: two devices agreed after ${SLUICE_SOAK_CONTENTION_KILLS:-200} kills of each process"
SLUICE_SOAK_ACCOUNTS="${SLUICE_SOAK_ACCOUNTS:-1000}" run ManyAccountsTests 'accounts that cost too much, or waited for others'
grep '^many accounts' "$log"
seed="${SLUICE_SEED:-$RANDOM}"
echo "Deploy/soak.sh: fuzzing with SLUICE_SEED=$seed"
SLUICE_SEED="$seed" SLUICE_FUZZ_SECONDS="${SLUICE_SOAK_FUZZ:-1800}" run FuzzTests "bytes that something did not stand (SLUICE_SEED=$seed)"
echo "Deploy/soak.sh: nothing fell over in ${SLUICE_SOAK_FUZZ:-1800} s of fuzzing"
kills="${SLUICE_SOAK_SERVICE_KILLS:-200}"
SLUICE_SEED="$seed" SLUICE_SERVICE_KILLS="$kills" run 'ServeTests/.*kill -9.*' "records that were lost or doubled (SLUICE_SEED=$seed)"
[ "$(grep -c "^kills of .*: $kills, " "$log")" -eq 3 ] || { echo "Deploy/soak.sh: the kills of a service did not run" >&2; exit 1; }
echo "Deploy/soak.sh: no acknowledged record was lost or doubled by $kills kills each of a service with a file, one of two, and PostgreSQL"
