/* sim/arrive.c  Values given at both times: the momenta that lead from one configuration to another.
 *
 * The discrete Euler-Lagrange equations with q_0 and q_N given are a boundary problem in time (M, 4.2.3).  Its solution is the
 * initial value problem of the right momentum, which Newton's method finds: all first variations dp_0 of the free coordinates
 * are carried to the end, and
 *
 *   (dq_N/dp_0) dp_0 = q_end - q_N(p_0),   p_0 += s dp_0,   s = 1, 1/2, 1/4, ... until the distance falls      [grids 11]
 *
 * The way is taken in parts where it is too long for that. */
#include "contact/pairs.h"
#include "math/math.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_UNKNOWNS = 3000, ITERATIONS = 40, HALVINGS = 12 };

typedef struct shot {
  const vv_model *m, *end; /* of the run, and of the configuration to reach */
  const vv_state *from, *to;
  int64_t steps;
  int64_t n;           /* free coordinates */
  int64_t *free;       /* [n] which of p */
  double *q, *p, *d;   /* [nq], [np], [np] the end of the shot; how far it is from the target */
  double *start;       /* [np] momenta at the start */
  double *dq, *dp;     /* [n][np] variations; NULL: the shot is not varied */
  double *scratch;     /* [np] */
  double *matrix, *x;  /* [n][n], [n] */
  double *goal, *miss; /* [n] what may be left of the way; what is left with the momenta of the scene */
} shot;

static bool is_flat(const vv_block *b)
{
  return b->kind->vary->flight == NULL;
}

/* ---- what may move ---- */

static void hold_tips(const vv_model *m, double *d)
{
  for (int32_t i = 0; i < m->n_patch; i++) {
    int32_t local;
    const vv_block *b = vvi_model_patch_block(m, i, &local);
    const vv_patch *t = &b->patch[local];
    if (t->held && t->node >= 0) d[b->p0 + t->node] = 0.0;
  }
}

static void hold(const vv_model *m, double *d)
{
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->vary->hold != NULL) b->kind->vary->hold(b, d + b->p0);
  }
  hold_tips(m, d);
}

/* Columns may be padded: what a node of no body has is not free. */
static void find_free(shot *s)
{
  const vv_model *m = s->m;
  memset(s->d, 0, sizeof(double) * (size_t)m->np);
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    for (int c = 0; c < b->kind->node_p; c++)
      for (int64_t k = 0; k < b->nodes; k++) s->d[b->p0 + c * b->column + k] = 1.0;
  }
  hold(m, s->d);
  s->n = 0;
  for (int64_t i = 0; i < m->np; i++)
    if (s->d[i] != 0.0) s->free[s->n++] = i;
}

/* ---- one shot ---- */

static void vary_kick(const shot *s, double h)
{
  for (int64_t k = 0; s->dq != NULL && k < s->n; k++) {
    vvi_sys_vary_kick(s->m, h, s->q, s->dq + k * s->m->np, s->dp + k * s->m->np);
    hold(s->m, s->dp + k * s->m->np);
  }
}

static void vary_drift(const shot *s, double h)
{
  for (int64_t k = 0; s->dq != NULL && k < s->n; k++)
    for (int i = 0; i < s->m->n_block; i++) {
      const vv_block *b = &s->m->block[i];
      double *dq = s->dq + k * s->m->np + b->p0, *dp = s->dp + k * s->m->np + b->p0;
      if (is_flat(b))
        b->kind->vary->drift(b, h, s->q + b->q0, s->p + b->p0, dq, dp);
      else
        b->kind->vary->flight(b, h, 0.0, s->q + b->q0, s->p + b->p0, dq, dp, s->scratch + b->p0);
    }
}

