#!/usr/bin/env python3
"""Line coverage by room, from the counts that a `coverage` build leaves behind (gcov in JSON form, nothing else needed).

    tools/coverage.py BUILD_FOLDER [--least PERCENT] [--lines]
--lines names every line of src/ that no test reached."""
import argparse
import json
import pathlib
import subprocess
import sys


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("build", type=pathlib.Path)
    ask.add_argument("--least", type=float, default=0.0)
    ask.add_argument("--lines", action="store_true")
    args = ask.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    hits = {}  # file -> {line: count}
    for notes in sorted(args.build.resolve().rglob("*.gcno")):
        if not notes.with_suffix(".gcda").exists() and "/src/" not in notes.as_posix():
            continue
        done = subprocess.run(["gcov", "--json-format", "--stdout", notes], capture_output=True, cwd=args.build)
        for text in done.stdout.splitlines():
            if not text.strip():
                continue
            for f in json.loads(text)["files"]:
                path = pathlib.Path(f["file"])
                path = path if path.is_absolute() else args.build.resolve() / path
                try:
                    name = path.resolve().relative_to(root).as_posix()
                except ValueError:
                    continue
                if not name.startswith(("src/", "app/")):
                    continue
                rows = hits.setdefault(name, {})
                for line in f["lines"]:
                    n = line["line_number"]
                    rows[n] = rows.get(n, 0) + line["count"]
    rooms = {}
    for name, rows in sorted(hits.items()):
        parts = name.split("/")
        room = parts[1] if parts[0] == "src" else parts[0]
        seen, total = rooms.get(room, (0, 0))
        rooms[room] = (seen + sum(c > 0 for c in rows.values()), total + len(rows))
        if args.lines:
            missed = [str(n) for n, c in sorted(rows.items()) if c == 0]
            if missed:
                print(f"{name}: {' '.join(missed)}")
    seen, total = (sum(column) for column in zip(*rooms.values())) if rooms else (0, 0)
    for room, (s, t) in rooms.items():
        print(f"{room:<10}{s:>7} of {t:>6} lines {100 * s / max(t, 1):>7.1f} %")
    percent = 100 * seen / max(total, 1)
    print(f"{'all':<10}{seen:>7} of {total:>6} lines {percent:>7.1f} %")
    sys.exit(percent < args.least)


if __name__ == "__main__":
    main()
