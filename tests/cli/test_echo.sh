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
# a tube between two blocks folds onto itself: its self-contact is a default that the echo must keep
mkdir "$out/examples/echo"
cat >"$out/examples/echo/tube.yaml" <<'END'
visviva: 1
time: {end: 0.04, step: {safety: 0.2}}
bodies:
  tube: {kind: shell, mesh: {cylinder: {radius: 0.05, height: 0.04, around: 24, along: 4}}, thickness: 0.001,
         material: {young: 1e6, poisson: 0.4, density: 1000, law: neo-hookean}}
  left:  {kind: rigid, shape: {box: {size: [0.02, 0.2, 0.2]}}, mass: 0.02, position: [-0.065, 0, 0.02], velocity: [4, 0, 0]}
  right: {kind: rigid, shape: {box: {size: [0.02, 0.2, 0.2]}}, mass: 0.02, position: [0.065, 0, 0.02], velocity: [-4, 0, 0]}
record: {every: 5e-4, ledger: 20}
END
for scene in "$out"/examples/*/*.yaml; do
  a=$out/a b=$out/b
  rm -rf "$a" "$b"
  # a beginning is enough: 100 steps, or a little of the time
  short=$(dirname "$scene")/.echo.yaml
  case $scene in
    */echo/*) cp "$scene" "$short" ;;
    *) python3 "$here/tests/cli/shorten.py" 100 0.03 "$scene" >"$short" ;;
  esac
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
    case $scene in
      */echo/*) grep -q '^[^,]*,tube,[^,]*,tube,' "$a/events.csv" || fail "$scene" "never meets itself" ;;
    esac
  fi
  rm -f "$short"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 16 ]
