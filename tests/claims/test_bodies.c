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

static double energy(const vv_block *b, const double *q, const double *p)
{
  vv_totals sum = {0};
  b->kind->audit(b, q, p, &sum);
  return sum.strain + sum.potential;
}

/* kick(h) adds h times minus the gradient of the audited potential energy */
static void kick_is_gradient(const vv_block *b)
{
  const int64_t n = b->nodes * b->kind->node_q;
  if (n == 0 || (b->kind->claims & VV_FLAT) == 0) return;
  double *q = random_vector(n, 0.2), *p = random_vector(n, 0.0), scale = 0.0;
  b->kind->kick(b, 0.0, 1.0, q, p);
  for (int64_t i = 0; i < n; i++) scale = fmax(scale, fabs(p[i]));
  double *zero = random_vector(n, 0.0);
  for (int64_t i = 0; i < n; i++) {
    const double h = 1e-3, q0 = q[i];
    q[i] = q0 + h;
    const double up = energy(b, q, zero);
    q[i] = q0 - h;
    const double down = energy(b, q, zero);
    q[i] = q0;
    check_near(p[i], -(up - down) / (2.0 * h), 1e-9 * scale);
  }
  free(q), free(p), free(zero);
}

/* pull is the transpose of push in the mass metric: w.r = (M^-1 p).(J^T r), and inverse_mass = push after pull */
static void pull_is_transpose(const vv_block *b)
{
  const int64_t n = b->nodes * b->kind->node_p;
  for (int32_t i = 0; i < b->patches; i++) {
    double *q = random_vector(n, 0.2), *p = random_vector(n, 1.0), *jr = random_vector(n, 0.0),
           *v = random_vector(n, 0.0);
    const vv_point pt = {.patch = i};
    double w[3], r[3] = {draw(), draw(), draw()}, a[6], u[3];
    b->kind->push(b, q, p, 1, &pt, w);
    b->kind->pull(b, q, 1, &pt, r, jr);
    b->kind->drift(b, 1.0, v, p); /* v = M^-1 p */
    double left = 0.0, right = 0.0;
    for (int c = 0; c < 3; c++) left += w[c] * r[c];
    for (int64_t k = 0; k < n; k++) right += v[k] * jr[k];
    if (!b->patch[i].held) check_near(left, right, 1e-14 * (fabs(left) + 1.0));
    b->kind->push(b, q, jr, 1, &pt, u);
    b->kind->inverse_mass(b, q, 1, &pt, a);
    const double full[3] = {a[0] * r[0] + a[5] * r[1] + a[4] * r[2], a[5] * r[0] + a[1] * r[1] + a[3] * r[2],
                            a[4] * r[0] + a[3] * r[1] + a[2] * r[2]};
    for (int c = 0; c < 3; c++) check_near(u[c], full[c], 1e-13 * (fabs(u[c]) + 1.0));
    free(q), free(p), free(jr), free(v);
  }
}

/* A rigid motion costs no energy and no momentum is created by a kick. */
static void rigid_motion_is_free(const vv_block *b)
{
  const int64_t n = b->nodes * b->kind->node_q;
  if (n == 0 || (b->kind->claims & VV_FLAT) == 0) return;
  double *q = random_vector(n, 0.2), *p = random_vector(n, 0.0), *zero = random_vector(n, 0.0);
  vv_totals sum = {0};
  const double before = energy(b, q, zero);
  for (int64_t i = 0; i < n; i++) q[i] += 0.37;
  check_near(energy(b, q, zero), before, 1e-14 * fabs(before));
  b->kind->kick(b, 0.0, 1.0, q, p);
  b->kind->audit(b, zero, p, &sum);
  for (int c = 0; c < 3; c++) check_most(fabs(sum.p[c]), 1e-14 * sum.p_abs);
  free(q), free(p), free(zero);
}

/* Drift leaves the momentum of every node alone (flat kinds). */
static void drift_keeps_momentum(const vv_block *b)
{
  const int64_t n = b->nodes * b->kind->node_p;
  double *q = random_vector(n, 0.2), *p = random_vector(n, 1.0), *before = random_vector(n, 0.0);
  memcpy(before, p, (size_t)n * sizeof *p);
  b->kind->drift(b, 0.3, q, p);
  assert_memory_equal(before, p, (size_t)n * sizeof *p);
  free(q), free(p), free(before);
}

/* The tangents are those of kick, drift and surface. */
static void tangents_are_tangents(const vv_block *b)
{
  const int64_t n = b->nodes * b->kind->node_q;
  if (b->kind->vary == NULL || n == 0) return;
  double *q = random_vector(n, 0.2), *dq = random_vector(n, 1.0), *dp = random_vector(n, 0.0);
  double *up = random_vector(n, 0.0), *down = random_vector(n, 0.0), *q1 = random_vector(n, 0.0);
  const double h = 1e-4;
  b->kind->vary->kick(b, 0.7, q, dq, dp);
  for (int64_t i = 0; i < n; i++) q1[i] = q[i] + h * dq[i];
  b->kind->kick(b, 0.0, 0.7, q1, up);
  for (int32_t i = 0; i < b->patches; i++) {
    const vv_point pt = {.patch = i};
    double x0[3], x1[3], dx[3];
    b->kind->surface(b, q, 1, &pt, x0);
    b->kind->surface(b, q1, 1, &pt, x1);
    b->kind->vary->surface(b, q, dq, 1, &pt, dx);
    for (int c = 0; c < 3; c++) check_near((x1[c] - x0[c]) / h, dx[c], 1e-10);
  }
  for (int64_t i = 0; i < n; i++) q1[i] = q[i] - h * dq[i];
  b->kind->kick(b, 0.0, 0.7, q1, down);
  for (int64_t i = 0; i < n; i++) check_near(dp[i], (up[i] - down[i]) / (2.0 * h), 1e-8);
  free(q), free(dq), free(dp), free(up), free(down), free(q1);
}

/* A sub-domain and its complement share forces and masses out exactly. */
static void parts_make_the_whole(const vv_block *b)
{
  const int64_t n = b->nodes * b->kind->node_p;
  if (b->kind->vary == NULL || n == 0) return;
  unsigned char *in = calloc((size_t)b->elements + 1, 1), *out = calloc((size_t)b->elements + 1, 1);
  for (int64_t e = 0; e < b->elements; e++) in[e] = draw() > 0.0, out[e] = !in[e];
  vv_block part[2] = {0};
  double *share[2], *q = random_vector(n, 0.2), *f = random_vector(n, 0.0), *whole = random_vector(n, 0.0);
  for (int k = 0; k < 2; k++) {
    part[k].node_real = calloc((size_t)(b->kind->node_reals * b->stride) + 1, sizeof(double));
    share[k] = random_vector(n, 0.0);
    double *storage = part[k].node_real;
    b->kind->vary->restrict_to(b, k == 0 ? in : out, &part[k], share[k]);
    assert_ptr_equal(storage, part[k].node_real);
    b->kind->kick(&part[k], 0.0, 1.0, q, f);
  }
  b->kind->kick(b, 0.0, 1.0, q, whole);
  for (int64_t i = 0; i < n; i++) {
    check_near(f[i], whole[i], 1e-14);
    check_near(share[0][i] + share[1][i], 1.0, 1e-14);
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
    kick_is_gradient(b);
    pull_is_transpose(b);
    rigid_motion_is_free(b);
    drift_keeps_momentum(b);
    tangents_are_tangents(b);
    parts_make_the_whole(b);
    check_least(b->kind->stable_step(b), 1e-300);
    run_free(&r);
  }
  check_least(n, 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_kind)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
