/* body/beam/flow.c  Beams whose material flows or damps: fibres of the section, Maxwell branches.
 *
 * A fibre at (xi1, xi2) of the section has the strains                                                         [mat 21]
 *
 *   eps = G3 + K1 xi2 - K2 xi1,   gamma1 = G1 - K3 xi2,   gamma2 = G2 + K3 xi1
 *
 * (less those at rest), the stresses E (eps - e) and mu (gamma - g), and flows by [mat 4].  The elastic part keeps the
 * stiffnesses C1, C2 of the section: per length
 *
 *   W = 1/2 G.C1 G + 1/2 K.C2 K - n_p.G - m_p.K + sum w (E e^2 + mu g^2 + Hk (e^2 + g^2/3))/2,
 *
 * where n_p, m_p are the resultants of E e and mu g over the section.  So an element that has flowed is an elastic one whose
 * rest strains have moved by C1^-1 n_p and C2^-1 m_p; a branch k adds g_k times the elastic energy of its own strains. */
#include "body/beam/beam.h"

#include "ledger/ledger.h"
#include "math/math.h"

#include <string.h>

enum { SEGMENTS = 64, SHARED_FROM = 256 };

/* ---- words ---- */

static int fibre_counts(const vv_group *g, int count[2])
{
  const vv_group *m = vv_sub(g, "material");
  const bool round = vv_is(g, "section", "circle") || vv_is(g, "section", "tube");
  int n = 2;
  count[0] = round ? 3 : 5, count[1] = round ? 12 : 5;
  const double *given = vv_has(m, "fibres") ? vv_numbers(m, "fibres", &n) : NULL;
  for (int i = 0; given != NULL && n == 2 && i < 2; i++) count[i] = (int)given[i];
  return n;
}

/* A band of one element must be able to take the energy of breaking.                                          [mat 14] */
static vv_status read_failure(const vv_group *g, const vv_group *m, beam_inelastic *law)
{
  double slope;
  VV_TRY(vvi_failure_read(m, true, &law->failure));
  if (law->failure.strain == 0.0) return VV_OK;
  const double l = beam_length(g) / (double)vv_integer(g, "elements");
  const double stress = vvi_plastic_yield(&law->plastic, law->failure.strain, &slope);
  const double most = 2.0 * law->young * law->failure.energy / (stress * stress);
  law->damage = law->columns++;
  if (law->failure.energy == 0.0 || l < most) return VV_OK;
  return vv_complain(vv_sub(m, "failure"), "energy",
                     "elements of %.6g m store more than that: they must be shorter than 2 E G/s^2 = %.6g m", l, most);
}

vv_status beam_law_read(const vv_group *g, beam_inelastic *law)
{
  const vv_group *m = vv_sub(g, "material");
  const bool flows = vv_is(m, "law", "j2");
  int count[2];
  *law = (beam_inelastic){.young = vv_number(m, "young")};
  law->shear = law->young / (2.0 * (1.0 + vv_number(m, "poisson")));
  VV_TRY(flows ? vvi_plastic_read(m, true, &law->plastic) : vvi_plastic_refuse(m));
  VV_TRY(vvi_damping_read(g, &law->damping));
  const vv_group *damping = vv_has(g, "damping") ? vv_sub(g, "damping") : NULL;
  if (law->damping.stiffness > 0.0) return vv_complain(damping, "stiffness", "is for bars; beams take 'ratio'");
  if (law->damping.bulk > 0.0) return vv_complain(damping, "bulk", "is for bars");
  if (!flows && vv_has(m, "fibres")) return vv_complain(m, "fibres", "belongs to 'law: j2'");
  if (fibre_counts(g, count) != 2) return vv_complain(m, "fibres", "takes two numbers");
  if (count[0] * count[1] > BEAM_MOST_FIBRES)
    return vv_complain(m, "fibres", "are %d, more than %d", count[0] * count[1], BEAM_MOST_FIBRES);
  if (flows && vv_is(g, "section", "general"))
    return vv_complain(m, "law", "j2 needs the shape of the section, and 'general' gives only its moments");
  law->fibres = flows ? count[0] * count[1] : 0;
  law->glass = vvi_damping_glass(&law->damping);
  if (!flows && vv_has(m, "failure")) return vv_complain(m, "failure", "of beams belongs to 'law: j2'");
  if (!flows && law->damping.branches == 0.0) return VV_OK;
  if (vv_is(g, "strain", "trapezoid"))
    return vv_complain(g, "strain", "trapezoid is for elastic beams; use 'one-point' or 'cayley'");
  law->columns = BEAM_Z_FIBRES + BEAM_Z_FIBRE * law->fibres + BEAM_Z_BRANCH * law->damping.branches;
  return flows ? read_failure(g, m, law) : VV_OK;
}

