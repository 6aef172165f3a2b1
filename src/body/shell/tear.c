/* body/shell/tear.c  Shells that tear: triangles break, and what is left around them gets a border.
 *
 * A broken triangle has no stress and meets nothing.  That alone would not part a sheet: patches reach one ring further, so both
 * sides of a row of broken triangles would still share nodes.  Hence the triangles around it are cut: at each corner a live triangle
 * knows the fan of live triangles that it is joined to by edges, and beyond the two ends of the fan stand ghosts by the border rule
 * for equal triangles, g = a + b - c across the edge ab with c the third corner [shell 10].  Ghosts are sums of nodes, so a cut
 * triangle is one with other weights on the nodes that it had.  Its reference is that of these weights at rest.  Its metric C is now
 * another one, C' = F^T C F, and the metric of the unloaded sheet goes along, P' = F^T P F: elastic strains, stresses and their
 * energy density stay as they are.                                                                              [mat 25]
 *
 * Nodes, masses and momenta stay.  Booked as damage is what is left of a change of the energy, by the area at rest, and what the
 * mean stress of the drift does by the new weights in place of the old: the kick that follows acts by these. */
#include "body/shell/shell.h"

#include "ledger/ledger.h"
#include "math/math.h"

#include <string.h>

/* ---- tables ---- */

static vv_status list_around(vvi_arena *arena, shell_cut *cut)
{
  const int n = cut->nodes;
  cut->around0 = VVI_ARENA_NEW(arena, int, n + 2), cut->around = VVI_ARENA_NEW(arena, int, 3 * (int64_t)cut->elements);
  if (cut->around0 == NULL || cut->around == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < 3 * (int64_t)cut->elements; i++) cut->around0[cut->triangle[i] + 2]++;
  for (int i = 2; i <= n + 1; i++) cut->around0[i] += cut->around0[i - 1];
  for (int64_t i = 0; i < 3 * (int64_t)cut->elements; i++)
    cut->around[cut->around0[cut->triangle[i] + 1]++] = (int)(i / 3);
  return VV_OK;
}

vv_status shell_tear_prepare(vvi_arena *arena, vv_block *b)
{
  shell_plan *plan = b->plan;
  for (int64_t i = 0; i < plan->components; i++) {
    shell_component *c = &plan->component[i];
    if (!shell_can_break(shell_of(b, c->body))) continue;
    if (c->cut->around0 == NULL) VV_TRY(list_around(arena, (shell_cut *)c->cut));
    b->breaks = true;
  }
  if (!b->breaks) return VV_OK;
  plan->where = VVI_ARENA_NEW(arena, shell_where, b->elements);
  if (plan->where == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < plan->tiles; i++)
    for (int j = 0; j < plan->tile[i].groups; j++)
      for (int lane = 0; lane < SHELL_GROUP; lane++) {
        const int e = shell_lane_element(&plan->tile[i].group[j], lane);
        if (e >= 0) plan->where[plan->tile[i].element0 + e] = (shell_where){(int32_t)i, j, lane};
      }
  return VV_OK;
}

/* ---- an element of a component ---- */

typedef struct torn {
  const vv_block *b;
  const shell_plan *plan;
  const shell_component *part;
  const shell_body *k;
  const shell_drifted *d;
  double *q;
} torn;

static const shell_tile *tile_of(const torn *w, int e)
{
  return &w->plan->tile[w->plan->where[w->part->element0 + e].tile];
}

static double *record_of(const torn *w, int e)
{
  const shell_tile *t = tile_of(w, e);
  return shell_record(w->k, t, w->part->element0 + e - t->element0, w->q);
}

static bool is_live(const torn *w, int e)
{
  return record_of(w, e)[0] != SHELL_BROKEN;
}

/* The element beside e that has the edge ab too; -1: none.  third: its other corner. */
static int across(const torn *w, int e, int a, int b, int *third)
{
  const shell_cut *cut = w->part->cut;
  for (int i = cut->around0[a]; i < cut->around0[a + 1]; i++) {
    const int *v = cut->triangle + 3 * (int64_t)cut->around[i];
    if (cut->around[i] == e || (v[0] != b && v[1] != b && v[2] != b)) continue;
    for (int k = 0; k < 3; k++)
      if (v[k] != a && v[k] != b) *third = v[k];
    return cut->around[i];
  }
  return -1;
}

/* ---- fans ---- */

/* Live triangles around corner i of e that edges join to it: neighbours from `back` (0 or less) to `ahead` (1 or more) of the ring
 * that starts at corner i + 1. */
typedef enum fan_end { FAN_BORDER, FAN_BROKEN, FAN_CLOSED } fan_end;
typedef struct fan {
  int back, ahead;
  fan_end back_end, ahead_end;
} fan;

