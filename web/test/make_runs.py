#!/usr/bin/python3
"""Result folders for the tests of the report page, with what no small scene has: many shell elements, copies of solids,
names that try to break out.  make_runs.py FOLDER writes FOLDER/shell, FOLDER/solids, FOLDER/hostile, FOLDER/burst."""
import json
import math
import os
import sys

import h5py
import numpy as np

LEDGER = ("step,time,kinetic,strain,potential,contact,external_work,friction_loss,restitution_loss,total,closure,"
          "p_x,p_y,p_z,L_x,L_y,L_z,contacts,penetration,nodal_total,impacts")
LEDGER_UNITS = "1,s,J,J,J,J,J,J,J,J,1,kg m/s,kg m/s,kg m/s,kg m^2/s,kg m^2/s,kg m^2/s,1,m,J,1"
EVENTS = ("time,body_a,feature_a,body_b,feature_b,x,y,z,n_x,n_y,n_z,normal_speed,normal_impulse,tangential_impulse,"
          "energy_jump,kind,residual,node_a,node_b")
EVENT_UNITS = "s,-,-,-,-,m,m,m,1,1,1,m/s,N s,N s,J,-,1,1,1"


def text(name):
    data = name.encode()
    return np.array(data, dtype=f"S{len(data) + 1}")


def cell(word):
    return '"' + word.replace('"', '""') + '"' if any(c in word for c in ',"\n\r') else word


def write(folder, title, time, bodies, events=(), rows=200, scene="visviva: 1\n"):
    os.makedirs(folder, exist_ok=True)
    end = float(time[-1])
    with open(f"{folder}/ledger.csv", "w") as f:
        f.write(f"# units: {LEDGER_UNITS}\n{LEDGER}\n")
        for k in range(rows):
            t, a = end * k / (rows - 1), 7 * k / (rows - 1)
            kinetic, strain = 1 + math.cos(a), 1 - math.cos(a)
            row = [k, t, kinetic, strain, 0, 0, 0, 0, 0, kinetic + strain, 1e-12 * math.sin(3 * a) * (k > 0),
                   math.sin(a), 0.5, -a, 0, 0.1 * a, 1, k % 3, 1e-9 * (k % 7), kinetic + strain, k // 9]
            f.write(",".join(repr(float(x)) if isinstance(x, float) else str(x) for x in row) + "\n")
    with open(f"{folder}/events.csv", "w") as f:
        f.write(f"# units: {EVENT_UNITS}\n{EVENTS}\n")
        for t, a, b, x, n, impulse in events:
            numbers = [*x, *n, -1.5, impulse, 0.25 * impulse, -0.125]
            f.write(f"{t!r},{cell(a)},node,{cell(b)},plane," + ",".join(repr(float(v)) for v in numbers) + ",bounce,1e-16,3,-1\n")
    with open(f"{folder}/scene.yaml", "w") as f:
        f.write(scene)
    claims = [{"name": "energy", "nature": "exact", "bound": 1e-10, "worst": 1e-12, "when": 0.5 * end, "kept": True},
              {"name": "penetration", "nature": "bounded", "bound": 1e-9, "worst": 6e-9, "when": 0.25 * end, "kept": False}]
    with open(f"{folder}/summary.json", "w") as f:
        json.dump({"version": "0.1.0", "title": title, "method": {"step": "leapfrog", "jump": "auto", "order": 2, "energy": "nodal"},
                   "reason": "done", "message": "", "steps": rows, "time_end": end, "step_size": end / rows, "nodes": 10,
                   "wall_seconds": 0.1234567890123, "ns_per_node_step": 99.5, "threads": 2, "impacts": len(events), "held": 0,
                   "energy": {"kind": "nodal", "initial": 2.0, "final": 2.0, "scale": 2.0, "max_relative_error": 1.0000000000000002e-12,
                              "external_work": 0, "friction_loss": 0, "restitution_loss": 0},
                   "momentum": {"max_drift": 2.5e-15, "scale": 1.5}, "angular_momentum": {"max_drift": 3.5e-15, "scale": 2.5},
                   "max_penetration": 6e-9, "claims": claims, "state_hash": "0123456789abcdef"}, f, indent=2)
    with h5py.File(f"{folder}/results.h5", "w") as h:
        h.attrs["visviva"], h.attrs["title"], h.attrs["frames"] = text("0.1.0"), text(title), np.int64(len(time))
        h["time"], h["step"] = np.asarray(time, float), np.arange(len(time), dtype=np.int64)
        h["time"].attrs["unit"] = text("s")
        for index, (name, kind, fields, constant) in enumerate(bodies):
            g = h.create_group("bodies/" + name.replace("/", "_"))
            g.attrs["name"], g.attrs["kind"], g.attrs["index"] = text(name), text(kind), np.int64(index)
            for field, (value, unit, on) in fields.items():
                d = g.create_dataset(field, data=value, chunks=(1, *value.shape[1:]))
                d.attrs["unit"], d.attrs["on"] = text(unit), text(on)
                d.attrs["components"] = np.int64(value.shape[2] if value.ndim > 2 else 1)
            for key, value in constant.items():
                g[key] = value


def shell(folder, n=50, frames=500):
    """A waving sheet of 2 n^2 triangles."""
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    x, y = i.ravel() / n, j.ravel() / n
    time = np.linspace(0, 2, frames)
    z = 0.12 * np.sin(2 * np.pi * (x[None] + time[:, None])) * np.cos(np.pi * y[None] * (1 + time[:, None]))
    place = np.stack(np.broadcast_arrays(x[None], y[None], z), axis=2)
    speed = np.gradient(place, time, axis=0)
    a = (i[:-1, :-1] * (n + 1) + j[:-1, :-1]).ravel()
    triangles = np.concatenate([np.stack([a, a + n + 1, a + n + 2], 1), np.stack([a, a + n + 2, a + 1], 1)]).astype(np.int64)
    bending = z[:, triangles].mean(axis=2)
    write(folder, "A sheet of 5000 triangles", time,
          [("sheet", "shell", {"position": (place, "m", "nodes"), "velocity": (speed, "m/s", "nodes"), "mises": (bending**2 * 1e6, "Pa", "elements"),
                               "strain": (np.stack([bending, -bending, 0 * bending], 2), "1", "elements")}, {"elements": triangles})],
          scene="visviva: 1\ntitle: \"A sheet of 5000 triangles\"\ngravity: [0, 0, -9.81]\nbodies:\n  sheet:\n    kind: shell\n")


def quaternion(axis, angle):
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.concatenate([np.cos(angle / 2)[..., None], np.sin(angle / 2)[..., None] * axis], axis=-1)


BOX = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]], float)
BOX_FACES = np.array([[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4], [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6],
                      [3, 0, 4], [3, 4, 7]], dtype=np.int32)


