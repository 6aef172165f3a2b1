"""Result folders: tables, frames, the report page."""
from __future__ import annotations

import ctypes
import json
import os
import pathlib
from ctypes import byref, c_int, c_void_p
from typing import Any, Sequence

import numpy as np

from ._handles import Context, files
from ._library import Comparison, lib, shared, text
from .errors import Error, FileError, check
from .tables import Columns
from . import _library


class Table(Columns):
    """A CSV file by columns: numbers as arrays of doubles, words as arrays of str."""

    def __init__(self, columns: dict[str, np.ndarray], units: dict[str, str]):
        self.columns = columns
        numbers = [c for c in columns.values() if c.dtype == np.float64]
        rows = np.array(numbers).T if numbers else np.zeros((0, 0))
        super().__init__(rows, list(columns), units)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.columns)}")
        return self.columns[name]

    def to_pandas(self) -> Any:
        import pandas
        return pandas.DataFrame(self.columns)


def _read_csv(path: pathlib.Path) -> Table:
    import csv
    units: list[str] = []
    with path.open(newline="") as stream:
        position = stream.readline()
        if position.startswith("# units: "):
            units = position[9:].strip().split(",")
        else:
            stream.seek(0)
        rows = list(csv.reader(stream))
    if not rows:
        raise FileError(_library.IO, [f"{path}: has no line of column names"])
    names, rows = rows[0], [row for row in rows[1:] if len(row) == len(rows[0])]
    columns: dict[str, np.ndarray] = {}
    for i, name in enumerate(names):
        cells = [row[i] for row in rows]
        try:
            columns[name] = np.array(cells, dtype=np.float64)
        except ValueError:
            columns[name] = np.array(cells, dtype=object)
    return Table(columns, dict(zip(names, units)))


class Frames:
    """What results.h5 holds of one body."""

    def __init__(self, results: "Results", index: int, name: str):
        self._results, self._index, self.name = results, index, name

    @property
    def fields(self) -> list[str]:
        """Names of its fields and constant tables."""
        room = ctypes.create_string_buffer(1 << 16)
        with files:
            lib.vv_frames_fields(self._results._frames, self._index, room, len(room))
        return text(room.value).split("\n") if room.value else []

    def __getitem__(self, field: str) -> np.ndarray:
        """All frames of a field: (frames, nodes or elements[, components])."""
        return self.read(field)

    def read(self, field: str, first: int = 0, count: int | None = None) -> np.ndarray:
        """`count` frames of a field from `first` on."""
        frames, components = self._results._frames, c_int()
        with files:
            size = lib.vv_frames_size(frames, self._index, field.encode(), byref(components))
            if size == 0:
                return self._table(field)
            total = lib.vv_frames_count(frames)
            first = first if first >= 0 else first + total
            count = total - first if count is None else count
            shape = (max(count, 0), size) if components.value == 1 else (max(count, 0), size, components.value)
            out = np.empty(shape)
            check(self._results._context.ptr,
                  lib.vv_frames_read(frames, self._index, field.encode(), first, count, out.ctypes.data))
        return out

    def _table(self, name: str) -> np.ndarray:
        columns = c_int()
        rows = lib.vv_frames_table(self._results._frames, self._index, name.encode(), byref(columns), None)
        if rows == 0:
            raise KeyError(f"{self.name} has no field {name!r}; it has {', '.join(self.fields)}")
        out = np.empty((rows, columns.value))
        lib.vv_frames_table(self._results._frames, self._index, name.encode(), byref(columns), out.ctypes.data)
        whole = name in ("elements", "skin_triangles")
        return out.astype(np.int64) if whole else out

    def mesh(self, frame: int = -1) -> tuple[np.ndarray, list[tuple[str, np.ndarray]], dict[str, np.ndarray]]:
        """points, cells, point_data of one frame, as meshio wants them: ``meshio.Mesh(points, cells, point_data)``."""
        points = self.read("position", frame, 1)[0]
        cells, data = [], {}
        if "elements" in self.fields:
            elements = self["elements"]
            cells.append(({2: "line", 3: "triangle"}.get(elements.shape[1], "vertex"), elements))
        else:
            cells.append(("vertex", np.arange(len(points))[:, None]))
        for name in self.fields:
            components = c_int()
            if name != "position" and lib.vv_frames_size(self._results._frames, self._index, name.encode(),
                                                         byref(components)) == len(points):
                data[name] = self.read(name, frame, 1)[0]
        return points, cells, data

    def __repr__(self) -> str:
        return f"<frames of {self.name!r}: {', '.join(self.fields)}>"


