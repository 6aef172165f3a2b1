/* body/shell/sweep.c  Kick, drift and both in one pass, tile by tile.
 *
 * A tile adds up its forces in its own segment.  Nodes that no other tile touches are moved at once, while all is near.
 * When all tiles are done, each adds what the others have for the nodes that it owns, in a fixed order, and moves the rest of
 * them.  No result depends on the number of threads. */
#include "body/shell/moves.h"
#include "body/shell/shell.h"
#include "math/math.h"

#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

static void force_tile(const vv_block *b, int64_t i, const double *q, double *grad)
{
  const shell_plan *plan = b->plan;
  const shell_tile *t = &plan->tile[i];
  plan->force(shell_of(b, t->body), t, shell_next_tile(plan, i), b->column, q, grad);
}

/* The flow after a drift first, in the same pass. */
static void flow_tile(const vv_block *b, int64_t i, const shell_drifted *d, double *q, double *grad, double *loss)
{
  const shell_plan *plan = b->plan;
  const shell_tile *t = &plan->tile[i];
  memset(loss + SHELL_SUMS * i, 0, sizeof(double) * SHELL_LOSSES);
  plan->flow(shell_of(b, t->body), t, shell_next_tile(plan, i), b->column, d, q, grad, loss + SHELL_SUMS * i);
}

/* Forces on the local nodes of a tile. */
static double *segment(const shell_tile *t, double *slot)
{
  return slot + 4 * (t->slot0 + t->slot);
}

/* Adds the segments of other tiles, in a fixed order, to the nodes that this tile owns. */
static void add_shared(const shell_tile *t, double *slot)
{
  double *component = slot + 4 * t->slot0, *own = segment(t, slot);
  for (int i = 0; i < t->shareds; i++) {
    const shell_shared *s = &t->shared[i];
    const int64_t *other = shell_others(t, s);
    for (int k = 0; k < s->others; k++)
      for (int c = 0; c < 3; c++) own[4 * s->local + c] += component[4 * other[k] + c];
  }
}

/* How the nodes of a block are moved. */
typedef struct move {
  const vv_block *b;
  double h;
  bool stride; /* kick h/2, kick h/2, drift h; otherwise kick h */
  double *q, *p, *slot;
  double *f;                    /* takes the force, and p += h f; NULL: not asked for */
  const shell_drifted *drifted; /* what it flows after; NULL: nothing */
  bool leaps; /* before it, tiles that are bodies of their own have p += a f and fly on for `flight` */
  double a, flight;
} move;

/* One coordinate of some nodes, grad[n][4]: p -= h grad, then p += h m g. */
VV_HOT static void kick_shells(int64_t n, double h, double g, const double *restrict m, const double *restrict grad,
                               double *restrict p)
{
  for (int64_t i = 0; i < n; i++) p[i] = shell_kicked(h, g, m[i], grad[4 * i], p[i]);
}

/* f = -grad + m g, then p += h f. */
VV_HOT static void push_shells(int64_t n, double h, double g, const double *restrict m, const double *restrict grad,
                               double *restrict f, double *restrict p)
{
  for (int64_t i = 0; i < n; i++) {
    f[i] = shell_kicked(1.0, g, m[i], grad[4 * i], 0.0);
    p[i] += h * f[i];
  }
}

/* The same twice with half the step, then q += h p/m. */
VV_HOT static void stride_shells(int64_t n, double h, double g, const double *restrict m, const double *restrict minv,
                                 const double *restrict grad, double *restrict q, double *restrict p)
{
  for (int64_t i = 0; i < n; i++) {
    p[i] = shell_kicked_twice(h, g, m[i], grad[4 * i], p[i]);
    q[i] = shell_place_after(h, minv[i], p[i], q[i]);
  }
}

