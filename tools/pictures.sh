#!/usr/bin/env bash
# The pictures of the docs, made from the page and the program as they are:  tools/pictures.sh PROGRAM [NAME...]
# Runs the scenes into build/pictures and writes docs/images; without names, all of them.  Needs Node and Chromium
# (tools/setup.sh web-test) and the page (make web).
set -euo pipefail
program=$(realpath "${1:?usage: tools/pictures.sh PROGRAM [NAME...]}")
shift
cd "$(dirname "$0")/.."
images=docs/images work=build/pictures
mkdir -p "$work"

wanted() { # is NAME among the arguments?
  local name=$1
  shift
  [ $# -eq 0 ] || [[ " $* " == *" $name "* ]]
}

run() { # NAME SCENE [--set ...]: once
  local name=$1 scene=$2
  shift 2
  [ -e "$work/$name/summary.json" ] || "$program" run "examples/$scene.yaml" -o "$work/$name" --overwrite -q "$@" || [ $? -eq 3 ]
}

page() { # NAME RUN...: the page of one or more runs
  local name=$1
  shift
  "$program" report "${@/#/$work/}" -o "$work/$name.html" >/dev/null
}

shot() { # NAME PAGE OPTION...
  local name=$1 from=$2
  shift 2
  (cd web && node test/shot.mjs "../$work/$from.html" "../$images/$name.png" "$@")
  echo "$images/$name.png"
}

names=("$@")
if wanted report-rod "${names[@]}"; then
  run rod newcomer/tumbling-rod && page rod rod
  shot report-rod rod share=0.625
fi
if wanted report "${names[@]}"; then
  run ten newcomer/bundle-of-ten-beams && page ten ten
  shot report ten share=0.42
fi
if wanted report-compare "${names[@]}"; then
  run coarse newcomer/two-beams-colliding --set time.step.safety=0.45
  run fine newcomer/two-beams-colliding --set time.step.safety=0.1
  page compare coarse fine
  shot report-compare compare share=0.95 keys=h
fi
if wanted report-cut "${names[@]}"; then
  run plate cirak2005/sphere-plate && page plate plate
  shot report-cut plate share=0.62 of=.stage keys=s,s,n
fi
if wanted report-bar "${names[@]}"; then
  run bar newcomer/bar-on-wall && page bar bar
  shot report-bar bar share=0.45 of=#plot-xt
fi
if wanted report-flow "${names[@]}"; then
  run rope newcomer/rope-on-floor && page rope rope
  shot report-flow rope share=1 of=#plot-flow width=1700
fi
if wanted report-phone "${names[@]}"; then
  run drum newcomer/ball-on-drum && page drum drum
  shot report-phone drum share=0.86 width=390 height=844 scheme=dark
fi
if wanted picture "${names[@]}"; then
  run bar newcomer/bar-on-wall
  "$program" picture "$work/bar" "$images/bar-on-wall.svg"
  run rod newcomer/tumbling-rod
  "$program" picture "$work/rod" "$images/tumbling-rod.svg"
fi
