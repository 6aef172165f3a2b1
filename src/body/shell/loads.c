/* body/shell/loads.c  What acts on a shell from outside: point loads, pressure, supports; and its booking.
 *
 * Loads act on the surface: on the polyhedron of the limits y_i = sum_l S_il x_l of the nodes.  A point load acts on one of
 * them.  Pressure P gives every corner of a triangle a third of its area vector times P,
 *
 *   F_i = P/6 sum over triangles ijk of (y_j - y_i) x (y_k - y_i) = P dV/dy_i on a closed surface             [shell 16]
 *
 * and the nodes get f_l = sum_i S_il F_i.  V does not change when the body is moved or turned, so a closed shell feels
 * neither a force nor a moment as a whole, to rounding. */
#include "body/shell/shell.h"

#include "ledger/ledger.h"
#include "math/math.h"

#include <string.h>

enum { LOAD_COMPONENT = 3 }; /* place in vv_load.value: which component */

/* ---- words ---- */

static int count(const vv_group *g, const char *list)
{
  return vv_has(g, list) ? vv_count(g, list) : 0;
}

int32_t shell_loads_count(const vv_group *g)
{
  return count(g, "loads") + count(g, "pressure");
}

vv_status shell_loads_check(const vv_group *g)
{
  static const char *const list[2] = {"loads", "pressure"};
  vv_status status = VV_OK;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < count(g, list[k]); i++)
      if (vvi_history_check(vv_item(g, list[k], i), "history") != VV_OK) status = VV_SCENE;
  return status;
}

/* The node of a component whose place at rest is nearest to a point of the mesh. */
static int64_t nearest(const vv_block *b, const shell_component *part, const double at[3])
{
  const double *rest = shell_node(b, SHELL_REST);
  int64_t best = part->node0;
  double least = INFINITY;
  for (int64_t i = part->node0; i < part->node0 + part->cut->nodes; i++) {
    double d = 0.0;
    for (int c = 0; c < 3; c++) d += (rest[c * b->stride + i] - at[c]) * (rest[c * b->stride + i] - at[c]);
    if (d < least) best = i, least = d;
  }
  return best;
}

static vv_status fill_point(const vv_group *l, vv_fill *f, const shell_placement *place, int64_t component,
                            vv_load *out)
{
  const vv_block *b = f->block;
  const shell_component *part = &shell_plan_of(b)->component[component];
  double at[3];
  int n;
  for (int c = 0; c < 3; c++) at[c] = vvi_dot3(place->turn + 3 * c, vv_numbers(l, "at", &n)) + place->centre[c];
  *out = (vv_load){
      .body = f->body_in_block, .node = (int32_t)nearest(b, part, at), .history = vvi_history_from(l, "history")};
  memcpy(out->value, vv_numbers(l, "force", &n), 3 * sizeof(double));
  out->value[LOAD_COMPONENT] = (double)component;
  if (shell_node(b, SHELL_INVERSE_MASS)[out->node] > 0.0) return VV_OK;
  return vv_complain(l, "at", "the nearest node is held by its border: a force there does nothing");
}

vv_status shell_loads_fill(const vv_group *g, vv_fill *f, int copies, int64_t first_component)
{
  int32_t at = f->body->load0;
  for (int copy = 0; copy < copies; copy++) {
    const shell_placement place = shell_place(g, copy);
    const int64_t component = first_component + copy;
    for (int i = 0; i < count(g, "loads"); i++)
      VV_TRY(fill_point(vv_item(g, "loads", i), f, &place, component, &f->block->load[at++]));
    for (int i = 0; i < count(g, "pressure"); i++) {
      const vv_group *l = vv_item(g, "pressure", i);
      f->block->load[at++] = (vv_load){.body = f->body_in_block,
                                       .node = -1,
                                       .follower = true,
                                       .value = {vv_number(l, "value"), 0, 0, (double)component},
                                       .history = vvi_history_from(l, "history")};
    }
  }
  return VV_OK;
}

/* ---- forces on the limits of the nodes ---- */

