/* tests/claims/test_bodies.c  Every body kind of the catalog must be what its table says.  A new kind is tested by being
 * listed: the scene is its own example. */
#include "check.h"
#include "run.h"

#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

static uint64_t seed = 1;
static double draw(void)
{
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) * 0x1p-53 - 0.5;
}

/* Two bodies of the kind, far from touching, beside a bar so that even an obstacle has a moving partner. */
static run_record scene_of(const vv_body_kind *kind)
{
  char text[TEXT];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1}\nmethod: {step: leapfrog}\ncontacts: [{response: none}]\nbodies:\n"
           "  one: %s\n  two: %s\n"
           "  bar: {kind: bar, length: 1, elements: 3, material: {young: 1, density: 1}, section: {area: 1}}\n",
           kind->example, kind->example);
  return run_prepare(text, NULL);
}

static const vv_block *block_of(const run_record *r, const vv_body_kind *kind)
{
  for (int i = 0; i < r->model->n_block; i++)
    if (r->model->block[i].kind == kind) return &r->model->block[i];
  fail_msg("%s has no block", kind->name);
  return NULL;
}

static double *random_vector(int64_t n, double size)
{
  double *x = calloc((size_t)n + 1, sizeof *x);
  for (int64_t i = 0; i < n; i++) x[i] = size * draw();
  return x;
}

static int64_t size_q(const vv_block *b)
{
  return b->kind->node_q * b->column;
}
static int64_t size_p(const vv_block *b)
{
  return b->kind->node_p * b->column;
}

static double *copy(int64_t n, const double *x)
{
  double *y = random_vector(n, 0.0);
  if (n > 0) memcpy(y, x, (size_t)n * sizeof *y);
  return y;
}

static vv_totals totals(const vv_block *b, const double *q, const double *p)
{
  vv_totals sum = {0};
  b->kind->audit(b, q, p, &sum);
  return sum;
}

static double energy(const vv_block *b, const double *q, const double *p)
{
  const vv_totals sum = totals(b, q, p);
  return sum.strain + sum.potential;
}

/* a.M^-1 c, from the audited kinetic energy alone: K(a + c) - K(a) - K(c), with both brought to one size first. */
static double metric(const vv_block *b, const double *q, const double *a, const double *c)
{
  const int64_t n = size_p(b);
  const double ka = totals(b, q, a).kinetic, kc = totals(b, q, c).kinetic,
               f = ka > 0.0 && kc > 0.0 ? sqrt(ka / kc) : 1.0;
  double *up = copy(n, a), *down = copy(n, a);
  for (int64_t i = 0; i < n; i++) up[i] += f * c[i], down[i] -= f * c[i];
  const double dot = 0.5 * (totals(b, q, up).kinetic - totals(b, q, down).kinetic) / f;
  free(up), free(down);
  return dot;
}

/* A momentum that moves places at a speed of about 1. */
static double *random_momentum(const vv_block *b, const double *q)
{
  double *p = random_vector(size_p(b), 1.0);
  for (int c = 0; c < b->kind->node_p; c++) /* nothing in the padding of the columns */
    for (int64_t i = b->nodes; i < b->column; i++) p[c * b->column + i] = 0.0;
  const vv_totals sum = totals(b, q, p);
  for (int64_t i = 0; sum.kinetic > 0.0 && i < size_p(b); i++) p[i] *= 0.5 * sum.p_abs / sum.kinetic;
  return p;
}

/* A configuration of the kind: the example's own, moved a little everywhere. */
static double *random_place(const vv_block *b, const run_record *r)
{
  double *q = copy(size_q(b), r->state->q + b->q0), *p = random_momentum(b, q);
  b->kind->drift(b, 0.02, q, p);
  free(p);
  return q;
}

/* dV along a free drift with momentum u, by differences of fourth order */
static double slope(const vv_block *b, const double *q, const double *u, double h)
{
  double v[4];
  for (int k = 0; k < 4; k++) {
    static const double at[] = {1.0, -1.0, 0.5, -0.5};
    double *q1 = copy(size_q(b), q), *p1 = copy(size_p(b), u);
    b->kind->drift(b, at[k] * h, q1, p1);
    v[k] = energy(b, q1, p1);
    free(q1), free(p1);
  }
  return (8.0 * (v[2] - v[3]) - (v[0] - v[1])) / (6.0 * h);
}

