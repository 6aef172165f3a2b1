#!/usr/bin/env python3
"""Figures that a page quotes stand in the page they come from.

A comment `<!-- figures: PAGE: a; b; c -->` after a sentence names the page that holds the measurement, by its path from the root
of the repository, and the texts that must be in it.  When a table there is measured anew, the pages that quote the old numbers
are found."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMENT = re.compile(r"<!-- figures: ([^:]+): (.*?) -->", re.S)


def main():
    missing, found = [], 0
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md")), *ROOT.glob("examples/*.md")]
    for page in pages:
        for source, texts in COMMENT.findall(page.read_text()):
            path = ROOT / source.strip()
            held = path.read_text() if path.is_file() else ""
            for text in texts.split(";"):
                found += 1
                if text.strip() not in held:
                    missing.append(f"{page.relative_to(ROOT)}: '{text.strip()}' is not in {source.strip()}")
    for line in missing:
        print(line)
    print(f"figures: {found} quoted, {len(missing)} not in their source")
    return 1 if missing or not found else 0


sys.exit(main())
