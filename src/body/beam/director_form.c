/* body/beam/director_form.c  Residual and tangent of the energy-momentum step.  Derivations: docs/theory/beam.md. */
#include "body/beam/director.h"

#include "math/math.h"

#include <string.h>

typedef double lanes __attribute__((vector_size(ROW * sizeof(double)), aligned(sizeof(double)), may_alias));

/* ---- one element ---- */

/* c_k = d_ia x d_jb - d_ja x d_ib; d[3] of k stand behind each other. */
static inline void curvature_arms(const double *da, const double *db, double arm[9])
{
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3 * 3, j = (k + 2) % 3 * 3;
    double one[3], two[3];
    vvi_cross3(da + i, db + j, one);
    vvi_cross3(da + j, db + i, two);
    for (int c = 0; c < 3; c++) arm[3 * k + c] = one[c] - two[c];
  }
}

/* [beam 30] */
void beam_director_strain(const beam_body *k, const double xa[3], const double da[9], const double xb[3],
                          const double db[9], double e[6])
{
  double D[3];
  for (int c = 0; c < 3; c++) D[c] = xb[c] - xa[c];
  for (int i = 0; i < 3; i++) {
    const int m = (i + 1) % 3 * 3, n = (i + 2) % 3 * 3;
    e[i] = 0.5 / k->l * (vvi_dot3(da + 3 * i, D) + vvi_dot3(db + 3 * i, D)) - k->rest_strain[i];
    e[3 + i] = 0.5 / k->l * (vvi_dot3(da + n, db + m) - vvi_dot3(da + m, db + n)) - k->rest_curvature[i];
  }
}

/* The gradient of the strains at the mean, times (u, theta): see element_force. */
void beam_director_increment(const beam_body *k, const director_node *a, const director_node *b, double de[6])
{
  double D[3], du[3], turn[3], ta[3], tb[3], arm[9], half = 0.5 / k->l;
  for (int c = 0; c < 3; c++) D[c] = b->x[c] - a->x[c], du[c] = b->u[c] - a->u[c], turn[c] = b->theta[c] - a->theta[c];
  vvi_cross3(D, a->theta, ta);
  vvi_cross3(D, b->theta, tb);
  for (int c = 0; c < 3; c++) ta[c] += du[c], tb[c] += du[c];
  curvature_arms(a->d, b->d, arm);
  for (int i = 0; i < 3; i++) {
    de[i] = half * (vvi_dot3(a->d + 3 * i, ta) + vvi_dot3(b->d + 3 * i, tb));
    de[3 + i] = half * vvi_dot3(arm + 3 * i, turn);
  }
}

/* Stress of the mean strain, and what the element does to its two nodes.  With N = C1 (G_n + G_{n+1})/2, M likewise,
 * nu = sum N_i d_i at a node and m = sum M_k c_k/2:                                                                [beam 34]
 *   force on b: n = (nu_a + nu_b)/2, on a: -n;   moment on a: nu_a x D/2 - m, on b: nu_b x D/2 + m
 * The strain's increment is the same gradient times (u, theta), so the work is the change of energy to rounding:
 *   2 l (G_{n+1} - G_n)_i = d_ia.(du + D x theta_a) + d_ib.(du + D x theta_b),   2 l dK_k = c_k.(theta_b - theta_a) */
