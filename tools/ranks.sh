#!/usr/bin/env bash
# Everything that is asked of one run over ranks, in one go, on a machine with an MPI (tools/setup.sh mpi): the tables of docs/many-machines.md.
#   tools/ranks.sh [OUT]     what is printed also goes to OUT (out/ranks): hashes.txt, kills.txt, tests.txt, scaling.csv
# CORES: how many runs over ranks share (all); SECONDS_OF_HASHES: none of them begins after so many (7200); PARTS: of these
# (hashes kills tests scaling).  180 runs of 9 scenes over 1, 2, 3, 4, 8 ranks of two MPIs take an hour on 16 cores; `kills` takes
# 20 times some seconds, on a busy machine longer, and waits for as long as it takes.  Ends with 1 if something differs.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-out/ranks} build=$PWD/build/mpi-release wrong=0
mkdir -p "$out" && out=$(cd "$out" && pwd)
bash tools/setup.sh mpi
cmake --preset release -B "$build" -DVV_MPI=ON -DVV_BENCH=ON >/dev/null
cmake --build "$build" -j "$(nproc)" --target visviva visviva-mpi bench_ranks
cmake --build "$build" -j "$(nproc)" --target visviva-mpich || echo "no MPICH here: one MPI"
export VISVIVA_BUILD=$build VISVIVA_SOURCE=$PWD PYTHONUNBUFFERED=1
cd "$out"
part() { # NAME FILE COMMAND...
  case " ${PARTS:-hashes kills tests scaling} " in *" $1 "*) ;; *) return 0 ;; esac
  echo "== $1"
  "${@:3}" 2>&1 | tee "$2" || wrong=1
}
tests=$VISVIVA_SOURCE/tests/net
part hashes hashes.txt python3 "$tests/hashes.py" "--cores=${CORES:-$(nproc)}" "--seconds=${SECONDS_OF_HASHES:-7200}"
part kills kills.txt python3 "$tests/kills.py" --kills 20
part tests tests.txt python3 "$tests/test_ranks.py"
part scaling scaling.csv env "BENCH=$build/bench/bench_ranks" "MOST=$(nproc)" bash "$VISVIVA_SOURCE/bench/ranks.sh"
exit $wrong
