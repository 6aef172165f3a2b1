/* tests/cli/test_cli.c  The program from outside: exit codes, files, interruption, mistakes.  Works in the current folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef VV_PROGRAM
#define VV_PROGRAM "visviva"
#endif
#ifndef VV_EXAMPLES_DIR
#define VV_EXAMPLES_DIR "examples"
#endif

enum { MOST = 16, LIMIT = 200 * 1024 };

#define BARS(time, method, elements, velocity, record)                                                                 \
  "visviva: 1\n"                                                                                                       \
  "title: \"Two \\\"loud\\\" bars \\e[31m\"\n"                                                                         \
  "time: {" time "}\n"                                                                                                 \
  "method: {" method "}\n"                                                                                             \
  "bodies:\n"                                                                                                          \
  "  left: {kind: bar, tips: {first: lumped}, length: 10, elements: " elements ", material: {young: 1, density: 1},\n" \
  "         section: {area: 1}, position: -10.02, velocity: " velocity "}\n"                                           \
  "  right: {kind: bar, tips: {first: lumped}, length: 10, elements: " elements                                        \
  ", material: {young: 5, density: 1},\n"                                                                              \
  "         section: {area: 1}, position: 0, velocity: -0.1}\n"                                                        \
  "contacts:\n"                                                                                                        \
  "  - {between: [left, right], restitution: 1}\n"                                                                     \
  "record: {" record "}\n"

static const char small[] = BARS("end: 40, step: 0.015", "step: event, jump: slab", "50", "0.1", "every: 2");
static const char nodal[] = BARS("end: 40, step: 0.015", "step: event, jump: nodal", "50", "0.1", "every: 2");
static const char modified[] = BARS("end: 40, step: 0.015", "step: event, jump: modified", "50", "0.1", "every: 2");
static const char other[] = BARS("end: 40, step: 0.014", "step: event, jump: slab", "50", "0.1", "every: 2");
/* So near to the stable step the slab's energy equation is kept at each impact, and yet the energy grows ninefold; a little
 * later the run would be stopped. */
static const char bad[] = BARS("end: 13, step: {safety: 0.7}", "step: event, jump: slab", "200", "0.1", "every: 2");
static const char large[] =
    BARS("end: 200, step: 0.005", "step: event, jump: slab", "200", "0.1", "every: 10, ledger: 10, checkpoint: 5");
/* Pushed until its energy is no number any more. */
static const char fast[] = "visviva: 1\ntime: {end: 40, step: 0.01}\nbodies:\n  ball: {kind: rigid, shape: {ball: "
                           "{radius: 1}}, mass: 1, loads: [{force: [1e153, 0, 0]}]}\n";
static const char wrong[] = BARS("end: 40, stepp: 0.06", "step: evnt", "0", "0.1", "every: 2");

/* ---- small tools ---- */

static char *read_file(const char *path)
{
  FILE *f = fopen(path, "rb");
  if (f == NULL) return NULL;
  char *text = malloc((1 << 22) + 1);
  assert_non_null(text);
  text[fread(text, 1, 1 << 22, f)] = '\0';
  fclose(f);
  return text;
}

static void write_file(const char *path, const char *text)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
  assert_int_equal(fclose(f), 0);
}

static bool exists(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0;
}

static long size_of(const char *path)
{
  struct stat s;
  return stat(path, &s) == 0 ? (long)s.st_size : -1;
}

static void nap(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static const char *program(void)
{
  const char *wished = getenv("VISVIVA");
  return wished != NULL ? wished : VV_PROGRAM;
}

static void redirect(const char *path, int to)
{
  const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2(fd, to) < 0) _exit(99);
}

/* Starts the program with the words of `line` (split at spaces), output to the files out and err. */
static pid_t start(const char *line, const char *out, long file_limit)
{
  char *copy = strdup(line), *word[MOST + 2] = {(char *)"visviva"};
  int n = 1;
  for (char *w = strtok(copy, " "); w != NULL && n <= MOST; w = strtok(NULL, " ")) word[n++] = w;
  const pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid > 0) {
    free(copy);
    return pid;
  }
  redirect(out, STDOUT_FILENO);
  redirect("err", STDERR_FILENO);
  if (file_limit > 0) setrlimit(RLIMIT_FSIZE, &(struct rlimit){(rlim_t)file_limit, (rlim_t)file_limit});
  execv(program(), word);
  _exit(98);
}

