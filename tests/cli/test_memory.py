"""What bodies take: measured by the system, per body and per triangle, and never more than the guard says before it builds.
Slopes of two sizes: what the program takes by itself drops out."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ["VISVIVA"]
if b"__asan_init" in pathlib.Path(PROGRAM).read_bytes() or b"__tsan_init" in pathlib.Path(PROGRAM).read_bytes():
    print("memory of a sanitizer is not ours: skipped")
    sys.exit(77)

BOXES = """visviva: 1
time: {{end: 2e-3, step: 1e-3}}
gravity: [0, 0, -9.81]
record: {{paraview: false}}
bodies:
  floor: {{kind: obstacle, shape: {{plane: {{normal: [0, 0, 1]}}}}}}
  box: {{kind: rigid, shape: {{box: {{size: [0.1, 0.1, 0.1]}}}}, mass: 1, position: [0, 0, 0.1], copies: {{grid: {{count: [{0}, 40, 25], spacing: [0.15, 0.15, 0.15]}}}}}}
"""
SHELL = """visviva: 1
time: {{end: 4e-3, step: {{safety: 0.3}}}}
record: {{paraview: false}}
bodies:
  floor: {{kind: obstacle, shape: {{plane: {{normal: [0, 0, 1], offset: -2}}}}}}
  egg: {{kind: shell, mesh: {{torus: {{ring: 1, tube: 0.3, around: {0}, across: 100}}}}, thickness: 0.01, material: {{young: 1e5, poisson: 0.3, density: 1000}}}}
"""
BOUNCES = """visviva: 1
time: {{end: {0}, step: 1e-3}}
record: {{every: {0}, paraview: false}}
bodies:
  room: {{kind: obstacle, shape: {{room: {{size: [1, 1, 1]}}}}}}
  box: {{kind: rigid, shape: {{box: {{size: [0.3, 0.2, 0.1]}}}}, mass: 1, velocity: [10, 5, -10], spin: [30, 20, 10]}}
"""
failed = []


def judge(right, words):
    print(("ok   " if right else "BAD  ") + words)
    if not right:
        failed.append(words)


def peak(folder, verb, text):
    """kB: the most that the program had at one time, the least of three runs: whether the system hands out pages of 2 MB differs from
    run to run, by 3 MB of 100."""
    return min(peak_once(folder, verb, text) for _ in range(3))


def peak_once(folder, verb, text):
    scene = pathlib.Path(folder) / "scene.yaml"
    scene.write_text(text)
    words = [PROGRAM, verb, str(scene)] + (["-o", str(pathlib.Path(folder) / "out"), "--overwrite", "-q"] if verb == "run" else [])
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
    _, status, use = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    judge(child.returncode == 0, f"{verb}: exit code {child.returncode}")
    return use.ru_maxrss


def grown(folder, text):
    """kB: how much more the program has when it ends than after its first look: a peak by itself would be that of this interpreter."""
    scene, seen = pathlib.Path(folder) / "scene.yaml", []
    scene.write_text(text)
    child = subprocess.Popen([PROGRAM, "run", str(scene), "-o", str(pathlib.Path(folder) / "out"), "--overwrite", "-q"])
    while child.poll() is None:
        time.sleep(0.02)
        try:
            seen += re.findall(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{child.pid}/status").read_text())
        except OSError:  # over, or a system without /proc
            pass
    judge(child.returncode == 0, f"run: exit code {child.returncode}")
    return max(map(int, seen), default=0) - int(seen[len(seen) // 20] if seen else 0)


def said(folder, text):
    """Bytes that the guard asks for, for each node: of a scene that is too large."""
    scene = pathlib.Path(folder) / "large.yaml"
    scene.write_text(text)
    words = subprocess.run([PROGRAM, "check", str(scene)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    found = re.search(r"(\d+) (?:nodes of kind|triangles).*about (\S+) GB", words)
    judge(found is not None, "the guard speaks: " + words.strip()[-160:])
    return 1e9 * float(found.group(2)) / int(found.group(1)) if found else 0.0


with tempfile.TemporaryDirectory() as folder:
    large = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") > 150e9  # a machine that would build it
    guard = 1e9 if large else said(folder, BOXES.format(100_000))
    for verb in ("check", "run"):
        kb = (peak(folder, verb, BOXES.format(60)) - peak(folder, verb, BOXES.format(20))) / 40e3
        judge(kb <= 2.0, f"{verb}: {kb:.2f} kB for each box (at most 2)")
        judge(kb <= guard / 1024, f"{verb}: the guard counts {guard / 1024:.2f} kB")
    for verb in ("check", "run"):
        kb = (peak(folder, verb, SHELL.format(600)) - peak(folder, verb, SHELL.format(200))) / 80e3
        judge(kb <= 1.5, f"{verb}: {kb:.2f} kB for each triangle (at most 1.5)")
    # 35 impacts in a second: files are written, not kept.  What is left is HDF5's index of its blocks
    mb = grown(folder, BOUNCES.format(1500)) / 1e3
    judge(mb <= 8.0, f"run: {mb:.1f} MB more for 50,000 impacts (at most 8)")

sys.exit(1 if failed else 0)
