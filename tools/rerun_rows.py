#!/usr/bin/env python3
"""rerun_rows.py PROGRAM [--rows N] [--seed S] [--all] [--list] [ID ...]

Picks N rows (50) of docs/validation.md at random, reruns them through the program, and compares the numbers with those of the
book.  The book itself is made by visviva-validate, which calls the library; this script knows only scenes, `visviva run`,
`check`, `study` and the files that they write.  A row takes part if there is a recipe for it below: the numbers, in the order
in which they stand in the row, None where one is not rerun.  Numbers agree if they differ by no more than 6 % (two printed
digits), or if both are rounding (below 1e-10).  Exit: 0 all agree, 1 some do not.
"""
import argparse, csv, json, math, pathlib, random, re, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
ROUNDING = 1e-10


class Run:
    """One run, its files read when somebody asks."""

    def __init__(self, folder, out, rc):
        self.folder, self.out, self.rc = folder, out, rc
        self.summary = json.loads((folder / "summary.json").read_text())
        self.energy = self.summary["energy"]["max_relative_error"]
        self.momentum = self.summary["momentum"]["max_drift"]
        self.spin = self.summary["angular_momentum"]["max_drift"]
        self.impacts = self.summary["impacts"]

    def table(self, name):
        with open(self.folder / name) as f:
            return list(csv.DictReader(line for line in f if not line.startswith("#")))

    def column(self, name, key):
        return [float(row[key]) for row in self.table(name)]

    def events(self):
        return self.table("events.csv")

    def body(self, name, key):
        return [float(r[key]) for r in self.table("bodies.csv") if r["body"] == name]


class Program:
    def __init__(self, path, folder):
        self.path, self.folder, self.known = str(path), pathlib.Path(folder), {}

    def call(self, *args, text=None):
        return subprocess.run([self.path, *args], capture_output=True, text=True, input=text)

    def run(self, scene, structure=False, text=None, **sets):
        """A scene of examples/ (or its text), with values set: a__b=c is a.b=c, a__0__b is a[0].b."""
        def path(key):
            return re.sub(r"\.(\d+)(?=\.|$)", r"[\1]", key.replace("__", "."))
        pairs = tuple((path(k), str(v)) for k, v in sets.items())
        key = (str(scene), structure, text, pairs)
        if key not in self.known:
            out = self.folder / f"run{len(self.known)}"
            args = ["run", "-" if text else str(EXAMPLES / scene), "-o", str(out), "--overwrite"]
            for k, v in pairs:
                args += ["--set", f"{k}={v}"]
            done = self.call(*args, *(["--check-structure"] if structure else []), text=text)
            if not (out / "summary.json").exists():
                raise RuntimeError(done.stderr.strip() or "no summary")
            self.known[key] = Run(out, done.stdout, done.returncode)
        return self.known[key]

    def study(self, scene, *args):
        done = self.call("study", str(EXAMPLES / scene), *args, "-o", str(self.folder / "study"), "--overwrite")
        with open(self.folder / "study" / "study.csv") as f:
            rows = list(csv.DictReader(line for line in f if not line.startswith("#")))
        if not rows:
            raise RuntimeError(done.stderr.strip())
        return [e for e in (float(r["error"]) for r in rows) if math.isfinite(e) and e > 0]


def pairs_and_fit(size, error):
    pairs = [math.log(error[i] / error[i + 1]) / math.log(size[i] / size[i + 1]) for i in range(len(size) - 1)]
    x, y, n = [math.log(s) for s in size], [math.log(e) for e in error], len(size)
    fit = (n * sum(a * b for a, b in zip(x, y)) - sum(x) * sum(y)) / (n * sum(a * a for a in x) - sum(x) ** 2)
    return pairs + [fit]


# ---- the recipes ----

RECIPE = {}


def row(*ids):
    def keep(f):
        for i in ids:
            RECIPE[i] = f
        return f
    return keep


CASES = range(1, 7)


def bars(p, case, cti, **sets):
    return p.run(f"demoures2017/bars-case{case}-cti{cti}.yaml", **sets)


