#!/usr/bin/env python3
"""Asks other rigid body engines and visviva the same two questions, on this machine, in one go.

usage: peers_rigid.py VISVIVA FOLDER [--quick]

1. A rod (and a ball) tumbles in a closed room, elastic, no friction, 100,000 steps: what is left of its kinetic energy?
2. n boxes free, and n boxes at rest in columns: ns per body and step, one core.

The drivers are bench/peers/*; an engine whose headers are missing is left out, and a line says so.  Settings are the
documented ones of each engine, several where they matter; the tables name them.  Tables go to standard output as Markdown
and to FOLDER/peers.csv.
"""
import csv
import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
DRIVERS = HERE / "bench" / "peers"
STEPS = 100_000
DTS = (1e-2, 1e-3, 1e-4)
SIZES = (125, 1000, 4096)

ROD_ROWS = [  # engine, setting as the driver knows it, in words
    ("bullet", "default", "Bullet, default"),
    ("bullet", "threshold0", "Bullet, restitution threshold 0"),
    ("bullet", "nogyro", "Bullet, threshold 0, gyroscopic term off"),
    ("ode", "step", "ODE, dWorldStep"),
    ("ode", "quick", "ODE, dWorldQuickStep"),
    ("mujoco", "euler", "MuJoCo, Euler, springs of 10 steps"),
    ("mujoco", "rk4", "MuJoCo, RK4, springs of 10 steps"),
    ("mujoco", "rk4-20ms", "MuJoCo, RK4, springs of 20 ms"),
]
PILE_ROWS = [("bullet", "10", "Bullet, 10 iterations"), ("ode", "10", "ODE, QuickStep 10"), ("ode", "50", "ODE, QuickStep 50")]


def pkg(name, what):
    return subprocess.run(["pkg-config", what, name], capture_output=True, text=True).stdout.split()


def build(folder):
    """{engine: program} of the drivers that could be built."""
    recipes = {
        "bullet": ["g++", "-O3", str(DRIVERS / "bullet.cpp"), *pkg("bullet-float64", "--cflags"), *pkg("bullet-float64", "--libs")],
        "ode": ["gcc", "-D_GNU_SOURCE", "-O3", str(DRIVERS / "ode.c"), *pkg("ode", "--cflags"), *pkg("ode", "--libs"), "-lm"],
        "mujoco": ["gcc", "-D_GNU_SOURCE", "-O3", str(DRIVERS / "mujoco.c"), "-lmujoco", "-lm"],
    }
    found = {}
    for engine, command in recipes.items():
        program = folder / f"peer_{engine}"
        done = subprocess.run([*command, "-o", str(program)], capture_output=True, text=True)
        if done.returncode == 0:
            found[engine] = program
        else:
            print(f"peers: {engine} is left out: its driver could not be built", file=sys.stderr)
    return found


