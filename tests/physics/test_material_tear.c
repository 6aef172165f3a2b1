/* tests/physics/test_material_tear.c  Shells that tear: halves that know nothing of each other, books and momenta, a ball that goes
 * through, one set of bits.  docs/theory/mat.md */
#include "check.h"
#include "losses.h"

#include "body/shell/shell.h"
#include "math/math.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096 };
#define TEARING                                                                                                       \
  "material: {young: 70e9, poisson: 0.33, density: 2700, law: j2, yield: 150e6, hardening: 200e6, failure: {strain: " \
  "0.1, energy: 2e4}}"

/* Its two halves fly apart. */
static void strip_scene(char *text, double safety, double end)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %.17g, step: {safety: %.17g}}\nbodies:\n"
           "  strip: {kind: shell, mesh: {rectangle: {size: [0.1, 0.02], pieces: [40, 8]}}, thickness: 1e-3, spin: "
           "[0, 0, 50],\n          " TEARING
           ", velocities: [{velocity: [-60, 0, 0], high: [0, 1, 1]}, {velocity: [60, 0, 0], low: [0, -1, -1]}]}\n",
           end, safety);
}

/* Marks the nodes that live elements join to that with the least x. */
static int64_t mark_left(const run_record *r, unsigned char *left)
{
  const vv_block *b = &r->model->block[0];
  const double *rest = shell_node(b, SHELL_REST);
  int64_t n, count = 1, first = 0, before = 0;
  double *damage = losses_field(r, "damage", &n);
  for (int64_t i = 0; i < b->nodes; i++)
    if (rest[i] < rest[first]) first = i;
  memset(left, 0, (size_t)b->nodes);
  left[first] = 1;
  while (count != before) {
    before = count;
    for (int64_t e = 0; e < b->elements; e++) {
      const int32_t *v = b->element_node + 3 * e;
      if (damage[e] >= 1.0 || (!left[v[0]] && !left[v[1]] && !left[v[2]])) continue;
      for (int i = 0; i < 3; i++) count += !left[v[i]], left[v[i]] = 1;
    }
  }
  free(damage);
  return count;
}

static void momentum_of(const run_record *r, const unsigned char *left, double p[3])
{
  const vv_block *b = &r->model->block[0];
  p[0] = p[1] = p[2] = 0.0;
  for (int64_t i = 0; i < b->nodes; i++)
    for (int c = 0; c < 3 && left[i]; c++) p[c] += r->state->p[b->p0 + c * b->column + i];
}

/* Once it is torn no force goes from one half to the other, and the books close with the square of the step. */
static void test_strip(void **unused)
{
  (void)unused;
  double gap[2];
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    losses w = {0};
    vv_report report;
    strip_scene(text, 0.4 / (1 << i), 1.2e-4);
    run_record r = run_prepare(text, NULL);
    const vv_block *b = &r.model->block[0];
    unsigned char *left = calloc((size_t)b->nodes, 1);
    double before[3], after[3];
    assert_int_equal(vv_sim_observe(r.sim, 1, losses_look, &w), VV_OK);
    assert_int_equal(vv_sim_until(r.sim, 1e-4, &report), VV_OK);
    const int64_t n = mark_left(&r, left);
    assert_true(n > b->nodes / 4 && n < 3 * b->nodes / 4);
    momentum_of(&r, left, before);
    assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
    momentum_of(&r, left, after);
    for (int c = 0; c < 3; c++) check_near(after[c], before[c], 1e-13 * fabs(before[0]));
    const vv_ledger *l = run_ledger(&r);
    gap[i] = l->max_closure;
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_L_drift, 1e-12);
    check_least(w.least, -1e-12 * l->energy_scale);
    check_least(w.healed, -1e-12 * l->energy_scale);
    check_least(w.plastic / l->energy_scale, 0.1);
    check_least(w.damage, 0.0);
    print_message("strip: closure %.3g, plastic work %.4g J, damage %.3g J, in a step at least %.3g, %.3g J\n", gap[i],
                  w.plastic, w.damage, w.least, w.healed);
    free(left), run_free(&r);
  }
  check_most(gap[0], 2e-4);
  check_most(gap[1], gap[0] / 2.5);
}

static void plate_scene(char *text, double end)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %.17g, step: {safety: 0.3}}\nbodies:\n"
           "  plate: {kind: shell, mesh: {disc: {radius: 0.03, rings: 10}}, thickness: 1e-3, edges: [{hold: "
           "clamped}], " TEARING "}\n"
           "  ball: {kind: rigid, shape: {ball: {radius: 0.008}}, mass: 0.02, position: [0.001, 0.0005, 0.0086], "
           "velocity: [0, 0, -150]}\n"
           "contacts: [{restitution: 0}]\n",
           end);
}

