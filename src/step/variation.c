/* step/variation.c  First variations through slabs and jumps; the symplectic, multisymplectic and Noether sums. */
#include "step/variation.h"

#include "math/math.h"

#include <string.h>

/* ---- set-up ---- */

typedef struct stream {
  uint64_t x;
} stream;

/* Uniform in [-1/2, 1/2): xorshift, the same on every machine. */
static double draw(stream *r)
{
  r->x ^= r->x << 13, r->x ^= r->x >> 7, r->x ^= r->x << 17;
  return (double)(r->x >> 11) * 0x1p-53 - 0.5;
}

static bool is_flat(const vv_block *b)
{
  return b->kind->vary->flight == NULL;
}

/* Random variations; momenta in proportion to the mass, so that both halves of the two-form are of one size. */
static void start_variation(struct vv_step *s, int k, stream *r)
{
  struct vvi_variation *v = s->vary;
  const vv_model *m = s->model;
  const double rate = isfinite(m->stable_step) ? 0.2 / m->stable_step : 1.0;
  memset(v->x, 0, sizeof(double) * (size_t)m->np);
  for (int64_t i = 0; i < m->np; i++) v->y[i] = 1.0;
  vvi_sys_vary_drift(m, 1.0, s->state->q, v->y, v->x, v->y); /* x = 1/m */
  for (int64_t i = 0; i < m->np; i++) {                      /* nothing where no node is, nor where one is held */
    const double q = draw(r), p = draw(r) * rate;
    v->dq[k][i] = v->x[i] > 0.0 ? q : 0.0, v->dp[k][i] = v->x[i] > 0.0 ? p / v->x[i] : 0.0;
  }
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (is_flat(b)) continue;
    const int64_t n = b->kind->node_p * b->column;
    double *size = v->x + b->p0, *mass = v->y + b->p0, *dq = v->dq[k] + b->p0, *dp = v->dp[k] + b->p0;
    memset(size, 0, sizeof(double) * (size_t)n);
    memset(mass, 0, sizeof(double) * (size_t)n);
    b->kind->vary->sizes(b, size, mass);
    for (int64_t j = 0; j < n; j++) dq[j] = draw(r) * size[j], dp[j] = draw(r) * rate * mass[j] * size[j];
  }
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (b->kind->vary->hold == NULL) continue;
    b->kind->vary->hold(b, v->dq[k] + b->p0), b->kind->vary->hold(b, v->dp[k] + b->p0);
  }
  for (int32_t i = 0; i < m->n_patch; i++) { /* supports do not vary */
    int32_t local;
    const vv_block *b = vvi_model_patch_block(m, i, &local);
    const vv_patch *p = &b->patch[local];
    if (p->held && p->node >= 0) v->dq[k][b->q0 + p->node] = v->dp[k][b->p0 + p->node] = 0.0;
  }
}

static bool inside(const vvi_domain *d, const vv_block *b, const vv_patch *p)
{
  return p->node >= 0 && d->share[b->p0 + p->node] > 0.0;
}

/* Marks what supports take from a random vector. */
static void mark_held(const vv_block *b, stream *r, double *x, double *y, unsigned char *border)
{
  const int64_t n = b->kind->node_p * b->column;
  if (b->kind->vary->hold == NULL) return;
  for (int64_t i = 0; i < n; i++) x[i] = y[i] = draw(r);
  b->kind->vary->hold(b, y);
  for (int64_t i = 0; i < n; i++) border[i] |= x[i] != y[i];
}

/* A node is at the border if part of its mass is outside, if it is held, or if it touches something outside; the nodes of
 * a curve touch only when they are struck. */
static void mark_border(const vv_model *m, vvi_domain *d)
{
  for (int64_t i = 0; i < m->np; i++) d->border[i] = d->share[i] != 0.0 && fabs(1.0 - d->share[i]) > 1e-12;
  for (int i = 0; i < m->pairs->n; i++) {
    const vvi_pair *c = &m->pairs->pair[i];
    if (c->curved) continue;
    const bool a = inside(d, c->block_a, c->patch_a), b = inside(d, c->block_b, c->patch_b);
    d->spring[i] = (a || c->patch_a->node < 0) && (b || c->patch_b->node < 0);
    if (a && !b) d->border[c->block_a->p0 + c->patch_a->node] = 1;
    if (b && !a) d->border[c->block_b->p0 + c->patch_b->node] = 1;
  }
  for (int32_t i = 0; i < m->n_patch; i++) {
    int32_t local;
    const vv_block *b = vvi_model_patch_block(m, i, &local);
    if (b->patch[local].held && inside(d, b, &b->patch[local])) d->border[b->p0 + b->patch[local].node] = 1;
  }
}