/* Into d, all of it; the first block that cannot go there, NULL: all can. */
static const vv_block *measure(shot *s)
{
  const vv_block *stray = NULL;
  memset(s->d, 0, sizeof(double) * (size_t)s->m->np);
  for (int i = 0; i < s->m->n_block; i++) {
    const vv_block *b = &s->m->block[i], *end = &s->end->block[i];
    if (b->nodes > 0 && !b->kind->vary->between(b, s->q + b->q0, end, s->to->q + end->q0, s->d + b->p0) && !stray)
      stray = b;
  }
  return stray;
}

static double distance(shot *s)
{
  double far = 0.0;
  measure(s);
  for (int64_t k = 0; k < s->n; k++) {
    const double left = fabs(s->d[s->free[k]] - s->goal[k]);
    if (!(left <= 1e300)) return INFINITY;
    far = fmax(far, left);
  }
  return far;
}

/* From the start with these momenta to the end; how far that is from the target. */
static double shoot(shot *s, const double *start, bool varied)
{
  const vv_model *m = s->m;
  double *dq = s->dq, h = m->step;
  if (!varied) s->dq = NULL;
  memcpy(s->q, s->from->q, sizeof(double) * (size_t)m->nq);
  memcpy(s->p, start, sizeof(double) * (size_t)m->np);
  if (varied) {
    memset(s->dq, 0, sizeof(double) * (size_t)(s->n * m->np));
    memset(s->dp, 0, sizeof(double) * (size_t)(s->n * m->np));
    for (int64_t k = 0; k < s->n; k++) s->dp[k * m->np + s->free[k]] = 1.0;
  }
  for (int64_t i = 0; i < s->steps; i++) {
    const double t = (double)i * h;
    vvi_sys_kick(m, t, 0.5 * h, s->q, s->p);
    vary_kick(s, 0.5 * h);
    vary_drift(s, h);
    vvi_sys_drift(m, h, s->q, s->p);
    vvi_sys_kick(m, t + h, 0.5 * h, s->q, s->p);
    vary_kick(s, 0.5 * h);
  }
  s->dq = dq;
  return distance(s);
}

/* ---- Newton's method ---- */

/* Gauss with row exchange; false: singular, or not finite. */
static bool solve(int64_t n, double *a, double *x)
{
  double size = 0.0;
  for (int64_t i = 0; i < n * n; i++) size = fmax(size, fabs(a[i]));
  for (int64_t c = 0; c < n; c++) {
    int64_t best = c;
    for (int64_t r = c + 1; r < n; r++)
      if (fabs(a[r * n + c]) > fabs(a[best * n + c])) best = r;
    if (!(fabs(a[best * n + c]) > 1e-15 * size)) return false;
    for (int64_t k = 0; best != c && k < n; k++) {
      const double keep = a[c * n + k];
      a[c * n + k] = a[best * n + k], a[best * n + k] = keep;
    }
    const double keep = x[c];
    x[c] = x[best], x[best] = keep;
    for (int64_t r = c + 1; r < n; r++) {
      const double f = a[r * n + c] / a[c * n + c];
      for (int64_t k = c; f != 0.0 && k < n; k++) a[r * n + k] -= f * a[c * n + k];
      x[r] -= f * x[c];
    }
  }
  for (int64_t c = n - 1; c >= 0; c--) {
    for (int64_t k = c + 1; k < n; k++) x[c] -= a[c * n + k] * x[k];
    x[c] /= a[c * n + c];
  }
  return true;
}

/* dp_0 into x. */
static bool correct(shot *s)
{
  for (int64_t r = 0; r < s->n; r++) {
    s->x[r] = s->d[s->free[r]] - s->goal[r];
    for (int64_t c = 0; c < s->n; c++) s->matrix[r * s->n + c] = s->dq[c * s->m->np + s->free[r]];
  }
  return solve(s->n, s->matrix, s->x);
}

