#!/usr/bin/env python3
"""One hash: the scenes of docs/many-machines.md in one process and over ranks, both MPIs, cuts in runs and at random.

    VISVIVA_BUILD=build/mpi tests/net/hashes.py [--quick] [--few] [--ranks=1,2] [--cores=N] [--seconds=S] [PART OF A NAME ...]

Compares every file byte by byte, results.h5 too where shares move on the way, prints a row a scene with the numbers of ranks that
were equal, and ends with 1 if something differs.  1, 2, 3, 4, 8 ranks of each MPI, runs of tiles and cuts at random.  --quick: fewer steps; --few: 2 and 3 ranks, at random 3,
MPICH 2, for machines with few cores; --cores: runs beside each other as long as they fit (default: one after the other);
--seconds: none begins after so many; --ranks: these numbers of them.
"""
import pathlib
import shutil
import sys
import tempfile
import threading
import time

import scenes

QUICK, FEW = "--quick" in sys.argv, "--few" in sys.argv
CORES = int(next((a[8:] for a in sys.argv if a.startswith("--cores=")), 1))
UNTIL = time.time() + float(next((a[10:] for a in sys.argv if a.startswith("--seconds=")), 1e9))
RANKS = [int(n) for n in next((a[8:] for a in sys.argv if a.startswith("--ranks=")), "1,2,3,4,8").split(",")]
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
    yield "ball on drum", *scenes.shipped("newcomer/ball-on-drum.yaml", time_end=steps(0.15, 0.02), record_checkpoint=0.01, **keep)
    yield "hollow ball on drum", *written(folder, "drum", scenes.drum(steps(0.05, 0.01)))
    yield "mixed", *scenes.shipped("cirak2005/mixed.yaml", time_end=steps(0.1, 0.02), record_checkpoint=0.01, **keep)
    yield "plastic can", *scenes.shipped("materials/can-stays-dented.yaml", time_end=steps(1.5e-3, 1e-4), record_checkpoint=1e-4, **keep)
    yield "76 cubes", *scenes.shipped("cirak2005/cubes-76.yaml", time_end=steps(0.02, 0.004), record_checkpoint=0.002, **keep)
    yield "64 cubes, e = 0.5, mu = 0.3", *written(folder, "crowd", scenes.crowd(4, steps(5e-3, 2e-3)))


def ways():
    """Ranks, seed of a random cut (0: runs of tiles), MPI."""
    sorts = scenes.implementations()
    if not FEW:
        return [(n, cut * (1000 + n), mpi) for mpi in sorts for n in RANKS for cut in (0, 1)]
    return [(2, 0, sorts[0]), (3, 0, sorts[0]), (3, 1003, sorts[0])] + [(2, 0, mpi) for mpi in sorts[1:]]


class Cores:
    """So many at a time; a way that wants more than there are gets all of them."""

    def __init__(self, n):
        self.n, self.free, self.changed = n, n, threading.Condition()

    def take(self, n):
        with self.changed:
            self.changed.wait_for(lambda: self.free >= min(n, self.n))
            self.free -= min(n, self.n)

    def give(self, n):
        with self.changed:
            self.free += min(n, self.n)
            self.changed.notify_all()


def look(folder, scene, more, whole, way, cores, out):
    """One way, beside others: names of files that differ, or None where there is no time left."""
    ranks, cut, mpi = way
    cores.take(ranks)
    try:
        by = folder / f"{mpi[0]}-{ranks}-{cut}"
        if time.time() > UNTIL:
            return
        done = scenes.many(ranks, scene, by, "--overwrite", *more, mpi=mpi, cut=cut, timeout=3000)
        ended = done.returncode == whole.returncode
        out[ranks, cut, mpi[0]] = scenes.same(folder / "one", by) if ended else ["no end: " + (done.stderr.strip().splitlines() or ["?"])[-1][:200]]
        shutil.rmtree(by, ignore_errors=True)
    finally:
        cores.give(ranks)


def row_of(found, mpi, cut):
    """Ranks of one MPI and kind of cut whose files are all equal; after an exclamation mark those that differ."""
    mine = {ranks: other for (ranks, seed, name), other in found.items() if name == mpi[0] and (seed != 0) == cut}
    good = " ".join(str(n) for n in sorted(mine) if not mine[n])
    return good + "".join(f" !{n}: {' '.join(mine[n])}" for n in sorted(mine) if mine[n]) or "-"


def scene_row(folder, name, scene, more, cores, kinds):
    """All ways of one scene beside each other: what was found, and its row."""
    began, found, mine = time.time(), {}, folder / name.split(",")[0].replace(" ", "-")
    mine.mkdir()
    cores.take(1)
    whole = scenes.one(scene, mine / "one", "--overwrite", *more)
    cores.give(1)
    state = [l.split()[-1] for l in whole.stdout.splitlines() if "state hash" in l]
    taken = [l.split()[1] for l in whole.stdout.splitlines() if l.split()[:1] == ["steps"]][:1]
    together([threading.Thread(target=look, args=(mine, scene, more, whole, way, cores, found)) for way in ways()])
    print(f"| {name} | {'/'.join(taken)} | {'/'.join(state)} | " + " | ".join(row_of(found, m, c) for m, c in kinds) + f" | {time.time() - began:.0f} |", flush=True)
    return found


def together(team):
    for t in team:
        t.start()
    for t in team:
        t.join()


def main():
    folder, cores, found = pathlib.Path(tempfile.mkdtemp(dir=".")), Cores(CORES), []
    kinds = [(mpi, cut) for mpi in scenes.implementations() for cut in (False, True)]
    print("| scene | steps | state hash | " + " | ".join(f"{m[0]}, {'at random' if c else 'runs'}" for m, c in kinds) + " | s |")
    print("|---" * (len(kinds) + 4) + "|")
    wanted = [c for c in cases(folder) if not ONLY or any(o in c[0] for o in ONLY)]
    rows = [threading.Thread(target=lambda c=c: found.append(scene_row(folder, *c, cores, kinds))) for c in wanted]
    if CORES > 1:  # else one row after the other
        together(rows)
    else:
        for r in rows:
            together([r])
    shutil.rmtree(folder)
    looks, wrong = sum(map(len, found)), sum(bool(other) for f in found for other in f.values())
    wrong += looks == 0  # of nothing nothing can be said
    print(f"{looks} runs over ranks, " + ("all files equal to those of one process" if wrong == 0 else f"{wrong} differ"))
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
