/* app/help.c  visviva help: the texts of help, by verb and by topic. */
#include "app.h"

#include <limits.h>
#include <string.h>

typedef struct topic {
  const char *name, *text;
} topic;

/* clang-format off */
static const topic topics[] = {
{"run",
"Reads the scene (- : from standard input), runs it, and writes a result folder\n"
"(default: out/NAME for NAME.yaml):\n"
"  scene.yaml          the scene with all defaults written out\n"
"  ledger.csv          energy and momentum, one row per recorded step\n"
"  events.csv          one row per impact, up to record.events (100,000)\n"
"  contacts.csv        one row per contact of two bodies, with its force\n"
"  probes.csv          the scene's `probes` over time, at their own rate\n"
"  bodies.csv          energy and momentum of each body, where several move\n"
"  results.h5          frames: positions, velocities, stresses (HDF5)\n"
"  paraview/run.pvd    frames for ParaView (every fourth, unless record.every is\n"
"                      given)\n"
"  checkpoint.h5       the complete state; --resume continues to the same bits\n"
"  summary.json        the key numbers and the claims, for programs\n\n"
"  -o, --output DIR    where to write\n"
"  --set NAME=VALUE    another value for one of the scene's `parameters`, or for\n"
"                      any key by its path: time.end=2, bodies.rod.length=3 mm\n"
"  --threads N         1 to 1024; default: as many as pay off, up to\n"
"                      OMP_NUM_THREADS or all cores; results do not depend on it\n"
"  --device D          auto, cpu (default), or a device of `visviva info` by its\n"
"                      number or a part of its name; the results are the same bit\n"
"                      by bit, and what does not run there yet is refused; each\n"
"                      rank of visviva-mpi takes one, those of a name in turn\n"
"  --resume            continue the run in DIR after its last checkpoint;\n"
"                      time.end and record may have been changed; damaged tables\n"
"                      and frames are put aside\n"
"  --overwrite         replace the run in DIR\n"
"  -q, --quiet         no progress line and no summary\n"
"  --check-structure   also check the symplectic structure (slower)\n"
"  --arrive END.yaml   values at both times: momenta are found that lead from\n"
"                      this scene's configuration to that at the start of\n"
"                      END.yaml, at time.end (bars and beams, no contact)\n"
"  --from DIR          go on with the run in DIR, with other grids of its bars\n"
"                      and beams (elements, grading, spacing): momenta to\n"
"                      rounding, the energy that changes is booked\n\n"
"Ctrl-C stops after the current step with a checkpoint; a step that takes\n"
"longer than a second is abandoned, and the last checkpoint is kept.\n"
"`mpiexec -n N visviva-mpi run SCENE.yaml` shares the shells of a scene over\n"
"ranks, to the same bits (docs/many-machines.md).\n"
"See also: visviva help ledger, visviva help claims, visviva help exit-codes.\n"},
{"check",
"Reports every mistake of the scene (- : standard input) at once, with line,\n"
"column and the nearest known key.  --set as in run.\n"
"For a scene without mistakes it prints bodies, nodes, the stable step\n"
"2/omega_max, the chosen step, the method, the contacts and how large the results\n"
"will be.\n"},
{"prepare",
"Sets the scene up once and writes what it is made of to a file, which run and\n"
"check take in place of the scene: it is mapped and not made again.  For meshes\n"
"that not every rank of `mpiexec -n N visviva-mpi run SCENE.vvm` could set up:\n"
"each of them reads its own tiles.  The same results, bit for bit.  The file is\n"
"that of this version of visviva and of this scene; time.end, title, record\n"
"and stop may still be --set (docs/many-machines.md).\n"},
{"space",
"Runs the scene for its time (--steps N: for so many steps), keeps what the first\n"
"node of a bar or beam with free ends did (--body NAME; default: the first body),\n"
"and marches it along the body, a node at a time: initial data at one end for all\n"
"times.  Prints, for each node, at how many levels it is known, the largest\n"
"difference from the run, how much a short disturbance of the end has grown, and\n"
"how well the symplectic form in space is kept.  The growth is the reason why\n"
"this is no way to compute: per element it is ((1 + sqrt(1 - C^2))/C)^2 for a bar\n"
"whose step is C times the stable one (docs/theory/grids.md).\n"},
{"info",
"Without arguments: version, build, and the available kinds of bodies and\n"
"steppers.\n"
"With a scene: the same as check.\n"
"With a result folder: its key numbers and files.\n"},
{"examples",
"Without arguments: lists the shipped scenes.\n"
"`visviva examples newcomer/bar-on-wall` copies one into this folder; its name\n"
"without the group is enough where it is unique.  An optional last argument is\n"
"the target, a file or a folder.  Nothing is overwritten.\n"
"The scenes are looked for in $VISVIVA_EXAMPLES, then beside the installed\n"
"program.\n"},
{"compare",
"Compares ledger, frames and events of two result folders, rows and frames of the\n"
"same time with each other, and says where the largest difference is.\n"
"Bodies, nodes or frames that one folder has and the other has not are a\n"
"difference of 1 or more.\n"
"  --tol X             allowed relative difference of what is of the same time;\n"
"                      default 0: the same bits, and no row missing\n"
"Exit code 0: within X.  3: not.  1: a folder could not be read.\n"},
{"picture",
"Draws shapes, displacements, energies and the energy error (default:\n"
"DIR/picture.svg).  A file that ends in .png gets pixels, .svg lines and text.\n\n"
"  -f, --field NAME    bodies at one time, coloured by an output field: mises,\n"
"                      plastic_strain, velocity, stress[0] (fields with several\n"
"                      components: by their size, or by one); bars on a line as\n"
"                      curves\n"
"  --time T            at the frame nearest to this; default: the last\n"},
{"report",
"Makes one page out of result folders (default: DIR/report.html) that opens in a\n"
"browser from disk, with nothing else beside it: the verdict on every claim, the\n"
"motion in 3D, the ledger as plots that follow the playback, contacts, events,\n"
"and the scene with defaults.  Two or more folders are shown side by side on one\n"
"clock.\n"
"  -o, --output FILE   where to write\n"
"  --limit MB          size of the page, 2 to 1000; default 25.  Frames, fields\n"
"                      and rows beyond it are left out, and the page says so\n\n"
"Press ? in the page for its keys.\n"
"The page is built from web/ with Node: `make web`, once.  Its template is looked\n"
"for in $VISVIVA_TEMPLATE, then beside the program.\n"},
{"study",
"Runs a scene with several steps or numbers of elements, compares each run with\n"
"a reference run, and prints errors and the orders with which they shrink.\n"
"  visviva study S.yaml --vary time.step=0.4,0.2,0.1 --reference method.order=4\n"
"  visviva study S.yaml --vary bodies.rod.elements=16,32,64 -o out/mesh\n\n"
"  --vary PATH=A,B,C   one run per value, from coarse to fine; several lists are\n"
"                      walked together.  Paths: time.step, bodies.NAME.elements,\n"
"                      or a parameter; values as in a scene: 1/240, 5 ms.  Steps\n"
"                      that do not divide time.end are shortened\n"
"  --reference PATH=V  the reference: the finest run with this changed; may be\n"
"                      given several times.  Default: every number refined by 2\n"
"  --set PATH=V        changes the scene for all runs\n"
"  --norm end          root mean square over the common nodes, at the end of the\n"
"                      run, of positions (and frames, for beams); default\n"
"  --norm paper        sqrt(dt dl) times the 2-norm of the relative errors of the\n"
"                      nodes at all steps (Demoures et al. 2015)\n"
"  --norm energy       largest error of the energy balance; needs no reference\n"
"  --norm first-contact, peak-force, impulse\n"
"                      of the first contact; nodes need not coincide\n"
"  -o, --output DIR    write study.csv and study.svg there\n"
"  --overwrite         replace the study in DIR\n"
"  --threads N, --device D, -q    as in run\n\n"
"The column `slope` is plain.  Where the reference is a finer run of the same\n"
"method, `order` is corrected for its error: a reference of half the finest step\n"
"shows slopes 1.58 and 2.32 for orders 1 and 2.  Positions after many impacts do\n"
"not converge; then study says so, and when the runs part.\n"
"Exit codes as in run; Ctrl-C keeps what is known.\n"},
{"sweep",
"Runs one scene many times.  A plan says what varies and what is measured; every\n"
"value of every case is drawn once, as text; each case leaves one row.\n"
"  visviva sweep new plan.yaml -o out/rods      draw the cases, check one of them\n"
"  visviva sweep run out/rods --jobs 8          run those that have no row yet\n"
"  visviva sweep table out/rods                 table.csv, table.h5, summary.csv\n"
"  visviva sweep case out/rods 17 -o out/17     one case with all its files\n"
"  visviva report out/rods                      histograms, scatter, failures\n\n"
"A plan:\n"
"  visviva-sweep: 1\n"
"  scene: break-of-15.yaml\n"
"  seed: 7\n"
"  draws: 200                        # crossed with every list below\n"
"  set: {time.end: 1}                # for all cases, as run --set\n"
"  vary:                             # by path, or the name of a parameter\n"
"    bodies.cue.position[1]: {normal: {mean: 0, deviation: 1e-3}}\n"
"    bodies.cue.velocity[0]: {uniform: [4.5, 5.5]}\n"
"    time.step: [1e-3, 5e-4]\n"
"  measure:                          # columns of the table\n"
"    energy: ledger.total\n"
"    cue_x: bodies.cue.position[0]\n"
"    first: events[0].time\n"
"  keep: {failed: true, cases: [0, 17]}    # full result folders\n"
"  limits: {wall: 600, tries: 3}\n\n"
"Laws: uniform, loguniform, normal, whole, choice, direction, rotation; lists:\n"
"list, range.  Measures: ledger, run, events, contacts, bodies, probes.\n"
"docs/many-machines.md explains them, and clusters.\n\n"
"  -j, --jobs N        so many cases at a time, each in its process; default 1\n"
"  --share I/N         every Nth case, from case I on: for arrays of jobs\n"
"  --device D          as in run; all jobs share it\n"
"  mpiexec -n N visviva-mpi sweep run DIR     the ranks share the cases\n\n"
"Stopped or killed at any moment, the same command goes on, and the table has the\n"
"same bytes.  A case in which the program dies is tried again, three times.\n"
"Exit code 0: all cases came to their end.  2: some did not.  3: some broke a\n"
"claim.\n"},
{"cite",
"Prints the papers behind the methods of a scene (without a scene: all of them),\n"
"as text and as BibTeX.\n"},
{"reference",
"Writes the reference page of scene files, made from the tables that check them\n"
"(Markdown); - is standard output.\n"},
{"schema",
"Writes a JSON schema of scene files, made from the tables that check them; - is\n"
"standard output.\n"
"Editors with a YAML language server complete and check keys with it; put\n"
"  # yaml-language-server: $schema=visviva.json\n"
"into the first line of a scene.\n"},
{"man",
"Prints the manual page, for man(1).\n"},
{"completion",
"Prints a completion script.  For this session of bash:\n"
"  source <(visviva completion bash)\n"
"For good, put it where the shell looks: ~/.local/share/bash-completion/\n"
"completions/visviva, a folder of $fpath as _visviva, ~/.config/fish/\n"
"completions/visviva.fish.  Packages install all three.\n"},
{"help",
"Explains a verb, a topic (scene, method, ledger, claims, exit-codes), or keys of\n"
"scenes:\n"
"  visviva help rigid          the keys of a kind of body\n"
"  visviva help rigid.copies   one of them, with what is below it\n"
"  visviva help time.step      keys of the scene\n"},
{"version", "Prints the version.\n"},
{"scene",
"A scene is one YAML file.  The smallest one that shows an impact:\n\n"
"  visviva: 1                        # version of this grammar\n"
"  title: Two bars collide\n"
"  time: {end: 40, step: {safety: 0.8}}   # or step: 0.1\n"
"  bodies:\n"
"    left:  {kind: bar, length: 10, elements: 50, section: {area: 1},\n"
"            material: {young: 1, density: 1}, position: -10.02, velocity: 0.1}\n"
"    right: {kind: bar, length: 10, elements: 50, section: {area: 1},\n"
"            material: {young: 1, density: 1}, position: 0, velocity: -0.1}\n"
"  contacts:\n"
"    - {between: [left, right], restitution: 1}\n\n"
"Numbers may be formulas with units: 2*pi, 1/240, 3 mm, 210 GPa.  Without a unit\n"
"they are in SI, or in what `units: {length: mm, mass: t, time: s}` says.\n"
"`parameters: {speed: 5 m/s}` names one for formulas and for `run --set speed=6`.\n"
"Kinds of bodies:\n"
"  bar       on a line: waves, walls, driven ends   docs/bars.md\n"
"  beam      rods, rings, helices in space           docs/beams.md\n"
"  shell     thin sheets and hollow bodies           docs/shells.md\n"
"  rigid     balls, boxes, meshes; one or thousands  docs/rigid.md\n"
"  obstacle  planes, spheres, rooms, fixed in space\n"
"Unknown keys are rejected, and the nearest known one is named.\n"
"`visviva reference FILE.md` writes the list of all keys; scene.yaml in a result\n"
"folder shows the defaults; `visviva examples` has commented scenes.\n"},
{"method",
"method: {step: event}       cuts the step at the contact time; the momentum\n"
"                            jumps there\n"
"        jump: slab          keeps the energy of the two time slabs at each\n"
"                            impact (Demoures et al. 2017)\n"
"        jump: nodal         keeps the energy at the nodes at each impact\n"
"        jump: modified      keeps the energy that the method itself conserves:\n"
"                            exact to round-off (linear bodies)\n"
"        jump: auto          modified where it can be used, else nodal (default)\n"
"method: {step: leapfrog}    whole steps; coupled contacts are resolved together\n"
"                            before the position update that would make bodies\n"
"                            overlap\n"
"        order: 2, 4 or 6    compositions of the symmetric step (4, 6: for\n"
"                            bodies that touch nothing, and for bars)\n"
"        start: drift        velocities belong to the first drift (2015, 2017\n"
"                            papers) instead of the start\n"
"        simultaneous        rigid bodies, impacts at one time: reflections (one\n"
"                            ball in, one out; default) or complementarity\n"
"        locate: exact       rigid balls: each impact at its own time (default\n"
"                            where it can be)\n"
"        halvings: N         other rigid bodies: the step is halved up to N times\n"
"                            around an impact\n"
"method: {step: energy-momentum}\n"
"                            implicit, keeps energy and momenta exactly, through\n"
"                            contact and joints, too\n"
"By default: event where bars and planes are all there is to touch, else\n"
"leapfrog, in which every kind can touch every other.  docs/methods.md says of\n"
"each when to use it, what it guarantees, what it costs.\n\n"
"time: {step: {safety: 0.8}} takes 0.8 of the stable step.  `visviva info` lists\n"
"bodies and steppers, `visviva cite SCENE` the papers behind a scene.\n"},
{"ledger",
"ledger.csv accounts for all energy:\n"
"  total    = kinetic + strain + potential + contact\n"
"  closure  = (total - external_work + losses - first total) / energy scale;\n"
"             zero to round-off where the method claims `exact`, bounded by\n"
"             theory where it claims `bounded`, not blown up where the claim is\n"
"             a `guard`; the summary divides the largest gap of the run by its\n"
"             largest scale\n"
"  p, L     = momentum and angular momentum about the origin\n"
"Losses (friction_loss, restitution_loss, step_loss, plastic_work, viscous_loss,\n"
"damage_loss) are recorded, and never decrease.\n"
"A method claims what it conserves: `exact` (to round-off), `bounded` (within a\n"
"bound from theory), or with losses booked.  The energy is the one that the\n"
"method balances (nodal, slab, modified or director); summary.json names it and\n"
"also has the plain energy at the nodes.  A run whose claim is broken ends with\n"
"exit code 3.\n"},
{"claims",
"A claim is a guarantee of the method, checked while a run goes on; the table at\n"
"the end has the worst value, the bound, and when that was.  `kept`: within it.\n"
"`within`: of a guard, which no theory bounds; compare with half the step.\n"
"BROKEN: exit code 3.\n"
"  energy            the balance of energy; for beams, shells and rubber bars in\n"
"                    the leapfrog the energy that the step conserves to fourth\n"
"                    order.  Broken: take a shorter step\n"
"  losses            what friction, restitution and materials take never\n"
"                    decreases.  Broken: do not use the result, and report it\n"
"  debt              energy that contacts added within a step and did not repay.\n"
"                    Broken: the step is too long for what presses\n"
"  penetration       overlap of bodies; also what went into the side of a bar,\n"
"                    and a beam into itself, which have no contact.  Broken:\n"
"                    what a warning names, a shorter step, `halvings`, or\n"
"                    stiffer springs and layers\n"
"  motion            how far bodies are from their prescribed `motion`.  Broken:\n"
"                    what they run into is heavy, or cannot yield\n"
"  momentum, angular_momentum\n"
"                    what no load, support or obstacle gave is conserved\n"
"  joints            how far joints are from where they should be\n"
"  joint_work        energy that joints add or take by the finite step\n"
"  event_balance     energy at each contact time (event)\n"
"  symplectic, multisymplectic, noether\n"
"                    of `run --check-structure`\n"
"docs/faq.md says more of what to do.\n"},
{"exit-codes",
"0  done, and every claim of the method was kept\n"
"1  bad input: the command line, the scene, or a file that cannot be read; for\n"
"   picture, report and other verbs that run nothing: or be written\n"
"2  the run stopped early: interrupted, unstable, too many events, output failed\n"
"   or disk full; the last checkpoint is kept, and\n"
"   `visviva run SCENE -o DIR --resume` continues it\n"
"3  done, but a claim was broken (run), or the folders differ (compare)\n"
"While a scene is set up no file is touched, and Ctrl-C or SIGTERM ends the\n"
"program at once, without a message (the shell shows 130 or 143).\n"},
};
/* clang-format on */
enum { TOPICS = sizeof topics / sizeof topics[0], WIDTH = 80 };

