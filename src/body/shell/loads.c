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
  if (pressed) shell_limits(b, false, q, y);
  for (int32_t i = 0; i < b->n_load; i++) {
    const vv_load *l = &b->load[i];
    const double size = vv_history_at(&l->history, t);
    if (l->node < 0)
      add_pressure(b, &plan->component[(int64_t)l->value[LOAD_COMPONENT]], size * l->value[0], q, y, F);
    else
      for (int c = 0; c < 3; c++) F[3 * (int64_t)l->node + c] += size * l->value[c];
  }
}

/* f[nodes][3]: what the forces F on the limits are on the nodes, f = S^T F; nothing on nodes that are held. */
static void give_to_nodes(const vv_block *b, const double *F, double *f)
{
  const shell_plan *plan = b->plan;
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  memset(f, 0, sizeof *f * 3 * (size_t)b->nodes);
  for (int64_t j = 0; j < plan->components; j++) {
    const shell_component *part = &plan->component[j];
    const shell_limit *l = &part->cut->limit;
    for (int64_t i = 0; i < part->cut->nodes; i++) {
      const double *on = F + 3 * (part->node0 + i);
      if (on[0] == 0.0 && on[1] == 0.0 && on[2] == 0.0) continue;
      for (int32_t k = l->first[i]; k < l->first[i + 1]; k++) {
        const int64_t node = part->node0 + l->node[k];
        for (int c = 0; minv[node] > 0.0 && c < 3; c++) f[3 * node + c] += l->weight[k] * on[c];
      }
    }
  }
}

/* Forces of all loads on the nodes, in room of the scratch. */
static const double *forces_on_nodes(const vv_block *b, double t, const double *q, double *scratch)
{
  double *y = scratch + 4 * shell_plan_of(b)->slots, *F = y + 3 * b->nodes;
  shell_fetch_all(b, q); /* every rank has all loads */
  load_forces(b, t, q, y, F);
  give_to_nodes(b, F, y); /* the limits are no longer needed */
  return y;
}

void shell_kick_loads(const vv_block *b, double t, double h, const double *q, double *p)
{
  bool mine;
  double *scratch = shell_scratch(b, &mine);
  const double *f = forces_on_nodes(b, t, q, scratch), *minv = shell_node(b, SHELL_INVERSE_MASS);
  const vv_span all = {.first = 0, .n = b->nodes};
  for (int64_t k = 0; k < (b->spans > 0 ? b->spans : 1); k++) {
    const vv_span *s = b->spans > 0 ? &b->span[k] : &all;
    for (int c = 0; c < 3; c++)
      for (int64_t i = s->first; i < s->first + s->n; i++)
        if (minv[i] > 0.0) p[c * b->column + i] += h * f[3 * i + c];
  }
  shell_scratch_done(b, scratch, mine);
}

/* ---- booking ---- */

/* What comes from outside in one kick, of which force: sums over the nodes of a tile, by lanes as energies are, then exactly
 * over the tiles.  Accelerators do the same. */
enum { LANES = 4 };
typedef enum source { OF_GRAVITY, OF_SUPPORTS, OF_LOADS } source;
typedef struct booked {
  const vv_block *b;
  source of;
  double h;
  const double *q, *p, *f; /* f: gradient in slots, or [nodes][3] */
} booked;

static void force_on(const booked *w, const shell_tile *t, int k, double f[3])
{
  const int64_t node = t->node0 + t->own0 + k;
  for (int c = 0; c < 3; c++)
    f[c] = w->of == OF_GRAVITY    ? shell_node(w->b, SHELL_MASS)[node] * w->b->gravity[c]
           : w->of == OF_SUPPORTS ? -w->f[4 * (t->slot0 + t->slot + k) + c]
                                  : w->f[3 * node + c];
}

/* Work, impulse, moment, and the sizes of both. */
static void book_node(const booked *w, const shell_tile *t, int k, double sum[SHELL_BOOKED][LANES])
{
  const vv_block *b = w->b;
  const int64_t node = t->node0 + t->own0 + k;
  const double minv = shell_node(b, SHELL_INVERSE_MASS)[node];
  const int lane = k % LANES;
  double x[3], P[3], f[3], arm[3];
  if (!(minv > 0.0)) return; /* what does not move takes no work */
  force_on(w, t, k, f);
  for (int c = 0; c < 3; c++) x[c] = w->q[c * b->column + node], P[c] = w->p[c * b->column + node];
  vvi_cross3(x, f, arm);
  sum[0][lane] += w->h * minv * vvi_dot3(f, P);
  for (int c = 0; c < 3; c++) sum[1 + c][lane] += w->h * f[c], sum[4 + c][lane] += w->h * arm[c];
  sum[7][lane] += fabs(w->h) * vvi_norm3(f);
  sum[8][lane] += fabs(w->h) * vvi_norm3(x) * vvi_norm3(f);
}

static void book_tile(const booked *w, const shell_tile *t, double *all)
{
  double sum[SHELL_BOOKED][LANES] = {{0}};
  for (int k = 0; k < t->own; k++) book_node(w, t, k, sum);
  for (int i = 0; i < SHELL_BOOKED; i++) all[i] = ((sum[i][0] + sum[i][1]) + sum[i][2]) + sum[i][3];
}

void shell_book(const double sum[SHELL_BOOKED], bool works, vv_posted *post)
{
  if (works) vvi_sum_add(&post->external_work, sum[0]);
  for (int c = 0; c < 3; c++) {
    vvi_sum_add(&post->impulse[c], sum[1 + c]);
    vvi_sum_add(&post->moment[c], sum[4 + c]);
  }
  post->impulse_abs += sum[7];
  post->moment_abs += sum[8];
}

static void book_all(const booked *w, bool works, double *part, vv_posted *post)
{
  const shell_plan *plan = w->b->plan;
  const int64_t n = shell_tiles_here(plan);
  double all[SHELL_BOOKED];
#pragma omp parallel for schedule(static) num_threads(w->b->threads) if (n >= SHELL_SHARED_FROM)
  for (int64_t i = 0; i < n; i++) {
    const int64_t at = shell_tile_here(plan, i);
    book_tile(w, &plan->tile[at], part + SHELL_SUMS * at);
  }
  shell_sum_tiles(w->b, SHELL_BOOKED, part, all);
  shell_book(all, works, post);
}

/* Work of a load in a kick of length h beside a drift with momentum p: h F.v.                                 [ledger 3]
 * That of gravity is in the potential.  Inner forces add up to nothing but for what borders take: their sum over the nodes
 * that move is the reaction of the supports, which do no work. */
void shell_post(const vv_block *b, double t, double h, const double *q, const double *p, vv_posted *post)
{
  const shell_plan *plan = b->plan;
  bool mine;
  double *scratch = shell_scratch(b, &mine), *part = shell_parts(b, scratch);
  booked w = {.b = b, .h = h, .q = q, .p = p, .f = scratch};
  if (vvi_norm3(b->gravity) > 0.0) w.of = OF_GRAVITY, book_all(&w, false, part, post);
  if (plan->held > 0) {
    shell_gradient(b, q, scratch);
    w.of = OF_SUPPORTS, book_all(&w, false, part, post);
  }
  if (b->n_load > 0) {
    w.f = forces_on_nodes(b, t, q, scratch);
    w.of = OF_LOADS, book_all(&w, true, part, post);
  }
  shell_scratch_done(b, scratch, mine);
}
