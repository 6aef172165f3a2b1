#!/usr/bin/env bash
# Every shipped scene runs to its end and keeps its claims (exit code 0).
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0 failed=0
for scene in "$here"/examples/*/*.yaml; do
  name=$(basename "$scene" .yaml)
  if "$VISVIVA" run "$scene" -o "$out/$name" --quiet; then
    passed=$((passed + 1))
  else
    echo "$scene: exit code $?"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 16 ]