static inline void element_force(const beam_body *k, const director_node *a, const director_node *b,
                                 const double *strain, double *stress, double *ra, double *rb)
{
  double D[3], du[3], turn[3], ta[3], tb[3], arm[9], nu_a[3] = {0}, nu_b[3] = {0}, m[3] = {0}, half = 0.5 / k->l;
  for (int c = 0; c < 3; c++) D[c] = b->x[c] - a->x[c], du[c] = b->u[c] - a->u[c], turn[c] = b->theta[c] - a->theta[c];
  vvi_cross3(D, a->theta, ta);
  vvi_cross3(D, b->theta, tb);
  for (int c = 0; c < 3; c++) ta[c] += du[c], tb[c] += du[c];
  curvature_arms(a->d, b->d, arm);
  for (int i = 0; i < 3; i++) {
    const double dG = half * (vvi_dot3(a->d + 3 * i, ta) + vvi_dot3(b->d + 3 * i, tb));
    const double N = k->c1[i] * (strain[i] + 0.5 * dG);
    const double M = k->c2[i] * (strain[3 + i] + 0.5 * half * vvi_dot3(arm + 3 * i, turn));
    stress[i] = N, stress[3 + i] = M;
    for (int c = 0; c < 3; c++) {
      nu_a[c] += N * a->d[3 * i + c], nu_b[c] += N * b->d[3 * i + c];
      m[c] += 0.5 * M * arm[3 * i + c];
    }
  }
  vvi_cross3(nu_a, D, ta);
  vvi_cross3(nu_b, D, tb);
  for (int c = 0; c < 3; c++) {
    const double n = 0.5 * (nu_a[c] + nu_b[c]);
    ra[c] -= n, rb[c] += n;
    ra[3 + c] += 0.5 * ta[c] - m[c], rb[3 + c] += 0.5 * tb[c] + m[c];
  }
}

/* ---- residual ---- */

/* d = (1 - theta/2)^-1 d_n, dd = theta x d: nothing is lost by subtraction.                                        [beam 31] */
static inline void place_node(director_node *a)
{
  const double *t = a->theta, scale = 1.0 / (1.0 + 0.25 * vvi_dot3(t, t));
  for (int c = 0; c < 3; c++) a->x[c] = a->x0[c] + 0.5 * a->u[c], a->w[c] = a->u[c] - a->hv[c];
  for (int i = 0; i < 9; i += 3) {
    double side[3];
    const double along = 0.25 * vvi_dot3(t, a->d0 + i);
    vvi_cross3(t, a->d0 + i, side);
    for (int c = 0; c < 3; c++) a->d[i + c] = scale * (a->d0[i + c] + 0.5 * side[c] + along * t[c]);
    vvi_cross3(t, a->d + i, a->turn + i);
    for (int c = 0; c < 3; c++) a->w[3 + i + c] = a->turn[i + c] - a->hv[3 + i + c];
  }
}

void beam_director_place(director_node *a)
{
  place_node(a);
}

/* Inertia 2/h^2 M (dq - h v), loads: the part of the residual that needs no strains.                               [beam 35] */
static inline void node_residual(const director_body *w, director_node *a, const double *before, const double *behind,
                                 double *r)
{
  for (int c = 0; c < 3; c++) {
    r[c] = w->f * (a->mass[0] * a->w[c] + w->mass[0] * (before[c] + behind[c])) - a->load[c];
    r[3 + c] = -a->load[3 + c];
  }
  for (int i = 0; i < w->massive; i++) {
    double part[3], *y = a->y + 3 * i;
    for (int c = 0; c < 3; c++) {
      const int at = 3 + 3 * i + c;
      y[c] = w->f * (a->mass[1 + i] * a->w[at] + w->mass[1 + i] * (before[at] + behind[at]));
    }
    vvi_cross3(a->d + 3 * i, y, part);
    for (int c = 0; c < 3; c++) r[3 + c] += part[c];
  }
}

void beam_director_load(const director_body *w, const vv_load *load, int64_t i, bool prime, double out[6])
{
  const director_node *a = &w->node[i];
  double d[9], frame[9];
  for (int c = 0; c < 9; c++) d[c] = a->d[c] + (prime ? 0.5 * a->turn[c] : 0.0);
  frame_of(d, frame);
  beam_load_on(w->b, load, w->half, w->first + i, frame, out, out + 3);
}

