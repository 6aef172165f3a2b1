/* tests/contact/test_broad.c  The broad phase: which boxes overlap, by a tree; surfaces far apart are not known to the search. */
#include "check.h"

#include "contact/broad/tree.h"
#include "contact/shapes/meets.h"
#include "model/model.h"
#include "sheets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tree ---- */

static void random_box(uint64_t *seed, double size, double box[6])
{
  for (int c = 0; c < 3; c++) {
    box[c] = sheet_noise(seed);
    box[3 + c] = box[c] + size * (0.5 + sheet_noise(seed));
  }
}

static void note(void *user, int32_t box)
{
  unsigned char *seen = user;
  seen[box]++;
}

/* Few or many boxes change at a time, some are empty: a query tells each box that overlaps once, and no other. */
static void tree_finds_all(void **unused)
{
  (void)unused;
  uint64_t seed = 5;
  for (int32_t n = 1; n <= 600; n = 3 * n + 2) {
    vvi_arena arena = {0};
    vvi_broad *t;
    int32_t *which = calloc((size_t)n, sizeof *which);
    unsigned char *seen = calloc((size_t)n, 1);
    assert_int_equal(vvi_broad_create(&arena, n, &t), VV_OK);
    for (int round = 0; round < 40; round++) {
      const int32_t some = round == 0 ? n : 1 + (int32_t)((0.5 + sheet_noise(&seed)) * (round % 5 == 4 ? n : 3));
      int32_t changed = 0;
      for (int32_t k = 0; k < some && k < n; k++) {
        const int32_t i = round == 0 ? k : (int32_t)((0.5 + sheet_noise(&seed)) * (n - 1));
        random_box(&seed, 0.3, t->box[i]);
        if (k % 17 == 3) t->box[i][0] = INFINITY, t->box[i][3] = -INFINITY;
        which[changed++] = i;
      }
      vvi_broad_update(t, changed, which);
      for (int q = 0; q < 20; q++) {
        double box[6];
        random_box(&seed, 0.2, box);
        memset(seen, 0, (size_t)n);
        vvi_broad_query(t, box, note, seen);
        for (int32_t i = 0; i < n; i++) {
          bool overlap = true;
          for (int c = 0; c < 3; c++) overlap &= t->box[i][c] <= box[3 + c] && box[c] <= t->box[i][3 + c];
          assert_int_equal(seen[i], overlap);
        }
      }
    }
    free(which), free(seen);
    vvi_arena_free(&arena);
  }
}

/* ---- surfaces far apart ---- */

/* n^3 cubes of 12 triangles, `gap` apart, each with a velocity of its own. */
static void far_apart(sheet_world *w, int n, double gap, double speed)
{
  char why[VVI_MESH_WHY];
  uint64_t seed = 11;
  vvi_mesh mesh;
  const double size[3] = {1, 1, 1}, axis[3] = {0, 0, 1};
  const int cut[3] = {1, 1, 1};
  sheet_world_open(w, 8 * n * n * n);
  assert_int_equal(vvi_mesh_box(&w->arena, size, cut, &mesh, why), VV_OK);
  for (int i = 0; i < n * n * n; i++) {
    const double pitch = 1.0 + gap, place[3] = {pitch * (i % n), pitch * (i / n % n), pitch * (i / n / n)};
    const double velocity[3] = {speed * sheet_noise(&seed), speed * sheet_noise(&seed), speed * sheet_noise(&seed)};
    sheet_world_add(w, &mesh, place, axis, 0.0, velocity, 1.0);
  }
  sheet_world_close(w, false, 1e-3, 1);
}

/* Bodies that are far apart and do not meet themselves: no candidate pairs, nothing built, however many bodies; boxes are
 * made once and, since the bodies hardly move, never again. */
static void far_apart_is_nothing(void **unused)
{
  (void)unused;
  for (int n = 2; n <= 8; n += 3) {
    sheet_world w;
    far_apart(&w, n, 3.0, 0.01);
    sheet_world_step(&w, 1e-3, 100);
    const vvi_sheet_search *s = w.search;
    assert_int_equal(s->n_list, 0);
    assert_int_equal(s->builds, 0);
    assert_int_equal(s->moves, w.sheets.n_cluster);
    sheet_world_free(&w);
  }
}

