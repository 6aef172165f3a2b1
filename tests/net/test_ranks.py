#!/usr/bin/env python3
"""visviva-mpi run: shells over ranks have the bits of one process, in every file.

Left out where the build has no visviva-mpi (-DVV_MPI=ON, `make mpi`).
"""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ["VISVIVA"]
MPI = os.environ["VISVIVA_BUILD"] + "/visviva-mpi"
MPIEXEC = os.environ.get("VISVIVA_MPIEXEC", "mpiexec")
if not os.path.exists(MPI):
    print("no visviva-mpi in this build (-DVV_MPI=ON): tests of ranks are left out")
    sys.exit(77)
VERSION = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True).stdout
LAUNCH = [MPIEXEC] + (["--oversubscribe"] if "OpenRTE" in VERSION or "Open MPI" in VERSION else [])
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
                   OMPI_MCA_hwloc_base_binding_policy="none")

HEAD = """\
visviva: 1
contacts: [{response: none}]
record: {every: 0.002, ledger: 7, checkpoint: 0.003, paraview: false}
"""
SPHERE = HEAD + """\
time: {end: 0.012, step: 2e-4}
bodies:
  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 20}}, thickness: 0.02, velocity: [0.5, 0, 0], spin: [0, 0, 3],
         material: {young: 1e5, poisson: 0.3, density: 1000, law: neo-hookean}}
"""
# three kinds of borders, gravity, a load that grows and a pressure
PLATE = HEAD + """\
time: {end: 0.01, step: {safety: 0.3}}
gravity: [0, 0.1, -9.81]
bodies:
  plate:
    kind: shell
    mesh: {rectangle: {size: [1.2, 0.9], pieces: [40, 30]}}
    thickness: 0.01
    material: {young: 1e7, poisson: 0.3, density: 1000, law: neo-hookean}
    edges: [{hold: clamped, low: [-1, -1, -1], high: [-0.59, 1, 1]}, {hold: supported, low: [0.59, -1, -1], high: [1, 1, 1]}]
    loads: [{at: [0.1, 0.2, 0], force: [1, 2, 30], history: {pulse: {duration: 4e-3}}}]
    pressure: [{value: 50, history: {ramp: {duration: 0.005}}}]
"""
CUBES = HEAD + """\
time: {end: 0.01, step: 2e-4}
bodies:
  cube: {kind: shell, mesh: {sphere: {radius: 0.1, base: icosahedron, frequency: 4}}, thickness: 0.01, spin: [1, 2, 3],
         material: {young: 1e5, poisson: 0.3, density: 1000}, grid: {count: [5, 4, 2], spacing: [0.3, 0.3, 0.3]}}
  stone: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, mass: 1, spin: [0.1, 3, 0.2], position: [9, 0, 0]}
"""
# metal that flows, in a medium; a bell with a memory; probes and an end before the end
PLASTIC = HEAD + """\
time: {end: 1, step: {safety: 0.3}}
gravity: [0, 0, -9.81]
bodies:
  can:
    kind: shell
    mesh: {sphere: {radius: 0.05, base: icosahedron, frequency: 12}}
    thickness: 1e-3
    material: {law: j2, young: 7e10, poisson: 0.3, density: 2700, yield: 2e7, hardening: 1e9}
    damping: {mass: 50}
    loads: [{at: [0, 0, 0.05], force: [0, 0, -3e4], history: {ramp: {duration: 2e-5}}}]
  bell:
    kind: shell
    mesh: {cylinder: {radius: 0.05, height: 0.08, around: 28, along: 8}}
    thickness: 3e-3
    centre: [1, 0, 0]
    material: {young: 200e9, poisson: 0.3, density: 7800}
    damping: {ratio: {value: 0.005, from: 200, to: 2e4}}
    edges: [{hold: clamped, loop: 1}]
probes:
  - {name: top, body: can, measure: plastic_strain, take: most}
stop:
  - {probe: top, above: 0.01}
"""


def one(scene, folder, *more):
    return subprocess.run([PROGRAM, "run", str(scene), "-o", str(folder), "--threads", "1", *more], capture_output=True, text=True)


def many(ranks, scene, folder, *more):
    return subprocess.run([*LAUNCH, "-n", str(ranks), MPI, "run", str(scene), "-o", str(folder), "--threads", "1", *more],
                          capture_output=True, text=True, env=ENVIRONMENT, timeout=250)


