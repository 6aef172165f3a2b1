/* contact/island/gradient.c  Accelerated projected gradient, for islands too large for a factor.
 *
 * One scale for each contact, s_i = sqrt(3/trace A_i), so that cones stay cones; x = J/s.  With the cone shifts held,
 *   v = s (c + shift n + B B^T s y);   x' = nearest(y - v/L);   restart if v.(x' - x) > 0;
 *   y = x' + ((th - 1)/th')(x' - x),   th' = (1 + sqrt(1 + 4 th^2))/2,   L = 1.1 x the largest eigenvalue of s B B^T s.
 *                                                                                                               [island 14]
 * Movers sum their contacts, contacts see their movers: no order matters but that of the sums, which are by mover and by chunk
 * and hence the same for any number of threads. */
#include "contact/island/work.h"

#include <string.h>

enum { CHUNK = 128, LOOK = 25, POWER = 30, LEAST = 300 };

typedef struct run {
  vvi_island_work *w;
  int threads;
  double L;
  double theta, beta;
} run;

static bool room(vvi_island_work *w)
{
  vvi_island_huge *g = &w->huge;
  if (w->rows > g->most_rows) {
    const int32_t most = 2 * w->rows, had = g->most_rows;
    g->most_rows = 0;
    g->x = vvi_arena_grow(w->arena, g->x, sizeof *g->x, had, 0, most);
    g->y = vvi_arena_grow(w->arena, g->y, sizeof *g->y, had, 0, most);
    g->next = vvi_arena_grow(w->arena, g->next, sizeof *g->next, had, 0, most);
    g->scale = vvi_arena_grow(w->arena, g->scale, sizeof *g->scale, had, 0, most);
    g->partial = vvi_arena_grow(w->arena, g->partial, sizeof *g->partial, had / CHUNK, 0, most / CHUNK + 2);
    if (!g->x || !g->y || !g->next || !g->scale || !g->partial) return false;
    g->most_rows = most;
  }
  if (w->movers > g->most_movers) {
    g->first = VVI_ARENA_NEW(w->arena, int32_t, 2 * (int64_t)w->movers + 1);
    if (g->first == NULL) return false;
    g->most_movers = 2 * w->movers;
  }
  if (w->parts > g->most_parts) {
    const int32_t had = g->most_parts;
    g->most_parts = 0;
    g->row = vvi_arena_grow(w->arena, g->row, sizeof *g->row, had, 0, 2 * (int64_t)w->parts);
    g->part = vvi_arena_grow(w->arena, g->part, sizeof *g->part, had, 0, 2 * (int64_t)w->parts);
    if (!g->row || !g->part) return false;
    g->most_parts = 2 * w->parts;
  }
  return true;
}

/* Parts by mover, in the order of the contacts. */
static void sort_by_mover(vvi_island_work *w)
{
  vvi_island_huge *g = &w->huge;
  memset(g->first, 0, sizeof *g->first * (size_t)(w->movers + 1));
  for (int32_t e = 0; e < w->parts; e++) g->first[w->part[e].mover + 1]++;
  for (int32_t m = 0; m < w->movers; m++) g->first[m + 1] += g->first[m];
  for (int32_t i = 0; i < w->rows; i++) {
    for (int32_t e = w->row[i].first; e < w->row[i].first + w->row[i].parts; e++) {
      const int32_t at = g->first[w->part[e].mover]++;
      g->row[at] = i, g->part[at] = e;
    }
  }
  for (int32_t m = w->movers; m > 0; m--) g->first[m] = g->first[m - 1];
  g->first[0] = 0;
}

/* s = B^T (scale z) of movers from .. to */
VVI_HOT_LOCAL static void gather_chunk(vvi_island_work *w, double (*z)[3], int32_t from, int32_t to)
{
  const vvi_island_huge *g = &w->huge;
  for (int32_t m = from; m < to; m++) {
    double *s = w->s + w->at[m];
    const int n = w->dim[m];
    for (int c = 0; c < n; c++) s[c] = 0.0;
    for (int32_t e = g->first[m]; e < g->first[m + 1]; e++) {
      const int32_t i = g->row[e];
      const double *b = w->b + w->part[g->part[e]].b, k = g->scale[i];
      const double j[3] = {k * z[i][0], k * z[i][1], k * z[i][2]};
      if (n == 6) {
        w->row[i].rows == 3 ? vvi_part_push_(3, 6, b, j, s) : vvi_part_push_(1, 6, b, j, s);
      } else {
        w->row[i].rows == 3 ? vvi_part_push_(3, 3, b, j, s) : vvi_part_push_(1, 3, b, j, s);
      }
    }
  }
}

