/* step/solids/impacts.c  Simultaneous impacts as generalised reflections.
 *
 * Pass by pass, among the contacts V that approach and would overlap:
 *   0 <= J  _|_  u + A J >= 0  on V,                                                                              [many 4]
 * then all impulses of a connected component are scaled along their own direction in the kinetic metric,
 *   s = -(1 + e) J.u/(J.A J),   T+ - T- = -(1 - e^2)/2 (J.u)^2/(J.A J) <= 0,                                      [many 5]
 * which is exactly zero for e = 1 whatever the residual of the solver: a reflection.  J.A J = J.(u+ - u-), no matrix.
 * Contacts that start to approach because of it come in the next pass.  With `simultaneous: complementarity` all contacts
 * that touch take part in one pass. */
#include "contact/friction.h"
#include "step/solids/rows.h"

#include <stdlib.h>
#include <string.h>

enum { PASSES = 200, SWEEPS = 400 };

/* m/s^2 that press two together along n: by the forces on both, or by that on one while something holds the other. */
static double pressing(const struct vvi_solids_step *w, const vvi_solid_row *c)
{
  double most = fmax(-c->press, 0.0);
  for (int l = 0; w->forced && l < c->legs; l++) {
    const double a = vvi_dot3(w->force[c->leg[l].mover].velocity, c->n);
    most = fmax(most, c->leg[l].weight < 0.0 ? a : -a);
  }
  return most;
}

/* Approaching slower than two steps of the forces on these two can tell, or of the turning of the normal of a contact that
 * slides: it rests rather than bounces.  What loses nothing bounces unless it is pressed.                      [many 3a] */
static double slow(const struct vvi_solids_step *w, const vvi_solid_row *c, double h)
{
  const double rounding = 1e-13 * w->speed;
  if (!c->rests || h < 0.0) return rounding; /* backwards nothing rests */
  if (c->restitution == 1.0) return fmax(2.0 * fabs(h) * pressing(w, c), rounding);
  double v[3], turning = 0.0, force = 0.0;
  vvi_solid_row_velocity(w, c, v);
  for (int l = 0; l < c->legs; l++) {
    turning += vvi_norm3(w->near->mover[c->leg[l].mover].spin);
    if (w->forced) force = fmax(force, vvi_norm3(w->force[c->leg[l].mover].velocity));
  }
  return fmax(2.0 * fabs(h) * (force + turning * vvi_norm3(v)), rounding);
}

/* Does it belong to the step?  The solver of contacts at rest knows the kick of the whole step and would brake, a little,
 * what only that kick closes: such a contact bounces now.                                                      [many 3a] */
static bool is_hit(const struct vvi_solids_step *w, vvi_solid_row *c, double h)
{
  const double direction = h < 0.0 ? -1.0 : 1.0;
  c->u = vvi_solid_row_speed(w, c);
  if (direction * c->u >= 0.0) return false;
  const double ahead = vvi_solid_row_ahead(c, h, c->u), all = c->gap + h * c->u - h * h * pressing(w, c);
  if (ahead >= 0.0 && !(c->rests && all < 0.0)) return false;
  return direction * c->u < -slow(w, c, h);
}

bool vvi_rows_hit(struct vv_step *s, double h)
{
  struct vvi_solids_step *w = s->solids;
  for (int64_t i = 0; i < w->n; i++)
    if (is_hit(w, &w->row[i], h)) return true;
  return false;
}

/* Complementarity: contacts that touch are blocked together with those that are hit. */
static bool touches(const struct vvi_solids_step *w, const vvi_solid_row *c)
{
  return c->gap <= 1e-9 * w->near->solids->size;
}

static void collect_hits(struct vv_step *s, double h)
{
  struct vvi_solids_step *w = s->solids;
  w->n_hit = 0;
  for (int64_t i = 0; i < w->n; i++)
    if (is_hit(w, &w->row[i], h)) w->hit[w->n_hit++].row = (int32_t)i;
  if (!w->block || w->n_hit == 0) return;
  w->n_hit = 0;
  for (int64_t i = 0; i < w->n; i++)
    if (is_hit(w, &w->row[i], h) || touches(w, &w->row[i])) w->hit[w->n_hit++].row = (int32_t)i;
}

/* ---- components ---- */

static int by_island(const void *x, const void *y)
{
  const vvi_hit *a = x, *b = y;
  return a->island != b->island ? (a->island > b->island) - (a->island < b->island)
                                : (a->row > b->row) - (a->row < b->row);
}

