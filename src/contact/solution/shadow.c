/* contact/solution/shadow.c  The velocity that belongs to the energy which kick-drift-kick keeps.
 *
 * At frozen places the shadow energy H~ is quadratic in the momenta, and its derivative is the velocity of the smooth curve
 * through the places of whole steps, found by flying there and back without contact:
 *
 *   z(p) = sum over j of c_j (x(j) - x(-j))/h,    x(j): after j steps                                           [shadow 3] */
#include "contact/solution/shadow.h"

#include "contact/pairs.h"
#include "math/math.h"
#include "model/columns.h"

#include <math.h>
#include <string.h>

/* Of the stable step: up to FINE one force each way is enough; below NONE rounding of places is more than what it brings. */
static const double FINE = 0.15, NONE = 1e-3;

/* Where impacts lose energy anyway one or two forces each way are enough, and three twentieths to spare for bodies that ring higher than
 * at rest.  Where they lose nothing errors add up for ever, as a random walk: a million impacts are a thousand errors off, and with
 * ENOUGH that is a tenth of what one of them exchanges; half of the frequency to spare. */
static const double ROOM[VVI_SHADOW_USES] = {[VVI_SHADOW_LOSSY] = 1.15, [VVI_SHADOW_EXACT] = 1.5}, ENOUGH = 1e-4;

/* Relative error of sin x - 4 (1 - cos x) sum of d_j sin(j x) against x: what d_j multiplies, and what it is to cancel. */
static double angle_terms(double x, int n, double phi[VVI_SHADOW_TRIALS])
{
  for (int j = 0; j < n; j++) phi[j] = -4.0 * (1.0 - cos(x)) * sin((j + 1) * x) / x;
  return 1.0 - sin(x) / x;
}

/* x of a x = b, a symmetric, positive and small; both are used up.  false: a is singular to rounding. */
static bool solve(int n, double a[VVI_SHADOW_TRIALS][VVI_SHADOW_TRIALS], double b[VVI_SHADOW_TRIALS])
{
  double most = 0.0;
  for (int i = 0; i < n; i++) most = fmax(most, a[i][i]);
  for (int i = 0; i < n; i++) {
    if (!(a[i][i] > 1e-15 * most)) return false;
    for (int j = i + 1; j < n; j++) {
      const double part = a[j][i] / a[i][i];
      for (int k = i; k < n; k++) a[j][k] -= part * a[i][k];
      b[j] -= part * b[i];
    }
  }
  for (int i = n - 1; i >= 0; b[i] /= a[i][i], i--)
    for (int k = i + 1; k < n; k++) b[i] -= a[i][k] * b[k];
  return true;
}

/* d_j by least squares over all angles of a step that the body has, with some room; c_j of places from d_j of forces; returns the
 * largest relative error.                                                                                     [shadow 4] */
static double fit(double ratio, double room, int n, double c[VVI_SHADOW_TRIALS + 2])
{
  enum { SAMPLES = 400 };
  const double most = 2.0 * asin(fmin(room * ratio, 1.0));
  double a[VVI_SHADOW_TRIALS][VVI_SHADOW_TRIALS] = {0}, r[VVI_SHADOW_TRIALS] = {0}, phi[VVI_SHADOW_TRIALS] = {0},
         d[VVI_SHADOW_TRIALS + 3] = {0}, worst = 0.0;
  for (int i = 1; i <= SAMPLES; i++) {
    const double y = angle_terms(most * i / SAMPLES, n, phi);
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < n; k++) a[j][k] += phi[j] * phi[k];
      r[j] += phi[j] * y;
    }
  }
  if (!solve(n, a, r)) return fit(ratio, room, n - 1, c); /* so small that fewer are as good */
  for (int j = 0; j < n; j++) d[j + 1] = r[j];
  memset(c, 0, sizeof *c * (VVI_SHADOW_TRIALS + 2));
  for (int j = 1; j <= n + 1; j++) c[j] = (j == 1 ? 0.5 : d[j - 1]) - 2.0 * d[j] + d[j + 1];
  for (int i = 1; i <= SAMPLES; i++) {
    double off = -angle_terms(most * i / SAMPLES, n, phi);
    for (int j = 0; j < n; j++) off += phi[j] * d[j + 1];
    worst = fmax(worst, fabs(off));
  }
  return worst;
}

