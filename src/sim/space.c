/* sim/space.c  Evolution in space, checked against evolution in time.
 *
 * A body with free ends moves for some steps.  Then only what its first node did is kept: its places at all levels and that no
 * element acts on it from before.  From there the discrete Euler-Lagrange equations are marched along the body; the node a is
 * known at the levels a ... N - a, its domain of determinacy, and is compared with the run.                  [grids 12-15] */
#include "contact/pairs.h"
#include "math/math.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 2 }; /* levels on both sides of the middle that the variations begin with */

typedef struct story {
  const vv_model *m;
  const vv_block *b;
  const vv_body *body;
  int64_t levels, nq, np; /* of a node */
  double *told;           /* [levels][nodes][nq] the run */
  vv_space_line line[2];
} story;

static double *told(const story *s, int64_t level, int64_t node)
{
  return s->told + (level * s->body->n_node + node) * s->nq;
}

static vv_status run(story *s, const vv_state *initial)
{
  const vv_model *m = s->m;
  vv_state *x;
  VV_TRY(vv_state_clone(initial, &x));
  for (int64_t j = 0; j < s->levels; j++) {
    for (int64_t i = 0; i < s->body->n_node; i++)
      for (int64_t c = 0; c < s->nq; c++) told(s, j, i)[c] = x->q[s->b->q0 + c * s->b->column + s->body->node0 + i];
    const double t = (double)j * m->step;
    vvi_sys_kick(m, t, 0.5 * m->step, x->q, x->p);
    vvi_sys_drift(m, m->step, x->q, x->p);
    vvi_sys_kick(m, t + m->step, 0.5 * m->step, x->q, x->p);
  }
  vv_state_destroy(x);
  return VV_OK;
}

/* Uniform in [-1/2, 1/2): xorshift, the same on every machine. */
static double draw(uint64_t *r)
{
  *r ^= *r << 13, *r ^= *r >> 7, *r ^= *r << 17;
  return (double)(*r >> 11) * 0x1p-53 - 0.5;
}

/* The first node as it was, and two variations of it about the middle of the time. */
static vv_status begin(story *s)
{
  const vv_block *b = s->b;
  vv_space_line *at = &s->line[0];
  uint64_t r = 88172645463325252u;
  double *size = calloc((size_t)(2 * s->np * b->column), sizeof *size), *mass = size + s->np * b->column;
  if (size == NULL) return VV_NOMEM;
  for (int64_t i = 0; i < s->np * b->column; i++) size[i] = mass[i] = 1.0;
  if (b->kind->vary->sizes != NULL) b->kind->vary->sizes(b, size, mass);
  for (int64_t j = 0; j < s->levels; j++) memcpy(at->q + j * s->nq, told(s, j, 0), sizeof(double) * (size_t)s->nq);
  const double rate = 1.0 / (s->m->step * s->m->step);
  for (int64_t j = s->levels / 2 - WIDTH; j <= s->levels / 2 + WIDTH; j++)
    for (int64_t c = 0; c < s->np; c++)
      for (int v = 0; v < 2; v++) {
        const int64_t k = c * b->column + s->body->node0;
        at->dq[v][j * s->np + c] = draw(&r) * size[k];
        at->dflux[v][j * s->np + c] = draw(&r) * size[k] * mass[k] * rate;
      }
  free(size);
  return VV_OK;
}

