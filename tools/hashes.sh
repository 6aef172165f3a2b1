#!/bin/sh
# One state hash everywhere: all shipped scenes with shells or beams on 1, 2 and 7 threads and on a device.
#   tools/hashes.sh DEVICE [STEPS [SECONDS]]
# STEPS at most of each scene (1500), and as many as the device takes in SECONDS (5) where these are fewer: pocl is slow.  DEVICE: a
# number or a part of a name, as `visviva info` tells.  Ends with 1 where one differs, or where a scene is refused for no reason that
# docs/accelerators.md knows.
set -eu
cd "$(dirname "$0")/.."
device=${1:?device} steps=${2:-1500} seconds=${3:-5} program=${BENCH_HASH:-build/release/bench/bench_hash}
[ -x "$program" ] || { echo "make bench_hash first" >&2; exit 2; }
scenes=$(grep -rlE '(kind|type): *(shell|beam)' examples --include='*.yaml' | sort)
out=$(mktemp)
trap 'rm -f "$out"' EXIT
status=0
# shellcheck disable=SC2086
"$program" "$device" "$steps:$seconds" $scenes >"$out" || status=$?
cat "$out"
if grep 'refused:' "$out" | grep -v 'do not run on a device yet'; then
  echo "refused for another reason" >&2
  exit 1
fi
exit $status