/* Elements that reach beyond their nodes may push one that has no mass of theirs: where a variation is felt from inside and from
 * outside, there is a border. */
static void mark_reach(const struct vv_step *s, stream *r, const vv_block *b, const vv_block *sub,
                       unsigned char *border)
{
  struct vvi_variation *v = s->vary;
  const int64_t n = b->kind->node_p * b->column;
  const double *q = s->state->q + b->q0;
  if (sub->inside == NULL || b->elements == 0) return;
  for (int64_t i = 0; i < n; i++) v->x[i] = draw(r), v->y[i] = v->z[i] = 0.0;
  b->kind->vary->kick(b, 1.0, q, v->x, v->y);
  sub->kind->vary->kick(sub, 1.0, q, v->x, v->z);
  for (int64_t i = 0; i < n; i++) border[i] |= v->z[i] != 0.0 && v->z[i] != v->y[i];
}

/* The first domain is everything; the others take a random run of elements of each body. */
static vv_status make_domain(struct vv_step *s, vvi_arena *arena, vvi_domain *d, bool all, stream *r)
{
  const vv_model *m = s->model;
  d->block = VVI_ARENA_NEW(arena, vv_block, m->n_block);
  d->share = VVI_ARENA_NEW(arena, double, m->np);
  d->border = VVI_ARENA_NEW(arena, unsigned char, m->np);
  d->spring = VVI_ARENA_NEW(arena, bool, m->pairs->n);
  d->base_last = VVI_ARENA_NEW(arena, double, m->np);
  for (int k = 0; k < VARY_U; k++) d->p_last[k] = VVI_ARENA_NEW(arena, double, m->np);
  if (!d->block || !d->share || !d->border || !d->spring || !d->base_last || !d->p_last[VARY_W]) return VV_NOMEM;
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    const bool nodes = b->elements == 0; /* bodies without elements: whole ones */
    unsigned char *in = VVI_ARENA_NEW(arena, unsigned char, nodes ? b->nodes : b->elements);
    d->block[i].node_real = VVI_ARENA_NEW(arena, double, b->kind->node_reals * b->stride);
    if (in == NULL || d->block[i].node_real == NULL) return VV_NOMEM;
    for (int32_t j = 0; j < b->n_body; j++) {
      const int64_t n = nodes ? b->body[j]->n_node : b->body[j]->n_element;
      const int64_t e0 = nodes ? b->body[j]->node0 : b->body[j]->element0;
      int64_t from = (int64_t)((draw(r) + 0.5) * (double)n), to = (int64_t)((draw(r) + 0.5) * (double)n);
      if (all) from = 0, to = n - 1;
      for (int64_t e = 0; e < n; e++) in[e0 + e] = (from <= e && e <= to) || (to <= e && e <= from);
    }
    b->kind->vary->restrict_to(b, in, &d->block[i], d->share + b->p0);
  }
  mark_border(m, d);
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    mark_held(b, r, s->vary->x + b->p0, s->vary->y + b->p0, d->border + b->p0);
    mark_reach(s, r, b, &d->block[i], d->border + b->p0);
  }
  return VV_OK;
}

static double two_form(int64_t n, const double *av, const double *aw, const double *bv, const double *bw,
                       double *abs_sum)
{
  double sum = 0.0;
  for (int64_t i = 0; i < n; i++) {
    const double x = av[i] * bw[i], y = aw[i] * bv[i];
    sum += x - y;
    *abs_sum += fabs(x) + fabs(y);
  }
  return sum;
}

/* The same and what the blocks add where they are not flat: p.[dq_V, dq_W].                                  [beam 71] */
static double form(const vv_model *m, const double *p, const double *av, const double *aw, const double *bv,
                   const double *bw, double *abs_sum)
{
  double sum = two_form(m->np, av, aw, bv, bw, abs_sum);
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    if (!is_flat(b)) sum += b->kind->vary->twist(b, p + b->p0, bv + b->p0, bw + b->p0, abs_sum);
  }
  return sum;
}

static vv_status place(struct vvi_variation *v, vvi_arena *arena, int64_t nq, int64_t np)
{
  for (int k = 0; k < VARY_ALL; k++) {
    v->dq[k] = VVI_ARENA_NEW(arena, double, np), v->dp[k] = VVI_ARENA_NEW(arena, double, np);
    v->dq0[k] = VVI_ARENA_NEW(arena, double, np), v->dph[k] = VVI_ARENA_NEW(arena, double, np);
    v->dk[k] = VVI_ARENA_NEW(arena, double, np), v->dp1[k] = VVI_ARENA_NEW(arena, double, np);
    if (!v->dq[k] || !v->dp[k] || !v->dq0[k] || !v->dph[k] || !v->dk[k] || !v->dp1[k]) return VV_NOMEM;
  }
  v->struck = VVI_ARENA_NEW(arena, unsigned char, np);
  v->kept = VVI_ARENA_NEW(arena, double, 4 * np);
  if (v->struck == NULL || v->kept == NULL) return VV_NOMEM;
  double **vector[] = {&v->q0,  &v->f0,  &v->df,       &v->x,        &v->y,      &v->z,      &v->p0,  &v->ph,
                       &v->f0d, &v->f1d, &v->begin[0], &v->begin[1], &v->end[0], &v->end[1], &v->rate};
  for (int i = 0; i < VV_COUNT(vector); i++)
    if ((*vector[i] = VVI_ARENA_NEW(arena, double, nq > np ? nq : np)) == NULL) return VV_NOMEM;
  return VV_OK;
}