/* Nodes [i0, i1) of those that a tile owns; grad: of the first one of the tile. */
static void move_nodes(const move *w, const shell_tile *t, int64_t i0, int64_t i1, const double *grad)
{
  const vv_block *b = w->b;
  const int64_t first = t->node0 + t->own0 + i0;
  const double *m = shell_node(b, SHELL_MASS) + first, *minv = shell_node(b, SHELL_INVERSE_MASS) + first;
  for (int c = 0; c < 3; c++) {
    double *q = w->q + c * b->column + first, *p = w->p + c * b->column + first;
    if (w->f != NULL)
      push_shells(i1 - i0, w->h, b->gravity[c], m, grad + 4 * i0 + c, w->f + c * b->column + first, p);
    else if (w->stride)
      stride_shells(i1 - i0, w->h, b->gravity[c], m, minv, grad + 4 * i0 + c, q, p);
    else
      kick_shells(i1 - i0, w->h, b->gravity[c], m, grad + 4 * i0 + c, p);
  }
}

VV_HOT static void drift_shells(int64_t i0, int64_t i1, int64_t column, double h, const double *restrict minv,
                                const double *restrict p, double *restrict q)
{
  for (int c = 0; c < 3; c++)
    for (int64_t i = i0; i < i1; i++)
      q[c * column + i] = shell_place_after(h, minv[i], p[c * column + i], q[c * column + i]);
}

/* p += a f before it. */
VV_HOT static void leap_shells(int64_t i0, int64_t i1, int64_t column, double a, const double *restrict f, double h,
                               const double *restrict minv, double *restrict p, double *restrict q)
{
  for (int c = 0; c < 3; c++)
    for (int64_t i = i0; i < i1; i++) {
      const int64_t at = c * column + i;
      p[at] += a * f[at];
      q[at] = shell_place_after(h, minv[i], p[at], q[at]);
    }
}

/* Nodes i0 to i1 - 1; f NULL: no kick. */
static void drift_nodes(const vv_block *b, int64_t i0, int64_t i1, double a, const double *f, double h, double *q,
                        double *p)
{
  const double *minv = shell_node(b, SHELL_INVERSE_MASS);
  if (f != NULL)
    leap_shells(i0, i1, b->column, a, f, h, minv, p, q);
  else
    drift_shells(i0, i1, b->column, h, minv, p, q);
}

/* A body of one tile: nothing of it is read by others. */
static bool is_body(const shell_tile *t)
{
  return t->halo == 0;
}

static void leap_tile(const move *w, const shell_tile *t)
{
  const int64_t first = t->node0 + t->own0;
  drift_nodes(w->b, first, first + t->own, w->a, w->f, w->flight, w->q, w->p);
}

/* Force of tile i, and all that can be done with it at once. */
static void begin_tile(const move *w, int64_t i)
{
  const shell_plan *plan = w->b->plan;
  const shell_tile *t = &plan->tile[i];
  double *grad = segment(t, w->slot);
  if (w->leaps && is_body(t)) leap_tile(w, t);
  if (w->drifted != NULL)
    flow_tile(w->b, i, w->drifted, w->q, grad, shell_parts(w->b, w->slot));
  else
    force_tile(w->b, i, w->q, grad);
  move_nodes(w, t, 0, t->inner, grad);
}

/* The rest, after all tiles have begun. */
static void end_tile(const move *w, int64_t i)
{
  const shell_plan *plan = w->b->plan;
  const shell_tile *t = &plan->tile[i];
  add_shared(t, w->slot);
  move_nodes(w, t, t->inner, t->own, segment(t, w->slot));
}

/* ---- the whole block ---- */

double *shell_scratch(const vv_block *b, bool *mine)
{
  shell_plan *plan = b->plan;
  for (;;) { /* another run of the same model has it: room of one's own, or wait */
    *mine = atomic_flag_test_and_set(&plan->busy);
    double *slot = *mine ? malloc(sizeof(double) * (size_t)plan->reals) : plan->slot;
    if (slot != NULL) return slot;
  }
}