class Results:
    """A result folder, as `visviva run` and ``sim.run(folder)`` write it.

    >>> import visviva, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = visviva.Simulation(visviva.example("bouncing-ball"), change={"time.end": 1}).run(folder)
    >>> out = visviva.open(folder)
    >>> out["ball"]["position"].shape == (len(out.time), 1, 3)
    True
    >>> bool(abs(out.ledger["closure"]).max() < 1e-12)
    True
    """

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = pathlib.Path(folder)
        if not self.folder.is_dir():
            raise FileError(_library.IO, [f"{self.folder}: is not a result folder; `sim.run(folder)` or `visviva run` make one"])
        self._context = Context()
        self._frames = c_void_p()
        with files:
            check(self._context.ptr, lib.vv_frames_open(self._context.ptr, os.fsencode(folder), byref(self._frames)))

    def __del__(self, close: Any = lib.vv_frames_close) -> None:
        if getattr(self, "_frames", None):
            with files:
                close(self._frames)
            self._frames = c_void_p()

    @property
    def time(self) -> np.ndarray:
        """Times of the frames."""
        return self._vector(lib.vv_frames_time, ctypes.c_double)

    @property
    def step(self) -> np.ndarray:
        """Steps of the frames."""
        return self._vector(lib.vv_frames_step, ctypes.c_int64)

    def _vector(self, function: Any, kind: Any) -> np.ndarray:
        count = lib.vv_frames_count(self._frames)
        if count == 0:
            return np.zeros(0)
        buffer = (kind * count).from_address(function(self._frames))
        buffer._owner = self
        out = np.frombuffer(buffer, dtype=np.dtype(kind))
        out.flags.writeable = False
        return out

    @property
    def bodies(self) -> dict[str, Frames]:
        names = [text(lib.vv_frames_body(self._frames, i)) for i in range(lib.vv_frames_bodies(self._frames))]
        return {name: Frames(self, i, name) for i, name in enumerate(names)}

    def __getitem__(self, body: str) -> Frames:
        bodies = self.bodies
        if body not in bodies:
            raise KeyError(f"there is no body {body!r}; there are {', '.join(bodies)}")
        return bodies[body]

    @property
    def ledger(self) -> Table:
        """ledger.csv by columns."""
        return _read_csv(self.folder / "ledger.csv")

    @property
    def events(self) -> Table:
        """events.csv by columns."""
        return _read_csv(self.folder / "events.csv")

    @property
    def contacts(self) -> Table:
        """contacts.csv by columns: one row for each contact of two bodies."""
        return _read_csv(self.folder / "contacts.csv")

    @property
    def probes(self) -> Table:
        """probes.csv by columns; FileNotFoundError where the scene has no probes."""
        return _read_csv(self.folder / "probes.csv")

    @property
    def summary(self) -> dict[str, Any]:
        """summary.json; FileNotFoundError while the run goes on."""
        return json.loads((self.folder / "summary.json").read_text())

    def report(self, path: str | os.PathLike[str] | None = None, *others: "str | os.PathLike[str] | Results",
               limit: float = 25) -> "Page":
        """One self-contained HTML page with playback, plots and tables, of this run and others beside it."""
        folders = [self.folder] + [o.folder if isinstance(o, Results) else pathlib.Path(o) for o in others]
        return report(folders, path or self.folder / "report.html", limit)

    def picture(self, path: str | os.PathLike[str] | None = None) -> pathlib.Path:
        """One SVG of the run."""
        out = pathlib.Path(path or self.folder / "picture.svg")
        with files:
            check(self._context.ptr, lib.vv_picture_write(self._context.ptr, os.fsencode(self.folder), os.fsencode(out)))
        return out

    def __repr__(self) -> str:
        return f"<results {str(self.folder)!r}: {len(self.time)} frames of {', '.join(self.bodies)}>"


def open(folder: str | os.PathLike[str]) -> Results:  # noqa: A001: visviva.open is meant to read like that
    """Opens a result folder, also that of a run that is still going on."""
    return Results(folder)


class Page:
    """A report page on disk; Jupyter shows it in place."""

    def __init__(self, path: pathlib.Path, height: int = 720, live: bool = False):
        self.path, self.height, self.live = path, height, live

    def __fspath__(self) -> str:
        return str(self.path)

    def _repr_html_(self) -> str:
        import html
        page = self.path.read_text()
        if self.live:  # the picture first, and the newest frame
            page = page.replace("<html", "<html data-live", 1)
        return (f'<iframe srcdoc="{html.escape(page, quote=True)}" width="100%" height="{self.height}" '
                'style="border:0" sandbox="allow-scripts allow-downloads"></iframe>')

    def __repr__(self) -> str:
        return f"<report page {str(self.path)!r}>"


def template() -> pathlib.Path:
    """The page without data."""
    found = os.environ.get("VISVIVA_TEMPLATE") or shared("report-template.html")
    if not found:
        raise FileError(_library.IO, ["the report page is not here: `make web` builds it, or name it with VISVIVA_TEMPLATE"])
    return pathlib.Path(found)


def report(folders: Sequence[str | os.PathLike[str]], path: str | os.PathLike[str], limit: float = 25) -> Page:
    """The report page of one result folder or several, side by side; `limit` is its size in MB."""
    context = Context()
    names = (ctypes.c_char_p * len(folders))(*[os.fsencode(f) for f in folders])
    with files:
        check(context.ptr, lib.vv_page_write(context.ptr, len(folders), names, os.fsencode(template()), int(limit * 1e6),
                                             os.fsencode(path)))
    return Page(pathlib.Path(path))


def compare(a: str | os.PathLike[str], b: str | os.PathLike[str]) -> dict[str, Any]:
    """The largest relative differences of two result folders."""
    context, out = Context(), Comparison()
    with files:
        check(context.ptr, lib.vv_compare(context.ptr, os.fsencode(a), os.fsencode(b), byref(out)))
    found = {name: getattr(out, name) for name, _ in out._fields_}
    found["where"] = text(out.where)
    return found


def examples() -> dict[str, pathlib.Path]:
    """The shipped scenes, by name."""
    folder = os.environ.get("VISVIVA_EXAMPLES") or shared("examples")
    if not folder:
        raise FileError(_library.IO, ["the examples are not here; name their folder with VISVIVA_EXAMPLES"])
    root = pathlib.Path(folder)
    return {str(path.relative_to(root).with_suffix("")): path for path in sorted(root.glob("*/*.yaml"))}


def example(name: str) -> pathlib.Path:
    """The path of a shipped scene; the group may be left out."""
    found = examples()
    hits = [path for key, path in found.items() if key == name or key.split("/")[-1] == name]
    if len(hits) != 1:
        import difflib
        near = difflib.get_close_matches(name, [key.split("/")[-1] for key in found], 3)
        raise Error(_library.ARG, [f"there is no example {name!r}" + (f"; did you mean {', '.join(near)}?" if near else "")])
    return hits[0]
