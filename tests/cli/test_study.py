#!/usr/bin/env python3
"""visviva study from outside: orders that are known, tables and pictures, mistakes, interruption.

The program is $VISVIVA.
"""
import csv
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.dom.minidom

PROGRAM = os.environ["VISVIVA"]

ROD = """\
visviva: 1
title: A rod & its <modes>
time: {end: 3.6, step: 0.01}
method: {step: leapfrog}
bodies:
  rod:
    kind: bar
    length: 1
    elements: 16
    material: {young: 1, density: 1}
    section: {area: 1}
    vibration: [{mode: 1, amplitude: 0.01}]
"""
WALL = """\
visviva: 1
time: {end: 2.5, step: {safety: 0.8}}
bodies:
  bar: {kind: bar, length: 1, elements: 50, material: {young: 1, density: 1}, section: {area: 1}, position: -1.02, velocity: 0.1}
  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0]}}}
"""
TUMBLE = """\
visviva: 1
time: {end: 4, step: 1e-2}
gravity: [0, 0, -9.81]
bodies:
  room: {kind: obstacle, shape: {room: {size: [3, 3, 3]}}}
  rod: {kind: rigid, shape: {capsule: {length: 1, radius: 0.05}}, mass: 1, velocity: [1, 2, 3], spin: [1, 0.5, 2]}
"""
ARC = """\
visviva: 1
title: Demoures et al. 2015, section 4.3
time: {end: 0.06, step: 1e-5}
method: {step: leapfrog}
bodies:
  beam:
    kind: beam
    length: 2
    elements: 64
    material: {young: 1e4, poisson: 0.35, density: 1000}
    section: {square: {side: 0.05}}
    shape: {arc: {angle: 2.0943951023931953, stretch: 0.75}}
    axis: [-0.8660254037844386, 0, 0.5]
    normal: [0.5, 0, 0.8660254037844386]
    strain: trapezoid
"""


def study(*words):
    done = subprocess.run([PROGRAM, "study", *words], capture_output=True, text=True, timeout=250)
    return done.returncode, done.stdout, done.stderr


def table(folder):
    with open(f"{folder}/study.csv", newline="") as f:
        units = f.readline()
        rows = list(csv.DictReader(f))
    assert units.startswith("# units: ") and units.count(",") == len(rows[0]) - 1, units
    return rows


