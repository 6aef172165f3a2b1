/* tests/sim/test_apart.c  What never meets never influences: a group of bodies moves to the bit as it does alone, whatever else
 * the scene holds and wherever in the scene that stands. */
#include "check.h"

#include "visviva/visviva.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "visviva: 1\ntime: {end: 1, step: 2e-5}\ngravity: [0, 0, -9.81]\nrecord: {ledger: 1000}\n"
                           "contacts: [{restitution: %s, friction: %s}]\nbodies:\n";

static int put_drum(char *out, size_t size, const char *name, double x)
{
  return snprintf(
      out, size,
      "  %s-skin: {kind: shell, mesh: {disc: {radius: 0.15, rings: 5}}, thickness: 1e-3, centre: [%g, 0, 0], "
      "material: {young: 2e7, poisson: 0.4, density: 1200}, edges: [{hold: clamped}]}\n"
      "  %s-ball: {kind: rigid, shape: {ball: {radius: 0.02}}, density: 7800, position: [%g, 0.01, 0.0205], "
      "velocity: [0, 0, -1]}\n",
      name, x, name, x + 0.02);
}

static int put_heap(char *out, size_t size, const char *name, double x)
{
  return snprintf(
      out, size,
      "  %s-floor: {kind: rigid, fixed: true, shape: {box: {size: [1, 1, 0.1]}}, density: 1, position: [%g, 0, "
      "-0.05]}\n"
      "  %s-low: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 500, position: [%g, 0, 0.0502], "
      "spin: [0.1, 0.2, 1]}\n"
      "  %s-high: {kind: rigid, shape: {box: {size: [0.1, 0.1, 0.1]}}, density: 500, position: [%g, 0.02, 0.151], "
      "velocity: [0.1, 0, -0.3]}\n",
      name, x, name, x, name, x + 0.03);
}

static int put_balls(char *out, size_t size, const char *name, double x)
{
  static const char kind[] =
      "kind: shell, mesh: {sphere: {radius: 0.03, base: icosahedron, frequency: 1, level: 1}}, thickness: 2e-3, "
      "material: {young: 2e6, poisson: 0.45, density: 1000}";
  return snprintf(out, size,
                  "  %s-left: {%s, centre: [%g, 0, 0], velocity: [1, 0, 0]}\n"
                  "  %s-right: {%s, centre: [%g, 0.005, 0.002], velocity: [-1, 0, 0]}\n",
                  name, kind, x, name, kind, x + 0.0607);
}

/* A fine mesh, stiff enough that another class of steps is its own, close together and fast. */
static int put_stiff(char *out, size_t size, const char *name, double x)
{
  static const char kind[] =
      "kind: shell, mesh: {sphere: {radius: 0.01, base: icosahedron, frequency: 1, level: 2}}, thickness: 5e-4, "
      "material: {young: 2e6, poisson: 0.45, density: 1000}";
  return snprintf(out, size,
                  "  %s-left: {%s, centre: [%g, 0, 0], velocity: [3, 0, 0]}\n"
                  "  %s-right: {%s, centre: [%g, 0, 0], velocity: [-3, 0, 0]}\n",
                  name, kind, x, name, kind, x + 0.0205001);
}

typedef int put_fn(char *out, size_t size, const char *name, double x);

typedef struct run {
  vv_ctx *ctx;
  vv_spec *spec;
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
} run;

static run open_run(const char *text)
{
  run r = {0};
  vv_ctx_def def = vv_ctx_default();
  const vv_sim_def how = vv_sim_default();
  assert_int_equal(vv_ctx_create(&def, &r.ctx), VV_OK);
  if (vv_scene_parse(r.ctx, "apart", text, strlen(text), &r.spec) != VV_OK ||
      vv_compile(r.ctx, r.spec, &r.model, &r.state) != VV_OK) {
    vv_ctx_report(r.ctx, stderr);
    fail();
  }
  assert_int_equal(vv_sim_create(r.model, r.state, &how, &r.sim), VV_OK);
  return r;
}

static void close_run(run *r)
{
  vv_sim_destroy(r->sim);
  vv_state_destroy(r->state);
  vv_model_destroy(r->model);
  vv_spec_destroy(r->spec);
  vv_ctx_destroy(r->ctx);
}

