#!/usr/bin/env python3
"""Do the tests notice?  Plants one-line faults in a copy of the tree, one at a time, and runs the quick tests that should.

    mutants.py [--count N] [--seed S] [--only REGEX] [--jobs J] [--limit S] [--scratch DIR] [--cover] [--hand] [--list]

A fault is a sign, a comparison, a bound, an index, a factor or a constant that is another one, or a statement that is gone: on lines of
code in the rooms below, drawn by the seed.  The copy is built once, then after each fault only what it changed.  What a test fails on, or
what does not compile, is told and forgotten; survivors are printed with their line.  Those of `tools/mutants.txt` change nothing that
anybody could see, each with its reason, and are not drawn; its lines that begin with `plant` are faults chosen by hand (--hand: those alone).
With --cover every test in C is run once more, compiled with counters: then a fault is shown to all tests that ran its line, the quickest
first, so that what survives was seen by none of them, and what no test runs is told at once.
"""
import argparse
import collections
import filecmp
import json
import math
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# What is looked at, and who should notice: quick tests, the likeliest first.  With a stroke in its name: FOLDER/test_NAME.py, which runs
# the program.
ROOMS = (
    ("src/sim/claims.c", ("sim_claims", "sim_losses", "physics_hyperelastic", "physics_impact_drift")),
    ("src/sim/transfer.c", ("sim_transfer",)),
    ("src/sim/space.c", ("sim_space",)),
    ("src/sim/arrive.c", ("sim_arrive",)),
    ("src/sim/stop.c", ("cli/probes",)),
    ("src/sim/", ("sim_claims", "sim_pace", "sim_act", "sim_restart", "sim_rest", "sim_memory", "physics_rows")),
    ("src/ledger/episodes.c", ("physics_episodes", "sim_losses", "sim_restart")),
    ("src/ledger/", ("sim_losses", "sim_claims", "io_book", "physics_impact_drift")),
    ("src/contact/solution/answer.c", ("sim_losses", "mixed_named", "physics_rigid_contact", "sim_claims", "physics_sliding", "physics_shell_crowd")),
    ("src/contact/booking/book.c", ("sim_claims", "sim_losses", "mixed_named", "physics_rigid_contact")),
    ("src/contact/solution/scale.c", ("physics_impact_cost", "physics_impact_drift", "physics_shell_some")),
    ("src/contact/solution/shadow.c", ("physics_impact_cost", "physics_impact_drift", "physics_shell_some", "physics_hyperelastic")),
    ("src/contact/island/", ("contact_island", "contact_sparse", "math_friction", "physics_rigid_contact", "mixed_named")),
    ("src/contact/friction/", ("math_friction", "contact_island")),
    ("src/contact/joints/", ("physics_joints", "physics_em_joints")),
    ("src/contact/shapes/rules.c", ("io_words", "physics_bars_general", "mixed_named", "physics_beam_crowd")),
    ("src/contact/shapes/solids.c", ("sim_claims", "mixed_named", "physics_rigid_contact", "physics_beam_crowd")),
    ("src/contact/narrow/", ("contact_sheets", "physics_shell_impact", "physics_shell_rigid", "physics_shell_press", "physics_beam_crowd", "physics_shell_crowd")),
    ("src/contact/broad/", ("contact_broad", "physics_rigid_contact", "contact_sheets", "physics_shell_impact", "physics_shell_rigid", "physics_shell_press", "physics_beam_crowd", "physics_shell_crowd")),
    ("src/contact/rows/", ("sim_losses", "mixed_named", "physics_rigid_contact", "contact_sheets", "physics_shell_impact", "physics_shell_rigid", "physics_shell_press", "physics_beam_crowd", "physics_shell_crowd")),
    ("src/contact/shapes/", ("sim_losses", "mixed_named", "physics_rigid_contact", "contact_sheets", "physics_shell_impact", "physics_shell_rigid", "physics_shell_press", "physics_beam_crowd", "physics_shell_crowd")),
    ("src/contact/pairs/", ("physics_bars", "physics_hyperelastic", "contact_reflect")),
    ("src/contact/", ("sim_losses", "mixed_named", "physics_rigid_contact", "sim_claims", "physics_sliding", "physics_shell_crowd", "physics_joints")),
    ("src/step/energy_momentum/joined.c", ("physics_em_joints",)),
    ("src/step/energy_momentum/", ("physics_rigid_em", "physics_em_contact", "physics_em_passed")),
    ("src/step/event/", ("physics_impact", "physics_modified", "physics_event_losses", "physics_on_off", "physics_fetecau", "physics_bars",
                         "physics_beam_impact")),
    ("src/step/locate/", ("physics_rigid_contact",)),
    ("src/step/dcr2005/", ("physics_dcr2005",)),
    ("src/step/variational/", ("physics_variational",)),
    ("src/step/kdk.c", ("physics_impact_cost", "physics_hyperelastic", "physics_bars")),
    ("src/step/", ("physics_hyperelastic", "physics_bars", "physics_structure", "physics_layers")),
    ("src/body/bar/flow.c", ("physics_material_bars",)),
    ("src/body/bar/", ("physics_bars", "physics_hyperelastic", "claims_bodies")),
    ("src/body/beam/flow.c", ("physics_material_beams",)),
    ("src/body/beam/director", ("physics_feem",)),
    ("src/body/beam/", ("physics_beams", "claims_bodies", "physics_beam_structure")),
    ("src/body/rigid/shape.c", ("geom_weigh", "physics_rigid_words", "mixed_named")),
    ("src/body/rigid/", ("physics_rigid_free", "claims_bodies")),
    ("src/body/shell/flow.c", ("physics_material_shells",)),
    ("src/body/shell/", ("physics_shell", "claims_bodies")),
    ("src/io/checkpoint/", ("sim_restart", "io_results")),
)
# What only accelerators and ranks run: their tests are not quick.
ELSEWHERE = r"device|accelerate|stay|ranks|share|dealt|away"
ROOMS_OF = ("src/contact", "src/step", "src/ledger", "src/sim", "src/body", "src/io/checkpoint")
# What needs an accelerator, the program itself, or the whole machine.
NOT_RUN = r"^(device|net|install|cli)_|_giants$"