/* x' of contacts from .. to; returns v.(x' - x). */
VVI_HOT_LOCAL static double project(vvi_island_work *w, double L, int32_t from, int32_t to)
{
  const vvi_island_huge *g = &w->huge;
  double sum = 0.0;
  for (int32_t i = from; i < to; i++) {
    const vvi_island_row *r = &w->row[i];
    double u[3] = {0, 0, 0}, v[3], q[3];
    vvi_row_see(w, r, w->s, u);
    for (int k = 0; k < 3; k++) v[k] = g->scale[i] * (r->c[k] + u[k]);
    v[0] += g->scale[i] * w->trial[i].shift[0];
    for (int k = 0; k < 3; k++) q[k] = g->y[i][k] - v[k] / L;
    vvi_friction f = r->friction;
    f.limit /= g->scale[i]; /* cones need none */
    f.law->nearest(&f, q, g->next[i]);
    for (int k = 0; k < 3; k++) sum += v[k] * (g->next[i][k] - g->x[i][k]);
  }
  return sum;
}

static void extrapolate(vvi_island_work *w, double beta, int32_t from, int32_t to)
{
  const vvi_island_huge *g = &w->huge;
  for (int32_t i = from; i < to; i++) {
    for (int k = 0; k < 3; k++) {
      g->y[i][k] = g->next[i][k] + beta * (g->next[i][k] - g->x[i][k]);
      g->x[i][k] = g->next[i][k];
    }
  }
}

/* u at x of contacts from .. to, and how far they are from the law, from that of their shifts, and as `loose` sees it. */
static void judge(vvi_island_work *w, int32_t from, int32_t to, double most[3])
{
  const vvi_island_huge *g = &w->huge;
  most[0] = most[1] = most[2] = 0.0;
  for (int32_t i = from; i < to; i++) {
    vvi_island_row *r = &w->row[i];
    vvi_island_trial *t = &w->trial[i];
    double u[3] = {0, 0, 0}, p[3];
    vvi_row_see(w, r, w->s, u);
    for (int k = 0; k < 3; k++) t->u[k] = r->c[k] + u[k], r->j[k] = g->scale[i] * g->x[i][k];
    const double off = vvi_law_residual(&r->friction, r->mean, r->j, t->u);
    most[0] = fmax(most[0], off), most[2] = fmax(most[2], r->strict * off);
    const double K = 1.0 / r->mean,
                 q[3] = {r->j[0] - K * (t->u[0] + t->shift[0]), r->j[1] - K * t->u[1], r->j[2] - K * t->u[2]};
    r->friction.law->nearest(&r->friction, q, p);
    for (int k = 0; k < 3; k++) most[1] = fmax(most[1], r->mean * fabs(p[k] - r->j[k]));
  }
}

/* next = s B B^T s y of contacts from .. to; returns its square. */
static double multiply(vvi_island_work *w, int32_t from, int32_t to)
{
  const vvi_island_huge *g = &w->huge;
  double sum = 0.0;
  for (int32_t i = from; i < to; i++) {
    double u[3] = {0, 0, 0};
    vvi_row_see(w, &w->row[i], w->s, u);
    for (int k = 0; k < 3; k++) g->next[i][k] = g->scale[i] * u[k], sum += g->next[i][k] * g->next[i][k];
  }
  return sum;
}

/* ---- the same over all, shared among threads by chunks ---- */

enum { PROJECT, EXTRAPOLATE, JUDGE, MULTIPLY };

static int32_t chunks_of(int32_t n)
{
  return (n + CHUNK - 1) / CHUNK;
}

static int32_t least(int32_t a, int32_t b)
{
  return a < b ? a : b;
}

static void gather_all(run *r, double (*z)[3])
{
  vvi_island_work *w = r->w;
  const int32_t n = chunks_of(w->movers);
#pragma omp parallel for schedule(static) num_threads(r->threads) if (r->threads > 1)
  for (int32_t k = 0; k < n; k++) gather_chunk(w, z, k * CHUNK, least((k + 1) * CHUNK, w->movers));
}

