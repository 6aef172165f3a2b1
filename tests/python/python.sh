#!/usr/bin/env bash
# Runs a test of the Python module with an interpreter that has what the test names: python.sh SCRIPT [MODULE ...] [-- ARGUMENT ...]
# 77 (skipped) where there is none.  CTest sets VISVIVA_SOURCE and VISVIVA_BUILD.
set -uo pipefail
script=$1 modules=()
shift
while [ $# -gt 0 ] && [ "$1" != -- ]; do modules+=("$1") && shift; done
[ $# -eq 0 ] || shift
export PYTHONPATH=$VISVIVA_SOURCE/python PYTHONDONTWRITEBYTECODE=1
export VISVIVA_LIBRARY=$VISVIVA_BUILD/libvisviva.so
[ -e "$VISVIVA_LIBRARY" ] || { echo "no shared library in this build: skipped"; exit 77; }
imports=$(printf 'import %s; ' numpy ${modules[@]+"${modules[@]}"})
for python in "${PYTHON:-python3}" /usr/bin/python3 python3; do
  "$python" -c "$imports" >/dev/null 2>&1 || continue
  # a library with a sanitizer wants its runtime first; what the interpreter itself never frees is none of our business
  if [ -n "${VISVIVA_PRELOAD:-}" ]; then
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 LD_PRELOAD=$VISVIVA_PRELOAD PYTHONMALLOC=malloc
  fi
  exec "$python" "$script" "$@"
done
echo "no Python here has: numpy ${modules[*]-}; tools/setup.sh test installs them (Debian: python3-numpy python3-nbclient ...): skipped"
exit 77
