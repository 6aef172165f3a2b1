/* step/grid.c  Sums of configurational forces and of the momentum that goes with them, body by body; sums of the power that goes
 * into every element, and its energy. */
#include "step/grid.h"

#include "model/output.h"

#include <math.h>

enum { LEAST_ELEMENTS = 8 };

typedef struct grid_body {
  const vv_block *block;
  int64_t first, last; /* the elements inside, in the block */
  double start, now;   /* P at the start; at the end of the last slab */
  double flux, struck; /* through the borders; by impacts */
  double scale;        /* largest |P - P(0)| + |flux| + |struck|, or sum of |P| of elements */
  bool started;
} grid_body;

/* Energies of the elements of a block: at the start, at the end of the last slab, what came in since the start. */
typedef struct grid_energy {
  const vv_block *block;
  double *start, *now, *came;
  double scale, left; /* the largest change of one of them; the largest residual */
  bool started;
} grid_energy;

struct vvi_grid {
  int n, blocks;
  grid_body *body;
  grid_energy *energy;
  double *c0, *c1; /* [elements] of a block */
  double worst;
};

static int field_of(const vv_block *b, const char *name)
{
  return vvi_output_find(b->kind, name);
}

static bool serves(const vv_block *b, const vv_body *body)
{
  return body->n_element >= LEAST_ELEMENTS && field_of(b, "pseudomomentum") >= 0 &&
         field_of(b, "configurational_force") >= 0;
}

static bool balances(const vv_block *b)
{
  return b->elements > 0 && field_of(b, "energy") >= 0 && field_of(b, "power") >= 0;
}

static int count_bodies(const vv_model *m, int64_t *most)
{
  int n = 0;
  for (int i = 0; i < m->n_block; i++)
    if (balances(&m->block[i]) && m->block[i].elements > *most) *most = m->block[i].elements;
  for (int i = 0; i < m->n_block; i++)
    for (int32_t j = 0; j < m->block[i].n_body; j++) {
      if (!serves(&m->block[i], m->block[i].body[j])) continue;
      *most = m->block[i].elements > *most ? m->block[i].elements : *most;
      n++;
    }
  return n;
}

static vv_status create_energies(const vv_model *m, vvi_arena *arena, vvi_grid *g)
{
  if ((g->energy = VVI_ARENA_NEW(arena, grid_energy, m->n_block)) == NULL) return VV_NOMEM;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (!balances(b)) continue;
    grid_energy *k = &g->energy[g->blocks++];
    *k = (grid_energy){.block = b,
                       .start = VVI_ARENA_NEW(arena, double, b->elements),
                       .now = VVI_ARENA_NEW(arena, double, b->elements),
                       .came = VVI_ARENA_NEW(arena, double, b->elements)};
    if (k->start == NULL || k->now == NULL || k->came == NULL) return VV_NOMEM;
  }
  return VV_OK;
}

vv_status vvi_grid_create(const vv_model *m, vvi_arena *arena, vvi_grid **out)
{
  int64_t most = 0;
  const int n = count_bodies(m, &most);
  *out = NULL;
  if (most == 0) return VV_OK;
  vvi_grid *g = VVI_ARENA_NEW(arena, vvi_grid, 1);
  if (g == NULL) return VV_NOMEM;
  g->body = VVI_ARENA_NEW(arena, grid_body, n);
  g->c0 = VVI_ARENA_NEW(arena, double, most);
  g->c1 = VVI_ARENA_NEW(arena, double, most);
  if (g->body == NULL || g->c0 == NULL || g->c1 == NULL) return VV_NOMEM;
  for (int i = 0; i < m->n_block; i++)
    for (int32_t j = 0; j < m->block[i].n_body; j++) {
      const vv_body *body = m->block[i].body[j];
      if (!serves(&m->block[i], body)) continue;
      g->body[g->n++] = (grid_body){.block = &m->block[i],
                                    .first = body->element0 + body->n_element / 4,
                                    .last = body->element0 + body->n_element - body->n_element / 4};
    }
  *out = g;
  return create_energies(m, arena, g);
}

