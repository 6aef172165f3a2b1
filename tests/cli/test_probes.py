"""Probes and stop conditions: against exact solutions, the ledger, and runs in parts."""
import csv
import math
import os
import pathlib
import subprocess
import sys
import tempfile

VISVIVA = os.environ["VISVIVA"]
failed = []


def expect(what, good, more=""):
    if not good:
        failed.append(what)
        print(f"FAILED {what}: {more}")


def visviva(*words, text=None):
    done = subprocess.run([VISVIVA, *words], capture_output=True, text=True, input=text, timeout=120)
    return done.returncode, done.stdout, done.stderr


def run(out, name, text, *words):
    code, _, err = visviva("run", "-", "-o", f"{out}/{name}", "-q", *words, text=text)
    expect(f"run {name}", code == 0, f"{code} {err}")
    return pathlib.Path(out, name)


def table(path):
    lines = path.read_text().splitlines()
    expect(f"{path.name} has a line of units", lines[0].startswith("# units: "))
    rows = list(csv.DictReader(lines[1:]))
    expect("as many units as columns", len(lines[0].split(",")) == len(lines[1].split(",")), lines[0])
    return [{k: float(v) for k, v in row.items()} for row in rows]


MIXED = """visviva: 1
time: {end: 50 ms, step: 0.05 ms}
gravity: [0, 0, -9.81]
materials: {rubber: {young: 1 MPa, poisson: 0.4, density: 1000}}
bodies:
  ball:  {kind: rigid, shape: {ball: {radius: 1 cm}}, mass: 1, position: [0, 0, 1], velocity: [2, 0, 3], spin: [0, 7, 0]}
  rod:   {kind: beam, length: 0.2, elements: 8, material: rubber, section: {circle: {radius: 1 cm}}, axis: [1, 0, 0],
          position: [3, 0, 12 mm], velocity: [0, 0, -1]}
  skin:  {kind: shell, mesh: {disc: {radius: 5 cm, rings: 3}}, thickness: 1 mm, material: rubber, centre: [6, 0, 0.3],
          velocity: [1, 0, 0], spin: [3, 0, 0]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
probes:
  - {name: where, body: ball, measure: position}
  - {name: fast, body: ball, measure: velocity}
  - {name: ball-p, body: ball, measure: momentum}
  - {name: rod-p, body: rod, measure: momentum}
  - {name: skin-p, body: skin, measure: momentum}
  - {name: ball-L, body: ball, measure: angular_momentum}
  - {name: rod-L, body: rod, measure: angular_momentum}
  - {name: skin-L, body: skin, measure: angular_momentum}
  - {name: ball-T, body: ball, measure: kinetic_energy}
  - {name: rod-T, body: rod, measure: kinetic_energy}
  - {name: skin-T, body: skin, measure: kinetic_energy}
  - {name: ball-E, body: ball, measure: energy}
  - {name: rod-E, body: rod, measure: energy}
  - {name: skin-E, body: skin, measure: energy}
  - {name: tip, body: rod, measure: position, node: 8}
  - {name: near, body: rod, measure: position, point: [3.21, 0, 0]}
  - {name: force, body: rod, measure: n, element: 0}
  - {name: left, body: rod, measure: momentum, high: [3.11, 9, 9]}
  - {name: right, body: rod, measure: momentum, low: [3.11, -9, -9]}
  - {name: stress, body: skin, measure: mises, take: most}
  - {name: turn, body: ball, measure: orientation}
record: {ledger: 40, probes: 2 ms, paraview: false}
"""


def against_the_ledger(out):
    """Sums over bodies are the totals of the ledger; free flight is the parabola; two halves are the whole."""
    folder = run(out, "mixed", MIXED)
    probes, ledger = table(folder / "probes.csv"), table(folder / "ledger.csv")
    expect("26 rows", len(probes) == 26 and len(ledger) == 26, f"{len(probes)} {len(ledger)}")
    for p, l in zip(probes, ledger):
        t, at = p["time"], f"at {p['time']}"
        expect("the same steps", p["step"] == l["step"])
        for c in "xyz":
            total = sum(p[f"{b}-p_{c}"] for b in ["ball", "rod", "skin"])
            expect(f"p_{c} {at}", abs(total - l[f"p_{c}"]) < 1e-12, f"{total} {l[f'p_{c}']}")
            total = sum(p[f"{b}-L_{c}"] for b in ["ball", "rod", "skin"])
            expect(f"L_{c} {at}", abs(total - l[f"L_{c}"]) < 1e-12, f"{total} {l[f'L_{c}']}")
            expect(f"halves {at}", abs(p[f"left_{c}"] + p[f"right_{c}"] - p[f"rod-p_{c}"]) < 1e-15)
            expect(f"node and point {at}", p[f"tip_{c}"] == p[f"near_{c}"])
        kinetic = sum(p[f"{b}-T"] for b in ["ball", "rod", "skin"])
        expect(f"kinetic {at}", abs(kinetic - l["kinetic"]) < 1e-11, f"{kinetic} {l['kinetic']}")
        energy = sum(p[f"{b}-E"] for b in ["ball", "rod", "skin"])
        expect(f"energy {at}", abs(energy - l["nodal_total"] + l["contact"]) < 1e-9, f"{energy} {l['nodal_total']}")
        exact = 1 + 3 * t - 0.5 * 9.81 * t * t
        expect(f"parabola {at}", abs(p["where_z"] - exact) < 1e-12 and abs(p["where_x"] - 2 * t) < 1e-12)
        expect(f"speed {at}", abs(p["fast_z"] - (3 - 9.81 * t)) < 1e-12)
        expect(f"turn {at}", abs(abs(p["turn_w"]) - abs(math.cos(3.5 * t))) < 1e-9)
    code, _, err = visviva("run", f"{out}/mixed/scene.yaml", "-o", f"{out}/echo", "-q")
    expect("echo", code == 0 and (folder / "probes.csv").read_bytes() == pathlib.Path(out, "echo", "probes.csv").read_bytes(), err)