def tips(p, case, word, jump, step=None, **more):
    sets = {"method__jump": jump}
    if word == "cell":
        sets |= {f"bodies__{b}__tips__{e}": "cell" for b in ("left", "right") for e in ("first", "last")}
    if step:
        sets["time__step"] = step
    return bars(p, case, 2 if word == "split" else 1, **sets, **more)


@row("D1")
def d1(p, cti=1):
    errors = [bars(p, c, cti).energy for c in CASES]
    return [min(errors), 1 + errors.index(min(errors)), max(errors), 1 + errors.index(max(errors)), None, None, None, None,
            None, bars(p, 1, cti, time__step=0.0005).energy]


@row("D2")
def d2(p):
    return d1(p, 2)


@row("D3")
def d3(p):
    ratio = [bars(p, c, 1).energy / bars(p, c, 2).energy for c in CASES]
    return [min(ratio), max(ratio)]


@row("D4")
def d4(p):
    return [max(bars(p, c, k).momentum for c in CASES for k in (1, 2))]


@row("D5")
def d5(p):
    runs = [bars(p, c, k) for c in CASES for k in (1, 2)]
    jump = max(abs(float(e["energy_jump"])) / r.summary["energy"]["scale"] for r in runs for e in r.events())
    return [max(r.summary["max_event_residual"] for r in runs), sum(r.summary["fallbacks"] for r in runs), None, jump]


@row("D6")
def d6(p, cti=1):
    impulses = [float(e["normal_impulse"]) for c in CASES for e in bars(p, c, cti).events()]
    return [sum(i < 0 for i in impulses), len(impulses)]


@row("D34")
def d34(p):
    return d6(p, 2)


@row("D11")
def d11(p):
    return [float(bars(p, 1, k).events()[-1]["time"]) - 0.1 for k in (1, 2)]


@row("D15")
def d15(p):
    ratio = [bars(p, c, 2).summary["stable_step"] / bars(p, c, 1).summary["stable_step"] for c in CASES]
    return [min(ratio), max(ratio)]


@row("D17")
def d17(p):
    runs = [tips(p, c, w, "modified") for c in CASES for w in ("lumped", "split", "cell")]
    return [max(r.energy for r in runs), sum(r.summary["fallbacks"] for r in runs)]


@row("D18")
def d18(p):
    return [max(tips(p, c, w, "modified", 0.06).energy for c in CASES for w in ("lumped", "split", "cell"))]


@row("D19")
def d19(p):
    return [max(tips(p, c, w, "modified", s).momentum for c in CASES for w in ("lumped", "split", "cell") for s in (None, 0.06))]


@row("D20")
def d20(p):
    def apart(jump):
        times = [float(bars(p, 1, 1, method__jump=jump,
                            bodies__left__position=repr(-10 - 0.2 * (0.105 + d))).events()[-1]["time"]) for d in (-1e-13, 1e-13)]
        return abs(times[0] - times[1])
    return [apart("modified"), apart("slab")]


@row("D22")
def d22(p):
    n = {c: sum(e["kind"] == "on" for e in tips(p, c, "cell", "modified").events()) for c in CASES}
    return [1, sum(n[c] == 1 for c in (1, 2, 4, 5, 6)), 5, 3, n[3]]


@row("D23")
def d23(p):
    return [min(tips(p, c, "cell", "modified").summary["stable_step"] / bars(p, c, 1).summary["stable_step"] for c in CASES)]


@row("D25")
def d25(p):
    def late(n):
        r = tips(p, 1, "cell", "modified", 0.75 / n, time__end=25, bodies__left__elements=n, bodies__right__elements=n)
        return abs(float(r.events()[-1]["time"]) - 20.1)
    return [late(50), 50, late(400), 400]


def two_walls(p, word, safety):
    return p.run("", text=f"""visviva: 1
time: {{end: 20000, step: {{safety: {safety}}}}}
method: {{step: event, jump: modified}}
bodies:
  bar: {{kind: bar, length: 1, elements: 10, material: {{young: 1, density: 1}}, section: {{area: 1}}, tips: {{first: {word}, last: {word}}}, position: -1.05, velocity: 0.1}}
  front: {{kind: obstacle, shape: {{plane: {{normal: [-1, 0, 0], offset: 0}}}}}}
  back: {{kind: obstacle, shape: {{plane: {{normal: [1, 0, 0], offset: -1.1}}}}}}
record: {{ledger: 1000, every: 500, events: 0}}
""")