/* A clamp acts on nodes inside, through the ghosts beyond a border: where all nodes are moved as one, forces change.  Momentum of a
 * sub-domain then comes from outside without a flux through its border, and there is no Noether sum. */
static bool is_clamped(const struct vv_step *s, stream *r)
{
  struct vvi_variation *v = s->vary;
  const vv_model *m = s->model;
  const size_t size = sizeof(double) * (size_t)m->np;
  double stiff = 0.0, moved = 0.0;
  for (int way = -1; way < 3; way++) { /* anyhow; then along an axis */
    for (int64_t i = 0; i < m->np; i++) v->x[i] = way < 0 ? draw(r) : 0.0;
    for (int i = 0; way >= 0 && i < m->n_block; i++)
      for (int64_t k = 0; m->block[i].kind->node_p > way && k < m->block[i].nodes; k++)
        v->x[m->block[i].p0 + way * m->block[i].column + k] = 1.0;
    memset(v->y, 0, size);
    vvi_sys_vary_kick(m, 1.0, s->state->q, v->x, v->y);
    double *most = way < 0 ? &stiff : &moved;
    for (int64_t i = 0; i < m->np; i++) *most = fmax(*most, fabs(v->y[i]));
  }
  return moved > 1e-9 * stiff; /* rounding is far below */
}

vv_status vvi_variation_create(struct vv_step *s, vvi_arena *arena)
{
  const vv_model *m = s->model;
  if (!vvi_sys_varies(m))
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "structure checks need body kinds that offer first variations");
  if ((m->stepper->claims & VV_SYMPLECTIC) == 0)
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "'step: %s' has no symplectic form; use leapfrog or event",
                    m->stepper->name);
  if (m->stepper == &vv_asynchronous_stepper)
    return vvi_fail(m->ctx, VV_UNSUPPORTED, "structure checks need one step for all elements");
  for (int i = 0; i < m->n_block; i++)
    if (m->block[i].n_load > 0)
      return vvi_fail(m->ctx, VV_UNSUPPORTED, "structure checks need a scene without loads and driven ends");
  if (m->stepper == &vv_leapfrog_stepper && (m->pairs->n_hard > 0 || m->solids != NULL || m->sheets != NULL))
    return vvi_fail(
        m->ctx, VV_UNSUPPORTED,
        "structure checks need 'step: event' where hard tips can touch, and no contact of surfaces and rigid "
        "bodies ('contacts: [{response: none}]', or a 'layer'): a response at whole steps has no symplectic "
        "form");
  struct vvi_variation *v = VVI_ARENA_NEW(arena, struct vvi_variation, 1);
  if (v == NULL) return VV_NOMEM;
  VV_TRY(place(v, arena, m->nq, m->np));
  if ((v->closed0 = VVI_ARENA_NEW(arena, double, m->pairs->n)) == NULL) return VV_NOMEM;
  v->model = m;
  v->kick0 = v->kick1 = 0.5;
  v->flat = v->spins = true;
  for (int i = 0; i < m->n_block; i++) {
    v->flat &= is_flat(&m->block[i]);
    v->spins &= m->block[i].nodes == 0 || m->block[i].kind->node_p >= 3;
  }
  s->vary = v;
  stream r = {88172645463325252u};
  start_variation(s, VARY_V, &r);
  start_variation(s, VARY_W, &r);
  v->start = form(m, s->state->p, v->dp[VARY_V], v->dp[VARY_W], v->dq[VARY_V], v->dq[VARY_W], &v->start_scale);
  v->by_slabs = m->stepper == &vv_leapfrog_stepper || m->stepper == &vv_variational_stepper || s->jump != VVI_MODIFIED;
  for (; v->by_slabs && v->n_domain < VARY_DOMAINS; v->n_domain++)
    VV_TRY(make_domain(s, arena, &v->domain[v->n_domain], v->n_domain == 0, &r));
  v->clamped = is_clamped(s, &r);
  return v->by_slabs ? vvi_grid_create(m, arena, &v->grid) : VV_OK;
}