def in_parts(out):
    """A run that was cut, at a step in and out of rhythm, ends with the same bytes."""
    whole = (pathlib.Path(out, "mixed") / "probes.csv").read_bytes()
    for end in ["0.02", "0.0213"]:
        folder = run(out, f"cut-{end}", MIXED, "--set", f"time.end={end}")
        code, _, err = visviva("run", "-", "-o", str(folder), "-q", "--resume", text=MIXED)
        expect(f"resumed after {end}", code == 0, err)
        expect(f"the same bytes after {end}", (folder / "probes.csv").read_bytes() == whole)
    folder = run(out, "hurt", MIXED, "--set", "time.end=0.02")
    (folder / "probes.csv").write_bytes((folder / "probes.csv").read_bytes()[:-20] + b"x" * 20)
    code, _, err = visviva("run", "-", "-o", str(folder), "-q", "--resume", text=MIXED)
    expect("damage is noticed", code == 0 and "probes.csv" in err and (folder / "probes.csv.damaged").exists(), err)


def end_of(folder):
    return table(folder / "ledger.csv")[-1]["time"]


FALL = """visviva: 1
time: {end: 9, step: 1 ms}
gravity: [0, 0, -10]
bodies:
  ball:  {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [0, 0, 1.1]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
contacts: [{restitution: 0.5}]
method: {locate: none}
probes: [{name: high, body: ball, measure: position}]
stop: [STOP]
record: {paraview: false}
"""


def stops(out):
    def ends(name, stop, *words):
        folder = run(out, name, FALL.replace("STOP", stop), *words)
        return end_of(folder), folder

    t, _ = ends("bound", "{probe: high, component: z, below: 0.6}")
    expect("a bound is met one step behind it", 0 < t - math.sqrt(0.1) <= 1.001e-3, str(t))
    t, _ = ends("after", "{probe: high, component: z, below: 0.6, after: 0.7}")
    expect("not before", abs(t - 0.7) < 1.001e-3 or t > 0.7, str(t))
    t, folder = ends("part", "{separation: [ball, floor], for: 50 ms}")
    touch = math.sqrt(0.2)  # falls 1 m; rises again for 0.1 s and more
    stopped = t
    expect("separation", abs(t - touch - 0.05) < 3e-3, f"{t} {touch}")
    code, _, err = visviva("run", "-", "-o", str(folder), "-q", "--resume", text=FALL.replace("STOP", "{separation: [ball, floor], for: 50 ms}"))
    expect("resumed where it stopped", code == 0, err)
    for bound in 0.01, 1e-6:  # below g times the step, too
        t, _ = ends(f"rest{bound}", f"{{rest: {bound}, after: 1}}")
        expect(f"rest below {bound}", 1.3 < t < 2.5, str(t))  # touches end at sqrt(0.2) (1 + 2 (1/2 + 1/4 + ...)) = 1.34
    first = run(out, "half", FALL.replace("STOP", "{separation: [ball, floor], for: 50 ms}"), "--set", "time.end=0.46")
    code, _, err = visviva("run", "-", "-o", str(first), "-q", "--resume", text=FALL.replace("STOP", "{separation: [ball, floor], for: 50 ms}"))
    again = end_of(first)
    expect("who touched is remembered over a checkpoint", again == stopped, f"{again} {stopped}")