void shell_scratch_done(const vv_block *b, double *slot, bool mine)
{
  shell_plan *plan = b->plan;
  if (mine)
    free(slot);
  else
    atomic_flag_clear(&plan->busy);
}

void shell_gradient(const vv_block *b, const double *q, double *slot)
{
  const shell_plan *plan = b->plan;
  const int64_t n = shell_tiles_here(plan);
  const bool alone = b->threads < 2 || n < SHELL_SHARED_FROM;
  shell_fetch_places(b, q);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (!alone)
  for (int64_t k = 0; k < n; k++) {
    const int64_t i = shell_tile_here(plan, k);
    force_tile(b, i, q, segment(&plan->tile[i], slot));
  }
  shell_fetch_forces(b, slot);
#pragma omp parallel for schedule(static) num_threads(b->threads) if (!alone)
  for (int64_t k = 0; k < n; k++) add_shared(&plan->tile[shell_tile_here(plan, k)], slot);
}

/* All tiles of this rank; in between forces of other ranks come in. */
static void sweep_shared(const move *w)
{
  const shell_plan *plan = w->b->plan;
  const int64_t n = shell_tiles_here(plan);
  const bool alone = w->b->threads < 2 || n < SHELL_SHARED_FROM;
  if (w->drifted != NULL)
    shell_fetch_halo(w->b, w->q, w->drifted->p); /* what begins to flow asks where its nodes were */
  else
    shell_fetch_places(w->b, w->q);
#pragma omp parallel for schedule(static) num_threads(w->b->threads) if (!alone)
  for (int64_t k = 0; k < n; k++) begin_tile(w, shell_tile_here(plan, k));
  shell_fetch_forces(w->b, w->slot);
#pragma omp parallel for schedule(static) num_threads(w->b->threads) if (!alone)
  for (int64_t k = 0; k < n; k++) end_tile(w, shell_tile_here(plan, k));
}

static void sweep_tiles(const move *w)
{
  const vv_block *b = w->b;
  const shell_plan *plan = b->plan;
  if (plan->share != NULL) {
    sweep_shared(w);
  } else if (b->threads < 2 || plan->tiles < SHELL_SHARED_FROM) {
    for (int64_t i = 0; i < plan->tiles; i++) begin_tile(w, i);
    for (int64_t i = 0; i < plan->tiles; i++) end_tile(w, i);
  } else {
#pragma omp parallel num_threads(b->threads)
    {
#pragma omp for schedule(static)
      for (int64_t i = 0; i < plan->tiles; i++) begin_tile(w, i);
#pragma omp for schedule(static) nowait
      for (int64_t i = 0; i < plan->tiles; i++) end_tile(w, i);
    }
  }
}

/* Tiles that others read fly before all forces. */
static void leap_others(const move *w)
{
  const shell_plan *plan = w->b->plan;
  if (plan->components == plan->tiles) return; /* all are such bodies */
#pragma omp parallel for schedule(static) num_threads(w->b->threads) if (w->b->threads > 1)
  for (int64_t i = 0; i < plan->tiles; i++)
    if (!is_body(&plan->tile[i])) leap_tile(w, &plan->tile[i]);
}

static void sweep(const vv_block *b, double h, bool stride, const shell_drifted *drifted, double *q, double *p,
                  vv_posted *post)
{
  bool mine;
  const move w = {
      .b = b, .h = h, .stride = stride, .q = q, .p = p, .slot = shell_scratch(b, &mine), .drifted = drifted};
  sweep_tiles(&w);
  if (drifted != NULL) shell_losses_post(b, shell_parts(b, w.slot), post);
  shell_scratch_done(b, w.slot, mine);
  shell_hold_nodes(b, p);
}