/* Fibres in the middle of equal pieces of a rectangle, weighted so that their second moments are those of the section. */
static void fill_rectangle(double width, double height, const int count[2], beam_fibre *out)
{
  const double side[2] = {width, height};
  double scale[2];
  for (int c = 0; c < 2; c++) { /* midpoints have (1 - 1/n^2) of the second moment */
    const double n = count[c];
    scale[c] = n > 1 ? 1.0 / sqrt(1.0 - 1.0 / (n * n)) : 1.0;
  }
  for (int i = 0; i < count[0]; i++)
    for (int j = 0; j < count[1]; j++) {
      const double u = (i + 0.5) / count[0] - 0.5, v = (j + 0.5) / count[1] - 0.5;
      out[i * count[1] + j] =
          (beam_fibre){{scale[0] * u * side[0], scale[1] * v * side[1]}, width * height / (count[0] * count[1])};
    }
}

/* Rings of equal area, at the radius of their mean square: second moments are exact for four fibres in a ring and more. */
static void fill_round(double outer, double inner, const int count[2], beam_fibre *out)
{
  const double from = inner * inner, ring = (outer * outer - from) / count[0];
  for (int i = 0; i < count[0]; i++)
    for (int j = 0; j < count[1]; j++) {
      const double r = sqrt(from + (i + 0.5) * ring), angle = 2.0 * VV_PI * (j + 0.5 * (i % 2)) / count[1];
      out[i * count[1] + j] = (beam_fibre){{r * cos(angle), r * sin(angle)}, VV_PI * ring / count[1]};
    }
}

vv_status beam_fibres_fill(const vv_group *g, vv_fill *f)
{
  const beam_inelastic *law = beam_law_of(f->block, f->body_in_block);
  const vv_group *s = vv_sub(g, "section");
  int count[2];
  if (law->fibres == 0.0) return VV_OK;
  if (f->block->plan == NULL) f->block->plan = VVI_ARENA_NEW(f->arena, beam_fibres, f->block->n_body);
  beam_fibre *fibre = VVI_ARENA_NEW(f->arena, beam_fibre, (int64_t)law->fibres);
  if (f->block->plan == NULL || fibre == NULL) return vv_complain(g, NULL, "out of memory for its fibres");
  fibre_counts(g, count);
  if (vv_is(g, "section", "circle") || vv_is(g, "section", "tube"))
    fill_round(vv_number(s, "radius"), vv_is(g, "section", "tube") ? vv_number(s, "inner") : 0.0, count, fibre);
  else if (vv_is(g, "section", "square"))
    fill_rectangle(vv_number(s, "side"), vv_number(s, "side"), count, fibre);
  else
    fill_rectangle(vv_number(s, "width"), vv_number(s, "height"), count, fibre);
  ((beam_fibres *)f->block->plan)[f->body_in_block].fibre = fibre;
  return VV_OK;
}

/* ---- one element ---- */

typedef struct element {
  const beam_body *k;
  const beam_inelastic *law;
  const beam_fibre *fibre;
  double *z;
} element;

static element element_of(const vv_block *b, int32_t j, int64_t e, const double *q)
{
  const beam_inelastic *law = beam_law_of(b, j);
  const beam_fibres *plan = b->plan;
  return (element){.k = beam_of(b, j),
                   .law = law,
                   .fibre = law->fibres > 0.0 ? plan[j].fibre : NULL,
                   .z = (double *)q + b->z0 + b->body[j]->z0 + (int64_t)law->columns * e};
}

static double *fibre_of(const element *x, int i)
{
  return x->z + BEAM_Z_FIBRES + BEAM_Z_FIBRE * i;
}

static double *branch_of(const element *x, int i)
{
  return x->z + BEAM_Z_FIBRES + BEAM_Z_FIBRE * (int)x->law->fibres + BEAM_Z_BRANCH * i;
}

/* Elastic stiffness against strain c of six. */
static double stiffness(const element *x, int c)
{
  return (c < 3 ? x->k->c1 : x->k->c2)[c % 3];
}

