"""The module does what it says: scenes in three forms, steps, views, books, controllers, errors."""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import visviva
from scenes import BALL, BARS, BEAM, SHELL
from visviva import _library

SOURCE = pathlib.Path(os.environ["VISVIVA_SOURCE"])


class Scenes(unittest.TestCase):
    def test_three_forms_one_hash(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bars.yaml"
            path.write_text(BARS)
            import json
            bar = {"kind": "bar", "length": 10, "elements": 50, "material": {"young": 1, "density": 1}, "section": {"area": 1},
                   "tips": {"first": "lumped"}}
            scene = {"title": "Two bars meet", "time": {"end": np.float64(20), "step": 0.05},
                     "bodies": {"left": {**bar, "position": -10.02, "velocity": 0.1},
                                "right": {**bar, "position": np.int64(0), "velocity": -0.1}}, "record": {"every": 1}}
            hashes = {visviva.Simulation(s).run().hash for s in (BARS, path, str(path), scene)}
            self.assertEqual(len(hashes), 1)
            # the program, another process, the same bits
            out = pathlib.Path(folder) / "out"
            subprocess.run([os.environ["VISVIVA"], "run", str(path), "-o", str(out), "-q"], check=True,
                           env={k: v for k, v in os.environ.items() if k != "LD_PRELOAD"})
            self.assertEqual(json.loads((out / "summary.json").read_text())["state_hash"], hashes.pop())

    def test_devices(self):
        """On a device the same bits; one that is not there is refused."""
        beam = {"time": {"end": 1}, "contacts": [{"response": "none"}], "bodies": {"b": {
            "kind": "beam", "length": 2, "elements": 20, "section": {"circle": {"radius": 0.1}}, "spin": [1, 2, 3],
            "material": {"young": 3000, "poisson": 0.3, "density": 2}}}}
        with self.assertRaises((visviva.ArgumentError, visviva.UnsupportedError)):
            visviva.Simulation(beam, device="no such thing")
        usable = [i for i, d in enumerate(visviva.devices()) if d.doubles]
        here = visviva.Simulation(beam).step(20)
        self.assertIsNone(here.device)
        if not usable:
            self.skipTest("OpenCL shows no device with double precision")
        there = visviva.Simulation(beam, device=str(usable[0])).step(20)
        self.assertEqual(there.device, visviva.devices()[usable[0]].name)
        self.assertEqual(there.hash, here.hash)
        self.assertEqual(there.ledger.total, here.ledger.total)

    def test_change(self):
        sim = visviva.Simulation(BALL, change={"time.step": 2e-3, "bodies.ball.position": [0, 0, 3], "bodies.ball.mass": 5})
        self.assertEqual(sim.dt, 2e-3)
        self.assertEqual(sim["ball"].position[0, 2], 3)
        self.assertEqual(sim.word("bodies.ball.mass"), "5")
        with self.assertRaises(KeyError):
            sim.word("bodies.ball.taste")

    def test_errors_have_line_and_remedy(self):
        with self.assertRaises(visviva.SceneError) as caught:
            visviva.Simulation(BARS.replace("young", "yung").replace("section", "sectoin"))
        self.assertEqual(caught.exception.line, 5)
        self.assertEqual(len([m for m in caught.exception.messages if "did you mean" in m]), 4)  # all at once
        with self.assertRaises(visviva.SceneError) as caught:
            visviva.Simulation({**BALL, "gravitty": 1})
        self.assertIn("did you mean 'gravity'", str(caught.exception))
        for bad, kind in ((b"visviva: 1", TypeError), (3, TypeError), ("no/such/file.yaml", visviva.FileError),
                          ({**BALL, "gravity": object()}, TypeError), ("", visviva.Error)):
            with self.assertRaises(kind):
                visviva.Simulation(bad)
        with self.assertRaises(ValueError):
            visviva.Simulation(BALL, step=10.0, change={"bodies.ball.nothing": 1})
        with self.assertRaises(visviva.Error):
            visviva.Simulation(BALL, threads=-1)
        with self.assertRaises(KeyError):
            visviva.Simulation(BALL)["bal"]

    def test_step_too_long(self):
        with self.assertRaises(visviva.ArgumentError) as caught:
            visviva.Simulation(BARS, step=1.0)
        self.assertIn("stable step", str(caught.exception))


class Stepping(unittest.TestCase):
    def test_step_until_run_agree(self):
        a, b, c = (visviva.Simulation(BALL) for _ in range(3))
        for _ in range(500):
            a.step()
        a.step(500)
        b.until(0.25).until(0.25).until(1.0)
        c.run()
        self.assertEqual({a.hash, b.hash, c.hash}, {a.hash})
        self.assertEqual((a.steps, b.t), (1000, 1.0))
        self.assertEqual(a.step(0).steps, 1000)
        for bad in (float("nan"), float("inf")):
            with self.assertRaises(ValueError):
                a.until(bad)
        with self.assertRaises(ValueError):
            a.step(-1)
        self.assertEqual(a.until(0.5).steps, 1000)  # it is past

    def test_backwards(self):
        sim = visviva.Simulation({**BALL, "bodies": {"ball": BALL["bodies"]["ball"]}})
        start = sim["ball"].position.copy()
        sim.step(100)
        back = sim.clone()
        back._open(sim._model, sim._state.clone(), -sim.dt, False)
        back.step(100)
        self.assertLess(abs(back["ball"].position - start).max(), 1e-14)
        self.assertEqual(back.t, 0)

    def test_overhead(self):
        """sim.step(1) in a loop against the same steps in one call: the difference is what the module costs a step."""
        sim = visviva.Simulation({"time": {"end": 1e9, "step": 1e-3}, "bodies": {"b": BALL["bodies"]["ball"]}})
        n = 20000

        def least(work):
            times = []
            for _ in range(7):
                begin = time.thread_time()
                work()
                times.append(time.thread_time() - begin)
            return min(times) / n * 1e6

        def loop():
            for _ in range(n):
                sim.step(1)

        def plain():  # how fast this Python is
            for _ in range(n):
                abs(1)

        one, many, call = least(loop), least(lambda: sim.step(n)), least(plain)
        print(f"sim.step(1): {one:.2f} us, of which the step {many:.2f} us; abs(1): {call:.3f} us")
        if "VISVIVA_TIMES" in os.environ:  # on a quiet machine: 2 us where a call of Python's own takes 0.05 us
            self.assertLess(one - many, 2 * max(1, call / 0.05))


class Views(unittest.TestCase):
    def test_share_memory(self):
        for scene, name, width in ((BALL, "ball", 6), (BEAM, "ring", 6), (SHELL, "egg", 3), (BARS, "right", 1)):
            sim = visviva.Simulation(scene)
            body = sim[name]
            q, p, x = body.q, body.p, body.position
            self.assertEqual(p.shape, (body.nodes, width))
            self.assertTrue(np.shares_memory(q, sim.q) and np.shares_memory(p, sim.p))
            before = x.copy(), p.copy()
            sim.step(20)
            if name != "right":  # views follow; a bar's positions are computed
                self.assertTrue(np.shares_memory(x, sim.q))
                self.assertGreater(abs(x - before[0]).max(), 0)
                np.testing.assert_array_equal(x, body.field("position"))
            np.testing.assert_allclose(body.momentum, body.field("momentum"), rtol=0, atol=0)
            for array in (q, p, x if name != "right" else q):
                with self.assertRaises(ValueError):
                    array[0] = 1  # not outside edit

    def test_write_is_seen_and_booked(self):
        sim = visviva.Simulation(BALL).step(10)
        with sim.edit() as state:
            ball = state["ball"]
            ball.position[:, 2] += 1
            ball.momentum[:] = [2, 0, 0]
            kept = ball.position
        book = sim.ledger
        v = 9.81 * 0.01
        self.assertAlmostEqual(book.external_work, 2 * 9.81 - 0.5 * 2 * v * v + 1, delta=1e-12)
        with self.assertRaises(ValueError):
            kept[:] = 0  # locked again
        sim.step(100)
        self.assertAlmostEqual(sim["ball"].position[0, 0], 0.1, delta=1e-13)
        self.assertAlmostEqual(sim["ball"].position[0, 2], 1.6 - 0.5 * 9.81 * (0.01 ** 2 + 0.1 ** 2), delta=1e-12)
        self.assertLess(sim.ledger.max_closure, 1e-13)

    def test_an_exception_inside_edit_is_booked(self):
        sim = visviva.Simulation(BALL).step(1)
        with self.assertRaises(KeyError):
            with sim.edit() as state:
                state["ball"].momentum[:] = [1, 0, 0]
                state["nobody"]
        sim.step(5)
        self.assertLess(sim.ledger.max_closure, 1e-13)

    def test_fields(self):
        sim = visviva.Simulation(SHELL).step(5)
        egg = sim["egg"]
        self.assertIn("mises", egg.fields)
        self.assertEqual(egg.field("mises").shape, (len(egg.elements),))
        self.assertEqual(egg.elements.shape[1], 3)
        self.assertEqual(set(np.unique(egg.elements)), set(range(egg.nodes)))
        room = np.empty((egg.nodes, 3))
        self.assertIs(egg.field("velocity", room), room)
        np.testing.assert_allclose(room[:, 1], 1, atol=1e-6)
        for bad in (np.empty((egg.nodes, 2)), np.empty((egg.nodes, 3), dtype="f4"), np.empty((3, egg.nodes)).T):
            with self.assertRaises(ValueError):
                egg.field("velocity", bad)
        with self.assertRaises(KeyError):
            egg.field("taste")
        with self.assertRaises(AttributeError):
            egg.angular_momentum
        rod = visviva.Simulation(BEAM)["ring"]
        np.testing.assert_array_equal(rod.elements, [[i, i + 1] for i in range(8)])
        floor = visviva.Simulation(BALL)["floor"]
        self.assertEqual((floor.nodes, floor.q.shape[0], len(floor.elements)), (0, 0, 0))


class Books(unittest.TestCase):
    def test_acts(self):
        sim = visviva.Simulation(BALL).step(1)
        ball = sim["ball"]
        ball.set_velocity([0, 0, 0], spin=[1, 2, 3])
        np.testing.assert_allclose(ball.field("angular_velocity")[0], [1, 2, 3], atol=1e-14)
        before = sim.ledger.external_work
        ball.push([4, 0, 0])
        self.assertAlmostEqual(sim.ledger.external_work - before, 16 / (2 * 2), delta=1e-13)
        ball.force([0, 1, 2 * 9.81])
        sim.step(200)
        self.assertAlmostEqual(ball.position[0, 1], 0.5 * 0.5 * 0.04, delta=1e-12)
        ball.force()
        ball.prescribe([0, 0, 0.1])
        z = ball.position[0, 2]
        sim.step(100)
        self.assertAlmostEqual(ball.position[0, 2], z + 0.01, delta=1e-12)
        ball.prescribe()
        sim.run()
        self.assertLess(sim.ledger.max_closure, 1e-12)
        self.assertLess(sim.ledger.max_p_drift, 1e-12)
        for bad in ([1, 2], "abc", [1, 2, 3, 4]):
            with self.assertRaises(ValueError):
                ball.push(bad)
        with self.assertRaises(visviva.ArgumentError):
            ball.push([1, 0, 0], node=1)
        with self.assertRaises(visviva.ArgumentError):
            ball.push([float("nan"), 0, 0])
        with self.assertRaises(visviva.ArgumentError):
            sim["floor"].push([1, 0, 0])

    def test_work_is_force_times_way(self):
        """What the books call external work is the sum of impulse times mean velocity, worked out here."""
        sim = visviva.Simulation(BALL)
        ball, work = sim["ball"], 0.0
        rng = np.random.default_rng(1)
        sim.step(1)
        for _ in range(200):
            j = rng.normal(size=3) * 0.1
            v = ball.velocity[0].copy()
            ball.push(j)
            work += j @ (v + ball.velocity[0]) / 2
            sim.step(1)
        self.assertAlmostEqual(sim.ledger.external_work, work, delta=1e-12)
        self.assertLess(sim.ledger.max_closure, 1e-12)

    def test_controller_exceptions_come_out(self):
        sim = visviva.Simulation(BALL)

        @sim.control(10)
        def bad(sim):
            if sim.steps == 50:
                raise ZeroDivisionError("planted")

        with self.assertRaisesRegex(ZeroDivisionError, "planted"):
            sim.run()
        self.assertEqual(sim.steps, 50)
        self.assertLess(sim.ledger.max_closure, 1e-12)

    def test_callbacks_do_not_run_their_own_simulation(self):
        for call in (lambda sim: sim.step(), lambda sim: sim.step(3), lambda sim: sim.run(), lambda sim: sim.record(),
                     lambda sim: sim.restore("x")):
            for register in (visviva.Simulation.control, visviva.Simulation.observe):
                sim = visviva.Simulation(BALL)
                register(sim)(call)
                with self.assertRaises(RuntimeError):
                    sim.step(5)
        sim, ends = visviva.Simulation(BALL), []
        sim.control(500)(lambda sim: ends.append(sim.clone().run().hash))  # a look into the future
        sim.run()
        self.assertEqual(ends, [sim.hash] * 2)

    def test_observers(self):
        sim, seen = visviva.Simulation(BALL), []

        @sim.observe(100)
        def look(sim):
            seen.append((sim.steps, sim.ledger.total))

        sim.run()
        self.assertEqual([s for s, _ in seen], [0] + list(range(100, 1001, 100)))
        self.assertLess(np.ptp([e for _, e in seen]), 1e-12)
        self.assertEqual(sim.hash, visviva.Simulation(BALL).run().hash)
        # an observer that acts would break its promise: it only looks, but reading from inside works
        with self.assertRaises(visviva.Error):
            for _ in range(20):
                sim.observe()(lambda sim: None)

    def test_history_and_events(self):
        sim = visviva.Simulation(BALL)
        with self.assertRaises(visviva.Error):
            sim.history
        sim.record(10).run()
        history = sim.history
        np.testing.assert_array_equal(history.step, np.arange(0, 1001, 10))
        self.assertTrue(np.shares_memory(history.total, history.rows))
        self.assertLess(abs(history["closure"]).max(), 1e-12)
        old = history.kinetic
        self.assertEqual(len(sim.events), int(sim.ledger.impacts))
        self.assertEqual(set(sim.events.body_a) | set(sim.events.body_b), {"ball", "floor"})
        self.assertTrue((np.diff(sim.events.time) > 0).all())
        self.assertAlmostEqual(sim.events.time[0], (2 * 0.5 / 9.81) ** 0.5, delta=1e-9)
        sim.step(5000)
        self.assertEqual(len(old), 101)  # a view that is held stays
        self.assertEqual(len(sim.history), 601)
        try:
            import pandas  # noqa: F401
        except ImportError:
            return
        self.assertEqual(list(sim.history.to_pandas()["step"][:2]), [0, 10])
        self.assertEqual(len(sim.events.to_pandas()), len(sim.events))

    def test_claims_and_summary(self):
        sim = visviva.Simulation(BALL).run()
        self.assertTrue(all(c.kept for c in sim.claims))
        self.assertIn("energy", [c.name for c in sim.claims])
        self.assertIn("kept", sim.summary())
        with self.assertRaises(AttributeError):
            sim.ledger.taste

    def test_unstable_is_an_exception(self):
        sim = visviva.Simulation(BEAM)
        with sim.edit() as state:
            state["rod"].momentum[:] = np.inf
        with self.assertRaises(visviva.Stopped) as caught:
            sim.step(10)
        self.assertIn("rod", str(caught.exception))

    def test_unsupported(self):
        sim = visviva.Simulation({"time": BEAM["time"], "bodies": {"rod": BEAM["bodies"]["rod"]},
                                  "method": {"step": "energy-momentum"}})
        with self.assertRaises(visviva.UnsupportedError):
            sim["rod"].push([1, 0, 0])
        with self.assertRaises(visviva.UnsupportedError):
            with sim.edit():
                pass

    def test_structure(self):
        self.assertIsNone(visviva.Simulation(BARS).structure)
        sim = visviva.Simulation(BARS, check_structure=True, change={"method.jump": "slab"}).step(50)
        self.assertLess(sim.structure["symplectic"], 1e-12)


class Abi(unittest.TestCase):
    def test_sizes(self):
        sizes = dict(line.split()[1:] for line in (SOURCE / "cmake/visviva.abi").read_text().splitlines()
                     if line.startswith("struct"))
        for name, struct in _library.STRUCTS.items():
            self.assertEqual(ctypes.sizeof(struct), int(sizes[name]), name)
        self.assertEqual(np.dtype(_library.EVENT).itemsize, int(sizes["vv_event"]))

    def test_version(self):
        self.assertEqual(visviva.__version__, _library.text(_library.lib.vv_version()))

    def test_docstrings(self):
        import doctest
        for name in ("", ".simulation", ".results", ".sweep", ".errors", ".tables", ".live"):
            failed, tried = doctest.testmod(sys.modules["visviva" + name])
            self.assertEqual(failed, 0, name)

    def test_the_page(self):
        """The first three pieces of code of docs/python.md, as they stand there."""
        import contextlib
        import io
        import re
        pieces = re.findall(r"```python\n(.*?)```", (SOURCE / "docs/python.md").read_text(), re.S)
        names = {}
        with contextlib.redirect_stdout(io.StringIO()):
            for piece in pieces[:3]:
                exec(piece, names)  # noqa: S102
            names["sim"].step(200)
        self.assertLess(names["sim"].ledger.max_closure, 1e-12)

    def test_everything_public_has_words(self):
        for name in visviva.__all__:
            self.assertTrue(getattr(visviva, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
