"""Objects of the library with one owner each: what a C object stands on is kept alive by the Python object that holds it, so
that they may be dropped in any order."""
from __future__ import annotations

import ctypes
import json
import os
import threading
from ctypes import byref, c_void_p
from typing import Any, Mapping

import numpy as np

from ._library import CtxDef, SimDef, State, lib
from .errors import Error, check, warn

#: HDF5 is not made for threads: who reads or writes result files holds this.
files = threading.RLock()


class Context:
    def __init__(self, threads: int = 0, device: str = "cpu"):
        definition: CtxDef = lib.vv_ctx_default()
        definition.threads = threads
        definition.device = device.encode()
        self.ptr = c_void_p()
        status = lib.vv_ctx_create(byref(definition), byref(self.ptr))
        if status:
            raise Error(status, [f"threads = {threads}: from 0 (as many as help) to 1024"])

    def __del__(self, destroy: Any = lib.vv_ctx_destroy) -> None:
        if getattr(self, "ptr", None):
            destroy(self.ptr)
            self.ptr = c_void_p()


class StateHandle:
    """The memory of a state, and the views of it that NumPy gets."""

    def __init__(self, ptr: c_void_p):
        self.ptr = ptr
        self.head = State.from_address(ptr.value)  # type: ignore[arg-type]

    def __del__(self, destroy: Any = lib.vv_state_destroy) -> None:
        if getattr(self, "ptr", None):
            destroy(self.ptr)
            self.ptr = c_void_p()

    def buffer(self, which: str) -> Any:
        """state.q or state.p; who holds it keeps the state alive."""
        count = self.head.nq if which == "q" else self.head.np
        buffer = (ctypes.c_double * count).from_address(getattr(self.head, which))
        buffer._owner = self  # type: ignore[attr-defined]
        return buffer

    def array(self, which: str) -> np.ndarray:
        """The same as a flat array."""
        return np.ndarray((self.head.nq if which == "q" else self.head.np,), np.float64, self.buffer(which))

    def clone(self) -> "StateHandle":
        out = c_void_p()
        status = lib.vv_state_clone(self.ptr, byref(out))
        if status:
            raise Error(status, [])
        return StateHandle(out)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"a scene cannot hold a {type(value).__name__}")


def _scene_text(scene: Mapping[str, Any]) -> str:
    """A dict as YAML: JSON is a part of it.  One line for each entry, so that messages can name a line."""
    whole = {"visviva": 1, **scene}
    return json.dumps(whole, default=_plain, indent=1)


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


class Model:
    """A compiled scene, and the state it starts from."""

    def __init__(self, scene: Any, threads: int, change: Mapping[str, Any] | None, device: str = "cpu"):
        self.context = Context(threads, device)
        self.ptr = c_void_p()
        spec = c_void_p()
        ctx = self.context.ptr
        try:
            self._read(scene, spec)
            for path, value in (change or {}).items():
                self._set(spec, path, value)
            start = c_void_p()
            check(ctx, lib.vv_compile(ctx, spec, byref(self.ptr), byref(start)))
        finally:
            lib.vv_spec_destroy(spec)
        self.start: StateHandle | None = StateHandle(start)
        warn(ctx)

    def _read(self, scene: Any, spec: c_void_p) -> None:
        ctx = self.context.ptr
        if isinstance(scene, Mapping):
            scene = _scene_text(scene)
            name = b"scene (dict)"
        elif isinstance(scene, str) and ("\n" in scene or scene.lstrip().startswith("{")):
            name = b"scene"
        elif isinstance(scene, (str, os.PathLike)):
            check(ctx, lib.vv_scene_read(ctx, os.fsencode(scene), byref(spec)))
            return
        else:
            raise TypeError(f"a scene is a dict, YAML text or the path of a file, not a {type(scene).__name__}")
        data = scene.encode()
        check(ctx, lib.vv_scene_parse(ctx, name, data, len(data), byref(spec)))

    def _set(self, spec: c_void_p, path: str, value: Any) -> None:
        ctx = self.context.ptr
        if isinstance(value, (list, tuple, np.ndarray)):
            numbers = np.ascontiguousarray(value, dtype=np.float64)
            check(ctx, lib.vv_spec_set_numbers(spec, path.encode(), numbers.size, numbers.ctypes.data))
        else:
            check(ctx, lib.vv_spec_set(spec, path.encode(), _word(value).encode()))

    def __del__(self, destroy: Any = lib.vv_model_destroy) -> None:
        if getattr(self, "ptr", None):
            destroy(self.ptr)
            self.ptr = c_void_p()


class SimHandle:
    def __init__(self, model: Model, state: StateHandle, step: float, check_structure: bool):
        self.model, self.state = model, state
        self.ptr = c_void_p()
        definition: SimDef = lib.vv_sim_default()
        definition.step, definition.check_structure = step, check_structure
        check(model.context.ptr, lib.vv_sim_create(model.ptr, state.ptr, byref(definition), byref(self.ptr)))

    def __del__(self, destroy: Any = lib.vv_sim_destroy) -> None:
        if getattr(self, "ptr", None):
            destroy(self.ptr)
            self.ptr = c_void_p()