const char *app_topic(const char *name)
{
  for (int i = 0; i < TOPICS; i++)
    if (strcmp(topics[i].name, name) == 0) return topics[i].text;
  return NULL;
}

static int overview(void)
{
  printf("visviva %s: impact that keeps its books.\n\nusage: visviva VERB ...\n", vv_version());
  for (const app_verb *v = app_verbs; v->name != NULL; v++) printf("  %-11s %s\n", v->name, v->line);
  printf("\nBodies: bars, beams, shells, rigid bodies, obstacles (visviva help scene).\n\n"
         "Begin with:\n"
         "  visviva examples newcomer/bar-on-wall    copy a scene into this folder\n"
         "  visviva run bar-on-wall.yaml             run it: out/bar-on-wall\n"
         "  visviva report out/bar-on-wall           a page to look at it\n"
         "  visviva report out/A out/B               two runs side by side\n"
         "  visviva picture out/bar-on-wall          or one picture (SVG or PNG)\n\n"
         "More: visviva help VERB, and visviva help scene, method, ledger, claims,\n"
         "exit-codes; keys of scenes: visviva help rigid, help time.step.\n");
  return APP_DONE;
}

/* Broken before an option where the line would be too long. */
static void print_usage(const char *usage)
{
  int column = printf("visviva");
  for (const char *c = usage; *c != '\0';) {
    const char *end = c + (*c == '[' ? strcspn(c, "]") + 1 : strcspn(c, " "));
    const int length = (int)(end - c);
    if (column + 1 + length > WIDTH) column = printf("\n           ") - 1;
    column += printf(" %.*s", length, c);
    c = end + strspn(end, " ");
  }
  printf("\n\n");
}

int app_help(const char *name)
{
  const char *known[TOPICS];
  if (name == NULL) return overview();
  for (int i = 0; i < TOPICS; i++) {
    known[i] = topics[i].name;
    if (strcmp(name, topics[i].name) != 0) continue;
    const app_verb *v = app_verb_find(name);
    if (v != NULL) print_usage(v->usage);
    printf("%s", topics[i].text);
    return APP_DONE;
  }
  if (app_help_key(name)) return APP_DONE;
  char key[APP_KEY];
  int least = INT_MAX;
  const char *near = NULL;
  for (int i = 0; i < TOPICS; i++)
    if (app_nearer(name, known[i], &least)) near = known[i];
  if (app_help_key_near(name, key, &least)) near = key;
  if (near != NULL) return app_error("there is no help on '%s'; did you mean '%s'?", name, near);
  return app_error("there is no help on '%s'; `visviva help` lists what there is", name);
}

int app_verb_help(int argc, char **argv)
{
  app_line line = {.verb = "help", .most = 1};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  return app_help(line.n > 0 ? line.word[0] : NULL);
}
