"""visviva picture --field: values that are known have their colours and labels; mistakes are told."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.dom.minidom

VISVIVA = os.environ["VISVIVA"]
SCALE = 64  # colours of the legend
failed = []
SCENE = """visviva: 1
time: {end: 10 ms, step: {safety: 0.5}}
bodies:
  ball: {kind: shell, mesh: {sphere: {radius: 0.1, level: 2}}, thickness: 1 mm, material: {young: 1 MPa, density: 1000}, velocity: [3, 0, 4]}
  rod: {kind: beam, length: 1, elements: 10, section: {circle: {radius: 1 cm}}, material: {young: 1 GPa, density: 1000}, position: [1, 0, 0], axis: [1, 0, 0],
        normal: [0, 0, 1], velocity: [3, 0, 4]}
  rock: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0.5, 0, 0.5]}
  hoop: {kind: beam, elements: 12, shape: {ring: {radius: 0.2}}, rest: shape, section: {circle: {radius: 1 cm}}, material: {young: 1 GPa, density: 1000}, position: [0, 3, 0], velocity: [3, 0, 4]}
contacts: []
"""
BAR = """visviva: 1
time: {end: 1 ms, step: {safety: 0.5}}
bodies:
  bar: {kind: bar, length: 1, elements: 10, section: {area: 1}, material: {young: 1 GPa, density: 1000}, velocity: 7}
"""
WIRE = """visviva: 1
time: {end: 4 ms, step: {safety: 0.5}}
bodies:
  wire: {kind: bar, length: 0.2, elements: 50, section: {area: 1e-6}, ends: {first: fixed, last: driven}, damping: {mass: 500},
         material: {young: 70 GPa, density: 2500, failure: {stress: 8 MPa, energy: 60}}, drives: [{end: last, displacement: 4e-5, history: {ramp: {duration: 4e-3}}}]}
"""
GAS = """visviva: 1
time: {end: 10 ms, step: 1 ms}
bodies:
  rock: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, copies: {grid: {count: [3, 1, 1], spacing: [1, 1, 1]}}}
"""


def expect(what, good, more=""):
    if not good:
        failed.append(what)
        print(f"FAILED {what}: {more}")


def visviva(*words, text=None):
    done = subprocess.run([VISVIVA, *words], capture_output=True, text=True, input=text, timeout=120)
    return done.returncode, done.stdout, done.stderr


def drawn(out, folder, *words):
    code, _, err = visviva("picture", f"{out}/{folder}", f"{out}/p.svg", *words)
    expect(f"picture {words}", code == 0, err)
    page = xml.dom.minidom.parse(f"{out}/p.svg")
    cells = [e.getAttribute("fill") for e in page.getElementsByTagName("polygon")]
    lines = [e.getAttribute("stroke") for e in page.getElementsByTagName("path") if e.getAttribute("stroke-width") == "5"]
    return cells[:-SCALE], lines, [t.firstChild.data for t in page.getElementsByTagName("text")]


with tempfile.TemporaryDirectory() as out:
    for name, text in (("all", SCENE), ("bar", BAR), ("wire", WIRE), ("gas", GAS)):
        code, _, err = visviva("run", "-", "-o", f"{out}/{name}", "-q", text=text)
        expect(f"run {name}", code == 0, err)

    # all begin at 5 m/s: one colour, 128 triangles, ten segments, one number at the legend
    cells, lines, words = drawn(out, "all", "--field", "velocity", "--time", "0")
    expect("a triangle of the sphere each", len(cells) == 128, len(cells))
    expect("a line for each element of the rod and of the hoop, which is closed", len(lines) == 22, len(lines))
    _, others, _ = drawn(out, "all", "--field", "energy_density")
    expect("so for fields on elements", len(others) == 22, len(others))
    expect("one speed, one colour", len({*cells, *lines}) == 1, {*cells, *lines})
    expect("the speed, once", words[-2:] == ["5", "velocity (m/s)"] and words[-3] != "5", words)
    expect("name and unit", "velocity (m/s)" in words, words)

    # a component has its own value, and a place that differs has many colours; the start is asked for by its time
    cells, _, words = drawn(out, "all", "--field", "velocity[0]", "--time", "0")
    expect("the component", words[-2:] == ["3", "velocity[0] (m/s)"], words)
    expect("the start", "velocity[0] at t = 0 s" in words, words)
    cells, _, _ = drawn(out, "all", "--field", "position[2]", "--time", "0")
    expect("heights differ", len(set(cells)) > 10, len(set(cells)))

    # bars on a line are curves
    cells, _, words = drawn(out, "bar", "-f", "velocity")
    expect("no cells on a line", len(cells) == 0, cells)
    expect("the axis tells the field", "velocity (m/s)" in words, words)

    # and what is broken is on them: damage goes up to 1
    _, _, words = drawn(out, "wire", "-f", "damage")
    expect("damage of the broken element", "1.0" in words or "1" in words, words)

    code, _, err = visviva("picture", f"{out}/all", f"{out}/p.png", "--field", "velocity")
    expect("pixels", code == 0 and pathlib.Path(out, "p.png").read_bytes().startswith(b"\x89PNG"), err)
    code, _, err = visviva("picture", f"{out}/all", f"{out}/p.svg", "--field", "colour")
    expect("an unknown field is told, with those that there are", code != 0 and re.search(r"there are: .*\bstrain\b.*velocity", err), err)
    code, _, err = visviva("picture", f"{out}/all", f"{out}/p.svg", "--field", "velocity[7]")
    expect("so is a component too many", code != 0 and "velocity[7]" in err, err)
    code, _, err = visviva("picture", f"{out}/gas", f"{out}/p.svg", "--field", "velocity")
    expect("rigid bodies have no cells", code != 0 and "rigid bodies have no cells" in err, err)
    code, _, err = visviva("picture", f"{out}/all", f"{out}/p.svg", "--time", "1")
    expect("a time needs a field", code != 0 and "--field" in err, err)

sys.exit(1 if failed else 0)
