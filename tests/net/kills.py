#!/usr/bin/env python3
"""Ranks are killed at random, and the run goes on with other numbers of them: the files of the undisturbed run.

    VISVIVA_BUILD=build/mpi tests/net/kills.py [--kills 20] [--seed 1] [--pause 1.0]

A hollow ball bounces on a drum.  Each kill falls up to --pause seconds after the first checkpoint that the ranks have written, so
that every run comes farther however busy the machine is; beside these every fifth run is killed while it sets up.  What a kill
has hit is told; only those in steps count.
"""
import argparse
import pathlib
import random
import shutil
import sys
import tempfile

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
    chance, how = random.Random(a.seed), scenes.implementations()[0]
    hits, counts = [], []
    while hits.count("steps") < a.kills:
        ranks = chance.choice((2, 3, 4))
        hit = scenes.kill_one(ranks, scene, shared, chance, a.pause, len(hits) % 5 == 0, how)
        if hit is None:
            print(f"a run ended or did not begin after {hits.count('steps')} kills; make it longer (--end)")
            break
        hits.append(hit)
        counts.append(ranks)
    last = scenes.many(3, scene, shared, *(["--resume"] if scenes.written(shared) else []), timeout=3000)
    other = scenes.same(folder / "whole", shared, ["ledger.csv", "events.csv", "checkpoint.h5"])
    told = [[l.split()[-1] for l in x.stdout.splitlines() if "state hash" in l] for x in (whole, last)]
    print(f"{hits.count('steps')} kills in steps, {hits.count('set-up')} in set-up, ranks {counts} and 3 at the end; "
          f"state hash {told[0]} {told[1]}; files that differ: {other or 'none'}")
    if last.returncode != 0:
        print(f"the last run did not end: {last.stderr.strip()}")
    shutil.rmtree(folder)
    return bool(other) or told[0] != told[1] or hits.count("steps") < a.kills


if __name__ == "__main__":
    sys.exit(main())
