#!/bin/sh
# tests/cli/test_materials.sh  A run killed while its material flows resumes to the same bits; a step that has become too long is
# said; rows of the ledger add up.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cd "$out"

cat > ball.yaml <<'S'
visviva: 1
time: {end: 1.2e-4, step: {safety: 0.4}}
bodies:
  ball: {kind: shell, mesh: {sphere: {radius: 0.05, frequency: 6}}, thickness: 1e-3, centre: [0, 0, 0.0501], velocity: [0, 0, -10],
         material: {law: j2, young: 70e9, poisson: 0.33, density: 2700, yield: 80e6, hardening: 200e6}, damping: {ratio: {value: 0.01, from: 1000, to: 1e5}, mass: 10}}
  rod: {kind: beam, length: 0.2, elements: 12, section: {circle: {radius: 0.004}}, axis: [1, 0, 0.1], position: [0.2, 0, 0.006], velocity: [0, 0, -15],
        material: {law: j2, young: 70e9, density: 2700, yield: 60e6, hardening: {kinematic: 1e9}}}
  bar: {kind: bar, length: 0.2, elements: 40, axis: [0, 0, 1], origin: [-1, 0, 0], position: 0.0001, velocity: -30, section: {area: 1e-4},
        material: {law: j2, young: 70e9, density: 2700, yield: 80e6, hardening: {voce: {saturation: 5e7, rate: 20}}, rate: {johnson-cook: {coefficient: 0.02}}}}
  strip: {kind: shell, mesh: {rectangle: {size: [0.04, 0.01], pieces: [16, 4]}}, thickness: 1e-3, centre: [0, 1, 0.1],
          material: {law: j2, young: 70e9, poisson: 0.33, density: 2700, yield: 150e6, failure: {strain: 0.05, energy: 1e4}},
          velocities: [{velocity: [-60, 0, 0], high: [0, 1, 1]}, {velocity: [60, 0, 0], low: [0, -1, -1]}]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
contacts: [{restitution: 0}]
record: {checkpoint: 2e-5, paraview: false}
S
hash_of() { sed -n 's/.*"state_hash": *"\([0-9a-fx]*\)".*/\1/p' "$1/summary.json"; }

"$VISVIVA" run ball.yaml -o whole --threads 1 > /dev/null
"$VISVIVA" run ball.yaml -o cut --threads 2 > /dev/null &
pid=$!
i=0
while [ ! -s cut/checkpoint.h5 ] && [ $i -lt 600 ]; do sleep 0.05; i=$((i + 1)); done
kill -9 $pid 2> /dev/null || true
wait $pid 2> /dev/null || true
"$VISVIVA" run ball.yaml -o cut --resume > /dev/null
[ -n "$(hash_of whole)" ] && [ "$(hash_of whole)" = "$(hash_of cut)" ] || { echo "resumed to other bits"; exit 1; }
cmp whole/ledger.csv cut/ledger.csv
grep -q '"broken_elements": [1-9]' whole/summary.json || { echo "the strip did not break"; exit 1; }

# stopped and resumed after every step while a strip tears, by one thread and by two in turn
cat > strip.yaml <<'S'
visviva: 1
time: {end: 160e-7, step: 2e-7}
bodies:
  strip: {kind: shell, mesh: {rectangle: {size: [0.04, 0.01], pieces: [16, 4]}}, thickness: 1e-3,
          material: {law: j2, young: 70e9, poisson: 0.33, density: 2700, yield: 150e6, failure: {strain: 0.05, energy: 1e4}},
          velocities: [{velocity: [-60, 0, 0], high: [0, 1, 1]}, {velocity: [60, 0, 0], low: [0, -1, -1]}]}
record: {every: 1, ledger: 1, paraview: false}
S
"$VISVIVA" run strip.yaml -o strip -q --threads 1
grep -q '"broken_elements": [1-9]' strip/summary.json || { echo "the strip alone did not break"; exit 1; }
resume=
for end in $(seq 40 2 100) 160; do
  "$VISVIVA" run strip.yaml -o strips -q --threads $((1 + end / 2 % 2)) --set time.end=${end}e-7 $resume
  resume=--resume
done
[ -n "$(hash_of strip)" ] && [ "$(hash_of strip)" = "$(hash_of strips)" ] || { echo "a tear resumed to other bits"; exit 1; }
cmp strip/ledger.csv strips/ledger.csv

# every loss that was booked is in a column, and the sum stays level
awk -F, '/^#/ {next} !head {for (i = 1; i <= NF; i++) at[$i] = i; head = 1; next}
  {n++; lost = $at["friction_loss"] + $at["restitution_loss"] + $at["plastic_work"] + $at["viscous_loss"] + $at["damage_loss"]
   level = $at["total"] - $at["external_work"] + lost; if (n == 1) first = level
   gap = (level - first)/first; if (gap < 0) gap = -gap; if (gap > most) most = gap; work = $at["plastic_work"]/first}
  END {if (!(most < 2e-2 && work > 0.05)) {print "gap " most ", plastic work " work; exit 1}}' whole/ledger.csv

# what is worth saying: ends of plastic bars that bounce, a law that 16 straight pieces miss
cat > tell.yaml <<'S'
visviva: 1
time: {end: 1e-4, step: {safety: 0.5}}
bodies:
  bar: {kind: bar, length: 0.1, elements: 20, section: {area: 1e-4}, velocity: -5, tips: {first: lumped, last: lumped},
        material: {law: j2, young: 70e9, density: 2700, yield: 1e6, hardening: {power: {strength: 1e9, exponent: 0.1}}}}
  wall: {kind: obstacle, shape: {plane: {normal: [1, 0, 0]}}}
contacts: [{restitution: 1}]
S
"$VISVIVA" check tell.yaml > said.txt 2>&1
grep -q "chatter" said.txt && grep -q "straight pieces miss this law" said.txt || { cat said.txt; exit 1; }
# but nothing bounces that meets nobody
grep -v "wall:" tell.yaml > alone.yaml
"$VISVIVA" check alone.yaml > said.txt 2>&1
! grep -q "chatter" said.txt || { cat said.txt; exit 1; }

# a damping ratio that branches miss by more than a tenth, and one that they meet
sed 's/value: 0.01, from/value: 0.1, from/' ball.yaml > tired.yaml
"$VISVIVA" check tired.yaml > said.txt 2>&1
grep -q "bodies.ball.damping.ratio.value: one branch a decade misses this damping ratio by up to 17 %" said.txt || { cat said.txt; exit 1; }
"$VISVIVA" check ball.yaml > said.txt 2>&1
! grep -q "branch a decade" said.txt || { cat said.txt; exit 1; }

# words of another law, and velocities of a box in which nothing lies, are refused
refused() {
  if "$VISVIVA" check "$1" > said.txt 2>&1; then echo "$1 was not refused"; exit 1; fi
  grep -q "$2" said.txt || { cat said.txt; exit 1; }
}
sed 's/law: j2, young: 70e9, poisson: 0.33, density: 2700, yield: 80e6, hardening: 200e6/young: 70e9, density: 2700, points: 7/' ball.yaml > points.yaml
refused points.yaml "bodies.ball.material.points: belongs to 'law: j2'"
sed 's/low: \[0, -1, -1\]/low: [0.03, -1, -1]/' ball.yaml > empty.yaml
refused empty.yaml "bodies.strip.velocities\[1\].low: no node of the mesh lies in this box"

sed -e 's/restitution: 1/restitution: 0/' -e 's/{power: .*}}}}/1e9}}/' tell.yaml > quiet.yaml
"$VISVIVA" check quiet.yaml > said.txt 2>&1
if grep -q "chatter\|straight pieces" said.txt; then cat said.txt; exit 1; fi

# crushed flat in long steps: the run ends by itself, says where, and leaves a checkpoint
cat > crush.yaml <<'S'
visviva: 1
time: {end: 2e-3, step: {safety: 0.8}}
bodies:
  can: {kind: shell, mesh: {cylinder: {radius: 0.025, height: 0.03, around: 20, along: 6}}, thickness: 1e-3, centre: [0, 0, 0.0151],
        material: {law: j2, young: 70e9, poisson: 0.33, density: 2700, yield: 100e6}}
  hammer: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.02]}}, mass: 10, position: [0, 0, 0.0403], velocity: [0, 0, -30]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