/* Newton's method for the goal; s->start is changed only where it comes nearer. */
static vv_status approach(shot *s, vv_arrival *out)
{
  double *trial = s->scratch + s->m->np, before = INFINITY;
  out->distance = shoot(s, s->start, true);
  for (int it = 0; it < ITERATIONS && out->distance > 0.0; it++, out->iterations++) {
    if (!correct(s))
      return vvi_fail(s->m->ctx, VV_ARG,
                      "%s: the end does not determine the start: a whole number of half periods of some vibration lies "
                      "between the two times; change 'time.end' or the step a little",
                      s->m->source);
    double part = 1.0, at = INFINITY;
    for (int i = 0; i < HALVINGS; i++, part *= 0.5) {
      memcpy(trial, s->start, sizeof(double) * (size_t)s->m->np);
      for (int64_t k = 0; k < s->n; k++) trial[s->free[k]] += part * s->x[k];
      at = shoot(s, trial, false);
      if (at < (1.0 - 0.25 * part) * out->distance) break;
    }
    if (!(at < out->distance)) break; /* rounding, or stuck */
    memcpy(s->start, trial, sizeof(double) * (size_t)s->m->np);
    before = out->distance;
    out->distance = shoot(s, s->start, true);
    if (out->distance > 0.5 * before && out->distance < 1e-9 * s->m->length_scale) break;
  }
  return VV_OK;
}

static bool is_there(const shot *s, const vv_arrival *out)
{
  return out->distance <= 1e-8 * s->m->length_scale;
}

/* All of the way at once; where that does not do, half of what is left of it, and so on: the goal leaves the part 1 - done. */
static vv_status seek(shot *s, vv_arrival *out)
{
  double *kept = s->goal + 2 * s->m->np, done = 0.0, part = 1.0;
  shoot(s, s->start, false);
  for (int64_t k = 0; k < s->n; k++) s->miss[k] = s->d[s->free[k]];
  while (done < 1.0 && part > 1.0 / 256.0) {
    const double to = fmin(1.0, done + part);
    memcpy(kept, s->start, sizeof(double) * (size_t)s->m->np);
    for (int64_t k = 0; k < s->n; k++) s->goal[k] = (1.0 - to) * s->miss[k];
    VV_TRY(approach(s, out));
    if (is_there(s, out)) {
      done = to, part *= 2.0;
    } else {
      memcpy(s->start, kept, sizeof(double) * (size_t)s->m->np);
      part *= 0.5;
    }
  }
  if (done >= 1.0) return VV_OK;
  return vvi_fail(
      s->m->ctx, VV_ARG,
      "%s: no momenta were found that lead to the end given, only %.3g of the way, after %d iterations; begin "
      "with a velocity that comes nearer, or take more time",
      s->m->source, done, out->iterations);
}

/* The two scenes have the same bodies, node by node; where they lie may differ, and what they are made of. */
static vv_status check_bodies(const vv_model *m, const vv_model *end)
{
  for (int i = 0; i < m->n_body; i++) {
    const vv_body *a = &m->body[i], *b = i < end->n_body ? &end->body[i] : NULL;
    if (b == NULL || strcmp(a->name, b->name) != 0 || a->kind != b->kind)
      return vvi_fail(m->ctx, VV_ARG, "%s: has a body '%s', and %s has %s%s%s in its place; give both the same bodies",
                      m->source, a->name, end->source, b != NULL ? "'" : "", b != NULL ? b->name : "none",
                      b != NULL ? "'" : "");
    if (a->n_node != b->n_node)
      return vvi_fail(m->ctx, VV_ARG, "%s: '%s' has %lld nodes, and in %s %lld; give both the same 'elements'",
                      m->source, a->name, (long long)a->n_node, end->source, (long long)b->n_node);
  }
  return VV_OK;
}