@row("D28")
def d28(p):
    return [two_walls(p, "lumped", 0.8).energy]


@row("D29")
def d29(p):
    return [two_walls(p, "cell", 0.3).energy]


@row("D30")
def d30(p):
    return [two_walls(p, "cell", 0.8).energy]


def structure(p, case, cti, **sets):
    return bars(p, case, cti, structure=True, time__end=25, **sets).summary["structure"]


@row("D31")
def d31(p):
    return [max(structure(p, c, k)["symplectic"] for c in CASES for k in (1, 2)), 3, 2, 14.1]


@row("D32")
def d32(p):
    out = [structure(p, c, k, method__jump="modified")["symplectic"] for c in CASES for k in (1, 2)]
    return [max(out)]


@row("D36")
def d36(p):
    exact = {1: (-0.1, 0.1), 2: (-0.176393, -0.044721), 3: (-0.075078, 0.075078), 4: (0, 0.1), 5: (-0.1, 0.1), 6: (0, 1)}
    mass = {2: (10, 50), 4: (10, 5)}
    half = {6: 0.5}
    out = []
    for cti in (1, 2):
        off = {}
        for c in CASES:
            r = bars(p, c, cti)
            v = [r.body(b, "p_x")[-1] / mass.get(c, (10, 10))[i] for i, b in enumerate(("left", "right"))]
            off[c] = max(abs(v[i] - exact[c][i]) for i in (0, 1)) / half.get(c, 0.1)
        worst = max(off, key=off.get)
        out += [100 * off[worst], cti, worst]
    return out


@row("D37")
def d37(p):
    r = bars(p, 5, 1, bodies__right__elements=2), bars(p, 5, 1)
    return [5, r[0].energy, r[0].impacts, 0.4, r[1].energy, r[1].impacts]


@row("M1")
def m1(p):
    e = {c: bars(p, c, 1).energy for c in (1, 4, 6)}
    return [min(e.values()), max(e.values()), max(e, key=e.get)]


@row("M2")
def m2(p):
    return [max(bars(p, c, 1).momentum for c in (1, 4, 6))]


@row("M4")
def m4(p, key="multisymplectic"):
    return [max(structure(p, c, k)[key] for c in CASES for k in (1, 2)), 3, 2, 14.1]


@row("M5")
def m5(p):
    return m4(p, "noether")


@row("M6")
def m6(p):
    wrong = [structure(p, c, 1, method__jump="nodal") for c in CASES]
    return [max(structure(p, c, k)["symplectic"] for c in CASES for k in (1, 2)), min(w["symplectic"] for w in wrong),
            max(w["symplectic"] for w in wrong), 70, max(w["multisymplectic"] for w in wrong)]


@row("M7")
def m7(p):
    r = bars(p, 1, 1, bodies__left__velocity=1, bodies__right__velocity=-0.1, bodies__left__position=-10.11)
    return [r.energy, r.momentum, r.impacts]


FALLS = ["fast-A5-dt4e-5", "fast-A10-dt4e-5", "fast-A20-dt1e-5", "slow-A10-dt4e-5", "slow-A10-dt2e-5", "slow-A16-dt2e-5",
         "slowest-A10-dt4e-5", "slowest-A10-dt2e-5"]


def fall(p, name, jump="nodal", **sets):
    return p.run(f"demoures2017/beam-{name}.yaml", method__jump=jump, **sets)


def first_speed(p, which, index=0, **sets):
    return [-float(fall(p, n, **sets).events()[index]["normal_speed"]) for n in FALLS if n.split("-")[0] == which]


@row("I1")
def i1(p):
    v = first_speed(p, "fast")
    return [min(v), max(v)]


@row("I2")
def i2(p):
    v = first_speed(p, "slow")
    return [min(v), max(v)]


