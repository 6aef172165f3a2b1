"""What can go wrong, as exceptions that carry every message of the library: place, line, and remedy."""
from __future__ import annotations

import re
import threading
import warnings
from typing import Any

from . import _library
from ._library import lib, text


class Error(Exception):
    """The base of all errors of visviva.  `messages` has one line for each mistake, all of them at once."""

    def __init__(self, status: int, messages: list[str]):
        self.status = status
        self.messages = messages or [text(lib.vv_status_text(status))]
        super().__init__("\n".join(self.messages))


class SceneError(Error, ValueError):
    """The scene was refused.  `line` and `column` are those of the first mistake, None where it has no place.

    >>> import visviva
    >>> try:
    ...     visviva.Simulation("visviva: 1\\ntime: {end: 1, stepp: 0.1}\\nbodies: {}\\n")
    ... except visviva.SceneError as error:
    ...     print(error.line, "did you mean 'step'" in str(error))
    2 True
    """

    def __init__(self, status: int, messages: list[str]):
        super().__init__(status, messages)
        place = re.match(r".*?:(\d+):(\d+): ", self.messages[0])
        self.line = int(place.group(1)) if place else None
        self.column = int(place.group(2)) if place else None


class ArgumentError(Error, ValueError):
    """An argument is out of its domain."""


class UnsupportedError(Error, NotImplementedError):
    """These parts cannot be combined."""


class FileError(Error, OSError):
    """A file was not read or written."""


class OutOfMemory(Error, MemoryError):
    """The library could not allocate what it needs."""


class Stopped(Error, RuntimeError):
    """Nature stopped the run: unstable, too many events, a solver that did not converge.  `reason` says which."""

    def __init__(self, reason: str, message: str):
        super().__init__(_library.STOPPED, [f"{reason}: {message}" if message else reason])
        self.reason = reason


_KINDS: dict[int, Any] = {_library.ARG: ArgumentError, _library.SCENE: SceneError, _library.NOMEM: OutOfMemory,
                          _library.IO: FileError, _library.UNSUPPORTED: UnsupportedError}


_reading = threading.Lock()  # clones in several threads share a context


def take_messages(ctx: Any) -> list[str]:
    with _reading:
        found = [text(lib.vv_ctx_message(ctx, i)) for i in range(lib.vv_ctx_message_count(ctx))]
        lib.vv_ctx_messages_clear(ctx)
    return found


def check(ctx: Any, status: int) -> None:
    """Raises what a status means, with all messages of the context."""
    if status != _library.OK:
        raise _KINDS.get(status, Error)(status, take_messages(ctx))


def warn(ctx: Any) -> None:
    """Messages of a call that went well."""
    for message in take_messages(ctx):
        warnings.warn(message, stacklevel=4)