contacts: [{restitution: 0}]
record: {paraview: false, ledger: 20}
S
if "$VISVIVA" run crush.yaml -o crush > said.txt 2>&1; then echo "ran to its end"; cat said.txt; exit 1; fi
grep -q "is crushed at its element" said.txt || { cat said.txt; exit 1; }
[ -s crush/checkpoint.h5 ]
# and it cannot be resumed through, as it is: no step more
at=$(grep -o "stable there, at step [0-9]*" said.txt)
for again in 1 2; do
  if "$VISVIVA" run crush.yaml -o crush --resume > said.txt 2>&1; then echo "resumed through the bound"; cat said.txt; exit 1; fi
  [ "$(grep -o "stable there, at step [0-9]*" said.txt)" = "$at" ] || { echo "first $at"; cat said.txt; exit 1; }
done

# the same where steps may shrink: it goes on through the crush, in parts, its books close, and a run cut there resumes to the same bits
sed -e 's/safety: 0.8/safety: 0.8, adapt: true/' -e 's/end: 2e-3/end: 7e-4/' -e 's/ledger: 20/ledger: 20, checkpoint: 5e-5/' crush.yaml > adapt.yaml
"$VISVIVA" run adapt.yaml -o adapt --threads 1 > /dev/null
grep -q '"step_parts": [248]' adapt/summary.json || { echo "steps did not shrink"; exit 1; }
awk -F, '/^#/ {next} !head {for (i = 1; i <= NF; i++) at[$i] = i; head = 1; next}
  {gap = $at["closure"]; if (gap < 0) gap = -gap; if (gap > most) most = gap; time = $at["time"]}
  END {if (!(most < 1e-3 && time > 6.9e-4)) {print "closure " most " at " time; exit 1}}' adapt/ledger.csv
"$VISVIVA" run adapt.yaml -o pieces --threads 1 > /dev/null 2>&1 &
pid=$!
i=0
while [ ! -s pieces/checkpoint.h5 ] && [ $i -lt 600 ]; do sleep 0.05; i=$((i + 1)); done
sleep 0.5
kill -9 $pid 2> /dev/null || true
wait $pid 2> /dev/null || true
"$VISVIVA" run adapt.yaml -o pieces --resume > /dev/null
[ -n "$(hash_of adapt)" ] && [ "$(hash_of adapt)" = "$(hash_of pieces)" ] || { echo "adapted steps resumed to other bits"; exit 1; }
echo ok
