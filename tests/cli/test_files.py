#!/usr/bin/env python3
"""Result folders in hostile hands: links, damage, kills before the first checkpoint, longer runs, small limits.

The program is $VISVIVA.  What lies outside a result folder must never change; a finished run must be right, or say what is not.
"""
import hashlib
import json
import os
import pty
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

SCENE = """\
visviva: 1
time: {end: %s, step: 0.01}
gravity: [0, 0, -9.81]
contacts: [{restitution: 0.9}]
record: {every: 0.05, checkpoint: 0.2}
bodies:
  room: {kind: obstacle, shape: {room: {size: [2, 2, 2]}}}
  ball: {kind: rigid, shape: {ball: {radius: 0.2}}, mass: 1, velocity: [1, 2, 3]}
  box: {kind: rigid, shape: {box: {size: [0.2, 0.2, 0.3]}}, mass: 1, position: [0.6, 0, 0], velocity: [0, 2, -3], spin: [1, 2, 3]}
"""
FILES = ("ledger.csv", "events.csv", "contacts.csv", "results.h5", "checkpoint.h5", "summary.json", "scene.yaml")
wrong = []


def judge(good, what):
    if not good:
        wrong.append(what)
        print("WRONG:", what)


def visviva(*words, limits=None, timeout=300):
    done = subprocess.run([os.environ["VISVIVA"], *words], text=True, capture_output=True, timeout=timeout, preexec_fn=limits)
    return done.returncode, done.stdout + done.stderr


def write(path, text, mode="w"):
    with open(path, mode) as f:
        f.write(text)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def state_hash(folder):
    with open(f"{folder}/summary.json") as f:
        return json.load(f)["state_hash"]


def copy(a, b):
    subprocess.run(["rm", "-rf", b], check=True)
    subprocess.run(["cp", "-r", a, b], check=True)


def links():
    """Nothing is written through a link: not through a file, not through a temporary one, not through paraview/."""
    precious = "precious.txt"
    write(precious, "mine")
    os.mkdir("theirs")
    write("theirs/run.pvd", "theirs")
    write("theirs/rigid_000000.vtu", "theirs")
    visviva("run", "short.yaml", "-o", "linked", "-q")
    for name in ("picture.svg.tmp", "picture.svg", "summary.tmp", "checkpoint.tmp", *FILES):
        for verb in (["run", "short.yaml", "-o", "linked", "-q", "--overwrite"], ["run", "long.yaml", "-o", "linked", "-q", "--resume"],
                     ["picture", "linked"]):
            if name in ("results.h5", "ledger.csv", "checkpoint.h5") and verb[0] == "picture":
                continue
            path = f"linked/{name}"
            visviva("run", "short.yaml", "-o", "linked", "-q", "--overwrite")
            if os.path.lexists(path):
                os.unlink(path)
            os.symlink("../" + precious, path)
            code, _ = visviva(*verb)
            judge(code in (0, 1), f"{verb[0]} with {name} a link: exit code {code}")
            judge(read(precious) == b"mine", f"{verb} with {name} a link: written through")
            if os.path.islink(path):
                os.unlink(path)
            write(precious, "mine")
    code, _ = visviva("run", "short.yaml", "-o", "linked", "-q", "--overwrite")
    subprocess.run(["rm", "-r", "linked/paraview"], check=True)
    os.symlink("../theirs", "linked/paraview")
    code, text = visviva("run", "short.yaml", "-o", "linked", "-q", "--overwrite")
    judge(code == 1 and "link" in text, f"paraview a link: {code} {text}")
    judge(sorted(os.listdir("theirs")) == ["rigid_000000.vtu", "run.pvd"] and read("theirs/run.pvd") == b"theirs", "behind paraview/")
    os.unlink("linked/paraview")
    code, _ = visviva("run", "short.yaml", "-o", "linked", "-q", "--overwrite")
    judge(code == 0, "after the link is gone")
    subprocess.run(["rm", "-r", "linked/paraview/run.pvd"], check=True)
    os.symlink("../../" + precious, "linked/paraview/run.pvd")
    visviva("run", "long.yaml", "-o", "linked", "-q", "--resume")
    judge(read(precious) == b"mine", "run.pvd a link")