/* Classes a quarter apart, of which few are in use; the fit has room for the twentieth. */
static const double quarter = 0.8;
static int class_of(double ratio)
{
  double class = 1.0;
  int i = 0;
  for (; i + 1 < VVI_SHADOW_CLASSES && ratio <= 1.05 * quarter * class; i++) class *= quarter;
  return i;
}

/* With one force each way, or as many as it takes. */
static void fit_for(vvi_shadow_fit *f, double class, vvi_shadow_use use)
{
  const int least = use == VVI_SHADOW_LOSSY && class > FINE ? 2 : 1,
            most = use == VVI_SHADOW_LOSSY ? least : VVI_SHADOW_TRIALS;
  for (f->trials = least;; f->trials++) {
    f->error = fit(class, ROOM[use], f->trials, f->c);
    if (f->error <= ENOUGH || f->trials == most) return;
  }
}

/* The fits of a class, made where some body has it. */
static void use(vvi_shadow *k, double ratio)
{
  const double class = pow(quarter, class_of(ratio));
  for (int i = 0; i < VVI_SHADOW_USES; i++) {
    vvi_shadow_fit *f = &k->fit[i][class_of(ratio)];
    if (f->trials > 0) continue;
    fit_for(f, class, (vvi_shadow_use)i);
    if (i > 0 && f->error > k->fit[i - 1][class_of(ratio)].error && f->error > ENOUGH)
      *f = k->fit[i - 1][class_of(ratio)]; /* long steps */
    if (f->trials > k->trials) k->trials = f->trials;
  }
}

double vvi_shadow_ratio(const vvi_shadow *k, int block, int64_t node)
{
  return k->bends[block] ? k->ratio[block][vv_body_of_node(&k->model->block[block], node)] : 0.0;
}

const vvi_shadow_fit *vvi_shadow_fit_of(const vvi_shadow *k, double ratio, vvi_shadow_use use)
{
  return &k->fit[use][class_of(ratio)];
}

/* What is far away must not change a bit here: every body has its own stable step. */
static void measure(vvi_shadow *k, const vv_block *b, double h, double *ratio)
{
  if (b->kind->stable_steps != NULL) b->kind->stable_steps(b, ratio);
  const double whole = b->kind->stable_steps == NULL ? b->kind->stable_step(b) : 0.0;
  for (int32_t j = 0; j < b->n_body; j++) {
    ratio[j] = fmin(h / (b->kind->stable_steps != NULL ? ratio[j] : whole), 1.0);
    if (ratio[j] < NONE) ratio[j] = 0.0;
    use(k, ratio[j]);
  }
}

/* Where all is linear a reflection keeps what such a step keeps. */
bool vvi_shadow_bends(const vv_model *m, int block)
{
  const vv_block *b = &m->block[block];
  return (vvi_sys_claims(m) & VV_LINEAR) == 0 && b->nodes > 0 && b->z_reals == 0 && (b->claims & VV_KEEPS_ENERGY) == 0;
}

/* Springs of massless tips are not in it. */
bool vvi_shadow_is_kept(const vv_model *m)
{
  return (vvi_sys_claims(m) & VV_LINEAR) == 0 && vvi_sys_steady(m) && !vvi_sys_dissipates(m) && m->pairs->n_soft == 0 &&
         m->joints == NULL && vv_integer(vv_sub(m->root, "method"), "halvings") == 0;
}