def ask(program, *words, limit=600):
    try:
        done = subprocess.run([str(program), *map(str, words)], capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    lines = done.stdout.splitlines()  # an engine may warn before the answer
    return [float(x) for x in lines[-1].split()] if done.returncode == 0 and lines else None


def scene(text, folder, name, visviva):
    path = folder / f"{name}.yaml"
    path.write_text(text)
    out = folder / name
    done = subprocess.run([visviva, "run", str(path), "-o", str(out), "--overwrite", "--quiet", "--threads", "1"],
                          capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"peers: {name}: {done.stderr}")
    return json.loads((out / "summary.json").read_text())


def ours_rod(dt, steps, shape, folder, visviva):
    text = f"""visviva: 1
time: {{end: {dt * steps!r}, step: {dt!r}}}
record: {{every: {dt * steps!r}, ledger: 10, paraview: false}}
bodies:
  rod: {{kind: rigid, shape: {{{shape}}}, mass: 1, velocity: [1, 0.7, 0.4], spin: [1, 2, 0.5]}}
  room: {{kind: obstacle, shape: {{room: {{size: [2, 2, 2]}}}}}}
"""
    s = scene(text, folder, "rod", visviva)
    return s["energy"]["final"] / s["energy"]["initial"] - 1.0, s["energy"]["max_relative_error"], s["max_penetration"]


def ours_boxes(n, pile, steps, folder, visviva):
    k = round(n ** (1 / 3))
    dt = 1 / 240
    spacing, gravity = ("[1.5, 1.5, 1]", -9.81) if pile else ("[1.5, 1.5, 1.5]", 0)
    text = f"""visviva: 1
time: {{end: {dt * steps!r}, step: {dt!r}}}
gravity: [0, 0, {gravity}]
contacts: {"[{restitution: 0, friction: 0.5}]" if pile else "[]"}
record: {{every: {dt * steps!r}, ledger: {steps}, paraview: false}}
bodies:
  boxes: {{kind: rigid, shape: {{box: {{size: [1, 1, 1]}}}}, mass: 1, position: [0, 0, 0.5], copies: {{grid: {{count: [{k}, {k}, {k}], spacing: {spacing}}}}}{"" if pile else ", spin: [0.1, 0.2, 0.3]"}}}
  floor: {{kind: obstacle, shape: {{plane: {{normal: [0, 0, 1]}}}}}}
"""
    return scene(text, folder, "boxes", visviva)["ns_per_node_step"]


def cell(values):
    if values is None:
        return "stopped"
    last, worst = values[0], values[1]
    if not abs(worst) < 1e3:
        return "diverged"
    return f"{last:+.1e}" if abs(last) >= 1e-6 else f"{worst:.0e} at most"


def rod_table(found, shape, words, folder, visviva, steps, rows):
    print(f"\nKinetic energy of one {shape} after {steps:,} steps, KE/KE0 - 1 (exact: 0)\n")
    print("| engine | " + " | ".join(f"dt = {dt:g}" for dt in DTS) + " |\n|---|" + "---|" * len(DTS))
    for engine, setting, name in ROD_ROWS:
        if engine not in found:
            continue
        values = [ask(found[engine], "rod", setting, dt, steps, shape) for dt in DTS]
        rows += [(name, shape, dt, *(v or ["", ""])[:2]) for dt, v in zip(DTS, values)]
        print(f"| {name} | " + " | ".join(cell(v) for v in values) + " |", flush=True)
    mine = [ours_rod(dt, steps, words, folder, visviva) for dt in DTS]
    rows += [("visviva", shape, dt, *v[:2]) for dt, v in zip(DTS, mine)]
    print("| **visviva** | " + " | ".join(f"**{cell(v)}**" for v in mine) + " |")
    print("\nvisviva: deepest overlap " + ", ".join(f"{v[2]:.1g} m" for v in mine))


def box_table(found, folder, visviva, steps, rows):
    print(f"\nns per body and step, one core, dt = 1/240, {steps} steps\n")
    print("| engine | " + " | ".join(f"free {n}" for n in SIZES) + " | " + " | ".join(f"columns {n}" for n in SIZES) + " |")
    print("|---|" + "---|" * (2 * len(SIZES)))
    for engine, setting, name in PILE_ROWS:
        if engine not in found:
            continue
        values = [ask(found[engine], kind, setting, n, 1 / 240, steps) for kind in ("free", "pile") for n in SIZES]
        rows += [(name, kind, n, (v or [""])[0]) for (kind, n), v in zip(((k, n) for k in ("free", "pile") for n in SIZES), values)]
        print(f"| {name} | " + " | ".join(f"{v[0]:.0f}" if v else "stopped" for v in values) + " |", flush=True)
    mine = [ours_boxes(n, pile, steps, folder, visviva) for pile in (False, True) for n in SIZES]
    print("| **visviva** | " + " | ".join(f"**{v:.0f}**" for v in mine) + " |")


def main():
    visviva, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    quick = "--quick" in sys.argv
    folder.mkdir(parents=True, exist_ok=True)
    found, rows = build(folder), []
    steps = STEPS // 100 if quick else STEPS
    rod_table(found, "rod", "box: {size: [1, 0.05, 0.05]}", folder, visviva, steps, rows)
    rod_table(found, "ball", "ball: {radius: 0.1}", folder, visviva, steps, rows)
    box_table(found, folder, visviva, 24 if quick else 240, rows)
    with open(folder / "peers.csv", "w", newline="") as f:
        csv.writer(f).writerows([("engine", "case", "dt or n", "value", "worst"), *rows])


if __name__ == "__main__":
    main()
