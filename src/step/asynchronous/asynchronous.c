/* step/asynchronous/asynchronous.c  A step of its own for every element: asynchronous variational integrators.
 *
 * A. Lew, J. E. Marsden, M. Ortiz, M. West, Arch. Ration. Mech. Anal. 167 (2003).  The action is a sum over elements, each with
 * its own times; a node moves freely between the times of its elements and is kicked at them:                    [grids 20]
 *
 *   element e at its times t:  both nodes drift to t,  p += w f_e(q),   w = h_e, half of it at both ends of a whole step
 *
 * Element e takes n_e = ceil(H/(s d_e)) equal steps in a whole step H, d_e its own stable step and s the `safety`: no two need
 * have a common divisor, and at whole steps all are at one time, so that states, books and files are what they are elsewhere.
 * The schedule of a whole step is made once, sorted by time and number.  It reads the same forwards and backwards: the step is
 * symmetric, of second order, symplectic, and every kick exchanges momentum between two nodes alone.
 *
 * Massless tips are springs with the times of the quicker of their two bodies; gravity has no stiffness, and its times are those of
 * the whole steps. */
#include "contact/pairs.h"
#include "math/math.h"
#include "step/step.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 64 }; /* of a whole step */

typedef struct kick {
  double when;  /* of the whole step */
  double share; /* of it */
  int32_t block;
  int32_t pair;    /* -1: an element */
  int64_t element; /* of the block */
} kick;

typedef struct async_work {
  kick *kick;
  int64_t n;
  double **clock; /* [blocks][nodes] where each node is, of the whole step */
} async_work;

static int parts_of(double longest, double own)
{
  const double n = ceil(longest / own * (1.0 - 1e-12));
  return n < 1.0 ? 1 : n > MOST_PARTS ? MOST_PARTS : (int)n;
}

/* Own stable steps of the elements of a block, into out[elements]; NULL: no memory. */
static double *steps_of(const vv_block *b)
{
  double *own = malloc(sizeof *own * (size_t)(b->elements + 1));
  if (own != NULL) b->kind->apart->steps(b, own);
  return own;
}

vv_status vvi_asynchronous_step(const vv_model *m, double *longest, double *shortest)
{
  *longest = 0.0, *shortest = INFINITY;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->elements == 0 || b->kind->apart == NULL) continue;
    double *own = steps_of(b);
    if (own == NULL) return VV_NOMEM;
    for (int64_t e = 0; e < b->elements; e++) *longest = fmax(*longest, own[e]), *shortest = fmin(*shortest, own[e]);
    free(own);
  }
  *longest = fmin(*longest, MOST_PARTS * *shortest);
  return VV_OK;
}

/* ---- the schedule ---- */

static void add(async_work *w, bool count, kick k, int parts)
{
  for (int j = 0; j <= parts; j++) {
    k.when = (double)j / parts, k.share = (j == 0 || j == parts ? 0.5 : 1.0) / parts;
    if (!count) w->kick[w->n] = k;
    w->n++;
  }
}

/* Of the quickest element at a node. */
static int parts_at(const vv_block *b, const double *own, double longest, int64_t node)
{
  int most = 1;
  for (int64_t e = 0; node >= 0 && e < b->elements; e++)
    if (b->element_node[2 * e] == node || b->element_node[2 * e + 1] == node) {
      const int n = parts_of(longest, own[e]);
      most = n > most ? n : most;
    }
  return most;
}

static void schedule(const vv_model *m, double *const own[], double longest, bool count, async_work *w)
{
  w->n = 0;
  for (int i = 0; i < m->n_block; i++)
    for (int64_t e = 0; own[i] != NULL && e < m->block[i].elements; e++)
      add(w, count, (kick){.block = i, .pair = -1, .element = e}, parts_of(longest, own[i][e]));
  for (int i = 0; i < m->pairs->n; i++) {
    const vvi_pair *c = &m->pairs->pair[i];
    const int ia = (int)(c->block_a - m->block), ib = (int)(c->block_b - m->block);
    const int a = own[ia] != NULL ? parts_at(c->block_a, own[ia], longest, c->patch_a->node) : 1;
    const int b = own[ib] != NULL ? parts_at(c->block_b, own[ib], longest, c->patch_b->node) : 1;
    add(w, count, (kick){.block = ia, .pair = i}, 2 * (a > b ? a : b)); /* the spring of a short tip is stiffer */
  }
}

static int by_time(const void *x, const void *y)
{
  const kick *a = x, *b = y;
  if (a->when != b->when) return a->when < b->when ? -1 : 1;
  if (a->pair != b->pair) return a->pair < b->pair ? -1 : 1;
  if (a->block != b->block) return a->block < b->block ? -1 : 1;
  return (a->element > b->element) - (a->element < b->element);
}

