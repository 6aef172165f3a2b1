#!/usr/bin/env python3
"""Scenes that once were wrong in silence, alarmed falsely, or went on for ever: each runs, and is judged by what is due.

A row: name, scene behind "visviva: 1", exit codes that are right, and a function of (output, summary, rows of the ledger) that says what
is wrong.  The program is $VISVIVA.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(os.environ["VISVIVA"])  # scenes run in folders of their own

LOAD = """\
time: {end: 1, step: 0.001}
bodies:
  a: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, loads: [{%s}]}
"""
INSIDE_OUT = """\
time: {end: 6, step: {safety: 0.5}}
bodies:
  a: {kind: bar, tips: {first: lumped}, length: 1, elements: 50, material: {young: 1, density: 1}, section: {area: 1}, position: -1.01, velocity: 1.2}
  b: {kind: bar, tips: {first: lumped}, length: 1, elements: 50, material: {young: 1, density: 1}, section: {area: 1}, position: 0, velocity: -1.2}
"""
# one element with an end that is held is one spring with half its mass, omega = (2 E/rho)^(1/2)/l: the other end leaves with w, and the
# strain comes to w/(omega l) = w after a quarter of a period, which is 64 steps, as where nothing touches is looked at that often alone
STRETCHED = """\
time: {end: 4, step: 0.024543692606170259}
bodies:
  a: {kind: %s, length: 1, elements: 1, material: {young: 0.5, density: 1%s}, section: %s, axis: [1, 0, 0], ends: {first: %s}, velocity: %s}
"""
FOLDED = """\
time: {end: 0.3, step: 1e-4}
method: {step: energy-momentum}
record: {paraview: false}
bodies:
  b:
    kind: beam
    length: 1
    elements: 80
    material: {young: 1e6, poisson: 0.3, density: 1000}
    section: {square: {side: 0.02}}
    velocity_profile: [{at: [0, 0.5, 1], factor: [1, -1, 1], direction: [6, 0, 0]}]
"""
ORDER4 = """\
time: {end: 3, step: {safety: 0.95}}
method: {step: leapfrog, order: %d}
record: {paraview: false}
bodies:
  bar:
    kind: bar
    length: 1
    elements: 16
    material: {young: 1e6, density: 1000}
    section: {area: 0.01}
    vibration: [{mode: 16, amplitude: 1e-4}, {mode: 15, amplitude: 1e-4}, {mode: 1, amplitude: 1e-4}]
"""
DROPPED = """\
time: {end: 10, step: {safety: 0.6}}
gravity: [0, 0, -3]
contacts: [{restitution: 0}]
record: {paraview: false}
bodies:
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: -1.3}}}
  bar: {kind: bar, length: 0.4, elements: 8, material: {young: 7e7, density: 180}, section: {area: 0.015}, axis: [0, 0, -1]}
"""
LAID = """\
time: {end: 0.05}
gravity: [0, 0, -9.81]
contacts: [{restitution: 0.5, friction: 0.3}]
record: {paraview: false}
bodies:
  rod: {kind: beam, length: 0.5, elements: 10, material: {young: 1e7, density: 1000}, section: {circle: {radius: 0.01}}, position: [-0.25, 0, 0.01], axis: [1, 0, 0]}
  box: {kind: rigid, shape: {box: {size: [0.3, 0.3, 0.3]}}, density: 800, position: [0, 0, 0.17]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}
"""
COLLAPSED = """\
time: {end: 0.3}
record: {paraview: false}
bodies:
  balloon: {kind: shell, mesh: {sphere: {radius: 0.3, level: 1}}, thickness: 2e-2, material: {young: 2e4, poisson: 0.3, density: 1000}, pressure: [{value: -4500}]}
"""
DRAGGED = """\
time: {end: 1, step: 0.001}
contacts: [{restitution: 0.5}]
method: {locate: none}
record: {paraview: false}
bodies:
  a: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, velocity: [1, 0, 0], damping: {linear: 0.5}}
  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -0.4}}}
