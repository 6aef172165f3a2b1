#!/usr/bin/env bash
# What a case of a sweep costs beside its steps: tiny cases, CPU time of one worker, then wall time over the ranks of an MPI job.
#   bench/sweep.sh VISVIVA [VISVIVA_MPI MPIEXEC [RANKS]]       CASES (20,000), of the MPI job a tenth
set -euo pipefail
program=$1 mpi=${2:-} launch=${3:-mpiexec} ranks=${4:-2} cases=${CASES:-20000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/scene.yaml" <<'EOF'
visviva: 1
time: {end: 0.01, step: 0.01}
bodies:
  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, velocity: [1, 0, 0]}
EOF
plan() {
  printf 'visviva-sweep: 1\nscene: scene.yaml\nseed: 1\ndraws: %d\nvary: {bodies.ball.velocity: {direction: 1.3}}\nmeasure: {energy: ledger.total}\n' "$1" >"$folder/plan.yaml"
  "$program" sweep new "$folder/plan.yaml" -o "$folder/$2" >/dev/null
}
TIMEFORMAT='%U %S %R'
told() { awk -v n="$1" -v what="$2" '{ printf "%s: %d cases, %.3f ms of CPU and %.3f ms of wall a case\n", what, n, 1e3 * ($1 + $2) / n, 1e3 * $3 / n }'; }
plan "$cases" one
{ time "$program" sweep run "$folder/one" --jobs 1 -q >/dev/null; } 2>&1 | tail -n 1 | told "$cases" "one worker"
[ -n "$mpi" ] || exit 0
plan $((cases / 10)) many
{ time "$launch" -n "$ranks" "$mpi" sweep run "$folder/many" -q >/dev/null; } 2>&1 | tail -n 1 | told $((cases / 10)) "$ranks ranks"