static vv_status prepare(struct vv_step *s)
{
  const vv_model *m = s->model;
  async_work *w = VVI_ARENA_NEW(s->arena, async_work, 1);
  double **own = VVI_ARENA_NEW(s->arena, double *, m->n_block + 1), longest, shortest;
  if (w == NULL || own == NULL || (w->clock = VVI_ARENA_NEW(s->arena, double *, m->n_block + 1)) == NULL)
    return VV_NOMEM;
  VV_TRY(vvi_asynchronous_step(m, &longest, &shortest));
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if ((w->clock[i] = VVI_ARENA_NEW(s->arena, double, b->nodes + 1)) == NULL) return VV_NOMEM;
    if (b->elements == 0 || b->kind->apart == NULL) continue;
    if ((own[i] = VVI_ARENA_NEW(s->arena, double, b->elements + 1)) == NULL) return VV_NOMEM;
    b->kind->apart->steps(b, own[i]);
  }
  schedule(m, own, longest, true, w);
  if ((w->kick = VVI_ARENA_NEW(s->arena, kick, w->n + 1)) == NULL) return VV_NOMEM;
  schedule(m, own, longest, false, w);
  qsort(w->kick, (size_t)w->n, sizeof *w->kick, by_time);
  s->own = w;
  s->energy = "nodal";
  s->exact = false;
  return VV_OK;
}

/* ---- a whole step ---- */

static void bring(struct vv_step *s, int block, int64_t node, double when)
{
  const vv_block *b = &s->model->block[block];
  double *clock = &((async_work *)s->own)->clock[block][node];
  if (*clock == when) return;
  b->kind->apart->drift(b, node, (when - *clock) * s->h, s->state->q + b->q0, s->state->p + b->p0);
  *clock = when;
}

static void element_kick(struct vv_step *s, const kick *k)
{
  const vv_block *b = &s->model->block[k->block];
  for (int i = 0; i < 2; i++) bring(s, k->block, b->element_node[2 * k->element + i], k->when);
  b->kind->apart->kick(b, k->element, k->share * s->h, s->state->q + b->q0, s->state->p + b->p0);
}

static void pair_kick(struct vv_step *s, const kick *k)
{
  const vvi_pair *c = &s->model->pairs->pair[k->pair];
  vv_state *x = s->state;
  const double t = x->t + k->when * s->h;
  if (c->patch_a->node >= 0) bring(s, (int)(c->block_a - s->model->block), c->patch_a->node, k->when);
  if (c->patch_b->node >= 0) bring(s, (int)(c->block_b - s->model->block), c->patch_b->node, k->when);
  const double gap = vvi_pair_gap(c, x->q), now = gap < 0.0;
  if (now != x->memory[k->pair]) vvi_log_add(s, c, now != 0.0 ? "on" : "off", t, vvi_pair_rate(c, x->q, x->p), 0.0);
  x->memory[k->pair] = now;
  if (now == 0.0) return;
  const double r = -k->share * s->h * gap / c->compliance;
  vvi_tell_pair(s, c, t, r, NULL, 0.0);
  vvi_pair_post(c, x->q, x->p, r, &s->ledger->posted);
  vvi_pair_pull(c, x->q, r, x->p);
}

/* Half of its kick, at either end of a whole step. */
static void weigh(struct vv_step *s, double t)
{
  const vv_model *m = s->model;
  if (vvi_norm3(m->gravity) == 0.0) return;
  vvi_sys_post(m, t, 0.5 * s->h, s->state->q, s->state->p, &s->ledger->posted);
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->nodes > 0) b->kind->vary->weigh(b, 0.5 * s->h, s->state->p + b->p0);
  }
}

static vv_status step(struct vv_step *s, int64_t n, vv_report *r)
{
  const vv_model *m = s->model;
  async_work *w = s->own;
  for (int64_t k = 0; k < n && r->reason == VV_REASON_DONE; k++) {
    weigh(s, s->state->t);
    for (int i = 0; i < m->n_block; i++) memset(w->clock[i], 0, sizeof(double) * (size_t)m->block[i].nodes);
    for (int64_t i = 0; i < w->n; i++) {
      if (w->kick[i].pair >= 0)
        pair_kick(s, &w->kick[i]);
      else
        element_kick(s, &w->kick[i]);
    }
    for (int i = 0; i < m->n_block; i++) /* all have an element that ends here, but for nodes without one */
      for (int64_t j = 0; m->block[i].kind->apart != NULL && j < m->block[i].nodes; j++) bring(s, i, j, 1.0);
    weigh(s, s->state->t + s->h);
    vvi_step_done(s);
    vvi_note_gaps(s);
  }
  return VV_OK;
}

static void audit(struct vv_step *s, vv_totals *sum) /* the plain energy */
{
  (void)s, (void)sum;
}

const vv_stepper_kind vv_asynchronous_stepper = {
    .name = "asynchronous",
    .doc = "kick, drift, kick, a step of its own for every element",
    .claims = VV_EXPLICIT | VV_SYMPLECTIC | VV_KEEPS_MOMENTUM | VV_REVERSIBLE,
    .prepare = prepare,
    .audit = audit,
    .step = step,
};
