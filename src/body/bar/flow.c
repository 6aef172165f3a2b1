/* body/bar/flow.c  Bars whose material flows, damps or breaks.
 *
 * With the strain eps = (u_{e+1} - u_e)/l, s = eps - e of the elastic part, and D the damage where s > 0 (a crack that closes
 * carries pressure), an element has                                                                            [mat 8]
 *
 *   sigma = (1 - D) E s + sum_k g_k (eps - a_k),
 *   W/V   = (1 - D) E s^2/2 + Hk e^2/2 + sum_k g_k (eps - a_k)^2/2.
 *
 * A drift moves eps by h (v_{e+1} - v_e)/l.  Booked is the mean stress times the increment of what is inelastic: with it
 * H - (h^2/8) F.M^-1 F + posted is constant to rounding, whatever the laws do.                             [mat 2, 3, 14] */
#include "body/bar/bar.h"

#include "ledger/ledger.h"
#include "math/math.h"

enum { SEGMENTS = 64, SHARED_FROM = 16384 };

/* One element: lengths, and its places in the columns of the state. */
typedef struct element {
  const bar_inelastic *law;
  double l, eps, volume;
  double *z; /* of column 0 */
  int64_t n; /* to the next column */
} element;

static element element_of(const vv_block *b, int32_t j, int64_t e, const double *u)
{
  const vv_body *body = b->body[j];
  const bar_inelastic *law = bar_law_of(b, j);
  const double l = bar_element(b, BAR_LENGTH)[body->element0 + e], *at = u + body->node0 + e;
  return (element){.law = law,
                   .l = l,
                   .eps = (at[1] - at[0]) / l,
                   .volume = l * law->area,
                   .z = (double *)u + b->z0 + body->z0 + e,
                   .n = body->n_element};
}

static double *place(const element *x, int column)
{
  return x->z + column * x->n;
}

static double plastic_of(const element *x)
{
  return x->law->plastic.yield > 0.0 ? *place(x, BAR_Z_PLASTIC) : 0.0;
}

/* Damage that acts on an elastic strain s. */
static double damage_of(const element *x, double s)
{
  return x->law->damage >= 0.0 && s > 0.0 ? *place(x, (int)x->law->damage) : 0.0;
}

static double backbone(const element *x, double eps)
{
  const double s = eps - plastic_of(x);
  return (1.0 - damage_of(x, s)) * x->law->young * s;
}

static double stress(const element *x)
{
  const bar_inelastic *law = x->law;
  double sum = backbone(x, x->eps);
  for (int k = 0; k < (int)law->damping.branches; k++)
    sum += law->damping.part[k] * law->young * (x->eps - *place(x, (int)law->branch0 + k));
  return sum;
}

const double *bar_flow_column(const vv_block *b, int32_t j, int column, const double *u)
{
  const element x = element_of(b, j, 0, u);
  return x.z + column * x.n;
}

double bar_flow_force(const vv_block *b, int32_t j, int64_t e, const double *u)
{
  const element x = element_of(b, j, e, u);
  return x.law->area * stress(&x);
}

double bar_flow_energy(const vv_block *b, int32_t j, int64_t e, const double *u)
{
  const element x = element_of(b, j, e, u);
  const double p = plastic_of(&x), s = x.eps - p, E = x.law->young;
  double sum = 0.5 * (1.0 - damage_of(&x, s)) * E * s * s + 0.5 * x.law->plastic.kinematic * p * p;
  for (int k = 0; k < (int)x.law->damping.branches; k++) {
    const double d = x.eps - *place(&x, (int)x.law->branch0 + k);
    sum += 0.5 * x.law->damping.part[k] * E * d * d;
  }
  return x.volume * sum;
}

/* p_i += h (N_i - N_{i-1}): neighbours use the same N, so pairs cancel bit for bit. */
void bar_flow_kick(const vv_block *b, int32_t j, double h, const double *u, double *p)
{
  const vv_body *body = b->body[j];
  double before = 0.0;
  for (int64_t i = 0; i < body->n_node; i++) {
    const double behind = i + 1 < body->n_node ? bar_flow_force(b, j, i, u) : 0.0;
    p[body->node0 + i] += h * (behind - before);
    before = behind;
  }
}

/* ---- flow ---- */

typedef struct losses {
  double plastic, viscous, damage;
} losses;

