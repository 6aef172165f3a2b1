#!/bin/sh
# Benchmarks for a machine without libyaml: programs of build/release in build/carry, with nothing but the C library left outside.
#   bench/carry.sh bench_device bench_hash ...
set -eu
cd "$(dirname "$0")/.."
release=build/release carry=build/carry
gomp=$(gcc -print-file-name=libgomp.a)
mkdir -p "$carry"
for name in "$@"; do
  ninja -C "$release" "$name" >/dev/null
  gcc -O3 -static-libgcc "$release/CMakeFiles/$name.dir/bench/$name.c.o" "$release/CMakeFiles/$name.dir/bench/tools.c.o" \
    -o "$carry/$name" "$release/libvisviva.a" -l:libyaml.a -Wl,--as-needed -lhdf5_serial -Wl,--no-as-needed "$gomp" -ldl -lpthread -lm
  strip "$carry/$name"
done
ls -l "$carry"
