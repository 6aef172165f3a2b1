/* tests/physics/test_material_points.c  What all kinds that flow have in common: the return map, elastic phases that leave no
 * trace, one pass or several, fields that add up to the books, what broke is counted.  docs/theory/mat.md */
#include "check.h"
#include "losses.h"

#include "body/beam/beam.h"
#include "body/shell/shell.h"
#include "math/math.h"
#include "model/material.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };

typedef double eight __attribute__((vector_size(8 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t eight_mask __attribute__((vector_size(8 * sizeof(double)), aligned(sizeof(double)), may_alias));
#define REAL  eight
#define MASK  eight_mask
#define LANES 8
#define ROOT(x) \
  for (int l = 0; l < LANES; l++) (x)[l] = sqrt((x)[l])
#define FN(name) name##_eight
#include "model/return_lanes.h"

/* ---- return map ---- */

/* Numbers between 0 and 1. */
static double random_next(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*seed >> 11) * 0x1p-53;
}

/* How far A x^2 + B y^2 = (Y/(1 - H theta))^2 is missed, over Y. */
static double miss_of(double A, double B, double Y, double H, double theta, double x, double y)
{
  return fabs(sqrt(A * x * x + B * y * y) * (1.0 - H * theta) - Y) / Y;
}

/* One material, `states` trial stresses up to `over` times the yield stress, one to nine points at once; the worst of eight
 * elements at once and of one by one. */
static void return_all(double nu, double H, double over, int states, uint64_t *seed, double worst[2])
{
  const double E = 1.0, mu = E / (2.0 * (1.0 + nu)), a = E / (2.0 * (1.0 - nu)), b = 3.0 * mu, yield = 1e-3;
  const vvi_plastic p = {.yield = yield, .pieces = 1.0, .slope = {H}};
  for (int k = 0; k < states; k++) {
    enum { MOST = VVI_RETURN_MOST };
    eight A[MOST], B[MOST], Y[MOST], slope[MOST], alpha[MOST], theta[MOST], x[MOST], y[MOST], grown[MOST];
    eight_mask on[MOST];
    const int points = 1 + k % MOST;
    for (int i = 0; i < points; i++) {
      for (int l = 0; l < LANES; l++) {
        const double part = random_next(seed), side = random_next(seed);
        alpha[i][l] = 0.1 * random_next(seed);
        const double to = side < 0.2 ? 0.9 * random_next(seed) : 1.0 + 1e-6 + (over - 1.0) * random_next(seed);
        const double s = (yield + H * alpha[i][l]) * to; /* some stay elastic beside those that flow */
        A[i][l] = part * s * s, B[i][l] = (1.0 - part) * s * s;
      }
      plastic_yield_eight(&p, &alpha[i], &Y[i], &slope[i]);
      plastic_on_eight(&A[i], &B[i], &Y[i], &on[i]);
    }
    plastic_rounds_eight(a, b, points, A, B, Y, slope, on, theta, x, y, grown);
    for (int i = 0; i < points; i++)
      for (int l = 0; l < LANES; l++) {
        const vvi_returned r = vvi_plastic_return(&p, A[i][l], a, B[i][l], b, alpha[i][l], 1.0);
        if (!on[i][l]) {
          assert_true(theta[i][l] == 0.0 && grown[i][l] == 0.0 && r.dalpha == 0.0);
          check_near(x[i][l], 1.0, 1e-15);
          check_near(y[i][l], 1.0, 1e-15);
          continue;
        }
        worst[0] = fmax(worst[0], miss_of(A[i][l], B[i][l], Y[i][l], H, theta[i][l], x[i][l], y[i][l]));
        worst[1] = fmax(worst[1], miss_of(A[i][l], B[i][l], Y[i][l], H, r.theta, r.x, r.y));
        check_near(grown[i][l], r.dalpha, 1e-6 * (r.dalpha + Y[i][l] / E));
      }
  }
}

static void test_return(void **unused)
{
  (void)unused;
  static const double over[] = {1.001, 1.01, 1.5, 10.0, 1000.0}, nu[] = {0.0, 0.3, 0.49}, H[] = {0.0, 0.01, 1.0};
  uint64_t seed = 1;
  for (int i = 0; i < VV_COUNT(over); i++) {
    double worst[2] = {0, 0};
    for (int j = 0; j < VV_COUNT(nu); j++)
      for (int k = 0; k < VV_COUNT(H); k++) return_all(nu[j], H[k], over[i], 300, &seed, worst);
    check_most(worst[0], 1e-6);
    check_most(worst[1], 1e-12);
  }
}

/* Rates: the yield stress after the flow is the static one times the factor of its rate, by the library's powers and logarithms;
 * eight at once have the bits of one by one.  For steps from far below to far above what the rate allows.       [mat 7] */
static void rate_states(const vvi_plastic *p, double h, uint64_t *seed)
{
  const double E = 1.0, a = E / 1.4, b = 1.5 / 1.3;
  for (int k = 0; k < 60; k++) {
    eight A, B, Y, H, theta, x, y, grown;
    eight_mask on;
    for (int l = 0; l < LANES; l++) {
      const double part = random_next(seed), s = p->yield * (1.0 + 1e-5 + pow(10.0, 5.0 * random_next(seed) - 4.0));
      A[l] = part * s * s, B[l] = (1.0 - part) * s * s, Y[l] = p->yield, H[l] = p->slope[0], on[l] = l == 5 ? 0 : -1;
    }
    plastic_rounds_rate_eight(p, a, b, 1, h, &A, &B, &Y, &H, &on, &theta, &x, &y, &grown);
    for (int l = 0; l < LANES; l++) {
      if (l == 5) {
        assert_true(theta[l] == 0.0 && grown[l] == 0.0 && x[l] == 1.0 && y[l] == 1.0);
        continue;
      }
      const vvi_returned r = vvi_plastic_return(p, A[l], a, B[l], b, 0.0, h);
      assert_true(r.theta == theta[l] && r.x == x[l] && r.y == y[l] && r.dalpha == grown[l]);
      const double rate = r.dalpha / h / p->rate, s = sqrt(A[l] * x[l] * x[l] + B[l] * y[l] * y[l]);
      const double factor = p->rate_law == VVI_COWPER_SYMONDS ? 1.0 + pow(rate, 1.0 / p->exponent)
                                                              : 1.0 + p->exponent * fmax(0.0, log(rate));
      assert_true(r.dalpha >= 0.0);
      check_near(s, factor * (p->yield + p->slope[0] * r.dalpha), 1e-6 * s);
      check_near(x[l], 1.0 / (1.0 + a * r.theta), 1e-14);
      check_near(y[l], 1.0 / (1.0 + b * r.theta), 1e-14);
    }
  }
}

static void test_rates(void **unused)
{
  (void)unused;
  static const double q[] = {1.0, 4.0, 5.0, 5.3, 20.0}, C[] = {0.001, 0.015, 0.5}, H[] = {0.0, 0.02, 1.0};
  uint64_t seed = 7;
  for (int k = 0; k < VV_COUNT(H); k++)
    for (double h = 1e-9; h < 1.0; h *= 30.0) {
      for (int i = 0; i < VV_COUNT(q); i++)
        rate_states(&(vvi_plastic){.yield = 1e-3,
                                   .pieces = 1.0,
                                   .slope = {H[k]},
                                   .rate_law = VVI_COWPER_SYMONDS,
                                   .rate = 40.0,
                                   .exponent = q[i]},
                    h, &seed);
      for (int i = 0; i < VV_COUNT(C); i++)
        rate_states(&(vvi_plastic){.yield = 1e-3,
                                   .pieces = 1.0,
                                   .slope = {H[k]},
                                   .rate_law = VVI_JOHNSON_COOK,
                                   .rate = 1.0,
                                   .exponent = C[i]},
                    h, &seed);
    }
}

/* ---- scenes ---- */

/* Bodies that flow when they are pulled; %s: how they begin. */
static const char *const bar_text =
    "  a: {kind: bar, length: 1, elements: 333, section: {area: 1e-4}, velocity: 0%s,\n"
    "      material: {young: 70e9, density: 2700, law: j2, yield: 100e6, hardening: {isotropic: 500e6, kinematic: "
    "300e6}}}\n";
static const char *const beam_text =
    "  a: {kind: beam, length: 0.4, elements: 77, section: {circle: {radius: 0.005}}, axis: [1, 0, 0], normal: [0, 0, "
    "1]%s,\n"
    "      material: {young: 70e9, poisson: 0.33, density: 2700, law: j2, yield: 100e6, hardening: 500e6}}\n";
static const char *const shell_text =
    "  a: {kind: shell, mesh: {sphere: {radius: 0.05, frequency: 5}}, thickness: 1e-3%s,\n"
    "      material: {young: 70e9, poisson: 0.33, density: 2700, law: j2, yield: 50e6, hardening: 100e6}}\n";
static const char *const motion[] = {", vibration: [{mode: 1, velocity: 30}]", ", spin: [0, 0, 6000]",
                                     ", velocities: [{velocity: [0, 0, 40], low: [-1, -1, 0.02]}]"};

static run_record scene_prepare(int which, const char *more, int threads)
{
  const char *const body[] = {bar_text, beam_text, shell_text};
  char text[TEXT], own[TEXT / 2], begin[TEXT / 4];
  snprintf(begin, sizeof begin, "%s%s", motion[which], more);
  snprintf(own, sizeof own, body[which], begin);
  snprintf(text, TEXT, "visviva: 1\ntime: {end: 1e-3, step: {safety: 0.4}}\nmethod: {step: leapfrog}\nbodies:\n%s",
           own);
  return run_prepare(text, &(run_options){.threads = threads});
}

/* ---- elastic phases ---- */

static void step_by_hand(const vv_model *m, vv_state *x, double h, vv_posted *post)
{
  vvi_sys_kick(m, 0.0, 0.5 * h, x->q, x->p);
  vvi_sys_drift(m, h, x->q, x->p);
  vvi_sys_flow(m, h, x->q, x->p, post);
  vvi_sys_kick(m, 0.0, 0.5 * h, x->q, x->p);
}

/* What is plastic of a state: alpha and dissipated energy of all elements, and of bars and beams the strains themselves. */
typedef struct plastic {
  int64_t n, z; /* elements; reals from `own` on */
  double *alpha, *lost, *own;
} plastic;

static plastic plastic_of(const run_record *r)
{
  const vv_block *b = &r->model->block[0];
  const bool bar = b->kind->node_q == 1, beam = b->kind->node_q == BEAM_Q;
  const int64_t from = beam ? BEAM_Z_COLUMNS * b->elements : 0;
  plastic s = {.n = b->elements, .z = bar || beam ? b->z_reals - from : 0};
  s.alpha = calloc((size_t)s.n, sizeof *s.alpha), s.lost = calloc((size_t)s.n, sizeof *s.lost);
  s.own = calloc((size_t)s.z + 1, sizeof *s.own);
  assert_true(s.alpha != NULL && s.lost != NULL && s.own != NULL);
  assert_int_equal(vv_model_output(r->model, r->state, 0, "plastic_strain", s.alpha), VV_OK);
  assert_int_equal(vv_model_output(r->model, r->state, 0, "dissipated_density", s.lost), VV_OK);
  if (s.z > 0) memcpy(s.own, r->state->q + b->q0 + b->z0 + from, sizeof *s.own * (size_t)s.z);
  return s;
}

static bool plastic_equal(const plastic *a, const plastic *b)
{
  return memcmp(a->alpha, b->alpha, sizeof *a->alpha * (size_t)a->n) == 0 &&
         memcmp(a->lost, b->lost, sizeof *a->lost * (size_t)a->n) == 0 &&
         memcmp(a->own, b->own, sizeof *a->own * (size_t)a->z) == 0;
}

static void plastic_free(plastic *s)
{
  free(s->alpha), free(s->lost), free(s->own);
}

/* Has flowed, rings down, and moves on: there and back, what has flowed keeps its bits, nothing is lost, and all is where it
 * was. */
static void test_there_and_back(void **unused)
{
  (void)unused;
  enum { STEPS = 200, QUIET = 4000 };
  for (int which = 0; which < 3; which++) {
    vv_report report;
    vv_posted post = {0};
    run_record r = scene_prepare(which, "", 1);
    const vv_model *m = r.model;
    vv_state *x = r.state;
    assert_int_equal(vv_sim_steps(r.sim, 400, &report), VV_OK);
    check_least(vv_sum_value(&run_ledger(&r)->posted.plastic_work), 1e-3 * run_ledger(&r)->energy_scale);
    const uint64_t hash = vv_state_hash(x);
    vvi_sys_flow(m, 0.0, x->q, x->p, NULL); /* as whoever resumes a run does: nothing has moved */
    assert_true(vv_state_hash(x) == hash);
    for (int i = 0; i < QUIET; i++) {
      step_by_hand(m, x, m->step, &post);
      for (int64_t k = 0; k < m->np; k++) x->p[k] *= 0.99;
    }
    for (int i = 0; i < 20; i++) step_by_hand(m, x, m->step, &post); /* moves by itself again */
    plastic before = plastic_of(&r);
    double *begin = malloc(sizeof *begin * (size_t)m->nx), away = 0.0, moved = 0.0, work;
    assert_non_null(begin);
    memcpy(begin, x->q, sizeof *begin * (size_t)m->nx);
    work = vv_sum_value(&post.plastic_work);
    for (int i = 0; i < 2 * STEPS; i++) {
      for (int64_t k = 0; i == STEPS && k < m->nx; k++) moved = fmax(moved, fabs(x->q[k] - begin[k]));
      for (int64_t k = 0; i == STEPS && k < m->np; k++) x->p[k] = -x->p[k];
      step_by_hand(m, x, m->step, &post);
    }
    plastic after = plastic_of(&r);
    for (int64_t k = 0; k < m->nx; k++) away = fmax(away, fabs(x->q[k] - begin[k]));
    check_most(away, 1e-13);
    check_least(moved, 100.0 * away);
    assert_true(plastic_equal(&before, &after));
    assert_true(vv_sum_value(&post.plastic_work) == work);
    plastic_free(&before), plastic_free(&after), free(begin);
    run_free(&r);
  }
}

/* ---- one pass or several ---- */

/* flow, then stride, against both in one pass; and against four threads.  Rings have a joint, and sizes leave lanes over. */
static void passes_agree(const char *body)
{
  char text[TEXT];
  run_record r[3];
  vv_posted post[3];
  snprintf(text, TEXT, "visviva: 1\ntime: {end: 1e-3, step: {safety: 0.4}}\nmethod: {step: leapfrog}\nbodies:\n%s",
           body);
  for (int i = 0; i < 3; i++) {
    r[i] = run_prepare(text, &(run_options){.threads = i < 2 ? 1 : 4});
    const vv_model *m = r[i].model;
    const vv_block *b = &m->block[0];
    vv_state *x = r[i].state;
    post[i] = (vv_posted){0};
    for (int k = 0; k < 150; k++) {
      if (i == 1)
        vvi_sys_flow(m, m->step, x->q, x->p, &post[i]), b->kind->stride(b, m->step, x->q, x->p);
      else
        vvi_sys_flow_stride(m, m->step, x->q, x->p, &post[i]);
    }
    assert_true(vv_state_hash(x) == vv_state_hash(r[0].state));
    assert_true(vv_sum_value(&post[i].plastic_work) == vv_sum_value(&post[0].plastic_work));
    assert_true(vv_sum_value(&post[i].viscous_loss) == vv_sum_value(&post[0].viscous_loss));
    check_least(vv_sum_value(&post[i].plastic_work), 1e-12);
  }
  for (int i = 0; i < 3; i++) run_free(&r[i]);
}

static void test_passes(void **unused)
{
  (void)unused;
  static const char *const how[] = {"", ", damping: {ratio: {value: 0.02, from: 100, to: 1e4}}"};
  for (int i = 0; i < 2; i++) {
    static const int bars[] = {1, 5, 64, 333, 20011}, beams[] = {1, 7, 16, 128, 2300};
    char text[TEXT];
    for (int k = 0; k < VV_COUNT(bars); k++) {
      snprintf(text, TEXT,
               "  a: {kind: bar, length: %d, elements: %d, section: {area: 1e-4}, vibration: [{mode: 1, velocity: "
               "200}],\n      material: {young: 70e9, density: 2700, law: j2, yield: 1e6, hardening: {table: [[0, "
               "1e6], [1e-5, 2e6], [1, 3e6]]}}%s}\n",
               1 + bars[k] / 100, bars[k], how[i]);
      passes_agree(text);
    }
    for (int k = 0; k < VV_COUNT(beams); k++) {
      snprintf(text, TEXT,
               "  a: {kind: beam, length: %d, elements: %d, section: {circle: {radius: 0.005}}, axis: [1, 0, 0], "
               "normal: [0, 0, 1], spin: [0, 0, 300], shape: {uniform: {curvature: [0.1, 0, 0.2]}},\n"
               "      material: {young: 70e9, poisson: 0.33, density: 2700, law: j2, yield: 1e6, hardening: "
               "500e6}%s%s}\n",
               1 + beams[k] / 100, beams[k], k == 3 ? ", strain: cayley" : "", how[i]);
      passes_agree(text);
    }
    snprintf(
        text, TEXT,
        "  a: {kind: beam, shape: {ring: {radius: 0.2}}, elements: 40, section: {circle: {radius: 0.005}}, "
        "spin: [0, 400, 300],\n      material: {young: 70e9, poisson: 0.33, density: 2700, law: j2, yield: 1e6}%s}\n",
        how[i]);
    passes_agree(text);
  }
}

/* ---- fields ---- */

/* m^2 of the triangles of a shell, m of the elements of a beam, m^3 of a bar. */
static void sizes_of(const run_record *r, double *size)
{
  const vv_block *b = &r->model->block[0];
  if (b->kind->node_q == 1)
    for (int64_t e = 0; e < b->elements; e++) size[e] = 1e-4 / 333.0;
  else if (b->kind->node_q == BEAM_Q)
    for (int64_t e = 0; e < b->elements; e++) size[e] = 0.4 / 77.0;
  else {
    const shell_plan *plan = b->plan;
    for (int64_t i = 0; i < plan->tiles; i++)
      for (int g = 0; g < plan->tile[i].groups; g++)
        for (int l = 0; l < SHELL_GROUP; l++) {
          const shell_group *at = &plan->tile[i].group[g];
          const double *R = at->rest + l;
          const int e = shell_lane_element(at, l);
          if (e < 0) continue;
          size[plan->tile[i].element0 + e] =
              0.5 * sqrt(R[0] * R[SHELL_GROUP] - R[2 * SHELL_GROUP] * R[2 * SHELL_GROUP]) / (SHELL_A * SHELL_A);
        }
  }
}

/* What elements have dissipated and store is what the ledger has. */
static void test_fields(void **unused)
{
  (void)unused;
  for (int which = 0; which < 3; which++) {
    vv_report report;
    run_record r = scene_prepare(which, ", damping: {ratio: {value: 0.02, from: 100, to: 1e4}}", 1);
    const int64_t n = r.model->block[0].elements;
    double *size = calloc((size_t)n, sizeof *size), *field = calloc((size_t)n, sizeof *field), lost = 0.0, stored = 0.0;
    assert_true(size != NULL && field != NULL);
    assert_int_equal(vv_sim_steps(r.sim, 300, &report), VV_OK);
    sizes_of(&r, size);
    assert_int_equal(vv_model_output(r.model, r.state, 0, "dissipated_density", field), VV_OK);
    for (int64_t e = 0; e < n; e++) lost += size[e] * field[e];
    assert_int_equal(vv_model_output(r.model, r.state, 0, "energy_density", field), VV_OK);
    for (int64_t e = 0; e < n; e++) stored += size[e] * field[e];
    const vv_posted *post = &run_ledger(&r)->posted;
    const double work = vv_sum_value(&post->plastic_work), viscous = vv_sum_value(&post->viscous_loss);
    vv_totals now;
    vvi_sys_audit(r.model, r.state->q, r.state->p, &now);
    check_least(work, 1e-6);
    check_least(viscous, 1e-6);
    check_near(lost, work + viscous, 1e-11 * (work + viscous));
    check_near(stored, now.strain, 1e-11 * now.strain);
    free(size), free(field);
    run_free(&r);
  }
}

/* ---- what broke ---- */

static void test_broken(void **unused)
{
  (void)unused;
  run_record r = run_scene("visviva: 1\ntime: {end: 4e-4, step: {safety: 0.5}}\nmethod: {step: leapfrog}\nbodies:\n"
                           "  a: {kind: bar, length: 1, elements: 101, section: {area: 1e-4}, vibration: [{mode: 1, "
                           "velocity: 60}],\n      material: {young: 70e9, density: 2700, failure: {stress: 300e6, "
                           "energy: 10000}}}\n  b: {kind: bar, length: 1, elements: 10, section: {area: 1e-4}, origin: "
                           "[0, 5, 0], material: {young: 70e9, density: 2700}}\n",
                           NULL);
  double damage[101];
  int64_t broken = 0;
  assert_int_equal(vv_model_output(r.model, r.state, 0, "damage", damage), VV_OK);
  for (int e = 0; e < VV_COUNT(damage); e++) broken += damage[e] >= 1.0;
  assert_true(broken > 0);
  assert_int_equal(vv_model_broken(r.model, r.state, -1), broken);
  assert_int_equal(vv_model_broken(r.model, r.state, 0), broken);
  assert_int_equal(vv_model_broken(r.model, r.state, 1), 0);
  assert_int_equal(vv_model_broken(r.model, r.state, 2), -1);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_return),         cmocka_unit_test(test_rates),
                                     cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_passes),
                                     cmocka_unit_test(test_fields),         cmocka_unit_test(test_broken)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