vv_status vvi_shadow_create(const vv_model *m, vvi_arena *arena, double h, vvi_shadow **out)
{
  bool any = false;
  unsigned char *bends = VVI_ARENA_NEW(arena, unsigned char, m->n_block);
  *out = NULL;
  if (bends == NULL) return VV_NOMEM;
  for (int i = 0; i < m->n_block; i++) bends[i] = vvi_shadow_bends(m, i), any |= bends[i] != 0;
  if (!any || h / m->stable_step < NONE) return VV_OK;
  vvi_shadow *k = VVI_ARENA_NEW(arena, vvi_shadow, 1);
  double *start = VVI_ARENA_NEW(arena, double, m->np);
  double **ratio = VVI_ARENA_NEW(arena, double *, m->n_block);
  if (k == NULL || start == NULL || ratio == NULL) return VV_NOMEM;
  *k = (vvi_shadow){.model = m, .ratio = ratio, .bends = bends, .start = start};
  for (int i = 0; i < VVI_SHADOW_FLIGHTS; i++) {
    if ((k->flight[i].q = VVI_ARENA_NEW(arena, double, m->nq + m->np)) == NULL) return VV_NOMEM;
    k->flight[i].p = k->flight[i].q + m->nq;
  }
  for (int i = 0; i < m->n_block; i++) {
    if (!bends[i]) continue;
    if ((ratio[i] = VVI_ARENA_NEW(arena, double, m->block[i].n_body + 1)) == NULL) return VV_NOMEM;
    measure(k, &m->block[i], h, ratio[i]);
  }
  *out = k;
  return VV_OK;
}

/* ---- zones ---- */

static vv_status make_zone(const vv_block *b, vvi_arena *arena, vvi_shadow_zone *z)
{
  z->mark = VVI_ARENA_NEW(arena, unsigned char, b->nodes);
  for (int i = 0; i < VVI_SHADOW_FLIGHTS; i++)
    if ((z->scratch[i] = VVI_ARENA_NEW(arena, double, b->kind->some->reals(b))) == NULL) return VV_NOMEM;
  for (int j = 0; j <= VVI_SHADOW_TRIALS; j++) {
    if ((z->node[j] = VVI_ARENA_NEW(arena, int32_t, b->nodes)) == NULL) return VV_NOMEM;
    if (j > 0 && (z->set[j] = b->kind->some->set(b, arena)) == NULL) return VV_NOMEM;
  }
  return z->mark == NULL ? VV_NOMEM : VV_OK;
}

vv_status vvi_shadow_zones(vvi_shadow *k, vvi_arena *arena)
{
  const vv_model *m = k->model;
  if ((k->zone = VVI_ARENA_NEW(arena, vvi_shadow_zone, m->n_block)) == NULL) return VV_NOMEM;
  k->arena = arena;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (k->bends[i] && b->kind->some != NULL && b->nodes <= INT32_MAX) VV_TRY(make_zone(b, arena, &k->zone[i]));
  }
  return VV_OK;
}

/* Marks are those of the largest set. */
void vvi_shadow_none(vvi_shadow *k, int trials)
{
  k->trials = trials;
  for (int i = 0; i < k->model->n_block; i++) {
    vvi_shadow_zone *z = &k->zone[i];
    for (int j = 0; j <= VVI_SHADOW_TRIALS; j++) {
      for (int64_t n = 0; n < z->n[j]; n++) z->mark[z->node[j][n]] = 0;
      z->n[j] = 0;
    }
    z->whole = false, z->n_pushed = 0;
  }
}

void vvi_shadow_want(vvi_shadow *k, int block, int64_t node)
{
  vvi_shadow_zone *z = &k->zone[block];
  if (z->mark == NULL) z->whole = true;
  if (z->mark == NULL || z->mark[node]) return;
  z->mark[node] = 1, z->node[k->trials][z->n[k->trials]++] = (int32_t)node;
}

vv_status vvi_shadow_away(vvi_shadow *k, int block)
{
  vvi_shadow_zone *z = &k->zone[block];
  if (z->mark == NULL) return VV_OK;
  z->away = true;
  return (z->pushed = VVI_ARENA_NEW(k->arena, int32_t, k->model->block[block].nodes)) != NULL ? VV_OK : VV_NOMEM;
}

void vvi_shadow_pushed(vvi_shadow *k, int block, int64_t node)
{
  vvi_shadow_zone *z = &k->zone[block];
  if (z->away) z->pushed[z->n_pushed++] = (int32_t)node;
}

/* A set begins with the one inside it.  What a flight costs are the elements about the nodes that are kicked: where these are half of
 * a block, it is better flown as a whole. */