@row("I3")
def i3(p):
    v = first_speed(p, "slowest", 1)
    return [min(v), max(v), 0, first_speed(p, "slowest")[0]]


def spin_drift(p, name, jump, **sets):
    r = fall(p, name, jump, record__ledger=1, **sets)
    out = 0.0
    for key in ("L_z", "p_x", "p_y"):
        x = r.column("ledger.csv", key)
        out = max(out, max(abs(v / x[0] - 1) for v in x))
    return out


@row("I10")
def i10(p):
    return [max(spin_drift(p, n, j) for n in FALLS for j in ("nodal", "slab"))]


@row("I11", "I12")
def i11(p):
    return [max(spin_drift(p, n, j) for n in FALLS[3:] for j in ("nodal", "slab"))]


@row("I13")
def i13(p):
    runs = [fall(p, n, "slab") for n in FALLS]
    return [None, sum(r.impacts for r in runs), sum(r.summary["fallbacks"] for r in runs)]


@row("I14")
def i14(p):
    runs = [fall(p, n) for n in FALLS]
    return [max(abs(float(e["energy_jump"])) for r in runs for e in r.events()), max(r.summary["max_penetration"] for r in runs)]


@row("I15")
def i15(p):
    r = p.run("demoures2016/beam-A20.yaml", method__jump="nodal")
    return [r.energy * r.summary["energy"]["scale"] / r.summary["energy"]["initial"]]


@row("I17")
def i17(p):
    return [-float(p.run("demoures2016/beam-A20.yaml", method__jump="nodal").events()[0]["normal_speed"]), 2016,
            first_speed(p, "fast")[2]]


@row("I26")
def i26(p):
    r = fall(p, FALLS[6], method__order=6, time__end=1,
             bodies__floor__shape="{sphere: {centre: [0, 0, -1.005], radius: 1}}")
    return [r.impacts, r.energy, None, r.summary["max_penetration"]]


@row("I27")
def i27(p):
    r = fall(p, FALLS[6], method__order=6, contacts="[{friction: 0.3}]")
    e = r.summary["energy"]
    lost = e["initial"] - e["final"]
    return [100 * lost / e["initial"], abs(lost / e["friction_loss"] - 1)]


PRINTED = ("{general: {area: 0.0025, bending: [5.208333333333334e-4, 5.208333333333334e-4], "
           "rotary: [5.208333333333334e-7, 5.208333333333334e-7, 1.0416666666666668e-6]}}")


@row("I32")
def i32(p):
    def speed(n, **s):
        return -float(fall(p, n, time__end=0.05, **s).events()[0]["normal_speed"])
    names = [FALLS[1], FALLS[3], FALLS[6]]
    return ([speed(n, bodies__beam__section=PRINTED) for n in names] +
            [fall(p, FALLS[6], bodies__beam__section=PRINTED).impacts, None, 12] + [speed(n) for n in names])


@row("I33")
def i33(p):
    s = fall(p, FALLS[1], "slab", time__end=0.05, structure=True)
    n = fall(p, FALLS[1], "nodal", time__end=0.05, structure=True)
    x = s.summary["structure"]
    return [s.impacts, x["symplectic"], x["multisymplectic"], x["noether"], n.summary["structure"]["symplectic"]]


def masses(p, scheme, a, **sets):
    return p.run(f"demoures2015/masses-{scheme}-A{a}.yaml", record__ledger=1, **sets)


def after_load(r, key):
    t, x = r.column("ledger.csv", "time"), r.column("ledger.csv", key)
    return [v for s, v in zip(t, x) if s >= 0.1 - 1e-9]


@row("B5")
def b5(p):
    out = 0.0
    for a in (22, 66):
        e = after_load(masses(p, "feem", a), "total")
        out = max(out, max(abs(v / e[0] - 1) for v in e))
    return [out]


@row("B7")
def b7(p):
    return [after_load(masses(p, s, 22, time__end=0.1), "strain")[0] for s in ("lgvi", "lavi", "feem")]


STEPS = [1.6e-4, 8e-5, 4e-5, 2e-5]
SIZES = [16, 32, 64, 128]