void shell_hold_nodes(const vv_block *b, double *p)
{
  const shell_plan *plan = b->plan;
  const int64_t n = plan->share != NULL ? plan->share->held : plan->held;
  const int32_t *node = plan->share != NULL ? plan->share->held_node : plan->held_node;
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) p[c * b->column + node[i]] = 0.0;
}

void shell_kick(const vv_block *b, double t, double h, const double *q, double *p)
{
  sweep(b, h, false, NULL, (double *)q, p, NULL); /* q is only read */
  if (b->n_load > 0) shell_kick_loads(b, t, h, q, p);
}

/* Nodes that are held have neither force nor momentum. */
static void force_kick(const vv_block *b, double h, bool leaps, double a, double flight, double *q, double *f,
                       double *p)
{
  bool mine;
  const move w = {.b = b,
                  .h = h,
                  .q = q,
                  .p = p,
                  .slot = shell_scratch(b, &mine),
                  .f = f,
                  .leaps = leaps,
                  .a = a,
                  .flight = flight};
  if (leaps) leap_others(&w);
  sweep_tiles(&w);
  shell_scratch_done(b, w.slot, mine);
  shell_hold_nodes(b, f);
  shell_hold_nodes(b, p);
}

void shell_force_kick(const vv_block *b, double h, const double *q, double *f, double *p)
{
  force_kick(b, h, false, 0.0, 0.0, (double *)q, f, p); /* q is only read */
}

void shell_stride(const vv_block *b, double h, double *q, double *p)
{
  sweep(b, h, true, NULL, q, p, NULL);
}

/* No node moves before every tile that touches it has flowed: those of one tile alone are moved by it, the others at the end.  What
 * breaks changes the force of its neighbours: then one after the other. */
void shell_flow_stride(const vv_block *b, double h, double *q, double *p, vv_posted *post)
{
  const shell_drifted d = {.h = h, .p = p, .minv = shell_node(b, SHELL_INVERSE_MASS)};
  const bool apart = shell_plan_of(b)->where != NULL;
  if (apart) shell_flow(b, h, q, p, post);
  sweep(b, h, true, apart ? NULL : &d, q, p, post);
}

void shell_flow_kick(const vv_block *b, double t, double h, double *q, const double *p, double *f, vv_posted *post)
{
  const shell_drifted d = {.h = h, .p = p, .minv = shell_node(b, SHELL_INVERSE_MASS)};
  const bool apart = shell_plan_of(b)->where != NULL;
  if (apart) shell_flow(b, h, q, p, post);
  sweep(b, 1.0, false, apart ? NULL : &d, q, f, post);
  if (b->n_load > 0) shell_kick_loads(b, t, 1.0, q, f);
}

static void drift_all(const vv_block *b, double a, const double *f, double h, double *q, double *p)
{
  enum { CHUNK = 1024, SHARED_FROM = 4 * SHELL_SHARED_FROM }; /* small, so that many threads have as much to do */
  const int64_t chunks = (b->nodes + CHUNK - 1) / CHUNK;
  if (b->threads < 2 || chunks < SHARED_FROM) {
    drift_nodes(b, 0, b->nodes, a, f, h, q, p);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(b->threads)
  for (int64_t i = 0; i < chunks; i++)
    drift_nodes(b, CHUNK * i, i + 1 < chunks ? CHUNK * (i + 1) : b->nodes, a, f, h, q, p);
}

int shell_drift(const vv_block *b, double h, double *q, double *p)
{
  for (int64_t i = 0; i < b->spans; i++)
    drift_nodes(b, b->span[i].first, b->span[i].first + b->span[i].n, 0.0, NULL, h, q, p);
  if (b->spans == 0) drift_all(b, 0.0, NULL, h, q, p);
  return 0;
}

void shell_leap(const vv_block *b, double a, double h, double kick, double *q, double *f, double *p)
{
  if (kick != 0.0)
    force_kick(b, kick, true, a, h, q, f, p);
  else
    drift_all(b, a, f, h, q, p);
}