static void contacts_all(run *r, int what)
{
  vvi_island_work *w = r->w;
  const int32_t n = chunks_of(w->rows);
#pragma omp parallel for schedule(static) num_threads(r->threads) if (r->threads > 1)
  for (int32_t k = 0; k < n; k++) {
    const int32_t from = k * CHUNK, to = least((k + 1) * CHUNK, w->rows);
    double *y = w->huge.partial[k];
    if (what == PROJECT) y[0] = project(w, r->L, from, to);
    if (what == EXTRAPOLATE) extrapolate(w, r->beta, from, to);
    if (what == JUDGE) judge(w, from, to, y);
    if (what == MULTIPLY) y[0] = multiply(w, from, to);
  }
}

static double total(const run *r)
{
  double sum = 0.0;
  for (int32_t k = 0; k < chunks_of(r->w->rows); k++) sum += r->w->huge.partial[k][0];
  return sum;
}

static double largest(const run *r, int which)
{
  double most = 0.0;
  for (int32_t k = 0; k < chunks_of(r->w->rows); k++) most = fmax(most, r->w->huge.partial[k][which]);
  return most;
}

/* 1.1 x the largest eigenvalue of s B B^T s. */
static double lipschitz(run *r)
{
  vvi_island_work *w = r->w;
  vvi_island_huge *g = &w->huge;
  double size = 0.0;
  for (int32_t i = 0; i < w->rows; i++) {
    for (int k = 0; k < 3; k++) {
      g->y[i][k] = k < w->row[i].rows ? 1.0 + 0.5 * ((i * 3 + k) * 2654435761u % 1024u) / 1024.0 : 0.0;
      size += g->y[i][k] * g->y[i][k];
    }
  }
  for (int n = 0; n < POWER; n++) {
    const double inverse = 1.0 / sqrt(size);
    for (int32_t i = 0; i < w->rows; i++) {
      for (int k = 0; k < 3; k++) g->y[i][k] *= inverse;
    }
    gather_all(r, g->y);
    contacts_all(r, MULTIPLY);
    size = total(r);
    memcpy(g->y, g->next, sizeof *g->y * (size_t)w->rows);
  }
  return 1.1 * sqrt(size);
}

static void begin(run *r)
{
  vvi_island_work *w = r->w;
  vvi_island_huge *g = &w->huge;
  for (int32_t i = 0; i < w->rows; i++) g->scale[i] = 1.0 / sqrt(w->row[i].mean);
  sort_by_mover(w);
  vvi_shift_forget(w);
  r->L = lipschitz(r);
  for (int32_t i = 0; i < w->rows; i++) {
    for (int k = 0; k < 3; k++) g->x[i][k] = g->y[i][k] = w->row[i].j[k] / g->scale[i];
  }
  r->theta = 1.0;
}

static void iterate(run *r)
{
  gather_all(r, r->w->huge.y);
  contacts_all(r, PROJECT);
  if (total(r) > 0.0) r->theta = 1.0;
  const double next = 0.5 * (1.0 + sqrt(1.0 + 4.0 * r->theta * r->theta));
  r->beta = (r->theta - 1.0) / next;
  r->theta = next;
  contacts_all(r, EXTRAPOLATE);
}

int32_t vvi_island_gradient(vvi_island_work *w, int32_t most, int threads, bool *done, bool *accepted)
{
  run r = {.w = w, .threads = w->rows >= 16 * CHUNK ? threads : 1};
  int32_t n = 0;
  int passes = 0;
  *done = *accepted = false;
  if (!room(w)) return 0;
  begin(&r);
  for (;;) {
    gather_all(&r, w->huge.x);
    contacts_all(&r, JUDGE);
    const double left = largest(&r, 0), convex = largest(&r, 1), tolerance = vvi_island_tolerance(w);
    vvi_newton_keep(w, left);
    *done = left <= tolerance;
    *accepted = w->rows > VVI_HEAP && largest(&r, 2) <= w->loose && n >= LEAST;
    if (*done || *accepted || n >= most) break;
    if (left > 4.0 * convex && w->rubs) { /* what is left is in the shifts */
      vvi_shift_renew(w, passes < VVI_SHIFTS ? passes : VVI_SHIFTS);
      passes++;
      r.theta = 1.0;
      memcpy(w->huge.y, w->huge.x, sizeof *w->huge.y * (size_t)w->rows);
    }
    for (int k = 0; k < LOOK; k++) iterate(&r);
    n += LOOK;
  }
  if (!*done && !*accepted) vvi_newton_best(w);
  return n;
}
