#!/bin/sh
# tests/cli/test_traction.sh  Contact as a field in the files: results.h5 and ParaView have it, a run that was cut between two frames
# goes on to the same bytes, and one that never gathered it is not resumed with it.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > ball.yaml <<'SCENE'
visviva: 1
time: {end: 0.02, step: 1e-4}
gravity: [0, 0, -10]
method: {step: leapfrog}
contacts: [{restitution: 0.5, friction: 0.4}]
record: {every: 2e-3, traction: true}
bodies:
  ball: {kind: shell, mesh: {sphere: {radius: 0.1, frequency: 3}}, thickness: 0.01, material: {young: 1e6, poisson: 0.3, density: 1000}, centre: [0, 0, 0.102], velocity: [0.3, 0, -1], spin: [0, 20, 5]}
  floor: {kind: obstacle, shape: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}
SCENE
"$VISVIVA" run ball.yaml -o whole -q
"$VISVIVA" run ball.yaml -o cut -q --set time.end=0.0093
"$VISVIVA" run ball.yaml -o cut -q --resume
for file in "$(ls whole/paraview/*_000005.vtu | grep -v contact)" "$(ls whole/paraview/*_000010.vtu | grep -v contact)"; do
  grep -aq 'Name="contact_normal"' "$file" || { echo "$file: no contact_normal"; exit 1; }
  cmp "$file" "cut/${file#whole/}" || { echo "another field after a resume"; exit 1; }
done
grep -aq contact_extent whole/results.h5 || { echo "results.h5 has no extents"; exit 1; }
"$VISVIVA" run ball.yaml -o bare -q --set record.traction=false --set time.end=0.0093
if "$VISVIVA" run ball.yaml -o bare -q --resume 2> said; then echo "resumed with a field that was not gathered"; exit 1; fi
grep -q "record.traction" said || { cat said; exit 1; }