/* kick(1) gives minus the gradient of the audited potential energy: dV = -F.M^-1 u along every drift with momentum u. */
static void kick_is_gradient(const vv_block *b, const run_record *r)
{
  if (b->nodes == 0) return;
  double *q = random_place(b, r), *f = random_vector(size_p(b), 0.0);
  b->kind->kick(b, 0.0, 1.0, q, f);
  for (int k = 0; k < 20; k++) {
    double *u = random_momentum(b, q);
    const double size = sqrt(totals(b, q, f).kinetic * totals(b, q, u).kinetic);
    check_near(slope(b, q, u, 1e-3), -metric(b, q, f, u), 1e-9 * size);
    free(u);
  }
  free(q), free(f);
}

/* A point of a patch: of a solid at any copy, with any arm. */
static vv_point random_point(const vv_block *b, int32_t patch)
{
  vv_point pt = {.patch = patch};
  if (b->patch[patch].type != VV_PATCH_SOLID) return pt;
  pt.xi[0] = floor((0.5 + draw()) * (double)b->patch[patch].nodes);
  for (int c = 0; c < 3; c++) pt.arm[c] = draw();
  return pt;
}

/* pull is the transpose of push in the mass metric: w.r = p.M^-1 (J^T r), and inverse_mass = push after pull */
static void pull_is_transpose(const vv_block *b, const run_record *r)
{
  for (int32_t i = 0; i < b->patches; i++) {
    double *q = random_place(b, r), *p = random_momentum(b, q), *jr = random_vector(size_p(b), 0.0);
    const vv_point pt = random_point(b, i);
    double w[3], f[3] = {draw(), draw(), draw()}, a[6], u[3], left = 0.0;
    b->kind->push(b, q, p, 1, &pt, w);
    b->kind->pull(b, q, 1, &pt, f, jr);
    for (int c = 0; c < 3; c++) left += w[c] * f[c];
    if (!b->patch[i].held) check_near(left, metric(b, q, p, jr), 1e-13 * (fabs(left) + 1.0));
    b->kind->push(b, q, jr, 1, &pt, u);
    b->kind->inverse_mass(b, q, 1, &pt, a);
    const double full[3] = {a[0] * f[0] + a[5] * f[1] + a[4] * f[2], a[5] * f[0] + a[1] * f[1] + a[3] * f[2],
                            a[4] * f[0] + a[3] * f[1] + a[2] * f[2]};
    for (int c = 0; c < 3; c++) check_near(u[c], full[c], 1e-13 * (fabs(u[c]) + 1.0));
    free(q), free(p), free(jr);
  }
}

/* The points of a patch that lie at nodes move as the movers of these nodes say: w = velocity + spin x arm, and
 * inverse_mass = 1/m - arm^ I^-1 arm^; turn is a rotation. */
