#!/usr/bin/env python3
"""Planted faults in real scenes: each must give the right line, one clear message, and exit code 1.

Every row takes the good scene, replaces one piece of text (marked by its line), and says what the message must contain.
The program is $VISVIVA.
"""
import os
import subprocess
import sys
import tempfile

GOOD = """\
visviva: 1
title: two bars
units: {length: m, mass: kg, time: s}
time: {end: 1, step: 0.01}
method: {step: event, jump: slab, order: 2}
gravity: [0, 0, 0]
bodies:
  left:
    kind: bar
    length: 1
    elements: 10
    material: {young: 1, density: 1}
    section: {area: 1}
    tips: {last: split}
    position: -1.1
    velocity: 0.1
  right:
    kind: bar
    length: 1
    elements: 10
    material: {young: 1, density: 1}
    section: {area: 1}
    ends: {last: free}
    position: 0
  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -3}}}
contacts:
  - {between: [left, right], restitution: 1}
  - {between: [right, wall]}
record: {every: 0.1, ledger: 1}
"""

LOAD = "    position: 0\n    loads: [{end: last, force: 1, history: %s}]\n"
FAULTS = [  # name, old text, new text, line (0: any), part of the message
    ("unknown word at the top", "gravity:", "gravitty:", 6, "did you mean 'gravity'"),
    ("unknown word in a group", "young: 1, density: 1}\n    section: {area: 1}\n    tips", "yung: 1, density: 1}\n    section: {area: 1}\n    tips", 12, "young"),
    ("unknown kind", "  left:\n    kind: bar", "  left:\n    kind: baar", 9, "bar"),
    ("unknown stepper", "step: event", "step: evnt", 5, "event"),
    ("unknown jump", "jump: slab", "jump: slob", 5, "slab"),
    ("unknown tip", "last: split", "last: spilt", 14, "split"),
    ("wrong version", "visviva: 1", "visviva: 2", 1, "1"),
    ("missing version", "visviva: 1\n", "", 0, "visviva"),
    ("missing length", "    length: 1\n    elements: 10\n    material: {young: 1, density: 1}\n    section: {area: 1}\n    tips", "    elements: 10\n    material: {young: 1, density: 1}\n    section: {area: 1}\n    tips", 8, "length"),
    ("missing end time", "{end: 1, step: 0.01}", "{step: 0.01}", 4, "end"),
    ("no bodies", GOOD[GOOD.index("bodies:"):GOOD.index("contacts:")], "", 0, "bodies"),
    ("number with another unit", "length: 1\n    elements: 10\n    material: {young: 1, density: 1}\n    section: {area: 1}\n    tips", "length: 1kg\n    elements: 10\n    material: {young: 1, density: 1}\n    section: {area: 1}\n    tips", 10, "does not fit"),
    ("not a number", "velocity: 0.1", "velocity: .nan", 16, "number"),
    ("nan", "velocity: 0.1", "velocity: nan", 16, "number"),
    ("infinity", "velocity: 0.1", "velocity: .inf", 16, "number"),
    ("overflow", "velocity: 0.1", "velocity: 1e999", 16, ""),
    ("quoted number", "velocity: 0.1", "velocity: '0.1'", 16, "quotes"),
    ("text for a number", "velocity: 0.1", "velocity: fast", 16, "number"),
    ("map for a number", "velocity: 0.1", "velocity: {x: 1}", 16, "number"),
    ("list for a number", "velocity: 0.1", "velocity: [1]", 16, "number"),
    ("fractional elements", "elements: 10\n    material: {young: 1, density: 1}\n    section: {area: 1}\n    tips", "elements: 10.5\n    material: {young: 1, density: 1}\n    section: {area: 1}\n    tips", 11, "whole"),
    ("zero elements", "elements: 10\n    material: {young: 1, density: 1}\n    section: {area: 1}\n    tips", "elements: 0\n    material: {young: 1, density: 1}\n    section: {area: 1}\n    tips", 11, "elements"),
    ("negative length", "length: 1\n    elements: 10\n    material: {young: 1, density: 1}\n    section: {area: 1}\n    tips", "length: -1\n    elements: 10\n    material: {young: 1, density: 1}\n    section: {area: 1}\n    tips", 10, "length"),
    ("zero density", "density: 1}\n    section: {area: 1}\n    tips", "density: 0}\n    section: {area: 1}\n    tips", 12, "density"),
    ("negative modulus", "young: 1, density: 1}\n    section: {area: 1}\n    tips", "young: -1, density: 1}\n    section: {area: 1}\n    tips", 12, "young"),
    ("zero area", "{area: 1}\n    tips", "{area: 0}\n    tips", 13, "area"),
    ("restitution above 1", "restitution: 1", "restitution: 1.5", 27, "restitution"),
    ("negative restitution", "restitution: 1", "restitution: -0.1", 27, "restitution"),
    ("two numbers for a vector", "gravity: [0, 0, 0]", "gravity: [0, 0]", 6, "gravity"),
    ("word in a vector", "gravity: [0, 0, 0]", "gravity: [0, 0, down]", 6, ""),
    ("duplicate key", "    velocity: 0.1\n", "    velocity: 0.1\n    velocity: 0.2\n", 17, "velocity"),
    ("duplicate body", "  right:\n", "  left:\n", 17, "left"),
    ("unknown body in contacts", "[left, right]", "[left, rihgt]", 27, "right"),
    ("one body in contacts", "[left, right]", "[left]", 27, "two"),
    ("a body with itself", "[left, right]", "[left, left]", 27, "left"),
    ("three bodies in contacts", "[left, right]", "[left, right, wall]", 27, "two"),
    ("rule twice", "restitution: 1}\n", "restitution: 1}\n  - {between: [right, left]}\n", 28, "earlier"),
    ("friction of guided bars", "restitution: 1}", "restitution: 1, friction: 0.3}", 27, "friction"),
    ("dcr with events", "restitution: 1}", "response: dcr}", 27, "leapfrog"),
    ("jump with leapfrog", "step: event, jump: slab", "step: leapfrog, jump: slab", 5, "event"),
    ("order 3", "order: 2", "order: 3", 5, "2, 4 or 6"),
    ("modified with order 4", "jump: slab, order: 2", "jump: modified, order: 4", 5, "order 2"),
    ("step too long", "step: 0.01", "step: 0.5", 4, "stable step"),
    ("step longer than the run", "{end: 1, step: 0.01}", "{end: 0.001, step: 0.01}", 4, "longer"),
    ("safety above 1", "step: 0.01}", "step: {safety: 1.5}}", 4, "safety"),
    ("bars overlap", "position: -1.1", "position: -0.5", 27, "overlap"),
    ("bar in the wall", "offset: -3", "offset: -0.5", 28, "overlap"),
    ("zero normal", "normal: [-1, 0, 0]", "normal: [0, 0, 0]", 25, "normal"),
    ("zero axis", "    position: 0\n", "    position: 0\n    axis: [0, 0, 0]\n", 25, "axis"),
    ("no shape", "{plane: {normal: [-1, 0, 0], offset: -3}}", "{}", 25, "shape"),
    ("unknown shape", "plane:", "plain:", 25, "plane"),
    ("half cell", "tips: {last: split}", "tips: {first: lumped, last: cell}", 14, "cell"),
    ("split on a fixed end", "tips: {last: split}", "tips: {last: split}\n    ends: {last: fixed}", 14, "fixed"),
    ("driven without a drive", "ends: {last: free}", "ends: {last: driven}", 23, "drives"),
    ("load on a fixed end", "    ends: {last: free}\n    position: 0\n", "    ends: {last: fixed}\n" + LOAD % "constant", 25, "held"),
    ("slab with loads", "    position: 0\n", LOAD % "constant", 5, "nodal"),
    ("two histories", "    position: 0\n", LOAD % "{ramp: {duration: 1}, pulse: {duration: 1}}", 25, ""),
    ("no history", "    position: 0\n", LOAD % "{}", 25, "history"),
    ("unknown history", "    position: 0\n", LOAD % "{plse: {duration: 1}}", 25, "pulse"),
    ("ramp without duration", "    position: 0\n", LOAD % "ramp", 25, "needs a value"),
    ("table of unequal lengths", "    position: 0\n", LOAD % "{table: {time: [0, 1, 2], value: [0, 1]}}", 25, "value"),
    ("table not increasing", "    position: 0\n", LOAD % "{table: {time: [0, 1, 1], value: [0, 1, 2]}}", 25, "increase"),
    ("unclosed bracket", "gravity: [0, 0, 0]", "gravity: [0, 0, 0", 0, ""),
    ("tab indentation", "    velocity: 0.1", "\tvelocity: 0.1", 0, ""),
    ("alias", "title: two bars", "title: *t", 2, ""),
    ("anchor", "title: two bars", "title: &t two bars", 2, ""),
    ("tag", "title: two bars", "title: !!str two", 2, ""),
    ("second document", "record: {every: 0.1, ledger: 1}\n", "record: {every: 0.1, ledger: 1}\n---\nvisviva: 1\n", 0, ""),
    ("zero record", "every: 0.1", "every: 0", 29, "every"),
    ("not a map", GOOD, "- 1\n- 2\n", 0, ""),
    ("empty file", GOOD, "", 1, "empty"),
    ("blank file", GOOD, "  \n\n", 1, "empty"),
    ("only remarks", GOOD, "# nothing\n", 1, "empty"),
    ("a body named all", "  wall:", "  all:", 25, "all"),
    ("gravity beyond numbers", "gravity: [0, 0, 0]", "gravity: [1e308, 0, 0]", 6, "gravity"),
    ("velocity beyond numbers", "velocity: 0.1", "velocity: 1e160", 8, "range of numbers"),
    ("velocity far beyond numbers", "velocity: 0.1", "velocity: 1e308", 8, ""),
]
# Whole scenes: name, text behind "visviva: 1", line of the fault, part of the message.
RIGID = "time: {end: 1, step: 0.01}\nbodies:\n  a: {kind: rigid, shape: {ball: {radius: 1}}, mass: 1, %s}\n"
BEAM = "time: {end: 1e-3, step: 1e-6}\nbodies:\n  a:\n    kind: beam\n    length: 1\n    elements: 8\n    material: {young: 1e6, density: 1000}\n    section: {circle: {radius: 0.01}}\n    shape: %s\n"
SHELL = "time: {end: 1e-3, step: {safety: 0.1}}\nbodies:\n  a:\n    kind: shell\n    mesh: {sphere: {radius: 1, level: %s}}\n    thickness: %s\n    material: {young: 1e6, density: 1000}\n"
# Pairs that `event` has no contact for; a lone body of a kind is met by nobody who looks at pairs of that kind.
EVENT = "time: {end: 1e-3, step: {safety: 0.1}}\nmethod: {step: event}\ncontacts: [{self: false}]\nbodies:\n  a: {%s}\n  b: {%s}\n"
BODY = {
    "bar": "kind: bar, length: 1, elements: 4, material: {young: 1, density: 1}, section: {area: 1}, position: -3",
    "beam": "kind: beam, length: 1, elements: 4, material: {young: 1e6, density: 1000}, section: {circle: {radius: 0.01}}, position: [3, 0, 0]",
    "cornered beam": "kind: beam, length: 1, elements: 4, material: {young: 1e6, density: 1000}, section: {square: {side: 0.01}}, position: [-4, 0, 0]",
    "cylinder": "kind: rigid, mass: 1, shape: {cylinder: {radius: 0.1, length: 0.2}}, position: [0, 5, 0]",
    "fixed box": "kind: rigid, mass: 1, fixed: true, shape: {box: {size: [1, 1, 1]}}, position: [0, -5, 0]",
    "shell": "kind: shell, mesh: {sphere: {radius: 1, level: 1}}, thickness: 0.01, material: {young: 1e6, density: 1000}",
}
SCENES = [(f"event: {a} and {b}", EVENT % (BODY[a], BODY[b]), 3, "use leapfrog") for a in BODY for b in BODY if a < b] + [
    ("rigid: velocity", RIGID % "velocity: [1e160, 0, 0]", 4, "range of numbers"),
    ("rigid: position", RIGID % "position: [1e308, 0, 0], velocity: [1, 0, 0]", 4, ""),
    ("rigid: force", RIGID % "loads: [{force: [1e300, 0, 0]}]", 4, "range of numbers"),
    ("rigid: spin", RIGID.replace("ball: {radius: 1}", "box: {size: [1, 2, 3]}") % "spin: [1e200, 1, 1]", 4, ""),
    ("rigid: spin in a step", RIGID.replace("ball: {radius: 1}", "box: {size: [1, 2, 3]}") % "spin: [1e9, 1, 1]", 4, "range of numbers"),
    ("rigid: modified", RIGID % "velocity: [1, 0, 0]" + "record: {modified: true}\n", 5, "vibrates"),
    ("shell: thickness", SHELL % (1, 100), 7, "block"),
    ("shell: too fine", SHELL % (14, 0.01), 6, ""),
    ("beam: stretch", BEAM % "{straight: {stretch: 1e-9}}", 10, "stretch"),
    ("beam: inside out", BEAM % "{uniform: {strain: [0, 0, -1]}}", 10, "inside out"),
    ("beam: inside out by a bump", BEAM % "{bump: {strain: [0, 0, -5]}}", 10, "inside out"),
    ("rigid: too many", RIGID.replace("mass: 1, %s", "mass: 1, copies: {grid: {count: [1000, 1000, 1000], spacing: [3, 3, 3]}}"), 4, ""),
]
# Good scenes that deserve a word: the same, and exit code 0.
WARNED = [
    ("only obstacles", "time: {end: 1, step: 0.01}\nbodies: {a: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}}\n", 3, "nothing here moves"),
    ("a pulse shorter than a step", RIGID % "loads: [{force: [3000, 0, 0], history: {pulse: {duration: 0.01}}}]", 4, "pulse lasts 0.01"),
    ("a harmonic faster than the step", RIGID % "loads: [{force: [1, 0, 0], history: {harmonic: {frequency: 500}}}]", 4, "period"),
    ("a table finer than the step", RIGID % "loads: [{force: [1, 0, 0], history: {table: {time: [0, 0.001, 0.002], value: [0, 1, 0]}}}]", 4, "closer than a step"),
]