/* ---- slabs ---- */

static int active(const struct vvi_variation *v)
{
  return v->pending ? VARY_ALL : VARY_U;
}

/* out = D(force)(q) dq, springs included */
void vvi_variation_force(struct vv_step *s, const double *closed, const double *q, const double *dq, double *out)
{
  memset(out, 0, sizeof(double) * (size_t)s->model->np);
  vvi_sys_vary_kick(s->model, 1.0, q, dq, out);
  vvi_springs_vary(s->model, closed, 1.0, q, dq, out);
}

void vvi_variation_slab_begin(struct vv_step *s, const double *f0)
{
  struct vvi_variation *v = s->vary;
  memcpy(v->q0, s->state->q, sizeof(double) * (size_t)s->model->nq);
  memcpy(v->p0, s->state->p, sizeof(double) * (size_t)s->model->np);
  memcpy(v->f0, f0, sizeof(double) * (size_t)s->model->np);
  memcpy(v->closed0, s->state->memory, sizeof(double) * (size_t)s->model->pairs->n);
  if (v->grid != NULL && !v->trial) vvi_grid_begin(v->grid, s->state->q, s->state->p);
  for (int k = 0; k < active(v); k++) memcpy(v->dq0[k], v->dq[k], sizeof(double) * (size_t)s->model->np);
}

static double dot(int64_t n, const double *x, const double *y)
{
  double sum = 0.0;
  for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

/* dph = dp + (h/2) df0 + (dh/2) f0 (or another part of h), at the configuration q0. */
static void vary_half_kick(struct vv_step *s, double h, double dh, const double *closed, const double *q0,
                           const double *dq0, const double *f0, const double *dp, double *dph)
{
  struct vvi_variation *v = s->vary;
  const int64_t n = s->model->np;
  vvi_variation_force(s, closed, q0, dq0, v->df);
  memcpy(dph, dp, sizeof(double) * (size_t)n);
  vvi_axpy(n, v->kick0 * h, v->df, dph);
  vvi_axpy(n, v->kick0 * dh, f0, dph);
}

/* Tangent of the drift from (q0, ph).  rate.dk is the variation of its kinetic energy: flat kinds v.dph.  With dk NULL only
 * dq and dph are moved. */
static void vary_drift(struct vv_step *s, double h, double dh, const double *q0, const double *ph, double *dq,
                       double *dph, double *dk)
{
  struct vvi_variation *v = s->vary;
  const vv_model *m = s->model;
  memcpy(v->y, ph, sizeof(double) * (size_t)m->np);
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &m->block[i];
    const int64_t n = b->kind->node_p * b->column;
    const double *q = q0 + b->q0, *p = ph + b->p0;
    double *d = dq + b->p0, *dp = dph + b->p0, *rate = v->rate + b->p0, *copy = v->y + b->p0;
    if (is_flat(b)) {
      b->kind->vary->drift(b, h, q, p, d, dp);
      b->kind->vary->drift(b, dh, q, p, d, copy);
      memset(rate, 0, sizeof(double) * (size_t)n);
      b->kind->vary->drift(b, 1.0, q, p, rate, copy); /* M^-1 ph */
      if (dk != NULL) memcpy(dk + b->p0, dp, sizeof(double) * (size_t)n);
      continue;
    }
    for (int64_t j = 0; j < n; j++) rate[j] = 1.0, copy[j] = 0.0;
    b->kind->vary->flight(b, h, dh, q, p, d, dp, copy);
    if (dk != NULL) memcpy(dk + b->p0, copy, sizeof(double) * (size_t)n);
  }
}

/* (dq, dp) over the slab, and dE = dK - 1/2 f0.dq0 - 1/2 f1.dq1 of its energy. */
static void vary_slab(struct vv_step *s, int k, double h, const double *f1)
{
  struct vvi_variation *v = s->vary;
  const int64_t n = s->model->np;
  vary_half_kick(s, h, v->dh[k], v->closed0, v->q0, v->dq0[k], v->f0, v->dp[k], v->dph[k]);
  memcpy(v->dp[k], v->dph[k], sizeof(double) * (size_t)n);
  vary_drift(s, h, v->dh[k], v->q0, v->ph, v->dq[k], v->dp[k], v->dk[k]);
  v->dE[k] = dot(n, v->rate, v->dk[k]) - v->kick0 * dot(n, v->f0, v->dq0[k]) - v->kick1 * dot(n, f1, v->dq[k]);
  v->dE_pair[k] += 0.5 * v->dE[k];
  memcpy(v->dp1[k], v->dp[k], sizeof(double) * (size_t)n);
  vvi_variation_force(s, s->state->memory, s->state->q, v->dq[k], v->df);
  vvi_axpy(n, v->kick1 * h, v->df, v->dp[k]);
  vvi_axpy(n, v->kick1 * v->dh[k], f1, v->dp[k]);
}

