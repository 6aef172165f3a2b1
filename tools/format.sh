#!/usr/bin/env bash
# Formats all C files, or with --check names those that are not formatted.  Versions of clang-format differ in detail:
# the check is made with the version that .clang-format was written for, and skipped (77) without it.
set -euo pipefail
cd "$(dirname "$0")/.."
version=14
format=$(command -v clang-format-$version || command -v clang-format || true)
if [ -z "$format" ] || ! "$format" --version | grep -q "version $version\."; then
  echo "clang-format $version is not here (Debian: clang-format-$version)"
  exit 77
fi
files() { find include src app tests bench validation examples -name '*.[ch]' -print0 2>/dev/null | sort -z; }
if [ "${1:-}" != --check ]; then
  files | xargs -0 -r "$format" -i
  exit 0
fi
bad=0
while IFS= read -r -d '' file; do
  cmp -s "$file" <("$format" "$file") || { echo "not formatted: $file"; bad=1; }
done < <(files)
[ $bad = 0 ] || echo "make format mends it"
exit $bad
