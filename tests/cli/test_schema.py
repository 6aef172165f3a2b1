"""The JSON schema of scenes: it is one, accepts every example and every echo, and refuses planted slips."""
import copy
import glob
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError:
    print("python3-jsonschema or python3-yaml is not here")
    sys.exit(77)

VISVIVA = os.environ["VISVIVA"]
HERE = pathlib.Path(__file__).resolve().parents[2]
failed = []


class Loader(yaml.SafeLoader):
    """Numbers as scenes write them: YAML 1.1 takes 1e-3 for a text."""


Loader.add_implicit_resolver("tag:yaml.org,2002:float", __import__("re").compile(
    r"^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$"), list("-+0123456789."))


def expect(what, good, more=""):
    if not good:
        failed.append(what)
        print(f"FAILED {what}: {more}")


def load(path):
    return yaml.load(pathlib.Path(path).read_text(), Loader)


with tempfile.TemporaryDirectory() as out:
    subprocess.run([VISVIVA, "schema", f"{out}/visviva.json"], check=True, capture_output=True)
    schema = json.loads(pathlib.Path(out, "visviva.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    judge = jsonschema.Draft7Validator(schema)
    examples = sorted(glob.glob(f"{HERE}/examples/*/*.yaml"))
    expect("there are examples", len(examples) > 60)
    for path in examples:
        errors = [f"{list(e.path)}: {e.message[:200]}" for e in judge.iter_errors(load(path))]
        expect(path, not errors, str(errors[:2]))
    subprocess.run([VISVIVA, "run", f"{HERE}/examples/newcomer/bar-on-wall.yaml", "-o", f"{out}/run", "-q"], check=True)
    expect("an echo", judge.is_valid(load(f"{out}/run/scene.yaml")))

scene = load(f"{HERE}/examples/newcomer/ball-on-beam-probed.yaml")
expect("the stage is sound", judge.is_valid(scene))


def planted(what, change):
    wrong = copy.deepcopy(scene)
    change(wrong)
    expect(what, not judge.is_valid(wrong))


planted("unknown key", lambda s: s.update(gravty=[0, 0, 0]))
planted("unknown key of a body", lambda s: s["bodies"]["ball"].update(colour="red"))
planted("unknown kind", lambda s: s["bodies"]["ball"].update(kind="sphere"))
planted("no kind", lambda s: s["bodies"]["ball"].pop("kind"))
planted("missing key", lambda s: s["bodies"]["beam"].pop("elements"))
planted("no time", lambda s: s.pop("time"))
planted("two shapes", lambda s: s["bodies"]["ball"]["shape"].update(box={"size": [1, 1, 1]}))
planted("unknown shape", lambda s: s["bodies"]["ball"].update(shape={"sphere": {"radius": 1}}))
planted("short vector", lambda s: s.update(gravity=[0, 1]))
planted("not a number", lambda s: s["bodies"]["beam"].update(length=[1]))
planted("out of range", lambda s: s["bodies"]["beam"].update(length=-1))
planted("broken integer", lambda s: s["bodies"]["beam"].update(elements=2.5))
planted("no formula", lambda s: s["bodies"]["beam"].update(length="1 # 2"))
planted("unknown word", lambda s: s["method"].update(step="verlet") if "method" in s else s.update(method={"step": "verlet"}))
planted("map for a list", lambda s: s.update(contacts={"between": "all"}))
planted("slip in a probe", lambda s: s["probes"][0].update(mesure="position"))
planted("unknown measure", lambda s: s["probes"][0].update(measure="pressure"))
planted("no body", lambda s: s.update(bodies={}))
planted("wrong version", lambda s: s.update(visviva=2))
print("failed:", failed if failed else "nothing")
sys.exit(1 if failed else 0)
