"""tests/tools/test_examples_listed.py  Every shipped scene has one row in examples/README.md, in the section of its folder;
every row has a scene; every page of docs/ is named by docs/README.md, and links between pages lead somewhere."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent.parent
wrong = []

scenes = sorted(str(s.relative_to(root / "examples")) for s in (root / "examples").glob("*/[!.]*.yaml"))
rows, section = [], ""
for line in (root / "examples/README.md").read_text().splitlines():
    if line.startswith("## "):
        section = line[3:].strip()
    row = re.match(r"\| `([^`]+\.yaml)` \|", line)
    if row:
        rows.append(row[1])
        if not row[1].startswith(section + "/"):
            wrong.append(f"examples/README.md: {row[1]} is in the section {section}")
wrong += [f"examples/README.md: {s} has no row" for s in scenes if s not in rows]
wrong += [f"examples/README.md: {r} has no scene" for r in rows if r not in scenes]
wrong += [f"examples/README.md: {r} has several rows" for r in set(rows) if rows.count(r) > 1]
if len(scenes) < 56:
    wrong.append(f"only {len(scenes)} scenes were found")

index = (root / "docs/README.md").read_text()
for page in sorted((root / "docs").glob("**/*.md")):
    name = str(page.relative_to(root / "docs"))
    if name != "README.md" and f"]({name})" not in index:
        wrong.append(f"docs/README.md: {name} is not named")
for page in [root / "README.md", root / "examples/README.md", *(root / "docs").glob("*.md")]:
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        if not (page.parent / link).exists():
            wrong.append(f"{page.relative_to(root)}: {link} does not exist")

print("\n".join(wrong) or f"{len(scenes)} scenes, all listed")
sys.exit(len(wrong) > 0)
