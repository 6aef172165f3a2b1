"""Random scenes of every kind, law, load, method and size.  A seed is a scene, for ever: what is drawn depends on nothing else."""
import json
import math
import random


def _unit(r):
    while True:
        v = [r.uniform(-1, 1) for _ in range(3)]
        size = math.sqrt(sum(c * c for c in v))
        if 0.1 < size <= 1:
            return [c / size for c in v]


def _scaled(v, factor):
    return [factor * c for c in v]


def _sum(*v):
    return [sum(c) for c in zip(*v)]


def _log(r, low, high):
    return math.exp(r.uniform(math.log(low), math.log(high)))


def _corners(size):
    return [[sx * size[0] / 2, sy * size[1] / 2, sz * size[2] / 2] for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)]


LINES = 60_000_000  # scenes from this seed on may have bars in line; those before stay what they were
RARE = 600_000_000  # and those from this one on loads that vary, drives, drag, joints (rare.py)


class Scene:
    """`text` for the program, `shapes` for the geometry, and what is known of it beforehand."""

    def __init__(self, seed):
        r = self.r = random.Random(seed)
        self.seed = seed
        self.size = _log(r, 0.01, 2)      # m: of a body
        self.wave = _log(r, 50, 3000)     # m/s, of all that bends
        self.density = _log(r, 100, 8000)
        self.bends = r.random() < 0.75
        self.speed = self.wave * _log(r, 0.002, 0.02) if self.bends else _log(r, 0.1, 10)
        self.bodies, self.shapes, self.planes, self.lines = {}, {}, [], []
        self.free = True                  # nothing outside acts
        self.spread = r.random() < 0.3    # of masses
        self.draw()

    # ---- what a body is made of ----

    def material(self, kind):
        r, density = self.r, self.density * (_log(self.r, 0.01, 100) if self.spread else 1)
        m = {"young": density * self.wave ** 2, "density": density}
        if kind != "bar":
            m["poisson"] = r.choice([0, 0.3, 0.45])
        draw = r.random()
        if draw < 0.12:
            m.update(law="j2")
            m["yield"] = m["young"] * _log(r, 1e-4, 1e-2)
            if r.random() < 0.5:
                m["hardening"] = m["young"] * r.choice([0.01, 0.1])
            if r.random() < 0.2:
                m["failure"] = {"strain": r.choice([0.05, 0.3]), "energy": 0}
        elif draw < 0.25 and kind in ("bar", "shell"):
            m["law"] = "neo-hookean"
        return m

    def common(self, body):
        r = self.r
        if r.random() < 0.1:
            body["damping"] = {"linear" if body["kind"] == "rigid" else "mass": r.choice([0.1, 1]) * self.speed / self.size}
            self.free = False
        elif r.random() < 0.05 and body["kind"] != "rigid":
            f = self.wave / self.size
            body["damping"] = {"ratio": {"value": 0.02, "from": f / 100, "to": f}}
        return body

    # ---- kinds: each returns a body about a place, with a velocity ----

    def bar(self, at, v):
        r, axis = self.r, _unit(self.r)
        length = self.size * r.uniform(0.5, 2)
        body = {"kind": "bar", "length": length, "elements": r.randint(2, 24), "section": {"area": (self.size * 0.05) ** 2},
                "material": self.material("bar"), "axis": axis, "origin": _sum(at, _scaled(axis, -length / 2)),
                "velocity": sum(a * b for a, b in zip(axis, v))}
        if r.random() < 0.3:
            body["tips"] = {"first": r.choice(["lumped", "cell"]), "last": r.choice(["lumped", "cell"])}
        if r.random() < 0.1:
            body["ends"] = {r.choice(["first", "last"]): "fixed"}
        self.free = False  # guided
        return body, {"is": "tips"}

    def beam(self, at, v):
        r, axis = self.r, _unit(self.r)
        length, thick = self.size * r.uniform(0.7, 2), self.size * r.choice([0.02, 0.05, 0.1])
        if r.random() < 0.6:
            section, shape = {"circle": {"radius": thick}}, {"is": "line", "radius": thick}
        else:
            a, b = 2 * thick, 2 * thick * r.choice([1, 0.5])
            section, shape = {"rectangle": {"width": a, "height": b}}, {"is": "prism", "half": [a / 2, b / 2]}
        body = {"kind": "beam", "length": length, "elements": r.randint(3, 16), "section": section, "material": self.material("beam"),
                "axis": axis, "normal": _unit(r), "position": _sum(at, _scaled(axis, -length / 2)), "velocity": v}
        if r.random() < 0.5:
            body["spin"] = _scaled(_unit(r), self.speed / self.size)
        if r.random() < 0.15:
            body["ends"] = {r.choice(["first", "last"]): r.choice(["clamped", "pinned"])}
            self.free = False
        return body, shape

    def shell(self, at, v):
        r, size = self.r, self.size
        mesh = r.choice([{"sphere": {"radius": size / 2, "frequency": r.randint(2, 4)}},
                         {"rectangle": {"size": [size, size], "pieces": [r.randint(2, 6), r.randint(2, 6)]}},
                         {"cube": {"edge": size * 0.7, "pieces": r.randint(2, 4)}},
                         {"cylinder": {"radius": size / 3, "height": size, "around": r.randint(6, 12), "along": r.randint(2, 5)}},
                         {"disc": {"radius": size / 2, "rings": r.randint(2, 4)}}])
        body = {"kind": "shell", "mesh": mesh, "thickness": size * r.choice([0.005, 0.02, 0.05]), "material": self.material("shell"),
                "centre": at, "rotation": _scaled(_unit(r), r.uniform(0, 3)), "velocity": v}
        if r.random() < 0.3:
            body["spin"] = _scaled(_unit(r), self.speed / size)
        if r.random() < 0.1 and next(iter(mesh)) in ("rectangle", "disc"):
            body["edges"] = [{"hold": r.choice(["clamped", "supported"])}]
            self.free = False
        if r.random() < 0.08:
            body["pressure"] = [{"value": body["material"]["young"] * 1e-7}]
            self.free = False
        return body, {"is": "surface"}

    def rigid(self, at, v):
        r, size = self.r, self.size
        draw = r.random()
        if draw < 0.35:
            radius = size * r.uniform(0.2, 0.5)
            shape, pieces = {"ball": {"radius": radius}}, [([[0, 0, 0]], radius)]
        elif draw < 0.65:
            edges = [size * r.uniform(0.2, 0.6) for _ in range(3)]
            shape, pieces = {"box": {"size": edges}}, [(_corners(edges), 0)]
        elif draw < 0.8:
            length, radius = size * r.uniform(0.2, 0.6), size * r.uniform(0.05, 0.2)
            shape, pieces = {"capsule": {"length": length, "radius": radius}}, [([[0, 0, -length / 2], [0, 0, length / 2]], radius)]
        elif draw < 0.92:
            length, radius = size * r.uniform(0.1, 0.6), size * r.uniform(0.1, 0.3)
            inner = radius * math.cos(math.pi / 32)  # shells meet a prism of 32 sides (docs/rigid.md)
            rim = [[inner * math.cos(2 * math.pi * i / 24), inner * math.sin(2 * math.pi * i / 24), z]
                   for i in range(24) for z in (-length / 2, length / 2)]
            shape, pieces = {"cylinder": {"length": length, "radius": radius}}, [(rim, 0)]
        else:
            edges, radius = [size * 0.4, size * 0.3, size * 0.2], size * 0.15
            shape = {"compound": {"parts": [{"shape": {"box": {"size": edges}}},
                                            {"shape": {"ball": {"radius": radius}}, "centre": [size * 0.3, 0, 0]}]}}
            pieces = [(_corners(edges), 0), ([[size * 0.3, 0, 0]], radius)]
        body = {"kind": "rigid", "shape": shape, "density": self.density * (_log(r, 0.01, 100) if self.spread else 1), "position": at,
                "velocity": v, "spin": _scaled(_unit(r), r.choice([0, 1, 5]) * self.speed / size)}
        if r.random() < 0.06:
            body["loads"] = [{"force": _scaled(_unit(r), self.density * size ** 2 * self.speed ** 2 * 0.1)}]
            self.free = False
        return body, {"is": "rigid", "pieces": pieces}

    # ---- the whole ----

    def places(self, n):
        """Cells of a grid around the middle, so far apart that nothing overlaps."""
        side = 2 if n <= 8 else 3
        cells = [[i, j, k] for i in range(side) for j in range(side) for k in range(side)]
        self.r.shuffle(cells)
        gap = self.size * self.r.uniform(1.0, 2.3)
        return [[(c - (side - 1) / 2) * gap for c in cell] for cell in cells[:n]], gap * side

    def outside(self, extent):
        r = self.r
        draw = r.random()
        if draw < 0.35:
            normal = r.choice([[0, 0, 1], _unit(r)])
            offset = -extent
            self.bodies["floor"] = {"kind": "obstacle", "shape": {"plane": {"normal": normal, "offset": offset}}}
            self.planes.append((normal, offset))
        elif draw < 0.5:
            self.bodies["walls"] = {"kind": "obstacle", "shape": {"room": {"size": [2.5 * extent] * 3}}}
            for i in range(3):
                for s in (-1, 1):
                    self.planes.append(([s if j == i else 0 for j in range(3)], -1.25 * extent))
        if draw < 0.5:
            self.free = False

    def method(self):
        r, draw = self.r, self.r.random()
        if draw < 0.75:
            return {}
        return {"step": r.choice(["leapfrog", "leapfrog", "event", "energy-momentum", "dcr2005"])}

    def contacts(self):
        r = self.r
        law = {"restitution": r.choice([0, 0.3, 0.5, 0.9, 1, 1])}
        draw = r.random()
        if draw < 0.4:
            law["friction"] = r.choice([0.1, 0.3, 1])
        elif draw < 0.5:
            law["friction"] = {"static": 0.5, "kinetic": 0.3}
        if r.random() < 0.15:
            law["thickness"] = True
        self.thick = law.get("thickness", False)
        return [law]

    def draw(self):
        r = self.r
        n = r.choice([1, 2, 2, 3, 3, 4, 5, 6])
        kinds = [self.bar, self.beam, self.beam, self.shell, self.shell, self.rigid, self.rigid] if self.bends else [self.rigid]
        places, extent = self.places(n)
        for i, at in enumerate(places):
            inward = [-c for c in at]
            far = math.sqrt(sum(c * c for c in inward)) or 1
            v = _sum(_scaled(inward, self.speed / far * r.uniform(0.3, 1)), _scaled(_unit(r), self.speed * 0.3))
            body, shape = r.choice(kinds)(at, v)
            self.bodies[f"b{i}"], self.shapes[f"b{i}"] = self.common(body), shape
        if self.seed >= LINES:
            self.line_up(random.Random(self.seed ^ 0x11e))
        self.outside(extent)
        end = r.choice([1, 2, 4]) * extent / self.speed
        scene = {"visviva": 1, "title": f"seed {self.seed}", "time": {"end": end}, "contacts": self.contacts()}
        if self.bends:
            if r.random() < 0.2:
                scene["time"]["step"] = {"safety": r.choice([0.1, 0.2, 0.5, 0.7])}
        else:
            scene["time"]["step"] = end / r.choice([200, 1000, 3000])
        if r.random() < 0.4:
            scene["gravity"] = _scaled([0, 0, -1], self.speed ** 2 / extent)
            self.free = False
        method = self.method()
        if method:
            scene["method"] = method
        scene["record"] = {"every": end / 40, "paraview": False, "checkpoint": end / 7}
        scene["bodies"] = self.bodies
        self.scene = scene
        if self.seed >= RARE:
            import rare  # it asks for what is above
            rare.add(self)

    def line_up(self, r):
        """Behind some bars another one on the same oblique line, that comes after it: they meet, and keep their order."""
        for name, first in list(self.bodies.items()):
            if first["kind"] != "bar" or r.random() < 0.4:
                continue
            second = json.loads(json.dumps(first))
            second["length"] *= r.uniform(0.3, 1)
            second["elements"] = r.randint(2, 12)
            second["origin"] = _sum(first["origin"], _scaled(first["axis"], -second["length"] - first["length"] * r.choice([0.01, 0.05, 0.1])))
            second["velocity"] = first["velocity"] + self.speed * r.uniform(0.5, 2)
            second.pop("ends", None), second.pop("loads", None)
            self.bodies[name + "l"], self.shapes[name + "l"] = second, {"is": "tips"}
            self.lines.append((name + "l", name, first["axis"]))

    def shorten(self, factor):
        """Ends earlier, with as many frames and checkpoints."""
        self.scene["time"]["end"] *= factor
        for what in ("every", "checkpoint"):
            self.scene["record"][what] *= factor

    @property
    def text(self):
        return json.dumps(self.scene, indent=1)

    @property
    def kinds(self):
        return "+".join(sorted({b["kind"] for b in self.bodies.values()}))

    @staticmethod
    def longer(path):
        """An end of time a little later than that of the scene in a file."""
        with open(path) as text:
            return 1.1 * json.load(text)["time"]["end"]
