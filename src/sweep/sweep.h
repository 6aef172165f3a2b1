/* sweep/sweep.h  What the files of a sweep share: plan, cases, journals. */
#pragma once
#include "base/base.h"
#include "visviva/sweep.h"

/* ---- text.c: text that grows, cells of CSV ---- */

typedef struct vvi_text {
  char *c; /* [n], a zero behind it; owned */
  size_t n, room;
  bool nomem; /* what came after is lost */
} vvi_text;
void vvi_text_add(vvi_text *t, const char *piece, size_t bytes);
void vvi_text_put(vvi_text *t, const char *piece);
void vvi_text_print(vvi_text *t, const char *format, ...) VV_PRINTF(2, 3); /* at most 1023 bytes */
void vvi_text_cell(vvi_text *t, const char *word);                         /* in quotes where it has to be; no comma */
void vvi_text_number(vvi_text *t, double x);                               /* reads back with the same bits */
void vvi_text_free(vvi_text *t);
/* Cuts one line into its cells, in place; *next: behind its end.  More than `most` cells: -1. */
int vvi_csv_cut(char *line, char **cell, int most, char **next);
vv_status vvi_text_write(vv_ctx *ctx, const vvi_text *t, const char *path); /* apart, then renamed */
char *vvi_text_of_file(vv_ctx *ctx, const char *path, size_t *bytes);       /* malloc'ed; NULL: a message says why */

/* ---- draw.c: numbers from (seed, draw, name), whoever asks and in whatever order ---- */

/* Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011). */
void vvi_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
typedef struct vvi_stream {
  uint32_t key[2];
  uint64_t draw;
  uint32_t block; /* next to be made */
} vvi_stream;
vvi_stream vvi_stream_of(int64_t seed, int64_t draw, const char *name);
double vvi_stream_uniform(vvi_stream *s); /* in (0, 1) */

/* ---- plan.c ---- */

typedef enum vvi_law {
  VVI_LAW_UNIFORM,
  VVI_LAW_LOGUNIFORM,
  VVI_LAW_NORMAL,
  VVI_LAW_WHOLE,
  VVI_LAW_CHOICE,
  VVI_LAW_DIRECTION,
  VVI_LAW_ROTATION,
  VVI_LAW_LIST
} vvi_law;

typedef struct vvi_vary {
  const char *path, *unit; /* unit "": none */
  vvi_law law;
  double a, b, low, high; /* ends, or mean and deviation; bounds of a normal law */
  int n;
  const char **word; /* [n] of a list or choice */
} vvi_vary;

typedef struct vvi_edit {
  const char *path, *text;
} vvi_edit;

typedef enum vvi_measured {
  VVI_OF_LEDGER,
  VVI_OF_RUN,
  VVI_OF_EVENT,
  VVI_OF_CONTACT,
  VVI_OF_BODY,
  VVI_OF_PROBE
} vvi_measured;

/* One column of the table.  Words are pieces of its text. */
typedef struct vvi_measure {
  const char *name, *text;
  vvi_measured of;
  const char *
      word[3]; /* ledger: column; run: what; event: what; contact: body, body, what; body: name, field; probe: column */
  int n_index;
  int64_t index[2]; /* event: which, from the end where negative; body: component, or node and component */
  int over;         /* probe: 0 at the end, '+' largest, '-' smallest, 'm' mean of the run */
  int line;
} vvi_measure;

typedef struct vvi_plan {
  const char *file;          /* for messages */
  const char *scene, *title; /* title NULL: none */
  int64_t seed, draws;
  int n_vary, n_set, n_measure, n_keep;
  vvi_vary *vary;
  vvi_edit *set;
  vvi_measure *measure;
  int64_t *keep; /* [n_keep] cases with full folders */
  bool keep_failed;
  double wall;   /* s; 0: no limit */
  int64_t tries; /* deaths of a worker in a case, until it is given up */
  int64_t kills; /* the same for starts that left no trace */
} vvi_plan;
vv_status vvi_plan_read(vv_ctx *ctx, vvi_arena *arena, const char *path, vvi_plan *out);
int64_t vvi_plan_cases(const vvi_plan *plan);

/* ---- cases.c ---- */

/* All cases as text: one line each, its values behind its number. */
void vvi_cases_draw(const vvi_plan *plan, vvi_text *out);
/* Takes such a text apart, in place: value[cases][n_vary]. */
vv_status vvi_cases_cut(vv_ctx *ctx, const vvi_plan *plan, char *text, int64_t cases, const char **value);

/* ---- measure.c ---- */

