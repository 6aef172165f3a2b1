/* tests/sim/test_groups.c  Groups of contacts are answered in any order: same state, same books.  A rank or a thread may take any
 * of them. */
#include "check.h"

#include "contact/contact.h"
#include "sim/sim.h"
#include "visviva/visviva.h"

#include <stdio.h>
#include <string.h>

enum { SEEDS = 10, COLUMNS = 40 };

typedef struct outcome {
  uint64_t hash;
  int64_t impacts;
  int32_t groups; /* the most of the steps that were looked at */
  double ledger[COLUMNS];
} outcome;

static outcome run(const char *text, int64_t steps, uint64_t seed)
{
  outcome o = {0};
  vv_ctx *ctx;
  vv_spec *spec;
  vv_model *model;
  vv_state *x;
  vv_sim *sim;
  vv_report report;
  vv_ctx_def def = vv_ctx_default();
  const vv_sim_def how = vv_sim_default();
  def.threads = 1;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  assert_int_equal(vv_scene_parse(ctx, "groups", text, strlen(text), &spec), VV_OK);
  assert_int_equal(vv_compile(ctx, spec, &model, &x), VV_OK);
  assert_int_equal(vv_sim_create(model, x, &how, &sim), VV_OK);
  sim->step.contact->shuffle = seed;
  for (int64_t k = 0; k < steps; k += 10) {
    assert_int_equal(vv_sim_steps(sim, 10, &report), VV_OK);
    assert_int_equal(report.reason, VV_REASON_DONE);
    if (sim->step.contact->groups > o.groups) o.groups = sim->step.contact->groups;
    o.impacts += report.events;
  }
  o.hash = vv_state_hash(x);
  vv_ledger_row(vv_sim_ledger(sim), COLUMNS, o.ledger);
  vv_sim_destroy(sim);
  vv_state_destroy(x);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  return o;
}

static void compare(const char *text, int64_t steps)
{
  const outcome plain = run(text, steps, 0);
  assert_true(plain.groups > 2 && plain.impacts > 0);
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    const outcome other = run(text, steps, 1000003 * seed);
    if (other.hash != plain.hash) fail_msg("seed %llu has other bits", (unsigned long long)seed);
    assert_int_equal(other.impacts, plain.impacts);
    assert_memory_equal(other.ledger, plain.ledger, sizeof plain.ledger);
  }
}

static void cubes(const char *law)
{
  char text[8192];
  int n = snprintf(text, sizeof text, "visviva: 1\ntime: {end: 1, step: 1e-5}\ncontacts: [%s]\nbodies:\n", law);
  for (int i = 0; i < 12; i++) {
    const double x[3] = {i % 2 - 0.5, i / 2 % 2 - 0.5, i / 4 - 1.0};
    n += snprintf(
        text + n, sizeof text - (size_t)n,
        "  c%d: {kind: shell, mesh: {cube: {edge: 1, pieces: 2}}, thickness: 0.05, rotation: [0.0%d, 0.1, 0.02], "
        "material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, centre: [%g, %g, %g], velocity: [%g, %g, %g]}\n",
        i, i % 10, 1.2 * x[0], 1.2 * x[1], 1.2 * x[2], -80 * x[0], -80 * x[1], -80 * x[2]);
  }
  compare(text, 400);
}

static void crowd_that_bounces(void **state)
{
  (void)state;
  cubes("{restitution: 1}");
}

static void crowd_that_rubs(void **state)
{
  (void)state;
  cubes("{restitution: 0.5, friction: 0.3}");
}

static void boxes_on_a_floor(void **state)
{
  (void)state;
  compare(
      "visviva: 1\ntime: {end: 1, step: 1e-3}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: 0.4, friction: 0.5}]\n"
      "bodies:\n  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
      "  boxes: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, mass: 1, position: [0, 0, 0.6], spin: [1, 2, 3], "
      "copies: {grid: {count: [3, 3, 2], spacing: [1.9, 1.9, 1.9]}}}\n",
      600);
}

static void shells_and_others(void **state)
{
  (void)state;
  compare("visviva: 1\ntime: {end: 1, step: {safety: 0.4}}\ngravity: [0, 0, -9.81]\n"
          "contacts: [{restitution: 0.5, friction: 0.4}]\nbodies:\n"
          "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
          "  balls: {kind: rigid, shape: {ball: {radius: 0.015}}, density: 1000, position: [0.3, 0, 0.02], velocity: "
          "[0, 0, -2], "
          "copies: {grid: {count: [3, 3, 1], spacing: [0.04, 0.04, 0.04]}}}\n"
          "  balloon: {kind: shell, mesh: {sphere: {radius: 0.06, level: 2}}, thickness: 2e-3,\n"
          "    material: {young: 1e6, poisson: 0.45, density: 1000}, centre: [0, 0, 0.0605], velocity: [0, 0, -2]}\n"
          "  rod: {kind: beam, length: 0.25, elements: 10, material: {young: 1e7, density: 1000}, section: {circle: "
          "{radius: 0.006}},\n"
          "    axis: [1, 0.2, 0], normal: [0, 0, 1], position: [-0.12, 0.2, 0.03], velocity: [0, 0, -1]}\n",
          400);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(crowd_that_bounces), cmocka_unit_test(crowd_that_rubs),
                                     cmocka_unit_test(boxes_on_a_floor), cmocka_unit_test(shells_and_others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
