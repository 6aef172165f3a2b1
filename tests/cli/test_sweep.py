#!/usr/bin/env python3
"""visviva sweep from outside: the same table for any workers, kills and shares; crashes, mistakes, pages.

The program is $VISVIVA.  Where the build has visviva-mpi (-DVV_MPI=ON), its ranks share the cases as well.
"""
import csv
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["VISVIVA"]
SOURCE = os.environ["VISVIVA_SOURCE"]
MPI = os.environ["VISVIVA_BUILD"] + "/visviva-mpi"
MPIEXEC = os.environ.get("VISVIVA_MPIEXEC", "mpiexec")

PLAN = f"""\
visviva-sweep: 1
title: Breaks & <tables>
scene: {SOURCE}/examples/newcomer/break-of-15.yaml
seed: 7
draws: 100
set: {{time.end: 0.6, record.ledger: 10}}
vary:
  bodies.cue.position[1]: {{normal: {{mean: 0, deviation: 1e-3}}}}
  bodies.cue.velocity[0]: {{uniform: [4.5, 5.5]}}
  time.step: {{list: [1e-3, 5e-4]}}
measure:
  energy: ledger.total
  closure: ledger.max_closure
  cue_x: bodies.cue.position[0]
  cue_speed: bodies.cue.velocity
  first: events[0].time
  last: events[-1].time
  impacts: ledger.impacts
  events: events.count
  hits: contacts.cue.rack.episodes
  steps_done: run.steps
keep: {{failed: true, cases: [0, 17]}}
"""
# one case of many seconds, for those that are to die in it
LONG = """\
visviva: 1
parameters: {speed: 1}
time: {end: 1000, step: 1e-4}
record: {ledger: 100000}
bodies:
  rod: {kind: rigid, shape: {box: {size: [1, 0.05, 0.05]}}, mass: 1, velocity: [speed, 0.7, 0.4], spin: [1, 2, 0.5]}
  room: {kind: obstacle, shape: {room: {size: [2, 2, 2]}}}
"""


def run(*arguments, program=PROGRAM, cwd=None):
    return subprocess.run([program, "sweep", *map(str, arguments)], capture_output=True, text=True, cwd=cwd)


def workers_of(pid):
    out = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            out.append(int(stat.parent.name))
    return out


