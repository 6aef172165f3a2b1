#!/usr/bin/env python3
"""Figures of the pages: each measured number has a source, those that one page quotes from another stand there, and those that a
command prints are still printed.

  tools/check_figures.py [ROOT]                      sources and quotes (a test)
  tools/check_figures.py --run PROGRAM [--only PAGE]   and what `visviva` prints (make figures; some minutes)

A figure is a number with a unit, a percent or a power of ten in a page's text, or a table's cell that holds nothing but numbers.
The block of lines in which it stands (a table belongs to a block before it that ends in a colon) must have a source:

  <!-- figures: PAGE: a; b; c -->          the page, test or table that holds it, by its path from the root, and texts in it
  <!-- prints: ARGUMENTS => a; b; c -->    what `visviva ARGUMENTS` prints, blanks aside; of what rounding or chaos decides
                                           `a < 1e-12`, `a > 100`, `a ~ 3e-14`: the number behind `a` is less, more, within a factor of two
  <!-- writes: FILE => a; b; c -->         what one of these commands has written to FILE
  <!-- source: NAME, NAME: remark -->      the benchmark, test, validation chapter, script or make target that measures it
  <!-- given: reason -->                   no measurement: a setting, a bound, a definition, an exact solution, a paper's number

or name a benchmark (`bench_shell`), a test (`tests/..`, `test_..`) or a measuring target (`make validate`) in its own text; such a
name in a heading speaks for its whole section.

ARGUMENTS may name examples, validation/scenes, and tutorial-1.yaml, the first whole scene of docs/tutorial.md (README-1.yaml that of README.md).
Commands of one page run in the order of the page, in one folder.  When a table is measured anew, or a method changes, the pages that
quote old numbers are found."""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUOTED = re.compile(r"<!-- figures: ([^:]+): (.*?) -->", re.S)
PRINTED = re.compile(r"<!-- (prints|writes): (.+?) => (.*?) -->", re.S)
SOURCE = re.compile(r"<!-- source: ([^:]*?)(?:: .*?)? -->", re.S)
GIVEN = re.compile(r"<!-- given: \S.*? -->", re.S)
SCENE = re.compile(r"```yaml\n(visviva: 1\n.*?)```", re.S)
NAMED = re.compile(r"\b(bench_\w+|test_\w+|tests/[\w/.-]+|make (?:validate|peers|bench|web-test))\b")
# written by a program as a whole: by what
WRITTEN = {"docs/validation.md": "make validate", "docs/scene-reference.md": "visviva reference", "docs/c-api.md": "tools/c_api.py",
           "docs/peers.md": "make peers", "docs/symbols.md": "letters, no measurement"}
UNIT = (r"(?:%|[num]s|[GM]B/s|GFLOP/s|[kMG]i?B|[mukc]?m(?:/s)?|[kM]?J|[kM]?N(?: s)?|s|min|minutes|k?g|Hz|rad/s|times|impacts|contacts|[GM]?Pa"
        r"|degrees|digits)(?![\w^])")
NUMBER = r"(?<![\w.^/\[(-])[-+]?\d[\d,]*(?:\.\d+)?"
FIGURE = re.compile(rf"{NUMBER}e[-+]?\d+\b|{NUMBER} ?{UNIT}")
PRINTS = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
COMPARED = re.compile(rf"(.+) ([<>~]) ({PRINTS})")
CELL = re.compile(r"(?=.*\d)[-+*\d.,%e;/ ]*(?: to [-+*\d.,%e ]+)?")


def pages():
    front = [ROOT / name for name in ("README.md", "CONTRIBUTING.md") if (ROOT / name).is_file()]
    return [*front, *sorted(ROOT.glob("docs/**/*.md")), *ROOT.glob("examples/*.md")]


def name_of(page):
    return str(page.relative_to(ROOT))


def quoted():
    missing, found = [], 0
    for page in pages():
        for source, texts in QUOTED.findall(page.read_text()):
            path = ROOT / source.strip()
            held = path.read_text() if path.is_file() else ""
            for text in texts.split(";"):
                found += 1
                if text.strip() not in held:
                    missing.append(f"{name_of(page)}: '{text.strip()}' is not in {source.strip()}")
    return missing, found


def exists(source):
    """A benchmark, a test, a file, a target of the Makefile."""
    source = source.strip()
    if source.startswith("make "):
        return re.search(rf"^{source[5:]}:", (ROOT / "Makefile").read_text(), re.M)
    if source.startswith("bench_"):
        return (ROOT / "bench" / f"{source}.c").is_file()
    if source.startswith("test_"):
        return any(ROOT.glob(f"tests/*/{source}.*")) or any(source in f.read_text() for f in ROOT.glob("tests/*/*.c"))
    return bool(source) and (ROOT / source).exists()


