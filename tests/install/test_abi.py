#!/usr/bin/env python3
"""The shared library shows the functions that the public headers declare and nothing else, all with one version; the structs
that callers allocate have the layout that python/visviva declares.  A function that goes, or a struct that changes, is a new
soname: cmake/visviva.abi is the list of what is promised, and the test says what to do."""
import os
import pathlib
import re
import subprocess
import sys

source, build = pathlib.Path(os.environ["VISVIVA_SOURCE"]), pathlib.Path(os.environ["VISVIVA_BUILD"])
library = build / "libvisviva.so"
if not library.exists():
    print("no shared library in this build: skipped")
    sys.exit(77)
failed = []


def expect(what, good):
    print(("ok   " if good else "FAIL ") + what)
    if not good:
        failed.append(what)


declared = set()
for header in sorted((source / "include/visviva").glob("*.h")):
    text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
    for piece in re.findall(r"VV_API\b([^;{]*);", text):
        names = re.findall(r"\b(vv_[a-z0-9_A-Z]+)\s*\(", piece)
        declared.add(names[0])
shown = {}
for line in subprocess.run(["nm", "-D", "--defined-only", str(library)], check=True, capture_output=True, text=True).stdout.splitlines():
    name, _, version = line.split()[-1].partition("@@")
    if line.split()[-2] != "A":
        shown[name] = version
expect("every function of the headers is shown: " + (" ".join(sorted(declared - set(shown))) or "all"), declared <= set(shown))
expect("nothing else is shown: " + (" ".join(sorted(set(shown) - declared)) or "nothing"), set(shown) <= declared)
expect("every symbol has a version", all(v.startswith("VISVIVA_0.") for v in shown.values()))

soname = subprocess.run(["readelf", "-d", str(library)], check=True, capture_output=True, text=True).stdout
expect("soname libvisviva.so.0", "libvisviva.so.0]" in soname)

# Sizes of what callers allocate, from the compiler that built the library.
structs = ["vv_ctx_def", "vv_device", "vv_state", "vv_slice", "vv_event", "vv_report", "vv_claim", "vv_view", "vv_sim_def", "vv_structure",
           "vv_rows", "vv_events", "vv_results_def", "vv_comparison", "vv_study_row", "vv_study", "vv_sweep_count"]
program = "#include <stdio.h>\n#include <visviva/visviva.h>\nint main(void) {\n"
program += "".join(f'  printf("struct {s} %zu\\n", sizeof({s}));\n' for s in structs) + "  return 0;\n}\n"
pathlib.Path("sizes.c").write_text(program)
subprocess.run([os.environ.get("CC", "cc"), f"-I{source}/include", "sizes.c", "-o", "sizes"], check=True)
sizes = subprocess.run(["./sizes"], check=True, capture_output=True, text=True).stdout.splitlines()
now = sizes + sorted("function " + name for name in declared)
promise = source / "cmake/visviva.abi"
if os.environ.get("VISVIVA_WRITE_ABI"):
    promise.write_text("# What libvisviva.so.0 promises; tests/install/test_abi.py compares.  New lines may come; a line that goes or changes\n"
                       "# wants a new soname (VERSION and SOVERSION in CMakeLists.txt).  VISVIVA_WRITE_ABI=1 writes it.\n" + "\n".join(now) + "\n")
promised = [line for line in promise.read_text().splitlines() if line and not line.startswith("#")]
gone = [line for line in promised if line not in now]
added = [line for line in now if line not in promised]
expect("nothing that was promised has gone or changed: " + ("; ".join(gone) or "nothing"), not gone)
expect("what is new is in cmake/visviva.abi (VISVIVA_WRITE_ABI=1 adds it): " + ("; ".join(added) or "all"), not added)
sys.exit(1 if failed else 0)
