#!/usr/bin/env python3
"""One hash: the scenes of docs/many-machines.md in one process and over ranks, both MPIs, cuts in runs and at random.

    VISVIVA_BUILD=build/mpi tests/net/hashes.py [--quick] [--few] [PART OF A NAME ...]

Compares every file byte by byte, prints a row a scene, and ends with 1 if something differs.  --quick: fewer steps; --few: 2 and 3
ranks, at random 3, MPICH 2, for machines with few cores.
"""
import pathlib
import shutil
import sys
import tempfile
import time

import scenes

QUICK, FEW = "--quick" in sys.argv, "--few" in sys.argv
ONLY = [a for a in sys.argv[1:] if not a.startswith("--")]


def steps(many, few):
    return few if QUICK else many


def written(folder, name, text):
    path = folder / f"{name}.yaml"
    path.write_text(text)
    return path, []


def cases(folder):
    """name: scene and more words of the command line."""
    keep = {"record_paraview": "false"}
    yield "sphere, 50,000 triangles", *written(folder, "sphere", scenes.sphere(50, steps(400, 40)))
    yield "plate, three borders", *written(folder, "plate", scenes.plate((60, 44), steps(0.01, 0.002)))
    yield "40 bodies free", *written(folder, "free", scenes.free_bodies(40))
    yield "76 cubes", *scenes.shipped("cirak2005/cubes-76.yaml", time_end=steps(0.02, 0.004), record_checkpoint=0.002, **keep)
    yield "64 cubes, e = 0.5, mu = 0.3", *written(folder, "crowd", scenes.crowd(4, steps(5e-3, 2e-3)))
    yield "ball on drum", *scenes.shipped("newcomer/ball-on-drum.yaml", time_end=steps(0.15, 0.02), record_checkpoint=0.01, **keep)
    yield "hollow ball on drum", *written(folder, "drum", scenes.drum(steps(0.05, 0.01)))
    yield "mixed", *scenes.shipped("cirak2005/mixed.yaml", time_end=steps(0.1, 0.02), record_checkpoint=0.01, **keep)
    yield "plastic can", *scenes.shipped("materials/can-stays-dented.yaml", time_end=steps(1.5e-3, 1e-4), record_checkpoint=1e-4, **keep)


def ways():
    sorts = scenes.implementations()
    for n in (2, 3) if FEW else (1, 2, 3, 4, 8):
        yield n, 0, sorts[0]
    for n in (3,) if FEW else (2, 3, 8):
        yield n, 1000 + n, sorts[0]
    for n in () if len(sorts) < 2 else (2,) if QUICK or FEW else (2, 3, 4):
        yield n, 0, sorts[1]  # MPICH spins: slow where there are more ranks than cores


def main():
    wrong = 0
    folder = pathlib.Path(tempfile.mkdtemp(dir="."))
    for name, scene, more in cases(folder):
        if ONLY and not any(o in name for o in ONLY):
            continue
        began = time.time()
        whole = scenes.one(scene, folder / "one", "--overwrite", *more)
        state = [l.split()[-1] for l in whole.stdout.splitlines() if "state hash" in l]
        taken = [l.split()[1] for l in whole.stdout.splitlines() if l.split()[:1] == ["steps"]][:1]
        row = []
        for ranks, cut, mpi in ways():
            done = scenes.many(ranks, scene, folder / "by", "--overwrite", *more, mpi=mpi, cut=cut, timeout=3000)
            other = scenes.same(folder / "one", folder / "by") if done.returncode == whole.returncode else ["no end"]
            wrong += len(other)
            row.append(f"{mpi[0]} {ranks}{' random' if cut else ''}{': ' + ' '.join(other) if other else ''}")
            if other:
                print(done.stderr[-2000:], file=sys.stderr)
        print(f"{name} | steps {'/'.join(taken)} | {'/'.join(state)} | {', '.join(row)} | {time.time() - began:.0f} s", flush=True)
    shutil.rmtree(folder)
    print("all files equal" if wrong == 0 else f"{wrong} files differ")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
