#!/usr/bin/env python3
"""Fails on an include that goes uphill, or sideways between cousins, and on columns of a state that are read where nobody may.
The rules are in tools/rooms.txt."""
import pathlib
import re
import sys

# The distance between columns, an element of q, p or f that some struct names, an index that starts with a block's offset.
COLUMN = re.compile(r"(?:->|\.)column\b|(?:->|\.)[qpf]\s*\[|\[[^\[\]]*(?:->|\.)[qp]0\b")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
HOT = re.compile(r"^(?:VV_HOT|VVI_HOT_LOCAL)\b[^;{]*?\b(\w+)\(", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)


def read_rules(path):
    """rooms: room -> rooms it may include; lone: rooms whose subfolders are strangers;
    special: header of src/ -> who may include it; outside: third-party header -> folders that may name it;
    blind: folder -> folders of it that may read columns."""
    rooms, lone, special, outside, blind = {}, [], {}, {}, {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        try:
            verb, name, rest = words[0], words[1], words[3:]
            if words[2] != ":":
                raise IndexError
        except IndexError:
            sys.exit(f"{path}:{number}: expected `room|strangers|header|outside|blind NAME : WORDS`")
        if verb == "room":
            rooms[name] = rest
        elif verb == "strangers":
            lone.append(name)
        elif verb == "header":
            special[name] = rest
        elif verb == "outside":
            outside[name] = rest
        elif verb == "blind":
            blind[name] = rest
        else:
            sys.exit(f"{path}:{number}: unknown word '{verb}'")
    return rooms, lone, special, outside, blind


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


def judge(path, mark, name, rules, root):
    """Why `path` (relative to the root) may not include `name`; None when it may."""
    rooms, lone, special, outside, _ = rules
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


def columns_read(path, text, blind):
    """Lines of a file that read columns of a state although they may not."""
    if not any(inside(path, f) and not any(inside(path, but) for but in rest) for f, rest in blind.items()):
        return []
    plain = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    return [(plain.count("\n", 0, m.start()) + 1, m[0]) for m in COLUMN.finditer(plain)]


def hot_names(root):
    """Static functions with clones for several instruction sets that share a name: clang 14 gives each a global resolver of that name."""
    seen, found = {}, []
    for f in sorted((root / "src").rglob("*.c")):
        for m in HOT.finditer(f.read_text(errors="replace")):
            path = f.relative_to(root).as_posix()
            if m[1] in seen and seen[m[1]] != path:
                found.append(f"{path}: '{m[1]}' is compiled for several instruction sets in {seen[m[1]]}, too: use another name")
            seen.setdefault(m[1], path)
    return found


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
            for line, what in columns_read(path, text, rules[4]):
                print(f"{path}:{line}: `{what.strip()}` reads columns of a state: ask model/columns.h or the table of the kind")
                bad += 1
    for why in hot_names(root):
        print(why)
        bad += 1
    print(f"rooms: {files} files, {bad} lines that may not be there")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