/* A ball goes through a plate and meets nothing of what broke: it comes out below and flies on. */
static void test_ball_goes_through(void **unused)
{
  (void)unused;
  char text[TEXT];
  losses w = {0};
  vv_report report;
  enum { BALL = 1 };
  plate_scene(text, 4e-4);
  run_record r = run_prepare(text, NULL);
  double position[3], speed[3];
  assert_int_equal(vv_sim_observe(r.sim, 1, losses_look, &w), VV_OK);
  assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
  assert_int_equal(vv_model_output(r.model, r.state, BALL, "position", position), VV_OK);
  assert_int_equal(vv_model_output(r.model, r.state, BALL, "velocity", speed), VV_OK);
  check_most(position[2], -0.02);
  check_most(speed[2], -50.0);
  const vv_ledger *l = run_ledger(&r);
  check_most(l->max_closure, 1e-3);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_penetration, 1e-9);
  check_least(w.least, -1e-12 * l->energy_scale);
  check_least(losses_mean(&r, "damage"), 1e-3);
  run_free(&r);
}

/* The same bits for threads and for widths of registers, through the tearing. */
static void test_bits(void **unused)
{
  (void)unused;
  uint64_t hash[5];
  for (int i = 0; i < 5; i++) {
    char text[TEXT];
    vv_report report;
    plate_scene(text, 1.2e-4);
    run_record r = run_prepare(text, &(run_options){.threads = i < 3 ? 1 + i : 1});
    for (int k = 0; i >= 3 && k < r.model->n_block; k++)
      if (strcmp(r.model->block[k].kind->name, "shell") == 0) {
        shell_plan *plan = r.model->block[k].plan;
        plan->force = shell_tile_force(i - 3), plan->audit = shell_tile_audit(i - 3);
        plan->flow = shell_tile_flow(i - 3);
      }
    assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
    hash[i] = losses_hash(&r);
    check_least(losses_mean(&r, "damage"), 1e-3);
    run_free(&r);
  }
  for (int i = 1; i < 5; i++) assert_true(hash[i] == hash[0]);
}

/* After every step the flow over no time that a resumed run begins with leaves each bit of the state as it is. */
typedef struct resumed {
  double *q;
  int64_t broken, breaks; /* triangles; steps in which some broke */
} resumed;

static int64_t broken_of(const vv_view *v)
{
  const vv_block *b = &v->model->block[0];
  int64_t n = 0;
  for (int64_t e = 0; e < b->elements; e++) n += shell_is_broken(b, 0, e, v->state->q + b->q0);
  return n;
}

static vv_status look_resumed(const vv_view *v, void *user)
{
  resumed *w = user;
  const vv_state *x = v->state;
  const int64_t broken = broken_of(v);
  memcpy(w->q, x->q, sizeof *w->q * (size_t)x->nq);
  vvi_sys_flow(v->model, 0.0, w->q, x->p, NULL);
  assert_memory_equal(w->q, x->q, sizeof *w->q * (size_t)x->nq);
  w->breaks += broken > w->broken, w->broken = broken;
  return VV_OK;
}

static void test_resumed(void **unused)
{
  (void)unused;
  for (int threads = 1; threads <= 2; threads++) {
    char text[TEXT];
    vv_report report;
    plate_scene(text, 1.2e-4);
    run_record r = run_prepare(text, &(run_options){.threads = threads});
    resumed w = {.q = calloc((size_t)r.state->nq, sizeof *w.q)};
    assert_non_null(w.q);
    assert_int_equal(vv_sim_observe(r.sim, 1, look_resumed, &w), VV_OK);
    assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
    assert_true(w.breaks > 5);
    free(w.q), run_free(&r);
  }
}

static void test_refused(void **unused)
{
  (void)unused;
  static const char *const bad[][2] = {
      {"law: stvk, failure: {strain: 0.1}", "law: j2"},
      {"law: j2, yield: 150e6, failure: {stress: 1e8}", "strain"},
      {"law: j2, yield: 150e6, failure: {strain: 0.1, energy: 1}", "2 E G/s^2"},
  };
  for (int i = 0; i < VV_COUNT(bad); i++) {
    char text[TEXT], message[4096];
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 1e-5}\nbodies:\n  s: {kind: shell, mesh: {rectangle: {size: [0.1, 0.1], pieces: "
             "[4, 4]}}, thickness: 1e-3, material: {young: 70e9, density: 2700, %s}}\n",
             bad[i][0]);
    assert_true(run_refused(text, message, sizeof message) != VV_OK);
    assert_non_null(strstr(message, bad[i][1]));
  }
}

int main(void)
{
  const struct CMUnitTest test[] = {cmocka_unit_test(test_strip), cmocka_unit_test(test_ball_goes_through),
                                    cmocka_unit_test(test_bits), cmocka_unit_test(test_resumed),
                                    cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(test, NULL, NULL);
}