# A word of the line, and what it becomes; all places of a line are candidates.
FAULTS = (
    (r" < (?=[^<=])", " <= "), (r" <= ", " < "), (r" > (?=[^>=])", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" \+= ", " -= "), (r" -= ", " += "),
    (r"\b0\.5 \* ", "1.0 * "), (r"\b2\.0 \* ", "1.0 * "), (r"\b1\.0 - ", "1.0 + "),
    (r"\bfmax\(", "fmin("), (r"\bfmin\(", "fmax("), (r"\bfabs\(", "("), (r"\bsqrt\(", "("),
    (r"\[0\]", "[1]"), (r"\[1\]", "[0]"), (r"\[2\]", "[1]"), (r" \+ 1\b(?!\.)", ""), (r" - 1\b(?!\.)", ""),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"(?<=[ (=])-(?=[a-z(])", ""), (r"(?<=[ (])!(?=[a-z(])", ""),
    (r"^(\s+)(?!return|break|continue|goto|const|static|double|int|bool|case|else|default|struct|VV|vv_\w+ \w)[a-z_>*\w.\[\]\-]+( [+-]?=|\().*;$", r"\1;"),
)


def is_code(line):
    """Not a comment, a directive, a declaration of constants, or a message: nothing there runs."""
    words = line.strip()
    return (len(words) > 3 and line.startswith("  ") and not words.startswith(("/*", "*", "//", "#", "VV_ASSERT", "static const", "enum"))
            and '"' not in line and "for (" not in line and "assert" not in line)


def faults_of(text):
    """(line number, the line, the faulty line) of all that can be planted."""
    inside = False
    for number, line in enumerate(text.split("\n")):
        begins, ends = line.rfind("/*"), line.rfind("*/")
        commented = inside
        if begins >= 0 or ends >= 0:
            inside = begins > ends
        if commented or not is_code(line):
            continue
        code = line.split("/*")[0].rstrip()
        for pattern, word in FAULTS:
            for at in re.finditer(pattern, code):
                faulty = code[:at.start()] + at.expand(word) + code[at.end():]
                if faulty != code:
                    yield number, line, faulty


class Fault(collections.namedtuple("Fault", "path number line faulty")):
    def __str__(self):
        return f"{self.path}:{self.number + 1}\n  - {self.line.strip()}\n  + {self.faulty.strip()}"


def known(root):
    """What tools/mutants.txt says: {(path, line, faulty): reason} and faults that are planted by hand."""
    same, plant = {}, []
    for number, row in enumerate((root / "tools/mutants.txt").read_text().split("\n")):
        if not row or row.startswith("#"):
            continue
        kind, path, line, faulty, *reason = [part.strip() for part in row.split(" ||| ")]
        if kind == "same":
            same[path, line, faulty] = reason[0]
        else:
            plant.append((number, path, line, faulty))
    return same, plant


