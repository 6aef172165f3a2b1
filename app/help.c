/* app/help.c  visviva help: enough to learn from. */
#include "app.h"

#include <string.h>

typedef struct topic {
  const char *name, *text;
} topic;

/* clang-format off */
static const topic topics[] = {
{"run",
"Reads the scene, runs it, and writes a result folder (default: out/NAME for NAME.yaml):\n"
"  scene.yaml          the scene as understood, every default written out\n"
"  ledger.csv          energy and momentum, one row per recorded step; `visviva help ledger`\n"
"  events.csv          one row per impact\n"
"  results.h5          frames: positions, velocities, stresses (HDF5)\n"
"  paraview/run.pvd    the same frames for ParaView\n"
"  checkpoint.h5       the complete state; --resume continues from it to the same bits\n"
"  summary.json        the key numbers and the claims, for programs\n\n"
"  -o, --output DIR    where to write\n"
"  --threads N         1 to 1024; default OMP_NUM_THREADS or all cores; results do not depend on it\n"
"  --resume            continue the run in DIR after its last checkpoint\n"
"  --overwrite         replace the run in DIR\n"
"  -q, --quiet         no progress line and no summary\n"
"  --check-structure   also check the symplectic structure (slower)\n\n"
"Ctrl-C stops after the current step with a checkpoint.  Exit codes: `visviva help exit-codes`.\n"},
{"check",
"Reports every mistake of the scene at once, with line, column and the nearest known word.\n"
"For a good scene it prints bodies, nodes, the stable step 2/omega_max, the chosen step, the method and the contacts.\n"},
{"info",
"Without a word: version, build and the kinds of bodies and steppers known.\n"
"With a scene: the same as check.  With a result folder: its key numbers and files.\n"},
{"examples",
"Without a word: lists the shipped scenes.  `visviva examples newcomer/bar-on-wall` copies one into this folder;\n"
"a last word names another file or folder.  Nothing is overwritten.\n"
"The scenes are looked for in $VISVIVA_EXAMPLES, then beside the installed program.\n"},
{"compare",
"Compares ledger, last frame and events of two result folders and says where the largest difference is.\n"
"  --tol X             allowed relative difference; default 0: the same bits\n"
"Exit code 0: within X.  3: not.  1: a folder could not be read.\n"},
{"picture", "Draws displacements, velocities and the energy error over time as SVG (default: DIR/picture.svg).\n"},
{"cite", "Prints the papers behind the methods of a scene (all without one), as text and as BibTeX.\n"},
{"reference", "Writes the reference page of scene files, made from the tables that check them (Markdown).\n"},
{"help", "Explains a verb or a topic: scene, method, ledger, exit-codes.\n"},
{"version", "Prints the version.\n"},
{"scene",
"A scene is one YAML file.  The smallest one that shows an impact:\n\n"
"  visviva: 1                        # version of this grammar\n"
"  title: Two bars meet\n"
"  time: {end: 40, step: {safety: 0.8}}   # or step: 0.1\n"
"  bodies:\n"
"    left:  {kind: bar, length: 10, elements: 50, material: {young: 1, density: 1}, section: {area: 1},\n"
"            position: -10.02, velocity: 0.1}\n"
"    right: {kind: bar, length: 10, elements: 50, material: {young: 1, density: 1}, section: {area: 1},\n"
"            position: 0, velocity: -0.1}\n"
"  contacts:\n"
"    - {between: [left, right], restitution: 1}\n\n"
"Units are yours, as long as they fit together; `units: {length: m, mass: kg, time: s}` names them.\n"
"Unknown words are refused, and the nearest known one is named.  `visviva reference FILE.md` writes the list of all\n"
"words; scene.yaml in a result folder shows the defaults; `visviva examples` has commented scenes.\n"},
{"method",
"method: {step: event}       cuts the step at the contact time; the momentum jumps there\n"
"        jump: slab          keeps the energy of the two time slabs at each impact (Demoures et al. 2017)\n"
"        jump: nodal         keeps the energy at the nodes at each impact\n"
"        jump: modified      keeps the energy that the method itself conserves: exact to rounding (linear bodies)\n"
"        jump: auto          modified where it can be used, else nodal (default)\n"
"method: {step: leapfrog}    whole steps; contacts respond beside the drift (decomposition response, Cirak and West 2005)\n"
"        order: 2, 4 or 6    compositions of the symmetric step\n\n"
"time: {step: {safety: 0.8}} takes 0.8 of the stable step.  `visviva info` lists bodies and steppers, `visviva cite SCENE`\n"
"the papers behind a scene.\n"},
{"ledger",
"Every joule has a name in ledger.csv:\n"
"  total    = kinetic + strain + potential + contact\n"
"  closure  = (total - external_work + losses - first total) / energy scale      should be zero\n"
"  p, L     = momentum and angular momentum about the origin\n"
"Losses are friction and restitution below 1: booked, not missing.\n"
"A method claims what it keeps: `exact` (to rounding), `bounded` (it stays within the bound), or with losses booked.\n"
"The energy meant is the one that the method balances (nodal, slab or modified); summary.json names it and also has\n"
"the plain energy at the nodes.  A run whose claim is broken ends with exit code 3.\n"},
{"exit-codes",
"0  done, and every claim of the method was kept\n"
"1  bad input: the command line, the scene, or a file that cannot be read\n"
"2  the run stopped: interrupted, unstable, too many events, output failed or disk full; the last checkpoint is kept,\n"
"   and `visviva run SCENE -o DIR --resume` continues it\n"
"3  done, but a claim was broken (run), or the folders differ (compare)\n"},
};
/* clang-format on */
enum { TOPICS = sizeof topics / sizeof topics[0] };

static int overview(void)
{
  printf("visviva %s: elastic impact that keeps its books.\n\nusage: visviva VERB ...\n", vv_version());
  for (const app_verb *v = app_verbs; v->name != NULL; v++) printf("  %-11s %s\n", v->name, v->line);
  printf("\nBegin with:\n"
         "  visviva examples newcomer/bar-on-wall\n"
         "  visviva run bar-on-wall.yaml\n"
         "  visviva picture out/bar-on-wall\n\n"
         "More: visviva help VERB, and visviva help scene, method, ledger, exit-codes.\n");
  return APP_DONE;
}

int app_help(const char *name)
{
  const char *known[TOPICS];
  if (name == NULL) return overview();
  for (int i = 0; i < TOPICS; i++) {
    known[i] = topics[i].name;
    if (strcmp(name, topics[i].name) != 0) continue;
    const app_verb *v = app_verb_find(name);
    if (v != NULL) printf("visviva %s\n\n", v->usage);
    printf("%s", topics[i].text);
    return APP_DONE;
  }
  const char *near = app_nearest(name, known, TOPICS);
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
