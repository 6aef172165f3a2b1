"""Words that random scenes seldom have, added to one: loads that vary and follow, drives, drag, pressure, joints, many of them at once."""
import math

import scenes


def _history(r, end):
    return r.choice([{"harmonic": {"frequency": 2 * math.pi * r.choice([1, 3, 10]) / end, "phase": r.choice([0, 1.57])}},
                     {"pulse": {"duration": end * r.choice([0.1, 0.5])}}, {"ramp": {"duration": end * r.choice([0.05, 0.5])}}, {"constant": {}}])


def _mass(body, size):
    """About."""
    if body["kind"] == "rigid":
        return 0.1 * body["density"] * size ** 3
    area = {"shell": 3 * body.get("thickness", 0) * size, "beam": 3 * (size * 0.05) ** 2, "bar": body.get("section", {}).get("area", 0)}
    return body["material"]["density"] * body.get("length", size) * area[body["kind"]]


def _force(scene, body):
    r = scene.r
    return _mass(body, scene.size) * scene.speed ** 2 / scene.size * r.choice([0.3, 1, 5])


def _vector(r, size):
    return scenes._scaled(scenes._unit(r), size)


def _rigid(scene, body, end):
    r, rate, draw = scene.r, scene.speed / scene.size, scene.r.random()
    if draw < 0.3:
        body["loads"] = [{"force": _vector(r, _force(scene, body)), "at": _vector(r, 0.1 * scene.size), "follower": r.random() < 0.5,
                          "history": _history(r, end)}]
    elif draw < 0.45 and "loads" not in body:
        for word in ("velocity", "spin", "damping"):
            body.pop(word, None)
        body["motion"] = {"displacement": _vector(r, scene.size * r.choice([0.1, 1])), "history": {"harmonic": {"frequency": rate * r.choice([1, 3])}},
                          "spin": _vector(r, r.choice([0, rate]))}
        body["density"] *= r.choice([1, 100])
    if "motion" not in body and r.random() < 0.25:
        body["damping"] = {"linear": rate * r.choice([0.1, 1, 5]), "angular": rate}


def _beam(scene, body, end):
    r, draw = scene.r, scene.r.random()
    if draw < 0.3:
        force = _force(scene, body)
        body["loads"] = [{"at": r.choice([0, 1]), "force": _vector(r, force), "moment": _vector(r, 0.05 * force * scene.size),
                          "follower": r.random() < 0.5, "history": _history(r, end)}]
    elif draw < 0.5:
        body["distributed"] = [{"force": _vector(r, _force(scene, body) / scene.size), "follower": r.random() < 0.5, "history": _history(r, end)}]
    if r.random() < 0.2:
        mass = _mass(body, scene.size) * r.choice([0.1, 1])
        body["masses"] = [{"at": r.choice([0, 1]), "mass": mass, "inertia": [0.01 * mass * scene.size ** 2] * 3}]


def _shell(scene, body, end):
    r, draw = scene.r, scene.r.random()
    if draw < 0.35:
        pressure = body["material"]["density"] * body["thickness"] * scene.speed ** 2 / scene.size
        body["pressure"] = [{"value": pressure * r.choice([-1, 1, 3]), "history": _history(r, end)}]
    elif draw < 0.5:
        body["loads"] = [{"at": [0, 0, 0], "force": _vector(r, 0.2 * _force(scene, body)), "history": _history(r, end)}]


def _bar(scene, body, end):
    r, draw, at = scene.r, scene.r.random(), scene.r.choice(["first", "last"])
    if draw < 0.25:
        body["loads"] = [{"end": at, "force": _force(scene, body), "history": _history(r, end)}]
    elif draw < 0.45:
        body.setdefault("ends", {})[at] = "driven"
        body["drives"] = [{"end": at, "displacement": 0.05 * scene.size, "history": _history(r, end)}]
        body["velocity"] = 0
        body.pop("tips", None)
    if r.random() < 0.3:
        body["damping"] = r.choice([{"mass": scene.speed / scene.size}, {"bulk": 0.06}, {"stiffness": 0.01 * scene.size / scene.wave}])


def add(scene):
    """To a scene that is drawn; its r goes on."""
    r, end = scene.r, scene.scene["time"]["end"]
    add_to = {"rigid": _rigid, "beam": _beam, "shell": _shell, "bar": _bar}
    for name in scene.shapes:
        body = scene.bodies[name]
        add_to[body["kind"]](scene, body, end)
        if body["kind"] != "rigid" and r.random() < 0.2:
            body["damping"] = {"mass": scene.speed / scene.size * r.choice([0.1, 1, 5])}
    pinned = [name for name in scene.shapes if scene.bodies[name]["kind"] in ("rigid", "beam") and "motion" not in scene.bodies[name]]
    if pinned and r.random() < 0.4:
        name = r.choice(pinned)
        body = scene.bodies[name]
        body["velocity"] = body["spin"] = [0, 0, 0]
        scene.scene["joints"] = [{"kind": "ball", "bodies": [name, "ground"], "at": body["position"]}]
    if r.random() < 0.3:
        scene.scene["gravity"] = _vector(r, scene.speed ** 2 / scene.size * r.choice([0.1, 1]))
    scene.free = False