static void add_pressure(const vv_block *b, const shell_component *part, double P, const double *q, const double *y,
                         double *F)
{
  for (int64_t e = part->element0; e < part->element0 + part->cut->elements; e++) {
    const int32_t *v = b->element_node + SHELL_CORNERS * e;
    double a[3], d[3], area[3];
    if (shell_is_broken(b, part->body, e, q)) continue;
    for (int c = 0; c < 3; c++) a[c] = y[3 * v[1] + c] - y[3 * v[0] + c], d[c] = y[3 * v[2] + c] - y[3 * v[0] + c];
    vvi_cross3(a, d, area);
    for (int i = 0; i < 3; i++)
      for (int c = 0; c < 3; c++) F[3 * v[i] + c] += P / 6.0 * area[c];
  }
}

/* F[nodes][3] of all loads at time t; y: room for as much. */
static void load_forces(const vv_block *b, double t, const double *q, double *y, double *F)
{
  const shell_plan *plan = b->plan;
  bool pressed = false;
  memset(F, 0, sizeof *F * 3 * (size_t)b->nodes);
  for (int32_t i = 0; i < b->n_load; i++) pressed = pressed || b->load[i].node < 0;
  if (pressed) shell_limits(b, q, y);
  for (int32_t i = 0; i < b->n_load; i++) {
    const vv_load *l = &b->load[i];
    const double size = vv_history_at(&l->history, t);
    if (l->node < 0)
      add_pressure(b, &plan->component[(int64_t)l->value[LOAD_COMPONENT]], size * l->value[0], q, y, F);
    else
      for (int c = 0; c < 3; c++) F[3 * (int64_t)l->node + c] += size * l->value[c];
  }
}

/* Calls `give` with every force on a node that can move: f = S^T F. */
typedef void give_fn(void *user, const vv_block *b, int64_t node, const double force[3]);
static void give_to_nodes(const vv_block *b, const double *F, give_fn *give, void *user)
{
  const shell_plan *plan = b->plan;
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  for (int64_t j = 0; j < plan->components; j++) {
    const shell_component *part = &plan->component[j];
    const shell_limit *l = &part->cut->limit;
    for (int64_t i = 0; i < part->cut->nodes; i++) {
      const double *on = F + 3 * (part->node0 + i);
      if (on[0] == 0.0 && on[1] == 0.0 && on[2] == 0.0) continue;
      for (int32_t k = l->first[i]; k < l->first[i + 1]; k++) {
        const int64_t node = part->node0 + l->node[k];
        const double w = l->weight[k], f[3] = {w * on[0], w * on[1], w * on[2]};
        if (minv[node] > 0.0) give(user, b, node, f);
      }
    }
  }
}

typedef struct kicked {
  double h, *p;
} kicked;

static void kick_node(void *user, const vv_block *b, int64_t node, const double force[3])
{
  const kicked *w = user;
  for (int c = 0; c < 3; c++) w->p[c * b->column + node] += w->h * force[c];
}

void shell_kick_loads(const vv_block *b, double t, double h, const double *q, double *p)
{
  const shell_plan *plan = b->plan;
  bool mine;
  double *scratch = shell_scratch(b, &mine), *y = scratch + 4 * plan->slots, *F = y + 3 * b->nodes;
  kicked w = {.h = h, .p = p};
  shell_fetch_nodes(b, q, NULL); /* every rank has all loads */
  load_forces(b, t, q, y, F);
  give_to_nodes(b, F, kick_node, &w);
  shell_scratch_done(b, scratch, mine);
}

/* ---- booking ---- */

/* What came from outside in one kick. */
typedef struct booked {
  double h, work, impulse[3], moment[3], impulse_abs, moment_abs;
  const double *q, *p;
} booked;

