#!/usr/bin/env python3
"""visviva prepare: a scene from its file has the bytes of the scene itself; a file that is damaged, or another scene's, is refused."""
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../net"))
import scenes  # noqa: E402


def prepare(scene, path, **more):
    return subprocess.run([scenes.PROGRAM, "prepare", str(scene), "-o", str(path), "--threads", "1"], capture_output=True, text=True, **more)


class Prepare(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir="."))
        self.addCleanup(shutil.rmtree, self.folder, True)
        self.file = self.folder / "scene.vvm"

    def scene(self, text):
        path = self.folder / "scene.yaml"
        path.write_text(text)
        return path

    def prepared(self, text):
        scene = self.scene(text)
        done = prepare(scene, self.file)
        self.assertEqual(done.returncode, 0, done.stderr)
        return scene

    def test_same_files(self):
        """Borders, laws that flow, contact of control meshes and of limits, obstacles, copies: every file, byte by byte."""
        limit = scenes.drum(0.008, "limit", "{restitution: 0.4, friction: 0.3, thickness: true}")
        for name, text in (("plate", scenes.plate()), ("plastic", scenes.plastic()), ("drum", scenes.drum(0.01)), ("limit", limit),
                           ("free", scenes.free_bodies()), ("can", scenes.can())):
            with self.subTest(name):
                scene = self.prepared(text)
                whole, again = (scenes.one(s, self.folder / f, "--overwrite") for s, f in ((scene, "whole"), (self.file, "again")))
                self.assertEqual((whole.returncode, again.returncode), (0, 0), again.stderr)
                self.assertEqual(scenes.same(self.folder / "whole", self.folder / "again"), [])

    def test_same_bytes(self):
        """The file is that of the scene: prepared twice, it is the same."""
        self.prepared(scenes.drum(0.004))
        first = self.file.read_bytes()
        self.prepared(scenes.drum(0.004))
        self.assertEqual(first, self.file.read_bytes())

    def test_files_of_others(self):
        """Only a prepared scene is written over, not the scene itself."""
        scene = self.prepared(scenes.sphere(5, 5))
        text = scene.read_text()
        done = prepare(scene, scene)
        self.assertEqual((done.returncode, "no prepared scene" in done.stderr), (1, True), done.stderr)
        self.assertEqual(scene.read_text(), text)
        self.assertEqual(prepare(scene, self.file).returncode, 0)

    def refused(self, words, *more):
        done = scenes.one(self.file, self.folder / "x", "--overwrite", *more)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(words, done.stderr)

    def test_check_tells_memory(self):
        """What `check` says of the start of a rank is what a process takes that sets the scene up, within a third."""
        scene = self.scene(scenes.sphere(100, 1).replace(scenes.FREE, ""))
        told = subprocess.run([scenes.PROGRAM, "check", str(scene)], capture_output=True, text=True).stdout
        start = float(told.split("memory of a rank: ")[1].split(" MB")[0])
        self.assertIn("visviva prepare", told)
        run = subprocess.Popen([scenes.PROGRAM, "check", str(scene)], stdout=subprocess.DEVNULL)
        _, _, use = os.wait4(run.pid, 0)
        run.returncode = 0
        self.assertLess(abs(start - use.ru_maxrss / 1024), 0.35 * start)

    def test_damaged(self):
        self.prepared(scenes.drum(0.004))
        good, chance = self.file.read_bytes(), random.Random(3)
        for at in [1, len(good) - 1, *(chance.randrange(1, len(good)) for _ in range(12))]:
            bad = bytearray(good)
            bad[at] ^= 1 << chance.randrange(8)
            self.file.write_bytes(bad)
            self.refused("prepare the scene again")
        for n in (1, 100, len(good) // 2, len(good) - 1):
            self.file.write_bytes(good[:n])
            self.refused("prepare the scene again")

    def test_other_scene(self):
        """What a run may choose is not in the file: when it ends, what it records.  All else is another scene."""
        self.prepared(scenes.drum(0.01))
        self.refused("is another scene", "--set", "gravity=[0, 0, -1]")
        done = scenes.one(self.file, self.folder / "short", "--set", "time.end=0.005")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_not_written(self):
        """A disk that is full, a scene that is wrong, a shell that may break: no file."""
        few = prepare(self.scene(scenes.drum(0.004)), self.file, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16)))
        wrong = prepare(self.scene("visviva: 1\n"), self.file)
        breaks = prepare(self.scene(scenes.can().replace("hardening: 500e6", "hardening: 500e6, failure: {strain: 0.1}")), self.file)
        self.assertEqual((few.returncode, wrong.returncode, breaks.returncode), (2, 1, 1), few.stderr + wrong.stderr)
        self.assertIn("may break cannot be prepared", breaks.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["scene.yaml"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