static bool spread_to(const vv_block *b, vvi_shadow_zone *z, int j)
{
  memcpy(z->node[j], z->node[j + 1], sizeof *z->node[j] * (size_t)z->n[j + 1]);
  const int64_t more =
      b->kind->some->around(b, z->n[j + 1], z->node[j + 1], z->set[j + 1], z->mark, z->node[j] + z->n[j + 1]);
  z->n[j] = z->n[j + 1] + (more > 0 ? more : 0);
  return more >= 0 && 2 * z->n[j + 1] <= b->nodes;
}

void vvi_shadow_spread(vvi_shadow *k)
{
  for (int i = 0; i < k->model->n_block; i++) {
    vvi_shadow_zone *z = &k->zone[i];
    for (int j = k->trials - 1; j >= 0 && z->n[k->trials] > 0 && !z->whole && !z->away; j--)
      z->whole = !spread_to(&k->model->block[i], z, j);
  }
}

static bool flies(const vvi_shadow *k, int block)
{
  return k->bends[block] && (k->zone == NULL || k->zone[block].whole || k->zone[block].n[0] > 0);
}

static bool flies_whole(const vvi_shadow *k, int block)
{
  return k->zone == NULL || k->zone[block].whole;
}

/* Of a block that flies: all of it, or the nodes of its largest set. */
static void copy(const vvi_shadow *k, int block, vvi_columns which, const double *from, double *to)
{
  const vvi_shadow_zone *z = flies_whole(k, block) ? NULL : &k->zone[block];
  vvi_nodes_copy(&k->model->block[block], which, z != NULL ? z->n[0] : 0, z != NULL ? z->node[0] : NULL, from, to);
}

/* ---- flights ---- */

/* Step j = 1, 2, ... of a block: the kick, of half a step first, and the drift. */
static void fly_whole(const vvi_shadow *k, const vv_block *b, const vvi_shadow_flight *from, double h, int j)
{
  double *q = k->flight[0].q + b->q0, *p = k->flight[0].p + b->p0;
  if (j == 1)
    vvi_nodes_axpy(b, 0, NULL, 0.5 * h, from->f, k->flight[0].p);
  else
    b->kind->kick(b, from->t, h, q, p);
  b->kind->drift(b, h, q, p);
}

/* The same of the nodes of a zone, for several flights. */
static void fly_zone(const vvi_shadow *k, int block, const vvi_shadow_flight *from, int flights, double h, int j)
{
  const vv_block *b = &k->model->block[block];
  const vvi_shadow_zone *z = &k->zone[block];
  double *q[VVI_SHADOW_FLIGHTS], *p[VVI_SHADOW_FLIGHTS];
  for (int i = 0; i < flights; i++) q[i] = k->flight[i].q + b->q0, p[i] = k->flight[i].p + b->p0;
  if (j == 1)
    b->kind->some->set_out(b, 0.5 * h, h, z->n[0], z->node[0], from->q + b->q0, from->f + b->p0, flights, q, p);
  else
    b->kind->some->kick(b, h, h, z->n[j - 1], z->node[j - 1], z->set[j - 1], flights, z->scratch, q, p);
}

/* ---- flights somewhere else ---- */

static bool flies_away(const vvi_shadow *k, int block)
{
  return k->zone != NULL && k->zone[block].away && k->zone[block].n[k->trials] > 0;
}

static bool fit_away(const vvi_shadow *k, vvi_shadow_zone *z)
{
  enum { REALS = VVI_SHADOW_FLIGHTS * 3, DRIFTS = 2 * (VVI_SHADOW_TRIALS + 1) };
  const int64_t need = z->n[k->trials] > z->n_pushed ? z->n[k->trials] : z->n_pushed, room = 2 * need;
  if (need <= z->room) return true;
  z->begun = VVI_ARENA_NEW(k->arena, double, REALS *room),
  z->landed = VVI_ARENA_NEW(k->arena, double, REALS *DRIFTS *room);
  z->room = z->begun != NULL && z->landed != NULL ? room : 0;
  return z->room > 0;
}

