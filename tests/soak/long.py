#!/usr/bin/env python3
"""Long runs: does memory stay, and do claims hold, over as many steps and impacts as anybody will take?

    long.py [--minutes M] [--part P] [--jobs J] [--only WORD] [--store FILE]

A rigid body takes 1e9 steps, every other kind 1e8 steps of a node, free and in rooms; beams and shells in rooms take a million impacts as
well, at three tenths and half of the stable step, shells at a tenth, too.  After M minutes (60) runs are interrupted as a user would, and judged as far
as they came.  P: the part of these steps that is taken, 1 unless told.  FILE: where all folders are packed in the end; the next call with
it goes on where they stopped.  One line a run, as soon as it ends: energy that drifted, from the first to the last tenth of the run,
over the energy that is exchanged (of bodies that bend H2 of the theory, docs/theory/ledger.md), and momenta.
Wrong is: an exit code that is not 0 (2 where interrupted), a broken claim, or memory that, where it takes more than a minute, grows after a tenth of
it by more than two megabytes, a hundredth of itself and 80 bytes for each impact that is recorded (1,000 at the most): HDF5's index of
their blocks.
$VISVIVA is the program.
"""
import argparse
import concurrent.futures
import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import typing

PROGRAM = os.environ.get("VISVIVA", "visviva")
ROWS, EVENTS = 2000, 1000  # of ledger.csv and events.csv: what is written must not be what takes the time
LOSSES = ("friction_loss", "restitution_loss", "step_loss", "plastic_work", "viscous_loss", "damage_loss")


class Case(typing.NamedTuple):
    """`steps` of a node, and, where `impacts` are wanted, what brings them: the impacts of a second, as shorter runs had them."""
    name: str
    nodes: int
    steps: float
    step: str
    bodies: str
    impacts: float = 0
    rate: float = 1
    law: str = ""


ROOM = "  room: {kind: obstacle, shape: {room: {size: [2, 2, 2]}}}\n"
BOX = "  box: {kind: rigid, shape: {box: {size: [0.3, 0.2, 0.1]}}, mass: 1, velocity: [1, 0.5, -1], spin: [3, 2, 1]}\n"
ROD = "kind: beam, length: 0.5, material: {young: 1e7, poisson: 0.45, density: 1100}, section: {circle: {radius: 0.02}}"
SKIN = "kind: shell, mesh: {sphere: {radius: %g, level: 1}}, thickness: 2e-2, material: {young: 1e6, poisson: 0.45, density: 1000}"
BAR = "kind: bar, length: 1, elements: 9, material: {young: 1, density: 1}, section: {area: 1}"
BAND = ("  band: {kind: bar, length: 1, elements: 10, section: {area: 1e-4}, position: -0.5, velocity: 2, "
        "material: {young: 1e6, density: 1000, law: neo-hookean}}\n")
WALLS = ("  left: {kind: obstacle, shape: {plane: {normal: [1, 0, 0], offset: -2}}}\n"
         "  right: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -2}}}\n")
# those of tests/physics/test_impact_drift.c
FLYING_ROD = f"  rod: {{{ROD}, elements: 4, position: [-0.25, -0.5, 0.3], axis: [1, 0, 0.2]}}\n"
# a low room, where it strikes more often
SHAKEN_ROD = (ROOM.replace("2, 2, 2", "0.7, 0.7, 0.2") +
              f"  rod: {{{ROD}, elements: 4, position: [-0.25, -0.2, 0.03], axis: [1, 0, 0.05], velocity: [1, 2, -3]}}\n")
