/* step/solids/lend.c  Rigid bodies that surfaces push before the drift.
 *
 * A body with contacts at rest has its momentum p1 of the coming drift already, forces included [many 6].  Lent, it is a body
 * with momentum p1 on which no force acts.  Pushed by d it goes on with p1 + d: along its way h v the force does the work of
 * the new way, which those who pushed did not book,
 *   E1 - E0 = (T(p1 + d) - T(p1)) - h f.M^-1 d,                                                                   [many 9]
 * and the moment of the force after the drift is that at the new place.
 *
 * What was pushed may now close a contact of rigid bodies.  Those are asked once more, with nothing but the momenta that are
 * there: impacts, bodies that bend, rest. */
#include "step/solids/rows.h"

#include <string.h>

static double *momentum_of(const struct vv_step *s, int32_t mover, double *base, int64_t *column)
{
  int64_t node;
  const vv_block *b = vvi_solids_block(s, mover, &node);
  *column = b->column;
  return base + b->p0 + node;
}

/* From now on the k-th body has had its force. */
static void lend(struct vv_step *s, int32_t k, double h, double *f)
{
  struct vvi_solids_step *w = s->solids;
  const int32_t i = w->touched[k];
  int64_t n;
  double *y = momentum_of(s, i, f, &n), *own = w->forced ? momentum_of(s, i, w->f, &n) : NULL;
  for (int c = 0; c < 6; c++) {
    w->first[k][c] = w->settled[k][c];
    w->owed[k][c] = own != NULL ? h * own[c * n] : 0.0;
    y[c * n] = 0.0;
    if (own != NULL) own[c * n] = 0.0;
  }
  if (!w->forced) return;
  memset(w->force[i].velocity, 0, sizeof w->force[i].velocity);
  memset(w->force[i].spin, 0, sizeof w->force[i].spin);
}

void vvi_solids_lend(struct vv_step *s, double h, double *f)
{
  struct vvi_solids_step *w = s->solids;
  for (; w->n_lent < w->n_touched; w->n_lent++) lend(s, w->n_lent, h, f);
  vvi_solids_settle(s);
}

/* The momenta of the state are what is settled. */
static void sync(struct vv_step *s)
{
  struct vvi_solids_step *w = s->solids;
  for (int32_t k = 0; k < w->n_lent; k++) {
    int64_t n;
    const double *p = momentum_of(s, w->touched[k], s->state->p, &n);
    for (int c = 0; c < 6; c++) w->settled[k][c] = p[c * n];
  }
}

/* Does some contact close in the drift? */
static bool closes(struct vv_step *s, double h)
{
  const struct vvi_solids_step *w = s->solids;
  const double fine = 1e-15 * w->near->solids->size;
  for (int64_t i = 0; i < w->n; i++) {
    const vvi_solid_row *c = &w->row[i];
    const double u = vvi_solid_row_speed(w, c), gap = c->gap > 0.0 ? c->gap : 0.0;
    if (gap + vvi_solid_row_ahead(c, h, u) - c->gap < -fine) return true;
  }
  return false;
}

vv_status vvi_solids_again(struct vv_step *s, double t, double h, double *f, bool *acted, vv_report *r)
{
  enum { ROUNDS = 20 };
  struct vvi_solids_step *w = s->solids;
  bool more = true;
  *acted = false;
  vvi_solid_near_place(s->model, w->near, s->state->q, s->state->p);
  for (int k = 0; more && k < ROUNDS; k++) {
    if (vvi_solids_raise(w, h) && !vvi_solid_near_collect(w->near, h)) return vvi_solids_no_room(s, t, r);
    if (!vvi_rows_make(s, h)) return vvi_solids_no_room(s, t, r);
    more = closes(s, h);
    if (!more) break;
    *acted = true;
    if (!vvi_impacts(s, t, h)) return vvi_solids_endless(s, t, r);
    vvi_holds(s, t, h);
    more = vvi_solids_raise(w, h);
  }
  if (!*acted) return VV_OK;
  sync(s);
  if (w->rest != NULL && h > 0.0) vvi_settle_rest(s, h, true);
  vvi_solids_lend(s, h, f);
  return VV_OK;
}

/* The work that the force does along the changed way, and its moment at the end of it. */
static void book_way(struct vv_step *s, int32_t k, double h)
{
  const struct vvi_solids_step *w = s->solids;
  const vv_mover *m = &w->near->mover[w->touched[k]];
  const double *owed = w->owed[k];
  double d[6], v[6], way[3], turn[3], work = 0.0;
  for (int c = 0; c < 6; c++) d[c] = w->settled[k][c] - w->first[k][c];
  vvi_times6(m->inverse_mass, d, v);
  vvi_times6(m->inverse_inertia, d + 3, v + 3);
  for (int c = 0; c < 6; c++) work += owed[c] * v[c];
  for (int c = 0; c < 3; c++) way[c] = h * v[c];
  vvi_cross3(way, owed, turn);
  vvi_sum_add(&s->ledger->posted.restitution_loss, work);
  for (int c = 0; c < 3; c++) vvi_sum_add(&s->ledger->posted.moment[c], -0.5 * turn[c]);
}

void vvi_solids_take(struct vv_step *s, double h)
{
  struct vvi_solids_step *w = s->solids;
  sync(s);
  for (int32_t k = 0; k < w->n_lent; k++) book_way(s, k, h);
  vvi_solid_near_place(s->model, w->near, s->state->q, s->state->p);
  vvi_solids_raise(w, h);
}
