/* io/results/compare.c  How far two result folders are from each other, each quantity on its own scale.
 *
 * Rows and frames are matched by step.  Energies are judged against the largest energy of any column and momenta
 * against the momentum scale of the summary, since a column that is zero up to rounding (p_y of a straight bar) would
 * otherwise differ by 100 %.  The closure is a relative number already. */
#include "io/file.h"
#include "io/results/json.h"
#include "io/results/read.h"
#include "visviva/results.h"

#include <math.h>
#include <string.h>

typedef struct folder {
  const char *name;
  vvi_table ledger, events;
  vvi_run run;
  const char *summary; /* may be NULL */
} folder;

static double larger(double a, double b)
{
  return a > b ? a : b;
}

static double largest(const vvi_table *t, const char *column)
{
  const double *v = vvi_table_column(t, column);
  double m = 0;
  for (int64_t i = 0; v != NULL && i < t->rows; i++)
    if (isfinite(v[i])) m = larger(m, fabs(v[i]));
  return m;
}

static double largest_of(const folder *a, const folder *b, const char *column)
{
  return larger(largest(&a->ledger, column), largest(&b->ledger, column));
}

/* ---- scales ---- */

typedef struct scales {
  double energy, momentum, angular, length, time;
} scales;

static const char *const energy_column[] = {
    "kinetic",   "strain",       "potential",    "contact",     "external_work", "friction_loss", "restitution_loss",
    "step_loss", "plastic_work", "viscous_loss", "damage_loss", "total",         "nodal_total",   "joint_work"};

static double summary_scale(const folder *f, const char *path)
{
  double value = 0;
  return f->summary != NULL && vvi_json_find_number(f->summary, path, &value) && isfinite(value) ? fabs(value) : 0;
}

static scales find_scales(const folder *a, const folder *b, double length)
{
  scales s = {.length = length, .time = largest_of(a, b, "time")};
  for (int i = 0; i < VV_COUNT(energy_column); i++) s.energy = larger(s.energy, largest_of(a, b, energy_column[i]));
  s.momentum = larger(summary_scale(a, "momentum.scale"), summary_scale(b, "momentum.scale"));
  s.angular = larger(summary_scale(a, "angular_momentum.scale"), summary_scale(b, "angular_momentum.scale"));
  for (int i = 0; i < 3; i++) {
    const char p[] = {'p', '_', "xyz"[i], '\0'}, L[] = {'L', '_', "xyz"[i], '\0'};
    s.momentum = larger(s.momentum, largest_of(a, b, p));
    s.angular = larger(s.angular, largest_of(a, b, L));
  }
  return s;
}

static double column_scale(const folder *a, const folder *b, const char *name, const scales *s)
{
  for (int i = 0; i < VV_COUNT(energy_column); i++)
    if (strcmp(name, energy_column[i]) == 0) return s->energy;
  if (strcmp(name, "closure") == 0) return 1;
  if (strncmp(name, "p_", 2) == 0) return s->momentum;
  if (strncmp(name, "L_", 2) == 0) return s->angular;
  if (strcmp(name, "penetration") == 0 && s->length > 0) return s->length;
  return largest_of(a, b, name);
}

/* ---- differences ---- */

/* NaN on one side only is as different as can be. */
static double difference(double a, double b, double scale)
{
  if (a == b || (isnan(a) && isnan(b))) return 0;
  if (!isfinite(a) || !isfinite(b)) return INFINITY;
  return scale > 0 ? fabs(a - b) / scale : INFINITY;
}

static void note(vv_comparison *out, double *part, double d, const char *what, const char *name, int64_t row, double t)
{
  if (d > *part) *part = d;
  if (!(d > out->difference)) return;
  out->difference = d;
  snprintf(out->where, sizeof out->where, "%s: %.60s, row %lld, time %.9g", what, name, (long long)row, t);
}

/* Parts that do not fit together cannot be measured: a difference of 1 or more, and why. */
static void note_misfit(vv_comparison *out, double d, const char *what, const char *name, int64_t a, int64_t b)
{
  if (d > out->positions) out->positions = d;
  if (!(d > out->difference)) return;
  out->difference = d;
  snprintf(out->where, sizeof out->where, "positions: %s%.60s (%lld and %lld)", what, name, (long long)a, (long long)b);
}

/* Rows and frames belong together by their time, so that runs with different steps can be compared: negative if a is
 * before b, 0 at the same time (to the rounding of steps times their length), positive after it. */
static int order_of_times(double a, double b)
{
  if (fabs(a - b) <= 1e-13 * fabs(a)) return 0;
  return a < b ? -1 : 1;
}