/* How far the rest of strain c has moved. */
static double rest_moved(const element *x, int c)
{
  double sum = x->z[BEAM_Z_PLASTIC + c] / stiffness(x, c);
  for (int i = 0; i < (int)x->law->damping.branches; i++) sum += x->law->damping.part[i] * branch_of(x, i)[c];
  return sum / (1.0 + x->law->glass);
}

/* What is left of an element: 1 - its damage. */
static double left_of(const element *x)
{
  return x->law->damage > 0.0 ? 1.0 - x->z[(int)x->law->damage] : 1.0;
}

beam_body beam_flow_body(const vv_block *b, int32_t j, int64_t e, const double *q)
{
  const element x = element_of(b, j, e, q);
  const double glass = (1.0 + x.law->glass) * left_of(&x);
  beam_body felt = *x.k;
  for (int c = 0; c < 3; c++) {
    felt.rest[c] += rest_moved(&x, c), felt.c1[c] *= glass;
    felt.rest_psi[c] += x.k->l * rest_moved(&x, 3 + c), felt.c2[c] *= glass;
  }
  return felt;
}

/* Resultants of the strains e6. */
static void resultants(const element *x, const double e6[6], double out[6])
{
  for (int c = 0; c < 6; c++) {
    double sum = stiffness(x, c) * e6[c] - x->z[BEAM_Z_PLASTIC + c];
    for (int i = 0; i < (int)x->law->damping.branches; i++)
      sum += x->law->damping.part[i] * stiffness(x, c) * (e6[c] - branch_of(x, i)[c]);
    out[c] = left_of(x) * sum;
  }
}

/* Per length. */
static double energy(const element *x, const double e6[6])
{
  const double E = x->law->young, mu = x->law->shear, Hk = x->law->plastic.kinematic;
  double sum = 0.0;
  for (int i = 0; i < (int)x->law->fibres; i++) {
    const double *f = fibre_of(x, i);
    sum += 0.5 * x->fibre[i].area * ((E + Hk) * f[0] * f[0] + (mu + Hk / 3.0) * (f[1] * f[1] + f[2] * f[2]));
  }
  for (int c = 0; c < 6; c++) {
    sum += 0.5 * stiffness(x, c) * e6[c] * e6[c] - x->z[BEAM_Z_PLASTIC + c] * e6[c];
    for (int i = 0; i < (int)x->law->damping.branches; i++) {
      const double d = e6[c] - branch_of(x, i)[c];
      sum += 0.5 * x->law->damping.part[i] * stiffness(x, c) * d * d;
    }
  }
  return left_of(x) * sum;
}

void beam_flow_resultants(const vv_block *b, int32_t j, int64_t e, const double *q, const double e6[6], double out[6])
{
  const element x = element_of(b, j, e, q);
  resultants(&x, e6, out);
}

double beam_flow_energy(const vv_block *b, int32_t j, int64_t e, const double *q, const double e6[6])
{
  const element x = element_of(b, j, e, q);
  return x.k->l * energy(&x, e6);
}

double beam_flow_damage(const vv_block *b, int32_t j, int64_t e, const double *q)
{
  if (beam_is_elastic(b, j)) return 0.0;
  const element x = element_of(b, j, e, q);
  return 1.0 - left_of(&x);
}

void beam_broken(const vv_block *b, const double *q, int32_t j, unsigned char *out)
{
  for (int64_t e = 0; e < b->body[j]->n_element; e++) out[e] = beam_flow_damage(b, j, e, q) >= 1.0;
}

double beam_flow_alpha(const vv_block *b, int32_t j, int64_t e, const double *q)
{
  double most = 0.0;
  if (beam_is_elastic(b, j)) return 0.0;
  const element x = element_of(b, j, e, q);
  for (int i = 0; i < (int)x.law->fibres; i++) most = fmax(most, fibre_of(&x, i)[3]);
  return most;
}

/* ---- flow ---- */

/* Strains of a fibre: along, shear along d1, along d2. */
static void fibre_strain(const beam_fibre *f, const double e6[6], double out[3])
{
  out[0] = e6[2] + e6[3] * f->at[1] - e6[4] * f->at[0];
  out[1] = e6[0] - e6[5] * f->at[1];
  out[2] = e6[1] + e6[5] * f->at[0];
}

/* What flows: stress less back stress. */
static void fibre_stress(const beam_inelastic *law, const double strain[3], const double *z, double out[3])
{
  const double Hk = law->plastic.kinematic;
  out[0] = law->young * (strain[0] - z[0]) - Hk * z[0];
  for (int c = 1; c < 3; c++) out[c] = law->shear * (strain[c] - z[c]) - Hk / 3.0 * z[c];
}

