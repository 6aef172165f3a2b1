#!/usr/bin/env python3
"""Every equation tag in a comment must point to a numbered equation of the theory.

In the code:     /* q <- q + h p/m   [leapfrog 3] */          also [leapfrog 3, 5] and [leapfrog 3-5]
In the theory:   docs/theory/leapfrog.md has a line that ends in (or is) the tag alone: `... [leapfrog 3]`
A number is defined once.  A tag whose page does not exist is an error; so is a page that defines a number twice."""
import pathlib
import re
import sys

TAG = re.compile(r"\[([a-z][a-z0-9_-]*) ((?:\d+[a-z]?)(?:\s*[,-]\s*\d+[a-z]?)*)\]")
DEFINE = re.compile(r"\[([a-z][a-z0-9_-]*) (\d+[a-z]?)\][`*_$\s]*$")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.S)


def numbers(text):
    for part in re.split(r"\s*,\s*", text):
        ends = re.split(r"\s*-\s*", part)
        if len(ends) == 2 and all(e.isdigit() for e in ends):
            yield from (str(n) for n in range(int(ends[0]), int(ends[1]) + 1))
        else:
            yield from ends


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    bad = 0
    defined = {}  # word -> {number: line}
    for page in sorted((root / "docs" / "theory").glob("*.md")):
        word = page.stem
        rows = defined.setdefault(word, {})
        for number, line in enumerate(page.read_text().splitlines(), 1):
            m = DEFINE.search(line)
            if m and m[1] == word:
                if m[2] in rows:
                    print(f"docs/theory/{page.name}:{number}: [{word} {m[2]}] is already at line {rows[m[2]]}")
                    bad += 1
                rows.setdefault(m[2], number)

    used = set()
    for top in ("include", "src", "app", "tests", "validation", "bench"):
        for f in sorted((root / top).rglob("*.[ch]")):
            text = f.read_text(errors="replace")
            for comment in COMMENT.finditer(text):
                if comment[0].startswith('"'):
                    continue
                for m in TAG.finditer(comment[0]):
                    where = f"{f.relative_to(root)}:{text.count(chr(10), 0, comment.start() + m.start()) + 1}"
                    if m[1] not in defined:
                        print(f"{where}: {m[0]}: there is no docs/theory/{m[1]}.md")
                        bad += 1
                        continue
                    for n in numbers(m[2]):
                        used.add((m[1], n))
                        if n not in defined[m[1]]:
                            print(f"{where}: [{m[1]} {n}]: no such equation in docs/theory/{m[1]}.md")
                            bad += 1
    total = sum(len(rows) for rows in defined.values())
    print(f"equations: {total} numbered, {len(used)} named in the code, {bad} mistakes")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
