#!/usr/bin/env bash
# Runs the scenes of docs/gallery.md and draws their pictures into docs/images/gallery.  visviva: $1, or that of build/release.
set -euo pipefail
cd "$(dirname "$0")/.."
visviva=${1:-build/release/visviva}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
scenes=$(sed -n 's/.*(images\/gallery\/\([a-zA-Z0-9.-]*\)\.svg).*/\1/p' docs/gallery.md)
for name in $scenes; do
  scene=$(ls examples/*/"$name".yaml)
  "$visviva" run "$scene" -o "$out/$name" --quiet --set record.paraview=false
  "$visviva" picture "$out/$name" "docs/images/gallery/$name.svg"
done
