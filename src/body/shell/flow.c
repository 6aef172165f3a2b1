/* body/shell/flow.c  Shells whose material flows or damps, as a whole; the formulas are in points.h.
 *
 * A flow follows a drift.  Where the next thing that happens is a force it is taken in the same pass (sweep.c): nodes are gathered
 * once, and the stress after the flow is at hand. */
#include "body/shell/lanes.h"

#include "ledger/ledger.h"
#include "visviva/net.h"

#include <string.h>

/* ---- between the state and eight lanes ---- */

/* Place of a lane in the columns of its group; -1: the lane is empty. */
static int place_of(const shell_group *g, int lane)
{
  const int e = shell_lane_element(g, lane);
  return e < 0 ? -1 : e - g->element;
}

/* Lanes of the first half that are elements, from the first one on; those of the second half follow them in the columns. */
static int first_half(const shell_group *g)
{
  return g->pair ? g->count / 2 : g->count < SHELL_HALF ? g->count : SHELL_HALF;
}

const double *shell_columns(const shell_body *k, const shell_group *g, const double *z, double *room)
{
  const int one = first_half(g), two = g->count - one;
  if (g->count == SHELL_GROUP) return z;
  for (int c = 0; c < (int)k->lane_columns; c++, room += SHELL_GROUP, z += g->count) {
    for (int l = 0; l < SHELL_HALF; l++) room[l] = l < one ? z[l] : 0.0;
    for (int l = 0; l < SHELL_HALF; l++) room[SHELL_HALF + l] = l < two ? z[one + l] : 0.0;
  }
  return room - SHELL_GROUP * (int64_t)k->lane_columns;
}

void shell_columns_back(const shell_body *k, const shell_group *g, const double *room, double *z)
{
  const int one = first_half(g), two = g->count - one;
  for (int c = 0; c < (int)k->lane_columns; c++, room += SHELL_GROUP, z += g->count) {
    for (int l = 0; l < one; l++) z[l] = room[l];
    for (int l = 0; l < two; l++) z[one + l] = room[SHELL_HALF + l];
  }
}

/* By the operations of a flow: one that begins with h = 0, as where a run is resumed, finds the same bits. */
void shell_group_note(const shell_body *k, const shell_tile *t, int group, int64_t column, double *q)
{
  const shell_group *g = &t->group[group];
  _Alignas(64) double x[4 * SHELL_MOST_LOCAL];
  double *z = (double *)shell_group_z(k, t, g, q), rest[SHELL_REFERENCE * SHELL_GROUP];
  four f[2];
  gather_nodes(TWO, t, column, q, x);
  gather_group(TWO, t, g, x, f);
  torn_in(k, t, g, q, x, f, rest);
  for (int half = 0; half < 2; half++) {
    lanes G[3], B[3], n[3], inverse;
    measure_lanes(f[half].sum[0], f[half].sum[1], f[half].sum[2], f[half].sum[3], f[half].sum[4], G, B, n, &inverse);
    for (int l = 0; l < WIDTH; l++) {
      const int at = place_of(g, WIDTH * half + l);
      for (int c = 0; at >= 0 && c < 3; c++)
        z[(SHELL_Z_METRIC + c) * g->count + at] = G[c][l], z[(SHELL_Z_CURVATURE + c) * g->count + at] = B[c][l];
    }
  }
}

/* ---- the whole block ---- */

/* Plastic, viscous, damage. */
static void add_losses(const double all[SHELL_LOSSES], vv_posted *post)
{
  if (all[0] != 0.0) vvi_sum_add(&post->plastic_work, all[0]);
  if (all[1] != 0.0) vvi_sum_add(&post->viscous_loss, all[1]);
  if (all[2] != 0.0) vvi_sum_add(&post->damage_loss, all[2]);
}

/* What cuts take belongs to damage.  Where it is below zero, half of the work of this step acts by the new weights, and was booked
 * too high: beyond what damage has taken in this step it comes off the plastic work, as far as there was any; and what is left of it
 * then is lent, until damage takes it back.                                                                     [mat 25] */
static void book_cuts(double cut, double all[SHELL_LOSSES], vv_posted *post)
{
  const double over = fmax(fmin(0.0, all[2] + cut), -fmax(0.0, all[0]));
  all[2] += cut - over, all[0] += over;
  const double back = fmin(all[2], post->cuts);
  all[2] -= back, post->cuts -= back;
}