class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir="."))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def scene(self, text):
        path = self.folder / "scene.yaml"
        path.write_text(text)
        return path

    def assert_same(self, a, b, files=("ledger.csv", "events.csv", "checkpoint.h5", "scene.yaml", "results.h5")):
        for name in files:
            self.assertEqual((a / name).read_bytes(), (b / name).read_bytes(), name)

    def compare(self, text, counts=(1, 2, 3, 4)):
        scene = self.scene(text)
        whole = one(scene, self.folder / "whole")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        state = [l for l in whole.stdout.splitlines() if "state hash" in l]
        for ranks in counts:
            shared = many(ranks, scene, self.folder / f"by-{ranks}")
            self.assertEqual(shared.returncode, 0, shared.stderr)
            self.assertEqual([l for l in shared.stdout.splitlines() if "state hash" in l], state, f"{ranks} ranks")
            self.assert_same(self.folder / "whole", self.folder / f"by-{ranks}")
            if (self.folder / "whole/probes.csv").exists():
                self.assert_same(self.folder / "whole", self.folder / f"by-{ranks}", ["probes.csv"])
        return whole

    def test_sphere(self):
        self.compare(SPHERE, (1, 2, 3, 4, 8))

    def test_plate(self):
        self.compare(PLATE, (2, 3))

    def test_cubes(self):
        self.compare(CUBES, (2, 4))

    def test_plastic(self):
        whole = self.compare(PLASTIC, (2, 3))
        self.assertIn("stopped by the scene", whole.stderr)
        self.assertIn("plastic work", whole.stdout)

    def test_resumed_on_other_ranks(self):
        """Ranks are killed at random; the run goes on with other numbers of them: the files of the undisturbed run."""
        longer = SPHERE.replace("end: 0.012", "end: 0.16").replace("every: 0.002, ledger: 7, checkpoint: 0.003", "every: 0.01, ledger: 20, checkpoint: 0.004")
        scene, folder = self.scene(longer), self.folder / "shared"
        whole = one(scene, self.folder / "whole")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        chance = random.Random(1)
        killed = 0
        for ranks in (2, 3, 2, 4):
            more = ["--resume"] if (folder / "checkpoint.h5").exists() else ["--overwrite"]
            process = subprocess.Popen([*LAUNCH, "-n", str(ranks), MPI, "run", str(scene), "-o", str(folder), "--threads", "1", "-q", *more],
                                       env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            begun = time.time()
            while not (folder / "checkpoint.h5").exists() and time.time() - begun < 60 and process.poll() is None:
                time.sleep(0.02)
            time.sleep(1.5 + chance.random())
            mine = [int(p.parent.name) for p in pathlib.Path("/proc").glob("[0-9]*/stat")
                    if self.parent(p) == process.pid]
            if mine and process.poll() is None:
                os.kill(chance.choice(mine), signal.SIGKILL)
                killed += 1
            process.wait()
        self.assertGreater(killed, 0)
        last = many(3, scene, folder, "--resume")
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assert_same(self.folder / "whole", folder, ["ledger.csv", "checkpoint.h5"])

    @staticmethod
    def parent(stat):
        try:
            return int(stat.read_text().rsplit(")", 1)[1].split()[1])
        except OSError:
            return -1

    def test_signal(self):
        """SIGTERM ends all ranks at one step, with a checkpoint; one process goes on from there."""
        scene, folder = self.scene(SPHERE.replace("end: 0.012", "end: 0.1")), self.folder / "shared"
        process = subprocess.Popen([*LAUNCH, "-n", "2", MPI, "run", str(scene), "-o", str(folder), "--threads", "1"],
                                   env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        begun = time.time()
        while not (folder / "checkpoint.h5").exists() and time.time() - begun < 60:
            time.sleep(0.02)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
        self.assertNotEqual(process.returncode, 0)
        whole = one(scene, self.folder / "whole")
        self.assertEqual(whole.returncode, 0)
        went_on = one(scene, folder, "--resume")
        self.assertEqual(went_on.returncode, 0, said + went_on.stderr)
        self.assert_same(self.folder / "whole", folder, ["ledger.csv", "checkpoint.h5"])

    def test_refused(self):
        told = many(2, self.scene(SPHERE.replace("contacts: [{response: none}]\n", "")), self.folder / "x")
        self.assertEqual(told.returncode, 1)
        self.assertEqual(told.stderr.count("not shared over ranks yet"), 1)  # one rank speaks
        told = many(2, self.folder / "none.yaml", self.folder / "x")
        self.assertEqual(told.returncode, 1)
        told = many(2, self.scene(SPHERE), self.folder / "x", "--check-structure")
        self.assertIn("structure is not checked over ranks", told.stderr)
        full = many(2, self.scene(SPHERE), "/dev/null/x")
        self.assertNotEqual(full.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