"""
BRITTLE = """\
time: {end: 1e-3}
record: {paraview: false}
bodies:
  a: {kind: beam, length: 0.2, elements: 4, section: {square: {side: 0.01}}, material: {young: 1e6, density: 1000, law: j2, yield: 1e4, failure: {strain: 0.1}}}
  b: {kind: beam, length: 0.2, elements: 4, section: {square: {side: 0.01}}, material: {young: 1e6, density: 1000}, position: [0.1, 0, 0]}
  c: {kind: shell, mesh: {disc: {radius: 0.1, rings: 2}}, thickness: 1e-3, material: {young: 1e6, density: 1000}, centre: [0, 0, -0.1]}
"""
PIERCED = """\
time: {end: 1}
bodies:
  ball: {kind: shell, mesh: {sphere: {radius: 0.1, frequency: 3}}, thickness: 1e-3, material: {young: 1e6, density: 1000}}
  needle: {kind: beam, length: 0.2, elements: 4, position: [0.021, 0.033, 0], section: {circle: {radius: 2e-3}}, material: {young: 1e6, density: 1000}}
"""
OBLIQUE = """\
time: {end: 4, step: {safety: 0.5}}
method: {step: leapfrog}
contacts: [{search: general}]
bodies:
  a: {kind: bar, tips: {first: lumped}, length: 1, elements: 10, material: {young: 1, density: 1}, section: {area: 1}, position: -1.05, velocity: 0.1, axis: [1, 2, 3], origin: [0.1, 0.2, 0.3]}
  b: {kind: bar, tips: {first: lumped}, length: 1, elements: 10, material: {young: 1, density: 1}, section: {area: 1}, position: 0, velocity: -0.1, axis: [1, 2, 3], origin: [0.1, 0.2, 0.3]}
"""
CRUSHED = """\
time: {end: 20, step: {safety: 0.6}}
record: {paraview: false}
method: {step: leapfrog}
bodies:
  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -1}}}
  soft: {kind: bar, length: 1, elements: 20, material: {young: 1, density: 1, law: neo-hookean}, section: {area: 1}, position: 0}
  ram: {kind: bar, length: 1, elements: 20, material: {young: 1000, density: 1000}, section: {area: 1}, position: -1.01, velocity: 1}
"""
FROZEN = """\
time: {end: 20, step: {safety: 0.8}}
gravity: [0, 0, -9.81]
record: {paraview: false, ledger: 100}
bodies:
  room: {kind: obstacle, shape: {room: {size: [2, 2, 2]}}}
  balloon: {kind: shell, mesh: {sphere: {radius: 0.3, level: 1}}, thickness: 2e-2, material: {young: 1e5, poisson: 0.45, density: 1000}, velocity: [1, 0.5, -1]}
"""
TORI = """\
time: {end: 0.01, step: 0.001}
record: {paraview: false}
bodies:
  a: {kind: rigid, shape: {mesh: {torus: {ring: 1, tube: 0.3, around: 240, across: 120}}}, mass: 1, spin: [1, 2, 3]}
  b: {kind: rigid, shape: {mesh: {torus: {ring: 1, tube: 0.3, around: 240, across: 120}}}, mass: 1, position: [0, 0, 0.7], velocity: [0, 0, -30]}
"""
LONG = """\
time: {end: 100, step: 0.001}
record: {paraview: false}
bodies:
  a: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, mass: 1, spin: [1, 2, 3]}
"""

HOPELESS = """\
time: {end: 200, step: {safety: 0.99}}
record: {paraview: false, checkpoint: 0.1}
method: {step: leapfrog}
bodies:
  soft: {kind: bar, length: 1, elements: 20, material: {young: 1, density: 1, law: neo-hookean}, section: {area: 1}, vibration: [{mode: 3, amplitude: 0.08}]}
"""
TOO_FAST = """\
time: {end: 200, step: {safety: 0.95}}
record: {paraview: false}
bodies:
  b: {kind: beam, length: 1, elements: 10, material: {young: 1e6, poisson: 0.3, density: 1000}, section: {square: {side: 0.05}}, velocity_profile: [{at: [0, 0.5, 1], factor: [1, -1, 1], direction: [10, 0, 0]}]}
