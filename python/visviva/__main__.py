"""python -m visviva: the program visviva, where the package carries it or the machine has it."""
from __future__ import annotations

import os
import pathlib
import shutil
import sys

from ._library import HERE, _source_tree


def program() -> str | None:
    """The program; None where there is none."""
    root = _source_tree()
    places = [HERE / "bin/visviva"] + ([root / "build" / b / "visviva" for b in ("release", "dev")] if root else [])
    found = next((str(p) for p in places if p.exists()), None)
    if found is None:
        other = shutil.which("visviva")
        if other and pathlib.Path(other).resolve() != pathlib.Path(sys.argv[0]).resolve():
            found = other
    return found


def main() -> None:
    found = program()
    if found is None:
        sys.exit("visviva: the program is not here; `make release` in the source tree builds it")
    os.execv(found, [found] + sys.argv[1:])


if __name__ == "__main__":
    main()
