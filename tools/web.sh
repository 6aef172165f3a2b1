#!/usr/bin/env bash
# Builds the report page (web/) into one HTML file: tools/web.sh OUT.html
# Needs Node 18 or later with npm; the first time also the net, for the packages that web/package.json names.
set -euo pipefail
out=${1:?usage: tools/web.sh OUT.html}
case "$out" in /*) ;; *) out=$PWD/$out ;; esac
cd "$(dirname "$0")/../web"

command -v npm >/dev/null 2>&1 || {
  echo "visviva: the report page needs Node and npm (Debian: nodejs npm), which are not here" >&2
  exit 1
}
case "$(node --version 2>/dev/null)" in
v1[0-7].* | v[0-9].* | "") echo "visviva: the report page needs Node 18 or later, not '$(node --version 2>/dev/null)'" >&2 && exit 1 ;;
esac
if [ ! -d node_modules/vite ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm install --no-save --omit=dev --loglevel=error >/dev/null # the versions that package-lock.json names
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
npx --no-install vite build --logLevel warn --outDir "$(dirname "$out")/web" >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
cp "$(dirname "$out")/web/index.html" "$out.tmp"
mv "$out.tmp" "$out"
