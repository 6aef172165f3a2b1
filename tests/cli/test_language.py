"""The language of scenes from outside: parameters, --set, standard input, formulas, against scenes with plain numbers."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

VISVIVA = os.environ["VISVIVA"]
failed = []

DROP = """visviva: 1
parameters: {radius: 5 mm, height: 20*radius, restitution: 0.8}
time: {end: 0.3, step: 1 ms}
gravity: [0, 0, -9.81]
bodies:
  ball:  {kind: rigid, shape: {ball: {radius: radius}}, density: 7850, position: [0, 0, radius + height]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
contacts: [{between: [ball, floor], restitution: restitution}]
"""
PLAIN = """visviva: 1
time: {end: 0.3, step: 0.001}
gravity: [0, 0, -9.81]
bodies:
  ball:  {kind: rigid, shape: {ball: {radius: 0.008}}, density: 7850, position: [0, 0, 0.168]}
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}
contacts: [{between: [ball, floor], restitution: 0.8}]
"""


def visviva(*words, text=None):
    done = subprocess.run([VISVIVA, *words], capture_output=True, text=True, input=text, timeout=120)
    return done.returncode, done.stdout, done.stderr


def expect(what, good, more=""):
    if not good:
        failed.append(what)
        print(f"FAILED {what}: {more}")


def state_hash(folder):
    return json.loads(pathlib.Path(folder, "summary.json").read_text())["state_hash"]


def run(out, name, *words, text=None):
    code, said, err = visviva("run", *words, "-o", f"{out}/{name}", "-q", text=text)
    expect(f"run {name}", code == 0, err)
    return state_hash(f"{out}/{name}")


def parameters(out):
    pathlib.Path(out, "drop.yaml").write_text(DROP)
    pathlib.Path(out, "plain.yaml").write_text(PLAIN)
    plain = run(out, "plain", f"{out}/plain.yaml")
    drop = run(out, "drop", f"{out}/drop.yaml")
    wide = run(out, "wide", f"{out}/drop.yaml", "--set", "radius=8 mm")
    path = run(out, "path", f"{out}/plain.yaml", "--set", "bodies.ball.position=[0, 0, 105 mm]",
               "--set", "bodies.ball.shape.ball.radius=5mm")
    piped = run(out, "piped", "-", text=PLAIN)
    expect("a parameter by --set gives the scene with plain numbers", wide == plain, f"{wide} {plain}")
    expect("a path by --set gives the scene with the parameter", path == drop, f"{path} {drop}")
    expect("standard input gives the scene of the file", piped == plain)
    expect("another radius is another run", drop != wide)
    echo = pathlib.Path(out, "wide", "scene.yaml").read_text()
    expect("the echo has plain numbers", "parameters" not in echo and re.search(r"radius: 0.008\b", echo), echo)
    expect("the echo runs to the same state", run(out, "echo", f"{out}/wide/scene.yaml") == wide)


def refusals(out):
    scene = f"{out}/drop.yaml"
    for words, says in [
        (["--set", "radios=1"], "unknown parameter 'radios'; did you mean 'radius'?"),
        (["--set", "zzz=1"], "known: radius, height, restitution"),
        (["--set", "radius"], "--set wants NAME=VALUE"),
        (["--set", "=3"], "--set wants NAME=VALUE"),
        (["--set", "radius=3 s"], "this key is in m"),
        (["--set", "radius=["], "is not a word"),
        (["--set", "time.ende=3"], "did you mean 'end'?"),
    ]:
        for verb in ["check", "run"]:
            code, _, err = visviva(verb, scene, *words)
            expect(f"{verb} {words}", code == 1 and says in err, f"{code} {err}")
    code, _, err = visviva("check", f"{out}/plain.yaml", "--set", "radius=1")
    expect("no parameters", code == 1 and "has no 'parameters'" in err, err)
    code, _, err = visviva("check", "-", text="visviva: 1\ntime: {end: 1}\nbodies: {a: {kind: bal}}\n")
    expect("faults of standard input have places", code == 1 and "stdin:3:" in err, err)
    code, _, err = visviva("check", "-", text="")
    expect("empty standard input", code == 1 and "empty" in err, err)
    code, said, err = visviva("check", "-", text=PLAIN)
    expect("check of standard input", code == 0 and "stdin: a good scene" in said, said + err)


def resumed(out):
    """A run with --set goes on with the same --set, and with no other."""
    words = [f"{out}/drop.yaml", "-o", f"{out}/parts", "-q", "--set", "radius=8 mm"]
    code, _, err = visviva("run", *words, "--set", "time.end=0.1")
    expect("first part", code == 0, err)
    code, _, err = visviva("run", *words, "--resume")
    expect("second part", code == 0, err)
    expect("in parts as at once", state_hash(f"{out}/parts") == state_hash(f"{out}/wide"))
    code, _, err = visviva("run", f"{out}/drop.yaml", "-o", f"{out}/parts", "-q", "--resume", "--set", "radius=9 mm")
    expect("resumed with another value", code == 1, err)


with tempfile.TemporaryDirectory() as out:
    parameters(out)
    refusals(out)
    resumed(out)
print("failed:", failed if failed else "nothing")
sys.exit(1 if failed else 0)
