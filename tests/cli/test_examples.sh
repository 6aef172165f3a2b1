#!/usr/bin/env bash
# Every shipped scene runs and keeps its claims (exit code 0): to its end, the long ones to a tenth or a hundredth of it.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
passed=0 failed=0
for scene in "$here"/examples/*/*.yaml; do
  name=$(basename "$scene" .yaml)
  run=$scene
  case $name in
  *-A66)
    run=$out/$name.yaml
    sed 's/{end: 0.9,/{end: 0.09,/' "$scene" >"$run"
    if cmp -s "$scene" "$run"; then
      echo "$scene: not shortened: it has no 'end: 0.9'"
      failed=$((failed + 1))
    fi
    ;;
  rod-in-box | rod-in-box-section)
    run=$out/$name.yaml
    sed 's/{end: 10,/{end: 0.1,/' "$scene" >"$run"
    if cmp -s "$scene" "$run"; then
      echo "$scene: not shortened: it has no 'end: 10'"
      failed=$((failed + 1))
    fi
    ;;
  sphere-* | cubes-76) # shells by the thousand
    run=$out/$name.yaml
    sed 's/{end: 0\.\([0-9]*\), step: \([25]e-[67]\)}/{end: 0.0\1, step: \2}/' "$scene" >"$run"
    if cmp -s "$scene" "$run"; then
      echo "$scene: not shortened: its step is not that of the paper"
      failed=$((failed + 1))
    fi
    ;;
  esac
  if "$VISVIVA" run "$run" -o "$out/$name" --quiet; then
    passed=$((passed + 1))
  else
    echo "$scene: exit code $?"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 56 ]
