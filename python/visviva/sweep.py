"""Many runs of one scene on all cores."""
from __future__ import annotations

import itertools
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Mapping, NamedTuple, Sequence

from .simulation import Simulation


class Run(NamedTuple):
    """What was changed, and what came out."""

    change: dict[str, Any]
    result: Any


def sweep(scene: Any, vary: Mapping[str, Sequence[Any]] | Sequence[Mapping[str, Any]],
          measure: Callable[[Simulation], Any] = lambda sim: sim.run().ledger, *, workers: int | None = None) -> list[Run]:
    """Runs a scene with changed words, one run per core at a time, and measures each.

    `vary` is a dict of lists (every combination is run) or a list of dicts.  `measure` gets a simulation that has not begun;
    the default runs it and returns its ledger.  Threads are enough: the library does not hold the interpreter.  Runs that
    write files wait for each other.

    >>> import visviva
    >>> runs = visviva.sweep(visviva.example("bouncing-ball"), {"time.step": [1e-2, 5e-3], "time.end": [1.0]})
    >>> [(run.change["time.step"], abs(run.result.closure) < 1e-12) for run in runs]
    [(0.01, True), (0.005, True)]
    """
    if isinstance(vary, Mapping):
        changes = [dict(zip(vary, values)) for values in itertools.product(*vary.values())]
    else:
        changes = [dict(change) for change in vary]

    def one(change: dict[str, Any]) -> Run:
        return Run(change, measure(Simulation(scene, threads=1, change=change)))

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        return list(pool.map(one, changes))