def longer():
    """A longer end goes on, and gives the state of one long run; an earlier end is refused."""
    visviva("run", "short.yaml", "-o", "longer", "-q")
    code, text = visviva("run", "long.yaml", "-o", "longer", "-q", "--resume")
    judge(code == 0, f"a longer end: {code} {text}")
    visviva("run", "long.yaml", "-o", "whole", "-q")
    judge(state_hash("longer") == state_hash("whole"), "a longer end gives another state")
    judge(read("longer/ledger.csv") == read("whole/ledger.csv"), "a longer end gives another ledger")
    code, text = visviva("run", "short.yaml", "-o", "whole", "-q", "--resume")
    judge(code == 1 and "end" in text, f"an earlier end: {code} {text}")
    write("other.yaml", (SCENE % 2).replace("mass: 1", "mass: 2"))
    code, text = visviva("run", "other.yaml", "-o", "whole", "-q", "--resume")
    judge(code == 1 and "scene.yaml" in text and "--overwrite" in text, f"another scene: {code} {text}")


def advice():
    """Killed before the first checkpoint: both `run` and `--resume` say the same."""
    os.mkdir("early")
    write("early/ledger.csv", "")
    for flags in ([], ["--resume"]):
        code, text = visviva("run", "short.yaml", "-o", "early", *flags)
        judge(code == 1 and "--overwrite" in text and "continue it" not in text and "leave --resume out" not in text, f"early {flags}: {text}")
    code, text = visviva("run", "short.yaml", "-o", "none", "--resume")
    judge(code == 1 and "leave --resume out" in text, f"nothing there: {text}")


def damage(path, at, new):
    data = bytearray(read(path))
    data[at:at + len(new)] = new
    write(path, bytes(data), "wb")


def damaged(seed, rounds):
    """Flips and zeroed stretches: the run goes on to the right end, or is refused; tables are right, or put aside."""
    rng = random.Random(seed)
    visviva("run", "short.yaml", "-o", "healthy", "-q")
    copy("healthy", "sick")
    visviva("run", "long.yaml", "-o", "sick", "-q", "--resume")
    good = {name: read(f"sick/{name}") for name in ("ledger.csv", "events.csv")}
    good_hash = state_hash("sick")
    for i in range(rounds):
        name = ("ledger.csv", "events.csv", "results.h5", "results.h5", "results.h5", "checkpoint.h5")[i % 6]
        copy("healthy", "sick")
        size = os.path.getsize(f"sick/{name}")
        n = rng.choice((1, 4, 8, 64))
        damage(f"sick/{name}", rng.randrange(max(1, size - n)), bytes(n) if rng.random() < 0.5 else rng.randbytes(n))
        code, text = visviva("run", "long.yaml", "-o", "sick", "-q", "--resume")
        judge(code in (0, 1), f"seed {seed}, round {i}, {name}: exit code {code} {text[-300:]}")
        if code != 0:
            continue
        judge(state_hash("sick") == good_hash, f"seed {seed}, round {i}, {name}: another state")
        for table in ("ledger.csv", "events.csv"):
            aside = os.path.exists(f"sick/{table}.damaged")
            judge(aside or read(f"sick/{table}") == good[table], f"seed {seed}, round {i}, {name}: {table} damaged in silence")
            judge(not aside or f"{table}.damaged" in text, f"{table} put aside in silence")


def chunk_shape():
    """The finding itself: four zero bytes in the chunk shape of a series under /events made HDF5 write behind its buffers."""
    visviva("run", "short.yaml", "-o", "chunks", "-q")
    data = read("chunks/results.h5")
    shape = (256).to_bytes(4, "little") + (8).to_bytes(4, "little")  # chunks of 256 doubles: layout message of a plain series
    places = [i for i in range(len(data)) if data.startswith(shape, i)]
    judge(len(places) > 3, "chunk shapes not found")
    for at in places:
        for new in (bytes(4), (1).to_bytes(4, "little"), b"\xff\xff\xff\x7f"):
            copy("chunks", "cut")
            damage("cut/results.h5", at, new)
            code, text = visviva("run", "long.yaml", "-o", "cut", "-q", "--resume")
            judge(code == 0 and "results.h5.damaged" in text, f"chunk shape {new} at {at}: {code} {text[-300:]}")


