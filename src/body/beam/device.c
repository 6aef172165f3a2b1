/* body/beam/device.c  Beams on an accelerator: rows of nodes for its kernels (sweep.cl, nodes.cl), and when these are queued.
 *
 * Strides wait until several can be taken in one pass over memory. */
#include "device/device.h"
#include "body/beam/beam.h"
#include "body/beam/columns.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

extern const char vvi_text_beam_common[], vvi_text_beam_vec3[], vvi_text_beam_so3[], vvi_text_beam_constants[],
    vvi_text_beam_columns[], vvi_text_beam_totals[], vvi_text_beam_retraction[], vvi_text_beam_formulas[],
    vvi_text_beam_sums[], vvi_text_beam_sweep[], vvi_text_beam_nodes[];

/* Items of a group, strides in one pass, registers of an item; measured. */
enum { ITEMS = 128, LEAST_ITEMS = 32, STRIDES = 8, REGISTERS = 128 };
enum { LOCAL_BYTES = 18 * sizeof(double) }; /* of an item */
/* Of groups whose sums are noted: whole strips, and neighbours on both sides for STRIDES drifts and the kick behind them. */
enum { NOTED_HALO = STRIDES + 1, WARP = 32 };
/* Of a strip. */
enum { LANE_BYTES = BEAM_SUMS * BEAM_SUM_LANES * sizeof(double), TERM_BYTES = BEAM_SUMS * NOTED_ROW * sizeof(double) };

enum { LEVELS = 5 }; /* of sums: 64^6 nodes are more than 32 bits can number */

typedef struct beam_device {
  const vv_block *b;
  vvi_device *d;
  vvi_kernel *sweep, *noted_sweep, *drift, *outside, *strips, *fold, *collect;
  vvi_buffer *row, *body, *real, *body_of, *span, *load_first, *load, *load_value, *load_size, *strip, *sums;
  vvi_buffer *level[LEVELS];
  int64_t level_rows[LEVELS];
  vvi_buffer *q[2], *p[2]; /* the columns, and where the next go */
  int now_q, now_p;
  int64_t rows, strips_n;
  vvi_buffer *noted_row; /* of groups that are noted; NULL: the device has no room for them */
  int64_t noted_rows;
  int32_t noted_strips, places; /* of a group; sums of a slot */
  int items, noted_items, strides;
  int32_t nodes, stride, column;
  vvi_double4 gravity;
  int waiting;                  /* strides that are not queued yet; the first of them may be a leap */
  double waiting_h;             /* their length */
  bool leads, half, half_noted; /* there is such a leap; a kick waits behind the strides, and is noted */
  double half_h;                /* its length */
  int notes, slot0;             /* every stride that waits but the leap is noted, from this slot on; 0: none is */
  double *host;                 /* [n_load] */
  double *noted;                /* [VV_DEVICE_SLOTS][n_body][BEAM_SUMS] as they come down */
  vvi_buffer *slots_of_sums, *aside[2]; /* totals that were noted; q and p that are set aside, twice */
  int turn;                             /* where they were last */
} beam_device;

/* ---- tables ---- */

typedef struct ints {
  int32_t *at;
  int64_t n, room;
  bool full;
} ints;

static void put(ints *t, int n, const int32_t *x)
{
  if (t->n + n > t->room) {
    const int64_t room = 2 * (t->n + n) + 64;
    int32_t *bigger = room < INT32_MAX ? realloc(t->at, sizeof *bigger * (size_t)room) : NULL;
    t->full = t->full || bigger == NULL;
    if (bigger == NULL) return;
    t->at = bigger, t->room = room;
  }
  memcpy(t->at + t->n, x, sizeof *x * (size_t)n);
  t->n += n;
}

static vvi_buffer *send(vvi_device *d, ints *t)
{
  if (t->full) vvi_device_fail(d, "out of memory");
  vvi_buffer *b = vvi_buffer_new(d, sizeof *t->at * (size_t)t->n, t->at);
  free(t->at);
  return b;
}

