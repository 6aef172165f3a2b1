#!/usr/bin/env bash
# Installs to a prefix that did not exist before, moves it, and uses it as a stranger would: in C by pkg-config, in C++
# by find_package.  Argument: the cmake to use.  Run by CTest, which sets VISVIVA_BUILD and VISVIVA_SOURCE.
set -euo pipefail
cmake=${1:-cmake}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$cmake" --install "$VISVIVA_BUILD" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/prefix" # an installed tree may be moved
prefix=$work/prefix

echo "-- files"
(cd "$prefix" && find . -type f | grep -v examples/ | sort)
[ -n "$(find "$prefix/share/visviva/examples" -name '*.yaml')" ] || { echo "no scenes were installed"; exit 1; }

echo "-- C, pkg-config"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name visviva.pc)")
export PKG_CONFIG_PATH
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export LD_LIBRARY_PATH
# shellcheck disable=SC2046
${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Werror "$here/outside/outside.c" \
  $(pkg-config --cflags --libs visviva) -lm -o "$work/outside_c"
"$work/outside_c"

echo "-- C++, find_package"
if command -v "${CXX:-c++}" >/dev/null; then
  "$cmake" -S "$here/outside" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$cmake" --build "$work/build" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$work/build/outside"
else
  echo "no C++ compiler here: left out"
fi

echo "-- the program"
"$prefix/bin/visviva" --version
