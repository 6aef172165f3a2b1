"""Scenes for tests of ranks, and how a run over ranks is started and compared with one process."""
import os
import pathlib
import signal
import subprocess
import time

BUILD = os.environ.get("VISVIVA_BUILD", "build/mpi")
PROGRAM = os.environ.get("VISVIVA", BUILD + "/visviva")
MPI = BUILD + "/visviva-mpi"
MPIEXEC = os.environ.get("VISVIVA_MPIEXEC", "mpiexec")
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
                   OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_mpi_yield_when_idle="1")
FILES = ("ledger.csv", "events.csv", "contacts.csv", "checkpoint.h5", "scene.yaml", "results.h5")


def launcher(exe):
    """How to start more ranks than there are cores."""
    version = subprocess.run([exe, "--version"], capture_output=True, text=True).stdout
    return [exe] + (["--oversubscribe"] if "OpenRTE" in version or "Open MPI" in version else [])


def implementations():
    """(name, launcher, program) of the MPIs that the build has."""
    all = [("MPI", launcher(MPIEXEC), MPI)] if os.path.exists(MPI) else []
    second = pathlib.Path(BUILD + "/visviva-mpich.exec")
    if all and second.exists() and os.path.exists(BUILD + "/visviva-mpich"):
        all = [("OpenMPI", all[0][1], MPI), ("MPICH", launcher(second.read_text().strip()), BUILD + "/visviva-mpich")]
    return all


def one(scene, folder, *more):
    return subprocess.run([PROGRAM, "run", str(scene), "-o", str(folder), "--threads", "1", *more], capture_output=True, text=True)


def many(ranks, scene, folder, *more, mpi=None, cut=0, recut=0, timeout=600):
    """cut: a seed, tiles are dealt out at random; recut: after so many steps they go to other ranks."""
    _, launch, program = mpi or implementations()[0]
    environment = dict(ENVIRONMENT, **{n: str(v) for n, v in (("VISVIVA_CUT", cut), ("VISVIVA_RECUT", recut)) if v})
    return subprocess.run([*launch, "-n", str(ranks), program, "run", str(scene), "-o", str(folder), "--threads", "1", *more],
                          capture_output=True, text=True, env=environment, timeout=timeout)


def children(pid):
    """Processes that a process has started, and those that they have."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rsplit(")", 1)[1].split()[1]) == pid:
                found.append(int(stat.parent.name))
        except OSError:
            pass
    return found + [below for child in found for below in children(child)]


def own_memory(pid):
    """MB that a process has for itself alone."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return sum(float(line.split()[1]) for line in text.splitlines() if line.startswith("RssAnon")) / 1024


def ranks_of(pid, program):
    """Of these, those that run the program."""
    mine = []
    for child in children(pid):
        try:
            if os.path.basename(os.readlink(f"/proc/{child}/exe")) == os.path.basename(program):
                mine.append(child)
        except OSError:
            pass
    return mine


def written(folder):
    """When the last checkpoint was; None: there is none."""
    try:
        return (folder / "checkpoint.h5").stat().st_mtime_ns
    except OSError:
        return None