static int finish(pid_t pid)
{
  int status;
  while (waitpid(pid, &status, 0) < 0) assert_int_equal(errno, EINTR);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static int visviva(const char *line)
{
  return finish(start(line, "out.txt", 0));
}

static void show_err(const char *line)
{
  char *err = read_file("err");
  print_message("visviva %s said: %s\n", line, err);
  free(err);
}

#define GIVES(code, line)              \
  do {                                 \
    const int got = visviva(line);     \
    if (got != (code)) show_err(line); \
    assert_int_equal(got, code);       \
  } while (0)

static bool said(const char *file, const char *text)
{
  char *all = read_file(file);
  const bool found = all != NULL && strstr(all, text) != NULL;
  if (!found) print_message("no '%s' in: %s\n", text, all != NULL ? all : "(no file)");
  free(all);
  return found;
}

static void hash_of(const char *folder, char hash[17])
{
  char path[256];
  snprintf(path, sizeof path, "%s/summary.json", folder);
  char *text = read_file(path);
  assert_non_null(text);
  const char *at = strstr(text, "\"state_hash\":");
  assert_non_null(at);
  assert_int_equal(sscanf(at + 13, " \"%16[0-9a-f]\"", hash), 1);
  assert_int_equal(strlen(hash), 16);
  free(text);
}

static void same_hash(const char *a, const char *b)
{
  char hash_a[17], hash_b[17];
  hash_of(a, hash_a);
  hash_of(b, hash_b);
  assert_string_equal(hash_a, hash_b);
}

/* ---- exit codes and files ---- */

static void first_row(const char *path, const char *header)
{
  char *text = read_file(path);
  assert_non_null(text);
  const char *row = text;
  assert_true(strncmp(row, "# units: ", 9) == 0);
  row = strchr(row, '\n') + 1;
  assert_true(strncmp(row, header, strlen(header)) == 0);
  assert_true(row[strlen(header)] == '\n' || row[strlen(header)] == ','); /* more may follow */
  free(text);
}

static void no_control_characters(const char *path)
{
  char *text = read_file(path);
  for (const char *c = text; *c != '\0'; c++) assert_true((unsigned char)*c >= 0x20 || *c == '\n');
  free(text);
}

/* Fits a terminal of 80 columns. */
static void narrow(const char *path)
{
  char *text = read_file(path);
  for (const char *line = text; *line != '\0'; line += line[strcspn(line, "\n")] == '\n') {
    const size_t n = strcspn(line, "\n");
    if (n > 80) print_message("%.*s\n", (int)n, line);
    assert_true(n <= 80);
    line += n;
  }
  free(text);
}

static void done_and_kept(void **state)
{
  (void)state;
  static const char *const file[] = {"d/scene.yaml",    "d/ledger.csv",   "d/events.csv",      "d/results.h5",
                                     "d/checkpoint.h5", "d/summary.json", "d/paraview/run.pvd"};
  write_file("small.yaml", small);
  GIVES(0, "run small.yaml -o d");
  for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) assert_true(size_of(file[i]) > 0);
  first_row("d/ledger.csv", "step,time,kinetic,strain,potential,contact,external_work,friction_loss,restitution_loss,"
                            "total,closure,p_x,p_y,p_z,L_x,L_y,L_z,contacts,penetration");
  first_row("d/events.csv", "time,body_a,feature_a,body_b,feature_b,x,y,z,n_x,n_y,n_z,normal_speed,normal_impulse,"
                            "tangential_impulse,energy_jump");
  assert_int_equal(size_of("err"), 0); /* not a terminal: silent */
  no_control_characters("out.txt");
  assert_true(said("out.txt", "Two \"loud\" bars"));
  assert_true(said("out.txt", "momentum           kept"));
  assert_true(said("out.txt", "paraview/run.pvd"));
}

