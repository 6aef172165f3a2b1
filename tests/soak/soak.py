#!/usr/bin/env python3
"""Random scenes, run as a user would, and judged from outside: make soak.

    soak.py [--minutes M] [--scenes N] [--seed S] [--jobs J] [--keep DIR] [--tell]

Each scene (scenes.py; its seed is its name) is checked and run.  Whatever the exit code says must be so: 0 means that energy, losses,
momenta, ways and distances, measured from the files (judge.py), are right; 1 means that `check` refused it too; 2 comes with a reason and a
checkpoint; 3 names a broken claim.  Some are run again with other threads, some are killed and resumed, and end with the same hash;
of some a file is damaged, and every verb must end with an exit code of its own.  $VISVIVA is the program.
"""
import argparse
import collections
import json
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import visviva

import judge
import scenes

PROGRAM = os.environ.get("VISVIVA", "visviva")
LIMIT = 300  # s that any one command may take
FINE = 4000  # steps of a run that may be recorded whole
STEPS = 30000  # longer runs are cut short: more scenes find more
os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # more threads than cores, and several runs at once: nobody spins


class Wrong(Exception):
    """What is wrong with a scene."""


def call(*args, limit=LIMIT):
    """Exit code and output; a signal, a hang or a code that is not documented is wrong."""
    try:
        done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, errors="replace", timeout=limit)
    except subprocess.TimeoutExpired:
        raise Wrong(f"{args[0]} hangs for {limit} s") from None
    if done.returncode not in (0, 1, 2, 3):
        raise Wrong(f"{args[0]} ends with {done.returncode}: {done.stderr[-300:]}")
    return done.returncode, done.stdout + done.stderr


def run(scene, out, *more):
    return call("run", scene, "-o", out, "--quiet", *more)


def summary(out):
    return json.loads((out / "summary.json").read_text())


# ---- what is done to a scene ----

def once(spec, scene, out, tally):
    """Check and run: the code, and what was said of a run that is not as it should be."""
    refused, text = call("check", scene)
    if refused not in (0, 1):
        raise Wrong(f"check ends with {refused}")
    steps = re.search(r"^  steps +(\d+)", text, re.M)
    if steps and int(steps[1]) > STEPS:
        spec.shorten(STEPS / int(steps[1]))
        scene.write_text(spec.text)
    code, told = run(scene, out, "--threads", 1)
    if (refused == 1) != (code == 1):
        raise Wrong(f"check ends with {refused}, run with {code}: {told[-300:]}")
    if code == 1 and "error" not in told:
        raise Wrong("refused without a word")
    if code == 2:
        if not summary(out)["message"] or not (out / "checkpoint.h5").exists():
            raise Wrong("stopped without a reason or without a checkpoint")
    if code == 3 and all(c["kept"] for c in summary(out)["claims"]):
        raise Wrong("exit code 3, and every claim is kept")
    tally["refused" if code == 1 else "stopped" if code == 2 else "run"] += 1
    tally["impacts"] += summary(out)["impacts"] if code != 1 else 0
    return code, told if code > 1 else ""


