"""Small scenes for the tests."""
BALL = {
    "time": {"end": 1.0, "step": 1e-3},
    "gravity": [0, 0, -9.81],
    "bodies": {
        "ball": {"kind": "rigid", "shape": {"ball": {"radius": 0.1}}, "mass": 2, "position": [0, 0, 0.6]},
        "floor": {"kind": "obstacle", "shape": {"plane": {"normal": [0, 0, 1]}}},
    },
}
BARS = """\
visviva: 1
title: Two bars meet
time: {end: 20, step: 0.05}
bodies:
  left:  {kind: bar, tips: {first: lumped}, length: 10, elements: 50, material: {young: 1, density: 1}, section: {area: 1}, position: -10.02, velocity: 0.1}
  right: {kind: bar, tips: {first: lumped}, length: 10, elements: 50, material: {young: 1, density: 1}, section: {area: 1}, position: 0, velocity: -0.1}
record: {every: 1}
"""
BEAM = {
    "time": {"end": 0.02, "step": {"safety": 0.3}},
    "bodies": {"rod": {"kind": "beam", "length": 1, "elements": 8, "section": {"circle": {"radius": 0.02}},
                       "material": {"young": 1e6, "density": 1000}, "velocity": [1, 0, 0]},
               "ring": {"kind": "beam", "length": 1, "elements": 8, "section": {"circle": {"radius": 0.02}},
                        "material": {"young": 1e6, "density": 1000}, "position": [0, 3, 0], "velocity": [0, 0, 2]}},
}
SHELL = {
    "time": {"end": 0.01, "step": {"safety": 0.3}},
    "bodies": {"egg": {"kind": "shell", "mesh": {"sphere": {"radius": 0.1, "level": 1}}, "thickness": 0.005,
                       "material": {"young": 1e5, "poisson": 0.3, "density": 1000}, "velocity": [0, 1, 0]}},
}
