"""tests/tools/test_checks.py  The checks themselves: each finds what it is for, in a toy tree, and passes a clean one."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

tools = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"
failed = 0


def run(tool, files, program=""):
    """Runs a tool on a toy tree, with a program that prints this; returns its exit status and what it printed."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "tools").mkdir()
        shutil.copy(tools / "rooms.txt", root / "tools")
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        more = []
        if program:
            (root / "program").write_text(f"#!/bin/sh\necho '{program}'\n")
            (root / "program").chmod(0o755)
            more = ["--run", root / "program"]
        done = subprocess.run([sys.executable, tools / tool, root, *more], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


def expect(tool, files, rc, words="", program=""):
    global failed
    got, text = run(tool, files, program)
    if got != rc or words not in text:
        print(f"{tool}: expected {rc} and '{words}', got {got} and:\n{text}")
        failed += 1


headers = {f"src/{h}": "" for h in ("base/base.h", "math/roots.h", "contact/pairs.h", "body/bar/bar.h", "step/step.h",
                                    "io/results/h5.h", "io/scene/scene.h", "report/plot.h", "sim/sim.h", "model/model.h")}


def rooms(path, include, rc, words=""):
    expect("check_rooms.py", {**headers, "include/visviva/visviva.h": "", path: f"#include {include}\n"}, rc, words)


rooms("src/math/a.c", '"base/base.h"', 0)
rooms("src/math/a.c", '"sim/sim.h"', 1, "math may not know sim")  # uphill
rooms("src/contact/a.c", '"body/bar/bar.h"', 1, "contact may not know body")
rooms("src/body/beam/a.c", '"body/bar/bar.h"', 1, "strangers")  # sideways
rooms("src/body/bar/a.c", '"body/bar/bar.h"', 0)
rooms("src/step/event/a.c", '"step/step.h"', 0)  # top of the room
rooms("src/step/event/a.c", '"step/leapfrog/../step.h"', 1, "no ..")
rooms("src/io/checkpoint/a.c", '"io/results/h5.h"', 0)
rooms("src/io/scene/a.c", '"io/results/h5.h"', 1, "only")
rooms("src/report/a.c", '"io/results/h5.h"', 0)
rooms("src/sim/a.c", '"io/scene/scene.h"', 1, "sim may not know io")
rooms("src/io/scene/a.c", "<yaml.h>", 0)
rooms("src/io/results/a.c", "<yaml.h>", 1, "belongs in")
rooms("src/step/a.c", "<omp.h>", 1, "belongs in")
rooms("src/io/checkpoint/a.c", "<hdf5.h>", 1, "belongs in")
rooms("app/a.c", "<visviva/visviva.h>", 0)
rooms("app/a.c", '"base/base.h"', 1, "app may not know base")
rooms("validation/a.c", '"report/plot.h"', 0)
rooms("examples/x/a.c", '"report/plot.h"', 1, "only")
rooms("tests/body/a.c", '"body/bar/bar.h"', 0)
rooms("src/new/a.c", '"base/base.h"', 1, "not in tools/rooms.txt")


def columns(path, line, rc):
    expect("check_rooms.py", {path: f"double f(void)\n{{\n  return {line};\n}}\n"}, rc, "reads columns" if rc else "")


columns("src/contact/a.c", "w->p[b->p0 + node]", 1)
columns("src/contact/broad/a.c", "q[b->q0 + i]", 1)
columns("src/contact/a.h", "k->f[i]", 1)
columns("src/contact/a.c", "f[c * b->column + i]", 1)
columns("src/contact/a.c", "vvi_node_momenta(b, node, w->p, out) /* not w->p[i] */", 0)
columns("src/contact/a.c", "b->kind->movers(b, w->q + b->q0, w->p + b->p0, out)", 0)
columns("src/contact/island/a.c", "t->p[k]", 0)
columns("src/step/a.c", "x->p[b->p0 + i]", 0)


def equations(comment, rc, words="", page="p = m v   [bars 1]\n\nq = h p/m   [bars 2]\n"):
    expect("check_equations.py", {"docs/theory/bars.md": page, "src/body/bar/a.c": comment}, rc, words)


equations("/* kick [bars 1] */", 0)
equations("/* both [bars 1, 2] and [bars 1-2] */", 0)
equations("/* [bars 3] */", 1, "no such equation")
equations("// [bars 1-3]", 1, "[bars 3]")
equations("/* [beams 1] */", 1, "no docs/theory/beams.md")
equations('const char *a = "[beams 1]";', 0)
equations("", 1, "already", page="a   [bars 1]\nb   [bars 1]\n")


def metrics(lines, rc, folder="src/base"):
    expect("metrics.py", {f"{folder}/a.c": "int f(int a)\n{\n" + "  a++;\n" * lines + "}\n"}, rc)


metrics(117, 0)
metrics(118, 1)
metrics(200, 0, "tests/base")
print("failed:" if failed else "all checks find what they are for", failed or "")
def figures(page, rc, words=""):
    expect("check_figures.py", {"README.md": page, "docs/numbers.md": "| step | 3.25 ns |\n<!-- given: a table -->\n",
                                "bench/bench_bar.c": "", "tests/physics/test_wave.c": "", "Makefile": "bench: release\n"}, rc, words)


figures("Words alone, and 3 of them.\n", 0, "0 without")
figures("A step takes 3 ns.\n", 1, "README.md:1: no source for 3 ns")
figures("The error is 2.5e-7.\n", 1, "no source for 2.5e-7")
figures("One\nin two, off by 4 %.\n\nNext.\n", 1, "README.md:2: no source for 4 %")
figures("| a | b |\n|---|---|\n| x | 0.25 |\n", 1, "no source for 0.25")
figures("```yaml\nstep: 3 ns\n```\n\n`3 ns` is code.\n", 0)
figures("A step takes 3 ns (`bench_bar`).\n", 0, "2 with a source")
figures("A step takes 3 ns (`bench_rod`).\n", 1, "no source for 3 ns")
figures("Off by 4 % (`tests/physics/test_wave.c`).\n", 0)
figures("## Waves (`bench_bar`)\n\nA step takes 3 ns.\n\n### More\n\nOr 4 ns.\n\n## Others\n\nWords.\n", 0)
figures("## Waves (`bench_bar`)\n\nA step takes 3 ns.\n\n## Others\n\nOr 4 ns.\n", 1, "no source for 4 ns")
figures("Measured (`make bench`):\n\n| a | 0.25 |\n", 0)
figures("A step takes 3 ns.\n<!-- source: bench_bar: quiet -->\n", 0)
figures("A step takes 3 ns.\n<!-- source: bench_rod -->\n", 1, "no source 'bench_rod'")
figures("A step takes 3 ns.\n<!-- given: a setting -->\n", 0)
figures("A step takes 3 ns.\n<!-- figures: docs/numbers.md: 3.25 ns -->\n", 0, "1 checked")
figures("A step takes 3 ns.\n<!-- figures: docs/numbers.md: 4.25 ns -->\n", 1, "'4.25 ns' is not in docs/numbers.md")


def printed(figure, rc):
    expect("check_figures.py", {"README.md": f"Words.\n<!-- prints: run a.yaml => {figure} -->\n"}, rc, "1 checked",
           "  impacts   164\n  energy error  1.3e-13  round-off\n  energy   kept 2.0e-05")


printed("impacts 164", 0)
printed("impacts 165", 1)
printed("impacts > 150", 0)  # a chaotic run has some 160, on every machine
printed("impacts > 164", 1)
printed("energy error < 1e-12", 0)
printed("energy error < 1e-13", 1)
printed("energy error ~ 7e-14", 0)
printed("energy error ~ 6e-14", 1)
printed("energy error ~ 3e-13", 1)
printed("energy kept ~ 2e-5", 0)
printed("rror ~ 1.3e-13", 1)  # a label begins with a word
printed("losses < 1", 1)  # is not printed at all


def papers(here, rc, words="", state="done", head="1 | 1 | 0 | 0 | 0"):
    page = (f"| paper | items | done | done differently | partly | missing |\n|---|---|---|---|---|---|\n| A | {head} |\n"
            f"| all | {head} |\n\n## A\n\n| item | what it says | here | state |\n|---|---|---|---|\n| (1) | words | {here} | {state} |\n")
    expect("check_papers.py", {"docs/papers.md": page, "docs/validation.md": "| D1 | a claim |\n| D4 | another |\n",
                               "docs/theory/bars.md": "    q = p [bars 3]\n", "tests/physics/test_wave.c": "",
                               "docs/scene-reference.md": "| `on_off` | a keyword | `balanced`, `printed` |\n"}, rc, words)


papers("row D1", 0, "1 items, 0 mistakes")
papers("rows D1-D4, [bars 3], bars.md, `on_off: printed`", 0)
papers("tests/physics/test_wave.c", 0)
papers("as it should be", 1, "no row and no test shows it")
papers("row D2", 1, "the book has no row D2")
papers("rows D1-D5", 1, "the book has no row D5")
papers("row D1, tests/physics/test_gone.c", 1, "there is no tests/physics/test_gone.c")
papers("row D1, gone.md", 1, "there is no page gone.md")
papers("row D1, [bars 4]", 1, "no equation [bars 4]")
papers("row D1, `on_off: never`", 1, "`on_off: never` is no word of a scene")
papers("row D1", 1, "'nearly' is no state", state="nearly")
papers("row D1", 1, "the head says", head="1 | 0 | 1 | 0 | 0")
papers("", 0, state="missing", head="1 | 0 | 0 | 0 | 1")

sys.path.insert(0, str(tools))
import mutants  # noqa: E402

TOY = """/* a + b
 * c < d */
static const double few = 1.0 - 2.0;
static double sum(const double *a, int n)
{
  double s = 0.0; /* s < 0 */
  for (int i = 0; i < n; i++)
    s += a[i]; /* of a + b */
  assert(s < 3.0);
  say("s < %g", s);
  return s < 1.0 ? fmax(s, a[0]) : 0.5 * s;
}
"""
planted = {(number + 1, faulty.strip()) for number, _, faulty in mutants.faults_of(TOY)}
due = {(8, "s -= a[i];"), (8, ";"), (11, "return s <= 1.0 ? fmax(s, a[0]) : 0.5 * s;"), (11, "return s < 1.0 ? fmin(s, a[0]) : 0.5 * s;"),
       (11, "return s < 1.0 ? fmax(s, a[1]) : 0.5 * s;"), (11, "return s < 1.0 ? fmax(s, a[0]) : 1.0 * s;"),
       (11, "return s < 1.0 ? fmax(s, a[0]) : 0.5 / s;")}
if planted != due:
    print(f"mutants.py plants {planted - due} beside what it should, and not {due - planted}")
    failed += 1
list(mutants.by_hand(tools.parent, mutants.known(tools.parent)[1]))  # its lines are still there

sys.exit(failed > 0)