def start(ranks, scene, folder, how):
    """A run over ranks that goes on with what is there; not waited for."""
    _, launch, program = how
    more = "--overwrite" if written(folder) is None else "--resume"
    return subprocess.Popen([*launch, "-n", str(ranks), program, "run", str(scene), "-o", str(folder), "--threads", "1", "-q", more],
                            env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill_one(ranks, scene, folder, chance, pause, early, how, patience=300):
    """Starts ranks and kills one of them, some time up to `pause` seconds after their first checkpoint; early: after they are there,
    which is while they set up, most often before anything is written.  What it hit: "steps", "set-up", or None, where the run ended
    by itself or did not begin in `patience` seconds, however busy the machine is."""
    before = written(folder)
    process = start(ranks, scene, folder, how)
    try:
        until = time.time() + patience
        while time.time() < until and process.poll() is None:
            if written(folder) != before or (early and len(ranks_of(process.pid, how[2])) == ranks):
                break
            time.sleep(0.02)
        time.sleep(pause * chance.random())
        hit = "steps" if written(folder) != before else "set-up" if early else None
        mine = ranks_of(process.pid, how[2])
        if hit is None or process.poll() is not None or not mine:
            return None
        os.kill(chance.choice(mine), signal.SIGKILL)
        process.wait(timeout=patience)
        return hit
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()


FREE = "contacts: [{response: none}]\n"


def head(end, step, every, ledger=7, checkpoint=None, more=""):
    return (f"visviva: 1\n{more}time: {{end: {end}, step: {step}}}\n"
            f"record: {{every: {every}, ledger: {ledger}, checkpoint: {checkpoint or every}, paraview: false}}\n")


def sphere(frequency=20, steps=60, step=2e-4, every=0.002):
    """A shell that touches nothing."""
    return head(step * steps, step, every, more=FREE) + f"""\
bodies:
  ball: {{kind: shell, mesh: {{sphere: {{radius: 1, base: icosahedron, frequency: {frequency}}}}}, thickness: 0.02, velocity: [0.5, 0, 0], spin: [0, 0, 3],
         material: {{young: 1e5, poisson: 0.3, density: 1000, law: neo-hookean}}}}
"""


def plate(pieces=(40, 30), end=0.01):
    """Three kinds of borders, gravity, a load that grows and a pressure."""
    return head(end, "{safety: 0.3}", 0.002, more=FREE) + f"""\
gravity: [0, 0.1, -9.81]
bodies:
  plate:
    kind: shell
    mesh: {{rectangle: {{size: [1.2, 0.9], pieces: [{pieces[0]}, {pieces[1]}]}}}}
    thickness: 0.01
    material: {{young: 1e7, poisson: 0.3, density: 1000, law: neo-hookean}}
    edges: [{{hold: clamped, low: [-1, -1, -1], high: [-0.59, 1, 1]}}, {{hold: supported, low: [0.59, -1, -1], high: [1, 1, 1]}}]
    loads: [{{at: [0.1, 0.2, 0], force: [1, 2, 30], history: {{pulse: {{duration: 4e-3}}}}}}]
    pressure: [{{value: 50, history: {{ramp: {{duration: 0.005}}}}}}]
"""


def free_bodies(steps=50):
    """40 shells, and a stone that every rank moves."""
    return head(2e-4 * steps, 2e-4, 0.002, more=FREE) + """\
bodies:
  cube: {kind: shell, mesh: {sphere: {radius: 0.1, base: icosahedron, frequency: 4}}, thickness: 0.01, spin: [1, 2, 3],
         material: {young: 1e5, poisson: 0.3, density: 1000}, grid: {count: [5, 4, 2], spacing: [0.3, 0.3, 0.3]}}
  stone: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, mass: 1, spin: [0.1, 3, 0.2], position: [9, 0, 0]}
"""


def plastic():
    """Metal that flows, in a medium; a bell with a memory; probes and an end before the end."""
    return head(1, "{safety: 0.3}", 0.002, checkpoint=0.003, more=FREE) + """\
gravity: [0, 0, -9.81]
bodies:
  can:
    kind: shell
    mesh: {sphere: {radius: 0.05, base: icosahedron, frequency: 12}}
    thickness: 1e-3
    material: {law: j2, young: 7e10, poisson: 0.3, density: 2700, yield: 2e7, hardening: 1e9}
    damping: {mass: 50}
    loads: [{at: [0, 0, 0.05], force: [0, 0, -3e4], history: {ramp: {duration: 2e-5}}}]
  bell:
    kind: shell
    mesh: {cylinder: {radius: 0.05, height: 0.08, around: 28, along: 8}}
    thickness: 3e-3
    centre: [1, 0, 0]
    material: {young: 200e9, poisson: 0.3, density: 7800}
    damping: {ratio: {value: 0.005, from: 200, to: 2e4}}
    edges: [{hold: clamped, loop: 1}]
probes:
  - {name: top, body: can, measure: plastic_strain, take: most}
stop:
  - {probe: top, above: 0.01}
"""


def drum(end=0.012, contact="control", law="{restitution: 1}"):
    """A hollow ball falls on a drum: both are cut by the ranks, waves and contact cross the cuts."""
    return head(end, "{safety: 0.4}", 0.004, ledger=2) + f"""\
contacts: [{law}]
bodies:
  drum: {{kind: shell, mesh: {{rectangle: {{size: [1, 1], pieces: [24, 24]}}}}, thickness: 0.01, contact: {contact},
         material: {{young: 1e6, poisson: 0.3, density: 1000}}, edges: [{{hold: supported}}]}}
  ball: {{kind: shell, mesh: {{sphere: {{radius: 0.2, base: icosahedron, frequency: 8}}}}, thickness: 0.01, contact: {contact},
         centre: [0.05, 0.1, 0.2105], velocity: [0, 0, -3], material: {{young: 1e6, poisson: 0.3, density: 1000}}}}
"""


CUBE = "kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.05, material: {young: 2.1e5, poisson: 0.3, density: 0.7085}"


def crowd(n=3, end=2e-3, restitution=0.5, friction=0.3):
    """n^3 cubes of 192 triangles, a little turned, that fly towards their middle."""
    text = head(end, 5e-6, end / 2, ledger=10) + f"contacts: [{{restitution: {restitution}, friction: {friction}}}]\nbodies:\n"
    for k in range(n ** 3):
        c = [1.12 * (x - (n - 1) / 2) for x in (k // n // n, k // n % n, k % n)]
        text += (f"  c{k}: {{{CUBE}, centre: [{c[0]:g}, {c[1]:g}, {c[2]:g}], rotation: [{0.02 * (k % 3):g}, {0.03 * (k % 5):g}, 0.1], "
                 f"velocity: [{-60 * c[0]:g}, {-60 * c[1]:g}, {-60 * c[2]:g}]}}\n")
    return text


def pile(end=1.5e-3):
    """27 cubes of 108 triangles, pressed together without restitution: one group of thousands of contacts, which ranks share."""
    text = head(end, 1e-5, end / 2, ledger=10) + "contacts: [{restitution: 0, friction: 0.3}]\nbodies:\n"
    for k in range(27):
        x = [k % 3 - 1, k // 3 % 3 - 1, k // 9 - 1]
        text += (f"  c{k}: {{{CUBE.replace('pieces: 4', 'pieces: 3')}, centre: [{1.055 * x[0]:g}, {1.055 * x[1]:g}, {1.055 * x[2]:g}], "
                 f"rotation: [{0.01 * (k % 3):g}, {0.015 * (k % 5):g}, 0.05], "
                 f"velocity: [{-67.2 * x[0]:g}, {-67.2 * x[1]:g}, {-67.2 * x[2]:g}]}}\n")
    return text


def can(end=1.5e-4):
    """Metal that flows where a rigid ball hits it; it touches itself, too."""
    return head(end, "{safety: 0.5}", end / 5, ledger=5) + """\
contacts: [{restitution: 0, friction: 0.2}]
bodies:
  can: {kind: shell, mesh: {cylinder: {radius: 0.033, height: 0.1, around: 28, along: 18, closed: true}}, thickness: 3e-4,
        material: {law: j2, young: 70e9, poisson: 0.33, density: 2700, yield: 250e6, hardening: 500e6}}
  ball: {kind: rigid, shape: {ball: {radius: 0.012}}, density: 7800, position: [0.0455, 0, 0.01], velocity: [-12, 0, 0]}
"""


def shipped(name, **changes):
    """A scene of examples/, with some words changed: time_end=0.1 is time.end."""
    source = pathlib.Path(os.environ.get("VISVIVA_SOURCE", pathlib.Path(__file__).parents[2]))
    return source / "examples" / name, [x for k, v in changes.items() for x in ("--set", f"{k.replace('_', '.', 1)}={v}")]


def same(a, b, files=FILES):
    """Names of files that differ."""
    names = [n for n in files if (a / n).exists() or (b / n).exists()]
    return [n for n in names if not (a / n).exists() or not (b / n).exists() or (a / n).read_bytes() != (b / n).read_bytes()]
