"""What the tables of a run say about single bodies and lasting contacts, against exact values and each other."""
import csv
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

VISVIVA = os.environ["VISVIVA"]

# a box slides to rest on a floor, a ball drops on it: e = 0.5, friction 0.3
SLIDE = """visviva: 1
time: {end: 1, step: %g}
gravity: [0, 0, -9.81]
bodies:
  box:  {kind: rigid, shape: {box: {size: [0.2, 0.1, 0.1]}}, density: 1000, position: [0, 0, 0.05], velocity: [2, 0, 0]}
  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 1, position: [0, 1, 0.15]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
contacts: [{restitution: 0.5, friction: 0.3}]
record: {ledger: 1}
"""
# a soft bar drops on a floor, bounces, and stands there: e = 0.5
STAND = """visviva: 1
time: {end: 60, step: {safety: %g}}
gravity: [0, 0, -0.01]
bodies:
  bar: {kind: bar, tips: {first: lumped}, length: 1, elements: 10, material: {young: 1, density: 1}, section: {area: 1},
        axis: [0, 0, 1], position: 0.05}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
contacts: [{restitution: 0.5}]
record: {ledger: 1}
"""
# a ball falls on a beam that lies on a floor, which takes blows through the beam: e = 0.5
THROUGH = """visviva: 1
time: {end: 0.02, step: %g}
gravity: [0, 0, -9.81]
contacts: [{restitution: 0.5}]
bodies:
  low:   {kind: beam, length: 0.4, elements: 20, material: {young: 2e8, density: 1000}, section: {circle: {radius: 0.01}},
          axis: [1, 0, 0], normal: [0, 0, 1], position: [-0.2, 0, 0.0101]}
  ball:  {kind: rigid, shape: {ball: {radius: 0.03}}, density: 7800, position: [0, 0, 0.0504], velocity: [0, 0, -3]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}
record: {ledger: 10}
"""
# all kinds of bodies, two of each of some
ALL = """visviva: 1
time: {end: 20 ms, step: 0.05 ms}
gravity: [0, 0, -9.81]
materials: {rubber: {young: 1 MPa, poisson: 0.4, density: 1000}}
bodies:
  ball: {kind: rigid, shape: {ball: {radius: 1 cm}}, mass: 0.2, position: [0, 0, 0.3], velocity: [0, 0, -5], spin: [1, 2, 3]}
  brick: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.02]}}, mass: 1, position: [1, 0, 0.01]}
  rod: {kind: beam, length: 0.2, elements: 8, material: rubber, section: {circle: {radius: 1 cm}}, axis: [1, 0, 0],
        position: [3, 0, 12 mm], velocity: [0, 0, -1]}
  tie: {kind: beam, length: 0.2, elements: 4, material: rubber, section: {circle: {radius: 1 cm}}, axis: [1, 0, 0],
        position: [3, 1, 2], velocity: [0, 1, -1]}
  skin: {kind: shell, mesh: {disc: {radius: 5 cm, rings: 3}}, thickness: 1 mm, material: rubber, centre: [0, 0, 0.2]}
  pin: {kind: bar, length: 0.1, elements: 5, material: {young: 1 MPa, density: 1000}, section: {area: 1 cm^2}, axis: [0, 0, 1],
        origin: [5, 0, 0.02], velocity: -2}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
record: {every: 1 ms, ledger: 1}
"""