static double largest(int64_t n, const double *x)
{
  double most = 0.0;
  for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void compare(const story *s, const vv_space_line *at, int64_t node, vv_space_row *row)
{
  const int64_t last = s->levels - 1 - node;
  *row = (vv_space_row){.node = node, .levels = last - node + 1};
  for (int64_t j = node; j <= last; j++)
    for (int64_t c = 0; c < s->nq; c++)
      row->difference = fmax(row->difference, fabs(at->q[j * s->nq + c] - told(s, j, node)[c]));
  row->growth = largest(s->levels * s->np, at->dq[0]);
}

static vv_status go(story *s, vv_space_row *row, int64_t *n)
{
  vv_space_line *here = &s->line[0], *next = &s->line[1];
  double start = 0.0, size = 0.0;
  VV_TRY(begin(s));
  for (int64_t a = 0; a < s->body->n_node; a++) {
    double magnitude = 0.0;
    const int64_t last = s->levels - 1 - a;
    compare(s, here, a, &row[a]);
    const double form = s->b->kind->space->form(s->b, a, last, s->m->step, here, &magnitude);
    if (a == 0) start = form, size = row[0].growth;
    row[a].growth /= size;
    row[a].form = fabs(form - start) / magnitude;
    *n = a + 1;
    if (a + 1 == s->body->n_node) break;
    for (int v = 0; v < 2; v++) {
      memset(next->dq[v], 0, sizeof(double) * (size_t)(s->levels * s->np));
      memset(next->dflux[v], 0, sizeof(double) * (size_t)(s->levels * s->np));
    }
    if (s->b->kind->space->march(s->b, s->body->node0 + a, a, last, s->m->step, here, next) >= 0) return VV_OK;
    const vv_space_line keep = *here;
    *here = *next, *next = keep;
  }
  return VV_OK;
}

static vv_status check(const vv_model *m, int body, int64_t steps)
{
  if (body < 0 || body >= m->n_body)
    return vvi_fail(m->ctx, VV_ARG, "%s: there is no body %d; the scene has %d", m->source, body, m->n_body);
  const vv_body *k = &m->body[body];
  const vv_block *b = &m->block[k->block];
  const vv_space_table *space = b->kind->space;
  if (space == NULL)
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "%s: evolution in space is for bars and beams, not for bodies of kind %s",
                    m->source, b->kind->name);
  for (int32_t j = 0; j < b->n_body; j++)
    if (b->body[j] == k && space->refuse(b, j) != NULL)
      return vvi_fail(m->ctx, VV_UNSUPPORTED, "%s: evolution of '%s' in space %s", m->source, k->name,
                      space->refuse(b, j));
  if (m->stepper != &vv_leapfrog_stepper || m->order != 2 || m->pairs->n > 0 || m->solids != NULL ||
      m->sheets != NULL || m->joints != NULL)
    return vvi_fail(m->ctx, VV_UNSUPPORTED,
                    "%s: evolution in space is for 'method: {step: leapfrog, order: 2}' and bodies without joints that "
                    "touch nothing "
                    "(`contacts: [{response: none}]`)",
                    m->source);
  const int64_t least = 4 * (k->n_node + WIDTH + 2);
  const int64_t most = 100000000 / (k->n_node * b->kind->node_q);
  if (steps < least || steps > most)
    return vvi_fail(
        m->ctx, VV_ARG,
        "%s: has %lld steps; '%s' with its %lld nodes needs %lld to %lld, since every node along it costs two "
        "levels of time and all are kept: give --steps or another 'time.end'",
        m->source, (long long)steps, k->name, (long long)k->n_node, (long long)least, (long long)most);
  return VV_OK;
}

vv_status vv_sim_space(const vv_model *model, const vv_state *initial, int body, int64_t steps, vv_space_row *row,
                       int64_t *n)
{
  *n = 0;
  VV_TRY(check(model, body, steps));
  const vv_body *k = &model->body[body];
  const vv_block *b = &model->block[k->block];
  story s = {.m = model, .b = b, .body = k, .levels = steps + 1, .nq = b->kind->node_q, .np = b->kind->node_p};
  const int64_t one = s.levels * (s.nq + 5 * s.np);
  s.told = malloc(sizeof(double) * (size_t)(s.levels * k->n_node * s.nq));
  double *lines = calloc((size_t)(2 * one), sizeof(double));
  for (int i = 0; lines != NULL && i < 2; i++) {
    double *at = lines + i * one;
    vv_space_line *l = &s.line[i];
    l->q = at, l->flux = at + s.levels * s.nq;
    for (int v = 0; v < 2; v++) {
      l->dq[v] = l->flux + (1 + 2 * v) * s.levels * s.np;
      l->dflux[v] = l->flux + (2 + 2 * v) * s.levels * s.np;
    }
  }
  vv_status status = s.told == NULL || lines == NULL ? VV_NOMEM : run(&s, initial);
  if (status == VV_OK) status = go(&s, row, n);
  free(s.told);
  free(lines);
  return status;
}