def arc(p, sets, *args):
    more = [x for s in sets for x in ("--set", s)]
    return p.study("demoures2015/convergence-arc.yaml", "--norm", "paper", *args, *more)


FEEM = ["method.step=energy-momentum", "method.start=half-kick", "bodies.beam.strain=one-point"]


@row("B11")
def b11(p):
    e = arc(p, FEEM, "--vary", "time.step=" + ",".join(map(str, STEPS)), "--reference", "time.step=1e-5")
    return pairs_and_fit(STEPS, e)


@row("B12")
def b12(p):
    e = arc(p, [], "--vary", "bodies.beam.elements=16,32,64,128", "--reference", "bodies.beam.elements=256")
    return [None] + pairs_and_fit([2 / a for a in SIZES], e)


@row("B13")
def b13(p):
    e = arc(p, FEEM, "--vary", "bodies.beam.elements=16,32,64,128", "--reference", "bodies.beam.elements=256")
    return pairs_and_fit([2 / a for a in SIZES], e)


@row("B10")
def b10(p):
    e = arc(p, [], "--vary", "time.step=" + ",".join(map(str, STEPS)), "--reference", "time.step=1e-5")
    return [None] + pairs_and_fit(STEPS, e)


@row("B17")
def b17(p):
    steps = STEPS + [1e-5]
    e = arc(p, [], "--vary", "time.step=" + ",".join(map(str, steps)), "--reference", "method.order=4", "--reference",
            "method.start=half-kick")
    return [None, None] + pairs_and_fit(steps, e)


@row("B21")
def b21(p):
    steps = [2.4e-3, 1.2e-3, 6e-4, 3e-4]
    e = arc(p, ["method.start=half-kick", "method.order=4"], "--vary", "time.step=" + ",".join(map(str, steps)), "--reference",
            "method.order=6", "--reference", "time.step=7.5e-5")
    return [None, None] + pairs_and_fit(steps, e)


def two_bars(p, word, step, **sets):
    return p.run(f"cirak2005/two-bars-dt{step}.yaml", contacts__0__projection=word, record__ledger=1, **sets)


READINGS = ("kept", "recomputed", "predictor", "half-step")


def nodal_change(r):
    e = r.column("ledger.csv", "nodal_total")
    return max((v / e[0] - 1 for v in e), key=abs)


@row("C2")
def c2(p):
    off = [max(abs(float(two_bars(p, w, s).events()[-1]["time"]) / 20 - 1) for s in (0.05, 0.01)) for w in READINGS]
    return [min(off), 100 * max(off)]


@row("C5")
def c5(p):
    off = [max(abs(nodal_change(two_bars(p, w, s))) for s in (0.05, 0.01)) for w in READINGS]
    return [100 * min(off), 100 * max(off)]


@row("C7")
def c7(p):
    return [max(two_bars(p, w, s).momentum for w in READINGS for s in (0.05, 0.01))]


@row("C8")
def c8(p):
    runs = [two_bars(p, "anticipate", s) for s in (0.05, 0.01)]
    return [max(r.energy for r in runs), 100 * max(abs(nodal_change(r)) for r in runs)]


@row("C9")
def c9(p):
    return [max(two_bars(p, "anticipate", s).summary["max_penetration"] for s in (0.05, 0.01))]


@row("C13")
def c13(p, step=0.05):
    out = []
    for w in READINGS:
        out += [100 * nodal_change(two_bars(p, w, step)),
                100 * nodal_change(two_bars(p, w, step, contacts__0__correction="energy"))]
    return out


@row("C14")
def c14(p):
    return c13(p, 0.01)


def ball(p, step, k=1e4):
    return p.run("energy-momentum-rigid/ball-in-shell.yaml", time__step=step, contacts__0__stiffness=k, record__ledger=1)


@row("R1")
def r1(p, k=1e4, step=0.01):
    t = ball(p, step, k).column("ledger.csv", "kinetic")
    return [max(abs(v / t[0] - 1) for v in t)]


@row("R2")
def r2(p):
    return r1(p, 3.05e6, 1e-3)


@row("R3")
def r3(p):
    return [max(ball(p, s).spin for s in (1, 0.1, 0.01))]


