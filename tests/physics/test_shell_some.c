/* tests/physics/test_shell_some.c  Kick and drift of some nodes give them the bits of the whole block, and leave all others. */
#include "check.h"
#include "model/model.h"
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "visviva: 1\ntime: {end: 1, step: 1e-6}\ngravity: [0, 0, -9.8]\ncontacts: [{response: none}]\nbodies:\n"
    "  ball: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6, level: 3}}, thickness: 0.05, "
    "material: {young: 2e5, poisson: 0.3, density: 1}, copies: [{centre: [0, 0, 0]}, {centre: [3, 0, 0]}]}\n"
    "  plate: {kind: shell, mesh: {rectangle: {size: [2, 2], pieces: [40, 40]}}, thickness: 0.02, centre: [0, 4, 0], "
    "material: {young: 2e5, poisson: 0.3, density: 1}, edges: [{hold: clamped}]}\n";

static double noise(unsigned *seed)
{
  *seed = 1664525u * *seed + 1013904223u;
  return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

/* n nodes around one of them. */
static int64_t pick(const vv_block *b, int64_t about, int64_t n, int32_t *out, unsigned char *mark)
{
  for (int64_t i = 0; i < n; i++) out[i] = (int32_t)((about + 7 * i) % b->nodes), mark[out[i]] = 1;
  return n;
}

static void check_nodes(const vv_block *b, int64_t n, const int32_t *node, const double *one, const double *other)
{
  for (int64_t i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) {
      const int64_t at = c * b->column + node[i];
      assert_memory_equal(&one[at], &other[at], sizeof one[at]);
    }
}

/* Two states from the same places, with the force of one of them; p2 stands for it, too. */
static void check_setting_out(const vv_block *b, int64_t n, const int32_t *node, const double *q, const double *p,
                              const double *p2)
{
  const int64_t reals = 3 * b->column;
  double *one = malloc(6 * sizeof *one * (size_t)reals), *two = one + reals, *to = two + reals, *to2 = to + reals,
         *all = to2 + reals, *far = all + reals;
  for (int64_t i = 0; i < reals; i++) one[i] = p[i], two[i] = p2[i], to[i] = to2[i] = 7.0;
  b->kind->some->set_out(b, 1e-3, 0.1, n, node, q, p2, 2, (double *[]){to, to2}, (double *[]){one, two});
  for (int k = 0; k < 2; k++) {
    memcpy(far, q, sizeof *q * (size_t)reals);
    for (int64_t i = 0; i < reals; i++) all[i] = (k == 0 ? p : p2)[i] + 1e-3 * p2[i];
    b->kind->drift(b, 0.1, far, all);
    check_nodes(b, n, node, k == 0 ? one : two, all);
    check_nodes(b, n, node, k == 0 ? to : to2, far);
  }
  int64_t others = 0; /* nodes that were not asked for stay */
  for (int64_t i = 0; i < b->nodes; i++) others += to[i] == 7.0 && one[i] == p[i];
  assert_int_equal(others, b->nodes - n);
  free(one);
}

static void test_bits_of_the_whole(void **unused)
{
  (void)unused;
  for (int threads = 1; threads <= 2; threads++) {
    run_record r = run_prepare(text, &(run_options){.threads = threads});
    const vv_block *b = &r.model->block[0];
    const int64_t reals = 3 * b->column;
    unsigned seed = 3;
    double *q = malloc(sizeof *q * (size_t)(9 * reals)), *p = q + reals, *whole = p + reals, *some = whole + reals,
           *z = some + reals, *p2 = z + reals, *moved2 = p2 + reals, *some2 = moved2 + reals, *z2 = some2 + reals;
    int32_t *node = malloc(sizeof *node * (size_t)(2 * b->nodes)), *around = node + b->nodes;
    unsigned char *mark = calloc((size_t)b->nodes, 1);
    assert_non_null(b->kind->some);
    vvi_arena arena = {0};
    void *set = b->kind->some->set(b, &arena);
    const int64_t room = b->kind->some->reals(b);
    double *scratch = malloc(2 * sizeof *scratch * (size_t)room);
    assert_non_null(set);
    for (int64_t i = 0; i < reals; i++) q[i] = r.state->q[b->q0 + i] + 1e-3 * noise(&seed), p[i] = noise(&seed);
    memcpy(whole, p, sizeof *p * (size_t)reals);
    b->kind->kick(b, 0.0, 1e-3, q, whole);
    for (int64_t i = 0; i < reals; i++) p2[i] = noise(&seed); /* another state, flown beside it */
    memcpy(some2, p2, sizeof *p * (size_t)reals), memcpy(moved2, q, sizeof *q * (size_t)reals);
    b->kind->kick(b, 0.0, 1e-3, q, some2);
    b->kind->drift(b, 0.1, moved2, some2);
    for (int64_t about = 0; about < b->nodes; about += 997) {
      const int64_t n = pick(b, about, 1 + about % 9, node, mark),
                    m = b->kind->some->around(b, n, node, set, mark, around);
      assert_true(m > 0 && m < b->nodes / 2);
      /* elements reach two rings of a node, and three with the other half of their pair: 37 nodes of a regular mesh, 1 + 6 + 12 + 18,
       * and 24 more; a tile with a border is taken whole */
      if (about < b->body[b->n_body - 1]->node0) assert_true(n + m <= 61 * n);
      /* places that do not matter may be anything */
      memcpy(z, q, sizeof *q * (size_t)reals);
      for (int64_t i = 0; i < b->nodes; i++)
        for (int c = 0; c < 3 && !mark[i]; c++) z[c * b->column + i] = 1e3;
      memcpy(some, p, sizeof *p * (size_t)reals);
      memcpy(z2, z, sizeof *z * (size_t)reals), memcpy(some2, p2, sizeof *p * (size_t)reals);
      b->kind->some->kick(b, 1e-3, 0.0, n, node, set, 1, &scratch, &z, &some);
      check_nodes(b, n, node, some, whole);
      memcpy(some, p, sizeof *p * (size_t)reals);
      b->kind->some->kick(b, 1e-3, 0.1, n, node, set, 2, (double *[]){scratch, scratch + room}, (double *[]){z, z2},
                          (double *[]){some, some2});
      check_nodes(b, n, node, some, whole);
      check_nodes(b, n, node, z2, moved2);
      for (int64_t i = 0; i < m; i++) check_nodes(b, 1, &around[i], some, p); /* none of them was asked for */
      check_setting_out(b, n, node, q, p, p2);
      memset(mark, 0, (size_t)b->nodes);
    }
    free(q), free(node), free(mark), free(scratch);
    vvi_arena_free(&arena);
    run_free(&r);
  }
}

/* The stable step of a body alone: what it is in a scene of its own, to a few percent, and to the bit whoever is there. */
static void test_stable_step_of_each(void **unused)
{
  (void)unused;
  static const char head[] = "visviva: 1\ntime: {end: 1, step: 1e-7}\ncontacts: [{response: none}]\nbodies:\n";
  static const char *const body[] = {
      "  a: {kind: shell, mesh: {sphere: {radius: 1, frequency: 3, level: 2}}, thickness: 0.05, "
      "material: {young: 2e5, poisson: 0.3, density: 1}, copies: [{centre: [0, 0, 0]}, {centre: [3, 0, 0]}]}\n",
      "  b: {kind: shell, mesh: {rectangle: {size: [2, 2], pieces: [20, 20]}}, thickness: 0.02, centre: [0, 4, 0], "
      "material: {young: 2e7, poisson: 0.3, density: 1}, edges: [{hold: clamped}]}\n",
      "  c: {kind: shell, mesh: {cube: {edge: 0.1, pieces: 2}}, thickness: 0.02, centre: [0, 8, 0], "
      "material: {young: 1e4, poisson: 0.4, density: 9}}\n"};
  double alone[3], together[3];
  char all[4096];
  size_t n = (size_t)snprintf(all, sizeof all, "%s", head);
  for (int i = 0; i < 3; i++) {
    char one[2048];
    snprintf(one, sizeof one, "%s%s", head, body[i]);
    n += (size_t)snprintf(all + n, sizeof all - n, "%s", body[i]);
    run_record r = run_prepare(one, NULL);
    const vv_block *b = &r.model->block[0];
    b->kind->stable_steps(b, &alone[i]);
    check_near(alone[i], b->kind->stable_step(b), 0.02 * alone[i]);
    run_free(&r);
  }
  run_record r = run_prepare(all, &(run_options){.threads = 2});
  r.model->block[0].kind->stable_steps(&r.model->block[0], together);
  assert_memory_equal(alone, together, sizeof alone);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits_of_the_whole),
                                     cmocka_unit_test(test_stable_step_of_each)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