static void summary_has_its_keys(void **state)
{
  (void)state;
  static const char *const key[] = {"steps",
                                    "time_end",
                                    "wall_seconds",
                                    "node_steps",
                                    "ns_per_node_step",
                                    "threads",
                                    "impacts",
                                    "energy",
                                    "initial",
                                    "final",
                                    "max_relative_error",
                                    "momentum",
                                    "max_drift",
                                    "angular_momentum",
                                    "max_penetration",
                                    "claims",
                                    "kept",
                                    "bound",
                                    "state_hash"};
  char quoted[64];
  for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
    snprintf(quoted, sizeof quoted, "\"%s\":", key[i]);
    assert_true(said("d/summary.json", quoted));
  }
  int depth = 0, least = 0;
  bool text = false;
  char *all = read_file("d/summary.json");
  for (const char *c = all; *c != '\0'; c++) {
    if (text && *c == '\\')
      c++;
    else if (*c == '"')
      text = !text;
    else if (!text)
      depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']');
    if (depth < least) least = depth;
  }
  assert_false(text);
  assert_int_equal(depth, 0);
  assert_int_equal(least, 0);
  free(all);
}

/* The number after `word` in what the last run printed about its structure. */
static double structure_said(const char *word)
{
  char *text = read_file("out.txt");
  const char *line = strstr(text, "  structure          "), *at = line != NULL ? strstr(line, word) : NULL;
  if (at == NULL) print_message("no '%s' about the structure in: %s\n", word, text);
  assert_non_null(at);
  const double value = strtod(at + strlen(word), NULL);
  free(text);
  return value;
}

static void structure_told(void **state)
{
  (void)state;
  write_file("nodal.yaml", nodal);
  write_file("modified.yaml", modified);
  GIVES(0, "run small.yaml -o st --check-structure");
  assert_true(structure_said("symplectic ") < 1e-13 && structure_said("multisymplectic ") < 1e-13);
  assert_true(structure_said("Noether ") < 1e-13);
  assert_true(structure_said("checked to t = ") > 39.9);
  assert_true(said("st/summary.json", "\"ended\": false"));
  GIVES(0, "run nodal.yaml -o st --overwrite --check-structure"); /* nothing claimed, yet told */
  assert_true(structure_said("symplectic ") > 1e-7);
  GIVES(0, "run modified.yaml -o st --overwrite --check-structure");
  assert_true(structure_said("symplectic ") < 1e-13);
  assert_true(structure_said("no sums on sub-domains; checked to t = ") > 39.9);
  assert_true(said("st/summary.json", "\"noether\": null"));
  /* an event without a root of its equation has no derivative */
  GIVES(0, "run " VV_EXAMPLES_DIR "/demoures2017/bars-case3-cti2.yaml -o st --overwrite --check-structure");
  assert_true(structure_said("symplectic ") < 1e-13);
  assert_true((int)(10 * structure_said("checked to t = ")) == 141);
  assert_true(said("st/summary.json", "\"checked_until\": 14.1"));
  assert_true(said("st/summary.json", "\"ended\": true"));
}

static void broken_claim(void **state)
{
  (void)state;
  write_file("bad.yaml", bad);
  GIVES(3, "run bad.yaml -o b");
  assert_true(said("out.txt", "BROKEN"));
  assert_true(said("err", "claim broken: "));
  assert_true(said("err", "use a shorter step, 'step: leapfrog', or 'jump: modified'"));
  narrow("out.txt");
  assert_true(said("b/summary.json", "\"kept\": false"));
  GIVES(3, "run bad.yaml -o b --overwrite --quiet");
  assert_int_equal(size_of("out.txt"), 0);
  assert_true(said("err", "claim broken: "));
}

static void bad_scenes(void **state)
{
  (void)state;
  write_file("wrong.yaml", wrong);
  GIVES(1, "run wrong.yaml -o w");
  assert_true(said("err", "visviva: error: wrong.yaml:3:"));
  assert_true(said("err", "did you mean 'step'"));
  assert_true(said("err", "did you mean 'event'")); /* all mistakes at once */
  assert_false(exists("w"));
  GIVES(1, "check wrong.yaml");
  GIVES(1, "run none.yaml");
  GIVES(1, "run .");
  write_file("empty.yaml", "");
  GIVES(1, "run empty.yaml");
  GIVES(0, "check small.yaml");
  assert_true(said("out.txt", "stable step"));
  assert_true(said("out.txt", "left (bar)"));
}

static void no_longer_finite(void **state)
{
  (void)state;
  write_file("fast.yaml", fast);
  GIVES(2, "run fast.yaml -o n");
  assert_true(said("err", "the last checkpoint is kept"));
}