@row("R4")
def r4(p):
    return [max(ball(p, s).energy for s in (1, 0.1, 0.01))]


@row("R10")
def r10(p):
    runs = [p.run("energy-momentum-rigid/rod-in-box.yaml", time__step=s, record__ledger=100) for s in (1e-2, 1e-3, 1e-4)]
    return [max(max(r.energy, r.spin) for r in runs)]


@row("R11")
def r11(p):
    r = p.run("energy-momentum-rigid/rod-in-box-penalty.yaml", record__ledger=100)
    return [max(r.energy, r.spin)]


def wall(p, word, jump="modified", safety=0.8, n=100):
    first = "cell" if word == "cell" else "lumped"
    return p.run("newcomer/bar-on-wall.yaml", bodies__bar__tips__first=first, bodies__bar__tips__last=word,
                 bodies__bar__elements=n, time__step__safety=safety, method__step="event", method__jump=jump)


TIPS = ("lumped", "split", "cell")


@row("W1")
def w1(p):
    out = 0
    for w in TIPS:
        e = wall(p, w).events()
        out = max(out, abs((float(e[-1]["time"]) - float(e[0]["time"])) / (2 * 0.5 / math.sqrt(2.1e11 / 7800)) - 1))
    return [100 * out]


def rebound(r):
    x = r.column("ledger.csv", "p_x")
    return -x[-1] / x[0]


@row("W2")
def w2(p):
    return [min(rebound(wall(p, w)) for w in TIPS)]


@row("W4")
def w4(p):
    return [max(wall(p, w).energy for w in ("lumped", "cell"))]


@row("W5")
def w5(p):
    return [wall(p, "split").energy, 0.1, wall(p, "split", safety=0.1).energy]


@row("W6")
def w6(p):
    return [100 * wall(p, w, j).energy for j in ("slab", "nodal") for w in TIPS]


@row("W7")
def w7(p):
    return [100 * max(wall(p, w, j, 0.1).energy for j in ("slab", "nodal") for w in TIPS)]


@row("W8")
def w8(p):
    return [None] + [1 - rebound(wall(p, "cell", n=n)) for n in (50, 400)]


def spheres(p, **sets):
    return p.run("cirak2005/sphere-sphere-mu0.yaml", **sets)


@row("S3")
def s3(p):
    r = spheres(p)
    return [max(r.momentum, r.spin)]


@row("K14")
def k14(p):
    out = []
    for w in ("predictor", "half-step"):
        r = p.run("cirak2005/five-cubes.yaml", contacts__0__projection=w)
        out.append(100 * r.summary["energy"]["final_relative_error"])
    return out


# ---- joints ----

PENDULUM = """  bob: {kind: rigid, shape: {ball: {radius: 0.1}}, density: 238.73241463784, position: [-1, 0, 0]}
joints: [{kind: distance, bodies: [ground, bob], at: [0, 0, 0], to: [-1, 0, 0]}]
"""
TWO_RODS = """  upper: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, density: 100, position: [0.5, 0, 0]}
  lower: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, density: 100, position: [1.5, 0, 0]}
joints:
  - {kind: hinge, bodies: [ground, upper], at: [0, 0, 0], axis: [0, 0, 1]}
  - {kind: hinge, bodies: [upper, lower], at: [1, 0, 0], axis: [0, 0, 1]}
"""
BRICARD = """  one: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, density: 100, position: [0.5, 0, 0]}
  two: {kind: rigid, shape: {box: {size: [0.1, 1, 0.1]}}, density: 100, position: [1, -0.5, 0]}
  three: {kind: rigid, shape: {box: {size: [0.1, 0.1, 1]}}, density: 100, position: [1, -1, 0.5]}
  four: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, density: 100, position: [0.5, -1, 1]}
  five: {kind: rigid, shape: {box: {size: [0.1, 1, 0.1]}}, density: 100, position: [0, -0.5, 1]}
joints:
  - {kind: hinge, bodies: [ground, one], at: [0, 0, 0], axis: [0, 1, 0]}
  - {kind: hinge, bodies: [one, two], at: [1, 0, 0], axis: [0, 0, 1]}
  - {kind: hinge, bodies: [two, three], at: [1, -1, 0], axis: [1, 0, 0]}
  - {kind: hinge, bodies: [three, four], at: [1, -1, 1], axis: [0, 1, 0]}
  - {kind: hinge, bodies: [four, five], at: [0, -1, 1], axis: [0, 0, 1]}
  - {kind: hinge, bodies: [five, ground], at: [0, 0, 1], axis: [1, 0, 0]}
"""