/* Rows of one body: each group also has the neighbours that its own nodes need for so many strides. */
static void put_rows(const beam_device *s, int32_t j, ints *out)
{
  const vv_body *body = s->b->body[j];
  const int32_t n = (int32_t)body->n_node, closed = beam_of(s->b, j)->closed != 0.0;
  for (int32_t from = 0; from < n;) {
    const int32_t start = !closed && from == 0 ? 0 : from - s->strides;
    int32_t to = start + s->items - s->strides;
    if (to > n || (!closed && start + s->items >= n)) to = n;
    const int32_t row[ROW_COLUMNS] = {j, (int32_t)body->node0, n, closed, start, from, to, 0};
    put(out, ROW_COLUMNS, row);
    from = to;
  }
}

/* Those whose sums are noted; strip0: where the sums of the strips of this body begin. */
static void put_noted(const beam_device *s, int32_t j, int32_t strip0, ints *out)
{
  const vv_body *body = s->b->body[j];
  const int32_t n = (int32_t)body->n_node, closed = beam_of(s->b, j)->closed != 0.0;
  const int32_t size = BEAM_BRANCH * s->noted_strips;
  for (int32_t from = 0; from < n; from += size) {
    const int32_t start = !closed && from == 0 ? 0 : from - NOTED_HALO, to = from + size < n ? from + size : n;
    const int32_t row[ROW_COLUMNS] = {j, (int32_t)body->node0, n, closed, start, from, to, strip0 + from / BEAM_BRANCH};
    put(out, ROW_COLUMNS, row);
  }
}

/* Strips of one body, then sums of these, until there is one: places [at, ...) of the sums; the last is place j.  Returns the place of the
 * first strip. */
static int32_t put_sums(const beam_device *s, int32_t j, int32_t *at, ints *strip, ints level[LEVELS])
{
  const vv_body *body = s->b->body[j];
  const int32_t n = (int32_t)body->n_node, closed = beam_of(s->b, j)->closed != 0.0;
  int32_t parts = (n + BEAM_BRANCH - 1) / BEAM_BRANCH, first = parts == 1 ? j : *at;
  const int32_t strip0 = first;
  for (int32_t k = 0; k < parts; k++) {
    const int32_t start = BEAM_BRANCH * k, count = n - start < BEAM_BRANCH ? n - start : BEAM_BRANCH;
    const int32_t row[STRIP_COLUMNS] = {j, (int32_t)body->node0, n, closed, start, count, first + k};
    put(strip, STRIP_COLUMNS, row);
  }
  *at += parts == 1 ? 0 : parts;
  for (int l = 0; l < LEVELS && parts > 1; l++) {
    const int32_t next = (parts + BEAM_BRANCH - 1) / BEAM_BRANCH, to = next == 1 ? j : *at;
    for (int32_t k = 0; k < next; k++) {
      const int32_t start = BEAM_BRANCH * k, count = parts - start < BEAM_BRANCH ? parts - start : BEAM_BRANCH;
      const int32_t row[FOLD_COLUMNS] = {first + start, count, to + k};
      put(&level[l], FOLD_COLUMNS, row);
    }
    *at += next == 1 ? 0 : next;
    parts = next, first = to;
  }
  return strip0;
}

static void send_tables(beam_device *s)
{
  const vv_block *b = s->b;
  ints row = {0}, noted = {0}, strip = {0}, level[LEVELS] = {{0}}, body_of = {0}, span = {0};
  int32_t at = b->n_body;
  for (int32_t j = 0; j < b->n_body; j++) {
    const int32_t ends[2] = {(int32_t)b->body[j]->node0, (int32_t)(b->body[j]->node0 + b->body[j]->n_node - 1)};
    put_rows(s, j, &row);
    put_noted(s, j, put_sums(s, j, &at, &strip, level), &noted);
    put(&span, 2, ends);
    for (int64_t i = 0; i < b->body[j]->n_node; i++) put(&body_of, 1, &j);
  }
  s->rows = row.n / ROW_COLUMNS, s->noted_rows = noted.n / ROW_COLUMNS, s->places = at;
  s->noted_row = send(s->d, &noted);
  s->strips_n = strip.n / STRIP_COLUMNS;
  s->row = send(s->d, &row), s->strip = send(s->d, &strip), s->body_of = send(s->d, &body_of);
  s->span = send(s->d, &span);
  for (int l = 0; l < LEVELS; l++) s->level_rows[l] = level[l].n / FOLD_COLUMNS, s->level[l] = send(s->d, &level[l]);
  s->sums = vvi_buffer_new(s->d, sizeof(double) * (size_t)(VV_DEVICE_SLOTS * BEAM_SUMS * (int64_t)at), NULL);
}