"""
DEFAULT_STEP = """\
time: {end: %s}
gravity: [0, 0, -9.81]
record: {paraview: false, ledger: 100}
bodies:
  room: {kind: obstacle, shape: {room: {size: [2, 2, 2]}}}
  %s
"""
BALLOON = "balloon: {kind: shell, mesh: {sphere: {radius: 0.3, level: 1}}, thickness: 2e-2, material: {young: 1e5, poisson: 0.45, density: 1000}, velocity: [1, 0.5, -1]}"
ROD = "rod: {kind: beam, length: 0.5, elements: 4, material: {young: 1e6, poisson: 0.45, density: 1100}, section: {circle: {radius: 0.02}}, position: [-0.25, 0, 0.3], axis: [1, 0, 0.2]}"
MANY = """\
time: {end: 2e-3, step: 1e-3}
gravity: [0, 0, -9.81]
record: {paraview: false}
bodies:
  box: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.1], copies: {grid: {count: [40, 50, 50], spacing: [0.15, 0.15, 0.15]}}}
"""


ANVIL = """\
time: {end: 0.2, step: {safety: 0.1}}
gravity: [0, 0, -9.81]
contacts: [{restitution: 0.5, friction: 0.3}]
record: {paraview: false, ledger: 10}
bodies:
  rod: {kind: beam, length: 0.5, elements: 10, material: {young: 1e7, density: 1000}, section: {circle: {radius: 0.01}}, position: [-0.25, 0, 0.011], axis: [1, 0, 0]}
  anvil: {kind: rigid, shape: {box: {size: [0.3, 0.3, 0.3]}}, density: 8000, position: [0, 0, 0.18]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}
"""
POLE = """\
time: {end: 8, step: %g}
gravity: [0, 0, -9.81]
contacts: [{restitution: 0.5}]
record: {paraview: false}
bodies:
  pole: {kind: obstacle, shape: {cylinder: {axis: [0, 1, 0], radius: 1}}}
  box: {kind: rigid, shape: {box: {size: [1, 0.6, 0.2]}}, mass: 1, position: [0.2, 0, 4], spin: [3, 5, 1]}
"""
SPIN = """\
time: {end: 0.8, step: 1e-3}
contacts: [{restitution: 0.8}]
bodies:
  ball: {kind: rigid, shape: {ball: {radius: 0.11}}, mass: 1, position: [0, 0, 0.5], velocity: [0, 0, -1], spin: [0, 70, 0]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
"""
GENERAL = """\
time: {end: 4, step: {safety: 0.5}}
method: {step: leapfrog}
contacts: [{search: general}]
bodies:
  a: {kind: bar, length: 1, elements: 10, material: {young: 1, density: 1}, section: {area: 1}, position: -1.05, velocity: 0.1, axis: [0.3, 0.1, -0.9]}
  b: {kind: bar, length: 1, elements: 10, material: {young: 1, density: 1}, section: {area: 1}, position: 0, velocity: -0.1, axis: [0.3, 0.1, -0.9]}
"""
ON_A_FLOOR = """\
time: {end: 1, step: 0.001}
gravity: [0, 0, -9.81]
contacts: [{restitution: 0.5, friction: 0.3}]
bodies:
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
  a: {kind: rigid, shape: {box: {size: [0.3, 0.4, 0.1]}}, mass: 1, position: [0, 0, 0.05], %s}
"""


# cut at every impact, its steps gained 1.8 times what the drive gave
DRIVEN = """\
time: {end: 5, step: {safety: 0.5}}
gravity: [0, 0, -9.81]
contacts: [{restitution: %g}]
bodies:
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
  b:
    kind: bar
    length: 0.5
    elements: 10
    material: {young: 1e6, density: 1000}
    section: {area: 1e-4}
    axis: [0, 0, 1]
    position: 0.05
    ends: {last: driven}
    drives: [{end: last, displacement: -0.1, history: {harmonic: {frequency: 20}}}]
"""
ROOM = """\
time: {end: %g, step: {safety: %g}}
gravity: [0, 0, -9.81]
%srecord: {ledger: 1000, paraview: false}
bodies:
  room: {kind: obstacle, shape: {room: {size: [2, 2, 2]}}}
  %s
"""
PRESSED = """\
time: {end: %g, step: {safety: %g}}
gravity: [0, 0, -9.81]
contacts: [{restitution: %g, friction: 0.3}]
record: {paraview: false, ledger: 10}
bodies:
  rod: {kind: beam, length: 0.5, elements: 10, material: {young: 1e7, density: 1000}, section: {circle: {radius: 0.01}}, position: [-0.25, 0, 0.011], axis: [1, 0, 0]}
  anvil: {kind: rigid, shape: {box: {size: [0.3, 0.3, 0.3]}}, density: %g, position: [0, 0, 0.18], velocity: [0, 0, %g]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}
"""
FOLLOWER = """\
time: {end: 1, step: 0.001}
gravity: [0, 0, -9.81]
contacts: [{restitution: 0.5, friction: 0.3}]
bodies:
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
  a: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.5], spin: [0, 0, 1], loads: [{force: [1, 0, 0], follower: true}]}
