"""What is wrong with a result folder, by what can be measured from outside.

Energy is kinetic + strain + potential of the ledger's audit of the state; losses and work are taken at their word only where that word is
what is judged.  Places, velocities and momenta come from the frames.
"""
import numpy as np

import geometry

LOSSES = ("friction_loss", "restitution_loss", "plastic_work", "viscous_loss", "damage_loss")
# of the energy of the scene.  What bends is off by (h/h_stable)^2 of its strain energy and what its impacts did, which the
# program's own claim bounds and prints; a twentieth is far beyond what any default step leaves.  Rigid bodies are exact,
# but for what their joints do, which is of the order of the square of the step, too: it explains the books, and no rise.
BENDS, RIGID = 0.05, 1e-6
SINK = 1e-2  # of a piece: how deep energy-momentum steps may sink, whatever the restitution, as the program claims of a body [em 13a, 13b]


def _noise(scene):
    """J: nothing moves where there is no more: strains of 1e-11, that rounding of places makes in some 1e5 steps, of a body of the usual size."""
    return scene.density * scene.size ** 3 * (1e-11 * scene.wave) ** 2


def _energy(scene, ledger, wrong):
    h = ledger["kinetic"] + ledger["strain"] + ledger["potential"] + ledger["contact"]
    lost = sum(ledger[name] for name in LOSSES)
    work = ledger["external_work"]
    rounding = 1e-8 * np.abs(ledger["potential"]).max()  # times RIGID, some fifty units in its last place: what hangs at rest
    given = ledger["kinetic"][0] + ledger["strain"][0] + np.ptp(ledger["potential"]) + np.ptp(work) + rounding
    if not np.isfinite(h).all():
        wrong.append("an energy is not a number")
        return
    if not given > _noise(scene):
        return
    band = BENDS if scene.bends else RIGID
    rise = (h - work - h[0]).max() / given
    if rise > (BENDS if "joints" in scene.scene else band):
        wrong.append(f"energy rises by {rise:.2g} of what was given")
    books = np.abs(h + lost + ledger["step_loss"] - work - ledger["joint_work"] - h[0]).max() / given
    if books > band:
        wrong.append(f"energy, losses and work do not add up: {books:.2g} of what was given")
    for name in LOSSES:
        shrink = -np.diff(ledger[name]).min(initial=0) / given
        if shrink > 1e-11:
            wrong.append(f"{name} shrinks by {shrink:.2g} of what was given")


def _momentum(scene, frames, wrong):
    """Where nothing acts from outside: the sum of what the nodes have."""
    if not scene.free:
        return
    each = [f["momentum"].sum(axis=1) for f in frames.values()]
    total, size = sum(each), sum(np.abs(e).max() for e in each)
    drift = np.abs(total - total[0]).max() / size if size > 0 else 0
    if drift > 1e-9:
        wrong.append(f"momentum drifts by {drift:.2g}")


def _moves(scene, frames, times, wrong):
    """Nothing jumps: between two frames no node goes farther than its speeds and what an impact may add allow."""
    for name, f in frames.items():
        x, v = f["position"], np.linalg.norm(f["velocity"], axis=2)
        if not np.isfinite(x).all():
            wrong.append(f"{name} is nowhere")
            continue
        way = np.linalg.norm(np.diff(x, axis=0), axis=2).max(axis=1)
        fast = 20 * max(v.max(), scene.speed) * np.diff(times)
        if (way > fast).any():
            wrong.append(f"{name} jumps by {(way / fast).max():.2g} of what its speed allows")


def _flight(scene, frames, times, touched, wrong):
    """A rigid body that nothing met flies as Galilei says."""
    gravity = np.array(scene.scene.get("gravity", [0, 0, 0]))
    for name, f in frames.items():
        body = scene.bodies[name]
        led = "motion" in body or any(name in joint["bodies"] for joint in scene.scene.get("joints", []))
        if body["kind"] != "rigid" or touched > 0 or led or "loads" in body or "damping" in body or "compound" in body["shape"]:
            continue
        t = times[:, None]
        due = np.array(body["position"]) + t * np.array(body["velocity"]) + 0.5 * t * t * gravity
        off = np.abs(f["position"][:, 0] - due).max() / (scene.size + np.abs(due).max())
        if off > 1e-9:
            wrong.append(f"{name} leaves the way of a free body by {off:.2g}")


def _sinks(scene):
    return scene.scene.get("method", {}).get("step") == "energy-momentum"


def _overlap(scene, frames, inverted, wrong):
    """Pairs of bodies, and bodies and walls, in every frame.  Where a surface has a thickness of its own, its middle is judged.

    inverted: the run has told that elements were turned inside out; nodes of such a bar are beyond its end."""
    names = sorted(frames)
    shrink = SINK if _sinks(scene) else geometry.SHRINK
    count = len(next(iter(frames.values()))["position"])
    found = set()
    for k in range(count):
        outline = {name: geometry.outlines(scene.shapes[name], frames[name], k, shrink) for name in names}
        for i, a in enumerate(names):
            for normal, offset in [] if inverted and scene.bodies[a]["kind"] == "bar" else scene.planes:
                depth = geometry.beyond(outline[a][0], np.array(normal) / np.linalg.norm(normal), offset)
                if depth > shrink * scene.size and (a, "wall") not in found:
                    found.add((a, "wall"))
                    wrong.append(f"{a} is {depth:.2g} m behind a wall in frame {k}")
            if scene.shapes[a]["is"] == "line" and (a, a) not in found and geometry.folded(outline[a][0], scene.shapes[a]["radius"]):
                found.add((a, a))
                wrong.append(f"{a} is folded into itself in frame {k}")
            for b in names[i + 1:]:
                if (a, b) not in found and geometry.overlap(outline[a], outline[b]):
                    found.add((a, b))
                    wrong.append(f"{a} and {b} overlap in frame {k}")


def _order(scene, frames, wrong):
    """Bars on one line keep their order."""
    for behind, front, axis in scene.lines:
        gap = (frames[front]["position"][:, 0] - frames[behind]["position"][:, -1]) @ np.array(axis)
        if gap.min() < -1e-3 * scene.size:
            wrong.append(f"{behind} is {-gap.min():.2g} m in {front}, before which it was")


def judge(scene, results):
    """A list of what is wrong; results: visviva.open(folder)."""
    wrong = []
    fields = ("position", "velocity", "momentum", "orientation", "d1", "d2", "elements", "damage")
    frames = {name: {f: results[name][f] for f in fields if f in results[name].fields} for name in scene.shapes}
    for name, f in frames.items():
        if "compound" in scene.bodies[name].get("shape", {}):
            _to_origin(scene, name, f)
    times = results.time
    _energy(scene, results.ledger, wrong)
    _momentum(scene, frames, wrong)
    _moves(scene, frames, times, wrong)
    if not wrong:
        _flight(scene, frames, times, results.summary["contact_pairs"], wrong)  # what is slower than rest is no impact
        _overlap(scene, frames, results.summary["max_distortion"] > 1, wrong)
        _order(scene, frames, wrong)
    return wrong


def _to_origin(scene, name, f):
    """Frames say where the centre of mass is, and shapes count from their origin: they differ by what they differ at the start."""
    at = f["position"][0, 0] - np.array(scene.bodies[name]["position"])
    arm = geometry.turn(f["orientation"][0, 0]).T @ at
    f["position"] = f["position"] - np.array([geometry.turn(q[0]) @ arm for q in f["orientation"]])[:, None]
