#!/usr/bin/env python3
"""Fails on an include that goes uphill, or sideways between cousins.  The rules are in tools/rooms.txt."""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def read_rules(path):
    """rooms: room -> rooms it may include; lone: rooms whose subfolders are strangers;
    special: header of src/ -> who may include it; outside: third-party header -> folders that may name it."""
    rooms, lone, special, outside = {}, [], {}, {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        try:
            verb, name, rest = words[0], words[1], words[3:]
            if words[2] != ":":
                raise IndexError
        except IndexError:
            sys.exit(f"{path}:{number}: expected `room|strangers|header|outside NAME : WORDS`")
        if verb == "room":
            rooms[name] = rest
        elif verb == "strangers":
            lone.append(name)
        elif verb == "header":
            special[name] = rest
        elif verb == "outside":
            outside[name] = rest
        else:
            sys.exit(f"{path}:{number}: unknown word '{verb}'")
    return rooms, lone, special, outside


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def judge(path, mark, name, rules, root):
    """Why `path` (relative to the root) may not include `name`; None when it may."""
    rooms, lone, special, outside = rules
    src = path[4:] if path.startswith("src/") else None
    room = src.split("/")[0] if src else path.split("/")[0]

    for header, folders in outside.items():
        if re.fullmatch(header.replace(".", r"\.").replace("*", ".*"), name):
            if any(inside(path, f) for f in folders):
                return None
            return f"<{name}> belongs in {' '.join(folders)} only"
    if mark == "<":
        return None
    if ".." in name.split("/"):
        return "name it from its room (no ..)"
    if name.startswith("visviva/"):
        return None if (root / "include" / name).exists() else "no such public header"
    if name in special and any(inside(path, f) for f in special[name]):
        return None
    if not (root / "src" / name).exists():  # beside the file, or in the folder's own support
        return None

    target = name.split("/")[0]
    if room not in rooms:
        return f"room '{room}' is not in tools/rooms.txt"
    if name in special:
        return f"{name} is for {' '.join(special[name])} only"
    if target != room:
        return None if target in rooms[room] or "*" in rooms[room] else f"{room} may not know {target}"
    # within one room: subfolders are cousins; headers at the top of the room are for all
    mine, its = src.split("/")[1:-1], name.split("/")[1:-1]
    if room in lone and mine and its and mine[0] != its[0]:
        return f"{room}/{mine[0]} and {room}/{its[0]} are strangers"
    return None


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    rules = read_rules(root / "tools" / "rooms.txt")
    bad = files = 0
    for top in ("include", "src", "app", "examples", "validation", "tests", "bench"):
        for f in sorted((root / top).rglob("*.[ch]")):
            files += 1
            path = f.relative_to(root).as_posix()
            text = f.read_text(errors="replace")
            for m in INCLUDE.finditer(text):
                why = judge(path, m[1], m[2], rules, root)
                if why:
                    line = text.count("\n", 0, m.start(2)) + 1
                    print(f"{path}:{line}: may not include {m[2]}: {why}")
                    bad += 1
    print(f"rooms: {files} files, {bad} includes in the wrong direction")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