static void compare_ledgers(const folder *a, const folder *b, const scales *s, vv_comparison *out)
{
  const double *ta = vvi_table_column(&a->ledger, "time"), *tb = vvi_table_column(&b->ledger, "time");
  const int64_t na = out->rows_a = a->ledger.rows, nb = out->rows_b = b->ledger.rows;
  for (int c = 0; c < a->ledger.columns; c++) {
    const char *name = a->ledger.name[c];
    const double *va = a->ledger.value[c], *vb = vvi_table_column(&b->ledger, name);
    if (vb == NULL || ta == NULL || tb == NULL || strcmp(name, "step") == 0) continue;
    const double scale = column_scale(a, b, name, s);
    out->rows = 0;
    for (int64_t i = 0, k = 0; i < na && k < nb;) {
      const int order = order_of_times(ta[i], tb[k]);
      if (order == 0) {
        note(out, &out->ledger, difference(va[i], vb[k], scale), "ledger", name, i, ta[i]);
        i++, k++, out->rows++;
      } else if (order < 0) {
        i++;
      } else {
        k++;
      }
    }
  }
  /* a run that stopped early agrees row by row; its end does not */
  const double end_a = largest(&a->ledger, "time"), end_b = largest(&b->ledger, "time");
  note(out, &out->ledger, difference(end_a, end_b, s->time), "ledger", "end of the run", na - 1, end_a);
  if (out->rows == 0 && na + nb > 0) note(out, &out->ledger, INFINITY, "ledger", "no common time", 0, 0);
}

static void compare_events(const folder *a, const folder *b, const scales *s, vv_comparison *out)
{
  static const char *const column[] = {"time", "normal_impulse", "tangential_impulse"};
  const double impulse = larger(largest(&a->events, column[1]), largest(&b->events, column[1]));
  const double *time = vvi_table_column(&a->events, "time");
  const int64_t na = out->events_a = a->events.rows, nb = out->events_b = b->events.rows;
  for (int c = 0; c < VV_COUNT(column); c++) {
    const double *va = vvi_table_column(&a->events, column[c]), *vb = vvi_table_column(&b->events, column[c]);
    if (va == NULL || vb == NULL || time == NULL) continue;
    const double scale = c == 0 ? s->time : larger(impulse, c == 2 ? largest(&a->events, column[2]) : 0);
    for (int64_t i = 0; i < na && i < nb; i++)
      note(out, &out->events, difference(va[i], vb[i], scale), "events", column[c], i, time[i]);
  }
  if (na != nb)
    note(out, &out->events, fabs((double)(na - nb)) / (double)(na > nb ? na : nb), "events", "number of events",
         na < nb ? na : nb, s->time);
}

/* ---- positions in all common frames ---- */

/* The first frames of one time from *i and *k on; false: there are no more. */
static bool find_common(const vvi_run *a, const vvi_run *b, int64_t *i, int64_t *k)
{
  while (*i < a->frames && *k < b->frames) {
    const int order = order_of_times(a->time[*i], b->time[*k]);
    if (order == 0) return true;
    ++*(order < 0 ? i : k);
  }
  return false;
}

static int find_body(const vvi_run *run, const char *name)
{
  for (int i = 0; i < run->n_body; i++)
    if (strcmp(run->body[i], name) == 0) return i;
  return -1;
}

/* What read_pair would pass over: bodies of one side only, and bodies with other numbers of nodes. */
static void compare_shapes(folder *a, folder *b, int64_t common, vv_comparison *out)
{
  int64_t na = a->run.frames, nb = b->run.frames;
  int bodies = 0;
  for (int i = 0; i < a->run.n_body; i++) {
    const char *name = a->run.body[i];
    const int other = find_body(&b->run, name);
    int ca = 0, cb = 0;
    int64_t count_a = 0, count_b = 0;
    vvi_run_shape(&a->run, i, "position", &count_a, &ca);
    if (other >= 0) vvi_run_shape(&b->run, other, "position", &count_b, &cb);
    bodies += other >= 0;
    if (other < 0)
      note_misfit(out, INFINITY, "only in the first: body ", name, 1, 0);
    else if (count_a != count_b || ca != cb)
      note_misfit(out, INFINITY, "number of nodes of ", name, count_a, count_b);
  }
  for (int i = 0; i < b->run.n_body; i++)
    if (find_body(&a->run, b->run.body[i]) < 0)
      note_misfit(out, INFINITY, "only in the second: body ", b->run.body[i], 0, 1);
  if (bodies == 0) note_misfit(out, INFINITY, "no common body", "", a->run.n_body, b->run.n_body);
  if (common == 0) note_misfit(out, INFINITY, "no common frame", "", na, nb);
  if (na != nb) note_misfit(out, 1, "number of frames", "", na, nb);
}

/* A body of the first run and its like in the second, and room for the positions of both. */
typedef struct pair {
  int body, other;
  int64_t n; /* 0: it is in one of them only, or they do not fit together */
  double *xa, *xb;
} pair;

