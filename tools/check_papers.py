#!/usr/bin/env python3
"""check_papers.py [ROOT]: docs/papers.md names what there is.

Each item of a paper names where it is done and what shows it: a row of docs/validation.md (D36, I4-I8), a test
(tests/physics/test_rkmk.c), both kinds of which must be there.  So must files, pages of docs, equations ([bars 55]) and scene
words (`on_off: printed`) that any table of the page names.  The counts at its head are those of its tables."""
import pathlib
import re
import sys

from check_equations import DEFINE, TAG, numbers

ROW = re.compile(r"(?<![\w/^.`-])([A-Z])(\d+)(?:-([A-Z]?)(\d+))?(?![\w^])")
FILE = re.compile(r"\b((?:src|tests|validation|examples|docs|tools|include)/[\w/.*-]*[\w*]|step/\w+\.c)")
PAGE = re.compile(r"(?<![\w/])([\w-]+\.md)")
WORD = re.compile(r"`(?:\w+: \[?)?\{?(\w+): ([a-z][\w-]*)(?= \||[`},])")
STATES = ("done", "done differently", "partly", "missing")


def rows_of_book(root):
    return set(re.findall(r"^\| ([A-Z]\d+) \|", (root / "docs" / "validation.md").read_text(), re.M))


def equations(root):
    found = set()
    for page in (root / "docs" / "theory").glob("*.md"):
        for line in page.read_text().splitlines():
            m = DEFINE.search(line)
            if m and m[1] == page.stem:
                found.add((m[1], m[2]))
    return found


class Page:
    def __init__(self, root):
        self.root, self.bad, self.rows, self.known = root, 0, rows_of_book(root), equations(root)
        self.letters = {r[0] for r in self.rows}
        reference = root / "docs" / "scene-reference.md"
        self.words = reference.read_text() if reference.exists() else ""

    def say(self, number, text):
        print(f"docs/papers.md:{number}: {text}")
        self.bad += 1

    def book_rows(self, number, text):
        """Rows that the text names; those that are not there are told."""
        named = []
        for letter, first, other, last in ROW.findall(text):
            if letter not in self.letters or (other and other != letter):
                continue
            for row in [letter + first] + ([letter + last] if last else []):
                named.append(row)
                if row not in self.rows:
                    self.say(number, f"the book has no row {row}")
        return named

    def files(self, number, text):
        named = FILE.findall(text)
        for name in named:
            where = "src/" + name if name.startswith("step/") else name
            if not any(self.root.glob(where)) and not any(self.root.glob(where + ".*")):
                self.say(number, f"there is no {name}")
        for name in PAGE.findall(FILE.sub("", text)):
            if not any((self.root / "docs").rglob(name)):
                self.say(number, f"there is no page {name}")
        return named

    def line(self, number, text):
        """All that a line names is there; what of it shows something."""
        shown = self.book_rows(number, text) + [f for f in self.files(number, text) if f.startswith("tests/")]
        for m in TAG.finditer(text):
            for n in numbers(m[2]):
                if (m[1], n) not in self.known:
                    self.say(number, f"no equation [{m[1]} {n}]")
        for key, value in WORD.findall(text):
            if f"`{key}`" not in self.words or not re.search(rf"\b{value}\b", self.words):
                self.say(number, f"`{key}: {value}` is no word of a scene")
        return shown


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    page, paper, table = Page(root), None, ""
    counted, printed, items = {}, {}, 0
    for number, line in enumerate((root / "docs" / "papers.md").read_text().splitlines(), 1):
        if line.startswith("## "):
            paper, table = line[3:].strip(), ""
        cells = [c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] if line.startswith("|") else []
        if not cells:
            page.files(number, line)
            continue
        if set(line) <= set("|-: "):
            continue
        if cells[0] in ("item", "paper", "point", "verdict", "figure", "fault"):
            table = cells[0]
            continue
        if table == "paper":
            printed[cells[0]] = [int(c) for c in cells[1:]]
            continue
        shown = page.line(number, " | ".join(cells[1:] if table != "verdict" else cells))
        if table != "item":
            continue
        items += 1
        if cells[-1] not in STATES:
            page.say(number, f"'{cells[-1]}' is no state of an item")
            continue
        counted.setdefault(paper, [0] * len(STATES))[STATES.index(cells[-1])] += 1
        if cells[-1].startswith("done") and not shown:
            page.say(number, f"{cells[0]}: no row and no test shows it")
    for paper, n in {**counted, "all": [sum(c) for c in zip(*counted.values())]}.items():
        if printed.get(paper) != [sum(n)] + n:
            page.say(1, f"{paper}: the head says {printed.get(paper)}, the tables {[sum(n)] + n}")
    print(f"papers: {items} items, {page.bad} mistakes")
    sys.exit(page.bad > 0)


if __name__ == "__main__":
    main()
