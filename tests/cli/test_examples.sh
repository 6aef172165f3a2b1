#!/usr/bin/env bash
# Every shipped scene runs and keeps its claims (exit code 0): to its end, or for 2500 steps or a quarter of its time.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out" "${run:-}"' EXIT
passed=0 failed=0
for scene in "$here"/examples/*/*.yaml; do
  name=$(basename "$scene" .yaml)
  run=$(dirname "$scene")/.short-$$.yaml # beside its files, which it may name
  python3 "$here/tests/cli/shorten.py" 2500 0.25 "$scene" >"$run" || failed=$((failed + 1))
  if "$VISVIVA" run "$run" -o "$out/$name" --quiet; then
    passed=$((passed + 1))
  else
    echo "$scene: exit code $?"
    failed=$((failed + 1))
  fi
  rm -f "$run"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 56 ]