/* Back stress of kinematic hardening; sigma - beta is what flows. */
static void flow_plastic(const element *x, double h, double eps0, losses *out)
{
  const vvi_plastic *p = &x->law->plastic;
  const double E = x->law->young, Hk = p->kinematic, modulus = E + Hk;
  double *e = place(x, BAR_Z_PLASTIC), *alpha = place(x, BAR_Z_ALPHA);
  const double e0 = *e, xi = E * (x->eps - e0) - Hk * e0;
  const vvi_returned r = vvi_plastic_return(p, xi * xi, modulus, 0.0, modulus, *alpha, h);
  if (r.dalpha == 0.0) return;
  const double s0 = eps0 - e0, d0 = damage_of(x, s0);
  *e += copysign(r.dalpha, xi), *alpha += r.dalpha;
  const double s1 = x->eps - *e, d1 = damage_of(x, s1);
  const double mean = 0.5 * E * ((1.0 - d0) * s0 + (1.0 - d1) * s1) - 0.5 * Hk * (e0 + *e);
  out->plastic += x->volume * mean * (*e - e0); /* [mat 2] */
}

static void flow_branches(const element *x, double h, double eps0, losses *out)
{
  const vvi_damping *d = &x->law->damping;
  for (int k = 0; k < (int)d->branches; k++) {
    double *a = place(x, (int)x->law->branch0 + k);
    const double before = *a;
    *a = vvi_branch(0.5 * h / d->time[k], before, eps0, x->eps);
    const double mean = 0.5 * ((eps0 - before) + (x->eps - *a));
    out->viscous += x->volume * (d->part[k] * x->law->young) * mean * (*a - before); /* [mat 9] */
  }
}

/* Linear softening over one element: the crack band.  Brittle: from the stress on, by the strain.  Plastic: from the plastic
 * strain on, by what flows more.                                                                              [mat 14] */
static double damage_wanted(const element *x, double s)
{
  const vvi_failure *f = &x->law->failure;
  const double E = x->law->young;
  double slope;
  if (f->stress > 0.0) {
    const double start = f->stress / E, end = fmax(start, 2.0 * f->energy / (f->stress * x->l));
    if (s <= start) return 0.0;
    return s >= end ? 1.0 : 1.0 - start * (end - s) / (s * (end - start));
  }
  const double more = *place(x, BAR_Z_ALPHA) - f->strain;
  const double width = 2.0 * f->energy / (vvi_plastic_yield(&x->law->plastic, f->strain, &slope) * x->l);
  return more <= 0.0 || s <= 0.0 ? 0.0 : more >= width ? 1.0 : more / width;
}

/* s0 and its damage before; what of the elastic strain is new was booked by flow_plastic. */
static void flow_damage(const element *x, double s0, double d0, losses *out)
{
  double *d = place(x, (int)x->law->damage);
  const double s1 = x->eps - plastic_of(x),
               wanted = s0 > 0.0 ? damage_wanted(x, s1) : 0.0; /* then the loss has its sign */
  if (wanted > *d) *d = wanted;
  out->damage += x->volume * 0.5 * x->law->young * s0 * s1 * (damage_of(x, s1) - d0); /* [mat 14] */
}

static void flow_element(const vv_block *b, int32_t j, int64_t e, double h, const double *u, const double *p,
                         losses *out)
{
  const element x = element_of(b, j, e, u);
  const int64_t i = b->body[j]->node0 + e;
  const double *minv = bar_node(b, BAR_INVERSE_MASS);
  const double eps0 = x.eps - h * (minv[i + 1] * p[i + 1] - minv[i] * p[i]) / x.l;
  const double s0 = eps0 - plastic_of(&x), d0 = damage_of(&x, s0);
  if (x.law->plastic.yield > 0.0 && d0 < 1.0) flow_plastic(&x, h, eps0, out);
  flow_branches(&x, h, eps0, out);
  if (x.law->damage >= 0.0) flow_damage(&x, s0, d0, out);
}

static losses flow_range(const vv_block *b, int32_t j, int64_t from, int64_t to, double h, const double *u,
                         const double *p)
{
  losses sum = {0};
  for (int64_t e = from; e < to; e++) flow_element(b, j, e, h, u, p, &sum);
  return sum;
}

/* Sums over segments that follow from the length alone: the same for any number of threads. */
static void flow_body(const vv_block *b, int32_t j, double h, const double *u, const double *p, vv_posted *post)
{
  losses part[SEGMENTS];
  const int64_t n = b->body[j]->n_element;
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->threads > 1 && n >= SHARED_FROM)
  for (int64_t s = 0; s < SEGMENTS; s++) part[s] = flow_range(b, j, n * s / SEGMENTS, n * (s + 1) / SEGMENTS, h, u, p);
  for (int s = 0; s < SEGMENTS; s++) {
    if (part[s].plastic != 0.0) vvi_sum_add(&post->plastic_work, part[s].plastic);
    if (part[s].viscous != 0.0) vvi_sum_add(&post->viscous_loss, part[s].viscous);
    if (part[s].damage != 0.0) vvi_sum_add(&post->damage_loss, part[s].damage);
  }
}