def jointed(p, bodies, method, step, end, probes=""):
    return p.run("", text=f"""visviva: 1
time: {{end: {end * (1 + 1e-9)!r}, step: {step}}}
gravity: [0, -9.81, 0]
method: {{{method}}}
contacts: [{{response: none}}]
record: {{paraview: false, bodies: true, every: {end / 10}}}
{probes}bodies:
{bodies}""")


def landen_sn(u, k):
    a, c, b = [1.0], [k], math.sqrt(1 - k * k)
    while abs(c[-1]) > 1e-16 and len(a) < 16:
        a, c, b = a + [(a[-1] + b) / 2], c + [(a[-1] - b) / 2], math.sqrt(a[-1] * b)
    phi = 2 ** (len(a) - 1) * a[-1] * u
    for n in range(len(a) - 1, 0, -1):
        phi = (phi + math.asin(c[n] / a[n] * math.sin(phi))) / 2
    return math.sin(phi), 0.5 * math.pi / a[-1]


def swings(p, method):
    k = math.sqrt(0.5)
    half = k * landen_sn(landen_sn(0, k)[1] - math.sqrt(9.81) * 10, k)[0]
    exact = -2 * half * math.sqrt(1 - half * half)
    steps = [8e-3, 4e-3, 2e-3, 1e-3]
    error = []
    for h in steps:
        r = jointed(p, PENDULUM, method, h, 10, "probes: [{name: bob, body: bob, measure: position}]\n")
        error.append(abs(float(r.table("probes.csv")[-1]["bob_x"]) - exact))
    return [error[0], error[-1], pairs_and_fit(steps, error)[-1]]


@row("J1")
def j1(p):
    return swings(p, "step: leapfrog")


@row("J2")
def j2(p):
    return swings(p, "step: leapfrog, order: 4")


def swinging(p, bodies, method, end, band):
    r = jointed(p, bodies, method, 1e-3, end)
    worst = max(r.energy, r.momentum, r.spin)
    e = r.summary["energy"]
    return [worst, e["joint_gap"]] + ([max(abs(x) for x in r.column("ledger.csv", "joint_work")) / e["scale"]] if band else [])


@row("J3")
def j3(p):
    return swinging(p, TWO_RODS, "step: leapfrog", 100, False) + [None]


@row("J4")
def j4(p):
    return swinging(p, TWO_RODS, "step: energy-momentum", 100, False)


@row("J5")
def j5(p):
    return swinging(p, BRICARD, "step: leapfrog", 10, True)


@row("J6")
def j6(p):
    return swinging(p, BRICARD, "step: energy-momentum", 10, False)


@row("N15")
def n15(p):
    text = "".join(f"  b{i * (i + 1) // 2 + j}: {{kind: rigid, shape: {{ball: {{radius: 0.5}}}}, mass: 1, "
                   f"position: [{i * math.sqrt(0.75)!r}, {j - 0.5 * i}, 0]}}\n" for i in range(5) for j in range(i + 1))

    def uneven(method):
        r = p.run("", text="visviva: 1\ntime: {end: 0.3000001, step: 1e-3}\nmethod: {" + method + "}\nrecord: {bodies: true}\n"
                  "contacts: [{restitution: 1}]\nbodies:\n  cue: {kind: rigid, shape: {ball: {radius: 0.5}}, mass: 1, position: "
                  "[-2, 0, 0], velocity: [10, 0, 0]}\n" + text)
        v = {x["body"]: (float(x["p_x"]) / 10, float(x["p_y"]) / 10) for x in r.table("bodies.csv")}
        most = abs(v["cue"][1])
        for i in range(5):
            for j in range(i + 1):
                a, b = v[f"b{i * (i + 1) // 2 + j}"], v[f"b{i * (i + 1) // 2 + i - j}"]
                most = max(most, abs(a[0] - b[0]), abs(a[1] + b[1]))
        return most, r.energy
    all_of = [uneven(m) for m in ("locate: exact", "locate: none", "locate: none, simultaneous: complementarity")]
    return [max(all_of[0][0], all_of[1][0]), all_of[2][0], max(x[1] for x in all_of)]