static void book_node(void *user, const vv_block *b, int64_t node, const double force[3])
{
  booked *w = user;
  double x[3], P[3], arm[3];
  for (int c = 0; c < 3; c++) x[c] = w->q[c * b->column + node], P[c] = w->p[c * b->column + node];
  vvi_cross3(x, force, arm);
  w->work += w->h * shell_node(b, SHELL_INVERSE_MASS)[node] * vvi_dot3(force, P);
  for (int c = 0; c < 3; c++) w->impulse[c] += w->h * force[c], w->moment[c] += w->h * arm[c];
  w->impulse_abs += fabs(w->h) * vvi_norm3(force);
  w->moment_abs += fabs(w->h) * vvi_norm3(x) * vvi_norm3(force);
}

static void book(const booked *w, bool works, vv_posted *post)
{
  if (works) vvi_sum_add(&post->external_work, w->work);
  for (int c = 0; c < 3; c++) {
    vvi_sum_add(&post->impulse[c], w->impulse[c]);
    vvi_sum_add(&post->moment[c], w->moment[c]);
  }
  post->impulse_abs += w->impulse_abs;
  post->moment_abs += w->moment_abs;
}

/* Nodes that a tile owns: forces of gravity, or, where slot is given, inner ones. */
static void book_tile(const vv_block *b, const shell_tile *t, const double *slot, booked *w)
{
  const double *m = shell_node(b, SHELL_MASS), *minv = shell_node(b, SHELL_INVERSE_MASS), *g = b->gravity;
  const double *grad = slot != NULL ? slot + 4 * (t->slot0 + t->slot) : NULL;
  for (int k = 0; k < t->own; k++) {
    const int64_t i = t->node0 + t->own0 + k;
    double f[3];
    for (int c = 0; c < 3; c++) f[c] = grad != NULL ? -grad[4 * k + c] : m[i] * g[c];
    if (minv[i] > 0.0) book_node(w, b, i, f);
  }
}

/* Work is left out: that of gravity is in the potential, and what does not move takes none. */
static void book_tiles(const vv_block *b, double h, const double *q, const double *p, const double *slot, double *part,
                       vv_posted *post)
{
  enum { SUMS = 8 };
  const shell_plan *plan = b->plan;
  for (int64_t j = 0; j < shell_tiles_here(plan); j++) {
    const int64_t i = shell_tile_here(plan, j);
    booked w = {.h = h, .q = q, .p = p};
    book_tile(b, &plan->tile[i], slot, &w);
    const double all[SUMS] = {w.impulse[0], w.impulse[1], w.impulse[2],  w.moment[0],
                              w.moment[1],  w.moment[2],  w.impulse_abs, w.moment_abs};
    memcpy(part + SHELL_SUMS * i, all, sizeof all);
  }
  double sum[SUMS];
  shell_sum_tiles(b, SUMS, part, sum);
  const booked all = {.impulse = {sum[0], sum[1], sum[2]},
                      .moment = {sum[3], sum[4], sum[5]},
                      .impulse_abs = sum[6],
                      .moment_abs = sum[7]};
  book(&all, false, post);
}

/* Work of a load in a kick of length h beside a drift with momentum p: h F.v.                                 [ledger 3] */
void shell_post(const vv_block *b, double t, double h, const double *q, const double *p, vv_posted *post)
{
  const shell_plan *plan = b->plan;
  bool mine;
  double *scratch = shell_scratch(b, &mine);
  if (vvi_norm3(b->gravity) > 0.0) book_tiles(b, h, q, p, NULL, shell_parts(b, scratch), post);
  if (plan->held > 0) { /* inner forces add up to nothing but for what borders take: their sum is the reaction */
    shell_gradient(b, q, scratch);
    book_tiles(b, h, q, p, scratch, shell_parts(b, scratch), post);
  }
  if (b->n_load > 0) {
    double *y = scratch + 4 * plan->slots, *F = y + 3 * b->nodes;
    booked w = {.h = h, .q = q, .p = p};
    shell_fetch_nodes(b, q, p);
    load_forces(b, t, q, y, F);
    give_to_nodes(b, F, book_node, &w);
    book(&w, true, post);
  }
  shell_scratch_done(b, scratch, mine);
}