static void follower_residual(const director_body *w)
{
  const vv_body *body = w->b->body[w->j];
  for (int32_t k = body->load0; k < body->load0 + body->n_load; k++) {
    const vv_load *load = &w->b->load[k];
    int64_t from, to;
    double out[6];
    beam_load_reach(w->b, w->j, load, &from, &to);
    for (int64_t i = from - w->first; load->follower && i < to - w->first; i++) {
      beam_director_load(w, load, i, false, out);
      for (int c = 0; c < 6; c++) w->r[ROW * i + c] -= out[c];
    }
  }
}

/* R_phi = r_phi, R_theta = sum_i d_i x r_{d_i}: the rows in which the constraints on the directors do not act.
 *                                                                                                            [beam 36] */
VV_HOT static void fill_residual(const director_body *w)
{
  static const double nothing[VELOCITIES] = {0};
  const int64_t n = w->n;
  for (int64_t i = 0; i < n; i++) place_node(&w->node[i]);
  for (int64_t i = 0; i < n; i++) {
    const double *before = i > 0 ? w->node[i - 1].w : w->t.ring ? w->node[n - 1].w : nothing;
    const double *behind = i + 1 < n ? w->node[i + 1].w : w->t.ring ? w->node[0].w : nothing;
    node_residual(w, &w->node[i], before, behind, w->r + ROW * i);
  }
  for (int64_t e = 0; e < w->elements; e++) {
    const int64_t a = e, b = e + 1 < n ? e + 1 : 0;
    element_force(w->k, &w->node[a], &w->node[b], w->strain + 6 * e, w->stress + 6 * e, w->r + ROW * a, w->r + ROW * b);
  }
}

void beam_director_residual(const director_body *w)
{
  fill_residual(w);
  if (w->follower) follower_residual(w);
  for (int64_t i = 0; w->push != NULL && i < ROW * w->n; i++) w->r[i] -= w->push[i];
}

/* ---- tangent ---- */

/* Adds to 3x3 parts of a block, stored by columns: at = 0 (u, u), 3 (theta, u), 24 (u, theta), 27 (theta, theta). */
enum { UU = 0, TU = 3, UT = 3 * ROW, TT = 3 * ROW + 3 };

static inline void add_identity(double *block, double s)
{
  block[0] += s, block[ROW + 1] += s, block[2 * ROW + 2] += s;
}

static inline void add_outer(double *block, double s, const double a[3], const double b[3])
{
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) block[ROW * j + i] += s * a[i] * b[j];
}

/* s times the matrix of a x */
static inline void add_cross(double *block, double s, const double a[3])
{
  block[1] += s * a[2], block[2] -= s * a[1];
  block[ROW] -= s * a[2], block[ROW + 2] += s * a[0];
  block[2 * ROW] += s * a[1], block[2 * ROW + 1] -= s * a[0];
}

/* s (a b^T - a.b) */
static inline void add_twist(double *block, double s, const double a[3], const double b[3])
{
  add_outer(block, s, a, b);
  add_identity(block, -s * vvi_dot3(a, b));
}

static inline void add_block(double *block, double s, const double m[3 * ROW])
{
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) block[ROW * j + i] += s * m[ROW * j + i];
}

/* What the tangent needs of a node at one time: G's gradients d x D/2 and the directors. */
typedef struct element_arms {
  double D[3], da[9], db[9], s[9], ga[9], gb[9], c[9];
} element_arms;

static inline void arms_of(const director_node *a, const director_node *b, double prime, element_arms *r)
{
  for (int c = 0; c < 3; c++) r->D[c] = b->x[c] - a->x[c] + prime * (b->u[c] - a->u[c]);
  for (int c = 0; c < 9; c++) {
    r->da[c] = a->d[c] + prime * a->turn[c], r->db[c] = b->d[c] + prime * b->turn[c];
    r->s[c] = 0.5 * (r->da[c] + r->db[c]);
  }
  for (int i = 0; i < 9; i += 3) {
    vvi_cross3(r->da + i, r->D, r->ga + i);
    vvi_cross3(r->db + i, r->D, r->gb + i);
  }
  for (int c = 0; c < 9; c++) r->ga[c] *= 0.5, r->gb[c] *= 0.5;
  curvature_arms(r->da, r->db, r->c);
}