static void other_folders(void **state)
{
  (void)state;
  GIVES(1, "run small.yaml -o d");
  assert_true(said("err", "--resume"));
  assert_true(said("err", "--overwrite"));
  GIVES(1, "run small.yaml -o d --resume --overwrite");
  GIVES(1, "run small.yaml -o nothing --resume");
  assert_false(exists("nothing"));
  GIVES(1, "run small.yaml -o small.yaml");
  GIVES(1, "run bad.yaml -o d --resume"); /* a checkpoint of another scene */
  mkdir("mine", 0777);
  write_file("mine/scene.yaml", small);
  GIVES(1, "run mine/scene.yaml -o mine"); /* would overwrite the scene */
  assert_true(said("mine/scene.yaml", "loud"));
  GIVES(0, "run small.yaml -o d --overwrite");
}

static void folder_by_name(void **state)
{
  (void)state;
  GIVES(0, "run small.yaml --quiet");
  assert_true(exists("out/small/summary.json"));
  assert_int_equal(size_of("out.txt"), 0);
  same_hash("d", "out/small");
}

/* ---- mistakes on the command line ---- */

static void usage_mistakes(void **state)
{
  (void)state;
  static const char *const row[][2] = {
      {"", "visviva help"},
      {"rum small.yaml", "did you mean 'run'"},
      {"rnu small.yaml", "did you mean 'run'"}, /* neighbours swapped: one slip */
      {"hlep", "did you mean 'help'"},
      {"stduy small.yaml", "did you mean 'study'"},
      {"--hlep", "did you mean '--help'"},
      {"xyzzy", "unknown verb"},
      {"small.yaml", "did you mean 'visviva run small.yaml'?"}, /* a scene where a verb should be */
      {"run", "needs a scene file"},
      {"run small.yaml other.yaml", "one argument too many"},
      {"run small.yaml --ressume", "did you mean '--resume'"},
      {"run small.yaml --resmue", "did you mean '--resume'"},
      {"run small.yaml --quiet=1", "takes no value"},
      {"run small.yaml -o", "needs a value"},
      {"run small.yaml --output=", "needs a value"},
      {"run small.yaml --threads 0", "from 1 to"},
      {"run small.yaml --threads -1", "from 1 to"},
      {"run small.yaml --threads abc", "from 1 to"},
      {"run small.yaml --threads 2x", "from 1 to"},
      {"run small.yaml --threads 9999999", "from 1 to"},
      {"run small.yaml --threads=99999999999999999999", "from 1 to"},
      {"check", "needs a scene file"},
      {"info nothing", "nothing"},
      {"info .", "not a result folder"},
      {"compare d", "needs two result folders"},
      {"compare d nothing", "not a result folder"},
      {"compare d d --tol x", "not negative"},
      {"compare d d --tol -1", "not negative"},
      {"compare d d --tol nan", "not negative"},
      {"picture", "needs a result folder"},
      {"picture nothing", "not a result folder"},
      {"study", "needs a scene file"},
      {"study small.yaml", "--vary time.step="},
      {"reference", "needs the name"},
      {"cite none.yaml", "none.yaml"},
      {"help exit-code", "did you mean 'exit-codes'"},
      {"help mehtod", "did you mean 'method'"},
      {"help rigid.copeis", "did you mean 'rigid.copies'"}, /* a key, by its path */
      {"help contcats", "did you mean 'contacts'"},
      {"help baem.material.yonug", "did you mean 'beam.material.young'"},
      {"examples newcomer/bar-on-wal", "did you mean 'newcomer/bar-on-wall'"},
      {"examples ../../etc/passwd", "no example"},
      {"version now", "one argument too many"},
  };
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    GIVES(1, row[i][0]);
    assert_true(said("err", row[i][1]));
    assert_true(said("err", "visviva: error: "));
    assert_int_equal(size_of("out.txt"), 0);
  }
}

