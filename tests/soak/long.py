#!/usr/bin/env python3
"""Long runs: does memory stay, and do claims hold, over as many steps as anybody will take?

    long.py [--minutes M] [--part P] [--jobs J] [--only WORD]

A rigid body takes 1e9 steps, every other kind 1e8 steps of a node, with impacts where that says more.  After M minutes (60) runs are
interrupted as a user would, and judged as far as they came.  P: the part of these steps that is taken, 1 unless told.
Wrong is: an exit code that is not 0 (2 where interrupted), a broken claim, or memory that grows after a tenth of the run by more than
two megabytes, a hundredth of itself and 80 bytes for each impact that is recorded (100,000 at the most): HDF5's index of their blocks.  $VISVIVA is the program.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ.get("VISVIVA", "visviva")
ROOM = "  room: {kind: obstacle, shape: {room: {size: [2, 2, 2]}}}\n"
BOX = "kind: rigid, shape: {box: {size: [0.3, 0.2, 0.1]}}, mass: 1, velocity: [1, 0.5, -1], spin: [3, 2, 1]"
ROD = "kind: beam, length: 0.5, material: {young: 1e7, poisson: 0.45, density: 1100}, section: {circle: {radius: 0.02}}"
SKIN = "kind: shell, mesh: {sphere: {radius: 0.3, level: 1}}, thickness: 2e-2, material: {young: 1e6, poisson: 0.45, density: 1000}"
BAR = "kind: bar, length: 1, elements: 9, material: {young: 1, density: 1}, section: {area: 1}"
# name, nodes, steps of a node, step (s), bodies
CASES = (
    ("rigid, free", 1, 1e9, "1e-3", f"  box: {{{BOX}}}\n"),
    ("rigid in a room", 1, 1e8, "1e-3", ROOM + f"  box: {{{BOX}}}\n"),
    ("bars that meet", 20, 1e8, "{safety: 0.5}", f"  a: {{{BAR}, position: -1.02, velocity: 0.1}}\n  b: {{{BAR}, velocity: -0.1}}\n"
     "  left: {kind: obstacle, shape: {plane: {normal: [1, 0, 0], offset: -2}}}\n"
     "  right: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -2}}}\n"),
    ("beam, free", 17, 1e8, "{safety: 0.3}", f"  rod: {{{ROD}, elements: 16, axis: [1, 0, 0], spin: [1, 2, 3]}}\n"),
    ("beam in a room", 5, 1e8, "{safety: 0.3}", ROOM + f"  rod: {{{ROD}, elements: 4, position: [-0.25, 0, 0.3], axis: [1, 0, 0.2]}}\n"),
    ("shell, free", 18, 1e8, "{safety: 0.3}", f"  skin: {{{SKIN}, velocity: [1, 0, 0], spin: [1, 2, 3]}}\n"),
    ("shell in a room", 18, 1e8, "{safety: 0.3}", ROOM + f"  skin: {{{SKIN}, velocity: [1, 0.5, -1]}}\n"),
)


def step_of(scene, home):
    """s: what the program makes of the step."""
    scene.write_text(scene.read_text().replace("END", "0.1"))
    out = home / "try"
    subprocess.run([PROGRAM, "run", scene, "-o", out, "--quiet"], check=True, capture_output=True)
    return json.loads((out / "summary.json").read_text())["step_size"]


def memory(pid):
    """MB, and 0 when it is over."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


def long(case, part, end):
    """(name, steps taken, what is wrong)"""
    name, nodes, node_steps, step, bodies = case
    gravity = "gravity: [0, 0, -9.81]\n" if "room" in name else ""
    with tempfile.TemporaryDirectory(prefix="long") as home:
        home = pathlib.Path(home)
        scene, out = home / "scene.yaml", home / "out"
        text = f"visviva: 1\ntime: {{end: END, step: {step}}}\n{gravity}record: {{every: END, paraview: false}}\nbodies:\n{bodies}"
        scene.write_text(text)
        h = step_of(scene, home)
        steps = part * node_steps / nodes
        scene.write_text(text.replace("END", repr(steps * h)))
        child = subprocess.Popen([PROGRAM, "run", scene, "-o", out, "--quiet", "--threads", "1"], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        seen, began = [], time.monotonic()
        while child.poll() is None:
            time.sleep(0.2)
            if (now := memory(child.pid)) > 0:
                seen.append(now)
            if time.monotonic() > end:
                child.send_signal(signal.SIGINT)
                child.wait()
        told, wrong = child.stderr.read(), []
        if child.returncode != (2 if "interrupted" in told and time.monotonic() > end else 0):
            wrong.append(f"exit code {child.returncode}: {told[-300:]}")
        summary = json.loads((out / "summary.json").read_text())
        wrong += [f"{c['name']} {c['worst']:.3g} > {c['bound']:.3g}" for c in summary["claims"] if not c["kept"]]
        early, late = (max(seen[len(seen) // 10:len(seen) // 5 + 1], default=0), max(seen[-len(seen) // 10:], default=0))
        if late > 1.01 * early + 2 + 80e-6 * min(summary["impacts"], 1e5):
            wrong.append(f"memory grows from {early:.1f} to {late:.1f} MB")
        claims = ", ".join(f"{c['name']} {c['worst']:.1e}" for c in summary["claims"])
        took = time.monotonic() - began
        return (f"{name}: {summary['steps']:.3g} steps, {summary['steps'] * nodes:.3g} of a node, {summary['impacts']} impacts, {took:.0f} s, "
                f"{early:.1f} to {late:.1f} MB; {claims}"), wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--part", type=float, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    end, bad = time.monotonic() + 60 * given.minutes, 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for line, wrong in pool.map(lambda case: long(case, given.part, end), [c for c in CASES if given.only in c[0]]):
            print(line, flush=True)
            for what in wrong:
                print(f"  WRONG: {what}", flush=True)
            bad += bool(wrong)
    print(f"{bad} wrong")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
