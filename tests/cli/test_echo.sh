#!/usr/bin/env bash
# The scene as understood (scene.yaml in a result folder) is a good scene, and gives the same run to the last bit.
set -u
here=$(cd "$(dirname "$0")/../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cp -r "$here/examples" "$out/examples" # a copy: the shortened scenes stand beside the files that they may name
passed=0 failed=0
hash_of() { sed -n 's/.*"state_hash": *"\([0-9a-f]\{16\}\)".*/\1/p' "$1/summary.json"; }
fail() {
  echo "$1: $2"
  failed=$((failed + 1))
}
for scene in "$out"/examples/*/*.yaml; do
  a=$out/a b=$out/b
  rm -rf "$a" "$b"
  # a beginning is enough: 100 steps, or a little of the time
  short=$(dirname "$scene")/.echo.yaml
  python3 "$here/tests/cli/shorten.py" 100 0.03 "$scene" >"$short"
  if ! "$VISVIVA" run "$short" -o "$a" --quiet; then
    fail "$scene" "does not run"
  elif ! "$VISVIVA" check "$a/scene.yaml" >"$out/said"; then
    fail "$scene" "its echo is not a good scene"
  elif ! "$VISVIVA" run "$a/scene.yaml" -o "$b" -q; then
    fail "$scene" "its echo does not run"
  elif [ -z "$(hash_of "$a")" ] || [ "$(hash_of "$a")" != "$(hash_of "$b")" ]; then
    fail "$scene" "its echo ends in another state"
  else
    passed=$((passed + 1))
  fi
  rm -f "$short"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 16 ]