static vv_status open_pair(vvi_arena *arena, folder *a, folder *b, int body, pair *out)
{
  int64_t count_a, count_b = 0;
  int ca, cb = 0;
  *out = (pair){.body = body, .other = find_body(&b->run, a->run.body[body])};
  vvi_run_shape(&a->run, body, "position", &count_a, &ca);
  if (out->other >= 0) vvi_run_shape(&b->run, out->other, "position", &count_b, &cb);
  if (count_a == 0 || count_a != count_b || ca != 3 || cb != 3) return VV_OK;
  out->n = count_a;
  out->xa = VVI_ARENA_NEW(arena, double, 3 * count_a);
  out->xb = VVI_ARENA_NEW(arena, double, 3 * count_a);
  return out->xa != NULL && out->xb != NULL ? VV_OK : VV_NOMEM;
}

static vv_status read_pair(const pair *p, folder *a, folder *b, int64_t fa, int64_t fb)
{
  VV_TRY(vvi_run_read(&a->run, p->body, "position", fa, 1, 0, p->n, p->xa));
  return vvi_run_read(&b->run, p->other, "position", fb, 1, 0, p->n, p->xb);
}

static void grow(double lo[3], double hi[3], int64_t n, const double *x)
{
  for (int64_t i = 0; i < 3 * n; i++) {
    if (!(x[i] >= lo[i % 3])) lo[i % 3] = x[i];
    if (!(x[i] <= hi[i % 3])) hi[i % 3] = x[i];
  }
}

/* Over all common frames at once: the box of all bodies, which is the scale, and the farthest two like nodes are apart. */
static vv_status compare_positions(vvi_arena *arena, folder *a, folder *b, double *size, vv_comparison *out)
{
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, worst = 0, time = 0;
  const char *name = "";
  int64_t node = 0;
  pair *p = VVI_ARENA_NEW(arena, pair, a->run.n_body + 1);
  out->frames_a = a->run.frames, out->frames_b = b->run.frames;
  if (p == NULL) return VV_NOMEM;
  for (int i = 0; i < a->run.n_body; i++) VV_TRY(open_pair(arena, a, b, i, &p[i]));
  for (int64_t fa = 0, fb = 0; find_common(&a->run, &b->run, &fa, &fb); fa++, fb++, out->frames++)
    for (int i = 0; i < a->run.n_body; i++) {
      if (p[i].n == 0) continue;
      VV_TRY(read_pair(&p[i], a, b, fa, fb));
      grow(lo, hi, p[i].n, p[i].xa), grow(lo, hi, p[i].n, p[i].xb);
      for (int64_t k = 0; k < 3 * p[i].n; k++) {
        const double apart = difference(p[i].xa[k], p[i].xb[k], 1.0);
        if (apart > worst) worst = apart, name = a->run.body[i], node = k / 3, time = a->run.time[fa];
      }
    }
  *size = 0;
  for (int k = 0; k < 3; k++)
    if (hi[k] > lo[k]) *size = larger(*size, hi[k] - lo[k]);
  compare_shapes(a, b, out->frames, out);
  if (worst > 0) note(out, &out->positions, *size > 0 ? worst / *size : INFINITY, "positions", name, node, time);
  return VV_OK;
}

/* ---- both folders ---- */

static vv_status open_folder(vv_ctx *ctx, vvi_arena *arena, const char *name, folder *f)
{
  const char *ledger = vvi_path(arena, name, "ledger.csv"), *events = vvi_path(arena, name, "events.csv");
  const char *summary = vvi_path(arena, name, "summary.json");
  f->name = name;
  if (ledger == NULL || events == NULL || summary == NULL) return VV_NOMEM;
  VV_TRY(vvi_table_read(ctx, arena, ledger, &f->ledger));
  VV_TRY(vvi_table_read(ctx, arena, events, &f->events));
  f->summary = vvi_text_read(arena, summary, NULL);
  return vvi_run_open(ctx, arena, name, &f->run);
}

static vv_status compare(vv_ctx *ctx, vvi_arena *arena, folder *a, folder *b, const char *const name[2],
                         vv_comparison *out)
{
  double size = 0;
  VV_TRY(open_folder(ctx, arena, name[0], a));
  VV_TRY(open_folder(ctx, arena, name[1], b));
  VV_TRY(compare_positions(arena, a, b, &size, out));
  const scales s = find_scales(a, b, size);
  compare_ledgers(a, b, &s, out);
  compare_events(a, b, &s, out);
  return VV_OK;
}

vv_status vv_compare(vv_ctx *ctx, const char *folder_a, const char *folder_b, vv_comparison *out)
{
  if (ctx == NULL || folder_a == NULL || folder_b == NULL || out == NULL) return VV_ARG;
  *out = (vv_comparison){0};
  vvi_arena arena = {0};
  folder a = {0}, b = {0};
  const vv_status status = compare(ctx, &arena, &a, &b, (const char *const[]){folder_a, folder_b}, out);
  (void)!vvi_run_close(&a.run);
  (void)!vvi_run_close(&b.run);
  vvi_arena_free(&arena);
  return status;
}
