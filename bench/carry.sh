#!/bin/sh
# Programs for a machine without libyaml and HDF5: those of build/release in build/carry, with nothing but the C library left outside.
#   bench/carry.sh visviva bench_device bench_hash ...
set -eu
cd "$(dirname "$0")/.."
release=build/release carry=build/carry
gomp=$(gcc -print-file-name=libgomp.a)
hdf5=$(dirname "$(gcc -print-file-name=libc.a)")/hdf5/serial/libhdf5.a
mkdir -p "$carry"
for name in "$@"; do
  ninja -C "$release" "$name" >/dev/null
  case $name in visviva) objects=$(find "$release/CMakeFiles/visviva.dir/app" -name '*.c.o') ;;
  *) objects="$release/CMakeFiles/$name.dir/bench/$name.c.o $release/CMakeFiles/$name.dir/bench/tools.c.o" ;; esac
  # HDF5's driver for files of a cloud wants curl and a cipher, which nobody calls
  gcc -O3 -static-libgcc $objects -o "$carry/$name" "$release/libvisviva.a" -l:libyaml.a "$hdf5" -l:libsz.a -l:libaec.a -l:libz.a \
    "$gomp" -ldl -lpthread -lm -Wl,--unresolved-symbols=ignore-in-object-files
  strip "$carry/$name"
done
ls -l "$carry"