static void send_loads(beam_device *s)
{
  const vv_block *b = s->b;
  ints first = {0}, load = {0};
  double *value = calloc((size_t)(6 * b->n_load + 1), sizeof *value);
  if (value == NULL) {
    vvi_device_fail(s->d, "out of memory");
    return;
  }
  for (int32_t j = 0; j <= b->n_body; j++) {
    const int32_t at = j < b->n_body ? b->body[j]->load0 : b->n_load;
    put(&first, 1, &at);
  }
  for (int32_t i = 0; i < b->n_load; i++) {
    const vv_load *l = &b->load[i];
    const int32_t words[LOAD_COLUMNS] = {l->body, l->node, l->follower};
    put(&load, LOAD_COLUMNS, words);
    memcpy(value + 6 * i, l->value, 6 * sizeof *value);
  }
  s->load_first = send(s->d, &first), s->load = send(s->d, &load);
  s->load_value = vvi_buffer_new(s->d, sizeof *value * (size_t)(6 * b->n_load), value);
  s->load_size = vvi_buffer_new(s->d, sizeof *value * (size_t)b->n_load, NULL);
  free(value);
}

/* ---- programs ---- */

/* A word of the kernel: what all bodies have, or how to ask one. */
static void say(char *out, size_t size, const vv_block *b, const char *word, double (*of)(const beam_body *k),
                const char *ask)
{
  const double first = of(beam_of(b, 0));
  bool alike = true;
  for (int32_t j = 1; j < b->n_body; j++) alike = alike && of(beam_of(b, j)) == first;
  const size_t used = strlen(out);
  if (alike)
    snprintf(out + used, size - used, "#define %s %d\n", word, (int)first);
  else
    snprintf(out + used, size - used, "#define %s %s\n", word, ask);
}

static double strain_of(const beam_body *k)
{
  return k->strain;
}
static double drift_of(const beam_body *k)
{
  return k->drift;
}
static double even_of(const beam_body *k)
{
  return k->spread[0] == k->spread[1];
}
static double solid_of(const beam_body *k)
{
  return k->solid;
}
static double graded_of(const beam_body *k)
{
  return k->graded;
}

static void build_all(beam_device *s)
{
  char words[512] = "\n";
  snprintf(words, sizeof words, "\n#define BODY_COLUMNS %d\n", (int)BEAM_BODY_COLUMNS);
  say(words, sizeof words, s->b, "STRAIN", strain_of, "((beam_strain)k->strain)");
  say(words, sizeof words, s->b, "DRIFT", drift_of, "((beam_drift_rule)k->drift)");
  say(words, sizeof words, s->b, "EVEN", even_of, "(k->spread[0] == k->spread[1])");
  say(words, sizeof words, s->b, "SOLID", solid_of, "(k->solid != 0.0)");
  say(words, sizeof words, s->b, "GRADED", graded_of, "(k->graded != 0.0)");
  const char *const text[] = {vvi_text_beam_common,
                              vvi_text_beam_vec3,
                              vvi_text_beam_so3,
                              vvi_text_beam_constants,
                              words,
                              vvi_text_beam_columns,
                              vvi_text_beam_totals,
                              vvi_text_beam_retraction,
                              vvi_text_beam_formulas,
                              vvi_text_beam_sums,
                              vvi_text_beam_sweep,
                              vvi_text_beam_nodes};
  vvi_device_build(s->d, REGISTERS, VV_COUNT(text), text);
  s->sweep = vvi_device_kernel(s->d, "sweep"), s->drift = vvi_device_kernel(s->d, "drift");
  s->outside = vvi_device_kernel(s->d, "outside");
  s->strips = vvi_device_kernel(s->d, "strips"), s->fold = vvi_device_kernel(s->d, "fold");
  s->noted_sweep = vvi_device_kernel(s->d, "sweep_noted"), s->collect = vvi_device_kernel(s->d, "collect");
}