/* The four blocks of an element: rows a and b, columns a and b. */
typedef struct element_blocks {
  double *aa, *ab, *ba, *bb;
} element_blocks;

/* Material part: gradient of the strains at the mean, times C/2, times their gradient at the end.              [beam 37a] */
static inline void add_material(const beam_body *k, const element_arms *m, const element_arms *p, element_blocks o)
{
  lanes aa[6] = {0}, ab[6] = {0}, ba[6] = {0}, bb[6] = {0};
  for (int i = 0; i < 3; i++) {
    const double *s = m->s + 3 * i, *ga = m->ga + 3 * i, *gb = m->gb + 3 * i, c1 = 0.5 * k->c1[i] / k->l;
    const double *c = m->c + 3 * i, c2 = 0.125 * k->c2[i] / k->l;
    const lanes row_a = {-s[0], -s[1], -s[2], ga[0], ga[1], ga[2]}, row_b = {s[0], s[1], s[2], gb[0], gb[1], gb[2]};
    const lanes bend = {0, 0, 0, c[0], c[1], c[2]};
    for (int j = 0; j < 3; j++) {
      const double u = c1 * p->s[3 * i + j], ta = c1 * p->ga[3 * i + j], tb = c1 * p->gb[3 * i + j];
      const lanes turn = bend * (c2 * p->c[3 * i + j]);
      aa[j] -= row_a * u, aa[3 + j] += row_a * ta + turn;
      ab[j] += row_a * u, ab[3 + j] += row_a * tb - turn;
      ba[j] -= row_b * u, ba[3 + j] += row_b * ta - turn;
      bb[j] += row_b * u, bb[3 + j] += row_b * tb + turn;
    }
  }
  for (int j = 0; j < 6; j++) {
    *(lanes *)(o.aa + ROW * j) += aa[j], *(lanes *)(o.ab + ROW * j) += ab[j];
    *(lanes *)(o.ba + ROW * j) += ba[j], *(lanes *)(o.bb + ROW * j) += bb[j];
  }
}

static inline void sum_directors(const double stress[3], const double d[9], double nu[3])
{
  for (int c = 0; c < 3; c++) nu[c] = stress[0] * d[c] + stress[1] * d[3 + c] + stress[2] * d[6 + c];
}

/* z_i = sum_j eps_ijk M_k d_j */
static inline void turned_directors(const double M[3], const double d[9], double z[9])
{
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int c = 0; c < 3; c++) z[3 * i + c] = M[k] * d[3 * j + c] - M[j] * d[3 * k + c];
  }
}

/* Geometric part: the stress stays, the directions turn.                                                        [beam 37b] */
static inline void add_geometric(const double *stress, const element_arms *m, const element_arms *p, element_blocks o)
{
  double nu_a[3], nu_b[3], pa[3], pb[3], za[9], zb[9], first[3 * ROW] = {0}, second[3 * ROW] = {0};
  sum_directors(stress, m->da, nu_a), sum_directors(stress, m->db, nu_b);
  sum_directors(stress, p->da, pa), sum_directors(stress, p->db, pb);
  add_cross(o.aa + UT, 0.25, pa), add_cross(o.ab + UT, 0.25, pb);
  add_cross(o.ba + UT, -0.25, pa), add_cross(o.bb + UT, -0.25, pb);
  add_cross(o.aa + TU, -0.25, nu_a), add_cross(o.ab + TU, 0.25, nu_a);
  add_cross(o.ba + TU, -0.25, nu_b), add_cross(o.bb + TU, 0.25, nu_b);
  add_twist(o.aa + TT, 0.25, pa, m->D), add_twist(o.bb + TT, 0.25, pb, m->D);
  turned_directors(stress + 3, m->db, zb), turned_directors(stress + 3, m->da, za);
  for (int i = 0; i < 9; i += 3) add_twist(first, 0.25, p->da + i, zb + i), add_twist(second, 0.25, p->db + i, za + i);
  add_block(o.aa + TT, -1.0, first), add_block(o.ab + TT, -1.0, second);
  add_block(o.ba + TT, 1.0, first), add_block(o.bb + TT, 1.0, second);
}