void shell_flow(const vv_block *b, double h, double *q, const double *p, vv_posted *post)
{
  const shell_plan *plan = b->plan;
  const shell_drifted d = {.h = h, .p = p, .minv = shell_node(b, SHELL_INVERSE_MASS)};
  const int64_t n = shell_tiles_here(plan);
  bool mine;
  double *slot = shell_scratch(b, &mine), *loss = shell_parts(b, slot);
  shell_fetch_halo(b, q, p);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (n >= SHELL_SHARED_FROM)
  for (int64_t j = 0; j < n; j++) {
    const int64_t i = shell_tile_here(plan, j);
    const shell_tile *t = &plan->tile[i];
    const shell_body *k = shell_of(b, t->body);
    memset(loss + SHELL_SUMS * i, 0, sizeof(double) * SHELL_LOSSES);
    if (k->columns > 0.0) plan->flow(k, t, shell_next_tile(plan, i), b->column, &d, q, NULL, loss + SHELL_SUMS * i);
  }
  double all[SHELL_LOSSES] = {0};
  if (post != NULL) shell_sum_tiles(b, SHELL_LOSSES, loss, all);
  shell_scratch_done(b, slot, mine);
  if (post == NULL) return;
  if (plan->where != NULL) book_cuts(shell_tear(b, &d, q), all, post);
  add_losses(all, post);
}

void shell_losses_post(const vv_block *b, const double *loss, vv_posted *post)
{
  double all[SHELL_LOSSES];
  if (post == NULL) return;
  shell_sum_tiles(b, SHELL_LOSSES, loss, all);
  add_losses(all, post);
}

/* Momenta fade: what the medium takes is external.                                                             [mat 11] */
static void fade(const vv_block *b, const shell_tile *t, double keep, const double *q, double *p,
                 double sum[SHELL_FADED])
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  for (int64_t i = t->node0 + t->own0; i < t->node0 + t->own0 + t->own; i++) {
    double x[3], j[3], turn[3];
    for (int c = 0; c < 3; c++) {
      double *at = p + c * b->column + i;
      const double before = *at;
      *at *= keep;
      x[c] = q[c * b->column + i], j[c] = *at - before;
      sum[0] += 0.5 * minv[i] * (before - *at) * (before + *at);
      sum[1 + c] += j[c];
    }
    vvi_cross3(x, j, turn);
    for (int c = 0; c < 3; c++) sum[4 + c] += turn[c];
    sum[7] += vvi_norm3(j), sum[8] += vvi_norm3(turn);
  }
}

void shell_viscous(const vv_block *b, double h, const double *q, double *p, vv_posted *post)
{
  const shell_plan *plan = b->plan;
  bool mine;
  double *scratch = shell_scratch(b, &mine), *part = shell_parts(b, scratch), all[SHELL_FADED];
  for (int64_t j = 0; j < shell_tiles_here(plan); j++) {
    const int64_t i = shell_tile_here(plan, j);
    const double rate = shell_of(b, plan->tile[i].body)->damping.mass;
    memset(part + SHELL_SUMS * i, 0, SHELL_FADED * sizeof *part);
    if (rate > 0.0) fade(b, &plan->tile[i], exp(-rate * h), q, p, part + SHELL_SUMS * i);
  }
  shell_sum_tiles(b, SHELL_FADED, part, all);
  shell_scratch_done(b, scratch, mine);
  shell_faded(all, post);
}

void shell_faded(const double sum[SHELL_FADED], vv_posted *post)
{
  vvi_sum_add(&post->viscous_loss, sum[0]);
  for (int c = 0; c < 3; c++) vvi_sum_add(&post->impulse[c], sum[1 + c]), vvi_sum_add(&post->moment[c], sum[4 + c]);
  post->impulse_abs += sum[7], post->moment_abs += sum[8];
}

/* ---- the step ---- */

/* Square of the least height of a triangle with the metric g, in the units of the tables. */
static double height_of(double g11, double g22, double g12)
{
  const double longest = fmax(fmax(g11, g22), g11 + g22 - 2.0 * g12);
  return (g11 * g22 - g12 * g12) / longest / (SHELL_A * SHELL_A);
}

/* How fast a triangle of height t^2 rings, but for a factor: waves in the plane, and bending beside them.     [mat 22] */
static double ring_of(const shell_body *k, double t2)
{
  return (1.0 + VV_PI * VV_PI / 12.0 * k->thickness * k->thickness / t2) / t2;
}

/* The same where it has flowed: each layer is as stiff as the metric P of its unloaded sheet makes it.  z: columns of the group. */
static double ring_of_layers(const shell_body *k, double t2, const double *rest, const double *z, int lane)
{
  double sum = 0.0;
  for (int i = 0; i < (int)k->points; i++) {
    const double *D = z + (int64_t)SHELL_GROUP * shell_point_column(i) + lane, *r = rest + lane;
    const double x = VV_PI * k->level[i] * SHELL_D / (2.0 * SHELL_A * SHELL_A); /* pi times the lever */
    const double own = height_of(r[0] + D[0], r[SHELL_GROUP] + D[SHELL_GROUP], r[2 * SHELL_GROUP] + D[2 * SHELL_GROUP]);
    sum += k->weight[i] * (t2 + x * x) / (own * own);
  }
  return sum;
}

/* The fastest of all ranks, and the first element that is. */
static void agree_on_fastest(const vv_net *net, double *rest, double *now, int64_t *element)
{
  const double mine = *now;
  double most[2] = {-*rest, -*now}, first = INFINITY;
  net->least(net, 2, most);
  *rest = -most[0], *now = -most[1];
  if (mine == *now) first = (double)*element;
  net->least(net, 1, &first);
  *element = isfinite(first) ? (int64_t)first : 0;
}

