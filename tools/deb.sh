#!/usr/bin/env bash
# Debian packages of this tree, checked by lintian: tools/deb.sh FOLDER
# DEBFULLNAME and DEBEMAIL name the maintainer, as with Debian's own tools; the address in debian/ is nobody's.
set -euo pipefail
out=${1:?usage: tools/deb.sh FOLDER}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$(dirname "$0")/.."
rm -rf "$out/visviva-source" "$out"/*.deb "$out"/*.changes "$out"/*.buildinfo "$out"/*.dsc "$out"/*.tar.*
mkdir "$out/visviva-source"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -C "$out/visviva-source" -xf -
for page in build/release/report-template.html build/dev/report-template.html; do
  [ ! -e "$page" ] || { cp "$page" "$out/visviva-source/debian/"; break; }
done
cd "$out/visviva-source"
if [ -n "${DEBEMAIL:-}" ]; then
  who="${DEBFULLNAME:-The visviva authors} <$DEBEMAIL>" perl -pi -e 's/The visviva authors <[^>]*>/$ENV{who}/' debian/control debian/changelog
fi
dpkg-buildpackage -us -uc -b -j"${JOBS:-$(nproc)}" >"$out/build.log" 2>&1 || { tail -40 "$out/build.log"; exit 1; }
cd "$out"
ls -- *.deb
lintian --fail-on error --suppress-tags bad-distribution-in-changes-file,initial-upload-closes-no-bugs -- *.changes