static void words_of_help(void **state)
{
  (void)state;
  static const char *const line[] = {"help",
                                     "--help",
                                     "-h",
                                     "version",
                                     "--version",
                                     "help run",
                                     "help check",
                                     "help info",
                                     "help examples",
                                     "help compare",
                                     "help picture",
                                     "help study",
                                     "help report",
                                     "help cite",
                                     "help help",
                                     "help reference",
                                     "help version",
                                     "help scene",
                                     "help method",
                                     "help ledger",
                                     "help claims",
                                     "help exit-codes",
                                     "run --help",
                                     "info",
                                     "info small.yaml",
                                     "info d",
                                     "cite",
                                     "cite small.yaml"};
  for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
    GIVES(0, line[i]);
    assert_true(size_of("out.txt") > 0);
    assert_int_equal(size_of("err"), 0);
    no_control_characters("out.txt");
    if (strncmp(line[i], "help", 4) == 0 || strcmp(line[i], "info") == 0) narrow("out.txt");
  }
  assert_true(said("out.txt", "@article{demoures2017"));
  GIVES(0, "help time.step"); /* a number, or a map with keys of its own: both are told */
  assert_true(said("out.txt", "a number or a map, s"));
  assert_true(said("out.txt", "safety"));
}

/* The decomposition response is cited where bodies can meet, not by every leapfrog. */
static void citations(void **state)
{
  (void)state;
  write_file(
      "alone.yaml",
      "visviva: 1\ntime: {end: 0.1}\nmethod: {step: leapfrog}\nbodies:\n"
      "  rod: {kind: beam, length: 1, elements: 4, material: {young: 1e6, density: 1000}, section: {square: {side: "
      "0.1}}}\n");
  write_file("meet.yaml", BARS("end: 1, step: 0.01", "step: leapfrog", "50", "0.1", "every: 1"));
  GIVES(0, "cite alone.yaml");
  assert_true(said("out.txt", "@article{demoures2015"));
  assert_false(said("out.txt", "Cirak"));
  GIVES(0, "cite meet.yaml");
  assert_true(said("out.txt", "@article{cirak2005"));
}

/* The scene that `help scene` teaches with must be a good one. */
static void scene_of_help(void **state)
{
  (void)state;
  GIVES(0, "help scene");
  char *text = read_file("out.txt");
  char *from = strstr(text, "  visviva: 1"), *end = strstr(text, "\n\nNumbers");
  assert_true(from != NULL && end != NULL);
  *end = '\0';
  FILE *f = fopen("help.yaml", "wb");
  for (char *line = strtok(from, "\n"); line != NULL; line = strtok(NULL, "\n")) fprintf(f, "%s\n", line + 2);
  assert_int_equal(fclose(f), 0);
  free(text);
  GIVES(0, "run help.yaml -q");
}

/* ---- other verbs ---- */

static void examples_copied(void **state)
{
  (void)state;
  GIVES(0, "examples");
  assert_true(said("out.txt", "\n  bar-on-wall "));
  assert_true(said("out.txt", "Newton's cradle\n"));
  narrow("out.txt");
  GIVES(0, "examples demoures2017/bars-case1-cti1");
  GIVES(1, "examples demoures2017/bars-case1-cti1");
  assert_true(said("err", "exists already"));
  GIVES(0, "examples bars-case2-cti1.yaml other.yaml");
  mkdir("shelf", 0777);
  GIVES(0, "examples newcomer/bar-on-wall shelf");
  assert_true(exists("shelf/bar-on-wall.yaml"));
  GIVES(0, "run bars-case1-cti1.yaml");
  assert_true(exists("out/bars-case1-cti1/summary.json"));
  GIVES(0, "check shelf/bar-on-wall.yaml");
  GIVES(0, "run shelf/bar-on-wall.yaml -o shelf/out");
  GIVES(0, "examples break-of-15 shelf"); /* with its table */
  GIVES(0, "check shelf/break-of-15.yaml");
  GIVES(0, "examples brackets shelf"); /* with its mesh */
  GIVES(0, "check shelf/brackets.yaml");
}

static void compared(void **state)
{
  (void)state;
  write_file("other-step.yaml", other);
  GIVES(0, "run other-step.yaml -o s -q");
  GIVES(0, "compare d out/small");
  assert_true(said("out.txt", "the same"));
  GIVES(0, "run small.yaml -o thinner -q --set record.ledger=7");
  GIVES(3, "compare d thinner");
  assert_true(said("out.txt", "rows of ledger.csv"));
  GIVES(3, "compare d s");
  assert_true(said("out.txt", "largest at "));
  GIVES(0, "compare d s --tol 1e9");
  mkdir("hollow", 0777);
  GIVES(1, "compare d hollow");
}