/* The slab after an event is done: now the variation of the impulse is known, dR = (dE target - dE)/dE_U. */
static void settle(struct vvi_variation *v)
{
  for (int k = 0; k < VARY_U; k++) {
    const double dr = (v->dE_target[k] - v->dE[k]) / v->dE[VARY_U];
    vvi_axpy(v->model->np, dr, v->dq[VARY_U], v->dq[k]);
    vvi_axpy(v->model->np, dr, v->dp[VARY_U], v->dp[k]);
    vvi_axpy(v->model->np, dr, v->dph[VARY_U], v->dph[k]);
    vvi_axpy(v->model->np, dr, v->dp1[VARY_U], v->dp1[k]);
    vvi_axpy(v->model->np, dr, v->dk[VARY_U], v->dk[k]);
    v->dh[k] += dr * v->dh[VARY_U];
    v->dE[k] += dr * v->dE[VARY_U];
  }
  v->pending = false;
}

/* ---- sub-domains ---- */

static void domain_force(const vv_model *m, const vvi_domain *d, const double *closed, const double *q, double *f)
{
  memset(f, 0, sizeof(double) * (size_t)m->np);
  for (int i = 0; i < m->n_block; i++)
    d->block[i].kind->kick(&d->block[i], 0.0, 1.0, q + d->block[i].q0, f + d->block[i].p0);
  for (int i = 0; i < m->pairs->n; i++) {
    const vvi_pair *c = &m->pairs->pair[i];
    if (c->compliance > 0.0 && closed[i] != 0.0 && d->spring[i])
      vvi_pair_pull(c, q, -vvi_pair_gap(c, q) / c->compliance, f);
  }
}

static void domain_vary_force(const vv_model *m, const vvi_domain *d, const double *closed, const double *q,
                              const double *dq, double *df)
{
  memset(df, 0, sizeof(double) * (size_t)m->np);
  for (int i = 0; i < m->n_block; i++) {
    const vv_block *b = &d->block[i];
    b->kind->vary->kick(b, 1.0, q + b->q0, dq + b->p0, df + b->p0);
  }
  for (int i = 0; i < m->pairs->n; i++) {
    const vvi_pair *c = &m->pairs->pair[i];
    if (c->compliance > 0.0 && closed[i] != 0.0 && d->spring[i])
      vvi_pair_pull(c, q, -vvi_pair_vary_gap(c, q, dq) / c->compliance, df);
  }
}

static void add_momentum(const vv_model *m, const double *q, const double *p, double sign, vvi_domain *d)
{
  vv_totals sum;
  vvi_sys_audit(m, q, p, &sum);
  for (int c = 0; c < 3; c++) d->noether[c] += sign * sum.p[c];
  d->noether_scale = fmax(d->noether_scale, sum.p_abs);
  for (int c = 0; c < 3; c++) d->noether_L[c] += sign * sum.L[c];
  d->noether_L_scale = fmax(d->noether_L_scale, sum.L_abs);
}

/* Gravity's impulses of a slab: what a sub-domain may gain without any flux.                                  [beam 76] */
static void domain_weight(struct vv_step *s, vvi_domain *d, double h)
{
  struct vvi_variation *v = s->vary;
  const vv_model *m = s->model;
  if (vvi_norm3(m->gravity) == 0.0) return;
  for (int end = 0; end < 2; end++) {
    vv_totals sum;
    memset(v->y, 0, sizeof(double) * (size_t)m->np);
    for (int i = 0; i < m->n_block; i++) {
      const vv_block *b = &m->block[i];
      if (b->kind->vary->weigh == NULL) continue;
      b->kind->vary->weigh(&d->block[i], (end == 0 ? v->kick0 : v->kick1) * h, v->y + b->p0);
    }
    vvi_sys_audit(m, end == 0 ? v->q0 : s->state->q, v->y, &sum);
    for (int c = 0; c < 3; c++) vvi_sum_add(&d->weight[c], sum.p[c]), vvi_sum_add(&d->weight_L[c], sum.L[c]);
  }
}

/* What the start of a slab contributes: everything at the very start, later only border nodes and event times.
 * new_p, new_E: momenta p0' and energy of this slab; base: plain momenta. */
