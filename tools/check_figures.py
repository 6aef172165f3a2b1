#!/usr/bin/env python3
"""Figures of the pages: those that one page quotes from another stand there, and those that a command prints are still printed.

  tools/check_figures.py                   what pages quote from each other (a test)
  tools/check_figures.py --run PROGRAM     and what `visviva` prints (make figures; some minutes)

After a sentence, a comment

  <!-- figures: PAGE: a; b; c -->          names the page that holds the measurement, by its path from the root, and texts in it
  <!-- prints: ARGUMENTS => a; b; c -->    says what `visviva ARGUMENTS` prints there, blanks aside

ARGUMENTS may name examples, and tutorial-1.yaml, the first whole scene of docs/tutorial.md (README-1.yaml that of README.md).
Commands of one page run in the order of the page, in one folder.  When a table is measured anew, or a method changes, the pages that
quote old numbers are found."""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
QUOTED = re.compile(r"<!-- figures: ([^:]+): (.*?) -->", re.S)
PRINTED = re.compile(r"<!-- prints: (.+?) => (.*?) -->", re.S)
SCENE = re.compile(r"```yaml\n(visviva: 1\n.*?)```", re.S)


def pages():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md")), *ROOT.glob("examples/*.md")]


def quoted():
    missing, found = [], 0
    for page in pages():
        for source, texts in QUOTED.findall(page.read_text()):
            path = ROOT / source.strip()
            held = path.read_text() if path.is_file() else ""
            for text in texts.split(";"):
                found += 1
                if text.strip() not in held:
                    missing.append(f"{page.relative_to(ROOT)}: '{text.strip()}' is not in {source.strip()}")
    return missing, found


def shown(text):
    """With single blanks."""
    return " ".join(text.split())


def printed(program):
    missing, found = [], 0
    for page in pages():
        text = page.read_text()
        if not PRINTED.search(text):
            continue
        with tempfile.TemporaryDirectory() as folder:
            for k, scene in enumerate(SCENE.findall(text)):
                pathlib.Path(folder, f"{page.stem}-{k + 1}.yaml").write_text(scene)
            pathlib.Path(folder, "examples").symlink_to(ROOT / "examples")
            for line, texts in PRINTED.findall(text):
                done = subprocess.run([program, *shlex.split(line)], cwd=folder, capture_output=True, text=True)
                said = shown(done.stdout)
                if done.returncode not in (0, 3):
                    missing.append(f"{page.relative_to(ROOT)}: visviva {line}: {done.returncode} {done.stderr.strip()}")
                for figure in texts.split(";"):
                    found += 1
                    if shown(figure) not in said:
                        missing.append(f"{page.relative_to(ROOT)}: visviva {line} does not print '{shown(figure)}'")
    return missing, found


def main():
    missing, found = quoted()
    if not found:
        missing.append("no page quotes another")
    if len(sys.argv) == 3 and sys.argv[1] == "--run":
        more, ran = printed(str(pathlib.Path(sys.argv[2]).resolve()))
        missing, found = missing + more, found + ran
    for line in missing:
        print(line)
    print(f"figures: {found} quoted, {len(missing)} not in their source")
    return 1 if missing else 0


sys.exit(main())
