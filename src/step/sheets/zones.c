/* step/sheets/zones.c  The last resort of the sweeps: what will not come apart moves as one rigid piece for a step.
 *
 * Nodes of pairs that are still violated after many sweeps are joined to zones.  With y = p + h/2 f the momenta of the coming
 * drift, a zone of mass M, centre c and inertia I gets                                                       [sheets 11]
 *   y_k = m_k (V + w x r_k),   M V = sum y_k,   I w = sum r_k x y_k:
 * momentum and angular momentum are kept, distances inside the zone too, and the energy that goes is booked.  A zone that
 * touches something fixed rests: y = 0, and what stopped it comes from outside. */
#include "ledger/ledger.h"
#include "math/math.h"
#include "step/sheets.h"

#include <stdlib.h>
#include <string.h>

void vvi_zones_open(struct vvi_sheets_step *w)
{
  for (int32_t i = 0; i < w->n_member; i++) w->zone[w->member[i].mover] = -1;
  w->n_member = 0;
}

static int32_t root_of(struct vvi_sheets_step *w, int32_t m)
{
  while (w->zone[m] != m) m = w->zone[m] = w->zone[w->zone[m]];
  return m;
}

static int32_t enter(struct vvi_sheets_step *w, int32_t m)
{
  if (w->zone[m] < 0) w->zone[m] = m, w->member[w->n_member++] = (vvi_zone_member){.mover = m};
  return root_of(w, m);
}

/* What touches something fixed stays where it is, and its zone with it.  True: it did not yet. */
static bool fix(struct vvi_sheets_step *w, int32_t m)
{
  for (int32_t i = 0; i < w->n_member; i++) {
    if (w->member[i].mover != m) continue;
    const bool news = !w->member[i].fixed;
    w->member[i].fixed = true;
    return news;
  }
  return false;
}

bool vvi_zones_join(struct vvi_sheets_step *w, const vvi_row *r)
{
  const struct vvi_sheets *s = w->search->sheets;
  bool joined = false;
  for (int i = 0; i < r->n; i++)
    if (s->body[s->body_of_mover[r->part[i].mover]].carrier != VVI_CARRY_POINTS) return false;
  for (int i = 0; i < r->n; i++) {
    const int32_t a = enter(w, r->part[0].mover), b = enter(w, r->part[i].mover);
    if (a == b) continue;
    w->zone[a > b ? a : b] = a < b ? a : b;
    joined = true;
  }
  return (r->open && fix(w, r->part[0].mover)) || joined;
}

static int by_root(const void *x, const void *y)
{
  const vvi_zone_member *a = x, *b = y;
  if (a->root != b->root) return a->root < b->root ? -1 : 1;
  return a->mover < b->mover ? -1 : a->mover > b->mover;
}

typedef struct piece {
  double mass, centre[3], momentum[3], spin[3], inertia[6];
  bool held;
} piece;

static double *column_of(const struct vvi_sheets_step *w, int32_t m, bool force, int64_t *n)
{
  const struct vvi_sheets *s = w->search->sheets;
  const int32_t b = s->body_of_mover[m];
  const vvi_sheet_columns *k = &w->search->motion.at[b];
  *n = k->column;
  return (force ? (double *)(uintptr_t)k->f : k->p) + (m - s->body[b].mover0);
}

/* Place and momentum of the coming drift. */
static void drift_of(const struct vvi_sheets_step *w, int32_t m, double x[3], double y[3])
{
  int64_t n;
  const double *p = column_of(w, m, false, &n), *f = column_of(w, m, true, &n);
  vvi_sheet_node(&w->search->motion, w->search->sheets->body_of_mover[m], m, false, x);
  for (int c = 0; c < 3; c++) y[c] = p[c * n] + 0.5 * w->h * f[c * n];
}

static void measure(const struct vvi_sheets_step *w, const vvi_zone_member *k, int32_t n, piece *z)
{
  const struct vvi_sheets *s = w->search->sheets;
  double x[3], y[3];
  *z = (piece){.mass = 0.0};
  for (int32_t i = 0; i < n; i++) {
    const double inverse = s->inverse[k[i].mover];
    z->held |= k[i].fixed || inverse == 0.0 || s->held[k[i].mover] != 0;
    if (z->held) return;
    drift_of(w, k[i].mover, x, y);
    z->mass += 1.0 / inverse;
    for (int c = 0; c < 3; c++) z->centre[c] += x[c] / inverse, z->momentum[c] += y[c];
  }
  for (int c = 0; c < 3; c++) z->centre[c] /= z->mass;
  for (int32_t i = 0; i < n; i++) {
    double turn[3];
    const double m = 1.0 / s->inverse[k[i].mover];
    drift_of(w, k[i].mover, x, y);
    for (int c = 0; c < 3; c++) x[c] -= z->centre[c];
    vvi_cross3(x, y, turn);
    for (int c = 0; c < 3; c++) z->spin[c] += turn[c];
    z->inertia[0] += m * (x[1] * x[1] + x[2] * x[2]), z->inertia[1] += m * (x[0] * x[0] + x[2] * x[2]);
    z->inertia[2] += m * (x[0] * x[0] + x[1] * x[1]);
    z->inertia[3] -= m * x[1] * x[2], z->inertia[4] -= m * x[0] * x[2], z->inertia[5] -= m * x[0] * x[1];
  }
}

/* New momenta of one zone; what is held holds all of it. */
static void stiffen(struct vvi_sheets_step *w, const vvi_zone_member *k, int32_t n)
{
  piece z;
  double omega[3] = {0, 0, 0}, energy = 0.0;
  measure(w, k, n, &z);
  if (!z.held && n > 1 && !vvi_solve_symmetric(z.inertia, z.spin, omega)) return;
  for (int32_t i = 0; i < n; i++) {
    double x[3], y[3], turn[3], r[3], gain[3];
    const double inverse = w->search->sheets->inverse[k[i].mover];
    int64_t column;
    double *p = column_of(w, k[i].mover, false, &column);
    drift_of(w, k[i].mover, x, y);
    for (int c = 0; c < 3; c++) r[c] = x[c] - z.centre[c];
    vvi_cross3(omega, r, turn);
    for (int c = 0; c < 3 && inverse > 0.0; c++) {
      const double target = z.held ? 0.0 : (z.momentum[c] / z.mass + turn[c]) / inverse, old = p[c * column];
      gain[c] = target - y[c];
      p[c * column] = old + gain[c];
      energy += 0.5 * inverse * gain[c] * (old + p[c * column]);
    }
    if (z.held && inverse > 0.0) vvi_post_impulse(w->post, x, gain);
    if (w->changed[k[i].mover] == 0) w->dirty[w->n_dirty++] = k[i].mover;
    w->changed[k[i].mover] = w->serial;
  }
  w->lost -= energy;
  w->count.zones++;
}

void vvi_zones_move(struct vvi_sheets_step *w)
{
  for (int32_t i = 0; i < w->n_member; i++) w->member[i].root = root_of(w, w->member[i].mover);
  qsort(w->member, (size_t)w->n_member, sizeof *w->member, by_root);
  w->serial++;
  for (int32_t i = 0, end; i < w->n_member; i = end) {
    for (end = i; end < w->n_member && w->member[end].root == w->member[i].root; end++) {
    }
    stiffen(w, w->member + i, end - i);
  }
}
