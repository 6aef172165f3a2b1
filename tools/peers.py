#!/usr/bin/env python3
"""Times a free rod here and in PyElastica: ns per element and step, one core.

usage: peers.py BENCH_PEER [ELEMENTS...]

Same rod (2 m, circular section of radius 3 cm, E = 1e7 Pa), same number of elements, same step (0.3 of our stable one),
no loads, no supports, no damping, no output; compilation (numba) is done before the clock starts.
Where PyElastica cannot be imported, our times are printed and one line says what is missing; that is not an error.
"""
import contextlib
import os
import subprocess
import sys
import time

LENGTH, RADIUS, YOUNG, POISSON, DENSITY, SPEED = 2.0, 0.03, 1e7, 0.35, 1000.0, 3.0
WORK = 2e6  # element-steps of a timed run
REPEATS = 3


def time_ours(program, sizes):
    """{elements: (step, ns)} from bench_peer, which holds the same rod."""
    text = subprocess.run([program, *map(str, sizes)], check=True, capture_output=True, text=True).stdout
    rows = (line.split() for line in text.splitlines())
    return {int(n): (float(step), float(ns)) for n, step, ns in rows}


def make_theirs(elastica, numpy, n):
    class Free(elastica.BaseSystemCollection):
        pass

    rod = elastica.CosseratRod.straight_rod(
        n, numpy.zeros(3), numpy.array([0.0, 0.0, 1.0]), numpy.array([1.0, 0.0, 0.0]), LENGTH, RADIUS, DENSITY,
        youngs_modulus=YOUNG, shear_modulus=YOUNG / (2 * (1 + POISSON)))
    rod.velocity_collection[0, :] = SPEED * numpy.linspace(-1, 1, n + 1)
    system = Free()
    system.append(rod)
    system.finalize()
    return system, rod


def time_theirs(elastica, numpy, n, step):
    steps = max(10, int(WORK / n))
    best = float("inf")
    for _ in range(REPEATS):
        system, rod = make_theirs(elastica, numpy, n)
        stepper = elastica.PositionVerlet()
        with open(os.devnull, "w") as sink, contextlib.redirect_stdout(sink):
            elastica.integrate(stepper, system, 10 * step, 10, progress_bar=False)  # compiles
            start = time.perf_counter()
            elastica.integrate(stepper, system, steps * step, steps, progress_bar=False)
            best = min(best, time.perf_counter() - start)
        if not numpy.isfinite(rod.position_collection).all():
            raise SystemExit(f"peers: PyElastica left the stable range at {n} elements, step {step:g}")
    return 1e9 * best / (n * steps)


def find_theirs():
    """PyElastica and numpy, or None and what to say."""
    try:
        import elastica
        import numpy
    except ImportError as missing:
        print(f"PyElastica is not importable by {sys.executable} ({missing}); nothing is compared.")
        print("To compare: python3 -m pip install pyelastica, then make peers PYTHON=that python.")
        return None, None
    return elastica, numpy


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    program, sizes = sys.argv[1], [int(word) for word in sys.argv[2:]] or [50, 200, 1000]
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = "1"
    elastica, numpy = find_theirs()
    print(f"{'elements':>8} {'step':>10} {'visviva':>12} {'PyElastica':>12} {'ratio':>7}   ns per element and step, one core")
    for n, (step, ours) in time_ours(program, sizes).items():
        theirs = time_theirs(elastica, numpy, n, step) if elastica else None
        print(f"{n:>8} {step:>10.3g} {ours:>12.1f} {f'{theirs:.1f}' if theirs else '-':>12} "
              f"{f'{theirs / ours:.0f}' if theirs else '-':>7}", flush=True)


if __name__ == "__main__":
    main()
