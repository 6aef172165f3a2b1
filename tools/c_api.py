#!/usr/bin/env python3
"""Writes docs/c-api.md from the public headers (make docs); --check says whether it is up to date."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/c-api.md"
HEADERS = ["base", "model", "ledger", "sim", "results", "sweep"]

HEAD = """\
<!-- made by tools/c_api.py from include/visviva (make docs) -->
# The C library

```sh
cc prog.c $(pkg-config --cflags --libs visviva) -lm          # shared; add --static for the static library
```

or `find_package(visviva 0.1 REQUIRED)` and `target_link_libraries(prog PRIVATE visviva::visviva)` in CMake; `visviva::static` and `visviva::shared` name one of the two.
Two whole programs, compiled and run by the tests: [examples/c/first_impact.c](../examples/c/first_impact.c) reads a scene, runs it and asks the ledger; [examples/c/paddle.c](../examples/c/paddle.c) is a controller whose work is booked.
Python stands on the same functions ([python.md](python.md)).

## Who owns what

| handed out by | given back with | needs, as long as it lives |
|---|---|---|
| `vv_ctx_create` | `vv_ctx_destroy` | a catalog of the caller's own, if there is one |
| `vv_spec_create`, `vv_scene_read`, `vv_scene_parse` | `vv_spec_destroy` | its context |
| `vv_compile` (model) | `vv_model_destroy` | its context; the spec may go |
| `vv_compile` (initial state), `vv_state_clone` | `vv_state_destroy` | nothing |
| `vv_ledger_create` | `vv_ledger_destroy` | nothing |
| `vv_sim_create` | `vv_sim_destroy` | its model and its state |
| `vv_results_create` | `vv_results_close` | its model; dismiss it from the simulation (`vv_sim_dismiss`) before |
| `vv_frames_open` | `vv_frames_close` | its context |
| `vv_sweep_open` | `vv_sweep_close` | its context |

Every `destroy` and `close` takes NULL.
Pointers that functions return (`const char *`, `const vv_ledger *`, `const vv_claim *`, names inside a `vv_event`) belong to the object asked and live as long as it does; messages of a context live until they are cleared.
What a function gets it copies, except `vv_sim_create`, which borrows model and state, and callbacks, whose `user` is handed back as it is.

## What allocates

Creating, reading, compiling, opening and saving allocate.
Steps do not: after the first one a simulation allocates nothing, through impacts too.
`vv_sim_set_velocity`, `vv_sim_prescribe`, and `vv_sim_push` and `vv_sim_force` on bars take scratch memory at their first call for the largest body kind; `vv_sim_force` and `vv_sim_prescribe` keep an entry for each body and node they act on.
`vv_model_output` takes scratch where several bodies share a kind.
Only messages allocate on the way to an error.

## Trouble

A status other than `VV_OK` is the caller's mistake, and the context has messages that name the place and the remedy; `vv_ctx_report(ctx, stderr)` prints and clears them.
When nature stops a run, the call returns `VV_OK` and the report has the reason.
Structs that end in `_def` come from their `_default()` function, which sets `cookie`: a struct that was not made by it is refused, so that fields may be added at the end.

## Threads

A context, and what hangs on it, belongs to one thread at a time; different contexts do not know each other.
Simulations of one model may run in different threads.
HDF5 is not thread-safe as distributions build it: only one thread at a time may write results, save or open frames.

## The ABI

`libvisviva.so.0` shows the functions below and those of `ext.h` and `fields.h`, nothing else, each with a version (`VISVIVA_0.1`).
`cmake/visviva.abi` lists functions and sizes of structs; a test compares.
The ledger is opaque: its fields are read by column.
`ext.h`, `fields.h` and `book.h`, for new body kinds and steppers, are no part of the promise.
"""


def clean(text):
    """A header without its guards: the text in front, and the declarations."""
    intro = re.match(r"/\*(.*?)\*/", text, re.S)
    words = " ".join(line.strip(" *") for line in intro.group(1).splitlines())
    words = re.sub(r"^visviva/\S+\s+tier: use\.\s*", "", words.strip())
    body = text[intro.end():]
    body = re.sub(r"#ifdef __cplusplus.*?#endif\n", "", body, flags=re.S)
    body = re.sub(r"#if defined\(__GNUC__\).*?#endif\n", "", body, flags=re.S)
    body = re.sub(r"^#(pragma once|include.*)\n", "", body, flags=re.M)
    body = body.replace("VV_API ", "").replace("VV_NODISCARD ", "")
    return words, re.sub(r"\n{3,}", "\n\n", body).strip()


def page():
    parts = [HEAD]
    for name in HEADERS:
        words, body = clean((ROOT / f"include/visviva/{name}.h").read_text())
        words = re.sub(r"\s+", " ", words.split(" Audited:")[0].split(" Three kinds")[0])
        parts.append(f"\n## {name}.h\n\n{words}\n\n```c\n{body}\n```\n")
    return "".join(parts)


if __name__ == "__main__":
    text = page()
    if "--check" in sys.argv:
        if PAGE.read_text() != text:
            sys.exit("docs/c-api.md is not what the headers say: make docs")
        functions = len(re.findall(r"\bvv_\w+\(", text))
        print(f"docs/c-api.md: up to date, {functions} functions named")
    else:
        PAGE.write_text(text)
