/* app/app.h  The program visviva: its verbs, built on the public headers alone. */
#pragma once
#include "visviva/net.h"
#include "visviva/visviva.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit codes: part of the contract, see `visviva help exit-codes`. */
enum { APP_DONE = 0, APP_INPUT = 1, APP_STOPPED = 2, APP_BROKEN = 3 };

typedef struct app_verb {
  const char *name;
  int (*run)(int argc, char **argv); /* arguments after the verb */
  const char *usage;                 /* what follows "visviva " */
  const char *line;                  /* one line for the list of verbs */
} app_verb;
extern const app_verb app_verbs[]; /* ends with name == NULL */
const app_verb *app_verb_find(const char *name);

/* ---- the command line: line.c ---- */

typedef struct app_option {
  const char *name, *brief; /* "--output", "-o"; brief may be NULL */
  const char **value;       /* takes a value: it is put here */
  bool *flag;               /* takes none: set true */
  struct app_values *many;  /* may be given several times: all values are put here */
} app_option;

enum { APP_MAX_WORDS = 8, APP_MAX_VALUES = 32 };
typedef struct app_values {
  int n;
  const char *value[APP_MAX_VALUES]; /* [n] in the order given */
} app_values;
typedef struct app_line {
  const char *verb;
  const app_option *option; /* [n_option] */
  int n_option;
  const char *needs;               /* what the missing word is: "a scene file" */
  int least, most;                 /* how many words */
  int n;                           /* found */
  const char *word[APP_MAX_WORDS]; /* [n] */
} app_line;
/* True: go on.  False: leave with *code (help was asked for, or a mistake was reported). */
bool app_line_read(app_line *line, int argc, char **argv, int *code);
bool app_whole(const char *option, const char *text, long least, long most, int *out); /* false: reported */
bool app_number(const char *option, const char *text, double *out);                    /* finite, >= 0 */
/* What was probably meant: is this known word nearer than those before (least: INT_MAX at first)?  The nearest of n, or NULL. */
bool app_nearer(const char *word, const char *known, int *least);
const char *app_nearest(const char *word, const char *const *known, int n);

/* ---- speaking: say.c ---- */

int app_error(const char *format, ...) VV_PRINTF(1, 2); /* "visviva: error: ..." to stderr; returns APP_INPUT */
void app_hint(const char *format, ...) VV_PRINTF(1, 2); /* "visviva: ..." to stderr */
/* Says that a file was written, or why not; the context ends here. */
int app_wrote(vv_ctx *ctx, vv_status status, const char *file);
void app_messages(const vv_ctx *ctx, vv_status status); /* all messages of the context, or the status */
void app_warnings(
    vv_ctx *ctx); /* messages of a call that went well: "visviva: warning: ..." to stderr; then none are left */
const char *app_clean(char *out, size_t size, const char *text); /* without control characters */
const char *app_quote(char *out, size_t size, const char *text); /* as the shell wants it */
const char *app_bytes(char *out, size_t size, double bytes);
const char *app_seconds(char *out, size_t size, double seconds);
const char *app_plural(int64_t n); /* "" or "s" */

/* ---- files: files.c ---- */

enum { APP_PATH = 4096 };
bool app_join(char *out, size_t size, const char *folder, const char *name); /* false: too long, reported */
bool app_exists(const char *path);
bool app_is_folder(const char *path);
char *app_read_text(const char *path);                    /* malloc'ed, ends with a zero; NULL: not readable (errno) */
void app_list_files(const char *folder);                  /* the files of a result folder and their sizes, to stdout */
void app_list_file(const char *folder, const char *name); /* one of them; nothing where it is not there */
/* What lies at a path relative to the folder of this program; false: not known, or too long. */
bool app_beside_program(char *out, size_t size, const char *relative);

/* ---- one question to summary.json: json.c ---- */

/* app_json(text, "energy.initial", ...): the value as text, quotes taken off; NULL where there is none. */
const char *app_json(const char *text, const char *path, char *out, size_t size);

/* ---- an open scene: scene.c ---- */

typedef struct app_scene {
  vv_ctx *ctx;
  vv_spec *spec;
  vv_model *model;
  vv_state *state;
} app_scene;
bool app_scene_open(app_scene *s, const char *path, int threads); /* false: reported, nothing to close */
/* A word of the scene to be replaced before it is compiled: a path as vv_spec_set wants it, or a parameter.  The scene "-" is
 * standard input. */
typedef struct app_edit {
  const char *path, *value;
} app_edit;
/* The values of --set, NAME=VALUE each; edit[values->n] points into them and into the buffer.  False: reported. */
enum { APP_EDIT_BYTES = 4096 };
bool app_edits_read(const app_values *values, char *buffer, size_t size, app_edit edit[]);
bool app_scene_open_edited(app_scene *s, const char *path, int threads, const char *device, int n,
                           const app_edit edit[], const vv_net *net);