/* The component of every hit, named after the smallest of its movers; hits sorted by component, then by row. */
static void connect(struct vvi_solids_step *w)
{
  for (int32_t k = 0; k < w->n_hit; k++)
    for (int l = 0; l < w->row[w->hit[k].row].legs; l++) {
      const int32_t m = w->row[w->hit[k].row].leg[l].mover;
      w->root[m] = m;
    }
  for (int32_t k = 0; k < w->n_hit; k++) {
    const vvi_solid_row *c = &w->row[w->hit[k].row];
    for (int l = 1; l < c->legs; l++) vvi_group_join(w->root, c->leg[0].mover, c->leg[l].mover);
  }
  for (int32_t k = 0; k < w->n_hit; k++) w->hit[k].island = vvi_group_of(w->root, w->row[w->hit[k].row].leg[0].mover);
  if (w->n_hit > 1) qsort(w->hit, (size_t)w->n_hit, sizeof *w->hit, by_island);
}

/* ---- one component ---- */

typedef struct component {
  vvi_hit *hit;
  int32_t n;
} component;

/* Projected Gauss-Seidel on the working velocities. */
static void block_together(struct vvi_solids_step *w, component g, double direction)
{
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double moved = 0.0;
    for (int32_t k = 0; k < g.n; k++) {
      vvi_solid_row *c = &w->row[g.hit[k].row];
      const double u = direction * vvi_solid_row_speed(w, c), old = c->impulse;
      c->impulse = c->k > 0.0 && old > u / c->k ? old - u / c->k : 0.0;
      if (c->impulse == old) continue;
      vvi_solid_row_push(w, c, direction * (c->impulse - old));
      moved = fmax(moved, fabs(c->impulse - old) * c->k);
    }
    if (moved <= 1e-15 * w->speed || g.n == 1) break;
  }
}

static void remember(struct vvi_solids_step *w, component g)
{
  for (int32_t k = 0; k < g.n; k++) {
    vvi_solid_row *c = &w->row[g.hit[k].row];
    vvi_solid_row_finish(w, c);
    c->impulse = 0.0;
    c->u = vvi_solid_row_speed(w, c);
    for (int l = 0; l < c->legs; l++) {
      const vv_mover *m = &w->near->mover[c->leg[l].mover];
      memcpy(w->start[c->leg[l].mover], m->velocity, 3 * sizeof(double));
      memcpy(w->start[c->leg[l].mover] + 3, m->spin, 3 * sizeof(double));
    }
  }
}

/* A component with a soft contact of e = 1 settles what the bank lent:  s^2 J.A J/2 + s J.u = bank. */
static double settle_bank(struct vv_step *s, double plain, double square, double scale)
{
  double *bank = vvi_solids_bank(s), small, large;
  if (*bank == 0.0) return scale;
  if (vvi_quadratic(0.5 * square, plain, -*bank, &small, &large)) {
    *bank = 0.0;
    return large;
  }
  *bank += 0.5 * plain * plain / square;
  return -plain / square;
}

/* The factor of one component; J.u and J.A J summed over its hits in their order. */
static double scale_of(struct vv_step *s, component g, double direction)
{
  const struct vvi_solids_step *w = s->solids;
  double with_e = 0.0, plain = 0.0, square = 0.0;
  bool loses = false, lends = false;
  for (int32_t k = 0; k < g.n; k++) {
    const vvi_solid_row *c = &w->row[g.hit[k].row];
    const double u = direction * c->u;
    loses |= c->restitution < 1.0;
    lends |= c->soft && c->restitution == 1.0;
    plain += c->impulse * u;
    with_e += (1.0 + c->restitution) * c->impulse * u;
    square += c->impulse * (direction * vvi_solid_row_speed(w, c) - u);
  }
  if (!(square > 0.0) || !(plain < 0.0)) return 1.0;
  const double scale = -with_e / square;
  if (lends && !loses) return settle_bank(s, plain, square, scale);
  if (loses) vvi_sum_add(&s->ledger->posted.restitution_loss, -scale * (plain + 0.5 * scale * square));
  return scale;
}

