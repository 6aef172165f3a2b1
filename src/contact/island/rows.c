/* contact/island/rows.c  The contacts of an island in scaled velocities. */
#include "contact/island/work.h"

#include <float.h>
#include <string.h>

/* ---- room: grows by doubling, what was there is not needed ---- */

static bool room_for_movers(vvi_island_work *w, int32_t n)
{
  if (n <= w->most_movers) return true;
  const int32_t most = n < 32 ? 64 : 2 * n, had = w->most_movers;
  w->most_movers = 0;
  w->root = vvi_arena_grow(w->arena, w->root, sizeof *w->root, had, 0, most);
  w->dim = vvi_arena_grow(w->arena, w->dim, sizeof *w->dim, had, 0, most);
  w->at = vvi_arena_grow(w->arena, w->at, sizeof *w->at, had + 1, 0, most + 1);
  w->mark = vvi_arena_grow(w->arena, w->mark, sizeof *w->mark, had, 0, most);
  w->s = vvi_arena_grow(w->arena, w->s, sizeof *w->s, 6 * (int64_t)had, 0, 6 * (int64_t)most);
  w->step = vvi_arena_grow(w->arena, w->step, sizeof *w->step, 6 * (int64_t)had, 0, 6 * (int64_t)most);
  w->way = vvi_arena_grow(w->arena, w->way, sizeof *w->way, 6 * (int64_t)had, 0, 6 * (int64_t)most);
  w->off = vvi_arena_grow(w->arena, w->off, sizeof *w->off, 6 * (int64_t)had, 0, 6 * (int64_t)most);
  if (!w->root || !w->dim || !w->at || !w->mark || !w->s || !w->step || !w->way || !w->off) return false;
  w->most_movers = most;
  return true;
}

static bool room_for_contacts(vvi_island_work *w, int32_t n)
{
  if (n <= w->most_rows) return true;
  const int32_t most = n < 32 ? 64 : 2 * n, had = w->most_rows;
  w->most_rows = 0;
  w->mean = vvi_arena_grow(w->arena, w->mean, sizeof *w->mean, had, 0, most);
  w->row = vvi_arena_grow(w->arena, w->row, sizeof *w->row, had, 0, most);
  w->trial = vvi_arena_grow(w->arena, w->trial, sizeof *w->trial, had, 0, most);
  if (!w->mean || !w->row || !w->trial) return false;
  w->most_rows = most;
  return true;
}

static bool room_for_parts(vvi_island_work *w, int32_t parts, int64_t numbers)
{
  if (parts > w->most_parts) {
    const int32_t most = 2 * parts;
    w->part = vvi_arena_grow(w->arena, w->part, sizeof *w->part, w->most_parts, 0, most);
    if (w->part == NULL) return false;
    w->most_parts = most;
  }
  if (numbers > w->most_numbers) {
    const int64_t most = 2 * numbers;
    w->b = vvi_arena_grow(w->arena, w->b, sizeof *w->b, w->most_numbers, 0, most);
    if (w->b == NULL) return false;
    w->most_numbers = most;
  }
  return true;
}

bool vvi_island_room(vvi_island_work *w, const vvi_island_problem *p)
{
  return room_for_movers(w, p->movers) && room_for_contacts(w, p->contacts);
}

vv_status vvi_island_create(vvi_arena *arena, int32_t movers, int32_t contacts, vvi_island_work **out)
{
  vvi_island_work *w = VVI_ARENA_NEW(arena, vvi_island_work, 1);
  if (w == NULL) return VV_NOMEM;
  *w = (vvi_island_work){.arena = arena, .sparse = {.arena = arena, .block_limit = 400000}};
  *out = w;
  const bool ok = room_for_movers(w, movers) && room_for_contacts(w, contacts) &&
                  room_for_parts(w, 4 * contacts, 48 * (int64_t)contacts) &&
                  vvi_sparse_reserve(&w->sparse, movers < 256 ? movers : 256);
  return ok ? VV_OK : VV_NOMEM;
}

/* ---- movers ---- */