/* ---- open and close ---- */

/* Short beams have groups of their own; a group must be longer than what it shares with its neighbours. */
static int items_for(const vv_block *b, const vvi_device *d)
{
  int items = LEAST_ITEMS;
  int64_t longest = 0;
  for (int32_t j = 0; j < b->n_body; j++) {
    const int64_t n = b->body[j]->n_node + (beam_of(b, j)->closed != 0.0 ? 2 * STRIDES : 0);
    longest = n > longest ? n : longest;
  }
  while (items < longest && items < ITEMS && 2 * items <= vvi_device_most_items(d) &&
         2 * items * LOCAL_BYTES <= vvi_device_local_bytes(d))
    items *= 2;
  return items;
}

/* Groups of as many whole strips as the longest beam has, two at most. */
static void fit_noted(beam_device *s)
{
  int64_t longest = 0;
  for (int32_t j = 0; j < s->b->n_body; j++)
    longest = s->b->body[j]->n_node > longest ? s->b->body[j]->n_node : longest;
  s->noted_strips = longest > BEAM_BRANCH ? NOTED_STRIPS : 1;
  s->noted_items = (BEAM_BRANCH * s->noted_strips + 2 * NOTED_HALO + WARP - 1) / WARP * WARP;
}

/* Is there room for groups that are noted? */
static bool can_note(const beam_device *s)
{
  return s->noted_items <= vvi_device_most_items(s->d) &&
         LOCAL_BYTES * s->noted_items + (LANE_BYTES + TERM_BYTES) * s->noted_strips <= vvi_device_local_bytes(s->d);
}

/* Of one slot. */
static size_t bytes_of_sums(const beam_device *s)
{
  return sizeof *s->noted * (size_t)(BEAM_SUMS * s->b->n_body);
}

static void *device_open(const vv_block *b, struct vvi_device *d)
{
  beam_device *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  *s = (beam_device){.b = b,
                     .d = d,
                     .items = items_for(b, d),
                     .strides = STRIDES,
                     .nodes = (int32_t)b->nodes,
                     .stride = (int32_t)b->stride,
                     .column = (int32_t)b->column,
                     .gravity = vvi_double4_of(b->gravity)};
  vvi_device_addresses(d, b->stride), vvi_device_addresses(d, b->column);
  s->host = calloc((size_t)(b->n_load + 1), sizeof *s->host);
  s->noted = calloc((size_t)(VV_DEVICE_SLOTS * BEAM_SUMS * b->n_body), sizeof *s->noted);
  s->slots_of_sums = vvi_buffer_new(d, VV_DEVICE_SLOTS * bytes_of_sums(s), NULL);
  if (s->host == NULL || s->noted == NULL) vvi_device_fail(d, "out of memory");
  fit_noted(s);
  send_tables(s);
  send_loads(s);
  s->body = vvi_buffer_new(d, sizeof(double) * (size_t)(BEAM_BODY_COLUMNS * b->n_body), b->body_real);
  s->real = vvi_buffer_new(d, sizeof(double) * (size_t)(BEAM_NODE_COLUMNS * b->stride), b->node_real);
  for (int i = 0; i < 2; i++) {
    s->q[i] = vvi_buffer_new(d, sizeof(double) * (size_t)(BEAM_Q * b->column), NULL);
    s->p[i] = vvi_buffer_new(d, sizeof(double) * (size_t)(BEAM_NODE_P * b->column), NULL);
  }
  build_all(s);
  return s;
}

static void device_close(void *own)
{
  free(((beam_device *)own)->host), free(((beam_device *)own)->noted);
  free(own); /* buffers go with the device */
}