static vv_status check(const vv_model *m, const vv_state *from, const vv_model *end, const vv_state *to)
{
  VV_TRY(check_bodies(m, end));
  if (from->nq != m->nq || from->np != m->np || to->nq != end->nq || end->n_block != m->n_block)
    return vvi_fail(m->ctx, VV_ARG, "%s: the two states have different numbers of nodes", m->source);
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].nodes > 0 && (m->block[i].kind->vary == NULL || m->block[i].kind->vary->between == NULL))
      return vvi_fail(m->ctx, VV_UNSUPPORTED,
                      "%s: values at both times are for bars and beams, not for bodies of kind %s", m->source,
                      m->block[i].kind->name);
  if (m->stepper != &vv_leapfrog_stepper || m->order != 2)
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "%s: values at both times are for 'method: {step: leapfrog, order: 2}'",
                    m->source);
  if (m->pairs->n > 0 || m->solids != NULL || m->sheets != NULL || m->joints != NULL || vvi_sys_dissipates(m))
    return vvi_fail(m->ctx, VV_UNSUPPORTED,
                    "%s: values at both times are for bodies without joints that neither touch anything (`contacts: "
                    "[{response: none}]`) "
                    "nor flow, damp or break",
                    m->source);
  return VV_OK;
}

/* A place that a support holds is not free to arrive elsewhere. */
static vv_status check_held(shot *s)
{
  memcpy(s->q, s->from->q, sizeof(double) * (size_t)s->m->nq);
  const vv_block *stray = measure(s);
  if (stray != NULL)
    return vvi_fail(s->m->ctx, VV_ARG,
                    "%s: a %s of %s lies where no motion leads: it moves on its line alone ('axis', 'origin')",
                    s->m->source, stray->kind->name, s->end->source);
  for (int64_t k = 0; k < s->n; k++) s->d[s->free[k]] = 0.0;
  for (int64_t i = 0; i < s->m->np; i++)
    if (!(fabs(s->d[i]) <= 1e-9 * s->m->length_scale))
      return vvi_fail(s->m->ctx, VV_ARG, "%s: a support holds a node %.3g away from where it should arrive",
                      s->m->source, s->d[i]);
  return VV_OK;
}

static vv_status arrive(shot *s, vv_arrival *out)
{
  const int64_t np = s->m->np, nq = s->m->nq;
  double *real = calloc((size_t)(nq + 9 * np), sizeof(double));
  s->free = calloc((size_t)np, sizeof *s->free);
  if (real == NULL || s->free == NULL) {
    free(real);
    return VV_NOMEM;
  }
  s->q = real, s->p = s->q + nq, s->d = s->p + np, s->start = s->d + np, s->scratch = s->start + np;
  s->x = s->scratch + 2 * np, s->goal = s->x + np, s->miss = s->goal + np;
  find_free(s);
  memcpy(s->start, s->from->p, sizeof(double) * (size_t)np);
  vv_status status = check_held(s);
  if (status == VV_OK && s->n > MOST_UNKNOWNS)
    status = vvi_fail(s->m->ctx, VV_UNSUPPORTED, "%s: %lld unknowns; values at both times are for %d or fewer",
                      s->m->source, (long long)s->n, MOST_UNKNOWNS);
  double *big = status == VV_OK ? malloc(sizeof(double) * (size_t)(s->n * (2 * np + s->n) + 1)) : NULL;
  if (status == VV_OK && big == NULL) status = VV_NOMEM;
  if (status == VV_OK) {
    s->dq = big, s->dp = s->dq + s->n * np, s->matrix = s->dp + s->n * np;
    status = seek(s, out);
  }
  free(big);
  return status;
}

vv_status vv_sim_arrive(const vv_model *model, vv_state *from, const vv_model *end, const vv_state *to, vv_arrival *out)
{
  shot s = {.m = model, .end = end, .from = from, .to = to, .steps = model->steps};
  *out = (vv_arrival){0};
  VV_TRY(check(model, from, end, to));
  const vv_status status = arrive(&s, out);
  if (status == VV_OK) memcpy(from->p, s.start, sizeof(double) * (size_t)model->np);
  free(s.q);
  free(s.free);
  return status;
}