SHAKER = """visviva: 1
time: {end: 0.2, step: 0.1 ms}
gravity: [0, 0, -9.81]
bodies:
  table: {kind: rigid, shape: {box: {size: [1, 1, 0.1]}}, mass: 1000, position: [0, 0, -0.05],
          motion: {displacement: [0, 0, 2 mm], history: {harmonic: {frequency: 2*pi*25}}}}
  ball:  {kind: rigid, shape: {ball: {radius: 1 cm}}, mass: MASS, position: [0.3, 0, 1.2 cm]}
contacts: [{restitution: 0.5}]
probes: [{name: table, body: table, measure: position}, {name: ball, body: ball, measure: position}]
record: {paraview: false, ledger: 1}
"""
BAT = """visviva: 1
time: {end: 1, step: 1 ms}
bodies:
  wall: {kind: rigid, shape: {box: {size: [0.2, 9, 9]}}, mass: 1e9, position: [-0.6, 0, 0], motion: {velocity: [2, 0, 0]}}
  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, velocity: [-3, 0, 0]}
probes: [{name: ball, body: ball, measure: velocity}, {name: wall, body: wall, measure: position}]
record: {paraview: false}
"""


def motions(out):
    """A shaken table stays on its sine, a moving wall throws an elastic ball back at 2 V - v, and the books close."""
    for mass in [0.1, 0.001]:
        folder = run(out, f"shake-{mass}", SHAKER.replace("MASS", str(mass)))
        rows, ledger = table(folder / "probes.csv"), table(folder / "ledger.csv")
        off = max(abs(r["table_z"] + 0.05 - 0.002 * math.sin(2 * math.pi * 25 * r["time"])) for r in rows)
        expect(f"the sine, {mass} kg", off < 2e-7 * mass, str(off))
        expect("the ball jumps and stays above", min(r["ball_z"] - r["table_z"] - 0.06 for r in rows) > -1e-6)
        expect("the books close", max(abs(r["closure"]) for r in ledger) < 1e-12)
        expect("work was done", abs(ledger[-1]["external_work"]) > 1e-6)
    rows = table(run(out, "bat", BAT) / "probes.csv")
    expect("thrown back", abs(rows[-1]["ball_x"] - 7) < 1e-6, str(rows[-1]))
    expect("the wall goes on", abs(rows[-1]["wall_x"] - (-0.6 + 2 * rows[-1]["time"])) < 1e-9, str(rows[-1]))
    text = SHAKER.replace("MASS", "0.1")
    folder = run(out, "shake-cut", text, "--set", "time.end=0.0913")
    code, _, err = visviva("run", "-", "-o", str(folder), "-q", "--resume", text=text)
    expect("in parts as at once", code == 0 and (folder / "probes.csv").read_bytes() == pathlib.Path(out, "shake-0.1", "probes.csv").read_bytes(), err)
    for more, says in [("fixed: true", "a fixed body does not move"), ("velocity: [1, 0, 0]", "follows from 'motion'")]:
        code, _, err = visviva("check", "-", text=BAT.replace("mass: 1e9", f"mass: 1e9, {more}"))
        expect(more, code == 1 and says in err, err)


def faults(out):
    head = "visviva: 1\ntime: {end: 1, step: 0.01}\nbodies: {a: {kind: rigid, shape: {ball: {radius: 1}}, mass: 1}, b: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: -9}}}}\n"
    good = "probes: [{name: x, body: a, measure: position}]\n"
    for more, says in [
        ("probes: [{name: x, body: c, measure: position}]", "there is no body 'c'"),
        ("probes: [{name: x, body: b, measure: position}]", "does not move"),
        ("probes: [{name: x, body: a, measure: stress}]", "it is a rigid; known: position"),
        ("probes: [{name: x, body: a, measure: posision}]", "did you mean 'position'?"),
        ("probes: [{name: x, body: a, measure: position, node: 1}]", "there are 1, numbered from 0"),
        ("probes: [{name: x, body: a, measure: position, element: 0}]", "is given on nodes"),
        ("probes: [{name: x, body: a, measure: position, low: [5, 5, 5]}]", "no node lies in this box"),
        ("probes: [{name: x, body: a, measure: position, node: 0, point: [0, 0, 0]}]", "give one of node"),
        ("probes: [{name: 'x,y', body: a, measure: position}]", "letters, digits"),
        ("probes: [{name: x, body: a, measure: position}, {name: x, body: a, measure: velocity}]", "is another probe"),
        ("stop: [{probe: y, above: 1}]\n" + good, "there is no probe 'y'"),
        ("stop: [{probe: x}]\n" + good, "needs a bound"),
        ("stop: [{rest: 1, probe: x, above: 1}]\n" + good, "give one of probe"),
        ("stop: [{separation: [a]}]", "names 1 bodies"),
        ("stop: [{probe: x, above: 1, for: 2}]\n" + good, "is for 'separation'"),
        ("record: {probes: 1}", "there are no 'probes'"),
    ]:
        code, _, err = visviva("check", "-", text=head + more + "\n")
        expect(more, code == 1 and says in err, f"{code} {err}")


with tempfile.TemporaryDirectory() as out:
    against_the_ledger(out)
    in_parts(out)
    stops(out)
    motions(out)
    faults(out)
print("failed:", failed if failed else "nothing")
sys.exit(1 if failed else 0)