/* Inertia between neighbours. */
static inline void add_coupling(const director_body *w, const element_arms *m, const element_arms *p, element_blocks o)
{
  add_identity(o.ab + UU, w->f * w->mass[0]);
  add_identity(o.ba + UU, w->f * w->mass[0]);
  for (int i = 0; i < w->massive; i++) {
    add_twist(o.ab + TT, -w->f * w->mass[1 + i], p->db + 3 * i, m->da + 3 * i);
    add_twist(o.ba + TT, -w->f * w->mass[1 + i], p->da + 3 * i, m->db + 3 * i);
  }
}

/* Inertia of a node itself, and the turning of d in d x r.                                                       [beam 37c] */
static inline void node_tangent(const director_body *w, const director_node *a, double *block)
{
  add_identity(block + UU, w->f * a->mass[0]);
  for (int i = 0; i < w->massive; i++) {
    double prime[3];
    for (int c = 0; c < 3; c++) prime[c] = a->d[3 * i + c] + 0.5 * a->turn[3 * i + c];
    add_twist(block + TT, -w->f * a->mass[1 + i], prime, a->d + 3 * i);
    add_twist(block + TT, 0.5, prime, a->y + 3 * i);
  }
}

static void follower_tangent(const director_body *w)
{
  const vv_body *body = w->b->body[w->j];
  for (int32_t k = body->load0; k < body->load0 + body->n_load; k++) {
    const vv_load *load = &w->b->load[k];
    int64_t from, to;
    double out[6];
    beam_load_reach(w->b, w->j, load, &from, &to);
    for (int64_t i = from - w->first; load->follower && i < to - w->first; i++) {
      beam_director_load(w, load, i, true, out);
      add_cross(w->t.diagonal + VVI_BLOCK_REALS * i + UT, 0.5, out);
      add_cross(w->t.diagonal + VVI_BLOCK_REALS * i + TT, 0.5, out + 3);
    }
  }
}

/* d(residual) for nodes moved by u and turned by omega x d' at the end of the step.                              [beam 37] */
VV_HOT static void fill_tangent(const director_body *w)
{
  const int64_t n = w->n;
  memset(w->t.lower, 0, sizeof(double) * VVI_BLOCK_REALS * (size_t)n);
  memset(w->t.diagonal, 0, sizeof(double) * VVI_BLOCK_REALS * (size_t)n);
  memset(w->t.upper, 0, sizeof(double) * VVI_BLOCK_REALS * (size_t)n);
  for (int64_t i = 0; i < n; i++) node_tangent(w, &w->node[i], w->t.diagonal + VVI_BLOCK_REALS * i);
  for (int64_t e = 0; e < w->elements; e++) {
    const int64_t a = e, b = e + 1 < n ? e + 1 : 0;
    const element_blocks o = {w->t.diagonal + VVI_BLOCK_REALS * a, w->t.upper + VVI_BLOCK_REALS * a,
                              w->t.lower + VVI_BLOCK_REALS * b, w->t.diagonal + VVI_BLOCK_REALS * b};
    element_arms mean, prime;
    arms_of(&w->node[a], &w->node[b], 0.0, &mean);
    arms_of(&w->node[a], &w->node[b], 0.5, &prime);
    add_material(w->k, &mean, &prime, o);
    add_geometric(w->stress + 6 * e, &mean, &prime, o);
    add_coupling(w, &mean, &prime, o);
  }
}

void beam_director_tangent(const director_body *w)
{
  fill_tangent(w);
  if (w->follower) follower_tangent(w);
}
