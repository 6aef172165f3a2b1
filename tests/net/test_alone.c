/* tests/net/test_alone.c  The table of seven functions where there is one rank, and shells that go through it: the bits of
 * shells that do not. */
#include "check.h"

#include "visviva/net.h"
#include "visviva/visviva.h"

#include <stdlib.h>
#include <string.h>

static void rows_are_copied(void **state)
{
  const vv_net *n = vv_net_alone();
  const vv_place place[3] = {{0, 2}, {0, 0}, {0, 2}};
  const double root[6] = {1, 2, 3, 4, 5, 6};
  double leaf[6] = {0};
  vv_star *star = NULL;
  (void)state;
  assert_int_equal(n->star(n, 3, 3, place, &star), VV_OK);
  n->begin(star, 2 * sizeof(double), root, leaf);
  n->end(star, 2 * sizeof(double), root, leaf);
  n->star_free(star);
  assert_memory_equal(leaf, ((const double[6]){5, 6, 1, 2, 5, 6}), sizeof leaf);
}

static void packages_come_back(void **state)
{
  const vv_net *n = vv_net_alone();
  const int to[2] = {0, 0};
  const void *data[2] = {"tile", "of ours"};
  const int64_t bytes[2] = {5, 8};
  void **in;
  int64_t *in_bytes;
  int got;
  (void)state;
  assert_int_equal(n->deal(n, 2, to, data, bytes, &got, &in, &in_bytes), VV_OK);
  assert_int_equal(got, 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(in_bytes[i], bytes[i]);
    assert_string_equal(in[i], data[i]);
  }
}

static const char scene[] =
    "visviva: 1\ntime: {end: 1, step: {safety: 0.4}}\ngravity: [0, 0, -9.81]\ncontacts: [{response: none}]\nbodies:\n"
    "  skin: {kind: shell, mesh: {disc: {radius: 0.15, rings: 24}}, thickness: 1e-3, edges: [{hold: clamped}],\n"
    "    material: {law: j2, young: 2e7, poisson: 0.4, density: 1200, yield: 1e3}, damping: {mass: 3},\n"
    "    pressure: [{value: 500}]}\n"
    "  rod: {kind: beam, length: 1, elements: 4, material: {young: 1e7, density: 1000}, section: {circle: {radius: "
    "0.01}}}\n";

static uint64_t hash_of(const vv_net *net, double energy[2])
{
  vv_ctx *ctx;
  vv_spec *spec;
  vv_model *model = NULL;
  vv_state *x = NULL;
  vv_sim *sim;
  vv_report report;
  vv_ctx_def def = vv_ctx_default();
  const vv_sim_def how = vv_sim_default();
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  if (net != NULL) vv_ctx_share(ctx, net);
  if (vv_scene_parse(ctx, "alone", scene, strlen(scene), &spec) != VV_OK ||
      vv_compile(ctx, spec, &model, &x) != VV_OK) {
    vv_ctx_report(ctx, stderr);
    fail();
  }
  assert_int_equal(vv_sim_create(model, x, &how, &sim), VV_OK);
  assert_int_equal(vv_sim_steps(sim, 200, &report), VV_OK);
  const uint64_t hash = vv_state_hash(x);
  energy[0] = vv_ledger_get(vv_sim_ledger(sim), VV_LEDGER_TOTAL);
  energy[1] = vv_ledger_get(vv_sim_ledger(sim), VV_LEDGER_PLASTIC_WORK);
  vv_sim_destroy(sim);
  vv_state_destroy(x);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  return hash;
}

static void same_bits(void **state)
{
  double a[2], b[2];
  (void)state;
  assert_true(hash_of(NULL, a) == hash_of(vv_net_alone(), b));
  assert_memory_equal(a, b, sizeof a);
  assert_true(a[1] > 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_copied), cmocka_unit_test(packages_come_back),
                                     cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
