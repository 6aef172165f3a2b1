#!/usr/bin/env bash
# clang-tidy over the library and the programs, then cppcheck where it is present.
#   tools/lint.sh BUILD_FOLDER [JOBS]      the folder holds compile_commands.json
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1 jobs=${2:-2}
command -v clang-tidy >/dev/null || { echo "clang-tidy is not here (Debian: clang-tidy)" >&2; exit 1; }
# One file at a time: given several, clang-tidy 14 carries state from one to the next and reports nonsense.
find src app validation -name '*.c' -print0 2>/dev/null | sort -z |
  xargs -0 -r -n 1 -P "$jobs" clang-tidy -p "$build" --quiet --warnings-as-errors='*' 2>/dev/null
echo "clang-tidy: nothing to say"
if command -v cppcheck >/dev/null; then
  # shellcheck disable=SC2046
  cppcheck --std=c11 --enable=warning,portability --inline-suppr --error-exitcode=1 --quiet -j "$jobs" \
    --suppress=missingIncludeSystem -I include -I src -DVV_NO_CLONES $(ls -d src app validation 2>/dev/null)
  echo "cppcheck: nothing to say"
fi