/* Bodies of `a` whose names begin with "one-" have the bits of the same in `b`. */
static void same_bits(const run *a, const run *b, int64_t step)
{
  int compared = 0;
  for (int i = 0; i < vv_model_bodies(a->model); i++) {
    const char *name = vv_model_body_name(a->model, i);
    vv_slice x, y;
    if (strncmp(name, "one-", 4) != 0 || !vv_model_slice(a->model, i, &x)) continue;
    assert_true(vv_model_slice(b->model, vv_model_body(b->model, name), &y));
    assert_int_equal(x.nodes, y.nodes);
    for (int c = 0; c < x.node_q; c++)
      if (memcmp(a->state->q + x.q0 + c * x.column, b->state->q + y.q0 + c * y.column,
                 sizeof(double) * (size_t)x.nodes) != 0)
        fail_msg("%s: places differ at step %lld", name, (long long)step);
    for (int c = 0; c < x.node_p; c++)
      if (memcmp(a->state->p + x.p0 + c * x.column, b->state->p + y.p0 + c * y.column,
                 sizeof(double) * (size_t)x.nodes) != 0)
        fail_msg("%s: momenta differ at step %lld", name, (long long)step);
    compared++;
  }
  assert_true(compared > 0);
}

static void compare(put_fn *group_of, put_fn *stranger, const char *e, const char *mu, int64_t steps)
{
  char text[3][8192];
  for (int k = 0; k < 3; k++) { /* alone; the stranger behind it; before it */
    size_t n = (size_t)snprintf(text[k], sizeof text[k], head, e, mu);
    if (k == 2) n += (size_t)stranger(text[k] + n, sizeof text[k] - n, "two", 3.0);
    n += (size_t)group_of(text[k] + n, sizeof text[k] - n, "one", 0.0);
    if (k == 1) stranger(text[k] + n, sizeof text[k] - n, "two", 3.0);
  }
  run r[3];
  vv_report report;
  for (int k = 0; k < 3; k++) r[k] = open_run(text[k]);
  for (int64_t step = 0; step < steps; step += steps / 10) {
    for (int k = 0; k < 3; k++) assert_int_equal(vv_sim_steps(r[k].sim, steps / 10, &report), VV_OK);
    for (int k = 1; k < 3; k++) same_bits(&r[0], &r[k], r[0].state->step);
  }
  assert_true(vv_ledger_get(vv_sim_ledger(r[0].sim), VV_LEDGER_IMPACTS) > 0);
  assert_true(vv_ledger_get(vv_sim_ledger(r[1].sim), VV_LEDGER_IMPACTS) >
              vv_ledger_get(vv_sim_ledger(r[0].sim), VV_LEDGER_IMPACTS));
  for (int k = 0; k < 3; k++) close_run(&r[k]);
}

static void two_drums(void **state)
{
  (void)state;
  compare(put_drum, put_drum, "1", "0", 3000);
  compare(put_drum, put_drum, "0.5", "0.3", 1000);
}

static void two_heaps(void **state)
{
  (void)state;
  compare(put_heap, put_heap, "1", "0", 2000);
  compare(put_heap, put_heap, "0.5", "0.3", 2000);
}

static void shells_that_meet(void **state)
{
  (void)state;
  compare(put_balls, put_balls, "1", "0", 1000);
  compare(put_balls, put_balls, "0.5", "0.3", 1000);
}

static void strangers_of_other_kinds(void **state)
{
  (void)state;
  compare(put_drum, put_heap, "1", "0.3", 1000);
  compare(put_heap, put_drum, "0.5", "0.3", 1000);
  compare(put_balls, put_heap, "1", "0", 1000);
  compare(put_drum, put_balls, "1", "0", 1000);
  compare(put_drum, put_stiff, "1", "0", 1000);
  compare(put_balls, put_stiff, "1", "0", 1000);
  compare(put_balls, put_stiff, "0.5", "0.3", 1000);
  compare(put_heap, put_stiff, "0.5", "0.3", 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_drums), cmocka_unit_test(two_heaps),
                                     cmocka_unit_test(shells_that_meet), cmocka_unit_test(strangers_of_other_kinds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