static const char *device_refuse(const vv_block *b)
{
  if (b->z_reals > 0 || b->viscous) return "beams that flow, damp or break";
  for (int32_t j = 0; j < b->n_body; j++)
    if (beam_by_exp(beam_of(b, j)->strain)) return "beams with strains by the exponential";
  return NULL;
}

/* ---- what is queued ---- */

static void launch_sweep(beam_device *s, double h_kick, int32_t kicks, double h, int32_t steps, int32_t from_nothing)
{
  vvi_device_launch(s->d, s->sweep, s->rows, s->items,
                    VVI_ARGUMENTS(VVI_BUFFER(s->row), VVI_BUFFER(s->body), VVI_BUFFER(s->real), VVI_NUMBER(s->stride),
                                  VVI_NUMBER(s->column), VVI_NUMBER(h_kick), VVI_NUMBER(kicks), VVI_NUMBER(h),
                                  VVI_NUMBER(steps), VVI_NUMBER(from_nothing), VVI_BUFFER(s->q[s->now_q]),
                                  VVI_BUFFER(s->p[s->now_p]), VVI_BUFFER(s->q[1 - s->now_q]),
                                  VVI_BUFFER(s->p[1 - s->now_p]), VVI_LOCAL((size_t)(LOCAL_BYTES * s->items))));
  s->now_p = 1 - s->now_p;
  if (h != 0.0) s->now_q = 1 - s->now_q;
}

/* Sums of sums, of so many slots. */
static void launch_folds(beam_device *s, int32_t slot, int slots)
{
  const size_t local = sizeof(double) * BEAM_SUMS * (BEAM_BRANCH + BEAM_SUM_LANES);
  for (int l = 0; l < LEVELS; l++) {
    const int32_t rows = (int32_t)s->level_rows[l];
    vvi_device_launch(s->d, s->fold, (int64_t)slots * rows, BEAM_BRANCH,
                      VVI_ARGUMENTS(VVI_NUMBER(rows), VVI_BUFFER(s->level[l]), VVI_NUMBER(slot), VVI_NUMBER(s->places),
                                    VVI_BUFFER(s->sums), VVI_LOCAL(local)));
  }
}

/* Strides with totals after the first kick of each, and the kick that waits behind them if it is noted, too. */
static void launch_noted(beam_device *s)
{
  const int32_t half = s->half_noted, lead = s->leads, steps = s->waiting + half, slot = s->slot0;
  const double h_kick = s->waiting > 0 ? 0.5 * s->waiting_h : s->half_h;
  vvi_device_launch(s->d, s->noted_sweep, s->noted_rows, s->noted_items,
                    VVI_ARGUMENTS(VVI_BUFFER(s->noted_row), VVI_BUFFER(s->body), VVI_BUFFER(s->real),
                                  VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(s->gravity),
                                  VVI_NUMBER(h_kick), VVI_NUMBER(s->waiting_h), VVI_NUMBER(steps), VVI_NUMBER(lead),
                                  VVI_NUMBER(half), VVI_NUMBER(slot), VVI_NUMBER(s->places),
                                  VVI_NUMBER(s->noted_strips), VVI_BUFFER(s->q[s->now_q]), VVI_BUFFER(s->p[s->now_p]),
                                  VVI_BUFFER(s->q[1 - s->now_q]), VVI_BUFFER(s->p[1 - s->now_p]), VVI_BUFFER(s->sums),
                                  VVI_LOCAL((size_t)(LOCAL_BYTES * s->noted_items)),
                                  VVI_LOCAL((size_t)(TERM_BYTES * s->noted_strips)),
                                  VVI_LOCAL((size_t)(LANE_BYTES * s->noted_strips))));
  s->now_p = 1 - s->now_p;
  if (s->waiting > 0) s->now_q = 1 - s->now_q;
  launch_folds(s, slot, s->notes);
}