/* P of the elements inside; *all: of their sizes. */
static double momentum_of(const vvi_grid *g, const grid_body *k, const double *q, const double *p, double *all)
{
  const vv_block *b = k->block;
  double sum = 0.0;
  *all = 0.0;
  b->kind->output(b, field_of(b, "pseudomomentum"), q + b->q0, p + b->p0, g->c0);
  for (int64_t e = k->first; e < k->last; e++) sum += g->c0[e], *all += fabs(g->c0[e]);
  return sum;
}

void vvi_grid_begin(vvi_grid *g, const double *q, const double *p)
{
  for (int i = 0; i < g->n; i++) {
    grid_body *k = &g->body[i];
    double all;
    const double now = momentum_of(g, k, q, p, &all);
    if (!k->started)
      k->start = now, k->started = true;
    else
      k->struck += now - k->now;
    k->now = now;
  }
  for (int i = 0; i < g->blocks; i++) {
    grid_energy *k = &g->energy[i];
    const vv_block *b = k->block;
    b->kind->output(b, field_of(b, "energy"), q + b->q0, p + b->p0, g->c0);
    for (int64_t e = 0; e < b->elements; e++) { /* impacts came in, too */
      if (!k->started)
        k->start[e] = g->c0[e];
      else
        k->came[e] += g->c0[e] - k->now[e];
      k->now[e] = g->c0[e];
    }
    k->started = true;
  }
}

/* Over the drift of a slab the forces of neighbours do the work of their mean along the way.                  [bars 59] */
static void end_energies(vvi_grid *g, double h, const double *q0, const double *ph, const double *q1, const double *ph1,
                         const double *p1)
{
  for (int i = 0; i < g->blocks; i++) {
    grid_energy *k = &g->energy[i];
    const vv_block *b = k->block;
    const int power = field_of(b, "power");
    b->kind->output(b, power, q0 + b->q0, ph + b->p0, g->c0);
    b->kind->output(b, power, q1 + b->q0, ph1 + b->p0, g->c1);
    for (int64_t e = 0; e < b->elements; e++) k->came[e] += 0.5 * h * (g->c0[e] + g->c1[e]);
    b->kind->output(b, field_of(b, "energy"), q1 + b->q0, p1 + b->p0, k->now);
    for (int64_t e = 0; e < b->elements; e++) {
      k->scale = fmax(k->scale, fabs(k->now[e] - k->start[e]));
      k->left = fmax(k->left, fabs(k->now[e] - k->start[e] - k->came[e]));
    }
  }
}

/* h times the mean of C over the two ends of the slab, at a border: the mean of the elements beside it.       [bars 54, 55] */
static double border(const vvi_grid *g, double h, int64_t e)
{
  return 0.25 * h * (g->c0[e - 1] + g->c0[e] + g->c1[e - 1] + g->c1[e]);
}

void vvi_grid_end(vvi_grid *g, double h, const double *q0, const double *ph, const double *q1, const double *ph1,
                  const double *p1)
{
  for (int i = 0; i < g->n; i++) {
    grid_body *k = &g->body[i];
    const vv_block *b = k->block;
    const int field = field_of(b, "configurational_force");
    double all;
    b->kind->output(b, field, q0 + b->q0, ph + b->p0, g->c0);
    b->kind->output(b, field, q1 + b->q0, ph1 + b->p0, g->c1);
    k->flux += border(g, h, k->last) - border(g, h, k->first);
    k->now = momentum_of(g, k, q1, p1, &all);
    const double change = k->now - k->start;
    k->scale = fmax(k->scale, fmax(all, fabs(change) + fabs(k->flux) + fabs(k->struck)));
    if (k->scale > 0.0) g->worst = fmax(g->worst, fabs(change - k->flux - k->struck) / k->scale);
  }
  end_energies(g, h, q0, ph, q1, ph1, p1);
}

double vvi_grid_residual(const vvi_grid *g)
{
  return g->n > 0 ? g->worst : NAN;
}

double vvi_grid_energy(const vvi_grid *g)
{
  double worst = 0.0;
  for (int i = 0; i < g->blocks; i++)
    if (g->energy[i].scale > 0.0) worst = fmax(worst, g->energy[i].left / g->energy[i].scale);
  return g->blocks > 0 ? worst : NAN;
}