def blocks(text):
    """Pairs of a line number and a block of lines: runs without blank lines; a table, or a block of output, belongs to what ends in a
    colon before it, and comments to what they follow."""
    runs, fence, code = [], False, False
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            fence = not fence
            code = fence and line[3:] not in ("", "text")
            line = ""
            if not fence and runs:                      # what stands right behind a fence belongs to it
                continue
        if code or (not line.strip()):
            runs.append(None)
        elif runs and runs[-1]:
            runs[-1][1].append(line)
        else:
            runs.append((number, [line]))
    joined = []
    for run in filter(None, runs):
        before = joined[-1][1] if joined else None
        if before and (before[-1].endswith(":") or run[1][0].startswith("<!--")) and not before[0].startswith("#"):
            before += run[1]
        else:
            joined.append((run[0], list(run[1])))
    return joined


def figures_of(line):
    """Measured numbers of a line, code and addresses aside."""
    if line.startswith(("    ", "<!--", "#")):
        return []
    plain = re.sub(r"\]\([^)]*\)", "]", re.sub(r"`[^`]*`", "`", line))
    cells = [c.strip() for c in plain.split("|")] if line.startswith("|") else []
    return FIGURE.findall(plain) + [c for c in cells if CELL.fullmatch(c)]


def traced(text):
    """Does it name where its numbers come from?"""
    return any(p.search(text) for p in (PRINTED, QUOTED, SOURCE, GIVEN)) or any(exists(n) for n in NAMED.findall(text))


def untraced():
    """Figures without a source, and sources that are not there; how many have one."""
    missing, found = [], 0
    for page in pages():
        if name_of(page) in WRITTEN or "notebooks" in page.parts:
            continue
        section = {}                                    # depth of a heading: does it speak for all below it?
        for number, lines in blocks(page.read_text()):
            text = "\n".join(lines)
            for names in SOURCE.findall(text):
                missing += [f"{name_of(page)}:{number}: no source '{n.strip()}'" for n in names.split(",") if not exists(n)]
            if lines[0].startswith("#"):
                depth = len(lines[0]) - len(lines[0].lstrip("#"))
                section = {d: s for d, s in section.items() if d < depth}
                section[depth] = traced(text)
            here = sum(len(figures_of(line)) for line in lines)
            if any(section.values()) or traced(text):
                found += here
            elif here:
                first = next(k for k, line in enumerate(lines) if figures_of(line))
                missing.append(f"{name_of(page)}:{number + first}: no source for {', '.join(figures_of(lines[first])[:4])}: {lines[first][:100]}")
    return missing, found


def shown(text):
    """With single blanks."""
    return " ".join(text.split())


def says(said, figure):
    """Does the output hold this text, or a number behind its label that is less, more, or within a factor of two?"""
    compared = COMPARED.fullmatch(figure)
    if not compared:
        return figure in said
    label, how, bound = compared[1], compared[2], float(compared[3])
    for found in re.findall(rf"(?<!\w){re.escape(label)} ({PRINTS})", said):
        value = float(found)
        if how == "<" and value < bound or how == ">" and value > bound or how == "~" and bound / 2 <= value <= 2 * bound:
            return True
    return False


def outcome(program, folder, how, line):
    """What a command prints, or what a file holds; and what went wrong."""
    if how == "writes":
        path = pathlib.Path(folder, line)
        return (shown(path.read_text()), "") if path.is_file() else ("", "is not there")
    done = subprocess.run([program, *shlex.split(line)], cwd=folder, capture_output=True, text=True)
    return shown(done.stdout), "" if done.returncode in (0, 3) else f"{done.returncode} {done.stderr.strip()}"


def printed(program, only):
    missing, found = [], 0
    for page in pages():
        text = page.read_text()
        if not PRINTED.search(text) or (only and only not in name_of(page)):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for k, scene in enumerate(SCENE.findall(text)):
                pathlib.Path(folder, f"{page.stem}-{k + 1}.yaml").write_text(scene)
            for name in ("examples", "validation"):
                pathlib.Path(folder, name).symlink_to(ROOT / name)
            for how, line, texts in PRINTED.findall(text):
                what = f"visviva {line}" if how == "prints" else line
                said, trouble = outcome(program, folder, how, line)
                missing += [f"{name_of(page)}: {what}: {trouble}"] if trouble else []
                for figure in texts.split(";"):
                    found += 1
                    if not says(said, shown(figure)):
                        missing.append(f"{name_of(page)}: {what} does not {how[:-1]} '{shown(figure)}'")
    return missing, found


def main():
    global ROOT
    words = argparse.ArgumentParser(description="figures of the pages: do they have a source, and does it hold them?")
    words.add_argument("root", nargs="?", default=ROOT, type=pathlib.Path)
    words.add_argument("--run", metavar="PROGRAM", type=pathlib.Path)
    words.add_argument("--only", metavar="PAGE", default="")
    given = words.parse_args()
    ROOT = given.root.resolve()
    missing, found = quoted()
    bare, sourced = untraced()
    missing += bare
    if given.run:
        more, ran = printed(str(given.run.resolve()), given.only)
        missing, found = missing + more, found + ran
    for line in missing:
        print(line)
    print(f"figures: {sourced} with a source, {found} checked, {len(missing)} without a source or not in it")
    return 1 if missing else 0


sys.exit(main())
