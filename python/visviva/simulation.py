"""Simulations: a scene that runs, its bodies, its books."""
from __future__ import annotations

import ctypes
import os
import signal
import threading
import warnings
from contextlib import contextmanager
from ctypes import byref, c_int, c_void_p
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence

import numpy as np

from . import _library
from ._handles import Model, SimHandle, StateHandle, files
from ._library import ControlFn, ObserveFn, PollFn, Report, Slice, lib, text
from .errors import ArgumentError, Error, Stopped, check, take_messages, warn
from .tables import Columns, Events, Ledger, ledger_names

_steps, _interrupt = lib.vv_sim_steps, lib.vv_sim_interrupt
_FRESH_EVENTS = 1 << 18  # room for the events of one call: reserved, not used, until they come


class Claim(NamedTuple):
    """A promise of the method, and whether the run kept it."""

    name: str
    nature: str
    bound: float
    worst: float
    when: float
    kept: bool


def _vector(value: Sequence[float] | np.ndarray | None, what: str) -> np.ndarray | None:
    if value is None:
        return None
    out = np.ascontiguousarray(value, dtype=np.float64)
    if out.shape != (3,):
        raise ValueError(f"{what}: three numbers are wanted, not {value!r}")
    return out


class Body:
    """One body of a simulation.  Arrays are views of the state: they share its memory, follow the run, and are read-only
    outside `Simulation.edit`.

    >>> import visviva
    >>> sim = visviva.Simulation(visviva.example("bouncing-ball"))
    >>> ball = sim["ball"]
    >>> ball.kind, ball.nodes, ball.position.shape
    ('rigid', 1, (1, 3))
    """

    def __init__(self, sim: "Simulation", index: int, writable: bool = False):
        model = sim._model.ptr
        self._sim, self.index, self._writable = sim, index, writable
        self.name: str = text(lib.vv_model_body_name(model, index))
        self.kind: str = text(lib.vv_model_body_kind(model, index))
        self._at = Slice()
        self.moves: bool = bool(lib.vv_model_slice(model, index, byref(self._at)))
        self._given: list[np.ndarray] = []

    def __repr__(self) -> str:
        return f"<body {self.name!r}: {self.kind}, {self.nodes} node{'' if self.nodes == 1 else 's'}>"

    @property
    def nodes(self) -> int:
        """How many nodes; 0 for an obstacle."""
        return int(self._at.nodes)

    def _view(self, which: str, first: int, components: int, start: int) -> np.ndarray:
        if not self.moves:
            return np.zeros((0, components))
        column = self._at.column
        out = np.ndarray((self.nodes, components), np.float64, self._sim._state.buffer(which), 8 * (start + first * column),
                         (8, 8 * column))
        if self._writable:
            self._given.append(out)
        else:
            out.flags.writeable = False
        return out

    @property
    def q(self) -> np.ndarray:
        """Configuration of the nodes, (nodes, components): see docs/c-api.md for what the columns are."""
        return self._view("q", 0, self._at.node_q, self._at.q0)

    @property
    def p(self) -> np.ndarray:
        """Momenta of the nodes, (nodes, components)."""
        return self._view("p", 0, self._at.node_p, self._at.p0)

    @property
    def position(self) -> np.ndarray:
        """Positions of the nodes, (nodes, 3): a view, except for bars, whose q is a displacement along a line."""
        if self.moves and self._at.node_q >= 3:
            return self._view("q", 0, 3, self._at.q0)
        return self.field("position")

    @property
    def momentum(self) -> np.ndarray:
        """Linear momenta, (nodes, 3): a view, except for bars."""
        if self.moves and self._at.node_p >= 3:
            return self._view("p", 0, 3, self._at.p0)
        return self.field("momentum")

    @property
    def angular_momentum(self) -> np.ndarray:
        """Angular momenta about the nodes, (nodes, 3), of beams and rigid bodies: a view."""
        if self._at.node_p < 6:
            raise AttributeError(f"nodes of a {self.kind} have no frame, hence no angular momentum of their own")
        return self._view("p", 3, 3, self._at.p0)

    @property
    def velocity(self) -> np.ndarray:
        """Velocities of the nodes, (nodes, 3): computed at each call.  The state holds momenta (what impacts exchange and the
        books add up), so `momentum` is the view; ``field("velocity", out)`` fills an array of yours."""
        return self.field("velocity")

    @property
    def fields(self) -> list[str]:
        """Names of what `field` computes."""
        model = self._sim._model.ptr
        return [text(lib.vv_model_field(model, self.index, i)) for i in range(lib.vv_model_fields(model, self.index))]

    def field(self, name: str, out: np.ndarray | None = None) -> np.ndarray:
        """A field of the present state, (nodes or elements, components) or (elements,) for scalars.

        `out`: an array of that shape to fill, for loops that want no allocation.
        """
        model, components = self._sim._model.ptr, c_int()
        count = lib.vv_model_field_size(model, self.index, name.encode(), byref(components))
        if count == 0 and name not in self.fields:
            raise KeyError(f"{self.name} has no field {name!r}; it has {', '.join(self.fields) or 'none'}")
        shape = (count, components.value) if components.value > 1 else (count,)
        if out is None:
            out = np.empty(shape)
        elif out.shape != shape or out.dtype != np.float64 or not out.flags.c_contiguous:
            raise ValueError(f"out: a contiguous array of doubles of shape {shape} is wanted")
        if count:
            check(self._sim._ctx, lib.vv_model_output(model, self._sim._state.ptr, self.index, name.encode(), out.ctypes.data))
        return out

    @property
    def elements(self) -> np.ndarray:
        """Nodes of each element, (elements, 2 or 3): lines of bars and beams, triangles of shells."""
        model, corners = self._sim._model.ptr, c_int()
        count = lib.vv_model_elements(model, self.index, byref(corners))
        out = np.empty((count, corners.value if count else 2), dtype=np.int64)
        if count:
            check(self._sim._ctx, lib.vv_model_connect(model, self.index, out.ctypes.data))
        return out

    # ---- acting: all of it is booked ----

    def _act(self, function: Any, node: int | None, a: Any, b: Any, what: str) -> None:
        x, y = _vector(a, what), _vector(b, what)
        with self._sim._alone():
            status = function(self._sim._ptr, self.index, -1 if node is None else node,
                              None if x is None else x.ctypes.data, None if y is None else y.ctypes.data)
            check(self._sim._ctx, status)

    def push(self, impulse: Any = None, moment: Any = None, node: int | None = None) -> None:
        """An impulse (N s), and a moment of impulse about the node, now.  `node` None: on every node."""
        self._act(lib.vv_sim_push, node, impulse, moment, "impulse")

    def set_velocity(self, velocity: Any = None, spin: Any = None, node: int | None = None) -> None:
        """Velocity and angular velocity, now; what that brings is booked as external work."""
        self._act(lib.vv_sim_set_velocity, node, velocity, spin, "velocity")

    def force(self, force: Any = None, moment: Any = None, node: int | None = None) -> None:
        """A force (N) from now on until it is set again; without arguments: no longer."""
        self._act(lib.vv_sim_force, node, force, moment, "force")

    def prescribe(self, velocity: Any = None, spin: Any = None, node: int | None = None) -> None:
        """Prescribed motion from now on until it is set again; without arguments: free again."""
        self._act(lib.vv_sim_prescribe, node, velocity, spin, "velocity")