static void movers_agree(const vv_block *b, const run_record *r)
{
  static const int packed[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
  if (b->kind->movers == NULL || b->nodes == 0) return;
  double *q = random_place(b, r), *p = random_momentum(b, q);
  vv_mover *m = calloc((size_t)b->nodes, sizeof *m);
  b->kind->movers(b, q, p, m);
  for (int32_t i = 0; i < b->patches; i++) {
    const vv_point pt = random_point(b, i);
    const bool corner = b->patch[i].type == VV_PATCH_SURFACE; /* the first of its element */
    const int64_t node = corner ? b->element_node[b->kind->element_nodes * (b->patch[i].element + pt.element)]
                                : b->patch[i].node + (int64_t)pt.xi[0];
    const vv_mover *o = &m[node];
    double x[3], w[3], a[6], arm[3];
    b->kind->surface(b, q, 1, &pt, x);
    b->kind->push(b, q, p, 1, &pt, w);
    b->kind->inverse_mass(b, q, 1, &pt, a);
    for (int c = 0; c < 3; c++) arm[c] = b->patch[i].guided ? 0.0 : x[c] - o->place[c];
    const double hat[9] = {0, -arm[2], arm[1], arm[2], 0, -arm[0], -arm[1], arm[0], 0};
    for (int c = 0; c < 3; c++) {
      const int d = (c + 1) % 3, e = (c + 2) % 3;
      check_near(w[c], o->velocity[c] + o->spin[d] * arm[e] - o->spin[e] * arm[d], 1e-13 * (1.0 + fabs(w[c])));
    }
    for (int c = 0; c < 9; c++) {
      double sum = o->inverse_mass[packed[c]], unit = 0.0;
      for (int k = 0; k < 9; k++)
        sum -= hat[3 * (c / 3) + k / 3] * o->inverse_inertia[packed[k]] * hat[3 * (k % 3) + c % 3];
      check_near(a[packed[c]], sum, 1e-13 * (1.0 + fabs(sum)));
      for (int k = 0; k < 3; k++) unit += o->turn[3 * (c / 3) + k] * o->turn[3 * (c % 3) + k];
      check_near(unit, c % 4 == 0 ? 1.0 : 0.0, 1e-14);
    }
  }
  free(q), free(p), free(m);
}

/* Inner forces have no resultant and no moment: a rigid motion costs nothing. */
static void inner_forces_balance(const vv_block *b, const run_record *r)
{
  if (b->nodes == 0) return;
  double *q = random_place(b, r), *f = random_vector(size_p(b), 0.0);
  b->kind->kick(b, 0.0, 1.0, q, f);
  const vv_totals sum = totals(b, q, f);
  check_least(sum.p_abs, b->elements > 0 ? 1e-6 : 0.0); /* without elements nothing pulls at the nodes */
  for (int c = 0; c < 3; c++) {
    check_most(fabs(sum.p[c]), 1e-14 * sum.p_abs);
    check_most(fabs(sum.L[c]), 1e-14 * (sum.L_abs + sum.p_abs));
  }
  free(q), free(f);
}

/* Drift keeps both momenta and the kinetic energy; of flat kinds the momentum of every node, bit for bit.  Back again it
 * ends where it began. */
static void drift_keeps_momentum(const vv_block *b, const run_record *r)
{
  double *q = random_place(b, r), *p = random_momentum(b, q), *p0 = copy(size_p(b), p), *q0 = copy(size_q(b), q);
  const vv_totals before = totals(b, q, p);
  b->kind->drift(b, 0.1, q, p);
  const vv_totals after = totals(b, q, p);
  if ((b->kind->claims & VV_FLAT) != 0) assert_memory_equal(p0, p, (size_t)size_p(b) * sizeof *p);
  if ((b->kind->claims & VV_KEEPS_ENERGY) != 0) check_near(after.kinetic, before.kinetic, 1e-14 * before.kinetic);
  for (int c = 0; c < 3; c++) {
    check_near(after.p[c], before.p[c], 1e-14 * before.p_abs);
    check_near(after.L[c], before.L[c], 1e-14 * (before.L_abs + before.p_abs));
  }
  b->kind->drift(b, -0.1, q, p);
  for (int64_t i = 0; i < size_q(b); i++) check_near(q[i], q0[i], 1e-13);
  for (int64_t i = 0; i < size_p(b); i++) check_near(p[i], p0[i], 1e-13 * before.p_abs);
  free(q), free(p), free(p0), free(q0);
}

/* A node that drifts alone goes where it goes with the others, bit for bit. */
static void nodes_drift_alone(const vv_block *b, const run_record *r)
{
  if (b->kind->drift_node == NULL) return;
  double *q = random_place(b, r), *p = random_momentum(b, q), *q1 = copy(size_q(b), q), *p1 = copy(size_p(b), p);
  b->kind->drift(b, 0.1, q, p);
  for (int64_t i = 0; i < b->nodes; i++) b->kind->drift_node(b, i, 0.1, q1, p1);
  assert_memory_equal(q, q1, (size_t)size_q(b) * sizeof *q);
  assert_memory_equal(p, p1, (size_t)size_p(b) * sizeof *p);
  free(q), free(p), free(q1), free(p1);
}

/* The tangents are those of kick and surface.  Kinds that are not flat have tests of their own (test_beam_structure.c). */
static void tangents_are_tangents(const vv_block *b)
{
  const int64_t n = b->nodes * b->kind->node_q;
  if (b->kind->vary == NULL || b->kind->vary->flight != NULL || n == 0) return;
  double *q = random_vector(n, 0.2), *dq = random_vector(n, 1.0), *dp = random_vector(n, 0.0);
  double *up = random_vector(n, 0.0), *down = random_vector(n, 0.0), *q1 = random_vector(n, 0.0);
  b->kind->vary->kick(b, 0.7, q, dq, dp);
  for (int32_t i = 0; i < b->patches; i++) {
    const vv_point pt = {.patch = i};
    double x0[3], x1[3], dx[3];
    const double h = 1e-4;
    for (int64_t k = 0; k < n; k++) q1[k] = q[k] + h * dq[k];
    b->kind->surface(b, q, 1, &pt, x0);
    b->kind->surface(b, q1, 1, &pt, x1);
    b->kind->vary->surface(b, q, dq, 1, &pt, dx);
    for (int c = 0; c < 3; c++) check_near((x1[c] - x0[c]) / h, dx[c], 1e-10);
  }
  double off[2] = {0.0, 0.0}; /* of central differences: exact, or of second order */
  for (int k = 0; k < 2; k++) {
    const double h = k == 0 ? 1e-4 : 5e-5;
    for (int64_t i = 0; i < n; i++) q1[i] = q[i] + h * dq[i], up[i] = down[i] = 0.0;
    b->kind->kick(b, 0.0, 0.7, q1, up);
    for (int64_t i = 0; i < n; i++) q1[i] = q[i] - h * dq[i];
    b->kind->kick(b, 0.0, 0.7, q1, down);
    for (int64_t i = 0; i < n; i++) off[k] = fmax(off[k], fabs(dp[i] - (up[i] - down[i]) / (2.0 * h)));
  }
  check_most(off[1], fmax(1e-8, 0.3 * off[0]));
  free(q), free(dq), free(dp), free(up), free(down), free(q1);
}

/* A sub-domain and its complement share forces and masses out exactly. */
static void parts_make_the_whole(const vv_block *b, const run_record *r)
{
  const int64_t n = size_p(b);
  if (b->kind->vary == NULL || n == 0) return;
  const int64_t pieces = b->elements > 0 ? b->elements : b->nodes; /* bodies without elements: whole ones */
  unsigned char *in = calloc((size_t)pieces + 1, 1), *out = calloc((size_t)pieces + 1, 1);
  for (int64_t e = 0; e < pieces; e++) in[e] = draw() > 0.0, out[e] = !in[e];
  vv_block part[2] = {0};
  double *share[2], *q = random_place(b, r), *f = random_vector(n, 0.0), *whole = random_vector(n, 0.0), scale = 0.0;
  for (int k = 0; k < 2; k++) {
    part[k].node_real = calloc((size_t)(b->kind->node_reals * b->stride) + 1, sizeof(double));
    share[k] = random_vector(n, 0.0);
    double *storage = part[k].node_real;
    b->kind->vary->restrict_to(b, k == 0 ? in : out, &part[k], share[k]);
    assert_ptr_equal(storage, part[k].node_real);
    part[k].kind->kick(&part[k], 0.0, 1.0, q, f);
  }
  b->kind->kick(b, 0.0, 1.0, q, whole);
  for (int64_t i = 0; i < n; i++) scale = fmax(scale, fabs(whole[i]));
  for (int64_t i = 0; i < n; i++) {
    check_near(f[i], whole[i], 1e-14 * fmax(scale, 1.0));
    if (i % b->column < b->nodes) check_near(share[0][i] + share[1][i], 1.0, 1e-14);
  }
  for (int k = 0; k < 2; k++) free(part[k].node_real), free(share[k]);
  free(in), free(out), free(q), free(f), free(whole);
}

static void test_every_kind(void **unused)
{
  (void)unused;
  int n = 0;
  for (const vv_body_kind *const *k = vv_catalog_default()->body; *k != NULL; k++, n++) {
    assert_non_null((*k)->example);
    run_record r = scene_of(*k);
    const vv_block *b = block_of(&r, *k);
    kick_is_gradient(b, &r);
    pull_is_transpose(b, &r);
    movers_agree(b, &r);
    inner_forces_balance(b, &r);
    drift_keeps_momentum(b, &r);
    nodes_drift_alone(b, &r);
    tangents_are_tangents(b);
    parts_make_the_whole(b, &r);
    check_least(b->kind->stable_step(b), 1e-300);
    run_free(&r);
  }
  check_least(n, 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_kind)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