class Study(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)
        with open("rod.yaml", "w") as f:
            f.write(ROD)

    def runs(self, *words, code=0):
        got, out, err = study(*words, "--threads", "1")
        self.assertEqual(got, code, f"{words}: {out}{err}")
        return out, err

    def column(self, folder, name):
        return [float(r[name]) for r in table(folder) if r["run"] != "reference"]

    def test_order_two(self):
        out, _ = self.runs("rod.yaml", "--vary", "time.step=0.02,0.01,0.005,0.0025", "--reference", "method.order=4",
                           "-o", "a/b")
        for slope in self.column("a/b", "slope")[1:]:
            self.assertAlmostEqual(slope, 2, delta=0.05)
        self.assertIn("taken as exact", out)
        self.assertIn("least squares        slope 2.0", out)
        self.assertEqual([r["time.step"] for r in table("a/b")], ["0.02", "0.01", "0.005", "0.0025", "0.0025"])
        self.assertEqual([int(r["steps"]) for r in table("a/b")], [180, 360, 720, 1440, 1440])
        picture = xml.dom.minidom.parse("a/b/study.svg")
        words = [t.firstChild.data for t in picture.getElementsByTagName("text")]
        self.assertIn("A rod & its <modes>", words)
        self.assertIn("slope 2", words)
        self.assertEqual(len(picture.getElementsByTagName("circle")), 8)

    def test_order_four(self):
        self.runs("rod.yaml", "--vary", "time.step=0.04,0.02,0.01", "--set", "method.order=4", "--reference",
                  "time.step=0.002", "--reference", "method.order=6", "-o", "o")
        for slope in self.column("o", "slope")[1:]:
            self.assertAlmostEqual(slope, 4, delta=0.05)

    def test_near_reference(self):
        """A reference of half the finest step: the last slope is log2 5, the corrected order 2."""
        for norm in "end", "paper":
            out, _ = self.runs("rod.yaml", "--vary", "time.step=0.02,0.01,0.005", "--norm", norm, "-o", norm)
            self.assertAlmostEqual(self.column(norm, "slope")[-1], math.log2(5), delta=0.02)
            for order in self.column(norm, "order")[1:]:
                self.assertAlmostEqual(order, 2, delta=0.03)
            self.assertIn("only 2 times as fine", out)

    def test_space(self):
        for norm in "end", "paper":
            self.runs("rod.yaml", "--vary", "bodies.rod.elements=8,16,32", "--set", "time.step=0.002", "--norm", norm,
                      "--reference", "bodies.rod.elements=256", "-o", norm)
            for order in self.column(norm, "order")[1:]:
                self.assertAlmostEqual(order, 2, delta=0.1)
            self.assertEqual(self.column(norm, "h"), [0.125, 0.0625, 0.03125])

    def test_both(self):
        self.runs("rod.yaml", "--vary", "time.step=0.04,0.02,0.01", "--vary", "bodies.rod.elements=8,16,32",
                  "--norm", "paper", "-o", "o")
        for order in self.column("o", "order")[1:]:
            self.assertAlmostEqual(order, 2, delta=0.1)
        self.assertEqual(table("o")[-1]["bodies.rod.elements"], "64")

    def test_error_by_hand(self):
        """One free bar of one element is an oscillator: the leapfrog turns by 2 asin(w dt/2) a step, so the error is known."""
        scene = ROD.replace("elements: 16", "elements: 1")
        with open("one.yaml", "w") as f:
            f.write(scene)
        dt, n, w = 0.1, 36, 2.0  # two masses 1/2, spring 1: w^2 = 4
        self.runs("one.yaml", "--vary", f"time.step={dt}", "--reference", "time.step=1e-3", "--reference",
                  "method.order=6", "-o", "o")
        measured = math.cos(n * 2 * math.asin(w * dt / 2)) - math.cos(w * 3.6)  # both end nodes, amplitude 0.01
        self.assertAlmostEqual(self.column("o", "error")[0] / (0.01 * abs(measured)), 1, delta=1e-7)

    def test_cells_match_by_place(self):
        tips = "bodies.rod.tips={first: cell, last: cell}"
        self.runs("rod.yaml", "--vary", "bodies.rod.elements=5,15", "--set", tips, "--reference",
                  "bodies.rod.elements=45")
        _, err = self.runs("rod.yaml", "--vary", "bodies.rod.elements=4,8", "--set", tips, code=1)
        self.assertIn("3, 9 or 27", err)

    def test_mistakes(self):
        for words, part in [
            (["--vary", "time.stepp=0.1,0.01"], "did you mean 'step'"),
            (["--vary", "time.step=0.1,0.01", "--norm", "enegry"], "did you mean 'energy'"),
            (["--vary", "time.stepp=0.1,0.01"], "nothing was run"),
            (["--vary", "time.step=0.01,0.005", "--vary", "bodies.rod.elements=8,16,32"], "time.step has 2 values"),
            (["--vary", "time.step=1/4 us"], "can be read in two ways"),
            (["--vary", "time.step=0.02,0.01", "--norm", "paper", "--reference", "time.step=0.008"],
             "0.02 of the run with time.step=0.02 is no multiple of the reference's 0.008"),
            (["--vary", "time.step=0.02,0.01", "--norm", "paper", "--reference", "time.step=0.008"],
             "--reference time.step=0.005"),
            (["--vary", "bodies.rod.elements=8,12", "--reference", "bodies.rod.elements=16"], "12 elements"),
            (["--vary", "bodies.rod.elements=8,12", "--reference", "bodies.rod.elements=16"], "divide 16"),
            (["--vary", "time.step=5,1"], "stable step"),
            (["--vary", "method.order=2,4"], "--reference"),
            (["--vary", "time.step"], "PATH=VALUE"),
            (["--vary", "time.step=0.1,,0.2"], "empty value"),
            (["--vary", "time.step=0.1", "--vary", "time.step=0.1"], "twice"),
            (["--vary", "time.step=0.1", "--norm", "max"], "end, paper, energy, first-contact, peak-force or impulse"),
            (["--vary", "time.step=0.1", "-o", "rod.yaml"], "not a folder"),
            (["--vary", "time.step=0.01", "-o", "/proc/no"], "not created"),
            ([], "--vary time.step="),
        ]:
            out, err = self.runs("rod.yaml", *words, code=1)
            self.assertIn(part, err)
            self.assertEqual(out, "")
        self.runs("none.yaml", "--vary", "time.step=0.1", code=1)

    def test_steps_are_rounded(self):
        """Steps that do not divide the end are shortened until they do, by the same factor in all runs."""
        out, _ = self.runs("rod.yaml", "--vary", "time.step=0.035,0.0175", "-o", "o")
        self.assertIn("shortened", out)
        self.assertEqual([int(r["steps"]) for r in table("o")], [103, 206, 412])
        for order in self.column("o", "order")[1:]:
            self.assertAlmostEqual(order, 2, delta=0.05)
        self.runs("rod.yaml", "--vary", "time.step={safety: 0.4},{safety: 0.2}", "-o", "safe")
        for order in self.column("safe", "order")[1:]:
            self.assertAlmostEqual(order, 2, delta=0.1)

    def test_values_are_those_of_scenes(self):
        """Formulas and units are read as in a scene, and a finer reference follows from them."""
        self.runs("rod.yaml", "--vary", "time.step=1/50, 10 ms,min(5 ms, 1 s)", "-o", "o")
        self.assertEqual([int(r["steps"]) for r in table("o")], [180, 360, 720, 1440])
        self.assertAlmostEqual(self.column("o", "order")[-1], 2, delta=0.03)

    def test_impact_norms(self):
        """A bar on a wall: first contact, force and impulse go to those of wave theory; no nodes have to coincide."""
        with open("wall.yaml", "w") as f:
            f.write(WALL)
        # E = rho = A = 1, v = 0.1: touch at 0.2, force 0.1, impulse 2 m v = 0.2; the clearance is flown at the exact speed
        for norm, exact, least in [("first-contact", 0.2, 1e-12), ("peak-force", 0.1, 0.01), ("impulse", 0.2, 0.01)]:
            out, _ = self.runs("wall.yaml", "--vary", "bodies.bar.elements=20,50,120", "--norm", norm, "-o", norm)
            values = [float(r["remark"].split()[0]) for r in table(norm)]
            self.assertAlmostEqual(values[-1] / exact, 1, delta=least)
            errors = [abs(v / exact - 1) for v in values]
            self.assertLessEqual(errors[-1], errors[0] + 1e-12)
        # a stop condition is an end where no nodes are compared
        with open("stop.yaml", "w") as f:
            f.write(WALL.replace("end: 2.5", "end: 9") + "stop: [{separation: [bar, wall], for: 0.1}]\n")
        self.runs("stop.yaml", "--vary", "bodies.bar.elements=20,50", "--norm", "impulse", "-o", "stopped")
        for v in table("stopped"):
            self.assertAlmostEqual(float(v["remark"].split()[0]) / 0.2, 1, delta=0.03)
        out, _ = self.runs("wall.yaml", "--vary", "bodies.bar.elements=20,50", "--norm", "energy", "-o", "energy")
        self.assertIn("round-off", out)
        self.assertTrue(all(e < 1e-12 for e in self.column("energy", "error")))

    def test_errors_of_rounding_have_no_order(self):
        """A ball that flies: its positions do not depend on the step."""
        with open("flies.yaml", "w") as f:
            f.write("visviva: 1\ntime: {end: 0.2, step: 0.02}\ngravity: [0, 0, -9.81]\nbodies:\n"
                    "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, velocity: [1, 2, 3]}\n")
        out, _ = self.runs("flies.yaml", "--vary", "time.step=0.02,0.01,0.005")
        self.assertIn("All errors are round-off", out)
        self.assertNotIn("least squares", out)

    def test_chaos_is_said(self):
        """A tumbling rod: positions do not converge, and the study says why, when, and what does converge."""
        with open("tumble.yaml", "w") as f:
            f.write(TUMBLE)
        out, _ = self.runs("tumble.yaml", "--vary", "time.step=0.01,0.005,0.0025")
        self.assertIn("chaotic", out)
        end = float(re.search(r"--set time.end=([0-9.e-]+)", out).group(1))
        self.assertNotIn("least squares", out)
        out, _ = self.runs("tumble.yaml", "--vary", "time.step=0.01,0.005,0.0025", "--norm", "first-contact", "-o", "o")
        self.assertAlmostEqual(self.column("o", "order")[-1], 1, delta=0.5)  # impacts come up to one step early
        self.assertLess(max(self.column("o", "error")), 0.01)
        self.assertTrue(0.3 < end < 4, end)

    def test_nothing_is_overwritten(self):
        words = ["rod.yaml", "--vary", "time.step=0.02,0.01", "-o", "o"]
        self.runs(*words)
        before = table("o")
        _, err = self.runs(*words, code=1)
        self.assertIn("--overwrite", err)
        self.assertEqual(table("o"), before)
        out, err = self.runs(*words, "--overwrite", "--quiet")
        self.assertEqual(out + err, "")

    def test_interrupted(self):
        """The first run is over in no time, the second never: Ctrl-C keeps the first."""
        run = subprocess.Popen([PROGRAM, "study", "rod.yaml", "--vary", "time.step=0.02,1e-9", "--reference",
                                "time.step=0.005", "-o", "o"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        for _ in range(2000):
            try:  # the table is there before the first step, and may be half written
                if float(table("o")[0]["error"]) > 0:
                    break
            except (AssertionError, LookupError, OSError, TypeError, ValueError):
                pass
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 2, err)
        self.assertIn("interrupted", err)
        self.assertRegex(out, "stopped at t = |not run")  # the second run may not have begun
        first, second, _ = table("o")
        self.assertGreater(float(first["error"]), 0)
        self.assertTrue(math.isnan(float(second["error"])))

    def test_printed_numbers_of_the_paper(self):
        """--norm paper gives the errors that an independent program found with the paper's protocol, to all digits."""
        info = subprocess.run([PROGRAM, "info"], capture_output=True, text=True).stdout
        if "beam" not in info:
            self.skipTest("no beams")
        with open("arc.yaml", "w") as f:
            f.write(ARC)
        steps, meshes = "time.step=1.6e-4,8e-5,4e-5,2e-5", "bodies.beam.elements=16,32,64,128"
        finest = ["--reference", "time.step=1e-5"], ["--reference", "bodies.beam.elements=256"]
        implicit = ["--set", "method.step=energy-momentum"]
        for i, (words, wanted, order) in enumerate([
            (["--vary", steps, *finest[0], *implicit], [1.365e-6, 3.370e-7, 8.021e-8, 1.604e-8], 2),
            (["--vary", meshes, *finest[1], *implicit], [7.6087e-3, 1.7618e-3, 6.7539e-4, 2.3714e-4], None),
            (["--vary", steps, *finest[0]], [1.751e-7, 4.322e-8, 1.029e-8, 2.056e-9], 2),
            (["--vary", steps, *finest[0], "--set", "method.start=drift"],
             [1.2025e-5, 5.6320e-6, 2.4181e-6, 8.0679e-7], 1),
            (["--vary", meshes, *finest[1], "--set", "method.start=drift"],
             [4.76501e-3, 1.91788e-3, 8.12235e-4, 2.35227e-4], None),
            (["--vary", steps, "--vary", meshes, *finest[0], *finest[1], "--set", "method.start=drift"],
             [4.76507e-3, 1.91833e-3, 8.12686e-4, 2.35496e-4], None),
        ]):
            if implicit[1] in words and "energy-momentum" not in info:
                continue
            self.runs("arc.yaml", "--norm", "paper", "-o", f"o{i}", *words)
            for got, known in zip(self.column(f"o{i}", "error"), wanted):
                self.assertAlmostEqual(got / known, 1, delta=6e-4)
            for got in self.column(f"o{i}", "order")[1:] if order else []:
                self.assertAlmostEqual(got, order, delta=0.01)
            if order:  # the published rates 1.6 and 2.3
                self.assertAlmostEqual(self.column(f"o{i}", "slope")[-1], math.log2(2 * order + 1), delta=0.01)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