"""
SPRING = """\
time: {end: 1, step: 1e-3}
method: {step: energy-momentum}
contacts: [{response: penalty, stiffness: %g}]
record: {paraview: false}
bodies:
  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -0.5}}}
  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, velocity: [3, 0, 0]}
"""
GRAIN = """\
time: {end: 3, step: 0.25}
gravity: [0, 0, -9.81]
contacts: [{restitution: 0.5, friction: 0.3}]
record: {paraview: false}
bodies:
  pole: {kind: obstacle, shape: {cylinder: {axis: [0, 1, 0], radius: 0.01}}}
  mount: {kind: rigid, shape: {box: {size: [1000, 1000, 1000]}}, mass: 1e9, position: [2000, 0, 0]}
  grain: {kind: rigid, shape: {box: {size: [0.01, 0.006, 0.002]}}, mass: 1e-3, position: [0.002, 0, 0.04], spin: [3, 5, 1]}
"""


def claim(summary, name):
    return next((c for c in summary["claims"] if c["name"] == name), None)


def all_kept(out, summary, rows):
    broken = [c["name"] for c in summary["claims"] if not c["kept"]]
    return f"broken: {broken}" if broken else None


def impulse(due):
    """All claims kept, and the momentum that a (1 - cos)/2 pulse or a constant force gives."""
    def judge(out, summary, rows):
        got = float(rows[-1]["p_x"])
        return all_kept(out, summary, rows) or (None if abs(got - due) < 1e-9 * due else f"momentum {got}, due {due}")
    return judge


def elements_told(out, summary, rows):
    return None if "inside out or folded" in out and summary["max_distortion"] > 1 else f"not told: {out}"


def folded_told(out, summary, rows):
    return elements_told(out, summary, rows) or (None if "'b' went into itself" in out else f"not told: {out}")


def stretched(due):
    """The largest strain is told from 1 on, and is what it should be: 0 of laws that have no end."""
    def judge(out, summary, rows):
        if ("overstretched" in out) != (due > 1):
            return f"strain {due}, and told: {out}"
        return all_kept(out, summary, rows) or (None if abs(summary["max_stretch"] - due) < 1e-4 else f"strain {summary['max_stretch']}, due {due}")
    return judge


def bounded(out, summary, rows):
    most = max(float(r["nodal_total"]) for r in rows)
    return None if most < 25 * float(rows[0]["nodal_total"]) else f"energy grows to {most}"


def stopped(out, summary, rows):
    """Not run to the end: place, time, remedy, and a checkpoint."""
    if summary["reason"] == "done":
        return "not stopped"
    missing = [word for word in ("step ", "t = ", "use a shorter step", "checkpoint") if word not in out]
    return f"the message has no {missing}: {out}" if missing else None


def ran_by_default(out, summary, rows):
    """The step that a scene without one gets is said with its reason, is at most half the stable one, and runs to the end."""
    if "by default: " not in out or summary["reason"] != "done":
        return out
    return all_kept(out, summary, rows)


def honest(out, summary, rows):
    """Stopped, or a claim broken, or truly within a tenth of the energy that was given."""
    total = [float(r["nodal_total"]) + float(r["restitution_loss"]) + float(r["friction_loss"]) for r in rows]
    kept = all(c["kept"] for c in summary["claims"])
    scale = summary["energy"]["scale"]
    return "energy grows in silence" if summary["reason"] == "done" and kept and max(total) - total[0] > 0.1 * scale else None


def never_rises(out, summary, rows):
    energy = [sum(float(r[c]) for c in ("kinetic", "strain", "potential", "contact")) for r in rows]
    rise = max(energy) / energy[0] - 1
    return None if rise < 1e-3 else f"energy rises by {rise:.2g}"


def never_rises_or_told(out, summary, rows):
    """A step that is too long for what is pressed lends more than a thousandth of the energy, and says so; nothing else is broken."""
    broken = [c["name"] for c in summary["claims"] if not c["kept"]]
    return never_rises(out, summary, rows) or (None if broken in ([], ["debt"]) else f"{broken} broken")


def deep_and_told(out, summary, rows):
    """A hundredth of the box at the most, or one of the claims is broken."""
    deep = max(float(r["penetration"]) for r in rows)
    return None if deep <= 2e-3 or not all(c["kept"] for c in summary["claims"]) else f"{deep:.2g} m deep in silence"


def bounded_by_work(out, s, rows):
    """What is there is what the drive gave, less what was lost: bars are linear, and whole steps keep their energy."""
    held = [sum(float(r[c]) for c in ("kinetic", "strain", "potential", "contact")) for r in rows]
    given = [float(r["external_work"]) - float(r["restitution_loss"]) - float(r["step_loss"]) for r in rows]
    off = max(abs(h - held[0] - g) for h, g in zip(held, given)) / (max(given) - min(given))
    return None if off < 1e-9 and all(c["kept"] for c in s["claims"]) else f"energy off by {off:.2g} of the work"


def bounced(out, summary, rows):
    """Of 0.5 J restitution takes 1 - 0.8^2."""
    lost = float(rows[-1]["restitution_loss"])
    return all_kept(out, summary, rows) or (None if abs(lost - 0.18) < 1e-9 else f"lost {lost} J, due 0.18")


def lies(out, summary, rows):
    """From an exact touch nothing falls: what holds is told once, and rounding is no impact."""
    return all_kept(out, summary, rows) or (None if summary["impacts"] <= 1 else f"{summary['impacts']} impacts of what lies")


def stopped_or_told(out, summary, rows):
    """Hopeless: not a word of `kept` for energy, and the run ends early or with a broken claim; nothing after that is in the table."""
    if summary["reason"] == "done" and claim(summary, "energy")["kept"]:
        return "silent"
    return honest(out, summary, rows)


def own_size(out, summary, rows):
    """The bound of penetration is that of the grain, not of the mountain beside it; what is deeper is told."""
    c = claim(summary, "penetration")
    if c["bound"] > 0.01 * 0.006:
        return f"a bound of {c['bound']} m for a grain of 0.01 m"
    deep = summary["max_penetration"]
    return None if (deep <= c["bound"]) == c["kept"] else f"{deep} m deep, {c}"


def through(out, summary, rows):
    """It goes through the wall by many times its size, which a spring of 10 N/m cannot hinder: told."""
    return None if summary["max_penetration"] > 0.5 and not claim(summary, "penetration")["kept"] else f"{summary['max_penetration']} m"


def printed(out, summary, rows):
    """The summary, the terminal and the claim say one number, in metres; a row says its own."""
    deep, c = summary["max_penetration"], claim(summary, "penetration")
    if abs(c["worst"] - deep) > 1e-12 * deep or f"{deep:.2e}" not in out:
        return f"{deep} m, {c}, {out}"
    here = [float(r["penetration"]) for r in rows]
    return None if 0 < max(here) <= deep and min(here) < max(here) else f"rows {min(here)} to {max(here)}, {deep}"


def exchanged(out, summary, rows):
    """Equal bars exchange their velocities through many impulses, on any axis; what passes through has one or none."""
    return all_kept(out, summary, rows) or (None if summary["impacts"] > 9 else f"{summary['impacts']} impacts")


def thinned(out, summary, rows):
    return None if 10000 < len(rows) <= 20002 else f"{len(rows)} rows"


BLOCKED = """\
time: {end: 1, step: 1e-3}
gravity: [0, 0, -10]
contacts: [{restitution: 0.5, friction: 0.5}]
record: {paraview: false}
bodies:
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, density: 1000, position: [0, 0, 0.05001]}
  press: {kind: rigid, shape: {plate: {normal: [0, 0, -1], width: 1}}, mass: 1e4, position: [0, 0, 0.12], motion: {velocity: [0, 0, -0.2]}}
