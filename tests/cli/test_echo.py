"""The scene as understood (scene.yaml in a result folder) gives the same run to the last bit, for every example; and a run on a
terminal, with its progress line, has the summary of one without."""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import time

VISVIVA = os.environ["VISVIVA"]
ROOT = pathlib.Path(__file__).resolve().parents[2]
CLOCKS = "wall_seconds", "step_seconds", "ns_per_node_step"
ENOUGH = 0.7  # s: a run that took as long is not tried longer
# a tube between two blocks folds onto itself: its self-contact is a default that the echo must keep
TUBE = """visviva: 1
time: {end: 0.04, step: {safety: 0.2}}
bodies:
  tube: {kind: shell, mesh: {cylinder: {radius: 0.05, height: 0.04, around: 24, along: 4}}, thickness: 0.001,
         material: {young: 1e6, poisson: 0.4, density: 1000, law: neo-hookean}}
  left:  {kind: rigid, shape: {box: {size: [0.02, 0.2, 0.2]}}, mass: 0.02, position: [-0.065, 0, 0.02], velocity: [4, 0, 0]}
  right: {kind: rigid, shape: {box: {size: [0.02, 0.2, 0.2]}}, mass: 0.02, position: [0.065, 0, 0.02], velocity: [-4, 0, 0]}
record: {every: 5e-4, ledger: 20}
"""


def run(scene, out, *words):
    """Without a terminal."""
    done = subprocess.run([VISVIVA, "run", str(scene), "-o", str(out), "--overwrite", *words], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"does not run: {done.returncode} {done.stderr}")
    return json.loads((out / "summary.json").read_text())


def run_shown(scene, out):
    """On a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen([VISVIVA, "run", str(scene), "-o", str(out), "--overwrite"], stdout=theirs, stderr=theirs) as done:
        os.close(theirs)
        try:
            while os.read(ours, 1 << 16):
                pass
        except OSError:  # the other side is closed
            pass
    os.close(ours)
    if done.returncode != 0:
        raise AssertionError(f"its echo does not run: {done.returncode}")
    return json.loads((out / "summary.json").read_text())


def beginning(scene, out):
    """The scene up to its first impacts, or for as long as a test may take; its summary."""
    check = subprocess.run([VISVIVA, "check", str(scene)], capture_output=True, text=True)
    found = re.search(r"^  steps +(\d+), to t = (\S+)", check.stdout, re.M)
    if found is None:
        raise AssertionError(f"check says nothing of steps: {check.returncode} {check.stdout}{check.stderr}")
    steps, end = int(found[1]), float(found[2])
    for part in 0.001, 0.01, 0.03, 0.1, 0.3, 1.0:
        n = max(5, round(part * steps))
        if n < 20 and part < 0.1 and n < steps:
            continue
        start = time.monotonic()
        short = end if n >= steps else end * (n + 0.5) / steps
        summary = run(scene, out, "--set", f"time.end={short!r}")
        if summary["impacts"] > 0 or time.monotonic() - start > ENOUGH or n >= steps:
            return summary
    return summary


def judge(scene, first, folder):
    check = subprocess.run([VISVIVA, "check", str(folder / "a" / "scene.yaml")], capture_output=True, text=True)
    assert check.returncode == 0, f"its echo is not a good scene: {check.stderr}"
    second = run_shown(folder / "a" / "scene.yaml", folder / "b")
    assert re.fullmatch("[0-9a-f]{16}", first["state_hash"])
    assert first["state_hash"] == second["state_hash"], "its echo ends in another state"
    for key in first.keys() | second.keys():
        same = key in CLOCKS or json.dumps(first.get(key)) == json.dumps(second.get(key))
        assert same, f"'{key}' differs: {first.get(key)} without and {second.get(key)} with a terminal"


def main():
    scenes = [p for p in sorted((ROOT / "examples").rglob("*.yaml")) if "visviva-sweep:" not in p.read_text()]
    failed, touched = 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "tube.yaml").write_text(TUBE)
        for scene in [*scenes, folder / "tube.yaml"]:
            try:
                first = run(scene, folder / "a") if scene.parent == folder else beginning(scene, folder / "a")
                judge(scene, first, folder)
                touched += first["impacts"] > 0
            except AssertionError as e:
                failed += 1
                print(f"{scene}: {e}")
        pairs = json.loads((folder / "a" / "summary.json").read_text())["pairs"]
        if not any(p["body_a"] == p["body_b"] == "tube" for p in pairs):
            failed += 1
            print("the tube never touches itself")
    print(f"{len(scenes) + 1} scenes, {touched} of them with impacts, {failed} failed")
    return 1 if failed or len(scenes) < 75 or touched < 20 else 0


sys.exit(main())