def finely(spec, out, fine):
    """What a run breaks between two frames is not in the files: the same once more, with all steps, where they are few; where they
    are many, up to the time at which it says that an overlap was worst, with as many frames."""
    scene, told = json.loads(spec.text), summary(out)
    every = abs(told["step_size"])
    if told["steps"] > FINE:
        worst = [c["when"] for c in told["claims"] if c["name"] == "penetration" and not c["kept"]]
        if not worst:
            return []
        scene["time"]["end"] = worst[0] + every / 2
        every *= -(-worst[0] // (FINE * every))
    scene["record"] = {"every": every, "paraview": False}
    path = fine.with_suffix(".yaml")
    path.write_text(json.dumps(scene))
    run(path, fine, "--threads", 1)
    return judge.judge(spec, visviva.open(fine))


def look(spec, out, code, tally, fine):
    """From outside.  A run that says itself that it is wrong may be; one that is not, as far as can be seen, is a false alarm."""
    wrong = judge.judge(spec, visviva.open(out))
    if wrong and code == 0:
        raise Wrong("silent: " + "; ".join(wrong))
    if code == 3 and not wrong:
        wrong = finely(spec, out, fine)
    tally["told" if wrong else "alarms" if code == 3 else "right"] += 1
    return code == 3 and not wrong


def threads(scene, out, again, number, tally):
    run(scene, again, "--threads", number)
    if summary(again)["state_hash"] != summary(out)["state_hash"]:
        raise Wrong(f"another hash with {number} threads")
    tally["threads"] += 1


def kill(scene, out, again, r, tally):
    """Killed anywhere, three times at most, and resumed: the same hash, the same ledger."""
    wall = summary(out)["wall_seconds"]
    for attempt in range(4):
        more = ["--resume"] if (again / "checkpoint.h5").exists() else ["--overwrite"]
        child = subprocess.Popen([PROGRAM, "run", scene, "-o", again, "--quiet", *more], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
        try:
            child.wait(LIMIT if attempt == 3 else r.uniform(0.02, 1.1 * wall + 0.02))
            break
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            child.wait()
            tally["kills"] += 1
            if attempt == 3:
                raise Wrong("hangs when resumed") from None
    if child.returncode not in (0, 2, 3):
        raise Wrong(f"resumed, it ends with {child.returncode}")
    if summary(again)["state_hash"] != summary(out)["state_hash"]:
        raise Wrong("another hash after a kill")
    if (again / "ledger.csv").read_bytes() != (out / "ledger.csv").read_bytes():
        raise Wrong("another ledger after a kill")
    tally["resumed"] += 1


def damage(scene, out, again, r, tally):
    """One file cut short, with bytes changed, or gone: each verb ends as documented."""
    shutil.copytree(out, again)
    victim = r.choice(sorted(p for p in again.iterdir() if p.is_file()))
    data = bytearray(victim.read_bytes())
    way = r.choice(["cut", "bytes", "gone"])
    if way == "cut":
        victim.write_bytes(data[:r.randrange(len(data) + 1)])
    elif way == "gone":
        victim.unlink()
    else:
        for _ in range(r.choice([1, 10, 100])):
            data[r.randrange(len(data))] = r.randrange(256)
        victim.write_bytes(data)
    try:
        call("info", again)
        call("compare", out, again)
        call("report", again, "-o", again / "page.html")
        end = scenes.Scene.longer(scene)
        call("run", scene, "-o", again, "--quiet", "--resume", "--set", f"time.end={end}")
    except Wrong as e:
        raise Wrong(f"{victim.name}, {way}: {e}") from None
    tally["damaged"] += 1


def torture(seed, keep=None):
    """(seed, kinds, tally, what is wrong, what the program said itself, seconds)"""
    tally, began = collections.Counter(), time.monotonic()
    spec, r = scenes.Scene(seed), random.Random(seed ^ 0x5eed)
    with tempfile.TemporaryDirectory(prefix="soak") as home:
        home = pathlib.Path(home)
        scene, out = home / "scene.yaml", home / "out"
        scene.write_text(spec.text)
        wrong, told = None, ""
        try:
            code, told = once(spec, scene, out, tally)
            if code in (0, 3):
                alarm = look(spec, out, code, tally, home / "finely")
                told = f"not seen from outside: {told}" if alarm else told
            if code in (0, 3) and r.random() < 0.4:
                threads(scene, out, home / "threads", r.choice([2, 3, 7]), tally)
            if code in (0, 3) and r.random() < 0.3:
                kill(scene, out, home / "killed", r, tally)
            if code in (0, 3) and r.random() < 0.25:
                damage(scene, out, home / "damaged", r, tally)
        except Wrong as e:
            wrong = str(e)
        except Exception as e:  # a file that does not hold what it must
            wrong = f"{type(e).__name__}: {e}"
        if wrong and keep:
            shutil.copytree(home, keep / str(seed), dirs_exist_ok=True)
    return seed, spec.kinds, tally, wrong, told, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--scenes", type=int, default=10 ** 9)
    parser.add_argument("--seed", type=int, help="of the first scene; default: from the clock")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=pathlib.Path, help="where scenes that went wrong are kept, with their files")
    parser.add_argument("--tell", action="store_true", help="print what the program said of runs that stopped or broke a claim")
    given = parser.parse_args()
    first = given.seed if given.seed is not None else int(time.time())
    print(f"seeds from {first} on; one again: soak.py --scenes 1 --seed SEED", flush=True)
    end, tally, wrong = time.monotonic() + 60 * given.minutes, collections.Counter(), 0

    def seeds():
        for i in range(given.scenes):
            if time.monotonic() > end:
                return
            yield first + i

    with multiprocessing.Pool(given.jobs, maxtasksperchild=50) as pool:
        waiting = collections.deque()
        source = seeds()
        while True:
            while len(waiting) < 2 * given.jobs and (seed := next(source, None)) is not None:
                waiting.append(pool.apply_async(torture, (seed, given.keep)))
            if not waiting:
                break
            seed, kinds, counts, fault, told, seconds = waiting.popleft().get()
            tally.update(counts)
            tally["scenes"] += 1
            tally["slowest s"] = max(tally["slowest s"], round(seconds))
            for line in told.splitlines() if given.tell or told.startswith("not seen") else ():
                print(f"seed {seed} ({kinds}): {line}", flush=True)
            if fault:
                wrong += 1
                print(f"WRONG seed {seed} ({kinds}): {fault}", flush=True)
            if tally["scenes"] % 100 == 0:
                print(", ".join(f"{name} {number}" for name, number in tally.items()), flush=True)
    print(", ".join(f"{name} {number}" for name, number in tally.items()))
    print(f"{wrong} wrong")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