/* Velocities of the component: those before, and `scale` times the change. */
static void stretch(struct vvi_solids_step *w, component g, double scale)
{
  for (int32_t k = 0; k < g.n; k++) {
    vvi_solid_row *c = &w->row[g.hit[k].row];
    c->impulse *= scale;
    for (int l = 0; l < c->legs; l++) {
      const int32_t i = c->leg[l].mover;
      vv_mover *m = &w->near->mover[i];
      if (w->root[i] < 0) continue; /* done: it has several hits */
      w->root[i] = -1;
      for (int d = 0; d < 3; d++) {
        m->velocity[d] = w->start[i][d] + scale * (m->velocity[d] - w->start[i][d]);
        m->spin[d] = w->start[i][3 + d] + scale * (m->spin[d] - w->start[i][3 + d]);
      }
    }
  }
}

/* ---- friction ---- */

static bool rubs(const vvi_solid_row *c)
{
  return c->friction > 0.0 && c->impulse > 0.0;
}

static void push_changes(struct vvi_solids_step *w, component g, double part)
{
  for (int32_t k = 0; k < g.n; k++) {
    const vvi_solid_row *c = &w->row[g.hit[k].row];
    const double *d = w->lever[g.hit[k].row].change, j[3] = {part * d[0], part * d[1], part * d[2]};
    if (rubs(c)) vvi_solid_row_push3(w, c, j);
  }
}

/* One round of friction: every contact says what would stop its slip, within Coulomb's disc of what this pass pressed; all of
 * that together is taken as far as the energy falls.  Nothing depends on an order.  Returns the largest change of slip.  [many 5a] */
static double rub_once(struct vvi_solids_step *w, component g)
{
  double gain = 0.0, square = 0.0, most = 0.0, a[6], u[3];
  for (int32_t k = 0; k < g.n; k++) {
    const vvi_solid_row *c = &w->row[g.hit[k].row];
    vvi_lever *e = &w->lever[g.hit[k].row];
    double new[3];
    if (!rubs(c)) continue;
    vvi_solid_row_inverse(w, c, a);
    vvi_solid_row_velocity(w, c, u);
    memcpy(new, e->slide, sizeof new);
    vvi_rub(a, c->n, u, c->friction * c->impulse, new, e->change);
    e->was = vvi_dot3(e->change, u);
    gain += e->was;
    most = fmax(most, vvi_norm3(e->change) * c->k);
  }
  if (!(gain < 0.0)) return 0.0;
  push_changes(w, g, 1.0);
  for (int32_t k = 0; k < g.n; k++) {
    const vvi_solid_row *c = &w->row[g.hit[k].row];
    const vvi_lever *e = &w->lever[g.hit[k].row];
    if (!rubs(c)) continue;
    vvi_solid_row_velocity(w, c, u);
    square += vvi_dot3(e->change, u) - e->was;
  }
  const double part = g.n > 1 && square > -gain ? -gain / square : 1.0;
  if (part < 1.0) push_changes(w, g, part - 1.0);
  for (int32_t k = 0; k < g.n; k++) {
    vvi_lever *e = &w->lever[g.hit[k].row];
    for (int i = 0; i < 3 && rubs(&w->row[g.hit[k].row]); i++) e->slide[i] += part * e->change[i];
  }
  return part * most;
}

/* Friction of one component: slide of its levers, and the velocities with it. */
static void rub(struct vvi_solids_step *w, component g)
{
  enum { ROUNDS = 20 };
  bool any = false;
  for (int32_t k = 0; k < g.n; k++) {
    const vvi_solid_row *c = &w->row[g.hit[k].row];
    vvi_lever *e = &w->lever[g.hit[k].row];
    memset(e->slide, 0, sizeof e->slide);
    if (!rubs(c)) continue;
    any = true;
    vvi_solid_row_velocity(w, c, e->before);
  }
  for (int k = 0; any && k < ROUNDS; k++)
    if (rub_once(w, g) <= 1e-14 * w->speed || g.n == 1) break;
}

/* What friction does to the state, and what it took. */
static double pull_slide(struct vv_step *s, const vvi_solid_row *c)
{
  const struct vvi_solids_step *w = s->solids;
  const vvi_lever *e = &w->lever[c - w->row];
  double after[3];
  if (!rubs(c)) return 0.0;
  vvi_solid_row_velocity(w, c, after);
  vvi_solid_row_pull(s, c, e->slide);
  const double lost = -0.5 * (vvi_dot3(e->slide, e->before) + vvi_dot3(e->slide, after));
  vvi_sum_add(&s->ledger->posted.friction_loss, lost);
  return lost;
}