static fan_end walk(const torn *w, int e, int a, int towards, int *steps)
{
  int at = e, node = towards, third = -1;
  for (*steps = 0; *steps < SHELL_MOST_NODES; ++*steps) {
    const int next = across(w, at, a, node, &third);
    if (next < 0) return FAN_BORDER;
    if (next == e) return FAN_CLOSED;
    if (!is_live(w, next)) return FAN_BROKEN;
    at = next, node = third;
  }
  return FAN_CLOSED;
}

static fan fan_of(const torn *w, int e, int i)
{
  const int *v = w->part->cut->triangle + 3 * (int64_t)e;
  fan f;
  int ahead, back;
  f.ahead_end = walk(w, e, v[i], v[(i + 2) % 3], &ahead);
  f.back_end = walk(w, e, v[i], v[(i + 1) % 3], &back);
  f.ahead = 1 + ahead, f.back = -back;
  return f;
}

/* ---- the patch of a cut element ---- */

/* Ghosts of a patch: a + b - c, by places in the old patch. */
enum { GHOSTS = 6, FIRST_GHOST = 1000 };
typedef struct ghosts {
  int n, a[GHOSTS], b[GHOSTS], c[GHOSTS];
} ghosts;

static int ghost_of(ghosts *g, int a, int b, int c)
{
  for (int i = 0; i < g->n; i++)
    if ((g->a[i] == a && g->b[i] == b) || (g->a[i] == b && g->b[i] == a)) return FIRST_GHOST + i;
  g->a[g->n] = a, g->b[g->n] = b, g->c[g->n] = c;
  return FIRST_GHOST + g->n++;
}

static int old_place(const shell_class *c, int i, int k)
{
  const int v = c->valence[i];
  return shell_patch_place(c->valence, i, ((k % v) + v) % v);
}

/* The new ring of corner i, from corner i + 1 on. */
static int ring_of(const shell_class *c, int i, const fan *f, ghosts *g, int *ring)
{
  int n = 0;
  if (f->ahead_end != FAN_BROKEN && f->back_end != FAN_BROKEN) {
    for (int k = 0; k < c->valence[i]; k++) ring[n++] = old_place(c, i, k);
    return n;
  }
  for (int k = 0; k <= f->ahead; k++) ring[n++] = old_place(c, i, k);
  ring[n++] = f->ahead_end == FAN_BORDER ? old_place(c, i, f->ahead + 1)
                                         : ghost_of(g, i, old_place(c, i, f->ahead), old_place(c, i, f->ahead - 1));
  ring[n++] = f->back_end == FAN_BORDER ? old_place(c, i, f->back - 1)
                                        : ghost_of(g, i, old_place(c, i, f->back), old_place(c, i, f->back + 1));
  for (int k = f->back; k < 0; k++) ring[n++] = old_place(c, i, k);
  return n;
}

/* Weights of a cut element on the nodes of its class; false: nothing around it is broken. */
static bool cut_weights(const torn *w, int e, const shell_class *c, double (*out)[SHELL_WEIGHTS])
{
  enum { RING = SHELL_CUT_NODES + 8 };
  int ring[3][RING], valence[3], corner[3] = {0, 1, 2}, list[SHELL_MOST_NODES];
  const int *rings[3] = {ring[0], ring[1], ring[2]};
  double weight[SHELL_MOST_NODES][SHELL_WEIGHTS];
  ghosts g = {0};
  bool cut = false;
  for (int i = 0; i < 3; i++) {
    const fan f = fan_of(w, e, i);
    cut |= f.ahead_end == FAN_BROKEN || f.back_end == FAN_BROKEN;
    valence[i] = ring_of(c, i, &f, &g, ring[i]);
  }
  const int n = shell_patch_size(valence);
  if (!cut || n == 0) return false;
  shell_patch_nodes(valence, rings, corner, list);
  shell_weights(valence, weight);
  memset(out, 0, sizeof *out * (size_t)c->nodes);
  for (int m = 0; m < n; m++)
    for (int k = 0; k < SHELL_WEIGHTS; k++) {
      const int at = list[m] - FIRST_GHOST;
      if (at < 0) {
        out[list[m]][k] += weight[m][k];
        continue;
      }
      out[g.a[at]][k] += weight[m][k], out[g.b[at]][k] += weight[m][k], out[g.c[at]][k] -= weight[m][k];
    }
  return true;
}

bool shell_patch_torn(const shell_body *k, const shell_tile *t, const shell_group *g, int lane, const double *q,
                      shell_patch *p)
{
  const int e = shell_lane_element(g, lane);
  if (e < 0) return false;
  const double *record = shell_record(k, t, e, q);
  if (record[0] != SHELL_CUT) return false;
  shell_patch_of(t, g, lane, p);
  p->weight = (const double(*)[SHELL_WEIGHTS])(const void *)(record + SHELL_CUT_WEIGHTS);
  memcpy(p->rest, record + SHELL_CUT_REST, sizeof p->rest);
  return true;
}