/* ThreadSanitizer's own runtime does not survive a limit on file sizes. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NO_FILE_LIMIT
#endif
#endif

static void files_made(void **state)
{
  (void)state;
  GIVES(0, "picture d");
  assert_true(said("d/picture.svg", "<svg"));
  GIVES(0, "picture d other.svg");
  assert_true(exists("other.svg"));
  GIVES(0, "help rigid.copies");
  assert_true(said("out.txt", "Many of the same.") && said("out.txt", "jitter") && !said("out.txt", "---"));
  GIVES(0, "help beam.section.circle.radius");
  assert_true(said("out.txt", "radius") && !said("out.txt", "thickness"));
  GIVES(1, "help rigid.nonsense");
  GIVES(1, "picture d other.jpg");
  GIVES(1, "picture d -");
  GIVES(0, "schema -");
  assert_true(said("out.txt", "json-schema.org") && !exists("-") && !exists("other.jpg"));
  GIVES(0, "picture d other.png");
  assert_true(said("other.png", "PNG"));
  GIVES(1, "picture hollow");
  assert_false(said("d/picture.svg", "Shapes"));
  write_file("hoop.yaml",
             "visviva: 1\ntime: {end: 0.01, step: {safety: 0.5}}\n"
             "bodies: {hoop: {kind: beam, length: 3, elements: 12, closed: true, material: {young: 1e6, density: "
             "1000}, section: {circle: {radius: 0.05}}, shape: {arc: {angle: 6.283185307179586}}}}\n");
  GIVES(0, "run hoop.yaml -o hoop -q");
  GIVES(0, "picture hoop");
  assert_true(said("hoop/picture.svg", "Shapes, from the start"));
  assert_false(said("hoop/picture.svg", "<path stroke-width=\"0.5\""));
  write_file("cap.yaml", "visviva: 1\ntime: {end: 0.1, step: {safety: 0.5}}\n"
                         "bodies: {cap: {kind: shell, mesh: {sphere: {radius: 1}}, thickness: 0.1, material: {young: "
                         "1e6, density: 1000}}}\n");
  GIVES(0, "run cap.yaml -o cap -q");
  GIVES(0, "picture cap");
  assert_true(said("cap/picture.svg", "<path stroke-width=\"0.5\" d=\"M")); /* thin lines, not one through all nodes */
  assert_false(said("cap/picture.svg", "nan"));
  GIVES(0, "reference reference.md");
  assert_true(said("reference.md", "elements"));
  GIVES(1, "reference no/such/folder.md");
#ifndef NO_FILE_LIMIT
  assert_int_equal(finish(start("reference none.md", "out.txt", 4096)), 1);
  assert_false(exists("none.md") || exists("none.md.tmp"));
#endif
  GIVES(0, "reference /dev/null");
}

static void damaged_files(void **state)
{
  (void)state;
  static const char *const garbage[] = {"", "garbage", "{}", "{\"reason\": \"done\", \"sta"};
  GIVES(0, "run small.yaml -o g -q");
  for (size_t i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
    write_file("g/summary.json", garbage[i]);
    GIVES(1, "info g");
    assert_true(said("err", "g/summary.json: is not what a run writes"));
  }
  assert_int_equal(truncate("g/results.h5", 700), 0);
  GIVES(0, "run small.yaml -o g -q --resume");
  assert_true(said("err", "visviva: warning: "));
  assert_true(said("err", "put aside as results.h5.damaged"));
  write_file("g/ledger.csv", "garbage\n");
  GIVES(1, "picture g");
  assert_true(said("err", "g/ledger.csv: is not a ledger"));
}

static void full_output(void **state)
{
  (void)state;
  if (!exists("/dev/full")) skip();
  assert_int_equal(finish(start("help", "/dev/full", 0)), 2);
  assert_true(said("err", "standard output"));
}

/* ---- interruption ---- */

static void threads_agree(void **state)
{
  (void)state;
  write_file("large.yaml", large);
  GIVES(0, "run large.yaml -o t1 -q --threads 1");
  GIVES(0, "run large.yaml -o t2 -q --threads 2");
  same_hash("t1", "t2");
}

/* Waits until the run has written some rows after its first checkpoint. */
static void wait_for_rows(const char *ledger, long bytes)
{
  for (int i = 0; i < 6000 && size_of(ledger) < bytes; i++) nap();
  assert_true(size_of(ledger) >= bytes);
}