# ---- grids, layers ----

@row("M8")
def m8(p):
    r = p.run("grids/bars-variational.yaml", structure=True)
    x = r.summary["structure"]
    return [None, r.energy, max(x["symplectic"], x["multisymplectic"]), None, r.summary["fallbacks"]]


@row("M9")
def m9(p):
    safety = [0.4, 0.2, 0.1, 0.05]
    runs = [p.run("grids/bars-asynchronous.yaml", time__step__safety=s, record__ledger=1) for s in safety]
    error = [r.energy for r in runs]
    return [error[0], error[-1], pairs_and_fit(safety, error)[-1], max(r.momentum for r in runs)]


@row("H12")
def h12(p):
    out = []
    for law in ("{restitution: 1}", "{layer: 1e11}"):
        out.append([p.run("layers/ring-on-floor.yaml", contacts=f"[{law}]", bodies__ring__elements=n, time__end=5e-3,
                           record__ledger=1)
                    for n in (40, 80, 160)])
    return [sum(1 for _ in r.table("contacts.csv")) for k in out for r in k] + [r.energy for k in out for r in k]


# ---- comparing ----

NUMBER = re.compile(r"(?<![\w.^])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w^])")


def book_rows():
    rows = {}
    for line in (ROOT / "docs" / "validation.md").read_text().splitlines():
        m = re.match(r"\| ([A-Z]\d+) \|", line)
        if m:
            rows[m.group(1)] = [c.strip() for c in line.strip().strip("|").split(" | ")]
    return rows


def agrees(a, b):
    return abs(a - b) <= 0.06 * max(abs(a), abs(b)) or (abs(a) < ROUNDING and abs(b) < ROUNDING) or abs(a - b) < 1e-12


def compare(program, name, cell):
    printed = [float(x) for x in NUMBER.findall(cell)]
    wanted = RECIPE[name](program)
    if len(printed) < len(wanted):
        return False, 0, f"{len(wanted)} numbers rerun, {len(printed)} in the book"
    bad = [f"{w:.3g} here, {x:.3g} in the book" for w, x in zip(wanted, printed) if w is not None and not agrees(w, x)]
    return not bad, sum(w is not None for w in wanted), "; ".join(bad)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("program")
    args.add_argument("ids", nargs="*")
    args.add_argument("--rows", type=int, default=50)
    args.add_argument("--seed", type=int, default=None)
    args.add_argument("--all", action="store_true")
    args.add_argument("--list", action="store_true")
    o = args.parse_args()
    book = book_rows()
    able = sorted(set(RECIPE) & set(book), key=lambda i: (i[0], int(i[1:])))
    if o.list:
        print(f"{len(able)} of {len(book)} rows:", *able)
        return 0
    seed = o.seed if o.seed is not None else random.SystemRandom().randrange(10**6)
    chosen = o.ids or (able if o.all else random.Random(seed).sample(able, min(o.rows, len(able))))
    failed = numbers = 0
    with tempfile.TemporaryDirectory() as folder:
        program = Program(pathlib.Path(o.program).resolve(), folder)
        for name in chosen:
            try:
                good, n, why = compare(program, name, book[name][3])
            except (RuntimeError, OSError, KeyError, IndexError) as e:
                good, n, why = False, 0, f"{type(e).__name__}: {e}"
            numbers += n
            failed += not good
            print(f"{name:4} {'agrees' if good else 'DIFFERS'} {n:3} numbers  {book[name][3][:80] if good else why}", flush=True)
    print(f"seed {seed}: {len(chosen) - failed} of {len(chosen)} rows agree, {numbers} numbers, {len(program.known)} runs")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