def run(text, folder):
    path = os.path.join(folder, "scene.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    done = subprocess.run([os.environ["VISVIVA"], "run", "scene.yaml", "-o", "out"], cwd=folder, text=True, capture_output=True)
    return done.returncode, done.stderr, os.path.exists(os.path.join(folder, "out"))


def judge(name, old, new, line, part, folder):
    if GOOD.count(old) != 1:
        return f"the row itself is wrong: text occurs {GOOD.count(old)} times"
    code, err, wrote = run(GOOD.replace(old, new), folder)
    errors = [l for l in err.splitlines() if "error:" in l]
    if code != 1:
        return f"exit code {code}"
    if wrote:
        return "a result folder was made"
    if not errors:
        return "no message"
    if part not in err:
        return f"'{part}' not in: {err.strip()}"
    if line and not any(f"scene.yaml:{line}:" in l for l in errors):
        return f"not at line {line}: {err.strip()}"
    return None


def judge_scene(name, text, line, part, folder, code):
    """A whole scene: refused (1) or warned about (0) by `check`, with its line."""
    path = os.path.join(folder, "scene.yaml")
    with open(path, "w", encoding="utf-8") as f:
        f.write("visviva: 1\n" + text)
    done = subprocess.run([os.environ["VISVIVA"], "check", "scene.yaml"], cwd=folder, text=True, capture_output=True, timeout=60)
    if done.returncode != code:
        return f"exit code {done.returncode}: {done.stderr}"
    if not any(f"scene.yaml:{line}:" in l and ("error:" if code else "warning:") in l for l in done.stderr.splitlines()):
        return f"not at line {line}: {done.stderr.strip()}"
    return None if part in done.stderr else f"'{part}' not in: {done.stderr.strip()}"


def judge_foreign(folder):
    """Nothing of a foreign file is printed, whatever takes it."""
    with open(os.path.join(folder, "secret"), "w", encoding="utf-8") as f:
        f.write("root:x:0:0:hunter2 v solid ply\nhunter2:1 2 3\n")
    for shape in ("hull: {file: secret}", "mesh: {file: secret}", "mesh: {file: {path: secret}}"):
        for name in ("secret", "secret.obj", "secret.stl", "secret.ply", "secret.msh", "secret.csv"):
            if name != "secret":
                with open(os.path.join(folder, "secret")) as a, open(os.path.join(folder, name), "w") as b:
                    b.write(a.read())
            text = "visviva: 1\ntime: {end: 1, step: 0.01}\nbodies: {a: {kind: rigid, mass: 1, shape: {%s}}}\n" % shape.replace("secret", name)
            code, err, _ = run(text, folder)
            if code != 1 or "hunter2" in err or "root" in err:
                return f"{shape} {name}: {code} {err}"
    return None


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        code, err, _ = run(GOOD, folder)
        if code != 0:
            print(f"the good scene fails: {code} {err}")
            return 1
        subprocess.run(["rm", "-rf", os.path.join(folder, "out")], check=True)
        for row in FAULTS:
            trouble = judge(*row, folder)
            if trouble:
                bad += 1
                print(f"{row[0]}: {trouble}")
        rows = [(row, 1) for row in SCENES] + [(row, 0) for row in WARNED]
        for row, code in rows:
            trouble = judge_scene(*row, folder, code)
            if trouble:
                bad += 1
                print(f"{row[0]}: {trouble}")
        trouble = judge_foreign(folder)
        if trouble:
            bad += 1
            print(f"foreign files: {trouble}")
    print(f"{len(FAULTS) + len(rows) + 1 - bad} passed, {bad} failed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