def table(path):
    return list(csv.DictReader(line for line in path.read_text().splitlines() if not line.startswith("#")))


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_scene(self, text, name="run", *words):
        out = pathlib.Path(self.folder.name, name)
        done = subprocess.run([VISVIVA, "run", "-", "-o", str(out), "-q", *words], input=text, text=True,
                              capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out


class Ledger(Runs):
    def test_impact_apart_from_rest(self):
        """restitution_loss is (1 - e^2) m g h of the bounces alone; what steps make of rest and sliding is step_loss."""
        for method, step in itertools.product(("leapfrog", "energy-momentum"), (1e-3, 2.5e-4)):
            rows = table(self.run_scene(SLIDE % step, f"{method}{step}", "--set", f"method.step={method}") / "ledger.csv")
            value = {k: float(v) for k, v in rows[-1].items()}
            # the box slides until it rests: friction takes its kinetic energy; the ball loses all of m g h in the end, but for
            # what a step of gravity still holds
            self.assertAlmostEqual(value["friction_loss"] / (0.5 * 2.0 * 4), 1, delta=2e-3)
            self.assertAlmostEqual(value["restitution_loss"] / (9.81 * 0.1), 1, delta=0.02)
            self.assertLess(value["step_loss"], 5 * step * value["restitution_loss"])
            self.assertGreaterEqual(value["step_loss"], 0)
            lost = [float(r["step_loss"]) for r in rows]
            self.assertTrue(all(b >= a for a, b in zip(lost, lost[1:])), "a loss shrinks")
            self.assertLess(max(abs(float(r["closure"])) for r in rows), 1e-12)

    def test_standing_costs_by_the_step_alone(self):
        """What a bar that stands loses is step_loss in both steps of bars, and falls at least with the step."""
        for method in "event", "leapfrog":
            lost = []
            for safety in 0.3, 0.1:
                rows = table(self.run_scene(STAND % safety, f"{method}{safety}", "--set", f"method.step={method}") / "ledger.csv")
                lost.append(float(rows[-1]["step_loss"]))
                self.assertGreater(float(rows[-1]["restitution_loss"]), 10 * lost[-1])
                self.assertLess(max(abs(float(r["closure"])) for r in rows), 1e-12)
            self.assertGreater(lost[0], 3 * lost[1], method)
            self.assertGreater(lost[1], 0, method)

    def test_blows_through_others_are_no_error_of_the_step(self):
        """A contact that lasts and is struck through a third body loses that to restitution; the rest falls with the step."""
        lost = []
        for step in 1e-5, 1.25e-6, 1.5625e-7:
            last = table(self.run_scene(THROUGH % step, f"{step}") / "ledger.csv")[-1]
            lost.append(float(last["step_loss"]))
        self.assertGreater(lost[0], 4 * lost[1])
        self.assertGreater(lost[1], 4 * lost[2])
        self.assertLess(lost[2], 0.01 * float(last["restitution_loss"]))

    def test_bars_touch_with_their_own_speed(self):
        """The first event of a bar that flies has its velocity, whatever its ends are and however long the step."""
        scene = """visviva: 1
time: {end: 1 ms, step: {safety: %g}}
bodies:
  bar: {kind: bar, length: 1, elements: 20, material: {young: 210 GPa, density: 7850}, section: {area: 1 cm^2}, position: -1.0001, velocity: 5,
        tips: {first: %s, last: %s}}
  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0]}}}
"""
        for safety, tips in itertools.product((0.3, 0.8), ("cell", "split", "lumped")):
            out = self.run_scene(scene % (safety, tips, tips), f"{tips}{safety}")
            self.assertAlmostEqual(float(table(out / "events.csv")[0]["normal_speed"]), -5, delta=1e-9, msg=f"{tips} {safety}")
            self.assertAlmostEqual(float(table(out / "contacts.csv")[0]["approach_speed"]), -5, delta=1e-9, msg=f"{tips} {safety}")

    def test_bodies_add_up(self):
        """Rows of bodies.csv sum to the ledger, at every frame; angular momenta and potentials too."""
        out = self.run_scene(ALL)
        ledger = {r["step"]: {k: float(v) for k, v in r.items()} for r in table(out / "ledger.csv")}
        steps = {}
        for row in table(out / "bodies.csv"):
            steps.setdefault(row["step"], []).append(row)
        self.assertEqual(len(steps), 21)
        for step, rows in steps.items():
            self.assertEqual([r["body"] for r in rows], ["ball", "brick", "rod", "tie", "skin", "pin"])
            for column in "kinetic", "strain", "potential", "p_x", "p_y", "p_z", "L_x", "L_y", "L_z":
                own = [float(r[column]) for r in rows]
                scale = max(map(abs, own), default=0) + 1e-9
                if column not in ("kinetic", "strain", "potential"):
                    scale = max(scale, 1.0)
                self.assertAlmostEqual(sum(own) / scale, ledger[step][column] / scale, delta=1e-12, msg=f"{column} {step}")
        flight = [r for r in table(out / "bodies.csv") if r["body"] == "tie"]
        energy = [float(r["kinetic"]) + float(r["strain"]) + float(r["potential"]) for r in flight]
        self.assertLess(max(energy) - min(energy), 1e-12 * energy[0])  # it touches nothing

    def test_material_momentum(self):
        """A bar turns back at a wall: its pseudomomentum, m v while it is not strained, is reversed, and the configurational force at
        its two ends has driven that, but for what a shock loses on a mesh [bars 56].  Rigid bodies have neither."""
        text = """visviva: 1
time: {end: 9, step: {safety: 0.5}}
bodies:
  bar: {kind: bar, length: 1, elements: 200, material: {young: 1, density: 1}, section: {area: 1}, tips: {first: lumped, last: lumped},
        position: -1.5, velocity: 0.1}
  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [-1, 9, 0]}
  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0]}}}
record: {bodies: true, every: 0.05}
"""
        rows = table(self.run_scene(text) / "bodies.csv")
        self.assertEqual({r["pseudomomentum"] for r in rows if r["body"] == "ball"}, {""})
        bar = [r for r in rows if r["body"] == "bar"]
        t, p, c = ([float(r[k]) for r in bar] for k in ("time", "pseudomomentum", "configurational_force"))
        self.assertAlmostEqual(p[0], 0.1, delta=1e-12)
        self.assertAlmostEqual(p[-1], -0.1, delta=0.005)
        driven = sum(0.5 * (c[i] + c[i - 1]) * (t[i] - t[i - 1]) for i in range(1, len(t)))
        self.assertAlmostEqual(driven / (p[-1] - p[0]), 1, delta=0.1)

    def test_separation_of_massless_ends(self):
        """Massless ends close and open: between these there is no event, but the bodies have not parted."""
        text = """visviva: 1
time: {end: 4, step: {safety: 0.8}}
bodies:
  bar: {kind: bar, length: 1, elements: 50, material: {young: 1, density: 1}, section: {area: 1}, position: -1.02, velocity: 0.1}
  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0]}}}
stop: [{separation: [bar, wall], for: 0.1}]
"""
        summary = json.loads((self.run_scene(text) / "summary.json").read_text())
        self.assertEqual(summary["impacts"], 2)
        self.assertAlmostEqual(summary["time_end"], 0.2 + 2 + 0.1, delta=0.05)  # touch, 2 L/c, and the pause

    def test_bodies_only_where_few(self):
        few = "  b: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, copies: {grid: {count: [4, 4, 4], spacing: [1, 1, 1]}}}\n"
        head = "visviva: 1\ntime: {end: 0.01, step: 0.001}\n"
        self.assertFalse((self.run_scene(head + "bodies:\n" + few, "one") / "bodies.csv").exists())  # one body, 64 copies
        out = self.run_scene(head + "record: {bodies: true}\nbodies:\n" + few, "asked")
        self.assertEqual({r["body"] for r in table(out / "bodies.csv")}, {"b"})

    def test_resumed_bodies(self):
        """A run in parts writes the same bytes."""
        whole = self.run_scene(ALL, "whole")
        short = ALL.replace("end: 20 ms", "end: 7.3 ms")
        self.run_scene(short, "parts")
        out = self.run_scene(ALL, "parts", "--resume")
        for name in "bodies.csv", "ledger.csv":
            self.assertEqual((out / name).read_bytes(), (whole / name).read_bytes(), name)

    def test_fewer_frame_files(self):
        """By default ParaView gets every fourth frame and the last, and run.pvd names what is there."""
        text = ALL.replace("every: 1 ms, ", "")
        out = self.run_scene(text, "default")
        frames = json.loads((out / "summary.json").read_text())["frames"]
        names = {p.name for p in (out / "paraview").glob("rigid*.vtu")}
        self.assertEqual(frames, 201)
        self.assertEqual(len(names), 51)
        pvd = (out / "paraview" / "run.pvd").read_text()
        self.assertTrue(all(name in pvd for name in names))


class Plate(Runs):
    """A piece of a plane, fixed or moving: finite obstacles."""

    def test_moving_plate(self):
        """What a heavy plate hits at speed V leaves with 2 V - v; the plate goes on, and its work is the energy that came."""
        text = """visviva: 1
time: {end: 0.6, step: 1e-3}
bodies:
  ball:  {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 2, position: [1, 0, 0], velocity: [-1, 0, 0]}
  plate: {kind: rigid, shape: {plate: {normal: [1, 0, 0], width: 1}}, mass: 1e9, motion: {velocity: [3, 0, 0]}}
record: {ledger: 1}
"""
        out = self.run_scene(text)
        ball = [r for r in table(out / "bodies.csv") if r["body"] == "ball"][-1]
        self.assertAlmostEqual(float(ball["p_x"]), 2 * (2 * 3 + 1), delta=1e-6)  # 2 V - v = 7 m/s
        ledger = {k: float(v) for k, v in table(out / "ledger.csv")[-1].items()}
        # touch at t = 0.95/4: the front moves 3 t, the ball comes by t
        contact = table(out / "contacts.csv")[0]
        self.assertAlmostEqual(float(contact["touch"]), 0.95 / 4, delta=1.1e-3)
        self.assertAlmostEqual(ledger["external_work"] / (0.5 * 2 * (49 - 1)), 1, delta=1e-6)
        self.assertLess(abs(ledger["closure"]), 1e-12)

    def test_finite_plate(self):
        """Balls over the plate bounce, one beside it falls past; a beam, a shell and a bar touch it too."""
        text = """visviva: 1
time: {end: 0.4, step: {safety: 0.2}}
gravity: [0, 0, -9.81]
materials: {rubber: {young: 1 MPa, poisson: 0.4, density: 1000}}
bodies:
  plate: {kind: rigid, shape: {plate: {normal: [0, 0, 1], width: 2}}, fixed: true}
  over:   {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 1, position: [0.9, 0, 0.3]}
  beside: {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 1, position: [1.2, 0, 0.3]}
  rod: {kind: beam, length: 0.2, elements: 6, material: rubber, section: {circle: {radius: 1 cm}}, axis: [1, 0, 0.3],
        position: [-0.5, 0, 0.2]}
  skin: {kind: shell, mesh: {disc: {radius: 5 cm, rings: 3}}, thickness: 2 mm, material: rubber, centre: [0, 0.5, 0.1]}
  pin: {kind: bar, length: 0.1, elements: 5, material: {young: 1 MPa, density: 1000}, section: {area: 1 cm^2}, axis: [0, 0, 1],
        origin: [0, -0.5, 0.1]}
record: {ledger: 20}
"""
        out = self.run_scene(text)
        touched = {(r["body_a"], r["body_b"]) for r in table(out / "contacts.csv")}
        self.assertEqual(touched, {("plate", name) for name in ("over", "rod", "skin", "pin")})
        last = {r["body"]: float(r["potential"]) for r in table(out / "bodies.csv")[-6:]}
        self.assertLess(last["beside"], 9.81 * (0.3 - 0.5 * 9.81 * 0.4**2) + 0.1)  # in free fall, below the plate


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
