"""A run that is watched in Jupyter: the page's 3D view, made anew while the run goes on."""
from __future__ import annotations

import os
import pathlib
import tempfile
import time
from typing import Any

from .results import Page, report
from .simulation import Simulation


class Live:
    """What `live` returns: the folder of the run and its last page."""

    def __init__(self, sim: Simulation, folder: pathlib.Path):
        self.sim, self.folder, self.updates = sim, folder, 0
        self.page: Page | None = None

    def _repr_html_(self) -> str:
        return self.page._repr_html_() if self.page else ""


def live(sim: Simulation, folder: str | os.PathLike[str] | None = None, *, seconds: float = 2.0, height: int = 720,
         limit: float = 8.0, display: Any = None) -> Live:
    """Runs a simulation to its end and shows its report page anew every few seconds: while the run goes on with the 3D view
    of the newest frame on top, at the end as `report` makes it.

    The run is the same, to the bit, as that of ``sim.run(folder)``.  `display` is a function that takes an HTML object and
    returns a handle with `update`; by default Jupyter's own.  Ctrl-C (or the stop button) stops the run and keeps the page.
    """
    show = display or _jupyter
    out = Live(sim, pathlib.Path(folder or tempfile.mkdtemp(prefix="visviva-")))
    handle = None
    last = time.monotonic()

    def draw() -> None:
        nonlocal handle
        out.page = report([out.folder], out.folder / "report.html", limit)
        out.page.height, out.page.live = height, watching
        out.updates += 1
        if handle is None:
            handle = show(out.page)
        else:
            handle.update(out.page)

    every = max(1, int(round(sim.end / sim.dt)) // 400)
    watching = True

    @sim.observe(every)
    def look(_: Simulation) -> None:
        nonlocal last
        if watching and time.monotonic() - last > seconds:
            try:
                draw()
            finally:
                last = time.monotonic()

    try:
        sim.run(out.folder, overwrite=True)
    finally:
        watching = False
        draw()
    return out


def _jupyter(page: Page) -> Any:
    from IPython.display import display
    return display(page, display_id=True)