/* Largest of a tile, now and at rest. */
static void tile_left(const vv_block *b, const shell_tile *t, const double *q, double *rest, double *now,
                      int64_t *element)
{
  const shell_body *k = shell_of(b, t->body);
  _Alignas(64) double x[4 * SHELL_MOST_LOCAL];
  gather_nodes(TWO, t, b->column, q, x);
  for (int i = 0; i < t->groups; i++) {
    const shell_group *g = &t->group[i];
    const double *r = g->rest, *layers = NULL;
    double room[SHELL_Z_MOST * SHELL_GROUP];
    four f[2];
    gather_group(TWO, t, g, x, f);
    if (k->points > 0.0 && shell_group_flowed(t, i, q) && q[t->z + i] != SHELL_TORN)
      layers = shell_columns(k, g, shell_group_z(k, t, g, q), room);
    for (int l = 0; l < SHELL_GROUP; l++) {
      const int at = place_of(g, l);
      double A1[3], A2[3];
      if (at < 0 || (shell_can_break(k) && shell_record(k, t, g->element + at, q)[0] == SHELL_BROKEN)) continue;
      for (int c = 0; c < 3; c++) A1[c] = f[l / WIDTH].sum[0][c][l % WIDTH], A2[c] = f[l / WIDTH].sum[1][c][l % WIDTH];
      const double t2 = height_of(vvi_dot3(A1, A1), vvi_dot3(A2, A2), vvi_dot3(A1, A2));
      const double fast = layers != NULL ? ring_of_layers(k, t2, r, layers, l) : ring_of(k, t2);
      *rest = fmax(*rest, ring_of(k, height_of(r[l], r[SHELL_GROUP + l], r[2 * SHELL_GROUP + l])));
      if (!(fast <= *now)) *now = fast, *element = t->element0 + g->element + at;
    }
  }
}

/* Shells without internal variables are not watched. */
double shell_step_left(const vv_block *b, const double *q, int64_t *element)
{
  const shell_plan *plan = b->plan;
  double rest = 0.0, now = 0.0;
  *element = 0;
  if (b->z_reals > 0) shell_fetch_places(b, q);
  for (int64_t i = 0; b->z_reals > 0 && i < shell_tiles_here(plan); i++) {
    const shell_tile *t = &plan->tile[shell_tile_here(plan, i)];
    if (shell_of(b, t->body)->columns > 0.0) tile_left(b, t, q, &rest, &now, element);
  }
  if (plan->share != NULL) agree_on_fastest(plan->share->net, &rest, &now, element);
  return now > 0.0 ? sqrt(rest / now) : 1.0;
}

/* ---- what is shown ---- */

/* Largest alpha, and the largest equivalent stress squared of the points. */
static void look_points(const shell_body *k, int lane, const pair rest[7], const pair G[3], const pair B[3],
                        const double *z, shell_lane *out)
{
  shell_body stress = *k;
  stress.plastic.kinematic = 0.0; /* the stress itself, not what it is above the back stress */
  points_pair p;
  pair E[3], K[3];
  strains_pair(rest, G, B, E, K);
  points_measure_pair(k, rest, E, K, z, &p);
  for (int i = 0; i < (int)k->points; i++) {
    pair one, two;
    point_parts_pair(&stress, &p, i, rest, z, &one, &two);
    out->mises = fmax(out->mises, one[lane] + two[lane]);
    out->alpha = fmax(out->alpha, z[SHELL_GROUP * shell_alpha_column(k, i) + lane]);
  }
}

void shell_lane_look(const shell_body *k, const shell_tile *t, int group, int lane, const double *q,
                     const double reference[SHELL_REFERENCE], const double G[3], const double B[3], shell_lane *out)
{
  const shell_group *g = &t->group[group];
  const int from = lane / 2 * 2, in = lane % 2;
  double room[SHELL_Z_MOST * SHELL_GROUP];
  const double *z = shell_columns(k, g, shell_group_z(k, t, g, q), room) + from;
  pair rest[SHELL_REFERENCE], metric[3], curve[3], N[3], M[3], energy;
  for (int c = 0; c < SHELL_REFERENCE; c++) rest[c] = (pair){reference[c], reference[c]};
  for (int c = 0; c < 3; c++) metric[c] = (pair){G[c], G[c]}, curve[c] = (pair){B[c], B[c]};
  sheet_stress_pair(k, k->points > 0.0 && shell_group_flowed(t, group, q), rest, metric, curve, z, N, M, &energy);
  *out = (shell_lane){.energy = energy[in], .lost = z[(int64_t)SHELL_GROUP * SHELL_Z_LOST + in]};
  for (int c = 0; c < 3; c++) out->N[c] = N[c][in], out->M[c] = M[c][in];
  look_points(k, in, rest, metric, curve, z, out);
  if (shell_can_break(k)) out->damage = z[(int64_t)SHELL_GROUP * shell_damage_column(k) + in];
  out->mises = (1.0 - out->damage) * sqrt(out->mises);
}
