"""Columns by name: the ledger now and over time, events."""
from __future__ import annotations

import ctypes
import functools
from typing import Any, Iterator

import numpy as np

from . import _library
from ._library import lib, text


@functools.lru_cache(maxsize=None)
def _names() -> tuple[str, ...]:
    return tuple(text(lib.vv_ledger_name(i)) for i in range(lib.vv_ledger_columns()))


def ledger_names() -> list[str]:
    """The columns of a ledger, in their order."""
    return list(_names())


@functools.lru_cache(maxsize=None)
def _places() -> dict[str, int]:
    return {name: i for i, name in enumerate(_names())}


#: The columns of what is taken for good.
LOSSES = ("friction_loss", "restitution_loss", "step_loss", "plastic_work", "viscous_loss", "damage_loss")


class Ledger:
    """The books at one moment: columns by name, as attributes or like a dict."""

    def __init__(self, row: np.ndarray):
        self.row = row

    def __getitem__(self, name: str) -> float:
        return float(self.row[_places()[name]])

    def __getattr__(self, name: str) -> float:
        if name.startswith("_") or name not in _places():
            raise AttributeError(f"a ledger has no column {name!r}; it has {', '.join(_names())}")
        return self[name]

    def keys(self) -> list[str]:
        return ledger_names()

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    @property
    def losses(self) -> float:
        """All that was taken for good: friction, restitution, plastic flow, damping, breaking."""
        return sum(self[name] for name in LOSSES)

    @property
    def p(self) -> np.ndarray:
        """Linear momentum."""
        first = _places()["p_x"]
        return self.row[first:first + 3]

    @property
    def L(self) -> np.ndarray:
        """Angular momentum about the origin."""
        first = _places()["L_x"]
        return self.row[first:first + 3]

    def __repr__(self) -> str:
        return f"<ledger: total {self.total:.9g}, external work {self.external_work:.6g}, closure {self.closure:.1e}>"


class Columns:
    """A table of numbers by column; each column is a view of one block of memory."""

    def __init__(self, rows: np.ndarray, names: list[str], units: dict[str, str] | None = None):
        self.rows, self.names, self.units = rows, names, units or {}

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self.rows[:, self.names.index(name)]
        except ValueError:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self.names)}") from None

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self.__dict__.get("names", ()):
            raise AttributeError(name)
        return self[name]

    def keys(self) -> list[str]:
        return list(self.names)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, where pandas is installed."""
        import pandas
        return pandas.DataFrame(self.rows, columns=self.names)

    def __repr__(self) -> str:
        return f"<{len(self)} rows of {', '.join(self.names)}>"


_WORDS = ("body_a", "feature_a", "body_b", "feature_b", "kind")


class Events:
    """Events by column.  Numbers are views; names (body_a, feature_a, body_b, feature_b, kind) are made on demand."""

    def __init__(self, rows: np.ndarray, model: Any):
        self.rows, self._model = rows, model

    def __len__(self) -> int:
        return len(self.rows)

    def keys(self) -> list[str]:
        return [entry[0] for entry in _library.EVENT]

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.keys():
            raise KeyError(f"events have no column {name!r}; they have {', '.join(self.keys())}")
        column = self.rows[name]
        if name not in _WORDS:
            return column
        address, place = np.unique(column, return_inverse=True)
        words = np.array([text(ctypes.string_at(int(a))) if a else "" for a in address] or [""], dtype=object)
        return words[place] if len(place) else np.empty(0, dtype=object)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_") or name not in self.keys():
            raise AttributeError(name)
        return self[name]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, where pandas is installed; vectors become three columns."""
        import pandas
        table = {}
        for name in self.keys():
            column = self[name]
            if column.ndim == 2:
                table.update({f"{name}_{axis}": column[:, i] for i, axis in enumerate("xyz")})
            else:
                table[name] = column
        return pandas.DataFrame(table)

    def __repr__(self) -> str:
        return f"<{len(self)} events>"
