#!/usr/bin/env bash
# Runs every fuzz target for some seconds, starting from the stored corpus.  New inputs stay in BUILD_FOLDER/corpus; what
# breaks a target is kept beside them and named.
#   tools/fuzz.sh BUILD_FOLDER SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 seconds=${2:-60} found=0
# HDF5 asks for as much memory as a damaged file says, and takes no for an answer; what it does not give back of a file that it cannot
# open is passed over when a process ends, too, or every run of `results` would end as a finding
export ASAN_OPTIONS="allocator_may_return_null=1${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
export LSAN_OPTIONS="suppressions=$PWD/tests/leaks.txt:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
for target in "$build"/fuzz/fuzz_*; do
  [ -x "$target" ] || continue
  name=$(basename "$target")
  name=${name#fuzz_}
  grown=$build/corpus/$name
  mkdir -p "$grown"
  seeds=tests/fuzz/corpus/$name
  [ -d "$seeds" ] || seeds=tests/fuzz/corpus
  dict=()
  [ ! -e "tests/fuzz/$name.dict" ] || dict=("-dict=tests/fuzz/$name.dict")
  leaks=() # looked for when the process ends, not after each input
  [ "$name" != results ] || leaks=(-detect_leaks=0)
  echo "== $name, $seconds s"
  if ! "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -verbosity=0 -artifact_prefix="$build/corpus/$name-" ${dict[@]+"${dict[@]}"} ${leaks[@]+"${leaks[@]}"} "$grown" "$seeds" \
    >"$build/corpus/$name.log" 2>&1; then
    tail -40 "$build/corpus/$name.log"
    found=1
  else
    grep -E "number_of_executed_units|peak_rss" "$build/corpus/$name.log" || true
  fi
done
exit $found
