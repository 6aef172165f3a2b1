"""visviva: impact that keeps its books.

>>> import visviva
>>> sim = visviva.Simulation(visviva.example("bouncing-ball"))
>>> sim.until(1.0).ledger.impacts > 0
True
>>> sim["ball"].position.shape
(1, 3)

`Simulation` runs scenes, `open` reads result folders, `sweep` runs many, `live` shows a run in Jupyter while it goes on.
"""
from __future__ import annotations

from ._library import lib as _lib, text as _text
from .errors import ArgumentError, Error, FileError, OutOfMemory, SceneError, Stopped, UnsupportedError
from .live import Live, live
from .results import Page, Results, compare, example, examples, open, report  # noqa: A004
from .simulation import Body, Claim, Device, Simulation, devices
from .sweep import Run, sweep
from .tables import Columns, Events, Ledger

__version__ = _text(_lib.vv_version())
__all__ = ["ArgumentError", "Body", "Claim", "Columns", "Device", "Error", "Events", "FileError", "Ledger", "Live", "OutOfMemory", "Page",
           "Results", "Run", "SceneError", "Simulation", "Stopped", "UnsupportedError", "compare", "devices", "example", "examples", "live",
           "open", "report", "sweep"]