/* Returns the plastic work per length of one fibre; its plastic strains grow.                            [mat 2, 4] */
static double flow_fibre(const element *x, int i, double h, const double before[6], const double now[6])
{
  const beam_inelastic *law = x->law;
  const double Hk = law->plastic.kinematic;
  double *z = fibre_of(x, i), strain[3], xi[3], xi0[3], old[3], work = 0.0;
  fibre_strain(&x->fibre[i], now, strain);
  fibre_stress(law, strain, z, xi);
  const double A = xi[0] * xi[0], B = 3.0 * (xi[1] * xi[1] + xi[2] * xi[2]);
  if (z[3] == 0.0 && !(A + B > law->plastic.yield * law->plastic.yield)) return 0.0;
  const vvi_returned r = vvi_plastic_return(&law->plastic, A, law->young + Hk, B, 3.0 * law->shear + Hk, z[3], h);
  if (r.dalpha == 0.0) return 0.0;
  memcpy(old, z, sizeof old);
  fibre_strain(&x->fibre[i], before, xi0);
  fibre_stress(law, xi0, old, xi0);
  z[0] += r.theta * r.x * xi[0];
  for (int c = 1; c < 3; c++) z[c] += 3.0 * r.theta * r.y * xi[c];
  z[3] += r.dalpha;
  fibre_stress(law, strain, z, xi);
  for (int c = 0; c < 3; c++) work += 0.5 * (xi0[c] + xi[c]) * (z[c] - old[c]);
  return x->fibre[i].area * work;
}

/* n_p and m_p from the fibres. */
static void sum_fibres(const element *x)
{
  double *n = x->z + BEAM_Z_PLASTIC;
  memset(n, 0, 6 * sizeof *n);
  for (int i = 0; i < (int)x->law->fibres; i++) {
    const beam_fibre *f = &x->fibre[i];
    const double *z = fibre_of(x, i);
    const double s = f->area * x->law->young * z[0], t1 = f->area * x->law->shear * z[1],
                 t2 = f->area * x->law->shear * z[2];
    n[0] += t1, n[1] += t2, n[2] += s;
    n[3] += s * f->at[1], n[4] -= s * f->at[0], n[5] += t2 * f->at[0] - t1 * f->at[1];
  }
}

typedef struct losses {
  double plastic, viscous, damage;
} losses;

/* Branches follow; returns what they take per length.                                                           [mat 9] */
static double flow_branches(const element *x, double h, const double before[6], const double now[6])
{
  double sum = 0.0;
  for (int i = 0; i < (int)x->law->damping.branches; i++) {
    double *a = branch_of(x, i);
    for (int c = 0; c < 6; c++) {
      const double old = a[c];
      a[c] = vvi_branch(0.5 * h / x->law->damping.time[i], old, before[c], now[c]);
      const double mean = 0.5 * ((before[c] - old) + (now[c] - a[c]));
      sum += x->law->damping.part[i] * stiffness(x, c) * mean * (a[c] - old);
    }
  }
  return sum;
}

/* The fibre that has flowed most breaks the whole section, linearly over a band of one element. */
static double damage_wanted(const element *x)
{
  const vvi_failure *f = &x->law->failure;
  double most = 0.0, slope;
  for (int i = 0; i < (int)x->law->fibres; i++) most = fmax(most, fibre_of(x, i)[3]);
  const double width = 2.0 * f->energy / (vvi_plastic_yield(&x->law->plastic, f->strain, &slope) * x->k->l);
  return most <= f->strain ? 0.0 : most - f->strain >= width ? 1.0 : (most - f->strain) / width;
}

/* Plasticity and branches of an element that is `left` before and after; damage takes the rest of the mean work of its
 * resultants that is not stored, so that the sum is exact whatever the split.                                 [mat 2, 14] */