/* Candidates of bodies in a lattice are their neighbours: their number grows with the bodies, not with its square. */
static void candidates_are_neighbours(void **unused)
{
  (void)unused;
  for (int n = 4; n <= 8; n += 4) {
    sheet_world w;
    far_apart(&w, n, 0.3, 1.0);
    sheet_world_step(&w, 1e-3, 3);
    const int bodies = n * n * n;
    assert_true(w.search->n_list > 2 * bodies); /* three neighbours each, but at the border */
    assert_true(w.search->n_list <= 13 * bodies);
    sheet_world_free(&w);
  }
}

/* ---- who may meet whom ---- */

static const char *const scene =
    "visviva: 1\ntime: {end: 1, step: 1e-5}\nmethod: {step: leapfrog}\n"
    "contacts:\n  - {restitution: 0.9, self: false}\n  - {between: [a, b], response: none}\n"
    "  - {between: [a, ball], restitution: 0.5}\n  - {between: [c], friction: 0.1}\n"
    "bodies:\n"
    "  a: {kind: shell, mesh: {cube: {edge: 1, pieces: 1}}, thickness: 0.01, material: {young: 1e6, poisson: 0.3, "
    "density: 1000}, copies: [{centre: [0, 0, 5]}, {centre: [3, 0, 5]}]}\n"
    "  b: {kind: shell, mesh: {cube: {edge: 1, pieces: 1}}, thickness: 0.01, material: {young: 1e6, poisson: 0.3, "
    "density: 1000}, copies: [{centre: [0, 4, 5]}, {centre: [3, 4, 5]}]}\n"
    "  c: {kind: shell, mesh: {cube: {edge: 1, pieces: 1}}, thickness: 0.01, material: {young: 1e6, poisson: 0.3, "
    "density: 1000}, centre: [0, 8, 5]}\n"
    "  ball: {kind: rigid, shape: {ball: {radius: 0.3}}, density: 1000, position: [9, 0, 5]}\n"
    "  other: {kind: rigid, shape: {ball: {radius: 0.3}}, density: 1000, position: [9, 4, 5]}\n"
    "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n";

/* Asking one of those that are alike gives what asking all of them does; and what rules say is looked up, not tabulated. */
static void one_stands_for_all(void **unused)
{
  (void)unused;
  vv_ctx *ctx;
  vv_spec *spec = NULL;
  vv_model *m = NULL;
  vv_state *state = NULL;
  const vv_ctx_def def = vv_ctx_default();
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  vv_status status = vv_scene_parse(ctx, "meets", scene, strlen(scene), &spec);
  if (status == VV_OK) status = vv_compile(ctx, spec, &m, &state);
  for (int i = 0; i < vv_ctx_message_count(ctx); i++) print_message("%s\n", vv_ctx_message(ctx, i));
  assert_int_equal(status, VV_OK);
  const vvi_sheet_meets *k = m->sheets->meets;
  bool used[8] = {false}, all_used[8] = {false};
  for (int32_t a = 0; a < m->n_patch; a++) {
    bool any = false;
    for (int32_t b = 0; b < m->n_patch; b++) {
      const int32_t rule = vvi_sheet_meets_patches(k, a, b);
      const vvi_rule *r = vvi_rules_find(&k->rules, vvi_model_patch(m, a)->body, vvi_model_patch(m, b)->body);
      assert_int_equal(rule, vvi_sheet_meets_patches(k, b, a));
      if (rule >= 0) any = all_used[rule] = true, assert_ptr_equal(&k->rules.rule[rule], r);
    }
    assert_int_equal(vvi_sheet_meets_any(k, a, used), any);
  }
  assert_memory_equal(used, all_used, sizeof used);
  assert_true(used[0] && !used[1] && used[2] && used[3]);
  vv_state_destroy(state);
  vv_model_destroy(m);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(tree_finds_all), cmocka_unit_test(far_apart_is_nothing),
                                     cmocka_unit_test(candidates_are_neighbours), cmocka_unit_test(one_stands_for_all)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