BALLOON = f"  skin: {{{SKIN % 0.3}, velocity: [1, 0.5, -1]}}\n"
SMALL = f"  small: {{{SKIN % 0.25}, centre: [0.2, 0.3, 0.65], velocity: [-1, 0.2, 1]}}\n"
SHELL_RATE, BEAM_RATE = 43.0, 38.0  # impacts a second of these rooms
CASES = (
    Case("shell in a room at 0.1", 18, 1e8, "{safety: 0.1}", ROOM + BALLOON, 1e6, SHELL_RATE),
    Case("shell in a room at 0.3", 18, 1e8, "{safety: 0.3}", ROOM + BALLOON, 1e6, SHELL_RATE),
    Case("shell in a room at 0.5", 18, 1e8, "{safety: 0.5}", ROOM + BALLOON, 1e6, SHELL_RATE),
    Case("beam in a room at 0.1", 5, 1e8, "{safety: 0.1}", ROOM + FLYING_ROD),
    Case("beam in a low room at 0.3", 5, 1e8, "{safety: 0.3}", SHAKEN_ROD, 1e6, BEAM_RATE),
    Case("beam in a low room at 0.5", 5, 1e8, "{safety: 0.5}", SHAKEN_ROD, 1e6, BEAM_RATE),
    Case("rubber bar in a room at 0.3", 11, 1e8, "{safety: 0.3}", ROOM.replace("2, 2, 2", "4, 4, 4") + BAND),
    Case("two shells, a beam in a room at 0.3", 41, 1e8, "{safety: 0.3}", ROOM + BALLOON + FLYING_ROD + SMALL),
    Case("rigid in a room", 1, 1e8, "1e-3", ROOM + BOX),
    Case("rigid in a room, e 0.9", 1, 1e8, "1e-3", ROOM + BOX, law="restitution: 0.9, friction: 0.1"),
    Case("bars that meet at 0.5", 20, 1e8, "{safety: 0.5}",
         f"  a: {{{BAR}, position: -1.02, velocity: 0.1}}\n  b: {{{BAR}, velocity: -0.1}}\n" + WALLS),
    Case("shell, free, at 0.3", 18, 1e8, "{safety: 0.3}", f"  skin: {{{SKIN % 0.3}, velocity: [1, 0, 0], spin: [1, 2, 3]}}\n"),
    Case("beam, free, at 0.3", 17, 1e8, "{safety: 0.3}", f"  rod: {{{ROD}, elements: 16, axis: [1, 0, 0], spin: [1, 2, 3]}}\n"),
    Case("rigid, free", 1, 1e9, "1e-3", BOX),
)


def step_of(scene, text, home):
    """s: what the program makes of the step."""
    scene.write_text(text % (0.1, 0.1, 1))
    out = home / "try"
    subprocess.run([PROGRAM, "run", scene, "-o", out, "--quiet", "--overwrite"], check=True, capture_output=True)
    return json.loads((out / "summary.json").read_text())["step_size"]


