#!/usr/bin/env python3
"""Ranks are killed at random, and the run goes on with other numbers of them: the files of the undisturbed run.

    VISVIVA_BUILD=build/mpi tests/net/kills.py [--kills 20] [--seed 1] [--pause 1.0]

A hollow ball bounces on a drum.  The run is long enough for all kills; each falls between --pause and twice that after
the ranks began to step.
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import scenes


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--kills", type=int, default=20)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--pause", type=float, default=1.0, help="seconds")
    words.add_argument("--end", type=float, default=0.4, help="seconds of the scene")
    a = words.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(dir="."))
    scene, shared = folder / "scene.yaml", folder / "shared"
    scene.write_text(scenes.drum(a.end).replace("every: 0.004, ledger: 2, checkpoint: 0.004", "every: 0.05, ledger: 20, checkpoint: 0.002"))
    whole = scenes.one(scene, folder / "whole")
    assert whole.returncode == 0, whole.stderr
    chance = random.Random(a.seed)
    _, launch, program = scenes.implementations()[0]
    killed, counts = 0, []
    while killed < a.kills:
        ranks = chance.choice((2, 3, 4))
        more = ["--resume"] if (shared / "checkpoint.h5").exists() else ["--overwrite"]
        process = subprocess.Popen([*launch, "-n", str(ranks), program, "run", str(scene), "-o", str(shared), "--threads", "1", "-q", *more],
                                   env=scenes.ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while len(scenes.ranks_of(process.pid, program)) < ranks and process.poll() is None:
            time.sleep(0.02)
        time.sleep(a.pause * (1 + chance.random()))
        mine = scenes.ranks_of(process.pid, program)
        if process.poll() is not None or not mine:
            print(f"the run ended after {killed} kills; make it longer (--end)")
            break
        os.kill(chance.choice(mine), signal.SIGKILL)
        process.wait()
        killed += 1
        counts.append(ranks)
    last = scenes.many(3, scene, shared, "--resume", timeout=3000)
    assert last.returncode == 0, last.stderr
    other = scenes.same(folder / "whole", shared, ["ledger.csv", "events.csv", "checkpoint.h5"])
    told = [[l.split()[-1] for l in x.stdout.splitlines() if "state hash" in l] for x in (whole, last)]
    print(f"{killed} kills, ranks {counts} and 3 at the end; state hash {told[0]} {told[1]}; files that differ: {other or 'none'}")
    shutil.rmtree(folder)
    return bool(other) or told[0] != told[1] or killed < a.kills


if __name__ == "__main__":
    sys.exit(main())