static void domain_level(struct vv_step *s, vvi_domain *d, double *const new_p[], const double *base,
                         const double *new_E)
{
  struct vvi_variation *v = s->vary;
  const int64_t n = s->model->np;
  if (!d->started) {
    d->sum -= form(s->model, base, new_p[VARY_V], new_p[VARY_W], v->dq0[VARY_V], v->dq0[VARY_W], &d->scale);
    add_momentum(s->model, v->q0, base, -1.0, d);
    d->started = true;
    return;
  }
  memset(v->y, 0, sizeof(double) * (size_t)n);
  for (int64_t i = 0; i < n; i++) {
    if (!d->border[i] && !v->struck[i]) continue;
    const double x = (d->p_last[VARY_V][i] - new_p[VARY_V][i]) * v->dq0[VARY_W][i];
    const double y = (d->p_last[VARY_W][i] - new_p[VARY_W][i]) * v->dq0[VARY_V][i];
    d->sum += x - y;
    d->scale += fabs(x) + fabs(y);
    v->y[i] = d->base_last[i] - base[i];
  }
  add_momentum(s->model, v->q0, v->y, 1.0, d);
  for (int i = 0; i < s->model->n_block; i++) {
    const vv_block *b = &s->model->block[i];
    if (is_flat(b)) continue;
    d->sum += b->kind->vary->twist(b, v->y + b->p0, v->dq0[VARY_V] + b->p0, v->dq0[VARY_W] + b->p0, &d->scale);
  }
  const double x = (d->E_last[VARY_V] - new_E[VARY_V]) * v->dt[VARY_W];
  const double y = (d->E_last[VARY_W] - new_E[VARY_W]) * v->dt[VARY_V];
  d->sum -= x - y;
  d->scale += fabs(x) + fabs(y);
}

/* Momenta of the restricted Lagrangian: p0' = share ph - (h/2) f0', p1' = share ph1 + (h/2) f1', and their variations; ph
 * and ph1 are the momenta before and after the drift, which differ only where the space is not flat. */
static void domain_slab(struct vv_step *s, vvi_domain *d, double h, const double *ph1)
{
  struct vvi_variation *v = s->vary;
  const vv_model *m = s->model;
  const int64_t n = m->np;
  double *f0 = v->f0d, *f1 = v->f1d, *end[VARY_U] = {v->end[VARY_V], v->end[VARY_W]}, dE[VARY_U];
  double *start[VARY_U] = {v->begin[VARY_V], v->begin[VARY_W]};
  domain_force(m, d, v->closed0, v->q0, f0);
  domain_force(m, d, s->state->memory, s->state->q, f1);
  for (int k = 0; k < VARY_U; k++) {
    domain_vary_force(m, d, v->closed0, v->q0, v->dq0[k], v->df);
    for (int64_t i = 0; i < n; i++)
      start[k][i] = d->share[i] * v->dph[k][i] - v->kick0 * (h * v->df[i] + v->dh[k] * f0[i]);
    domain_vary_force(m, d, s->state->memory, s->state->q, v->dq[k], v->df);
    dE[k] = 0.0;
    for (int64_t i = 0; i < n; i++) {
      end[k][i] = d->share[i] * v->dp1[k][i] + v->kick1 * (h * v->df[i] + v->dh[k] * f1[i]);
      dE[k] +=
          d->share[i] * v->rate[i] * v->dk[k][i] - v->kick0 * f0[i] * v->dq0[k][i] - v->kick1 * f1[i] * v->dq[k][i];
    }
  }
  for (int64_t i = 0; i < n; i++) v->z[i] = d->share[i] * v->ph[i] - v->kick0 * h * f0[i];
  domain_level(s, d, start, v->z, dE);
  domain_weight(s, d, h);
  for (int64_t i = 0; i < n; i++) d->base_last[i] = d->share[i] * ph1[i] + v->kick1 * h * f1[i];
  for (int k = 0; k < VARY_U; k++) {
    memcpy(d->p_last[k], end[k], sizeof(double) * (size_t)n);
    d->E_last[k] = dE[k];
  }
}

/* A node belongs to the border of every sub-domain while something pushes it that is in none of them. */
static void strike_node(struct vv_step *s, const vv_block *b, int64_t node)
{
  for (int k = 0; k < b->kind->node_p; k++) s->vary->struck[b->p0 + k * b->column + node] = 1;
}

/* A point of a surface stands on several nodes: those that a pull there reaches. */
static void strike_surface(struct vv_step *s, const vvi_pair *c)
{
  struct vvi_variation *v = s->vary;
  memset(v->y, 0, sizeof(double) * (size_t)s->model->np);
  vvi_pair_pull(c, s->state->q, 1.0, v->y);
  for (int64_t i = 0; i < s->model->np; i++) v->struck[i] |= v->y[i] != 0.0;
}

static void strike_layers(struct vv_step *s)
{
  const struct vvi_pairs *list = s->model->pairs;
  for (int i = 0; list->n_layer > 0 && i < list->n; i++) {
    const vvi_pair *c = &list->pair[i];
    if (!c->layer || s->state->memory[i] == 0.0) continue;
    if (c->patch_a->type == VV_PATCH_SURFACE) strike_surface(s, c);
    if (c->patch_a->type != VV_PATCH_CURVE) continue;
    strike_node(s, c->block_a, vvi_pair_node(c));
    if (c->patch_b->node >= 0) strike_node(s, c->block_b, c->patch_b->node + (int64_t)c->point_b.xi[0]);
  }
}