/* What a bar remembers of the configuration follows from its momenta: a drift of length 0 has nothing to do. */
void bar_flow(const vv_block *b, double h, double *u, const double *p, vv_posted *post)
{
  for (int32_t j = 0; h != 0.0 && j < b->n_body; j++)
    if (!bar_is_elastic(b, j)) flow_body(b, j, h, u, p, post);
}

/* ---- damping of momenta ---- */

/* Momenta of free nodes fade; the medium that takes them is outside.  Supports stay as they are.              [mat 11] */
static void fade(const vv_block *b, int32_t j, double rate, double h, double *p, vv_posted *post)
{
  const vv_body *body = b->body[j];
  const double *r = bar_body(b, j), *minv = bar_node(b, BAR_INVERSE_MASS), keep = exp(-rate * h);
  double loss = 0.0, impulse = 0.0, along[3];
  for (int64_t i = body->node0; i < body->node0 + body->n_node; i++) {
    if ((i == body->node0 && r[BAR_HELD_FIRST] != 0.0) ||
        (i == body->node0 + body->n_node - 1 && r[BAR_HELD_LAST] != 0.0))
      continue;
    const double before = p[i];
    p[i] *= keep;
    loss += 0.5 * minv[i] * (before - p[i]) * (before + p[i]), impulse += p[i] - before;
  }
  for (int c = 0; c < 3; c++) along[c] = impulse * r[BAR_AXIS + c];
  vvi_sum_add(&post->viscous_loss, loss);
  vvi_post_impulse(post, r + BAR_ORIGIN, along);
  post->impulse_abs += fabs(impulse);
}

/* Dashpots c_e = beta k_e + b sqrt(k_e m_e) between neighbours, one evaluation; booked is -vbar.J, the kinetic energy lost.
 * A held end gives to its support what it gets.                                                                [mat 12] */
static void rub(const vv_block *b, int32_t j, double h, double *p, vv_posted *post)
{
  const vv_body *body = b->body[j];
  const bar_inelastic *law = bar_law_of(b, j);
  const double *r = bar_body(b, j), *minv = bar_node(b, BAR_INVERSE_MASS);
  const double *k = bar_element(b, BAR_SPRING) + body->element0;
  const double *left = bar_element(b, BAR_MASS_LEFT) + body->element0;
  const double *right = bar_element(b, BAR_MASS_RIGHT) + body->element0;
  const int64_t first = body->node0, last = first + body->n_node - 1;
  double loss = 0.0, outside = 0.0, work = 0.0, before = 0.0, v = minv[first] * p[first];
  for (int64_t i = first; i <= last; i++) {
    const int64_t e = i - first;
    const double next = i < last ? minv[i + 1] * p[i + 1] : 0.0;
    double behind = 0.0;
    if (i < last) {
      const double dashpot = law->damping.stiffness * k[e] + law->damping.bulk * sqrt(k[e] * (left[e] + right[e]));
      behind = h * dashpot * (next - v);
    }
    const double impulse = behind - before;
    if ((i == first && r[BAR_HELD_FIRST] != 0.0) || (i == last && r[BAR_HELD_LAST] != 0.0)) {
      outside -= impulse, work -= impulse * v;
      loss -= impulse * v;
    } else {
      p[i] += impulse;
      loss -= impulse * (v + 0.5 * minv[i] * impulse);
    }
    before = behind, v = next;
  }
  double along[3];
  for (int c = 0; c < 3; c++) along[c] = outside * r[BAR_AXIS + c];
  vvi_sum_add(&post->viscous_loss, loss);
  if (outside == 0.0) return;
  vvi_sum_add(&post->external_work, work);
  vvi_post_impulse(post, r + BAR_ORIGIN, along);
  post->impulse_abs += fabs(outside);
}

void bar_viscous(const vv_block *b, double h, const double *u, double *p, vv_posted *post)
{
  (void)u;
  for (int32_t j = 0; j < b->n_body; j++) {
    const vvi_damping *d = &bar_law_of(b, j)->damping;
    if (d->mass > 0.0) fade(b, j, d->mass, h, p, post);
    if (d->stiffness > 0.0 || d->bulk > 0.0) rub(b, j, h, p, post);
  }
}