def by_hand(root, plant):
    for number, path, line, faulty in plant:
        found = [i for i, text in enumerate((root / path).read_text().split("\n")) if text.strip().startswith(line)]
        if len(found) != 1:
            sys.exit(f"tools/mutants.txt:{number + 1}: {len(found)} lines of {path} are `{line}`")
        yield Fault(path, found[0], (root / path).read_text().split("\n")[found[0]], faulty)


def draw(root, count, seed, only, same):
    """Files are as likely as they have lines with something to plant; of a line one fault."""
    r, all_lines = random.Random(seed), collections.defaultdict(list)
    for room in ROOMS_OF:
        for path in sorted((root / room).rglob("*.c")):
            name = str(path.relative_to(root))
            if not re.search(only, name) or tests_of(name) is None or re.search(ELSEWHERE, path.stem):
                continue
            for number, line, faulty in faults_of(path.read_text()):
                if (name, line.strip(), faulty.strip()) not in same:
                    all_lines[name, number].append(Fault(name, number, line, faulty))
    lines = sorted(all_lines)
    r.shuffle(lines)
    for line in lines[:count]:
        yield r.choice(all_lines[line])


def tests_of(path):
    return next((tests for start, tests in ROOMS if path.startswith(start)), None)


def files_of(root):
    """What git knows or could know of the tree."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, check=True,
                           capture_output=True, text=True).stdout.split("\0")
    return [name for name in names if name and (root / name).exists()]


def processor():
    """s: of all that was waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Copy:
    """The tree, its build, and the tests that pass in it: how long each takes is kept beside the build."""

    def __init__(self, folder, jobs, limit):
        self.tree, self.jobs, self.limit = folder, jobs, limit
        self.build_folder, self.book = folder / "build/dev", folder / "build/took.json"
        for name in files_of(ROOT):
            if not (folder / name).exists() or not filecmp.cmp(ROOT / name, folder / name, shallow=False):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, folder / name)
        self.configure("dev", "-DVV_WERROR=OFF") # what is unused then is no reason
        self.took = json.loads(self.book.read_text()) if self.book.exists() else {}

    def configure(self, preset, *more):
        if not (self.tree / "build" / preset / "build.ninja").exists():
            subprocess.run(["cmake", "--preset", preset, "-B", f"build/{preset}", "-G", "Ninja", "-DVV_BENCH=OFF", *more],
                           cwd=self.tree, check=True, stdout=subprocess.DEVNULL)

    def build(self, tests, folder=None):
        done = subprocess.run(["cmake", "--build", folder or self.build_folder, f"-j{self.jobs}", "--target",
                               *["visviva" if "/" in t else f"test_{t}" for t in tests]],
                              capture_output=True, text=True)
        return done.returncode == 0

    def passes(self, test, limit):
        """In so many seconds of the processor: a busy machine is no fault.  What waits for ever is one."""
        command = [self.build_folder / f"tests/test_{test}"]
        if "/" in test:
            command = [sys.executable, f"tests/{test.replace('/', '/test_')}.py"]
        told = {**os.environ, "VISVIVA": f"{self.build_folder}/visviva", "VISVIVA_SOURCE": str(self.tree), "VISVIVA_BUILD": str(self.build_folder)}
        most = (math.ceil(limit), math.ceil(limit) + 5)
        try:
            done = subprocess.run(command, cwd=self.tree, capture_output=True, timeout=20 * limit, env=told,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, most))
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0

    def sound(self, tests):
        """Those that pass as it is, in the time there is, the quickest first."""
        new = [t for t in tests if t not in self.took]
        if new and not self.build(new):
            sys.exit("the copy does not build")
        for test in new:
            began = processor()
            self.took[test] = processor() - began if self.passes(test, self.limit) else None
            self.book.write_text(json.dumps(self.took, indent=1))
        return sorted((t for t in tests if self.took[t] is not None), key=lambda t: self.took[t])

    def killed_by(self, fault, tests):
        """The test that notices, `compiler`, or None."""
        path = self.tree / fault.path
        text = path.read_text()
        lines = text.split("\n")
        assert lines[fault.number] == fault.line, fault
        lines[fault.number] = fault.faulty
        try:
            path.write_text("\n".join(lines))
            for first in range(0, len(tests), 8): # linked together, run one by one
                if not self.build(tests[first:first + 8]):
                    return "compiler"
                for test in tests[first:first + 8]:
                    if not self.passes(test, 3 * self.took[test] + 10):
                        return test
            return None
        finally:
            path.write_text(text)


