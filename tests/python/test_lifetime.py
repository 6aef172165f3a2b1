"""Objects may be dropped in any order, views keep what they look at alive, threads and interrupts do no harm, nothing grows."""
import gc
import itertools
import os
import resource
import signal
import threading
import time
import unittest

import numpy as np
import visviva
from scenes import BALL, BARS, BEAM

SLOW = bool(os.environ.get("VISVIVA_PRELOAD"))
LONG = {**BALL, "time": {"end": 1e7, "step": 1e-3}}


class Lifetime(unittest.TestCase):
    def test_any_order(self):
        for order in itertools.permutations(range(4)):
            sim = visviva.Simulation(BALL)
            things = [sim, sim["ball"], sim.clone(), sim["ball"].position]
            del sim
            for i in order:
                things[i] = None
                gc.collect()

    def test_views_keep_the_state(self):
        sim = visviva.Simulation(BEAM).step(3)
        x, flat, wanted = sim["rod"].position[2:5], sim.q[:7], sim["rod"].position[2:5].copy()
        ledger = sim.ledger
        del sim
        gc.collect()
        junk = [np.full(1000, np.nan) for _ in range(100)]
        np.testing.assert_array_equal(x, wanted)
        self.assertTrue(np.isfinite(flat).all() and np.isfinite(ledger.total))
        del junk

    def test_history_and_events_outlive(self):
        sim = visviva.Simulation(BALL).run()
        history, events = sim.history, sim.events
        del sim
        gc.collect()
        self.assertEqual(history.time[-1], 1.0)
        self.assertIn("ball", set(events.body_a) | set(events.body_b))

    def test_callbacks_are_dropped_with_it(self):
        import weakref

        class Marker:
            pass

        marker = Marker()
        gone = weakref.ref(marker)
        sim = visviva.Simulation(BALL)
        sim.observe(10)(lambda sim, marker=marker: None)
        sim.control(10)(lambda sim, marker=marker: None)
        sim.run()
        del sim, marker
        gc.collect()
        self.assertIsNone(gone())

    def test_create_destroy(self):
        """1e4 of them do not grow."""
        n = 300 if SLOW else 10000

        def cycle(count):
            for i in range(count):
                sim = visviva.Simulation(BALL, threads=1)
                x = sim["ball"].position
                if i % 10 == 0:
                    sim.record(1).step(2)
                    twin = sim.clone()
                    del twin
                del sim, x
            gc.collect()

        cycle(300 if SLOW else 1500)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        cycle(n)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(f"{n} simulations: {grown} kB more")
        if not SLOW:
            self.assertLess(grown, 2000)

    def test_failed_ones_do_not_grow(self):
        for _ in range(200):
            with self.assertRaises(visviva.SceneError):
                visviva.Simulation({**BALL, "tme": 1})


class Copies(unittest.TestCase):
    def test_clone_goes_the_same_way(self):
        sim = visviva.Simulation(BALL).step(300)
        sim["ball"].push([1, 0, 0])
        twin = sim.clone()
        self.assertEqual(twin.ledger.external_work, sim.ledger.external_work)
        sim.run(), twin.run()
        self.assertEqual(sim.hash, twin.hash)
        self.assertEqual(sim.ledger.closure, twin.ledger.closure)
        fresh = visviva.Simulation(BALL).clone()  # before the first step
        self.assertEqual(fresh.run().hash, visviva.Simulation(BALL).run().hash)

    def test_save_restore(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "here.h5")
            sim = visviva.Simulation(BARS).step(100)
            sim.save(path)
            book, places = sim.ledger, sim.q.tobytes()
            end = sim.run().hash
            sim.restore(path)
            self.assertEqual((sim.steps, sim.ledger.total), (100, book.total))
            self.assertEqual(sim.run().hash, end)
            self.assertEqual(visviva.Simulation(BARS).restore(path).run().hash, end)
            with self.assertRaises(visviva.SceneError):
                visviva.Simulation(BALL).restore(path)
            with open(path, "r+b") as stream:
                at = stream.read().index(places)
                stream.seek(at)
                stream.write(b"damage" * 20)
            state = sim.hash
            with self.assertRaises(visviva.Error):
                sim.restore(path)
            self.assertEqual(sim.hash, state)
            with self.assertRaises(visviva.FileError):
                sim.restore(os.path.join(folder, "nothing.h5"))
            with self.assertRaises(visviva.FileError):
                sim.save(os.path.join(folder, "no/such/folder.h5"))