def kill_all(process):
    """SIGKILL for a process and all that it has begun, wherever they have put themselves."""
    found, new = {process.pid}, [process.pid]
    while new:
        new = [w for pid in new for w in workers_of(pid) if w not in found]
        found.update(new)
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    process.wait()


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir="."))
        self.addCleanup(shutil.rmtree, self.folder, True)

    def plan(self, text, name="plan.yaml"):
        (self.folder / name).write_text(text)
        return self.folder / name

    def new(self, name, text=PLAN):
        made = run("new", self.plan(text), "-o", self.folder / name)
        self.assertEqual(made.returncode, 0, made.stderr)
        return self.folder / name

    def rows(self, folder):
        with open(folder / "table.csv", newline="") as file:
            return list(csv.DictReader(file))

    def reference(self):
        """The undisturbed table, made once."""
        if not hasattr(Sweep, "whole"):
            folder = self.new("undisturbed")
            done = run("run", folder, "-q")
            self.assertEqual(done.returncode, 0, done.stderr)
            Sweep.whole = {name: (folder / name).read_bytes() for name in ("table.csv", "table.h5", "summary.csv", "cases.csv")}
        return Sweep.whole

    def assert_same(self, folder):
        for name, text in self.reference().items():
            self.assertEqual((folder / name).read_bytes(), text, name)

    def test_table(self):
        folder = self.new("a")
        self.assertEqual(run("run", folder, "--jobs", 2, "-q").returncode, 0)
        self.assert_same(folder)
        rows = self.rows(folder)
        self.assertEqual([int(r["case"]) for r in rows], list(range(200)))
        self.assertEqual({r["status"] for r in rows}, {"done"})
        for r in rows[:100]:
            other = rows[int(r["case"]) + 100]  # the same draw with half the step
            self.assertEqual(r["bodies.cue.velocity[0]"], other["bodies.cue.velocity[0]"])
            self.assertEqual(int(other["steps_done"]), 2 * int(r["steps_done"]))
            v = float(r["bodies.cue.velocity[0]"])
            self.assertLess(abs(float(r["energy"]) / (0.5 * 0.17 * v * v) - 1), 1e-12)
            # the cue ball meets the foremost one of the rack where two radii are left between them
            self.assertLess(abs(float(r["first"]) - float(other["first"])), 1e-9)
            self.assertLessEqual(float(r["first"]), float(r["last"]))
        self.assertEqual(sorted(p.name for p in (folder / "kept").iterdir()), ["case-0", "case-17"])
        self.assertTrue((folder / "kept/case-17/results.h5").exists())

    def test_a_case_alone(self):
        folder = self.new("a")
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        for number in (0, 17, 199):
            alone = run("case", folder, number, "-o", folder / f"alone-{number}")
            self.assertEqual(alone.returncode, 0, alone.stderr)
            self.assertIn("the same state hash", alone.stdout)
            self.assertIn(self.rows(folder)[number]["hash"], alone.stdout)
        by_hand = subprocess.run([PROGRAM, "run", f"{SOURCE}/examples/newcomer/break-of-15.yaml", "-o", str(folder / "hand"),
                                  "--set", "time.end=0.6", *sum((["--set", f"{k}={self.rows(folder)[3][k]}"] for k in
                                  ("bodies.cue.position[1]", "bodies.cue.velocity[0]", "time.step")), [])],
                                 capture_output=True, text=True)
        self.assertIn(self.rows(folder)[3]["hash"], by_hand.stdout)

    def test_kills(self):
        """SIGKILL of all processes at any moment, with other numbers of workers each time."""
        folder = self.new("a")
        for jobs in (2, 3, 4, 2):
            process = subprocess.Popen([PROGRAM, "sweep", "run", str(folder), "--jobs", str(jobs), "-q"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.15)
            kill_all(process)
        for journal in sorted((folder / "journal").iterdir())[:2]:  # a power cut: the last line is torn
            journal.write_bytes(journal.read_bytes()[:-7])
        (folder / "journal/other-1-1.csv").write_text("row,0,0.1,done,,1,1,00,1,1,1,1,1,1,1,1,1,1,0123456789abcdef\nrubbish\n\n,,,\n")
        self.assertEqual(run("run", folder, "--jobs", 3, "-q").returncode, 0)
        self.assert_same(folder)

    def test_shares(self):
        folder = self.new("a")
        for share in (2, 0, 1):
            part = run("run", folder, "--share", f"{share}/3", "-q")
            self.assertEqual(part.returncode, 0 if share == 1 else 2, part.stderr)
        self.assert_same(folder)
        self.assertEqual(run("run", folder, "--share", "3/3").returncode, 1)

    def test_interrupted(self):
        (self.folder / "long.yaml").write_text(LONG)
        folder = self.new("a", "visviva-sweep: 1\nscene: long.yaml\nvary: {speed: [1, 2]}\nlimits: {tries: 1, kills: 1}\n")
        process = subprocess.Popen([PROGRAM, "sweep", "run", str(folder)], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        time.sleep(0.7)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 2)
        self.assertIn("go on with", process.stderr.read())
        process.stderr.close()
        text = "".join(p.read_text() for p in (folder / "journal").iterdir())
        self.assertIn("stop,0", text)  # in good order: costs nothing, though one kill is all that is allowed
        self.assertNotIn("crash", text)
        self.assertEqual(workers_of(process.pid), [])

    def test_crashes(self):
        """A case whose worker dies three times is given up, the others go on."""
        (self.folder / "long.yaml").write_text(LONG)
        folder = self.new("a", "visviva-sweep: 1\nscene: long.yaml\nvary: {time.end: [0.01, 10000, 0.02]}\nmeasure: {e: ledger.total}\n")
        # a sanitizer must not turn the signal into an exit code
        env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"}
        process = subprocess.Popen([PROGRAM, "sweep", "run", str(folder), "-q"], stderr=subprocess.PIPE, text=True, env=env)
        for _ in range(3):
            time.sleep(0.6)
            for worker in workers_of(process.pid):
                os.kill(worker, signal.SIGSEGV)
        self.assertEqual(process.wait(), 2)
        said = process.stderr.read()
        process.stderr.close()
        self.assertEqual(said.count("a worker died in case 1: signal 11"), 3)
        rows = self.rows(folder)
        self.assertEqual([r["status"] for r in rows], ["done", "gave up", "done"])
        self.assertIn("died in it 3 times", rows[1]["why"])
        again = run("run", folder, "-q")  # nothing is left
        self.assertEqual((again.returncode, again.stderr), (2, ""))

    def test_a_copied_journal(self):
        """Who died twice has not died four times because the journals were copied."""
        (self.folder / "long.yaml").write_text(LONG)
        folder = self.new("a", "visviva-sweep: 1\nscene: long.yaml\nvary: {time.end: [0.01, 10000]}\nmeasure: {e: ledger.total}\n")
        env = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"}
        for kills in (2, 0):
            process = subprocess.Popen([PROGRAM, "sweep", "run", str(folder), "-q"], stderr=subprocess.DEVNULL, env=env)
            for _ in range(kills):
                time.sleep(0.6)
                for worker in workers_of(process.pid):
                    os.kill(worker, signal.SIGSEGV)
            time.sleep(0.6)
            self.assertIsNone(process.poll(), "given up")
            process.terminate()
            self.assertEqual(process.wait(), 2)
            for path in list((folder / "journal").iterdir()):
                shutil.copy(path, path.with_name(f"copy-{kills}-{path.name}"))
        text = "".join(p.read_text() for p in (folder / "journal").iterdir())
        self.assertIn("crash,1", text)
        self.assertNotIn("gave up", text)

    def test_journals_that_cannot_grow(self):
        """No room for a journal is no fault of its case: the run stops, says so, and goes on when there is room."""
        folder = self.new("a")

        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write that is too long fails

        # the first case is kept, and its files find no room either; the crash of a worker would: its line is short
        full = subprocess.run([PROGRAM, "sweep", "run", str(folder), "--jobs", "2"], capture_output=True, text=True, preexec_fn=small)
        self.assertEqual(full.returncode, 2)
        self.assertIn("not written", full.stderr)
        self.assertIn("go on with", full.stderr)
        text = "".join(p.read_text() for p in (folder / "journal").iterdir())
        self.assertIn("row,1,", text)
        self.assertNotIn("crash", text)
        self.assertNotIn("gave up", text)
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        self.assert_same(folder)

    def test_a_case_without_a_folder(self):
        """A case whose files cannot be written is left and told; the others have their rows."""
        folder = self.new("a")
        (folder / "kept").write_text("in the way")
        told = run("run", folder)
        self.assertEqual(told.returncode, 2)
        self.assertIn("case 0 was left", told.stderr)
        self.assertIn("case 17 was left", told.stderr)
        self.assertEqual({r["case"] for r in self.rows(folder)}, {str(k) for k in range(200)} - {"0", "17"})
        (folder / "kept").unlink()
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        self.assert_same(folder)

    def hang(self, jobs):
        """Workers are stopped again and again; the sweep ends nevertheless."""
        (self.folder / "long.yaml").write_text(LONG)
        folder = self.new(f"a{jobs}", "visviva-sweep: 1\nscene: long.yaml\nvary: {time.end: [0.01, 10000, 0.02]}\nlimits: {wall: 0.5}\n")
        process = subprocess.Popen([PROGRAM, "sweep", "run", str(folder), "--jobs", str(jobs), "-q"])
        time.sleep(0.3)
        begun = time.time()
        while process.poll() is None and time.time() - begun < 60:
            for worker in workers_of(process.pid):
                os.kill(worker, signal.SIGSTOP)
            time.sleep(0.1)
        hung = process.poll()
        if hung is None:
            kill_all(process)
        self.assertEqual(hung, 2)
        rows = {r["case"]: r for r in self.rows(folder)}
        self.assertEqual(rows["1"]["status"], "too long")
        self.assertEqual(rows["1"]["why"], "longer than 0.5 s")

    def test_a_worker_that_hangs(self):
        """A worker that does not come back from a step cannot look at the clock: it is ended, and its row says why."""
        self.hang(1)

    def test_a_worker_that_does_not_go_home(self):
        """With two, one hangs while it waits for a case that never comes."""
        self.hang(2)

    def test_a_worker_that_is_asked_to_stop(self):
        """SIGTERM for one worker, not for the sweep: its case is begun again by another, and costs no try."""
        folder = self.new("a")
        process = subprocess.Popen([PROGRAM, "sweep", "run", str(folder), "--jobs", "2", "-q"])
        for _ in range(4):
            time.sleep(0.1)
            for worker in workers_of(process.pid)[:1]:
                os.kill(worker, signal.SIGTERM)
        self.assertEqual(process.wait(), 0)
        self.assertNotIn("crash", "".join(p.read_text() for p in (folder / "journal").iterdir()))
        self.assert_same(folder)

    def test_two_at_a_time(self):
        """Two that do not know of each other, on all cases of one folder."""
        folder = self.new("a")
        both = [subprocess.Popen([PROGRAM, "sweep", "run", str(folder), "-q"], stderr=subprocess.DEVNULL) for _ in range(2)]
        self.assertLessEqual({p.wait() for p in both}, {0, 2})  # 2: the other was still at the last case
        text = "".join(p.read_text() for p in (folder / "journal").iterdir())
        self.assertNotIn("crash", text)  # of a kept folder, which one of them writes
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        self.assert_same(folder)

    def test_zeros_in_a_journal(self):
        """A power cut may leave zeros where text was: lines behind them count."""
        folder = self.new("a")
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        journal = max((folder / "journal").iterdir(), key=lambda p: p.stat().st_size)
        text = journal.read_bytes()
        journal.write_bytes(text[:2000] + bytes(500) + text[2500:])
        self.assertEqual(run("table", folder, "-q").returncode, 2)
        self.assertGreater(sum(r["status"] == "done" for r in self.rows(folder)), 190)
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        self.assert_same(folder)

    def test_bad_cases_are_rows(self):
        """A scene that is refused, a run that fails, one that takes too long: each a row, and the others are there."""
        (self.folder / "long.yaml").write_text(LONG)
        folder = self.new("a", "visviva-sweep: 1\nscene: long.yaml\nset: {time.step: 1e-3}\n"
                               "vary: {time.end: [0.01, 1e5], bodies.rod.mass: [1, -1]}\nlimits: {wall: 0.3}\n"
                               "keep: {failed: true}\n")
        done = run("run", folder, "-q")
        self.assertEqual(done.returncode, 2)
        rows = self.rows(folder)
        self.assertEqual([r["status"] for r in rows], ["done", "refused", "too long", "refused"])
        self.assertIn("mass", rows[1]["why"])
        self.assertTrue((folder / "kept/case-2/ledger.csv").exists())
        self.assertEqual(run("table", folder, "-q").returncode, 2)

    def test_rows_that_differ(self):
        """Two rows of one case must agree: a forged one is told."""
        folder = self.new("a")
        self.assertEqual(run("run", folder, "-q").returncode, 0)

        def fnv(h, data):
            for c in data:
                h = (h ^ c) * 0x100000001B3 % 2**64
            return h

        hash_line = next(l for l in (folder / "sweep.yaml").read_text().splitlines() if l.startswith("hash: "))
        base = fnv(0xCBF29CE484222325, int(hash_line[6:], 16).to_bytes(8, "little"))
        journal = next((folder / "journal").iterdir())
        line = next(l for l in journal.read_text().splitlines() if l.startswith("row,5,"))
        text = line.rsplit(",", 1)[0]
        self.assertEqual(f"{fnv(base, text.encode()):016x}", line.rsplit(",", 1)[1])
        forged = text[:-1] + ("1" if text[-1] != "1" else "2")
        with open(journal, "a") as file:
            file.write(f"{forged},{fnv(base, forged.encode()):016x}\n")
        told = run("table", folder)
        self.assertEqual(told.returncode, 2)
        self.assertIn("case 5 has two rows that differ", told.stderr)

    def test_scene_that_changed(self):
        (self.folder / "long.yaml").write_text(LONG)
        folder = self.new("a", "visviva-sweep: 1\nscene: long.yaml\nvary: {time.end: [0.01, 0.02]}\n")
        stop = LONG.replace("bodies:", "stop: [{rest: 1, for: 1}]\nbodies:")
        for other in (LONG.replace("mass: 1", "mass: 2"), LONG.replace("ledger: 100000", "ledger: 1"), stop, stop.replace("rest: 1,", "rest: 2,")):
            (self.folder / "long.yaml").write_text(other)
            told = run("run", folder)
            self.assertEqual((told.returncode, "not what it was" in told.stderr), (1, True), told.stderr)
        (self.folder / "long.yaml").write_text(LONG)
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        (self.folder / "long.yaml").write_text(LONG.replace("mass: 1", "mass: 2"))
        told = run("case", folder, 1, "-o", self.folder / "one")
        self.assertEqual((told.returncode, "not what it was" in told.stderr), (1, True), told.stderr)
        self.assertFalse((self.folder / "one").exists())
        (self.folder / "long.yaml").write_text(LONG)
        self.assertEqual(run("case", folder, 1, "-o", self.folder / "one", "-q").returncode, 0)
        cases = folder / "cases.csv"
        cases.write_text(cases.read_text().replace("0.02", "0.03"))
        self.assertIn("not what they were", run("run", folder).stderr)

    def test_moved(self):
        """A folder goes with its scene: the path between them counts."""
        (self.folder / "in").mkdir()
        (self.folder / "in/long.yaml").write_text(LONG)
        folder = self.new("in/a", "visviva-sweep: 1\nscene: in/long.yaml\nvary: {time.end: [0.01, 0.02]}\n")
        (self.folder / "in").rename(self.folder / "out")
        self.assertFalse(folder.exists())
        self.assertEqual(run("run", "a", "-q", cwd=self.folder / "out").returncode, 0)

    def test_empty_folders_get_lost(self):
        """Tools that copy files alone leave journal/ out of a sweep that has no rows yet."""
        folder = self.new("a")
        (folder / "journal").rmdir()
        self.assertEqual(run("table", folder, "-q").returncode, 2)
        (folder / "journal").rmdir()
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        self.assert_same(folder)
        inside = run("case", folder, 5, "-o", folder)  # nor does a run go where the sweep is
        self.assertEqual(inside.returncode, 1)
        self.assertIn("holds a sweep", inside.stderr)
        self.assertFalse((folder / "results.h5").exists())

    def test_mistakes(self):
        (self.folder / "long.yaml").write_text(LONG)
        head = "visviva-sweep: 1\nscene: long.yaml\n"
        for text, message in [
            ("visviva: 1\n", "no plan of a sweep"),
            ("visviva-sweep: 2\nscene: x\nvary: {a: [1]}\n", "is to be 1"),
            (head, "`vary` is missing"),
            (head + "vary: {speeed: [1, 2]}\n", "did you mean 'speed'"),
            (head + "vary: {speed: {uniforn: [1, 2]}}\n", "did you mean 'uniform'"),
            (head + "vary: {speed: {uniform: [2, 1]}}\n", "below the second"),
            (head + "vary: {speed: {uniform: [1 mm, 2 mm]}}\n", "the unit goes to `unit`"),
            (head + "vary: {speed: {normal: {mean: 1}}}\n", "'deviation' is missing"),
            (head + "vary: {speed: {normal: {mean: 1, deviation: 1, low: 9}}}\n", "next to nothing"),
            (head + "vary: {speed: {uniform: [1, 2], normal: [1, 2]}}\n", "two laws"),
            (head + "vary: {speed: 3}\n", "a list of values or a law"),
            (head + "drows: 3\nvary: {speed: [1]}\n", "did you mean 'draws'"),
            (head + "draws: 0\nvary: {speed: [1]}\n", "whole number from 1"),
            (head + "draws: 10000000\nvary: {speed: [1, 2]}\n", "more than 10000000 cases"),
            (head + "vary: {speed: [1]}\nmeasure: {status: ledger.total}\n", "choose another"),
            (head + "vary: {speed: [1]}\nmeasure: {a: ledger.totl}\n", "no such column"),
            (head + "vary: {speed: [1]}\nmeasure: {a: bodies.rud.position}\n", "no body 'rud'"),
            (head + "vary: {speed: [1]}\nmeasure: {a: bodies.rod.place}\n", "has the fields position"),
            (head + "vary: {speed: [1]}\nmeasure: {a: 'bodies.rod.position[3]'}\n", "components are 0 to 2"),
            (head + "vary: {speed: [1]}\nmeasure: {a: probes.sag_z}\n", "no probe"),
            (head + "vary: {speed: [1]}\nmeasure: {a: contacts.rod.wall.normal}\n", "no two bodies"),
            (head + "vary: {speed: [1]}\nmeasure: {a: contacts.rod.room.force}\n", "episodes, impulses"),
            (head + "vary: {speed: [1]}\nmeasure: {a: 'events[0].speed'}\n", "an event has time"),
            (head + "vary: {speed: [1]}\nmeasure: {a: energy}\n", "begins with none of"),
            (head + "vary: {speed: [1]}\nkeep: {cases: [1]}\n", "from 0 to 0"),
            (head + "vary: {speed: [1]}\nlimits: {wall: 0}\n", "above 0"),
            (head + "vary: {'a,b': [1]}\n", "no comma"),
            (head + "vary: {speed: [1]}\nmeasure: {a/b: ledger.total, a_b: ledger.total}\n", "name of 'a/b' in table.h5"),
            (head + "vary: {speed: [1]}\nmeasure: {.: ledger.total}\n", "no name of a column"),
            ("visviva-sweep: 1\nscene: nowhere.yaml\nvary: {speed: [1]}\n", "nowhere.yaml"),
            (head + "vary: {time.step: ['-1']}\n", "time.step"),
        ]:
            told = run("new", self.plan(text), "-o", self.folder / "bad")
            self.assertEqual(told.returncode, 1, text)
            self.assertIn(message, told.stderr, text)
            self.assertFalse((self.folder / "bad/sweep.yaml").exists(), text)
        for words, message in [((), "needs one of"), (("rum",), "did you mean 'run'"), (("new",), "a plan"), (("run", "."), "holds no sweep"),
                               (("case", "."), "number of a case"), (("run", ".", "--jobs", "0"), "--jobs")]:
            told = run(*words)
            self.assertEqual(told.returncode, 1)
            self.assertIn(message, told.stderr)
        folder = self.new("twice")
        self.assertIn("holds a sweep already", run("new", self.plan(PLAN), "-o", folder).stderr)
        self.assertEqual(run("new", self.plan(PLAN), "-o", folder, "--overwrite").returncode, 0)
        self.assertIn("cases are 0 to 199", run("case", folder, 200, "-o", self.folder / "x").stderr)

    def test_files_of_others(self):
        """A folder in which somebody has files of these names is left as it is; the plan may lie there itself."""
        (self.folder / "long.yaml").write_text(LONG)
        text = "visviva-sweep: 1\nscene: long.yaml\nvary: {time.end: [0.01, 0.02]}\n"
        theirs = self.folder / "theirs"
        for name in ("plan.yaml", "cases.csv", "table.csv", "table.h5", "summary.csv", "report.html", "journal/day.csv"):
            (theirs / name).parent.mkdir(parents=True, exist_ok=True)
            (theirs / name).write_text("mine")
            told = run("new", self.plan(text), "-o", theirs)
            self.assertEqual((told.returncode, "holds no sweep, but" in told.stderr), (1, True), name + ": " + told.stderr)
            self.assertEqual([p.read_text() for p in theirs.rglob("*") if p.is_file()], ["mine"], name)
            shutil.rmtree(theirs)
        theirs.mkdir()
        (theirs / "notes.txt").write_text("mine")
        plan = self.plan(text.replace("long.yaml", "../long.yaml"), "theirs/plan.yaml")
        self.assertEqual(run("new", plan, "-o", theirs).returncode, 0)
        self.assertEqual(run("run", theirs, "-q").returncode, 0)
        self.assertEqual((theirs / "notes.txt").read_text(), "mine")

    def test_page_after_overwrite(self):
        """The page shows no curves of cases that an older sweep of this folder has kept."""
        (self.folder / "long.yaml").write_text(LONG)
        for kept in ("[0, 1]", "[1]"):
            text = f"visviva-sweep: 1\nscene: long.yaml\nvary: {{time.end: [0.01, 0.02]}}\nkeep: {{cases: {kept}}}\n"
            self.assertEqual(run("new", self.plan(text), "-o", self.folder / "a", "--overwrite").returncode, 0)
            self.assertEqual(run("run", self.folder / "a", "-q").returncode, 0)
            subprocess.run([PROGRAM, "report", str(self.folder / "a")], capture_output=True)
            page = (self.folder / "a/report.html").read_text()
            data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
            self.assertEqual([k["case"] for k in data["kept"]], json.loads(kept))

    def test_page(self):
        folder = self.new("a")
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        made = subprocess.run([PROGRAM, "report", str(folder)], capture_output=True, text=True)
        self.assertEqual(made.returncode, 0, made.stderr)
        page = (folder / "report.html").read_text()
        self.assertNotIn("http://", page.replace("http://www.w3.org", ""))
        data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)[1])
        self.assertEqual(data["title"], "Breaks & <tables>")
        rows = self.rows(folder)
        for column in data["columns"]:
            self.assertEqual(len(column["value"]), 200)
            for x, r in zip(column["value"], rows):
                self.assertAlmostEqual(x / float(r[column["name"]]) if x else 1, 1, places=7)
        self.assertEqual([k["case"] for k in data["kept"]], [0, 17])
        self.assertEqual(data["failures"], [])
        with open(folder / "summary.csv", newline="") as file:
            facts = {r["column"]: r for r in csv.DictReader(file)}
        energy = [float(r["energy"]) for r in rows]
        self.assertEqual(float(facts["energy"]["least"]), min(energy))
        self.assertAlmostEqual(float(facts["energy"]["mean"]), sum(energy) / 200, places=13)

    def test_units(self):
        """What varies with a unit is a column of numbers, of summary and page as well."""
        (self.folder / "long.yaml").write_text(LONG)
        folder = self.new("a", "visviva-sweep: 1\nscene: long.yaml\nset: {time.end: 0.01}\ndraws: 20\nvary: {speed: {uniform: [100, 300], unit: cm/s}}\n"
                               "measure: {v: 'bodies.rod.velocity[0]'}\n")
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        rows = self.rows(folder)
        for r in rows:
            self.assertTrue(r["speed"].endswith(" cm/s"))
            self.assertAlmostEqual(float(r["speed"][:-5]) / 100, float(r["v"]), places=12)
        with open(folder / "summary.csv", newline="") as file:
            facts = {r["column"]: r for r in csv.DictReader(file)}
        self.assertAlmostEqual(float(facts["speed (cm/s)"]["mean"]) / 100, float(facts["v"]["mean"]), places=12)
        self.assertEqual(subprocess.run([PROGRAM, "report", str(folder)], capture_output=True).returncode, 0)
        self.assertIn('"name":"speed (cm/s)"', (folder / "report.html").read_text())

    def test_probes(self):
        """Largest and smallest of a probe are those of probes.csv."""
        scene = f"{SOURCE}/examples/newcomer/ball-on-beam-probed.yaml"
        folder = self.new("a", f"visviva-sweep: 1\nscene: {scene}\nvary: {{title: [one]}}\nmeasure:\n"
                               "  low: probes.sag_z.min\n  high: probes.sag_z.max\n  end: probes.sag_z\n  mean: probes.sag_z.mean\n"
                               "  push: contacts.ball.beam.normal\n  force: contacts.beam.ball.peak_force\n")
        self.assertEqual(run("run", folder, "-q").returncode, 0)
        row = self.rows(folder)[0]
        self.assertEqual(row["status"], "stopped")
        alone = run("case", folder, 0, "-o", folder / "alone", "-q")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        with open(folder / "alone/probes.csv", newline="") as file:
            file.readline()
            sag = [float(r["sag_z"]) for r in csv.DictReader(file)]
        self.assertEqual(float(row["low"]), min(sag))
        self.assertEqual(float(row["high"]), max(sag))
        self.assertEqual(float(row["end"]), sag[-1])
        self.assertAlmostEqual(float(row["mean"]), sum(sag) / len(sag), places=12)
        pairs = json.loads((folder / "alone/summary.json").read_text())["pairs"]
        self.assertAlmostEqual(float(row["push"]), sum(p["normal_impulse"] for p in pairs if {p["body_a"], p["body_b"]} == {"ball", "beam"}), places=12)

    def test_links(self):
        """What lies behind a link is neither written nor removed, and a folder that is one is refused."""
        plan = PLAN.replace("draws: 100", "draws: 1").replace("cases: [0, 17]", "cases: [0]")
        theirs = self.folder / "theirs"
        precious = ("rows.csv", "results.h5", "ledger.csv", "case-0/results.h5", "case-0/ledger.csv")

        def untouched(what):
            now = {str(p.relative_to(theirs)): p.read_text() for p in theirs.rglob("*") if p.is_file()}
            self.assertEqual(now, {name: "mine" for name in precious}, what)

        (theirs / "case-0").mkdir(parents=True)
        for name in precious:
            (theirs / name).write_text("mine")
        for number, name in enumerate(("journal", "kept", "kept/case-0")):
            folder = self.new(f"folder-{number}", plan)
            link = folder / name
            shutil.rmtree(link, ignore_errors=True)
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(os.path.relpath(theirs / "case-0" if "case" in name else theirs, link.parent))
            done = run("run", folder, "-q")
            self.assertEqual((done.returncode, "is a link" in done.stderr), (1, True), name + ": " + done.stderr)
            untouched(name)
            again = run("new", self.folder / "plan.yaml", "-o", folder, "--overwrite")
            self.assertEqual(again.returncode, name == "journal", again.stderr)
            untouched(name + ", made anew")
            link.unlink()
            done = run("run", folder, "-q")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((folder / "kept/case-0/results.h5").exists())
        files = ["plan.yaml", "cases.csv", "sweep.yaml", "table.csv", "table.h5", "summary.csv", "report.html"]
        for name in files:
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to("../theirs/rows.csv")
        for arguments in (("new", self.folder / "plan.yaml", "-o", folder, "--overwrite"), ("run", folder, "-q"), ("table", folder), ("report", folder)):
            run(*arguments)
            untouched(f"{arguments[0]} with files that are links")
        self.assertEqual([name for name in files if (folder / name).is_symlink() and name != "report.html"], [])

    def test_examples(self):
        """The shipped plans: a few of their cases."""
        for plan in sorted(pathlib.Path(SOURCE, "examples/sweeps").glob("*/plan.yaml")):
            text = re.sub(r"^draws: .*$", "draws: 3", plan.read_text(), flags=re.M)
            text = re.sub(r"^scene: (.*)$", lambda m: f"scene: {plan.parent / m[1]}", text, flags=re.M)
            text = re.sub(r"cases: \[.*?\]", "cases: [0]", text)
            folder = self.new(plan.parent.name, text)
            done = run("run", folder, "-q")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual({r["status"] for r in self.rows(folder)} - {"done", "stopped"}, set())

    @unittest.skipUnless(os.path.exists(MPI), "no visviva-mpi in this build (-DVV_MPI=ON): left out")
    def test_ranks(self):
        """Ranks share the cases; killed four times with 2, 3, 4, 2 of them, then 3: the same table."""
        version = subprocess.run([MPIEXEC, "--version"], capture_output=True, text=True).stdout
        launch = [MPIEXEC] + (["--oversubscribe"] if "OpenRTE" in version or "Open MPI" in version else [])
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1")
        folder = self.new("a")
        for ranks in (2, 3, 4, 2):
            process = subprocess.Popen([*launch, "-n", str(ranks), MPI, "sweep", "run", str(folder), "-q"], env=environment,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            begun = time.time()
            known = len(list((folder / "journal").iterdir()))
            while time.time() - begun < 20 and len(list((folder / "journal").iterdir())) == known and process.poll() is None:
                time.sleep(0.02)
            time.sleep(0.1)
            kill_all(process)
        done = subprocess.run([*launch, "-n", "3", MPI, "sweep", "run", str(folder)], env=environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("cases "), 1)  # one rank speaks
        self.assert_same(folder)
        missing = subprocess.run([*launch, "-n", "2", MPI, "sweep", "run", str(self.folder / "none")], env=environment, capture_output=True, text=True)
        self.assertNotEqual(missing.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
