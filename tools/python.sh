#!/usr/bin/env bash
# A Python that knows visviva and what the system has: tools/python.sh FOLDER.  Nothing is copied: it looks into this clone.
set -euo pipefail
folder=${1:?usage: tools/python.sh FOLDER}
here=$(cd "$(dirname "$0")/.." && pwd)
for python in "${PYTHON:-python3}" /usr/bin/python3; do
  "$python" -c 'import numpy' 2>/dev/null && break
done
"$python" -m venv --system-site-packages --without-pip "$folder"
site=$("$folder/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
echo "$here/python" >"$site/visviva.pth"
"$folder/bin/python" -c 'import visviva; print("visviva", visviva.__version__, "with", visviva._library.lib._name)'
echo "Try:  $folder/bin/python examples/python/paddle.py"