/* Takes a measure's text apart; VV_SCENE with a message where it means nothing. */
vv_status vvi_measure_parse(vv_ctx *ctx, vvi_arena *arena, const vvi_plan *plan, vvi_measure *m);
/* Measures of one run: made for its model, fed by observers, asked at the end. */
typedef struct vvi_meter vvi_meter;
vv_status vvi_meter_open(const vvi_plan *plan, vv_sim *sim, vvi_meter **out);
vv_status vvi_meter_read(vvi_meter *meter, double *value); /* value[n_measure] */
void vvi_meter_close(vvi_meter *meter);

/* ---- journal.c ---- */

typedef struct vvi_record {
  char *row;       /* cells of the table, behind those of the case; NULL: none yet */
  vv_case_end end; /* of the row */
  int64_t starts, stops, crashes;
} vvi_record;

struct vv_sweep {
  vv_ctx *ctx;
  vvi_arena arena;
  const char *folder, *scene; /* scene: its path from here */
  vvi_plan plan;
  int64_t cases;
  const char **value; /* [cases][n_vary] as text */
  uint64_t hash;      /* of plan, cases, scene: rows of another count as nothing */
  uint64_t model;     /* of the first case as compiled */
  bool checked;       /* the scene still compiles to that */
  vvi_record *record; /* [cases] */
  bool read;          /* the journals have been */
  int journal;        /* descriptor; -1: not open */
  long journal_owner; /* process that opened it: a child has one of its own */
  double synced;      /* clock */
};

vv_status vvi_journal_read(vv_sweep *s);
vv_status vvi_journal_start(vv_sweep *s, int64_t number);
vv_status vvi_journal_stop(vv_sweep *s, int64_t number);
vv_status vvi_journal_crash(vv_sweep *s, int64_t number, const char *why);
/* `cells`: from the status on. */
vv_status vvi_journal_row(vv_sweep *s, int64_t number, const char *cells, double wall);
enum { VVI_SWEEP_WHY = 300 };
void vvi_sweep_late(const vv_sweep *s,
                    char why[VVI_SWEEP_WHY]); /* why a case is too long: one text, whoever writes it */
vv_status vvi_journal_no_numbers(vv_sweep *s, int64_t number, vv_case_end end, const char *why);

/* ---- table.c ---- */

/* One column of numbers of the rows that are there, in the order of the cases. */
typedef struct vvi_column {
  const char *name;
  const char *unit;  /* of all its numbers; "": none */
  bool measured;     /* else it varies */
  bool numbers;      /* every cell reads as a number (nan, too) */
  double *value;     /* [rows] nan where it is none */
  const char **word; /* [rows] as written */
} vvi_column;
typedef struct vvi_rows {
  int64_t n;
  int64_t *number; /* [n] cases */
  int columns;
  vvi_column *column; /* [columns] what varies, then measures */
  const char **why, **hash;
  int64_t *steps; /* [n] -1: none */
  double *time;
} vvi_rows;
vv_status vvi_rows_make(vv_sweep *s, vvi_arena *arena, vvi_rows *out); /* of the journals as they were read */
/* n, mean, deviation, least, 5, 25, 50, 75, 95 %, most: of the numbers among them. */
enum { VVI_FACTS = 10 };
extern const char *const vvi_fact_name[VVI_FACTS];
bool vvi_facts(int64_t n, const double *x, double out[VVI_FACTS]); /* false: out of memory */

/* ---- folder.c ---- */

enum { VVI_SWEEP_PATH = 4096 };
/* Refuses a scene that is not what it was when the cases were drawn. */
vv_status vvi_sweep_check(vv_sweep *s);
/* A case in a context of its own. */
typedef struct vvi_case {
  vv_ctx *ctx;
  vv_spec *spec;
  vv_model *model;
  vv_state *state;
} vvi_case;
/* Messages are in out->ctx; close in any case.  device: as in vv_ctx_def; only a process that has no children may open one. */
vv_status vvi_case_open(vv_sweep *s, int64_t number, const char *device, vvi_case *out);
void vvi_case_close(vvi_case *c);
void vvi_case_tell(const vvi_case *c, vv_ctx *ctx);                                 /* hands its messages on */
bool vvi_sweep_path(const vv_sweep *s, const char *name, char out[VVI_SWEEP_PATH]); /* FOLDER/NAME; false: a message */
/* The same for a folder in it that is written; a link is refused. */
vv_status vvi_sweep_own(const vv_sweep *s, const char *name, char out[VVI_SWEEP_PATH]);

/* ---- run.c ---- */

vv_status vvi_sweep_own_all(vv_sweep *s); /* the folders that a run writes: before its first case */
bool vvi_sweep_keeps(const vv_sweep *s, int64_t number,
                     vv_case_end end); /* a case that came to this has a full folder */
