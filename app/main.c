/* app/main.c  The program visviva: finds the verb, runs it, returns the exit code. */
#include "app.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

const app_verb app_verbs[] = {
    {"run", app_verb_run,
     "run SCENE.yaml|- [-o DIR] [--set NAME=VALUE] [--threads N] [--device D] [--resume | --overwrite] [--quiet] "
     "[--check-structure] [--arrive END.yaml] [--from DIR]",
     "run a scene and write its result folder"},
    {"space", app_verb_space, "space SCENE.yaml|- [--body NAME] [--steps N]",
     "march along a bar or beam from one end; compare with the run"},
    {"check", app_verb_check, "check SCENE.yaml|- [--set NAME=VALUE]",
     "validate a scene without running it; print the stable step"},
    {"prepare", app_verb_prepare, "prepare SCENE.yaml -o SCENE.vvm [--threads N]",
     "set a large scene up once, in a file, for many processes"},
    {"info", app_verb_info, "info [SCENE.yaml | DIR]", "what this program, a scene or a result folder holds"},
    {"examples", app_verb_examples, "examples [NAME [DEST]]", "list the shipped scenes, or copy one"},
    {"compare", app_verb_compare, "compare DIR_A DIR_B [--tol X]", "compare two result folders"},
    {"picture", app_verb_picture, "picture DIR [FILE.svg] [--field NAME] [--time T]", "draw a result folder"},
    {"report", app_verb_report, "report DIR [DIR2 ...] [-o FILE.html] [--limit MB]",
     "make one HTML page: playback, plots, events"},
    {"study", app_verb_study,
     "study SCENE.yaml --vary PATH=A,B,C [--vary ...] [--reference PATH=VALUE] [--set PATH=VALUE] [--norm NAME] "
     "[-o DIR] [--threads N] [--device D] [--overwrite] [--quiet]",
     "run a family of steps or meshes; measure orders of convergence"},
    {"sweep", app_verb_sweep,
     "sweep new PLAN.yaml -o DIR [--overwrite] | run DIR [--jobs N] [--share I/N] [--device D] [-q] | table DIR | "
     "case DIR K -o OUT [--threads N] [--device D] [--resume | --overwrite] [-q]",
     "run a scene many times, with what varies drawn once; one table"},
    {"cite", app_verb_cite, "cite [SCENE.yaml]", "the papers behind the methods"},
    {"reference", app_verb_reference, "reference FILE.md", "write the reference page of scene files"},
    {"schema", app_verb_schema, "schema FILE.json", "write a JSON schema of scene files, for editors"},
    {"man", app_verb_man, "man", "print the man page: visviva man | man -l -"},
    {"completion", app_verb_completion, "completion bash | zsh | fish", "print a completion script for a shell"},
    {"help", app_verb_help, "help [VERB | scene | method | ledger | claims | exit-codes]", "explain a verb or a topic"},
    {"version", app_verb_version, "version", "print the version"},
    {0},
};

const app_verb *app_verb_find(const char *name)
{
  for (const app_verb *v = app_verbs; v->name != NULL; v++)
    if (strcmp(v->name, name) == 0) return v;
  return NULL;
}

int app_verb_version(int argc, char **argv)
{
  app_line line = {.verb = "version"};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  printf("visviva %s\n", vv_version());
  return APP_DONE;
}

enum { APP_VERBS = 24 };
static int unknown_verb(const char *word)
{
  const char *known[APP_VERBS] = {"--help", "--version"};
  int n = 2;
  for (const app_verb *v = app_verbs; v->name != NULL && n < APP_VERBS; v++) known[n++] = v->name;
  const char *near = app_nearest(word, known, n);
  const char *what = word[0] == '-' ? "option" : "verb";
  if (near == NULL && app_exists(word))
    return app_error("'%s' is no verb; did you mean 'visviva %s %s'?", word, app_is_folder(word) ? "report" : "run",
                     word);
  if (near != NULL) return app_error("unknown %s '%s'; did you mean '%s'?", what, word, near);
  return app_error("unknown %s '%s'; `visviva help` lists the verbs", what, word);
}

#ifdef VV_MPI
/* Launchers tell a process how many there are; each of those that share nothing would write the same files as the others. */
static bool is_for_one(int argc, char **argv)
{
  static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
  static const char *const many[] = {"run", "check", "info", "help", "version"};
  bool ranks = false, shared = strcmp(argv[1], "sweep") == 0 && argc > 2 && strcmp(argv[2], "run") == 0;
  for (size_t i = 0; i < sizeof size / sizeof size[0]; i++)
    ranks = ranks || (getenv(size[i]) != NULL && strtol(getenv(size[i]), NULL, 10) > 1);
  for (size_t i = 0; i < sizeof many / sizeof many[0]; i++) shared = shared || strcmp(argv[1], many[i]) == 0;
  return ranks && !shared && app_verb_find(argv[1]) != NULL;
}
#endif

static int choose(int argc, char **argv)
{
  if (argc < 2) return app_error("a verb is missing: try `visviva help` or `visviva examples`");
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return app_help(NULL);
  if (strcmp(argv[1], "--version") == 0) return app_verb_version(argc - 2, argv + 2);
#ifdef VV_MPI
  if (is_for_one(argc, argv))
    return app_error("ranks share `run` and `sweep run`; start `%s` as one process, without the launcher", argv[1]);
#endif
  const app_verb *verb = app_verb_find(argv[1]);
  return verb != NULL ? verb->run(argc - 2, argv + 2) : unknown_verb(argv[1]);
}

int main(int argc, char **argv)
{
  signal(SIGPIPE, SIG_IGN); /* a write that fails is told by its return value, */
  signal(SIGXFSZ, SIG_IGN); /* so that a run can keep its checkpoint */
  const int code = app_with_stack(choose, argc, argv);
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  app_error("standard output: %s", errno != 0 ? strerror(errno) : "not written");
  return code == APP_DONE ? APP_STOPPED : code;
}
