#!/usr/bin/env python3
"""visviva report without a browser: what it says when the page was not built, and that the data it writes into a page are
those of the result folder.  The template is a stand-in, so that Node is not needed; web/test looks at the real page."""
import base64
import csv
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys

VISVIVA = os.environ.get("VISVIVA", "visviva")
TITLE = "Bars </script><script>alert(1)</script> \"quoted\" <!-- \u2028"
SCENE = """visviva: 1
title: %s
time: {end: 4, step: 0.015}
bodies:
  left: {kind: bar, tips: {first: lumped}, length: 10, elements: 40, material: {young: 1, density: 1}, section: {area: 1}, position: -10.02, velocity: 0.1}
  right: {kind: bar, tips: {first: lumped}, length: 10, elements: 40, material: {young: 5, density: 1}, section: {area: 1}, position: 0, velocity: -0.1}
contacts:
  - {between: [left, right], restitution: 1}
record: {every: 0.1}
"""
TEMPLATE = "<!doctype html><title>stand-in</title><p>before</p>\n<!--visviva:data-->\n<p>after</p>\n"
failed = 0


def check(what, ok, detail=""):
    global failed
    if not ok:
        print(f"{what}: {detail}")
        failed += 1


def visviva(*words, program=VISVIVA, template="template.html"):
    env = {**os.environ, "VISVIVA_TEMPLATE": template}
    return subprocess.run([program, *words], capture_output=True, text=True, env=env, errors="replace")


def blocks(page):
    """Number -> bytes of every block."""
    return {int(n): base64.b64decode(text, validate=True)
            for n, text in re.findall(r'<script type="text/plain" id="vv-(\d+)">([A-Za-z0-9+/=]*)</script>', page)}


def data(page):
    found = re.findall(r'<script type="application/json" id="vv-data">(.*?)</script>', page, re.S)
    check("one JSON", len(found) == 1, len(found))
    return json.loads(found[0])


def read_csv(path):
    rows = list(csv.reader(line for line in open(path, newline="") if not line.startswith("#")))
    return rows[0], rows[1:]


def check_table(name, table, block, path):
    head, rows = read_csv(path)
    check(f"{name} columns", [c["name"] for c in table["columns"]] == head)
    check(f"{name} rows", table["rows"] == table["all"] == len(rows), table["rows"])
    value = struct.unpack(f"<{len(block) // 8}d", block)
    for i, column in enumerate(table["columns"]):
        mine = value[i * len(rows):(i + 1) * len(rows)]
        for k, row in enumerate(rows):
            same = table["words"][int(mine[k])] == row[i] if column["words"] else mine[k] == float(row[i]) or row[i] == "nan"
            if not same:
                return check(f"{name} {column['name']} row {k}", False, f"{mine[k]!r} is not {row[i]}")


def check_run(run, block, folder, title):
    summary = open(f"{folder}/summary.json").read()
    check("summary", run["summary"] == summary)
    check("title", json.loads(run["summary"])["title"] == title, json.loads(run["summary"])["title"])
    check("scene", run["scene"] == open(f"{folder}/scene.yaml").read())
    check("folder", run["folder"] == pathlib.Path(folder).name, run["folder"])
    check_table("ledger", run["ledger"], block[run["ledger"]["block"]], f"{folder}/ledger.csv")
    check_table("events", run["events"], block[run["events"]["block"]], f"{folder}/events.csv")
    check_table("contacts", run["contacts"], block[run["contacts"]["block"]], f"{folder}/contacts.csv")
    force = block[run["forces"]["block"]]
    check("forces", len(force) == 32 * run["forces"]["rows"], len(force))
    check("forces of rows", all(0 <= row < run["contacts"]["rows"] for (row, _, _, _) in struct.iter_unpack("<4d", force)))
    frames = json.loads(summary)["frames"]
    check("frames", run["frames"]["kept"] == run["frames"]["all"] == frames, run["frames"])
    check("times", len(block[run["frames"]["time"]]) == 8 * frames)
    for body in run["bodies"]:
        check("levels", len(block[body["position"]["block"]]) == 6 * body["nodes"] * frames, body["name"])
        names = {(f["field"], f["component"]) for f in body["fields"]}
        check("fields", {("velocity", -1), ("velocity", 0), ("stress", -1)} <= names, names)
        for f in body["fields"]:
            count = body["nodes"] - (f["on"] == "elements")
            check("field", len(block[f["block"]]) == count * frames and f["low"] <= f["high"], f)


def main():
    for name in ("one", "two", "bare"):
        shutil.rmtree(name, ignore_errors=True)
    pathlib.Path("template.html").write_text(TEMPLATE)
    for name, title in (("one", TITLE), ("two", "Second")):
        pathlib.Path(f"{name}.yaml").write_text(SCENE % json.dumps(title, ensure_ascii=True))
        check(f"run {name}", visviva("run", f"{name}.yaml", "-o", name, "--overwrite", "-q").returncode == 0)

    # the page that was not built: a copy of the program, far from the build folder
    os.makedirs("bare/bin", exist_ok=True)
    shutil.copy(VISVIVA, "bare/bin/visviva")
    said = visviva("report", "one", program="bare/bin/visviva", template="")
    check("not built", said.returncode == 1 and "report-template.html is missing" in said.stderr and "make web" in said.stderr, said.stderr)
    check("nothing written", not os.path.exists("one/report.html"))

    for words, part in ((["report"], "a result folder"), (["report", "nowhere"], "is not a result folder"), (["report", "one", "--limit", "1"], "--limit"),
                        (["report", "one", "two", "three"], "is not a result folder")):
        said = visviva(*words)
        check(" ".join(words), said.returncode == 1 and part in said.stderr, said.stderr)
    pathlib.Path("plain.html").write_text("<p>no mark</p>")
    said = visviva("report", "one", template="plain.html")
    check("no mark", said.returncode == 1 and "is not a template" in said.stderr, said.stderr)

    said = visviva("report", "one")
    check("report", said.returncode == 0 and said.stdout == "wrote one/report.html\n", said.stdout + said.stderr)
    page = pathlib.Path("one/report.html").read_text()
    check("around", page.startswith(TEMPLATE.split("<!--")[0]) and page.endswith("<p>after</p>\n") and "visviva:data" not in page)
    check("no way out", page.count("<script") == page.count("</script>") == len(blocks(page)) + 1 and "alert" in page)
    check_run(data(page)["runs"][0], blocks(page), "one", TITLE)
    check("no leftovers", not os.path.exists("one/report.html.tmp"))

    said = visviva("report", "one", "two/", "-o", "both.html")
    page = pathlib.Path("both.html").read_text()
    runs = data(page)["runs"]
    check("two runs", said.returncode == 0 and len(runs) == 2, said.stderr)
    check_run(runs[0], blocks(page), "one", TITLE)
    check_run(runs[1], blocks(page), "two", "Second")

    said = visviva("report", "one", "-o", "nowhere/page.html")
    check("not writable", said.returncode == 1 and "nowhere/page.html" in said.stderr, said.stderr)
    if failed == 0:
        print("report: all good")
    sys.exit(failed > 0)


main()