def limits():
    """Small stacks work; output that cannot be made is exit code 2."""
    stack = 128 * 1024
    for name in ("shells.yaml", "long.yaml"):
        code, text = visviva("run", name, "-o", "small", "-q", "--overwrite", limits=lambda: resource.setrlimit(resource.RLIMIT_STACK, (stack, stack)))
        judge(code in (0, 3), f"a stack of 128 kB, {name}: {code} {text}")
    for n in range(4, 12):
        code, text = visviva("run", "short.yaml", "-o", "few", "-q", "--overwrite", limits=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
        judge(code in (0, 1, 2), f"{n} descriptors: {code}")
        judge(code != 1 or "short.yaml" in text, f"{n} descriptors: exit code 1 for an output: {text}")


def freed_memory():
    """Nothing that was freed is read: the C library overwrites it here."""
    os.environ["MALLOC_PERTURB_"] = "165"
    code, text = visviva("run", "short.yaml", "-o", "freed", "-q", "--overwrite")
    judge(code == 0, f"a run reads what was freed: {code} {text}")
    code, text = visviva("info", "freed")
    judge(code == 0, f"info reads what was freed: {code} {text}")
    del os.environ["MALLOC_PERTURB_"]


def memory_folder():
    """/dev/shm is a folder, whatever else /dev is."""
    if not os.access("/dev/shm", os.W_OK):
        return
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        write(f"{folder}/s.yaml", SCENE % 0.5)
        for words in ((), ("--overwrite",)):
            code, said = visviva("run", f"{folder}/s.yaml", "-o", f"{folder}/out", "-q", *words)
            judge(code == 0 and state_hash(f"{folder}/out"), f"a run into /dev/shm: {said}")


def pipes():
    """A pipe that nobody writes to does not hold the program."""
    os.mkfifo("pipe")
    code, text = visviva("check", "pipe", timeout=30)
    judge(code == 1 and "pipe" in text, f"a pipe as a scene: {code} {text}")
    write("mesh.yaml", "visviva: 1\ntime: {end: 1, step: 0.1}\nbodies: {a: {kind: rigid, shape: {hull: {file: pipe}}, mass: 1}}\n")
    code, text = visviva("check", "mesh.yaml", timeout=30)
    judge(code == 1 and "plain file" in text, f"a pipe as points: {code} {text}")
    visviva("run", "short.yaml", "-o", "piped", "-q")
    for name in ("ledger.csv", "results.h5", "summary.json"):
        copy("healthy", "piped")
        os.unlink(f"piped/{name}")
        os.mkfifo(f"piped/{name}")
        for verb in (["info", "piped"], ["picture", "piped"], ["compare", "piped", "healthy"], ["run", "long.yaml", "-o", "piped", "-q", "--resume"]):
            code, _ = visviva(*verb, timeout=30)
            judge(code in (0, 1, 2, 3), f"{name} a pipe, {verb[0]}: {code}")
    done = subprocess.run(f"cat short.yaml | {os.environ['VISVIVA']} check /dev/stdin", shell=True, capture_output=True)
    judge(done.returncode == 0, "a scene from a pipe")


def terminal():
    """A run is the same with and without a terminal."""
    write("busy.yaml", (SCENE % 40).replace("step: 0.01", "step: 0.0005") + "  more: {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 1, "
          "position: [-0.6, -0.6, -0.6], copies: {grid: {count: [3, 3, 3], spacing: [0.12, 0.12, 0.12]}}}\n")
    code, text = visviva("run", "busy.yaml", "-o", "plain")
    judge(code in (0, 3), f"without a terminal: {code} {text}")
    ours, theirs = pty.openpty()
    shown = b""
    with subprocess.Popen([os.environ["VISVIVA"], "run", "busy.yaml", "-o", "shown"], stdout=theirs, stderr=theirs) as run:
        os.close(theirs)
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            shown += part
    os.close(ours)
    judge(b"elapsed" in shown or b"left" in shown, "no progress line was shown")
    both = []
    for folder in ("plain", "shown"):
        with open(f"{folder}/summary.json") as f:
            both.append({k: v for k, v in json.load(f).items() if k not in ("wall_seconds", "step_seconds", "ns_per_node_step")})
    judge(both[0] == both[1], "summary.json depends on the terminal")
    for name in ("ledger.csv", "events.csv", "contacts.csv"):
        judge(read(f"plain/{name}") == read(f"shown/{name}"), f"{name} depends on the terminal")


def main():
    seed = int(os.environ.get("VV_SEED", "1"))
    rounds = int(os.environ.get("VV_ROUNDS", "60"))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VISVIVA"] = os.path.abspath(os.environ["VISVIVA"])
        os.chdir(folder)
        write("short.yaml", SCENE % 1)
        write("long.yaml", SCENE % 2)
        write("shells.yaml", """\
visviva: 1
time: {end: 0.02, step: {safety: 0.3}}
gravity: [0, 0, -9.81]
record: {paraview: false}
bodies:
  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: -0.31}}}
  balloon: {kind: shell, mesh: {sphere: {radius: 0.3, level: 1}}, thickness: 1e-2, material: {young: 1e6, poisson: 0.3, density: 1000}, velocity: [0, 0, -3]}
  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [0, 0, 0.42], velocity: [0, 0, -5]}
""")
        for part in (links, longer, advice, lambda: damaged(seed, rounds), chunk_shape, limits, freed_memory, memory_folder, pipes, terminal):
            part()
        os.chdir("/")
    print(f"{len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