def prepare(case, part, home):
    """The scene; one that is there already goes on."""
    scene = home / "scene.yaml"
    if scene.exists():
        return scene
    gravity = "gravity: [0, 0, -9.81]\n" if "room" in case.bodies else ""
    law = f"contacts: [{{{case.law or 'restitution: 1'}}}]\n"
    bends = any(word in case.bodies for word in ("kind: beam", "kind: shell", "neo-hookean"))
    text = (f"visviva: 1\ntime: {{end: %r, step: {case.step}}}\n{gravity}{law}"
            f"record: {{every: %r, ledger: %d, events: {EVENTS}, paraview: false{', modified: true' if bends else ''}}}\nbodies:\n{case.bodies}")
    h = step_of(scene, text, home)
    steps = int(part * max(case.steps / case.nodes, case.impacts / case.rate / h))
    scene.write_text(text % (steps * h, steps * h, max(1, steps // ROWS)))
    return scene


def memory(pid):
    """MB, and 0 when it is over."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


def drift(out, scale):
    """Of the energy that the step keeps with all losses, from the mean of a tenth of the run near its start to that of the last."""
    with open(out / "ledger.csv") as table:
        rows = list(csv.DictReader(line for line in table if not line.startswith("#")))
    name = "energy_h2" if rows and rows[0].get("energy_h2") not in (None, "", "nan") else "total"
    kept = [float(r[name]) + sum(float(r[loss]) for loss in LOSSES) - float(r["external_work"]) for r in rows]
    n = max(1, len(kept) // 10)
    if len(kept) < 3 or not scale > 0:
        return 0.0
    first, last = kept[1:n + 1], kept[-n:]
    return (sum(last) / len(last) - sum(first) / len(first)) / scale


def long(case, part, end, home):
    """(what came of it, what is wrong)"""
    home.mkdir(parents=True, exist_ok=True)
    scene, out = prepare(case, part, home), home / "out"
    if (out / "summary.json").exists() and json.loads((out / "summary.json").read_text())["reason"] == "done":
        return f"{case.name}: at its end already, see lines.txt", []
    more = ["--resume"] if (out / "checkpoint.h5").exists() else ["--overwrite"]
    child = subprocess.Popen([PROGRAM, "run", scene, "-o", out, "--quiet", "--threads", "1", *more], stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    told = []
    reader = threading.Thread(target=lambda: told.append(child.stderr.read()))
    reader.start()
    seen, began, asked = [], time.monotonic(), False
    while child.poll() is None:
        time.sleep(0.2)
        if (now := memory(child.pid)) > 0:
            seen.append(now)
        if time.monotonic() > end and not asked:
            asked = True
            child.send_signal(signal.SIGINT)
    reader.join()
    if asked and child.returncode == 2 and not (out / "summary.json").exists():
        return f"{case.name}: not begun", []
    wrong = []
    if child.returncode != (2 if asked and "interrupted" in told[0] else 0):
        wrong.append(f"exit code {child.returncode}: {told[0][-300:]}")
    summary = json.loads((out / "summary.json").read_text())
    wrong += [f"{c['name']} {c['worst']:.3g} > {c['bound']:.3g}" for c in summary["claims"] if not c["kept"]]
    early, late = max(seen[len(seen) // 10:len(seen) // 5 + 1], default=0), max(seen[-len(seen) // 10:], default=0)
    if time.monotonic() - began > 60 and late > 1.01 * early + 2 + 80e-6 * min(summary["impacts"], EVENTS):
        wrong.append(f"memory grows from {early:.1f} to {late:.1f} MB")
    claims = ", ".join(f"{c['name']} {c['worst']:.1e} < {c['bound']:.1e}" for c in summary["claims"])
    steps = summary["steps"]
    return (f"{case.name}: {steps:.4g} steps, {steps * case.nodes:.3g} of a node, {summary['impacts']} impacts, "
            f"energy {drift(out, summary['energy']['scale']):+.2e} of {summary['energy']['scale']:.4g} J, "
            f"momenta {summary['momentum']['max_drift']:.1e} {summary['angular_momentum']['max_drift']:.1e}, "
            f"{late - early:+.2f} of {early:.1f} MB, {time.monotonic() - began:.0f} s"
            f"{'' if summary['reason'] != 'interrupted' else ', not at its end'}; {claims}"), wrong


def unpack(store, home):
    if store is not None and store.exists():
        with tarfile.open(store) as packed:
            packed.extractall(home, filter="data")


def pack(store, home):
    if store is not None:
        with tarfile.open(store, "w:gz", compresslevel=3) as packed:
            packed.add(home, arcname=".")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--part", type=float, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    parser.add_argument("--store", type=pathlib.Path)
    given = parser.parse_args()
    end, bad = time.monotonic() + 60 * given.minutes, 0
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory(prefix="long") as home, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        home = pathlib.Path(home)
        unpack(given.store, home)
        chosen = [c for c in CASES if given.only in c.name]
        runs = [pool.submit(long, c, given.part, end, home / c.name.replace(" ", "_").replace(",", "")) for c in chosen]
        for run in concurrent.futures.as_completed(runs):
            try:
                line, wrong = run.result()
            except (OSError, ValueError, KeyError, subprocess.SubprocessError) as e:  # the others go on
                line, wrong = "a run that could not be judged", [repr(e)]
            with open(home / "lines.txt", "a") as lines:
                print(line, file=lines)
            print(line, flush=True)
            for what in wrong:
                print(f"  WRONG: {what}", flush=True)
            bad += bool(wrong)
        pack(given.store, home)
    print(f"{bad} wrong")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