void vvi_variation_slab_end(struct vv_step *s, double h, const double *ph, const double *f1)
{
  struct vvi_variation *v = s->vary;
  memcpy(v->ph, v->flat ? ph : v->p0, sizeof(double) * (size_t)s->model->np);
  if (!v->flat) vvi_axpy(s->model->np, v->kick0 * h, v->f0, v->ph);
  for (int k = 0; k < active(v); k++) vary_slab(s, k, h, f1);
  if (v->trial) return;
  if (v->pending) settle(v);
  if (v->grid != NULL) {
    memcpy(v->x, ph, sizeof(double) * (size_t)s->model->np);
    vvi_axpy(s->model->np, v->kick1 * h, f1, v->x);
    vvi_grid_end(v->grid, h, v->q0, v->ph, s->state->q, ph, v->x);
  }
  for (int i = 0; i < v->n_domain; i++) domain_slab(s, &v->domain[i], h, ph);
  for (int k = 0; k < VARY_U; k++) v->dt[k] += v->dh[k];
  memset(v->struck, 0, (size_t)s->model->np);
  strike_layers(s);
}

/* ---- events ---- */

bool vvi_variation_knows(const vvi_pair *c)
{
  return !c->curved || (c->patch_b->type == VV_PATCH_PLANE && c->patch_a->corners == 1 && c->friction <= 0.0);
}

/* A slab from (q, p): how the gap at its end varies when dq, dp and its length do, the end being near enough to q that the
 * normal is the same (planes). */
static double vary_end_gap(struct vv_step *s, const vvi_pair *c, double h, double dh, const double *dq,
                           const double *dp)
{
  struct vvi_variation *v = s->vary;
  const int64_t n = s->model->np;
  memcpy(v->z, dq, sizeof(double) * (size_t)n);
  vary_half_kick(s, h, dh, s->state->memory, s->state->q, dq, v->f0d, dp, v->f1d);
  vary_drift(s, h, dh, s->state->q, v->ph, v->z, v->f1d, NULL);
  return vvi_pair_vary_gap(c, s->state->q, v->z);
}

/* dh = -(grad g.dq1)/(grad g.dq1/dh)                                                                         [beam 77] */
static void cut_curved(struct vv_step *s, const vvi_pair *c, double h, const double *f)
{
  struct vvi_variation *v = s->vary;
  const size_t size = sizeof(double) * (size_t)s->model->np;
  memcpy(v->f0d, f, size);
  memcpy(v->ph, s->state->p, size);
  vvi_axpy(s->model->np, 0.5 * h, f, v->ph);
  memset(v->x, 0, size);
  const double slope = vary_end_gap(s, c, h, 1.0, v->x, v->x);
  for (int k = 0; k < active(v); k++) v->dh[k] = -vary_end_gap(s, c, h, 0.0, v->dq[k], v->dp[k]) / slope;
}

void vvi_variation_cut(struct vv_step *s, const vvi_pair *c, double h, const double *f)
{
  struct vvi_variation *v = s->vary;
  const double *q = s->state->q;
  if (c->curved) {
    cut_curved(s, c, h, f);
    return;
  }
  const double slope = vvi_pair_rate(c, q, s->state->p) + h * vvi_pair_rate(c, q, f);
  for (int k = 0; k < active(v); k++) {
    vvi_variation_force(s, s->state->memory, q, v->dq[k], v->df);
    const double dg = vvi_pair_vary_gap(c, q, v->dq[k]) + h * vvi_pair_rate(c, q, v->dp[k]) +
                      0.5 * h * h * vvi_pair_rate(c, q, v->df);
    v->dh[k] = -dg / slope;
  }
}

void vvi_variation_to_grid(struct vv_step *s)
{
  struct vvi_variation *v = s->vary;
  for (int k = 0; k < VARY_U; k++) v->dh[k] = -v->dt[k];
  v->dh[VARY_U] = 0.0;
}

void vvi_variation_try_pair(struct vv_step *s, double stiff)
{
  struct vvi_variation *v = s->vary;
  const int64_t n = s->model->np;
  const size_t size = sizeof(double) * (size_t)n;
  for (int k = 0; k < VARY_U; k++) {
    memcpy(v->kept + 2 * k * n, v->dq[k], size), memcpy(v->kept + (2 * k + 1) * n, v->dp[k], size);
    v->dh[k] = 0.0;
  }
  memset(v->dq[VARY_U], 0, size), memset(v->dp[VARY_U], 0, size);
  v->dh[VARY_U] = 0.5;
  for (int k = 0; k < VARY_ALL; k++) v->dE_pair[k] = k == VARY_U ? stiff : 0.0;
  v->trial = v->pending = true;
}