/* All flights of a block, both ways: momenta that they begin with go there, places come back. */
static void fly_block_away(const vvi_shadow *k, int block, const vvi_shadow_flight *from, int flights,
                           void *const user[])
{
  const vv_block *b = &k->model->block[block];
  const vvi_shadow_zone *z = &k->zone[block];
  for (int n = 0; n < flights; n++) {
    vvi_nodes_copy(b, VVI_MOMENTA, z->n_pushed, z->pushed, from->p, k->flight[0].p);
    if (from->begin != NULL) from->begin(user[n], k->flight[0].p);
    for (int64_t i = 0; i < z->n_pushed; i++) {
      double at[VVI_NODE_P];
      vvi_node_momenta(b, z->pushed[i], k->flight[0].p, at);
      for (int c = 0; c < 3; c++) z->begun[(3 * n + c) * z->n_pushed + i] = at[c];
    }
  }
  k->fly(k->user, block,
         &(vv_device_flights){.flights = flights,
                              .kicks = k->trials,
                              .h = from->h,
                              .n = z->n[k->trials],
                              .pushed = z->n_pushed,
                              .node = z->node[k->trials],
                              .pushed_node = z->pushed,
                              .p = z->begun,
                              .q = z->landed});
}

/* Its places after step j of flight n of so many. */
static void land(const vvi_shadow *k, int block, int way, int j, int n, int flights, double *q)
{
  const vv_block *b = &k->model->block[block];
  const vvi_shadow_zone *z = &k->zone[block];
  const int64_t nodes = z->n[k->trials];
  const double *from = z->landed + 3 * nodes * ((way * (k->trials + 1) + j - 1) * flights + n);
  for (int64_t i = 0; i < nodes; i++) {
    const double x[3] = {from[i], from[nodes + i], from[2 * nodes + i]};
    vvi_place_put(b, z->node[k->trials][i], x, q + b->q0);
  }
}

/* ---- one way, and the other ---- */

/* Flights first, first + 1, ... of `all`, that begin with other momenta alone. */
static void one_way(const vvi_shadow *k, const vvi_shadow_flight *from, int first, int flights, int all, double h,
                    vvi_shadow_fn *fn, void *const user[])
{
  const vv_model *m = k->model;
  for (int n = 0; n < flights; n++) {
    for (int i = 0; i < m->n_block; i++) {
      if (k->zone != NULL && !flies(k, i)) continue;
      if (flies_whole(k, i)) copy(k, i, VVI_PLACES, from->q, k->flight[n].q);
      copy(k, i, VVI_MOMENTA, from->p, k->flight[n].p);
    }
    if (from->begin != NULL) from->begin(user[first + n], k->flight[n].p);
  }
  for (int j = 1; j <= k->trials + 1; j++) {
    for (int i = 0; i < m->n_block; i++)
      if (flies(k, i) && flies_whole(k, i))
        fly_whole(k, &m->block[i], from, h, j);
      else if (flies(k, i))
        fly_zone(k, i, from, flights, h, j);
    for (int n = 0; n < flights; n++) {
      for (int i = 0; i < m->n_block; i++)
        if (flies_away(k, i)) land(k, i, h != from->h, j, first + n, all, k->flight[n].q);
      fn(user[first + n], j, h, k->flight[n].q, k->flight[n].p);
    }
  }
}

/* What is flown whole takes as long side by side, and more memory. */
bool vvi_shadow_fly(const vvi_shadow *k, const vvi_shadow_flight *from, int n, vvi_shadow_fn *fn, void *const user[])
{
  for (int i = 0; i < k->model->n_block; i++) {
    if (!flies_away(k, i)) continue;
    if (!fit_away(k, &k->zone[i])) return false;
    fly_block_away(k, i, from, n, user);
  }
  bool zones = n <= VVI_SHADOW_FLIGHTS;
  for (int i = 0; i < k->model->n_block; i++) zones = zones && !(flies(k, i) && flies_whole(k, i));
  const int together = zones ? n : 1;
  for (int i = 0; i < n; i += together) {
    one_way(k, from, i, together, n, from->h, fn, user);
    one_way(k, from, i, together, n, -from->h, fn, user);
  }
  return true;
}
