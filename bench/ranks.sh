#!/usr/bin/env bash
# One run over ranks beside the same run over threads: strong and weak scaling, with and without contact, as CSV.
#   bench/ranks.sh [PART...] >ranks.csv       parts: half four weak watched spheres crowd flows; all of them by default
#     half     a sphere of 500,000 triangles          four     of 4,000,000 (1.5 GB a rank)
#     weak     31,250 triangles a rank                watched  500,000 triangles that might touch each other
#     spheres  two of 250,000 that meet               crowd    729 cubes that meet
#     flows    two of 250,000, of which one flows; over ranks once more after the tiles were moved to where the work was
# MOST: most ranks and threads (16).  HAND=1: build without cmake.  BENCH: a program that is there (bench_ranks); otherwise it is built here, with cmake, or
# without it by mpicc, pkg-config, libyaml and HDF5 alone.  WINDOWS, STEPS: of a measurement (5, 20); the fastest window counts.
# Nothing here needs PETSc.  Rows with equal scene and triangles must have one state_hash: the script says where they do not.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$root/build/ranks}
most=${MOST:-16} windows=${WINDOWS:-5} steps=${STEPS:-20}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_PROC_BIND=close OMP_WAIT_POLICY=active

by_cmake() {
  cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DVV_MPI=ON -DVV_PETSC=OFF -DVV_BENCH=ON -DVV_TESTS=OFF -DVV_SHARED=OFF &&
    cmake --build "$build" -j "$(nproc)" --target bench_ranks && bench=$build/bench/bench_ranks
}
by_hand() { # every room of the library, without devices
  local flags hdf5=hdf5-serial name
  mkdir -p "$build/texts" "$build/hand" && bench=$build/bench_ranks
  pkg-config --exists hdf5-serial || hdf5=hdf5
  for name in $(grep -rhoE 'vvi_text_(bar|beam|rigid|shell)_[a-z0-9_]+' "$root/src" --include='*.c' | sort -u); do
    echo "extern const char $name[]; const char $name[] = {0};"
  done >"$build/texts/none.c"
  echo "#define VV_SOURCE_DIR \"$root\"" >"$build/texts/where.h"
  flags="-std=c17 -D_XOPEN_SOURCE=700 -DVV_NO_OPENCL -O3 -DNDEBUG -ffp-contract=off -fno-math-errno -fopenmp -w -include $build/texts/where.h"
  flags+=" -I$root/include -I$root/src -I$root/bench $(pkg-config --cflags yaml-0.1 $hdf5)"
  find "$root/src" "$root/bench/tools.c" "$root/bench/mpi/ranks.c" "$build/texts" -name '*.c' ! -path '*/net/petsc.c' |
    xargs -P "$(nproc)" -I{} bash -c "mpicc $flags -c {} -o $build/hand/\$(echo {} | tr / _).o" &&
    mpicc -fopenmp -o "$bench" "$build"/hand/*.o $(pkg-config --libs yaml-0.1 $hdf5) -ldl -lm
}
bench=${BENCH:-}
[ -n "$bench" ] || { [ -z "${HAND:-}" ] && command -v cmake >/dev/null && by_cmake >&2; } || by_hand >&2

over_ranks() { # RANKS SCENE TRIANGLES
  local how=(--bind-to core --map-by core)
  [ "$1" -le "$(nproc)" ] || how=(--oversubscribe)
  mpiexec --version 2>/dev/null | grep -q 'Open MPI\|OpenRTE' || how=()
  if [ "$1" -eq 1 ]; then "$bench" "$2" "$3" 1 "$windows" "$steps"; else
    mpiexec "${how[@]}" -n "$1" "$bench" "$2" "$3" 1 "$windows" "$steps"
  fi
}
counts() { local n=1; while [ "$n" -le "$most" ]; do echo "$n"; n=$((2 * n)); done; }
strong() { # SCENE TRIANGLES
  local n
  for n in $(counts); do over_ranks "$n" "$1" "$2"; done
  for n in $(counts); do [ "$n" -eq 1 ] || "$bench" "$1" "$2" "$n" "$windows" "$steps"; done
}
measure() {
  local n
  "$bench" head
  for part in "$@"; do
    case $part in
    half) strong sphere 500000 ;;
    four) strong sphere 4000000 ;;
    weak) for n in $(counts); do over_ranks "$n" sphere $((31250 * n)); done ;;
    watched) strong watched 500000 ;;
    spheres) strong spheres 500000 ;;
    crowd) strong crowd 139968 ;;
    flows) strong flows+ 500000 ;;
    *) echo "bench/ranks.sh: no part '$part'" >&2 && exit 1 ;;
    esac
  done
}
[ $# -gt 0 ] || set -- half weak watched spheres crowd flows four
measure "$@" | tee >(awk -F, 'NR > 1 { sub(/\+/, "", $1); k = $1 "," $2; if (k in h && h[k] != $17) print "other bits: " $0 >"/dev/stderr"; h[k] = $17 }')