/* Strides that wait, without the kick behind them. */
static void flush_strides(beam_device *s)
{
  if (s->notes > 0) {
    launch_noted(s);
    s->half = s->half && !s->half_noted;
  } else {
    if (s->leads) launch_sweep(s, 0.5 * s->waiting_h, 1, s->waiting_h, 1, 0), s->waiting--;
    if (s->waiting > 0) launch_sweep(s, 0.5 * s->waiting_h, 2, s->waiting_h, s->waiting, 0);
  }
  s->waiting = s->notes = 0, s->leads = s->half_noted = false;
}

/* All that waits. */
static void flush(beam_device *s)
{
  flush_strides(s);
  if (s->half) launch_sweep(s, s->half_h, 1, 0.0, 1, 0);
  s->half = false;
}

static void launch_outside(beam_device *s, double t, double h)
{
  const vv_block *b = s->b;
  for (int32_t i = 0; i < b->n_load; i++) s->host[i] = vv_history_at(&b->load[i].history, t);
  vvi_buffer_write(s->d, s->load_size, 0, sizeof *s->host * (size_t)b->n_load, s->host);
  vvi_device_each(s->d, s->outside, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->body_of), VVI_BUFFER(s->body), VVI_BUFFER(s->span),
                                VVI_BUFFER(s->real), VVI_NUMBER(s->stride), VVI_NUMBER(s->column),
                                VVI_NUMBER(s->gravity), VVI_NUMBER(h), VVI_BUFFER(s->load_first), VVI_BUFFER(s->load),
                                VVI_BUFFER(s->load_value), VVI_BUFFER(s->load_size), VVI_BUFFER(s->q[s->now_q]),
                                VVI_BUFFER(s->p[s->now_p])));
}

/* ---- what the table asks for ---- */

static void device_up(void *own, const double *q, const double *p)
{
  beam_device *s = own;
  flush(s);
  if (q != NULL) vvi_buffer_write(s->d, s->q[s->now_q], 0, sizeof *q * (size_t)(BEAM_Q * s->b->column), q);
  if (p != NULL) vvi_buffer_write(s->d, s->p[s->now_p], 0, sizeof *p * (size_t)(BEAM_NODE_P * s->b->column), p);
}

static void device_down(void *own, double *q, double *p)
{
  beam_device *s = own;
  flush(s);
  if (q != NULL) vvi_buffer_read(s->d, s->q[s->now_q], 0, sizeof *q * (size_t)(BEAM_Q * s->b->column), q);
  if (p != NULL) vvi_buffer_read(s->d, s->p[s->now_p], 0, sizeof *p * (size_t)(BEAM_NODE_P * s->b->column), p);
}

static void device_kick(void *own, double t, double h)
{
  beam_device *s = own;
  if (s->half || (s->waiting > 0 && h != 0.5 * s->waiting_h)) flush(s);
  if (s->waiting > s->notes + s->leads) flush_strides(s); /* which were not noted */
  s->half = true, s->half_h = h;
  if (!s->b->booked) return;
  flush(s);
  launch_outside(s, t, h);
}

static void device_drift(void *own, double h)
{
  beam_device *s = own;
  flush(s);
  vvi_device_each(s->d, s->drift, s->nodes,
                  VVI_ARGUMENTS(VVI_NUMBER(s->nodes), VVI_BUFFER(s->body_of), VVI_BUFFER(s->body), VVI_BUFFER(s->real),
                                VVI_NUMBER(s->stride), VVI_NUMBER(s->column), VVI_NUMBER(h), VVI_BUFFER(s->q[s->now_q]),
                                VVI_BUFFER(s->p[s->now_p])));
}

static void device_leap(void *own, double t, double h)
{
  beam_device *s = own;
  (void)t;
  const bool goes_on = s->half_noted && s->half_h == 0.5 * h && s->waiting < s->strides;
  if (!goes_on) flush(s);
  s->leads = goes_on ? s->leads : true;
  s->half = s->half_noted = false;
  s->waiting++, s->waiting_h = h;
}

static void device_stride(void *own, double h)
{
  beam_device *s = own;
  if (s->waiting == s->strides || h != s->waiting_h || s->leads || s->half || s->notes > 0) flush(s);
  s->waiting++, s->waiting_h = h;
}

