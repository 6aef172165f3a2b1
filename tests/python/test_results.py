"""Result folders from Python: the same bytes as the program's, and read back."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import visviva
from scenes import BALL, BARS, SHELL

SOURCE = pathlib.Path(os.environ["VISVIVA_SOURCE"])


class Folders(unittest.TestCase):
    def setUp(self):
        self.home = tempfile.TemporaryDirectory()
        self.addCleanup(self.home.cleanup)
        self.here = pathlib.Path(self.home.name)

    def test_same_files_as_the_program(self):
        scene = self.here / "bars.yaml"
        scene.write_text(BARS)
        subprocess.run([os.environ["VISVIVA"], "run", str(scene), "-o", str(self.here / "a"), "-q"], check=True,
                       env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})
        sim = visviva.Simulation(scene).run(self.here / "b")
        for name in ("ledger.csv", "events.csv", "scene.yaml"):
            self.assertEqual((self.here / "a" / name).read_bytes(), (self.here / "b" / name).read_bytes(), name)
        self.assertEqual(visviva.compare(self.here / "a", self.here / "b")["difference"], 0)
        out = visviva.open(self.here / "b")
        self.assertEqual(out.summary["state_hash"], sim.hash)
        with self.assertRaises(visviva.FileError):
            visviva.Simulation(scene).run(self.here / "b")  # holds a run already
        visviva.Simulation(scene).run(self.here / "b", overwrite=True)
        sim.step(1)  # the closed folder is no longer written
        self.assertEqual(visviva.open(self.here / "b").summary["state_hash"], out.summary["state_hash"])

    def test_readers(self):
        sim = visviva.Simulation(SHELL).run(self.here / "shell")
        out = visviva.open(self.here / "shell")
        egg = out["egg"]
        x = egg["position"]
        self.assertEqual(x.shape, (len(out.time), sim["egg"].nodes, 3))
        np.testing.assert_array_equal(x[-1], sim["egg"].position)
        np.testing.assert_array_equal(egg.read("position", -1, 1)[0], x[-1])
        np.testing.assert_array_equal(egg["elements"], sim["egg"].elements)
        np.testing.assert_array_equal(egg["mises"][-1], sim["egg"].field("mises"))
        points, cells, data = egg.mesh()
        self.assertEqual((cells[0][0], cells[0][1].shape[1], data["velocity"].shape), ("triangle", 3, points.shape))
        self.assertEqual(out.ledger.units["total"], "J")
        self.assertEqual(out.ledger["time"][-1], sim.t)
        self.assertEqual(out.step[-1], sim.steps)
        time = out.time
        del out, egg
        self.assertEqual(time[0], 0)
        self.assertEqual(len(visviva.open(self.here / "shell").events), 0)
        for bad in ("nothing", "position/../.."):
            with self.assertRaises(KeyError):
                visviva.open(self.here / "shell")["egg"][bad]
        with self.assertRaises(KeyError):
            visviva.open(self.here / "shell")["nobody"]
        for bad in (self.here / "none", self.here):
            with self.assertRaises(visviva.FileError):
                visviva.open(bad)

    def test_resume(self):
        whole = visviva.Simulation(BALL).run(self.here / "whole").hash
        sim = visviva.Simulation(BALL)
        sim.control(1)(lambda s: s.interrupt() if s.steps == 400 else None)
        with self.assertRaises(visviva.Stopped):
            sim.run(self.here / "parts")
        self.assertEqual(visviva.Simulation(BALL).run(self.here / "parts", resume=True).hash, whole)
        self.assertEqual(visviva.compare(self.here / "whole", self.here / "parts")["difference"], 0)

    def test_picture_and_page(self):
        visviva.Simulation(BALL).run(self.here / "ball")
        self.assertIn("<svg", visviva.open(self.here / "ball").picture().read_text())
        # a stand-in for the page, which Node builds: the data must arrive in it
        try:
            page = visviva.open(self.here / "ball").report()
        except visviva.FileError as missing:
            self.assertIn("make web", str(missing))
            return
        self.assertIn("<iframe", page._repr_html_())

    def test_live(self):
        """The page is made anew while the run goes on, and the run is the same to the bit."""
        try:
            from visviva.results import template
            template()
        except visviva.FileError:
            self.skipTest("the report page is not built (make web)")
        shown = []

        class Handle:
            def update(self, page):
                shown.append(page)

        def display(page):
            shown.append(page)
            return Handle()

        scene = {**BALL, "time": {"end": 20, "step": 1e-3}, "record": {"every": 0.1, "ledger": 100}}
        seen = visviva.live(visviva.Simulation(scene), self.here / "live", seconds=0.02, display=display)
        self.assertGreater(len(shown), 1)
        self.assertEqual(seen.sim.hash, visviva.Simulation(scene).run().hash)

    def test_examples(self):
        self.assertIn("newcomer/tumbling-rod", visviva.examples())
        with self.assertRaisesRegex(visviva.Error, "did you mean"):
            visviva.example("tumbling-rdo")


class Paddle(unittest.TestCase):
    def test_paddle(self):
        """A controller written in Python whose work closes to 1e-12."""
        import importlib.util
        spec = importlib.util.spec_from_file_location("paddle", SOURCE / "examples/python/paddle.py")
        paddle = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(paddle)
        sim = paddle.main()
        self.assertLess(sim.ledger.max_closure, 1e-12)
        # what the paddle gives is what impacts take, the paddle's own weight lifted aside
        book = sim.ledger
        self.assertAlmostEqual(book.total - book.initial_total, book.external_work - book.restitution_loss,
                               delta=1e-12 * book.energy_scale)


if __name__ == "__main__":
    unittest.main()