class Threads(unittest.TestCase):
    def test_others_run_meanwhile(self):
        """The interpreter is free while C runs."""
        sim = visviva.Simulation(LONG, threads=1)
        done = threading.Event()
        worker = threading.Thread(target=lambda: (self.assertRaises(visviva.Stopped, sim.run), done.set()))
        worker.start()
        ticks, end = 0, time.monotonic() + 0.3
        while time.monotonic() < end:
            ticks += 1
        with self.assertRaises(RuntimeError):
            sim.step()  # it is running in another thread
        with self.assertRaises(RuntimeError):
            sim["ball"].push([1, 0, 0])
        sim.interrupt()
        worker.join(10)
        self.assertTrue(done.is_set())
        self.assertGreater(ticks, 100)
        steps = sim.steps
        self.assertGreater(steps, 10)
        self.assertEqual(sim.step(10).steps, steps + 10)

    def test_clones_in_threads(self):
        start = visviva.Simulation(BALL).step(100)
        twins = [start.clone() for _ in range(6)]
        workers = [threading.Thread(target=twin.run) for twin in twins]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        self.assertEqual(len({twin.hash for twin in twins} | {start.run().hash}), 1)

    def test_sweep(self):
        runs = visviva.sweep(BALL, {"bodies.ball.mass": [1, 2, 3], "time.step": [1e-3, 5e-4]},
                             lambda sim: (sim.run().hash, sim.ledger.max_closure))
        self.assertEqual(len(runs), 6)
        for run in runs:
            self.assertEqual(run.result[0], visviva.Simulation(BALL, change=run.change).run().hash)
            self.assertLess(run.result[1], 1e-12)
        with self.assertRaises(visviva.SceneError):
            visviva.sweep(BALL, [{"time.step": -1}])


class Interrupts(unittest.TestCase):
    def press(self, sim, seconds):
        """Ctrl-C so long after the first step, however busy the machine is."""
        start = sim.steps

        def wait():
            while sim.steps == start:
                time.sleep(0.01)
            time.sleep(seconds)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=wait, daemon=True).start()

    def test_ctrl_c(self):
        for go in (lambda sim: sim.run(), lambda sim: sim.step(10 ** 10), lambda sim: sim.until(1e6)):
            sim = visviva.Simulation(LONG)
            self.press(sim, 0.1)
            begin = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                go(sim)
            self.assertLess(time.monotonic() - begin, 60)  # not the hours that the scene would take
            steps = sim.steps
            self.assertGreater(steps, 0)
            self.assertEqual(sim.step(5).steps, steps + 5)  # and it goes on
            self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_ctrl_c_in_a_loop_of_single_steps(self):
        sim = visviva.Simulation(LONG)
        self.press(sim, 0.1)
        with self.assertRaises(KeyboardInterrupt):
            while True:
                sim.step()
        sim.step(3)
        self.assertLess(sim.ledger.max_closure, 1e-11)

    def test_ctrl_c_with_a_controller(self):
        sim = visviva.Simulation(LONG)
        sim.control()(lambda sim: sim["ball"].push([1e-9, 0, 0]))
        self.press(sim, 0.1)
        with self.assertRaises(KeyboardInterrupt):
            sim.run()
        sim.step(3)

    def test_ctrl_c_keeps_the_folder(self):
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            scene = {**BALL, "time": {"end": 1e4, "step": 1e-3}, "record": {"every": 100, "ledger": 100000, "paraview": False}}
            sim = visviva.Simulation(scene)
            self.press(sim, 0.2)
            with self.assertRaises(KeyboardInterrupt):
                sim.run(folder)
            out = visviva.open(folder)
            self.assertEqual(out.summary["state_hash"], sim.hash)
            twin = visviva.Simulation(scene).restore(os.path.join(folder, "checkpoint.h5"))
            self.press(twin, 0.2)
            with self.assertRaises(KeyboardInterrupt):
                twin.run(folder, resume=True)
            self.assertGreater(twin.steps, sim.steps)


if __name__ == "__main__":
    unittest.main()