/* dh = (dE target - dE)/dE_U */
void vvi_variation_take_pair(struct vv_step *s)
{
  struct vvi_variation *v = s->vary;
  const int64_t n = s->model->np;
  const size_t size = sizeof(double) * (size_t)n;
  for (int k = 0; k < VARY_U; k++) {
    memcpy(v->dq[k], v->kept + 2 * k * n, size), memcpy(v->dp[k], v->kept + (2 * k + 1) * n, size);
    v->dh[k] = 0.5 * (v->dE_target[k] - v->dE_pair[k]) / v->dE_pair[VARY_U];
  }
  v->trial = v->pending = false;
}

void vvi_variation_first_pair(struct vv_step *s)
{
  struct vvi_variation *v = s->vary;
  memcpy(v->dE_target, v->dE_pair, sizeof v->dE_target);
  v->timed = true;
}

/* The node of a curve that has just had an impulse, until the next slab. */
static void strike(struct vv_step *s, const vvi_pair *c)
{
  if (c->curved) strike_node(s, c->block_a, vvi_pair_node(c));
}

void vvi_variation_jump(struct vv_step *s, const vvi_pair *c, const double d_impulse[VARY_U])
{
  struct vvi_variation *v = s->vary;
  strike(s, c);
  for (int k = 0; k < VARY_U; k++) vvi_pair_pull(c, s->state->q, d_impulse[k], v->dp[k]);
}

void vvi_variation_jump_open(struct vv_step *s, const vvi_pair *c)
{
  struct vvi_variation *v = s->vary;
  strike(s, c);
  memset(v->dq[VARY_U], 0, sizeof(double) * (size_t)s->model->np);
  memset(v->dp[VARY_U], 0, sizeof(double) * (size_t)s->model->np);
  vvi_pair_pull(c, s->state->q, 1.0, v->dp[VARY_U]);
  for (int k = 0; k < VARY_U; k++) v->dE_target[k] = v->dE[k];
  v->pending = true;
}

void vvi_variation_stop(struct vv_step *s, double t)
{
  s->vary->over = true;
  s->vary->over_time = t;
}

/* ---- verdict ---- */

void vvi_variation_step_end(struct vv_step *s)
{
  struct vvi_variation *v = s->vary;
  const vv_model *m = s->model;
  double scale = v->start_scale;
  double now = form(m, s->state->p, v->dp[VARY_V], v->dp[VARY_W], v->dq[VARY_V], v->dq[VARY_W], &scale);
  if (v->timed)
    now -= two_form(1, &v->dE_target[VARY_V], &v->dE_target[VARY_W], &v->dt[VARY_V], &v->dt[VARY_W], &scale);
  if (!isfinite(now)) { /* a drift that no variation follows */
    vvi_variation_stop(s, s->state->t);
    return;
  }
  if (v->timed)
    scale = v->largest = fmax(v->largest, scale); /* times vary much where a contact begins: rounding stays */
  v->symplectic = fmax(v->symplectic, fabs(now - v->start) / scale);
  for (int k = 0; k < VARY_U && !v->timed; k++) v->dt[k] = 0.0; /* a whole step: exactly zero, rounding removed */
  for (int i = 0; i < v->n_domain; i++) {
    vvi_domain *d = &v->domain[i];
    if (!d->started) continue;
    double sum_scale = d->scale, total;
    total =
        d->sum + form(m, d->base_last, d->p_last[VARY_V], d->p_last[VARY_W], v->dq[VARY_V], v->dq[VARY_W], &sum_scale);
    total -= two_form(1, &d->E_last[VARY_V], &d->E_last[VARY_W], &v->dt[VARY_V], &v->dt[VARY_W], &sum_scale);
    v->multisymplectic = fmax(v->multisymplectic, fabs(total) / sum_scale);
    const vvi_domain kept = *d;
    add_momentum(m, s->state->q, d->base_last, 1.0, d);
    for (int c = 0; c < 3 && !v->clamped && d->noether_scale > 0.0; c++)
      v->noether = fmax(v->noether, fabs(d->noether[c] - vv_sum_value(&d->weight[c])) / d->noether_scale);
    for (int c = 0; c < 3 && v->spins && !v->clamped && d->noether_L_scale > 0.0; c++)
      v->noether = fmax(v->noether, fabs(d->noether_L[c] - vv_sum_value(&d->weight_L[c])) / d->noether_L_scale);
    memcpy(d->noether, kept.noether, sizeof d->noether);
    memcpy(d->noether_L, kept.noether_L, sizeof d->noether_L);
  }
}