static void device_force(void *own, double t, const double *q, double *f)
{
  beam_device *s = own;
  device_up(s, q, NULL);
  launch_sweep(s, 1.0, 1, 0.0, 1, 1);
  if (s->b->booked) launch_outside(s, t, 1.0);
  device_down(s, NULL, f);
}

static void device_note(void *own, int slot)
{
  beam_device *s = own;
  const size_t local = sizeof(double) * BEAM_SUMS * (BEAM_BRANCH + BEAM_SUM_LANES);
  if (s->half && !s->half_noted && can_note(s) && (s->notes == 0 || slot == s->slot0 + s->notes)) {
    if (s->notes++ == 0) s->slot0 = slot;
    s->half_noted = true;
    return;
  }
  flush(s);
  const int32_t at = slot * s->places;
  vvi_device_launch(s->d, s->strips, s->strips_n, BEAM_BRANCH,
                    VVI_ARGUMENTS(VVI_BUFFER(s->strip), VVI_BUFFER(s->body), VVI_BUFFER(s->real), VVI_NUMBER(s->stride),
                                  VVI_NUMBER(s->column), VVI_NUMBER(s->gravity), VVI_BUFFER(s->q[s->now_q]),
                                  VVI_BUFFER(s->p[s->now_p]), VVI_NUMBER(at), VVI_BUFFER(s->sums), VVI_LOCAL(local)));
  launch_folds(s, slot, 1);
}

static void device_noted(void *own, int n)
{
  beam_device *s = own;
  const int32_t reals = BEAM_SUMS * s->b->n_body, slots = n;
  flush(s);
  vvi_device_each(s->d, s->collect, (int64_t)reals * slots,
                  VVI_ARGUMENTS(VVI_NUMBER(reals), VVI_NUMBER(slots), VVI_NUMBER(s->places), VVI_BUFFER(s->sums),
                                VVI_BUFFER(s->slots_of_sums)));
  memset(s->noted, 0, bytes_of_sums(s) * (size_t)n);
  vvi_buffer_read(s->d, s->slots_of_sums, 0, bytes_of_sums(s) * (size_t)n, s->noted);
}

static void device_totals(const void *own, int slot, vv_totals *sum)
{
  const beam_device *s = own;
  for (int32_t j = 0; j < s->b->n_body; j++)
    beam_add_sums(s->noted + BEAM_SUMS * ((int64_t)slot * s->b->n_body + j), sum);
}

static void device_keep(void *own)
{
  beam_device *s = own;
  const size_t q = sizeof(double) * (size_t)(BEAM_Q * s->b->column),
               p = sizeof(double) * (size_t)(BEAM_NODE_P * s->b->column);
  flush(s);
  vvi_buffer **to = &s->aside[s->turn = 1 - s->turn];
  if (*to == NULL) *to = vvi_buffer_new(s->d, q + p, NULL);
  if (vvi_device_trouble(s->d) != NULL) return;
  vvi_buffer_copy(s->d, s->q[s->now_q], 0, *to, 0, q), vvi_buffer_copy(s->d, s->p[s->now_p], 0, *to, q, p);
}

static void device_back(void *own)
{
  beam_device *s = own;
  const size_t q = sizeof(double) * (size_t)(BEAM_Q * s->b->column),
               p = sizeof(double) * (size_t)(BEAM_NODE_P * s->b->column);
  flush(s);
  vvi_buffer *from = s->aside[s->turn];
  s->turn = 1 - s->turn;
  vvi_buffer_copy(s->d, from, 0, s->q[s->now_q], 0, q), vvi_buffer_copy(s->d, from, q, s->p[s->now_p], 0, p);
}

const vv_device_table beam_device_table = {
    .refuse = device_refuse,
    .open = device_open,
    .close = device_close,
    .up = device_up,
    .down = device_down,
    .kick = device_kick,
    .drift = device_drift,
    .leap = device_leap,
    .stride = device_stride,
    .force = device_force,
    .note = device_note,
    .noted = device_noted,
    .totals = device_totals,
    .keep = device_keep,
    .back = device_back,
};
