#!/usr/bin/env python3
"""Function lengths by room.  Fails when a function of src/ or app/ has more than 120 lines."""
import pathlib
import re
import statistics
import sys

LIMIT = 120


def functions(text):
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if line != "{":
            continue
        end = next((j for j in range(i, len(lines)) if lines[j].startswith("}")), len(lines) - 1)
        start = i - 1
        while start > 0 and lines[start - 1].strip() and not re.match(r"[}/#*]|.*[;}]$|.*\*/$", lines[start - 1]):
            start -= 1
        head = " ".join(lines[start:i])
        name = re.search(r"(\w+)\s*\(", head.replace("__attribute__((", ""))
        yield (name[1] if name else head), start + 1, end - start + 1


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    bad = 0
    print(f"{'room':<12}{'files':>6}{'lines':>8}{'comment':>9}{'functions':>11}{'median':>8}{'90 %':>6}{'longest':>9}")
    rooms = {}
    for top in ("src", "app", "validation", "tests"):
        for f in sorted((root / top).rglob("*.[ch]")):
            parts = f.relative_to(root).parts
            rooms.setdefault(parts[1] if top == "src" else top, []).append(f)
    for room, files in rooms.items():
        lengths, lines, comment = [], 0, 0
        for f in files:
            text = f.read_text(errors="replace")
            lines += text.count("\n")
            comment += sum(c.count("\n") + 1 for c in re.findall(r"/\*.*?\*/", text, re.S))
            for name, start, length in functions(text):
                lengths.append((length, f"{f.relative_to(root)}:{start}: {name}"))
        sizes = sorted(n for n, _ in lengths) or [0]
        print(f"{room:<12}{len(files):>6}{lines:>8}{100 * comment / max(lines, 1):>8.0f}%{len(lengths):>11}"
              f"{statistics.median(sizes):>8.0f}{sizes[int(0.9 * (len(sizes) - 1))]:>6}{sizes[-1]:>9}")
        if room not in ("tests", "validation"):
            for n, where in lengths:
                if n > LIMIT:
                    print(f"{where}: {n} lines (at most {LIMIT})")
                    bad += 1
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