static void answer(struct vv_step *s, component g, double t, double direction)
{
  struct vvi_solids_step *w = s->solids;
  for (int32_t k = 0; k < g.n; k++) {
    const vvi_solid_row *c = &w->row[g.hit[k].row];
    const double r = direction * c->impulse, j[3] = {r * c->n[0], r * c->n[1], r * c->n[2]};
    if (c->impulse > 0.0) vvi_solid_row_pull(s, c, j);
    w->lever[g.hit[k].row].taken = -0.5 * direction * c->impulse * (c->u + vvi_solid_row_speed(w, c));
  }
  rub(w, g);
  for (int32_t k = 0; k < g.n; k++) {
    const vvi_solid_row *c = &w->row[g.hit[k].row];
    const vvi_lever *e = &w->lever[g.hit[k].row];
    if (!(c->impulse > 0.0)) continue;
    const double lost = (c->restitution < 1.0 ? e->taken : 0.0) + pull_slide(s, c);
    if (c->impulse * c->k > 1e-9 * w->speed)
      vvi_solid_row_log(s, c, "bounce", t, direction * c->impulse, vvi_norm3(e->slide), lost);
  }
}

void vvi_impacts_pass(struct vv_step *s, double t, double direction)
{
  struct vvi_solids_step *w = s->solids;
  connect(w);
  component g = {.hit = w->hit};
  for (int32_t k = 0; k < w->n_hit; g.hit = w->hit + k, g.n = 0) {
    while (k < w->n_hit && w->hit[k].island == g.hit->island) k++, g.n++;
    remember(w, g);
    block_together(w, g, direction);
    stretch(w, g, scale_of(s, g, direction));
    answer(s, g, t, direction);
  }
}

/* Ever smaller bounces between bodies that lose energy have no end: what is left of them after many passes is stopped by the
 * solver of contacts at rest. */
static bool all_rest(const struct vvi_solids_step *w)
{
  for (int32_t k = 0; k < w->n_hit; k++)
    if (!w->row[w->hit[k].row].rests || w->row[w->hit[k].row].restitution == 1.0) return false;
  return true;
}

bool vvi_impacts(struct vv_step *s, double t, double h)
{
  struct vvi_solids_step *w = s->solids;
  for (int k = 0; k <= PASSES; k++) {
    collect_hits(s, h);
    if (w->n_hit == 0) return true;
    if (k == PASSES) break;
    vvi_impacts_pass(s, t, h < 0.0 ? -1.0 : 1.0);
  }
  return h > 0.0 && w->rest != NULL && all_rest(w);
}

/* ---- bodies that bend ---- */

/* What holds a soft contact apart is booked: restitution's for e < 1, lent by the bank for e = 1. */
static void hold(struct vv_step *s, vvi_solid_row *c, double t, double h, double ahead)
{
  struct vvi_solids_step *w = s->solids;
  vvi_solid_row_finish(w, c);
  if (!(c->k > 0.0)) return;
  const double r = -ahead / (fabs(h) * c->k), direction = h < 0.0 ? -1.0 : 1.0, u = vvi_solid_row_speed(w, c);
  const double j[3] = {direction * r * c->n[0], direction * r * c->n[1], direction * r * c->n[2]};
  vvi_solid_row_push(w, c, direction * r);
  vvi_solid_row_pull(s, c, j);
  const double gained = r * (direction * u + 0.5 * c->k * r);
  if (c->restitution < 1.0)
    vvi_sum_add(&s->ledger->posted.restitution_loss, -gained);
  else
    *vvi_solids_bank(s) -= gained;
  c->u = u;
  if (s->ledger->held++ == 0)
    vvi_solid_row_log(s, c, "hold", t, direction * r, 0.0, -gained); /* later ones are only counted */
}

void vvi_holds(struct vv_step *s, double t, double h)
{
  enum { ROUNDS = 100 };
  struct vvi_solids_step *w = s->solids;
  bool again = true;
  for (int k = 0; again && k < ROUNDS; k++) {
    again = false;
    for (int64_t i = 0; i < w->n; i++) {
      vvi_solid_row *c = &w->row[i];
      if (!c->soft) continue;
      const double ahead = vvi_solid_row_ahead(c, h, vvi_solid_row_speed(w, c)) + c->curl;
      if (ahead >= 0.0) continue;
      hold(s, c, t, h, ahead * (1.0 + 0.01 * k));
      again = true;
    }
  }
}