void app_scene_close(app_scene *s);
/* A word of the scene as understood: app_scene_word(s, "method", "step", ...); "" where there is none. */
const char *app_scene_word(const app_scene *s, const char *group, const char *name, char *out, size_t size);
void app_print_title(const app_scene *s);
void app_print_method(const app_scene *s, const char *energy);
void app_print_contacts(const app_scene *s);
const char *app_energy_unit(const app_scene *s, char *out, size_t size);

/* ---- progress: progress.c ---- */

typedef struct app_progress {
  double start, last; /* clock */
  int64_t from;       /* step at the start */
  int shown;          /* columns of the line on the screen */
  vv_sim *sim;
} app_progress;
double app_clock(void);
void app_progress_watch(app_progress *p, vv_sim *sim);
bool app_progress_poll(void *progress);                    /* false: go on */
void app_progress_show(app_progress *p, const char *text); /* cut to the width of the terminal */
void app_progress_clear(app_progress *p);

/* ---- Ctrl-C: signals.c ---- */

/* From now on a signal stops this sim after its current step, and with `alarm` a step that goes on for most of a second more ends the
 * program; NULL: none is running.  A second signal changes nothing. */
void app_watch_signals(vv_sim *sim, bool alarm);
void app_signals_calm(void); /* the steps are over: what is written now is waited for */
bool app_signalled(void);    /* one has come */

/* ---- the end of a run: summary.c ---- */

typedef struct app_run {
  app_scene scene;
  vv_sim *sim;
  vv_results *results;
  vv_report report;
  const char *path;      /* scene file */
  char folder[APP_PATH]; /* results */
  app_values set;        /* values of --set */
  bool resume, overwrite, quiet, check_structure;
  bool output; /* files are being written */
  int threads;
  const char *device; /* NULL: the processor */
  const char *arrive; /* a scene whose start is the end of this one; NULL: none */
  const char *from;   /* a result folder whose run this one goes on with, on other grids; NULL: none */
  vv_ledger *book;    /* of that run */
  const char *again;  /* the command that continues it; NULL: run with path, folder and set */
  uint64_t hash;      /* of the state at the end */
  const vv_net *net;  /* ranks that share it; NULL: one process */
  bool recut;         /* it goes on with other shares of the ranks */
  bool moved;         /* it has done so */
} app_run;
bool app_run_folder_fits(const app_run *r); /* false: reported */
int app_run_scene(app_run *r);              /* runs what is open in r->scene, and closes it */
void app_print_summary(const app_run *r);
void app_warn_of_elements(const app_run *r); /* to stderr, where some are inside out, folded or overstretched */
int app_broken_claims(const app_run *r);     /* how many; each told to stderr */

/* ---- ranks: mpi/ranks.c, in visviva-mpi alone ---- */
bool app_ranks_begin(const vv_net **net);           /* false: reported */
bool app_ranks_agree(const vv_net *net, bool good); /* good on all of them */
/* A run was interrupted because the work of the ranks was uneven: it can go on, cut anew.  All of them say the same. */
bool app_ranks_recut(void);
void app_ranks_end(void);

/* ---- small stacks: stack.c ---- */
int app_with_stack(int (*fn)(int argc, char **argv), int argc, char **argv);

/* ---- help ---- */
bool app_help_key(const char *name); /* what the reference says of a key; false: nothing */
enum { APP_KEY = 256 };
bool app_help_key_near(const char *name, char near[APP_KEY], int *least); /* the nearest key, as app_nearer */
int app_help(const char *name);                                           /* NULL: overview */
const char *app_topic(const char *name);                                  /* its text; NULL: there is none */

/* ---- verbs ---- */
int app_verb_run(int argc, char **argv);
int app_verb_check(int argc, char **argv);
int app_verb_prepare(int argc, char **argv);
int app_verb_space(int argc, char **argv);
int app_verb_info(int argc, char **argv);
int app_verb_examples(int argc, char **argv);
int app_verb_compare(int argc, char **argv);
int app_verb_picture(int argc, char **argv);
int app_verb_report(int argc, char **argv);
int app_verb_study(int argc, char **argv);
int app_verb_sweep(int argc, char **argv);
int app_verb_cite(int argc, char **argv);
int app_verb_reference(int argc, char **argv);
int app_verb_schema(int argc, char **argv);
int app_verb_help(int argc, char **argv);
int app_verb_version(int argc, char **argv);
int app_verb_man(int argc, char **argv);
int app_verb_completion(int argc, char **argv);
int app_check_scene(const char *path); /* what `check SCENE` and `info SCENE` print */