/* Lower root of a symmetric matrix, xx yx yy zx zy zz; a direction without inverse mass gets a zero column. */
static void root_of(const double a[6], double l[6])
{
  const double least = 1e-14 * (a[0] + a[1] + a[2]);
  const double d0 = a[0] > least ? sqrt(a[0]) : 0.0;
  l[0] = d0, l[1] = d0 > 0.0 ? a[5] / d0 : 0.0, l[3] = d0 > 0.0 ? a[4] / d0 : 0.0;
  const double r1 = a[1] - l[1] * l[1], d1 = r1 > least ? sqrt(r1) : 0.0;
  l[2] = d1, l[4] = d1 > 0.0 ? (a[3] - l[3] * l[1]) / d1 : 0.0;
  const double r2 = a[2] - l[3] * l[3] - l[4] * l[4];
  l[5] = r2 > least ? sqrt(r2) : 0.0;
}

/* y += x^T l */
static inline void times_root(const double l[6], const double x[3], double y[3])
{
  y[0] += x[0] * l[0] + x[1] * l[1] + x[2] * l[3];
  y[1] += x[1] * l[2] + x[2] * l[4];
  y[2] += x[2] * l[5];
}

static void fill_movers(vvi_island_work *w, const vvi_island_problem *p)
{
  w->at[0] = 0;
  for (int32_t m = 0; m < p->movers; m++) {
    const double *a = p->inverse[m];
    const bool turns = a[6] + a[7] + a[8] > 0.0;
    root_of(a, w->root[m]);
    if (turns) root_of(a + 6, w->root[m] + 6);
    w->dim[m] = turns ? 6 : 3;
    w->at[m + 1] = w->at[m] + w->dim[m];
    w->mark[m] = -1;
  }
}

/* ---- contacts ---- */

/* The share of the mover of this leg, which may come twice in a contact. */
static double *part_of(vvi_island_work *w, vvi_island_row *r, int32_t mover)
{
  const int32_t mark = w->mark[mover];
  if (mark >= r->first) return w->b + w->part[mark].b;
  const int32_t size = r->rows * w->dim[mover];
  w->mark[mover] = w->parts;
  w->part[w->parts++] = (vvi_part){.mover = mover, .b = (int32_t)w->numbers};
  r->parts++;
  double *b = w->b + w->numbers;
  w->numbers += size;
  for (int32_t k = 0; k < size; k++) b[k] = 0.0;
  return b;
}

static void fill_legs(vvi_island_work *w, const vvi_island_problem *p, const vvi_island_contact *c, vvi_island_row *r)
{
  for (int32_t e = c->first; e < c->first + c->legs; e++) {
    const vvi_leg *leg = &p->leg[e];
    const int32_t m = leg->mover, n = w->dim[m];
    double *b = part_of(w, r, m);
    for (int k = 0; k < r->rows; k++) {
      times_root(w->root[m], leg->force[k], b + n * k);
      if (n == 6) times_root(w->root[m] + 6, leg->moment[k], b + n * k + 3);
    }
  }
}

static double product(const vvi_island_work *w, const vvi_island_row *r, int i, int k)
{
  double sum = 0.0;
  for (int32_t e = r->first; e < r->first + r->parts; e++) {
    const int n = w->dim[w->part[e].mover];
    const double *bi = w->b + w->part[e].b + n * i, *bk = w->b + w->part[e].b + n * k;
    for (int c = 0; c < n; c++) sum += bi[c] * bk[c];
  }
  return sum;
}

