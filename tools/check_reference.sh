#!/usr/bin/env bash
# docs/scene-reference.md is made from the field tables: is the stored one what the program writes now?
set -euo pipefail
page=$VISVIVA_SOURCE/docs/scene-reference.md
[ -e "$page" ] || { echo "no docs/scene-reference.md: make docs"; exit 1; }
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
"$VISVIVA" reference "$fresh/fresh.md" >/dev/null
diff -u "$page" "$fresh/fresh.md" || { echo "docs/scene-reference.md is out of date: make docs"; exit 1; }