static void goes_on_to_the_same_end(const char *folder)
{
  char line[128];
  snprintf(line, sizeof line, "run large.yaml -o %s --resume --threads 1", folder);
  GIVES(0, line);
  assert_true(said("out.txt", "resumed"));
  same_hash("t1", folder);
  snprintf(line, sizeof line, "compare t1 %s", folder);
  GIVES(0, line);
}

static void killed(void **state)
{
  (void)state;
  const pid_t pid = start("run large.yaml -o k --threads 1", "out.txt", 0);
  wait_for_rows("k/ledger.csv", 40000); /* t is about 6: the bars are in contact, and events follow until t = 20 */
  kill(pid, SIGKILL);
  assert_int_equal(finish(pid), 1000 + SIGKILL);
  assert_false(exists("k/summary.json"));
  GIVES(0, "info k");
  assert_true(said("out.txt", "not over"));
  GIVES(1, "run large.yaml -o k");
  goes_on_to_the_same_end("k");
}

static void interrupted_by(int signal, const char *folder)
{
  char line[128], ledger[128];
  snprintf(line, sizeof line, "run large.yaml -o %s --threads 1", folder);
  snprintf(ledger, sizeof ledger, "%s/ledger.csv", folder);
  const pid_t pid = start(line, "out.txt", 0);
  wait_for_rows(ledger, 50000);
  kill(pid, signal);
  kill(pid, signal); /* an impatient user loses nothing */
  nap();
  kill(pid, signal);
  assert_int_equal(finish(pid), 2);
  assert_true(said("err", "interrupted at step "));
  assert_true(said("err", "; continue with: visviva run large.yaml -o "));
  goes_on_to_the_same_end(folder);
}

static void interrupted(void **state)
{
  (void)state;
  interrupted_by(SIGINT, "i");
  interrupted_by(SIGTERM, "j");
}

static void disk_full(void **state)
{
  (void)state;
#ifdef NO_FILE_LIMIT
  skip();
#endif
  assert_int_equal(finish(start("run large.yaml -o f --threads 1", "out.txt", LIMIT)), 2);
  assert_true(said("err", "the last checkpoint is kept"));
  assert_true(said("err", "--resume"));
  goes_on_to_the_same_end("f");
}

/* No room before the first checkpoint: what is advised is possible. */
static void disk_full_before_a_checkpoint(void **state)
{
  (void)state;
#ifdef NO_FILE_LIMIT
  skip();
#endif
  assert_int_equal(finish(start("run large.yaml -o early --threads 1", "out.txt", LIMIT / 4)), 2);
  assert_false(exists("early/checkpoint.h5"));
  assert_true(said("err", "no checkpoint yet"));
  assert_true(said("err", "--overwrite"));
  assert_false(said("err", "--resume"));
}

/* ---- a folder of our own ---- */

static int enter(void **state)
{
  (void)state;
  static char folder[] = "cli-XXXXXX";
  *state = folder;
  return setenv("VISVIVA_EXAMPLES", VV_EXAMPLES_DIR, 1) == 0 && mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
  char line[64];
  snprintf(line, sizeof line, "rm -rf %s", (const char *)*state);
  return chdir("..") == 0 && system(line) == 0 ? 0 : -1;
}

int main(void)
{
  const struct CMUnitTest test[] = {
      cmocka_unit_test(done_and_kept),  cmocka_unit_test(summary_has_its_keys),
      cmocka_unit_test(broken_claim),   cmocka_unit_test(bad_scenes),
      cmocka_unit_test(other_folders),  cmocka_unit_test(no_longer_finite),
      cmocka_unit_test(folder_by_name), cmocka_unit_test(usage_mistakes),
      cmocka_unit_test(words_of_help),  cmocka_unit_test(citations),
      cmocka_unit_test(scene_of_help),  cmocka_unit_test(examples_copied),
      cmocka_unit_test(compared),       cmocka_unit_test(files_made),
      cmocka_unit_test(full_output),    cmocka_unit_test(threads_agree),
      cmocka_unit_test(killed),         cmocka_unit_test(interrupted),
      cmocka_unit_test(disk_full),      cmocka_unit_test(disk_full_before_a_checkpoint),
      cmocka_unit_test(damaged_files),  cmocka_unit_test(structure_told),
  };
  return cmocka_run_group_tests_name("cli", test, enter, leave);
}
