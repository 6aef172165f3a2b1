#!/usr/bin/env python3
"""visviva-mpi run: shells over ranks, with contact, have the bits of one process, in every file.

Left out where the build has no visviva-mpi (-DVV_MPI=ON, `make mpi`).  hashes.py and kills.py beside this file are longer.
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

sys.path.insert(0, os.path.dirname(__file__))
import scenes  # noqa: E402
from scenes import ENVIRONMENT, MPI, many, one  # noqa: E402

if not os.path.exists(MPI):
    print("no visviva-mpi in this build (-DVV_MPI=ON): tests of ranks are left out")
    sys.exit(77)
SORTS = scenes.implementations()
LAUNCH = SORTS[0][1]


class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir="."))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def scene(self, text):
        path = self.folder / "scene.yaml"
        path.write_text(text)
        return path

    def assert_same(self, a, b, files=scenes.FILES):
        self.assertEqual(scenes.same(a, b, files), [])

    def compare(self, text, counts=(1, 2, 3, 4), cuts=(), second=()):
        """counts: ranks; cuts: of these with tiles dealt out at random; second: with the other MPI."""
        scene = self.scene(text)
        whole = one(scene, self.folder / "whole")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        state = [l for l in whole.stdout.splitlines() if "state hash" in l]
        cases = [(n, 0, SORTS[0]) for n in counts] + [(n, 11 * n, SORTS[0]) for n in cuts]
        for ranks, cut, mpi in cases + [(n, 0, SORTS[1]) for n in second if len(SORTS) > 1]:
            with self.subTest(ranks=ranks, cut=cut, mpi=mpi[0]):
                shared = many(ranks, scene, self.folder / "shared", "--overwrite", mpi=mpi, cut=cut)
                self.assertEqual(shared.returncode, 0, shared.stderr)
                self.assertEqual([l for l in shared.stdout.splitlines() if "state hash" in l], state)
                self.assert_same(self.folder / "whole", self.folder / "shared", (*scenes.FILES, "probes.csv"))
        return whole

    def test_scene_that_one_rank_does_not_see(self):
        scene = self.scene(scenes.sphere(5, 5))
        _, launch, program = SORTS[0]
        words = ["run", str(scene), "-o", str(self.folder / "out")]
        done = subprocess.run([*launch, "-n", "1", program, *words, ":", "-n", "1", program, "run", str(self.folder / "gone.yaml"), *words[2:]],
                              capture_output=True, text=True, env=scenes.ENVIRONMENT, timeout=100)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not by another rank", done.stderr)

    def test_scenes_that_differ(self):
        """Other values, or another mesh of the same name: no rank begins."""
        _, launch, program = SORTS[0]
        text = scenes.sphere(5, 5).replace("sphere: {radius: 1, base: icosahedron, frequency: 5}", "file: {path: m.obj}")
        places = [self.folder / name for name in ("a", "b")]
        corners = "0 0 {z}", "1 0 0", "0 1 0", "1 1 0"
        for place, z in zip(places, ("0", "0.01")):
            place.mkdir()
            (place / "scene.yaml").write_text(text)
            (place / "m.obj").write_text("".join(f"v {c.format(z=z)}\n" for c in corners) + "f 1 2 3\nf 2 4 3\n")
        ways = [(places[0], []), (places[1], []), (places[0], ["--set", "time.end=1"]), (places[0], ["--set", "record.ledger=3"])]
        for place, more in ways:
            both = [["-n", "1", program, "run", str(where / "scene.yaml"), "-o", str(self.folder / "out"), "-q", "--overwrite", *words]
                    for where, words in ((places[0], []), (place, more))]
            done = subprocess.run([*launch, *both[0], ":", *both[1]], capture_output=True, text=True, env=scenes.ENVIRONMENT, timeout=100)
            same = place == places[0] and not more
            self.assertEqual((done.returncode == 0, "scenes that differ" in done.stderr), (same, not same), f"{place} {more}: {done.stderr}")

    # ---- free flight ----

    def test_sphere(self):
        self.compare(scenes.sphere(), (1, 2, 3, 4, 8), second=(2,))

    def test_more_nodes_than_triangles(self):
        """A strip, and a mesh of two triangles: the room for fields is that of nodes."""
        for pieces in ((1, 1), (40, 1)):
            mesh = f"rectangle: {{size: [1, 1], pieces: [{pieces[0]}, {pieces[1]}]}}"
            self.compare(scenes.sphere(5, 5).replace("sphere: {radius: 1, base: icosahedron, frequency: 5}", mesh), counts=(2, 3))
            shutil.rmtree(self.folder / "whole")

    def test_rank_that_spoils_memory(self):
        """A rank that dies by a fault of its own ends the job as one that is killed does."""
        scene, (_, launch, program) = self.scene(scenes.sphere(30, 100000)), SORTS[0]
        process = subprocess.Popen([*launch, "-n", "2", program, "run", str(scene), "-o", str(self.folder / "x"), "-q", "--threads", "1"],
                                   env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        until = time.time() + 60
        while scenes.written(self.folder / "x") is None and time.time() < until and process.poll() is None:
            time.sleep(0.05)
        os.kill(min(scenes.ranks_of(process.pid, program)), signal.SIGSEGV)  # rank 0, which may speak
        said = process.communicate(timeout=60)[1]
        self.assertNotEqual(process.returncode, 0)
        self.assertNotIn("*** Process received signal ***", said)  # as OpenMPI prints it

    def test_plate(self):
        self.compare(scenes.plate(), (2,), cuts=(3,))

    def test_free_bodies(self):
        self.compare(scenes.free_bodies(), (4,), cuts=(2,))

    def test_plastic(self):
        whole = self.compare(scenes.plastic(), (2, 3))
        self.assertIn("stopped by the scene", whole.stderr)
        self.assertIn("plastic work", whole.stdout)

    # ---- contact ----

    def impacts(self):
        return len((self.folder / "whole/events.csv").read_text().splitlines()) - 2

    def test_drum(self):
        self.compare(scenes.drum(), (1, 2, 3, 4, 8), cuts=(3,), second=(3,))
        self.assertGreater(self.impacts(), 20)

    def test_limit_surface(self):
        """What touches is the limit surface, of which each point hangs on nodes of several ranks; thickness and losses."""
        self.compare(scenes.drum(0.008, "limit", "{restitution: 0.4, friction: 0.3, thickness: true}"), (2,), cuts=(4,))
        self.assertGreater(self.impacts(), 0)

    def test_crowd(self):
        self.compare(scenes.crowd(), (2, 4), cuts=(3,))
        self.assertGreater(self.impacts(), 100)

    def test_giant_group(self):
        self.compare(scenes.pile(), (2,), cuts=(3,))
        self.assertGreater(self.impacts(), 1000)

    def test_can(self):
        whole = self.compare(scenes.can(), (3,))
        self.assertIn("plastic work", whole.stdout)

    def test_far_apart(self):
        """Bodies that never meet: ranks that look for contact have the bits of those that do not, and their own."""
        text = scenes.drum(0.004).replace("0.2105]", "0.9]").replace("velocity: [0, 0, -3], ", "")
        self.compare(text, (3,))
        self.assertEqual(self.impacts(), 0)

    # ---- devices ----

    def device(self):
        """Words that give every rank the first device that can be used."""
        info = subprocess.run([scenes.PROGRAM, "info"], capture_output=True, text=True).stdout
        found = info.split("devices (run --device)")[1].split("\nbodies")[0].splitlines()[2:]
        usable = [a.split()[0] for a, b in zip(found, found[1:] + [""]) if a[2:3].isdigit() and "no double" not in b]
        if not usable:
            self.skipTest("OpenCL shows no device (Debian: pocl-opencl-icd)")
        return ["--device", usable[0]]

    def same_on_devices(self, text, counts):
        where, scene = self.device(), self.scene(text)
        whole = one(scene, self.folder / "whole")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        for ranks, cut in counts:
            with self.subTest(ranks=ranks, cut=cut):
                shared = many(ranks, scene, self.folder / "shared", "--overwrite", *where, cut=cut)
                self.assertEqual(shared.returncode, 0, shared.stderr)
                self.assertIn("\n  device ", shared.stdout)
                self.assert_same(self.folder / "whole", self.folder / "shared", (*scenes.FILES, "probes.csv"))

    def test_devices(self):
        """Every file of one process on the processor, byte by byte."""
        self.same_on_devices(scenes.plate((24, 18), 0.006), [(1, 0), (2, 0), (3, 7)])

    def test_devices_that_flow(self):
        self.same_on_devices(scenes.plastic(), [(2, 0)])

    def test_devices_and_contact(self):
        self.same_on_devices(scenes.crowd(2, 1.5e-3), [(2, 0), (3, 0)])
        self.assertGreater(self.impacts(), 10)

    def test_devices_resumed(self):
        """Some steps on devices of some ranks, the rest by others or by one process; shares that move on the way."""
        where, scene, shared = self.device(), self.scene(scenes.sphere(12, 60)), self.folder / "shared"
        self.assertEqual(one(scene, self.folder / "whole").returncode, 0)
        for first, second in (((3, where), (2, [])), ((2, []), (3, where)), ((2, where), (0, []))):
            for (ranks, words), more in ((first, ["--overwrite", "--set", "time.end=0.006"]), (second, ["--resume"])):
                run = many(ranks, scene, shared, *words, *more) if ranks else one(scene, shared, *words, *more)
                self.assertEqual(run.returncode, 0, run.stderr)
            self.assert_same(self.folder / "whole", shared, ["ledger.csv", "events.csv", "checkpoint.h5"])
        moved = many(2, scene, shared, "--overwrite", *where, recut=12)
        self.assertGreater(moved.stderr.count("the work of the ranks is cut anew"), 1)
        self.assert_same(self.folder / "whole", shared)

    def pair(self, scene, rank, words):
        """Two ranks on devices, one of them in another environment."""
        _, launch, program = SORTS[0]
        run = ["run", str(scene), "-o", str(self.folder / "shared"), "--overwrite", *self.device()]
        parts = [["-n", "1", *(["env", *words] if r == rank else []), program, *run] for r in range(2)]
        return subprocess.run([*launch, *parts[0], ":", *parts[1]], capture_output=True, text=True, env=ENVIRONMENT, timeout=300)

    def test_devices_lacking(self):
        """All ranks have a device, or the run is refused."""
        for rank in range(2):
            told = self.pair(self.scene(scenes.sphere(8, 10)), rank, ["OCL_ICD_VENDORS=/nowhere"])
            self.assertEqual(told.returncode, 1)
            self.assertIn("rank 1 cannot use" if rank == 1 else "OpenCL", told.stderr)

    def test_devices_lost(self):
        """The device of one rank fails: the run ends on both at one step, and one process goes on."""
        fake = pathlib.Path(scenes.BUILD, "tests/libvv_fake_opencl.so").resolve()
        if not fake.exists():
            self.skipTest("no fake OpenCL in this build (target vv_fake_opencl)")
        for text in (scenes.sphere(12, 60), scenes.crowd(2, 1e-3)):
            scene = self.scene(text)
            self.assertEqual(one(scene, self.folder / "whole", "--overwrite").returncode, 0)
            for rank in range(2):
                told = self.pair(scene, rank, [f"VISVIVA_OPENCL={fake}", "VISVIVA_FAKE=lost:250"])
                self.assertEqual(told.returncode, 2, told.stderr)
                self.assertEqual(told.stderr.count("the device (accelerator) failed"), 1, told.stderr)
                went_on = one(scene, self.folder / "shared", "--resume")
                self.assertEqual(went_on.returncode, 0, went_on.stderr)
                self.assert_same(self.folder / "whole", self.folder / "shared", ["ledger.csv", "events.csv", "checkpoint.h5"])

    # ---- balance ----

    def test_cut_anew(self):
        """Tiles move to other ranks in the middle of a run, again and again: the files of one process, byte by byte."""
        scene = self.scene(scenes.drum(0.03))
        whole = one(scene, self.folder / "whole")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        for ranks in (2, 3):
            done = many(ranks, scene, self.folder / "shared", "--overwrite", recut=12)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(done.stderr.count("the work of the ranks is cut anew"), 1)
            self.assert_same(self.folder / "whole", self.folder / "shared")
            self.assertFalse(list((self.folder / "shared").glob("moving*")))

    # ---- memory ----

    def held(self, ranks, scene):
        """MB that each rank holds for itself while it steps: the least of many looks; rank 0 first."""
        folder = self.folder / f"held{ranks}"
        process = subprocess.Popen([*LAUNCH, "-n", str(ranks), MPI, "run", str(scene), "-o", str(folder), "--threads", "1", "-q"],
                                   env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        least = {}
        begun = time.time()
        while process.poll() is None and time.time() - begun < 300 and min(map(len, least.values()), default=0) < 20:
            mine = scenes.ranks_of(process.pid, MPI)
            if (folder / "checkpoint.h5").exists() and len(mine) == ranks:  # the first step is done
                for pid in mine:
                    least.setdefault(pid, []).append(scenes.own_memory(pid))
            time.sleep(0.05)
        process.terminate()
        process.wait()
        shutil.rmtree(folder)
        self.assertEqual(len(least), ranks, "the run was too short to be looked at")
        return [min(least[pid]) for pid in sorted(least)]

    def test_memory(self):
        """What a rank holds falls with their number; rank 0 has room for what it writes besides."""
        scene = self.scene(scenes.sphere(100, 4000, 2e-5, 2e-3).replace("checkpoint: 0.002", "checkpoint: 2e-5"))
        one, two, four = (self.held(n, scene) for n in (1, 2, 4))
        print("MB of ranks:", *([f"{x:.0f}" for x in list] for list in (one, two, four)), flush=True)
        self.assertLess(max(two), 0.85 * one[0])
        self.assertLess(max(four[1:]), 0.6 * one[0])
        self.assertLess(four[0], 0.75 * one[0])

    # ---- prepared scenes ----

    def prepared(self, text):
        scene, path = self.scene(text), self.folder / "scene.vvm"
        done = subprocess.run([scenes.PROGRAM, "prepare", str(scene), "-o", str(path), "--threads", "1"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return scene, path

    def test_prepared(self):
        """Ranks that take their tiles from a prepared file have the files of one process that made the scene."""
        for name, text, counts in (("plate", scenes.plate(), (3,)), ("drum", scenes.drum(0.01), (2, 4)), ("can", scenes.can(), (2,))):
            scene, path = self.prepared(text)
            whole = one(scene, self.folder / "whole", "--overwrite")
            self.assertEqual(whole.returncode, 0, whole.stderr)
            for ranks in counts:
                with self.subTest(name, ranks=ranks):
                    done = many(ranks, path, self.folder / "shared", "--overwrite", cut=7 * (ranks == 4))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assert_same(self.folder / "whole", self.folder / "shared")
        path.write_bytes(path.read_bytes()[:-1])
        told = many(2, path, self.folder / "x")
        self.assertEqual(told.returncode, 1)
        self.assertEqual(told.stderr.count("prepare the scene again"), 1, told.stderr)

    def test_prepared_memory(self):
        """Of a prepared scene a rank holds its own triangles; rank 0, which writes, the whole state besides.  MPI itself is what as
        many ranks of a small scene hold.  The bound was set after a look, and is more than the 210 B that are asked for: some MB are
        the same for any number of triangles."""
        _, path = self.prepared(scenes.sphere(110, 4000, 2e-5, 2e-3).replace("checkpoint: 0.002", "checkpoint: 2e-5"))
        tiny = self.folder / "tiny.yaml"
        tiny.write_text(scenes.sphere(12, 200000, 2e-7, 1e-3).replace("checkpoint: 0.002", "checkpoint: 2e-7"))
        for ranks in (2, 4):
            own = self.held(ranks, tiny)
            each = [(a - b) * 2**20 / (20 * 110**2 / ranks) for a, b in zip(self.held(ranks, path), own)]
            print("bytes a triangle of a rank:", *(f"{b:.0f}" for b in each), flush=True)
            self.assertLess(max(each[1:]), 350)

    def test_prepared_memory_with_contact(self):
        """The same where everything may touch everything: at most the 800 B a triangle that are asked for."""
        text = scenes.sphere(110, 4000, 2e-5, 2e-3).replace(scenes.FREE, "").replace("checkpoint: 0.002", "checkpoint: 2e-5")
        _, path = self.prepared(text)
        tiny = self.folder / "tiny.yaml"
        tiny.write_text(scenes.sphere(12, 200000, 2e-7, 1e-3).replace("checkpoint: 0.002", "checkpoint: 2e-7"))
        own = self.held(4, tiny)
        each = [(a - b) * 2**20 / (20 * 110**2 / 4) for a, b in zip(self.held(4, path), own)]
        print("with contact, bytes a triangle of a rank:", *(f"{b:.0f}" for b in each), flush=True)
        self.assertLess(max(each[1:]), 800)

    # ---- trouble ----

    def kill_and_go_on(self, text, counts):
        """The first of them is killed while it sets up."""
        scene, folder = self.scene(text), self.folder / "shared"
        begun = time.time()
        whole = one(scene, self.folder / "whole")
        wall = time.time() - begun
        self.assertEqual(whole.returncode, 0, whole.stderr)
        chance = random.Random(1)
        hits = [scenes.kill_one(n, scene, folder, chance, 0.3 * wall, i == 0, SORTS[0]) for i, n in enumerate(counts)]
        self.assertIn("steps", hits)
        last = many(3, scene, folder, "--resume")
        self.assertEqual(last.returncode, 0, last.stderr)
        self.assert_same(self.folder / "whole", folder, ["ledger.csv", "checkpoint.h5"])

    def test_resumed_on_other_ranks(self):
        """Ranks are killed at random; the run goes on with other numbers of them: the files of the undisturbed run."""
        longer = scenes.sphere(20, 800).replace("every: 0.002, ledger: 7, checkpoint: 0.002", "every: 0.01, ledger: 20, checkpoint: 0.004")
        self.kill_and_go_on(longer, (3, 2, 3, 2))

    def test_contact_resumed_on_other_ranks(self):
        longer = scenes.drum(0.1).replace("every: 0.004, ledger: 2, checkpoint: 0.004", "every: 0.02, ledger: 20, checkpoint: 0.002")
        self.kill_and_go_on(longer, (2, 3, 2))

    def test_signal(self):
        """SIGTERM ends all ranks at one step, with a checkpoint; one process goes on from there."""
        scene, folder = self.scene(scenes.drum(0.1)), self.folder / "shared"
        process = subprocess.Popen([*LAUNCH, "-n", "2", MPI, "run", str(scene), "-o", str(folder), "--threads", "1"],
                                   env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        begun = time.time()
        while not (folder / "checkpoint.h5").exists() and time.time() - begun < 60:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1]
        self.assertNotEqual(process.returncode, 0)
        whole = one(scene, self.folder / "whole")
        self.assertEqual(whole.returncode, 0)
        went_on = one(scene, folder, "--resume")
        self.assertEqual(went_on.returncode, 0, said + went_on.stderr)
        self.assert_same(self.folder / "whole", folder, ["ledger.csv", "checkpoint.h5"])

    def test_refused(self):
        for text in (scenes.drum(law="{restitution: 1, projection: paper}"),
                     scenes.sphere().replace("bodies:", "method: {step: energy-momentum}\nbodies:")):
            told = many(2, self.scene(text), self.folder / "x")
            self.assertEqual(told.returncode, 1)
            self.assertEqual(told.stderr.count("shared over ranks by the leapfrog alone"), 1, told.stderr)  # one rank speaks
        told = many(2, self.folder / "none.yaml", self.folder / "x")
        self.assertEqual(told.returncode, 1)
        told = many(2, self.scene(scenes.sphere()), self.folder / "x", "--check-structure")
        self.assertIn("structure is not checked over ranks", told.stderr)
        told = many(2, self.scene(scenes.sphere()), self.folder / "x", "--device", "any")
        self.assertEqual(told.stderr.count("device 'any': there is none"), 1, told.stderr)
        joined = scenes.sphere() + "  a: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [3, 0, 0]}\n" \
            "joints: [{kind: ball, bodies: [ground, a], at: [3, 0, 0]}]\n"
        told = many(2, self.scene(joined), self.folder / "x")
        self.assertIn("joints are not shared over ranks", told.stderr)
        check = subprocess.run([scenes.PROGRAM, "check", str(self.scene(joined))], capture_output=True, text=True)
        self.assertEqual((check.returncode, check.stdout.count("visviva-mpi")), (0, 0), check.stderr)
        breaks = scenes.can().replace("hardening: 500e6", "hardening: 500e6, failure: {strain: 0.1}")
        told = many(2, self.scene(breaks), self.folder / "x")
        self.assertIn("may break (material.failure)", told.stderr)
        full = many(2, self.scene(scenes.sphere()), "/dev/null/x")
        self.assertNotEqual(full.returncode, 0)
        text = self.scene(scenes.sphere(5, 5)).read_text()
        _, launch, program = SORTS[0]
        told = subprocess.run([*launch, "-n", "2", program, "run", "-", "-o", str(self.folder / "y")], input=text, capture_output=True, text=True, env=ENVIRONMENT)
        self.assertEqual((told.returncode, "standard input reaches one rank alone" in told.stderr), (1, True), told.stderr)

    def test_verbs_of_one_process(self):
        """What ranks do not share none of them does: two that prepare would write into one file."""
        scene, file = self.scene(scenes.sphere(5, 5)), self.folder / "scene.vvm"
        for _, launch, program in SORTS:
            told = subprocess.run([*launch, "-n", "2", program, "prepare", str(scene), "-o", str(file)], capture_output=True, text=True, env=ENVIRONMENT)
            self.assertEqual((told.returncode == 0, "ranks share `run`" in told.stderr, file.exists()), (False, True, False), told.stderr)
            alone = subprocess.run([*launch, "-n", "1", program, "prepare", str(scene), "-o", str(file)], capture_output=True, text=True, env=ENVIRONMENT)
            self.assertEqual(alone.returncode, 0, alone.stderr)
            file.unlink()

    def test_nothing_that_could_move(self):
        """Bars are moved by every rank: there is no work to be cut anew."""
        scene, more = scenes.shipped("newcomer/bars-in-a-row.yaml", record_paraview="false")
        told = many(2, scene, self.folder / "x", *more, recut=100)
        self.assertEqual((told.returncode, told.stderr.count("cut anew")), (0, 0), told.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