/* ---- cutting ---- */

static void patch_now(const torn *w, const shell_tile *t, const shell_group *g, int lane, shell_patch *p)
{
  if (!shell_patch_torn(w->k, t, g, lane, w->q, p)) shell_patch_of(t, g, lane, p);
}

static double contract(const double a[3], const double x[3], const double y[3])
{
  return a[0] * (x[0] - y[0]) + a[1] * (x[1] - y[1]) + 2.0 * (a[2] * (x[2] - y[2]));
}

/* Energy of a lane less half the work of its stresses in the last drift, from places x0 to x. */
static double balance_of(const torn *w, const shell_tile *t, int group, int lane, const double *x0, const double *x)
{
  shell_patch p;
  shell_element at, before;
  shell_lane look;
  patch_now(w, t, &t->group[group], lane, &p);
  shell_element_at(w->k, &p, x0, &before);
  shell_element_at(w->k, &p, x, &at);
  shell_lane_look(w->k, t, group, lane, w->q, p.rest, at.G, at.B, &look);
  return look.energy - 0.5 * (0.5 * contract(look.N, at.G, before.G) + contract(look.M, at.B, before.B));
}

/* Places of a tile before the drift, from those after it. */
static void places_before(const torn *w, const shell_tile *t, const double *x, double *x0)
{
  for (int64_t i = 0; i < t->own + t->halo; i++) {
    const int64_t node = t->node0 + shell_tile_node(t, i);
    for (int c = 0; c < 3; c++)
      x0[4 * i + c] = x[4 * i + c] - w->d->h * (w->d->minv[node] * w->d->p[c * w->b->column + node]);
    x0[4 * i + 3] = 0.0;
  }
  shell_ghosts_make(t, x0);
}

/* C = L L^T by its lower factor 11, 22, 21. */
static void root_of(const double C[3], double L[3])
{
  L[0] = sqrt(C[0]), L[2] = C[2] / L[0], L[1] = sqrt(C[1] - L[2] * L[2]);
}

/* P' = F^T P F with F^T = L' L^-1, so that C' = F^T C F. */
static void carry(const double C[3], const double P[3], const double next[3], double out[3])
{
  double L[3], N[3];
  root_of(C, L), root_of(next, N);
  const double f11 = N[0] / L[0], f22 = N[1] / L[1], f21 = (N[2] - f22 * L[2]) / L[0];
  out[0] = f11 * f11 * P[0];
  out[2] = f11 * (f21 * P[0] + f22 * P[2]);
  out[1] = f21 * f21 * P[0] + 2.0 * f21 * f22 * P[2] + f22 * f22 * P[1];
}

/* The points of a lane, from metric, curvature and reference before to those after. */
static void carry_points(const torn *w, const shell_tile *t, const shell_group *g, int lane, const shell_element *old,
                         const double *rest, const shell_element *now, const double *next_rest)
{
  double *z = (double *)shell_group_z(w->k, t, g, w->q) + (shell_lane_element(g, lane) - g->element);
  for (int i = 0; i < (int)w->k->points; i++) {
    double C[3], next[3], P[3], out[3];
    double *D = z + shell_point_column(i) * (int64_t)g->count;
    for (int c = 0; c < 3; c++) { /* what is bent at rest is no strain: C = P + X */
      C[c] = old->G[c] - w->k->level[i] * (old->B[c] - rest[3 + c]);
      next[c] = now->G[c] - w->k->level[i] * (now->B[c] - next_rest[3 + c]);
      P[c] = rest[c] + D[c * (int64_t)g->count];
    }
    carry(C, P, next, out);
    for (int c = 0; c < 3; c++) D[c * (int64_t)g->count] = out[c] - next_rest[c];
  }
}

/* A cut changes the reference of an element, not how much material it has: the seventh number, det^(-3/2) where nothing is cut, is
 * such that the area at rest, det^2 times it, stays.                                                              [mat 25] */
static void keep_area(const double old[SHELL_REFERENCE], double rest[SHELL_REFERENCE])
{
  const double ratio = (old[0] * old[1] - old[2] * old[2]) / (rest[0] * rest[1] - rest[2] * rest[2]);
  rest[6] = old[6] * (ratio * ratio);
}