static void flow_strains(const element *x, double h, const double before[6], const double now[6], losses *out)
{
  const double left0 = left_of(x), energy0 = x->law->damage > 0.0 ? energy(x, before) : 0.0;
  double force0[6] = {0}, force1[6], plastic = 0.0;
  if (x->law->damage > 0.0) resultants(x, before, force0);
  for (int i = 0; left0 > 0.0 && i < (int)x->law->fibres; i++) plastic += flow_fibre(x, i, h, before, now);
  if (plastic != 0.0) sum_fibres(x);
  const double viscous = flow_branches(x, h, before, now);
  double *damage = x->law->damage > 0.0 ? &x->z[(int)x->law->damage] : NULL;
  const double wanted = damage != NULL && plastic != 0.0 ? damage_wanted(x) : 0.0;
  if (damage == NULL || !(wanted > *damage)) {
    out->plastic += x->k->l * left0 * plastic, out->viscous += x->k->l * left0 * viscous;
    return;
  }
  *damage = wanted;
  resultants(x, now, force1);
  const double mean = 0.5 * (left0 + left_of(x));
  double work = energy0 - energy(x, now);
  for (int c = 0; c < 6; c++) work += 0.5 * (force0[c] + force1[c]) * (now[c] - before[c]);
  out->plastic += x->k->l * mean * plastic, out->viscous += x->k->l * mean * viscous;
  out->damage += x->k->l * (work - mean * (plastic + viscous));
}

static void flow_element(const vv_block *b, int32_t j, int64_t e, double h, const double *q, losses *out)
{
  const element x = element_of(b, j, e, q);
  const int32_t *node = b->element_node + 2 * (b->body[j]->element0 + e);
  double before[6], now[6];
  memcpy(before, x.z + BEAM_Z_STRAIN, sizeof before);
  beam_element_strain(b, j, q, node[0], node[1], now);
  memcpy(x.z + BEAM_Z_STRAIN, now, sizeof now);
  if (h != 0.0) flow_strains(&x, h, before, now, out);
}

static losses flow_range(const vv_block *b, int32_t j, int64_t from, int64_t to, double h, const double *q)
{
  losses sum = {0};
  for (int64_t e = from; e < to; e++) flow_element(b, j, e, h, q, &sum);
  return sum;
}

/* Segments follow from the length of the body: the same sums for any number of threads. */
void beam_flow(const vv_block *b, double h, double *q, const double *p, vv_posted *post)
{
  (void)p;
  for (int32_t j = 0; j < b->n_body; j++) {
    losses part[SEGMENTS];
    const int64_t n = b->body[j]->n_element;
    if (beam_is_elastic(b, j)) continue;
#pragma omp parallel for schedule(static) num_threads(b->threads) if (b->threads > 1 && n >= SHARED_FROM)
    for (int64_t s = 0; s < SEGMENTS; s++) part[s] = flow_range(b, j, n * s / SEGMENTS, n * (s + 1) / SEGMENTS, h, q);
    for (int s = 0; post != NULL && s < SEGMENTS; s++) {
      if (part[s].plastic != 0.0) vvi_sum_add(&post->plastic_work, part[s].plastic);
      if (part[s].viscous != 0.0) vvi_sum_add(&post->viscous_loss, part[s].viscous);
      if (part[s].damage != 0.0) vvi_sum_add(&post->damage_loss, part[s].damage);
    }
  }
}

/* ---- damping of momenta ---- */

/* Momenta and spins fade; held ones are zero already.                                                          [mat 11] */
static double fade_node(const vv_block *b, int32_t j, int64_t i, double keep, const double *q, double *p,
                        vv_posted *post)
{
  double x[3], frame[9], inertia[3], P[3], S[3], J[3], twist[3], energy;
  beam_get(b, q, i, x, frame);
  beam_inertia(b, beam_of(b, j), i, inertia);
  for (int c = 0; c < 3; c++) P[c] = p[(BEAM_P + c) * b->column + i], S[c] = p[(BEAM_S + c) * b->column + i];
  energy = 0.5 * beam_node(b, BEAM_INVERSE_MASS)[i] * vvi_dot3(P, P);
  for (int c = 0; c < 3; c++) {
    const double body = frame[c] * S[0] + frame[3 + c] * S[1] + frame[6 + c] * S[2];
    energy += 0.5 * body * body / inertia[c];
    p[(BEAM_P + c) * b->column + i] = keep * P[c], p[(BEAM_S + c) * b->column + i] = keep * S[c];
    J[c] = keep * P[c] - P[c], twist[c] = keep * S[c] - S[c];
  }
  beam_post_wrench(post, x, J, twist, 1.0);
  return energy * (1.0 - keep) * (1.0 + keep);
}

void beam_viscous(const vv_block *b, double h, const double *q, double *p, vv_posted *post)
{
  for (int32_t j = 0; j < b->n_body; j++) {
    const double rate = beam_law_of(b, j)->damping.mass;
    double loss = 0.0;
    if (rate == 0.0) continue;
    for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
      loss += fade_node(b, j, i, exp(-rate * h), q, p, post);
    vvi_sum_add(&post->viscous_loss, loss);
  }
}