"""
RUNS = [
    ("a force off the centre", LOAD % "force: [1, 0, 0], at: [0, 0.5, 0]", (0,), impulse(1.0)),
    ("a moment", LOAD % "moment: [1, 2, 3]", (0,), all_kept),
    ("a force that varies", LOAD % "force: [1, 0, 0], history: {harmonic: {frequency: 30}}", (0,), all_kept),
    ("a follower", LOAD % "force: [1, 0, 0], at: [0, 0.5, 0], follower: true", (0,), all_kept),
    ("a pulse", LOAD % "force: [3, 0, 0], history: {pulse: {duration: 0.5}}", (0,), impulse(0.75)),
    ("bars inside out", INSIDE_OUT, (0,), elements_told),
    ("beams folded", FOLDED, (3,), folded_told),
    ("a bar overstretched", STRETCHED % ("bar", "", "{area: 1}", "fixed", "1.2"), (0,), stretched(1.2)),
    ("a bar stretched", STRETCHED % ("bar", "", "{area: 1}", "fixed", "0.9"), (0,), stretched(0.9)),
    ("a bar of rubber stretched", STRETCHED % ("bar", ", law: neo-hookean", "{area: 1}", "fixed", "0.9"), (0,), stretched(0)),
    ("a beam overstretched", STRETCHED % ("beam", ", poisson: 0.3", "{square: {side: 0.1}}", "clamped", "[1.2, 0, 0]"), (0,), stretched(1.2)),
    ("a beam stretched", STRETCHED % ("beam", ", poisson: 0.3", "{square: {side: 0.1}}", "clamped", "[0.9, 0, 0]"), (0,), stretched(0.9)),
    ("the stable step of order 4", ORDER4 % 4, (0,), bounded),
    ("the stable step of order 6", ORDER4 % 6, (0,), bounded),
    # the energy closes; that held tips bring energy in `event` is told by the claim `losses`
    ("a dropped bar", DROPPED, (0, 3), lambda out, s, rows: None if claim(s, "energy")["kept"] else "energy"),
    # it hits what the drag left of its speed, not what it had before
    ("drag and an impact", DRAGGED, (0,), lambda out, s, rows: None if abs(s["energy"]["max_relative_error"]) < 1e-12 else "energy"),
    ("beams of which one may break, and a shell", BRITTLE, (0,), all_kept),
    ("a beam through a shell", PIERCED, (1,), lambda out, s, rows: None if "intersect at the start" in out else "not told"),
    ("bars through the origin", OBLIQUE, (0, 3), lambda out, s, rows: None if claim(s, "angular_momentum")["kept"] else "angular momentum"),
    ("a bar crushed", CRUSHED, (2, 3), honest),
    ("a shell that would freeze", FROZEN, (0, 2, 3), honest),
    ("a bar beyond its stable step", HOPELESS, (2,), stopped),
    ("a beam too fast for its elements", TOO_FAST, (2,), stopped),
    ("a press on a ball that cannot yield", BLOCKED, (2,), lambda out, s, rows: None if "'press' was thrown" in out else out),
    ("a shell without a step", DEFAULT_STEP % (5, BALLOON), (0,), ran_by_default),
    ("a beam without a step", DEFAULT_STEP % (20, ROD), (0,), ran_by_default),
    ("a hundred thousand boxes fall", MANY, (0,), all_kept),
    ("tori", TORI, (0, 3), lambda out, s, rows: None),
    ("default rows", LONG, (0,), thinned),
    ("a box on a beam on a floor", ANVIL, (0,), never_rises),
    ("a box laid on a beam on a floor", LAID, (0,), lies),
    ("a shell whose points lose their area", COLLAPSED, (0, 2, 3), elements_told),
    ("a box on a pole, steps of 0.25 s", POLE % 0.25, (0, 3), deep_and_told),
    ("a box on a pole, steps of 0.1 s", POLE % 0.1, (0, 3), deep_and_told),
    ("a ball that spins", SPIN, (0,), bounced),
    ("bars on an oblique axis", GENERAL, (0,), exchanged),
    ("bars on the x axis", GENERAL.replace("[0.3, 0.1, -0.9]", "[1, 0, 0]"), (0,), exchanged),
    ("a soft shell in a room at 0.3", ROOM % (200, 0.3, "", BALLOON), (0, 2, 3), honest),
    ("a soft shell in a room at 0.5", ROOM % (100, 0.5, "", BALLOON), (0, 2, 3), honest),
    ("a beam that folds in a room at 0.3", ROOM % (300, 0.3, "", ROD), (0, 2, 3), honest),
    ("a beam that folds in a room at 0.5", ROOM % (20, 0.5, "", ROD), (2, 3), stopped_or_told),
    ("a beam that folds in a room at 0.8", ROOM % (20, 0.8, "", ROD), (2, 3), stopped_or_told),
    ("a beam in a room, steps that are cut, order 4", ROOM % (54, 0.3, "method: {step: event, order: 4}\n", ROD), (0, 2, 3), honest),
    ("a beam in a room, order 4 at whole steps", ROOM % (20, 0.3, "method: {step: leapfrog, order: 4}\n", ROD), (1,), lambda out, s, rows: None if "order 2 only" in out else out),
    ("a bar crushed, steps that are cut", CRUSHED.replace("leapfrog", "event"), (2, 3), stopped_or_told),
    ("a follower on a floor, a box of a metre", FOLLOWER, (0,), all_kept),
    ("a box on a pole, steps of 0.05 s", POLE % 0.05, (0, 3), deep_and_told),
    ("how deep, in print", SPRING % 1e4, (0, 3), printed),
    ("a grain beside a mountain", GRAIN, (0, 3), own_size),
    ("a spring that is too soft", SPRING % 10, (3,), through),
    ("a spring that is hard", SPRING % 1e5, (0,), all_kept),
    *((f"a box of {density:g} kg/m^3 on a beam on a floor, e = {e}, {v} m/s", PRESSED % (0.02, 0.3, e, density, v), (0, 3), never_rises_or_told)
      for density in (8000, 1e7) for e in (0, 0.5, 1) for v in (0, -3)),
    ("a follower on a floor", ON_A_FLOOR % "spin: [0, 0, 1], loads: [{force: [1, 0, 0], follower: true}]", (0,), all_kept),
    ("a driven bar that bounces", DRIVEN % 1, (0,), bounded_by_work),
    ("a driven bar that loses", DRIVEN % 0.5, (0,), bounded_by_work),
    ("a load that lifts", ON_A_FLOOR % "loads: [{force: [0, 0, 5], history: {ramp: {duration: 0.1}}}]", (0,), all_kept),
    ("a load that lifts and presses", ON_A_FLOOR % "loads: [{force: [0, 0, 5], history: {harmonic: {frequency: 20}}}]", (0,), all_kept),
    ("a pulse on a floor", ON_A_FLOOR % "loads: [{force: [8, 0, 0], history: {pulse: {duration: 0.5}}}]", (0,), all_kept),
]


def run(name, scene, codes, judge, folder):
    with open(os.path.join(folder, "scene.yaml"), "w", encoding="utf-8") as f:
        f.write("visviva: 1\n" + scene)
    done = subprocess.run([PROGRAM, "run", "scene.yaml", "-o", "out", "--overwrite"], cwd=folder, text=True, capture_output=True, timeout=900)
    if done.returncode not in codes:
        return f"exit code {done.returncode}: {done.stdout} {done.stderr}"
    if done.returncode == 1:
        return judge(done.stdout + done.stderr, None, None)
    with open(os.path.join(folder, "out/summary.json"), encoding="utf-8") as f:
        summary = json.load(f)
    with open(os.path.join(folder, "out/ledger.csv"), encoding="utf-8") as f:
        rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
    return judge(done.stdout + done.stderr, summary, rows)


def resumed(folder):
    """From the checkpoint it goes the same way: it is stopped again, at once but for the eight steps in which it is given another chance."""
    ends = []
    for way in ("--overwrite", "--resume"):
        done = subprocess.run([PROGRAM, "run", "scene.yaml", "-o", "out", way], cwd=folder, text=True, capture_output=True, timeout=900)
        if done.returncode != 2:
            return f"exit code {done.returncode}: {done.stderr}"
        ends.append(int(re.search(r"at step (\d+)", done.stderr).group(1)))
    return None if ends[0] <= ends[1] <= ends[0] + 8 else f"stopped at steps {ends}"


def answers(folder):
    """Two fine tori, of which a step may last: a signal is answered within a second (and what a busy machine adds to it)."""
    with open(os.path.join(folder, "scene.yaml"), "w", encoding="utf-8") as f:
        f.write("visviva: 1\n" + TORI.replace("240", "1000").replace("120", "500"))
    done = subprocess.Popen([PROGRAM, "run", "scene.yaml", "-o", "out", "--overwrite"], cwd=folder, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)
    try:
        done.wait(4)  # it may also have ended
    except subprocess.TimeoutExpired:
        done.terminate()
        try:
            done.wait(10)
        except subprocess.TimeoutExpired:
            done.kill()
            done.wait()
            return "no answer within 10 s"
    return None if done.returncode in (0, 2, 3, -15) else f"exit code {done.returncode}"


BALL = "time: {end: 10, step: 0.01}\nrecord: {every: 0.02}\nbodies:\n  a: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, velocity: [1, 0, 0]}\n"


def announced(folder):
    """What `check` says of the size of the results is what they take, within a factor of two: of rows, and of what ParaView is given to
    draw, which of a ball is more than all numbers."""
    return next(filter(None, (announced_of(folder, text) for text in (LONG, BALL, BALL.replace("0.02}", "10}")))), None)


def announced_of(folder, text):
    with open(os.path.join(folder, "scene.yaml"), "w", encoding="utf-8") as f:
        f.write("visviva: 1\n" + text)
    said = subprocess.run([PROGRAM, "check", "scene.yaml"], cwd=folder, text=True, capture_output=True).stdout
    found = re.search(r"results +about ([0-9.]+) (k|M)B", said)
    subprocess.run([PROGRAM, "run", "scene.yaml", "-o", "out", "--overwrite", "--quiet"], cwd=folder, capture_output=True)
    home = os.path.join(folder, "out")
    real = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(home) for name in names
               if name.startswith(("ledger", "results", "events", "run.", "rigid"))) / 1e6
    told = float(found[1]) / {"k": 1e3, "M": 1}[found[2]] if found else 0
    return None if 0.5 * real < told < 2 * real else f"{said}: it is {real} MB"


def main():
    bad = 0
    wanted = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for row in RUNS:
            if wanted and row[0] not in wanted:
                continue
            start = time.time()
            trouble = run(*row, folder)
            print(f"{'WRONG' if trouble else 'good'}: {row[0]}, {time.time() - start:.1f} s{': ' + trouble if trouble else ''}", flush=True)
            bad += trouble is not None
        trouble = run("", HOPELESS, (2,), stopped, folder) or resumed(folder)  # what it has left behind is whole
        print(f"{'WRONG' if trouble else 'good'}: the checkpoint of a hopeless run{': ' + trouble if trouble else ''}")
        bad += trouble is not None
        for name, look in (("a signal while fine meshes meet", answers), ("the size that is announced", announced)):
            if wanted and name not in wanted:
                continue
            trouble = look(folder)
            print(f"{'WRONG' if trouble else 'good'}: {name}{': ' + trouble if trouble else ''}")
            bad += trouble is not None
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