class Device(NamedTuple):
    """An accelerator that OpenCL shows: its place in the list is its number."""

    name: str
    platform: str
    memory: int  #: bytes
    doubles: bool  #: double precision that rounds as the processor does: others cannot be used


def devices() -> list[Device]:
    """The accelerators of this machine, by number (docs/accelerators.md); empty where OpenCL shows none."""
    most = lib.vv_device_list(None, 0)
    found = (_library.Device * max(most, 1))()
    n = min(lib.vv_device_list(found, most), most)
    return [Device(text(d.name), text(d.platform), int(d.memory), bool(d.doubles)) for d in found[:n]]


class Simulation:
    """A scene that runs.

    `scene` is a dict, YAML text, or the path of a file; `change` replaces words of it (``{"time.step": 1e-3}``); `step` is
    another time step (negative: backwards); `threads` 0 takes as many as help, and results do not depend on it.
    `device` is ``"cpu"``, ``"auto"``, or an accelerator by its number in `devices()` or a part of its name: the results are
    the same, bit for bit, and what does not run there is refused.

    >>> import visviva
    >>> sim = visviva.Simulation({
    ...     "time": {"end": 1.0, "step": 1e-3},
    ...     "gravity": [0, 0, -9.81],
    ...     "bodies": {
    ...         "ball": {"kind": "rigid", "shape": {"ball": {"radius": 0.1}}, "mass": 1, "position": [0, 0, 1]},
    ...         "floor": {"kind": "obstacle", "shape": {"plane": {"normal": [0, 0, 1]}}}}})
    >>> sim.run().t
    1.0
    >>> abs(sim.ledger.closure) < 1e-12
    True
    """

    def __init__(self, scene: Any, *, threads: int = 0, step: float = 0.0, check_structure: bool = False,
                 change: Mapping[str, Any] | None = None, device: str = "cpu"):
        model = Model(scene, threads, change, device)
        start, model.start = model.start, None
        assert start is not None
        self._open(model, start, step, check_structure)

    def _open(self, model: Model, state: StateHandle, step: float, check_structure: bool) -> None:
        self._model, self._state = model, state
        self._definition = (step, check_structure)
        self._ctx = model.context.ptr
        self._handle = SimHandle(model, state, step, check_structure)
        self._ptr = self._handle.ptr
        self._head = state.head
        self._report = Report()
        self._report_ref = byref(self._report)
        self._lock = threading.Lock()
        self._kept: list[Any] = []  # callbacks that C holds
        self._raised: BaseException | None = None
        self._rows: _Rows | None = None
        self._events: _EventRows | None = None
        self._inside: int | None = None  # the thread whose callback is being called
        poll = PollFn(lambda user: False)  # Python looks for signals when it is called
        self._kept.append(poll)
        lib.vv_sim_poll(self._ptr, ctypes.cast(poll, c_void_p), None)

    def __repr__(self) -> str:
        return f"<visviva.Simulation {self.title!r}: t = {self.t:.6g} of {self.end:.6g}, {len(self.bodies)} bodies>"

    # ---- facts ----

    @property
    def t(self) -> float:
        """Time."""
        return float(self._head.t)

    @property
    def steps(self) -> int:
        """Steps done."""
        return int(self._head.step)

    @property
    def device(self) -> str | None:
        """The accelerator that takes the steps; None: the processor does."""
        name = lib.vv_sim_device(self._ptr)
        return None if name is None else text(name)

    @property
    def dt(self) -> float:
        """The time step."""
        return self._definition[0] or float(lib.vv_model_step(self._model.ptr))

    @property
    def end(self) -> float:
        """Where `run` ends: whole steps up to time.end of the scene."""
        return float(lib.vv_model_steps(self._model.ptr)) * float(lib.vv_model_step(self._model.ptr))

    @property
    def stable_step(self) -> float:
        """2/omega_max with every contact closed."""
        return float(lib.vv_model_stable_step(self._model.ptr))

    @property
    def step_reason(self) -> str:
        """Why `dt` is what it is, where the scene leaves it out; empty where it does not."""
        return text(lib.vv_model_step_reason(self._model.ptr))

    @property
    def title(self) -> str:
        return text(lib.vv_model_title(self._model.ptr))

    @property
    def energy_kind(self) -> str:
        """Which energy the method balances: nodal, slab, modified or director."""
        return text(lib.vv_sim_energy_kind(self._ptr))

    @property
    def hash(self) -> str:
        """Names the state: the same 16 digits as `state_hash` in summary.json."""
        return f"{lib.vv_state_hash(self._state.ptr):016x}"

    def word(self, path: str) -> str:
        """A word of the scene as understood, defaults filled in: ``sim.word("method.step")``."""
        out = ctypes.create_string_buffer(4096)
        if not lib.vv_model_word(self._model.ptr, path.encode(), out, len(out)):
            raise KeyError(path)
        return text(out.value)

    @property
    def bodies(self) -> dict[str, Body]:
        """All bodies by name, in the order of the scene."""
        found = [Body(self, i) for i in range(lib.vv_model_bodies(self._model.ptr))]
        return {body.name: body for body in found}

    def __getitem__(self, name: str) -> Body:
        index = lib.vv_model_body(self._model.ptr, name.encode())
        if index < 0:
            raise KeyError(f"there is no body {name!r}; the scene has {', '.join(self.bodies)}")
        return Body(self, index)

    @property
    def q(self) -> np.ndarray:
        """The whole configuration as the library holds it, a read-only view."""
        out = self._state.array("q")
        out.flags.writeable = False
        return out

    @property
    def p(self) -> np.ndarray:
        """All momenta as the library holds them, a read-only view."""
        out = self._state.array("p")
        out.flags.writeable = False
        return out

    @property
    def ledger(self) -> Ledger:
        """The books at this moment: ``sim.ledger.kinetic``, ``sim.ledger["closure"]``."""
        row = np.empty(len(ledger_names()))
        with self._alone():
            lib.vv_ledger_row(lib.vv_sim_ledger(self._ptr), row.size, row.ctypes.data)
        return Ledger(row)

    @property
    def claims(self) -> list[Claim]:
        """What the method promises for this scene, judged at the last step done."""
        with self._alone():
            lib.vv_sim_ledger(self._ptr)
            first = ctypes.POINTER(_library.Claim)()
            count = lib.vv_sim_claims(self._ptr, byref(first))
            return [Claim(text(c.name), text(c.nature), c.bound, c.worst, c.when, c.kept) for c in first[:count]]

    @property
    def structure(self) -> dict[str, Any] | None:
        """What the structure checks found so far; None where they were not asked for."""
        out = _library.Structure()
        if not lib.vv_sim_structure(self._ptr, byref(out)):
            return None
        return {name: getattr(out, name) for name, _ in out._fields_}

    # ---- going on ----

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """One thread at a time; a controller acts from inside the call that runs it."""
        if self._inside == threading.get_ident():
            yield
            return
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("this simulation is running in another thread; give each thread one of its own (clone)")
        try:
            yield
        finally:
            self._lock.release()

    def _outside(self, what: str) -> None:
        if self._inside == threading.get_ident():
            raise RuntimeError(f"{what} cannot be called from a controller or observer of the same simulation; clone it there")

    def step(self, n: int = 1) -> "Simulation":
        """Takes n steps.  Ctrl-C stops after the current step.  Other Python threads run meanwhile."""
        if n == 1 and self._rows is None:
            if not self._lock.acquire(False):
                raise RuntimeError("this simulation is running already; give each thread one of its own (clone)")
            try:
                status = _steps(self._ptr, 1, self._report_ref)
            finally:
                self._lock.release()
            if status or self._report.reason:
                self._finish(status)
            return self
        if n < 0:
            raise ValueError("a number of steps is not negative; a negative `step` goes back in time")
        return self._advance(n)

    def until(self, t: float) -> "Simulation":
        """Goes on to the first whole step that is not before time t."""
        return self._advance(None, t)

    def _advance(self, n: int | None, t: float = 0.0) -> "Simulation":
        self._outside("step, until and run")
        if n is None:
            count = abs(t / self.dt - self.steps) + 1
            if not count < 9e15:
                raise ArgumentError(_library.ARG, [f"until: {t} is no time to reach"])
        else:
            count = n
        with self._alone():
            self._make_room(int(count))
            with self._ctrl_c() as caught:
                status = _steps(self._ptr, n, self._report_ref) if n is not None else \
                    lib.vv_sim_until(self._ptr, t, self._report_ref)
            self._note_missed()
        if caught and not self._raised:
            self._raised = KeyboardInterrupt()
        self._finish(status)
        return self

    @contextmanager
    def _ctrl_c(self) -> Iterator[list[int]]:
        """While C runs, Ctrl-C asks it to stop; the exception comes when it has."""
        caught: list[int] = []
        if threading.current_thread() is not threading.main_thread() or \
                signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield caught
            return
        ptr = self._ptr

        def handler(number: int, frame: Any) -> None:
            caught.append(number)
            _interrupt(ptr)

        old = signal.signal(signal.SIGINT, handler)
        try:
            yield caught
        finally:
            signal.signal(signal.SIGINT, old)

    def _finish(self, status: int) -> None:
        raised, self._raised = self._raised, None
        if raised is not None:
            take_messages(self._ctx)
            raise raised
        check(self._ctx, status)
        reason = self._report.reason
        if reason == _library.INTERRUPTED:
            raise Stopped("interrupted", f"at step {self.steps}, t = {self.t:.6g}; step, until or run go on from here")
        if reason not in (_library.DONE, _library.BY_THE_SCENE):  # `stop` of the scene is an end like time.end
            raise Stopped(text(lib.vv_reason_text(reason)), text(self._report.message))

    def interrupt(self) -> None:
        """Stops a run after its current step; from another thread or a callback.  The run raises `Stopped`."""
        _interrupt(self._ptr)

    def run(self, folder: str | os.PathLike[str] | None = None, *, overwrite: bool = False,
            resume: bool = False) -> "Simulation":
        """Runs to the end of the scene.  With a folder, writes there what `visviva run` writes: ledger.csv, events.csv,
        results.h5, ParaView files, summary.json, checkpoints.  `resume` goes on from the checkpoint of that folder.

        Without a folder, and unless `record` was called, about a thousand rows of the ledger are kept: see `history`.
        """
        left = max(0, int(lib.vv_model_steps(self._model.ptr)) - self.steps)
        if folder is None:
            if self._rows is None and left:
                self.record(max(1, left // 1000))
            return self._advance(left)
        with files:
            return self._run_to_folder(os.fsencode(folder), overwrite, resume)

    def _run_to_folder(self, folder: bytes, overwrite: bool, resume: bool) -> "Simulation":
        ctx = self._ctx
        if resume:
            self._load(lib.vv_checkpoint_read, folder)
        definition = lib.vv_results_default()
        definition.folder, definition.resume, definition.overwrite = folder, resume, overwrite
        results = c_void_p()
        check(ctx, lib.vv_results_create(self._model.ptr, byref(definition), byref(results)))
        warn(ctx)
        try:
            check(ctx, lib.vv_sim_observe_when(self._ptr, _library.RESULTS_NEXT, _library.RESULTS_OBSERVE, results))
            try:
                left = max(0, int(lib.vv_model_steps(self._model.ptr)) - self.steps)
                self._advance(left)
            finally:
                lib.vv_sim_dismiss(self._ptr, results)
                written = lib.vv_results_summary(results, self._ptr, self._report_ref)
        finally:
            closed = lib.vv_results_close(results)
        check(ctx, written)
        check(ctx, closed)
        return self

    # ---- memory: rows of the ledger, events ----

    def record(self, every: int = 1) -> "Simulation":
        """Keeps a row of the ledger every so many steps, and all events, in memory: `history`, `events`."""
        self._outside("record")
        if every < 1:
            raise ValueError("record: every is at least 1")
        with self._alone():
            if self._rows is not None:
                lib.vv_sim_dismiss(self._ptr, byref(self._rows.c))
            self._rows = _Rows(every)
            check(self._ctx, lib.vv_sim_observe(self._ptr, every, _library.ROWS_OBSERVE, byref(self._rows.c)))
            if self._events is None:
                self._events = _EventRows()
                check(self._ctx, lib.vv_sim_observe(self._ptr, 0, _library.EVENTS_OBSERVE, byref(self._events.c)))
        return self

    def _make_room(self, steps: int) -> None:
        if self._rows is not None and self._events is not None:
            self._rows.reserve(steps // self._rows.every + 3)
            self._events.reserve(_FRESH_EVENTS if steps > 1 else 1024)

    def _note_missed(self) -> None:
        if self._rows is not None and self._events is not None and self._events.c.missed:
            warnings.warn(f"{self._events.c.missed} events were not kept: more than {_FRESH_EVENTS} in one call", stacklevel=4)
            self._events.c.missed = 0

    @property
    def history(self) -> Columns:
        """The rows kept by `record` or `run`: ``sim.history.time``, ``sim.history["total"]``, views without copies."""
        if self._rows is None:
            raise Error(_library.ARG, ["nothing was recorded: call sim.record(every) first, or sim.run()"])
        return Columns(self._rows.array(), ["step", "time"] + ledger_names())

    @property
    def events(self) -> Events:
        """The events kept by `record` or `run`: ``sim.events.time``, ``sim.events["normal_impulse"]``."""
        if self._events is None:
            raise Error(_library.ARG, ["nothing was recorded: call sim.record(every) first, or sim.run()"])
        return Events(self._events.array(), self._model)

    # ---- callbacks ----

    def observe(self, every: int = 1) -> Callable[[Callable[["Simulation"], Any]], Callable[["Simulation"], Any]]:
        """Decorator: calls the function with the simulation after every so many steps.  An exception stops the run and
        comes out of the call that ran it."""
        def register(function: Callable[["Simulation"], Any]) -> Callable[["Simulation"], Any]:
            callback = ObserveFn(self._guard(lambda view, user: function(self)))
            self._kept.append(callback)
            with self._alone():
                check(self._ctx, lib.vv_sim_observe(self._ptr, every, ctypes.cast(callback, c_void_p), None))
            return function
        return register

    def control(self, every: int = 1) -> Callable[[Callable[["Simulation"], Any]], Callable[["Simulation"], Any]]:
        """Decorator: calls the function before every so many steps; it may push bodies, set velocities and forces, prescribe
        motion.  All of it is booked as external work.

        >>> import visviva
        >>> sim = visviva.Simulation(visviva.example("bouncing-ball"))
        >>> @sim.control()
        ... def fan(sim):
        ...     sim["ball"].force([0.01, 0, 0])
        >>> sim.step(100).ledger.external_work > 0
        True
        """
        def register(function: Callable[["Simulation"], Any]) -> Callable[["Simulation"], Any]:
            callback = ControlFn(self._guard(lambda sim, user: function(self)))
            self._kept.append(callback)
            with self._alone():
                check(self._ctx, lib.vv_sim_control(self._ptr, every, ctypes.cast(callback, c_void_p), None))
            return function
        return register

    def _guard(self, call: Callable[[Any, Any], Any]) -> Callable[[Any, Any], int]:
        def guarded(a: Any, b: Any) -> int:
            self._inside = threading.get_ident()
            try:
                call(a, b)
                return _library.OK
            except BaseException as trouble:  # C cannot hand it on: kept until the call is back
                self._raised = trouble
                return _library.STOPPED
            finally:
                self._inside = None
        return guarded

    # ---- writing the state ----

    @contextmanager
    def edit(self) -> Iterator["Edit"]:
        """Bodies whose arrays can be written; the engine is told, and what the change brings or takes is booked.

        >>> import visviva
        >>> sim = visviva.Simulation(visviva.example("bouncing-ball")).step(10)
        >>> with sim.edit() as state:
        ...     state["ball"].position[:, 2] += 0.5
        >>> sim.ledger.external_work > 0
        True
        """
        with self._alone():
            check(self._ctx, lib.vv_sim_edit(self._ptr, None))
        edit = Edit(self)
        try:
            yield edit
        finally:
            edit.lock()
            with self._alone():
                lib.vv_sim_ledger(self._ptr)  # books it

    # ---- saving, restoring, cloning ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """State and books in one file.  Forces and prescribed motions that last, and callbacks, are the caller's: set them
        again after `restore`."""
        with files, self._alone():
            check(self._ctx, lib.vv_checkpoint_save(self._ptr, os.fsencode(path)))

    def restore(self, path: str | os.PathLike[str]) -> "Simulation":
        """Goes back (or forth) to what was saved from the same scene; the run then goes on to the same bits."""
        with files:
            self._load(lib.vv_checkpoint_load, os.fsencode(path))
        return self

    def _load(self, read: Any, path: bytes) -> None:
        self._outside("restore")
        ledger = c_void_p()
        with self._alone():
            check(self._ctx, lib.vv_ledger_create(byref(ledger)))
            spare = self._state.clone()  # a file that turns out to be damaged changes nothing
            try:
                check(self._ctx, read(self._model.ptr, path, spare.ptr, ledger))
                check(self._ctx, lib.vv_state_copy(self._state.ptr, spare.ptr))
                check(self._ctx, lib.vv_sim_restore(self._ptr, ledger))
            finally:
                lib.vv_ledger_destroy(ledger)

    def clone(self) -> "Simulation":
        """A second simulation of the same scene, in the same state, with the same books; callbacks, forces and prescribed
        motions that last, and what was recorded are not taken along.  The two share the compiled scene, which nothing changes, and may run in two threads."""
        ledger = c_void_p()
        twin = Simulation.__new__(Simulation)
        with self._alone():
            twin._open(self._model, self._state.clone(), *self._definition)
            check(self._ctx, lib.vv_ledger_create(byref(ledger)))
            try:
                source = lib.vv_sim_ledger(self._ptr)
                if self.steps or lib.vv_sim_claims(self._ptr, byref(c_void_p())):  # its books are open
                    check(self._ctx, lib.vv_ledger_copy(ledger, source))
                    check(twin._ctx, lib.vv_sim_restore(twin._ptr, ledger))
            finally:
                lib.vv_ledger_destroy(ledger)
        return twin

    # ---- looking ----

    def summary(self) -> str:
        """A few lines: energies, errors, claims."""
        book = self.ledger
        lines = [f"{self.title or 'untitled'}: t = {self.t:.6g}, {self.steps} steps, {book.impacts:.0f} impacts",
                 f"  energy {book.initial_total:.9g} -> {book.total:.9g}, external work {book.external_work:.6g}, "
                 f"losses {book.losses:.6g}, not explained {book.max_closure:.1e}"]
        lines += [f"  {c.name:<18} {'kept' if c.kept else 'BROKEN':<7} worst {c.worst:.1e}, bound {c.bound:.1e} ({c.nature})"
                  for c in self.claims]
        return "\n".join(lines)


class Edit:
    """Bodies that can be written, inside `with sim.edit()`."""

    def __init__(self, sim: Simulation):
        self._sim, self._bodies = sim, []  # type: ignore[var-annotated]

    def __getitem__(self, name: str) -> Body:
        body = Body(self._sim, self._sim[name].index, writable=True)
        self._bodies.append(body)
        return body

    def lock(self) -> None:
        for body in self._bodies:
            body._writable = False
            for array in body._given:
                array.flags.writeable = False


class _Rows:
    """Memory for rows of the ledger, that C fills.  It grows between calls; views of the old memory stay what they were."""

    def __init__(self, every: int):
        self.every = every
        self.c = _library.Rows(columns=2 + len(ledger_names()))
        self.memory = np.empty((0, self.c.columns))

    def reserve(self, more: int) -> None:
        if self.c.n + more > self.memory.shape[0]:
            room = np.empty((max(self.c.n + more, 2 * self.memory.shape[0]), self.c.columns))
            room[:self.c.n] = self.memory[:self.c.n]
            self.memory = room
            self.c.row, self.c.capacity = room.ctypes.data, room.shape[0]

    def array(self) -> np.ndarray:
        return self.memory[:self.c.n]


class _EventRows:
    def __init__(self) -> None:
        self.c = _library.Events()
        self.memory = np.empty(0, dtype=_library.EVENT)

    def reserve(self, more: int) -> None:
        if self.c.n + more > self.memory.shape[0]:
            room = np.empty(max(self.c.n + more, 2 * self.c.n), dtype=_library.EVENT)
            room[:self.c.n] = self.memory[:self.c.n]
            self.memory = room
            self.c.event, self.c.capacity = room.ctypes.data, room.shape[0]

    def array(self) -> np.ndarray:
        return self.memory[:self.c.n]