class Cover:
    """Which tests ran a line: counters of each test in a folder of its own, read when a file is asked about."""

    def __init__(self, copy):
        self.copy, self.build_folder, self.kept, self.ran = copy, copy.tree / "build/coverage", copy.tree / "build/cover", {}
        copy.configure("coverage", "-DCMAKE_C_FLAGS_DEBUG=-O1 -g")
        names = [str(p.relative_to(ROOT / "tests").with_suffix("")) for p in sorted((ROOT / "tests").rglob("test_*.c"))]
        self.tests = [t for t in (re.sub(r"(^|/)test_", r"\1", n).replace("/", "_") for n in names) if not re.search(NOT_RUN, t)]
        missing = [t for t in self.tests if not (self.kept / t).exists()]
        if missing and not copy.build(missing, self.build_folder):
            sys.exit("the copy does not build with counters")
        for test in missing:
            self.count(test)

    def count(self, test):
        place = self.kept / "now"
        shutil.rmtree(place, ignore_errors=True)
        try:
            subprocess.run([self.build_folder / f"tests/test_{test}"], cwd=self.copy.tree, capture_output=True, timeout=5 * self.copy.limit,
                           env={**os.environ, "GCOV_PREFIX": str(place), "GCOV_PREFIX_STRIP": str(len(self.build_folder.parts) - 1)})
        except subprocess.TimeoutExpired: # no counters: a long test
            shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True, exist_ok=True)
        place.rename(self.kept / test)

    def lines(self, test, path):
        """Lines of the file that the test ran."""
        name = f"CMakeFiles/vv_{path.split('/')[1]}.dir/{path}.gcda"
        counters, notes = self.kept / test / name, self.build_folder / name.replace(".gcda", ".gcno")
        if not counters.exists():
            return set()
        link = counters.with_suffix(".gcno")
        if not link.exists():
            link.symlink_to(notes)
        done = subprocess.run(["gcov", "--json-format", "--stdout", counters], capture_output=True, text=True, cwd=self.build_folder)
        found = [f for row in done.stdout.splitlines() if row.strip() for f in json.loads(row)["files"] if f["file"].endswith(path)]
        return {line["line_number"] for f in found for line in f["lines"] if line["count"] > 0}

    def tests_of(self, fault):
        """A statement begins on this line or above it.  Programs that Python runs are not counted: those of the room."""
        if fault.path not in self.ran:
            self.ran[fault.path] = {test: self.lines(test, fault.path) for test in self.tests}
        ran, text, at = self.ran[fault.path], (self.copy.tree / fault.path).read_text().split("\n"), fault.number
        known = set().union(*ran.values())
        while at + 1 not in known and at > 0 and not text[at - 1].rstrip().endswith((";", "{", "}")):
            at -= 1
        return [test for test in self.tests if at + 1 in ran[test]] + [test for test in tests_of(fault.path) if "/" in test]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="regular expression of paths")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--limit", type=float, default=60, help="s of the processor: what a test may take as it is")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build/mutants")
    parser.add_argument("--cover", action="store_true", help="all tests that run the line, not only the likeliest")
    parser.add_argument("--hand", action="store_true", help="those of tools/mutants.txt alone")
    parser.add_argument("--drawn", action="store_true", help="without those of tools/mutants.txt")
    parser.add_argument("--list", action="store_true", help="only say what would be planted")
    given = parser.parse_args()
    same, plant = known(ROOT)
    faults = [] if given.drawn else [f for f in by_hand(ROOT, plant) if re.search(given.only, f.path)]
    if not given.hand:
        faults += draw(ROOT, given.count, given.seed, given.only, same)
    if given.list:
        print("\n".join(map(str, faults)))
        return 0
    copy, tally, survivors = Copy(given.scratch.resolve(), given.jobs, given.limit), collections.Counter(), []
    cover = Cover(copy) if given.cover else None
    for fault in faults:
        tests = copy.sound(cover.tests_of(fault) if cover else tests_of(fault.path))
        killer = copy.killed_by(fault, tests)
        tally["does not compile" if killer == "compiler" else "survives" if killer is None else "killed"] += 1
        print(f"{killer or 'SURVIVES ' + ' '.join(tests)}: {fault}", flush=True)
        if killer is None:
            survivors.append(fault)
    print(", ".join(f"{what} {n}" for what, n in tally.items()) + f"; seed {given.seed}")
    return len(survivors) > 0


if __name__ == "__main__":
    sys.exit(main())
