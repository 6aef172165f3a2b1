"""libvisviva as ctypes sees it: where it is, its structs, its functions.  The C headers are the truth; a test compares sizes."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
import sys
from ctypes import CFUNCTYPE, POINTER, c_bool, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Iterator

HERE = pathlib.Path(__file__).resolve().parent
NAME = "libvisviva.dylib" if sys.platform == "darwin" else "libvisviva.so"


def _source_tree() -> pathlib.Path | None:
    """The clone this module lies in, if it lies in one."""
    root = HERE.parent.parent
    return root if (root / "include/visviva/visviva.h").exists() else None


def _places() -> Iterator[str]:
    if os.environ.get("VISVIVA_LIBRARY"):
        yield os.environ["VISVIVA_LIBRARY"]  # nothing else will do
        return
    for name in (NAME + ".0", NAME):
        if (HERE / name).exists():
            yield str(HERE / name)
    root = _source_tree()
    if root is not None:
        for build in ("release", "dev"):
            if (root / "build" / build / NAME).exists():
                yield str(root / "build" / build / NAME)
    yield "libvisviva.so.0" if NAME.endswith(".so") else NAME
    found = ctypes.util.find_library("visviva")
    if found:
        yield found


def _load() -> ctypes.CDLL:
    tried = []
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as trouble:
            tried.append(str(trouble))
    raise ImportError("visviva: the library is not here; `make python` in the source tree builds it, `pip install .` too, or "
                      "name it with VISVIVA_LIBRARY.\n  " + "\n  ".join(tried))


lib = _load()


# ---- structs: the order and types of include/visviva ----

class CtxDef(ctypes.Structure):
    _fields_ = [("catalog", c_void_p), ("threads", c_int), ("cookie", c_int), ("device", c_char_p)]


class Device(ctypes.Structure):
    _fields_ = [("name", c_char * 128), ("platform", c_char * 64), ("driver", c_char * 64), ("memory", c_int64), ("units", c_int32),
                ("accelerator", c_bool), ("doubles", c_bool)]


class State(ctypes.Structure):
    _fields_ = [("nq", c_int64), ("np", c_int64), ("nh", c_int64), ("step", c_int64), ("t", c_double), ("q", c_void_p),
                ("p", c_void_p), ("memory", c_void_p)]


class Slice(ctypes.Structure):
    _fields_ = [("q0", c_int64), ("p0", c_int64), ("column", c_int64), ("nodes", c_int64), ("node_q", c_int32),
                ("node_p", c_int32)]


class Report(ctypes.Structure):
    _fields_ = [("reason", c_int), ("steps", c_int64), ("shared_steps", c_int64), ("events", c_int64),
                ("wall_seconds", c_double), ("message", c_char * 256), ("step_seconds", c_double)]


class Claim(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("nature", c_char_p), ("bound", c_double), ("worst", c_double), ("when", c_double),
                ("kept", c_bool)]


class View(ctypes.Structure):
    _fields_ = [("model", c_void_p), ("state", c_void_p), ("ledger", c_void_p), ("event", c_void_p), ("n_event", c_int64),
                ("first", c_bool), ("last", c_bool), ("hopeless", c_bool), ("episode", c_void_p), ("n_episode", c_int64),
                ("sample", c_void_p), ("key", c_void_p), ("n_key", c_int64)]


class SimDef(ctypes.Structure):
    _fields_ = [("step", c_double), ("check_structure", c_bool), ("cookie", c_int)]


class Structure(ctypes.Structure):
    _fields_ = [("symplectic", c_double), ("multisymplectic", c_double), ("noether", c_double),
                ("configurational", c_double), ("local_energy", c_double), ("sub_domains", c_bool), ("ended", c_bool),
                ("ended_at", c_double)]


class Rows(ctypes.Structure):
    _fields_ = [("row", c_void_p), ("capacity", c_int64), ("n", c_int64), ("missed", c_int64), ("columns", c_int32)]


class Events(ctypes.Structure):
    _fields_ = [("event", c_void_p), ("capacity", c_int64), ("n", c_int64), ("missed", c_int64)]


class ResultsDef(ctypes.Structure):
    _fields_ = [("folder", c_char_p), ("resume", c_bool), ("overwrite", c_bool), ("cookie", c_int)]


class Comparison(ctypes.Structure):
    _fields_ = [("difference", c_double), ("ledger", c_double), ("positions", c_double), ("events", c_double),
                ("rows", c_int64), ("frames", c_int64), ("rows_a", c_int64), ("rows_b", c_int64), ("frames_a", c_int64),
                ("frames_b", c_int64), ("events_a", c_int64), ("events_b", c_int64), ("where", c_char * 160)]


#: struct in C -> its picture here
STRUCTS = {"vv_ctx_def": CtxDef, "vv_device": Device, "vv_state": State, "vv_slice": Slice, "vv_report": Report, "vv_claim": Claim, "vv_view": View,
           "vv_sim_def": SimDef, "vv_structure": Structure, "vv_rows": Rows, "vv_events": Events, "vv_results_def": ResultsDef,
           "vv_comparison": Comparison}

#: dtype of struct vv_event; names are addresses of C strings that live as long as the model
EVENT = [("time", "f8"), ("body_a", "u8"), ("feature_a", "u8"), ("body_b", "u8"), ("feature_b", "u8"), ("kind", "u8"),
         ("x", "f8", 3), ("n", "f8", 3), ("normal_speed", "f8"), ("normal_impulse", "f8"), ("tangential_impulse", "f8"),
         ("energy_jump", "f8"), ("residual", "f8"), ("node_a", "i8"), ("node_b", "i8"), ("pose_a", "f8", 7), ("pose_b", "f8", 7)]

ObserveFn = CFUNCTYPE(c_int, POINTER(View), c_void_p)
NextFn = CFUNCTYPE(c_int64, c_int64, c_void_p)
ControlFn = CFUNCTYPE(c_int, c_void_p, c_void_p)
PollFn = CFUNCTYPE(c_bool, c_void_p)

_P, _S, _I, _L, _D, _B = c_void_p, c_char_p, c_int, c_int64, c_double, c_bool
_FUNCTIONS = {
    # base
    "vv_version": (_S, []), "vv_status_text": (_S, [_I]), "vv_ctx_default": (CtxDef, []),
    "vv_ctx_create": (_I, [_P, _P]), "vv_ctx_destroy": (None, [_P]), "vv_ctx_threads": (_I, [_P]),
    "vv_device_list": (_I, [_P, _I]),
    "vv_ctx_message_count": (_I, [_P]), "vv_ctx_message": (_S, [_P, _I]), "vv_ctx_messages_clear": (None, [_P]),
    # scenes and models
    "vv_scene_read": (_I, [_P, _S, _P]), "vv_scene_parse": (_I, [_P, _S, _S, c_size_t, _P]),
    "vv_scene_write": (_I, [_P, _S]), "vv_spec_set": (_I, [_P, _S, _S]), "vv_spec_set_numbers": (_I, [_P, _S, _I, _P]),
    "vv_spec_destroy": (None, [_P]), "vv_compile": (_I, [_P, _P, _P, _P]), "vv_model_destroy": (None, [_P]),
    "vv_state_clone": (_I, [_P, _P]), "vv_state_destroy": (None, [_P]), "vv_state_copy": (_I, [_P, _P]),
    "vv_state_hash": (c_uint64, [_P]), "vv_model_stable_step": (_D, [_P]), "vv_model_step_reason": (_S, [_P]), "vv_model_step": (_D, [_P]),
    "vv_model_steps": (_L, [_P]), "vv_model_nodes": (_L, [_P]), "vv_model_bodies": (_I, [_P]),
    "vv_model_body": (_I, [_P, _S]), "vv_model_body_name": (_S, [_P, _I]), "vv_model_body_kind": (_S, [_P, _I]),
    "vv_model_word": (_B, [_P, _S, _P, c_size_t]), "vv_model_fields": (_I, [_P, _I]), "vv_model_field": (_S, [_P, _I, _I]),
    "vv_model_field_size": (_L, [_P, _I, _S, _P]), "vv_model_output": (_I, [_P, _P, _I, _S, _P]),
    "vv_model_title": (_S, [_P]), "vv_model_slice": (_B, [_P, _I, _P]), "vv_model_elements": (_L, [_P, _I, _P]),
    "vv_model_connect": (_I, [_P, _I, _P]),
    # ledger
    "vv_ledger_columns": (_I, []), "vv_ledger_name": (_S, [_I]), "vv_ledger_unit": (_S, [_I]),
    "vv_ledger_row": (None, [_P, _I, _P]), "vv_ledger_create": (_I, [_P]), "vv_ledger_destroy": (None, [_P]),
    "vv_ledger_copy": (_I, [_P, _P]),
    # simulations
    "vv_sim_device": (_S, [_P]), "vv_sim_default": (SimDef, []), "vv_sim_create": (_I, [_P, _P, _P, _P]), "vv_sim_destroy": (None, [_P]),
    "vv_sim_observe": (_I, [_P, _L, _P, _P]), "vv_sim_observe_when": (_I, [_P, _P, _P, _P]),
    "vv_sim_control": (_I, [_P, _L, _P, _P]), "vv_sim_dismiss": (None, [_P, _P]), "vv_sim_steps": (_I, [_P, _L, _P]),
    "vv_sim_until": (_I, [_P, _D, _P]), "vv_sim_interrupt": (None, [_P]), "vv_sim_poll": (None, [_P, _P, _P]),
    "vv_sim_push": (_I, [_P, _I, _L, _P, _P]), "vv_sim_set_velocity": (_I, [_P, _I, _L, _P, _P]),
    "vv_sim_force": (_I, [_P, _I, _L, _P, _P]), "vv_sim_prescribe": (_I, [_P, _I, _L, _P, _P]),
    "vv_sim_edit": (_I, [_P, _P]), "vv_sim_ledger": (_P, [_P]), "vv_sim_energy_kind": (_S, [_P]),
    "vv_sim_claims": (_I, [_P, _P]), "vv_sim_structure": (_B, [_P, _P]), "vv_sim_restore": (_I, [_P, _P]),
    "vv_reason_text": (_S, [_I]),
    # results
    "vv_results_default": (ResultsDef, []), "vv_results_create": (_I, [_P, _P, _P]),
    "vv_results_summary": (_I, [_P, _P, _P]), "vv_results_close": (_I, [_P]),
    "vv_checkpoint_save": (_I, [_P, _S]), "vv_checkpoint_load": (_I, [_P, _S, _P, _P]),
    "vv_checkpoint_read": (_I, [_P, _S, _P, _P]), "vv_compare": (_I, [_P, _S, _S, _P]),
    "vv_picture_write": (_I, [_P, _S, _S]), "vv_page_write": (_I, [_P, _I, _P, _S, _L, _S]),
    "vv_frames_open": (_I, [_P, _S, _P]), "vv_frames_close": (None, [_P]), "vv_frames_count": (_L, [_P]),
    "vv_frames_time": (_P, [_P]), "vv_frames_step": (_P, [_P]), "vv_frames_bodies": (_I, [_P]),
    "vv_frames_body": (_S, [_P, _I]), "vv_frames_size": (_L, [_P, _I, _S, _P]),
    "vv_frames_read": (_I, [_P, _I, _S, _L, _L, _P]), "vv_frames_fields": (c_size_t, [_P, _I, _P, c_size_t]),
    "vv_frames_table": (_L, [_P, _I, _S, _P, _P]),
}
for _name, (_result, _arguments) in _FUNCTIONS.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments

#: addresses of the observers that live in C
ROWS_OBSERVE = ctypes.cast(lib.vv_rows_observe, c_void_p)
EVENTS_OBSERVE = ctypes.cast(lib.vv_events_observe, c_void_p)
RESULTS_OBSERVE = ctypes.cast(lib.vv_results_observe, c_void_p)
RESULTS_NEXT = ctypes.cast(lib.vv_results_next, c_void_p)

OK, ARG, SCENE, NOMEM, IO, UNSUPPORTED, STOPPED, INTERNAL = range(8)
DONE, INTERRUPTED, BY_THE_SCENE = 0, 1, 8  # vv_reason


def text(value: bytes | None) -> str:
    return value.decode(errors="replace") if value else ""


def shared(name: str) -> pathlib.Path | None:
    """A file that comes with the package (examples, report-template.html): beside it, in the clone, or installed."""
    root = _source_tree()
    places = [HERE / "share/visviva" / name]
    if root is not None:
        places += [root / name, root / "build/release" / name, root / "build/dev" / name]
    places += [pathlib.Path(prefix) / "share/visviva" / name for prefix in (sys.prefix, "/usr/local", "/usr")]
    return next((place for place in places if place.exists()), None)