static void fill_block(const vvi_island_work *w, vvi_island_row *r)
{
  double *a = r->a;
  memset(a, 0, sizeof r->a);
  a[0] = product(w, r, 0, 0);
  r->mean = a[0];
  r->inverse[0] = a[0] > 0.0 ? 1.0 / a[0] : 0.0;
  r->inverse[1] = r->inverse[2] = r->inverse[3] = r->soft = 0.0;
  if (r->rows == 1) return;
  a[1] = product(w, r, 1, 1), a[2] = product(w, r, 2, 2), a[3] = product(w, r, 1, 2);
  a[4] = product(w, r, 0, 2), a[5] = product(w, r, 0, 1);
  r->mean = (a[0] + a[1] + a[2]) / 3.0;
  const double det = a[1] * a[2] - a[3] * a[3], half = 0.5 * (a[1] - a[2]);
  const double most = 0.5 * (a[1] + a[2]) + sqrt(half * half + a[3] * a[3]);
  r->soft = most > 0.0 ? 1.0 / most : 0.0;
  const bool flat = !(det > 1e-14 * most * most); /* cannot move along some tangent */
  r->inverse[1] = flat ? r->soft : a[2] / det;
  r->inverse[2] = flat ? r->soft : a[1] / det;
  r->inverse[3] = flat ? 0.0 : -a[3] / det;
}

static void fill_row(vvi_island_work *w, const vvi_island_problem *p, int32_t i)
{
  const vvi_island_contact *c = &p->contact[i];
  vvi_island_row *r = &w->row[w->rows];
  const bool joint = c->rows > 0;
  *r = (vvi_island_row){.contact = i,
                        .rows = joint               ? c->rows
                                : c->friction > 0.0 ? 3
                                                    : 1,
                        .pulls = joint,
                        .first = w->parts};
  r->friction = vvi_friction_of(c);
  fill_legs(w, p, c, r);
  fill_block(w, r);
  if (!((joint ? r->mean : r->a[0]) > 0.0)) { /* nothing there can move along n */
    if (!joint) w->stuck = fmax(w->stuck, c->b[0] - c->free[0]);
    w->parts = r->first;
    for (int32_t e = c->first; e < c->first + c->legs; e++) w->mark[p->leg[e].mover] = -1;
    return;
  }
  for (int k = 0; k < r->rows; k++) r->c[k] = c->free[k] - c->b[k];
  r->asked = c->b[0], r->strict = c->strict > 0.0 ? c->strict : 1.0;
  r->j[0] = joint ? c->j[0] : fmax(c->j[0], 0.0);
  if (r->rows == 3) {
    r->j[1] = c->j[1], r->j[2] = c->j[2];
    r->friction.law->cut(&r->friction, r->j[0], r->j + 1);
  }
  w->load = fmax(w->load, -r->c[0]);
  w->rubs |= r->rows == 3 && !joint;
  w->rows++;
}

bool vvi_island_fill(vvi_island_work *w, const vvi_island_problem *p)
{
  int64_t legs = 0;
  for (int32_t i = 0; i < p->contacts; i++) legs += p->contact[i].legs;
  if (legs > INT32_MAX / 36) return false;
  if (!room_for_parts(w, (int32_t)legs, 18 * legs)) return false;
  w->movers = p->movers, w->rows = w->parts = 0, w->numbers = 0;
  w->speed = p->speed, w->slow = p->slow, w->loose = p->loose, w->far = p->far, w->load = w->stuck = 0.0,
  w->rubs = false;
  fill_movers(w, p);
  for (int32_t i = 0; i < p->contacts; i++) fill_row(w, p, i);
  return true;
}

VVI_HOT_LOCAL static void gather_rows(vvi_island_work *w)
{
  memset(w->s, 0, sizeof *w->s * (size_t)w->at[w->movers]);
  for (int32_t i = 0; i < w->rows; i++) vvi_row_push(w, &w->row[i], w->row[i].j, w->s);
}

void vvi_island_gather(vvi_island_work *w)
{
  gather_rows(w);
}

bool vvi_island_warm(const vvi_island_work *w)
{
  int32_t n = 0;
  for (int32_t i = 0; i < w->rows; i++) n += w->row[i].j[0] > 0.0;
  return 4 * (int64_t)n >= w->rows;
}

double vvi_island_tolerance(const vvi_island_work *w)
{
  double most = 0.0;
  for (int32_t i = 0; i < w->rows; i++) {
    const vvi_island_row *r = &w->row[i];
    most = vvi_larger(r->mean * r->mean * vvi_dot3(r->j, r->j), most);
  }
  return fmax(0.5e-13 * w->speed, 2e-15 * sqrt(most));
}