/* A live element beside a broken one.  Returns what is lost. */
static double cut_element(const torn *w, int e)
{
  const shell_where *at = &w->plan->where[w->part->element0 + e];
  const shell_tile *t = tile_of(w, e);
  const shell_group *g = &t->group[at->group];
  double x[4 * SHELL_MOST_LOCAL], x0[4 * SHELL_MOST_LOCAL], weight[SHELL_MOST_NODES][SHELL_WEIGHTS];
  double *record = record_of(w, e), rest[SHELL_REFERENCE];
  shell_patch p;
  shell_element old, now;
  if (!cut_weights(w, e, &t->cls[g->cls], weight)) return 0.0;
  shell_tile_places(t, w->b->column, w->q, x);
  places_before(w, t, x, x0);
  w->q[t->z + at->group] = SHELL_TORN;
  const double before = balance_of(w, t, at->group, at->lane, x0, x);
  patch_now(w, t, g, at->lane, &p);
  shell_element_at(w->k, &p, x, &old);
  memcpy(rest, p.rest, sizeof rest);
  memcpy(record + SHELL_CUT_WEIGHTS, weight, sizeof *weight * (size_t)t->cls[g->cls].nodes);
  record[0] = SHELL_CUT;
  shell_tile_places(t, w->b->stride, shell_node(w->b, SHELL_REST), x);
  patch_now(w, t, g, at->lane, &p);
  shell_patch_rest(&p, x, record + SHELL_CUT_REST);
  keep_area(rest, record + SHELL_CUT_REST);
  shell_tile_places(t, w->b->column, w->q, x);
  patch_now(w, t, g, at->lane, &p);
  shell_element_at(w->k, &p, x, &now);
  carry_points(w, t, g, at->lane, &old, rest, &now, p.rest);
  shell_group_note(w->k, t, at->group, w->b->column, w->q);
  const double lost = before - balance_of(w, t, at->group, at->lane, x0, x);
  double *z = (double *)shell_group_z(w->k, t, g, w->q) + (shell_lane_element(g, at->lane) - g->element);
  z[SHELL_Z_LOST * (int64_t)g->count] += lost;
  return lost;
}

/* Elements whose damage is complete, in their order. */
static bool break_elements(const torn *w)
{
  const shell_cut *cut = w->part->cut;
  bool any = false;
  for (int e = 0; e < cut->elements; e++) {
    const shell_where *at = &w->plan->where[w->part->element0 + e];
    const shell_tile *t = tile_of(w, e);
    const shell_group *g = &t->group[at->group];
    if (w->q[t->z + at->group] == SHELL_VIRGIN) continue;
    const double *z = shell_group_z(w->k, t, g, w->q) + (w->part->element0 + e - t->element0 - g->element);
    double *record = record_of(w, e);
    if (z[(int64_t)shell_damage_column(w->k) * g->count] < 1.0 || record[0] == SHELL_BROKEN) continue;
    w->q[t->z + at->group] = SHELL_TORN;
    record[0] = SHELL_BROKEN, any = true;
    shell_group_note(w->k, t, at->group, w->b->column, w->q);
    record[SHELL_CUT_REST] = 1.0; /* its neighbours are to be cut */
  }
  return any;
}

static double cut_neighbours(const torn *w)
{
  const shell_cut *cut = w->part->cut;
  double lost = 0.0;
  for (int e = 0; e < cut->elements; e++) {
    double *record = record_of(w, e);
    if (record[0] != SHELL_BROKEN || record[SHELL_CUT_REST] == 0.0) continue;
    for (int i = 0; i < 3; i++) {
      const int a = cut->triangle[3 * (int64_t)e + i];
      for (int k = cut->around0[a]; k < cut->around0[a + 1]; k++)
        if (is_live(w, cut->around[k])) lost += cut_element(w, cut->around[k]);
    }
    record[SHELL_CUT_REST] = 0.0;
  }
  return lost;
}

double shell_tear(const vv_block *b, const shell_drifted *d, double *q)
{
  const shell_plan *plan = b->plan;
  double lost = 0.0;
  for (int64_t i = 0; i < plan->components; i++) {
    torn w = {.b = b, .plan = plan, .part = &plan->component[i], .d = d, .q = q};
    w.k = shell_of(b, w.part->body);
    if (!shell_can_break(w.k)) continue;
    if (break_elements(&w)) lost += cut_neighbours(&w);
  }
  return lost;
}

bool shell_is_broken(const vv_block *b, int32_t body_in_block, int64_t element, const double *q)
{
  const shell_plan *plan = b->plan;
  const shell_body *k = shell_of(b, body_in_block);
  if (!shell_can_break(k)) return false;
  const shell_tile *t = &plan->tile[plan->where[element].tile];
  return shell_record(k, t, element - t->element0, q)[0] == SHELL_BROKEN;
}

void shell_broken(const vv_block *b, const double *q, int32_t body_in_block, unsigned char *out)
{
  const vv_body *body = b->body[body_in_block];
  for (int64_t e = 0; e < body->n_element; e++) out[e] = shell_is_broken(b, body_in_block, body->element0 + e, q);
}