def solids(folder, copies=27, frames=120):
    """Bricks that fall and turn, three by three by three; a floor and a ball that stands."""
    time = np.linspace(0, 1, frames)
    k = np.arange(copies)
    start = np.stack([k % 3, k // 3 % 3, k // 9 + 1], 1) * 0.5
    fall = np.maximum(start[None, :, 2] - 4.9 * time[:, None] ** 2, 0.15 + 0.1 * (k // 9)[None])
    place = np.stack([np.broadcast_to(start[:, 0], fall.shape), np.broadcast_to(start[:, 1], fall.shape), fall], 2)
    turn = np.stack([quaternion([1, 2, 3 + c % 4], 3 * time * (1 + 0.1 * c)) for c in k], 1)
    speed = np.gradient(place, time, axis=0)
    events = [(float(0.3 + 0.02 * c), "bricks", "floor", start[c] * [1, 1, 0], [0, 0, -1], 0.1 + 0.05 * (c % 5)) for c in range(copies)]
    scene = ("visviva: 1\ntitle: \"Bricks\"\ngravity: [0, 0, -9.81]  # m/s^2\nbodies:\n  bricks:\n    kind: rigid\n  floor:\n    kind: obstacle\n    shape:\n"
             "      plane:\n        normal: [0, 0, 1]\n        offset: 0  # m\n  stone:\n    kind: obstacle\n    shape:\n      sphere:\n        centre: [1.6, 0.5, 0.25]\n"
             "        radius: 0.25\n        inside: false\n")
    write(folder, "Bricks", time, [("bricks", "rigid", {"position": (place, "m", "nodes"), "orientation": (turn, "1", "nodes"), "velocity": (speed, "m/s", "nodes")},
                                    {"skin_points": BOX * [0.2, 0.12, 0.07], "skin_triangles": BOX_FACES})], events, scene=scene)


HOSTILE = "</script><script>window.broken=1</script><img src=x onerror=window.broken=1>\"'&amp;<!--"


def hostile(folder):
    time = np.linspace(0, 1, 11)
    place = np.zeros((11, 3, 3))
    place[:, :, 0] = np.arange(3)
    place[:, :, 2] = time[:, None]
    name = "<b onmouseover=window.broken=1>" + "long" * 40
    write(folder, HOSTILE + "very long " * 300, time, [(name, "beam<i>", {"position": (place, "m", "nodes"), "a<b": (place, "</script>", "nodes")},
                                                        {"elements": np.array([[0, 1], [1, 2]])})],
          [(0.5, name, HOSTILE, [0, 0, 0], [0, 0, 1], 1.0), (0.6, 'two\nlines, "quoted"', HOSTILE, [0, 0, 0], [0, 0, 1], 1.0)], scene=f"title: {json.dumps(HOSTILE)}\n{HOSTILE}\n")


def burst(folder):
    """Numbers that end in nothing, and a run without a summary."""
    time = np.linspace(0, 1, 21)
    place = np.zeros((21, 4, 3))
    place[:, :, 0] = np.arange(4)
    place[:, :, 1] = 10.0 ** np.arange(21)[:, None]
    place[15:] = np.nan
    write(folder, "Burst", time, [("rod", "bar", {"position": (place, "m", "nodes")}, {"elements": np.array([[0, 1], [1, 2], [2, 3]])})])
    os.remove(f"{folder}/summary.json")


if __name__ == "__main__":
    out = sys.argv[1]
    shell(f"{out}/shell")
    solids(f"{out}/solids")
    hostile(f"{out}/hostile")
    burst(f"{out}/burst")
