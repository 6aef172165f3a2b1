/* tests/twins/test_near.c  Looking for contacts eight nodes at a time finds, bit for bit, what looking at every pair finds;
 * and many steps in one call, which keep the force and the resting pairs from step to step, are as many single steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "contact/pairs.h"
#include "model/model.h"
#include "visviva/visviva.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 4096, PAIRS = 20000 };

static const char *const obstacle[] = {
    "  o: {kind: obstacle, shape: {plane: {normal: [0.1, 0.2, 1], offset: -0.1}}}\n",
    "  o: {kind: obstacle, shape: {sphere: {centre: [0.1, 0, -1], radius: 0.7}}}\n",
    "  o: {kind: obstacle, shape: {sphere: {centre: [0, 0, 0.1], radius: 1.6, inside: true}}}\n",
    "  o: {kind: obstacle, shape: {cylinder: {centre: [0, 0, -1], axis: [1, 1, 0.3], radius: 0.5}}}\n",
    "  o: {kind: obstacle, shape: {cylinder: {axis: [1, 0.3, 0.1], radius: 0.4, inside: true}}}\n",
    "  o: {kind: obstacle, shape: {box: {centre: [0, 0, -0.6], size: [1, 0.5, 0.4], axis: [0.2, 0.1, 1]}}}\n",
    "  o: {kind: obstacle, shape: {room: {size: [4, 1, 1], axis: [0, 0.1, 1]}}}\n",
};
static const char *const section[] = {"square: {side: 0.05}}, touch: section", "square: {side: 0.05}}, touch: centroid",
                                      "circle: {radius: 0.03}}, touch: section"};

typedef struct scene {
  vv_ctx *ctx;
  vv_model *model;
  vv_state *state;
} scene;

static scene open_scene(const char *text)
{
  scene s = {0};
  vv_spec *spec = NULL;
  const vv_ctx_def def = vv_ctx_default();
  assert_int_equal(vv_ctx_create(&def, &s.ctx), VV_OK);
  vv_status status = vv_scene_parse(s.ctx, "near", text, strlen(text), &spec);
  if (status == VV_OK) status = vv_compile(s.ctx, spec, &s.model, &s.state);
  for (int i = 0; i < vv_ctx_message_count(s.ctx); i++) print_message("%s\n", vv_ctx_message(s.ctx, i));
  assert_int_equal(status, VV_OK);
  vv_spec_destroy(spec);
  return s;
}

static void close_scene(scene *s)
{
  vv_state_destroy(s->state);
  vv_model_destroy(s->model);
  vv_ctx_destroy(s->ctx);
}

static void write_scene(char *text, int elements, int around, int kind, const char *ends, const char *method)
{
  const int n = snprintf(text, TEXT,
                         "visviva: 1\ntime: {end: 1, step: {safety: 0.1}}\nmethod: {step: event, jump: %s}\n"
                         "gravity: [0, 0, -10]\ncontacts: [{%s}]\nbodies:\n"
                         "  beam: {kind: beam, length: 1, elements: %d, material: {young: 1e5, poisson: 0.35, density: "
                         "1000}, position: [-0.5, 0, 0.1], axis: [1, 0, 0], normal: [0, 1, 0], %s spin: [0, 3, 1], "
                         "velocity: [0, 0.4, -1], section: {%s, strain: cayley, drift: cayley}\n%s",
                         method, strcmp(method, "nodal") == 0 ? "friction: 0.3, restitution: 0.8" : "restitution: 1",
                         elements, ends, section[kind], obstacle[around]);
  assert_true(n < TEXT);
}

/* ---- the search ---- */

typedef struct found {
  int n, pair[PAIRS];
  double gap[PAIRS];
} found;

static void note(void *user, int pair, double gap)
{
  found *f = user;
  assert_true(f->n < PAIRS);
  f->pair[f->n] = pair, f->gap[f->n++] = gap;
}

static int64_t compare_search(const scene *s, double limit)
{
  static found near;
  near.n = 0;
  int k = 0;
  vvi_pairs_near(s->model, s->state->q, limit, note, &near);
  for (int i = 0; i < s->model->pairs->n; i++) {
    const double gap = vvi_pair_gap(&s->model->pairs->pair[i], s->state->q);
    if (!(gap <= limit)) continue;
    assert_true(k < near.n);
    assert_int_equal(near.pair[k], i);
    assert_memory_equal(&near.gap[k], &gap, sizeof gap);
    k++;
  }
  assert_int_equal(k, near.n);
  return k;
}

static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0 - 0.5;
}

static void the_same_pairs(void **unused)
{
  (void)unused;
  static const int elements[] = {1, 7, 8, 127, 128, 300};
  char text[TEXT];
  uint64_t seed = 1;
  for (size_t e = 0; e < sizeof elements / sizeof *elements; e++)
    for (int around = 0; around < VV_COUNT(obstacle); around++)
      for (int kind = 0; kind < VV_COUNT(section); kind++) {
        int64_t hits = 0, all = 0;
        write_scene(text, elements[e], around, kind, e % 2 == 0 ? "" : "ends: {first: pinned},", "nodal");
        scene s = open_scene(text);
        const vv_block *b = &s.model->block[0];
        for (int k = 0; k < 20; k++) {
          for (int64_t i = 0; i < b->nodes; i++)
            for (int c = 0; c < 3; c++) s.state->q[b->q0 + c * b->column + i] = 2.0 * noise(&seed);
          hits += compare_search(&s, k % 2 == 0 ? 0.0 : 1e-3);
          all += s.model->pairs->n;
        }
        if (elements[e] > 100) assert_true(hits > 0 && hits < all); /* near and far are both there */
        close_scene(&s);
      }
}

/* ---- steps ---- */

static void advance(scene *s, int64_t calls, int64_t each, vv_ledger *ledger)
{
  vv_sim_def def = vv_sim_default();
  vv_sim *sim = NULL;
  vv_report report;
  assert_int_equal(vv_sim_create(s->model, s->state, &def, &sim), VV_OK);
  for (int64_t i = 0; i < calls; i++) {
    assert_int_equal(vv_sim_steps(sim, each, &report), VV_OK);
    assert_int_equal(report.reason, VV_REASON_DONE);
  }
  *ledger = *vv_sim_ledger(sim);
  vv_sim_destroy(sim);
}

static void many_steps_are_single_steps(void **unused)
{
  (void)unused;
  static const char *const method[] = {"nodal", "nodal, order: 4", "nodal, order: 6"};
  char text[TEXT];
  int64_t impacts = 0;
  for (int around = 0; around < VV_COUNT(obstacle); around++)
    for (int k = 0; k < VV_COUNT(method); k++) {
      vv_ledger one, many;
      write_scene(text, 12, around, (around + k) % VV_COUNT(section), around % 2 == 0 ? "" : "ends: {first: pinned},",
                  method[k]);
      scene single = open_scene(text), batch = open_scene(text);
      advance(&single, 2000, 1, &one);
      advance(&batch, 2, 1000, &many);
      assert_true(vv_state_hash(single.state) == vv_state_hash(batch.state));
      assert_int_equal(one.impacts, many.impacts);
      assert_int_equal(one.contacts, many.contacts);
      assert_true(one.max_penetration == many.max_penetration);
      assert_true(vv_sum_value(&one.posted.friction_loss) == vv_sum_value(&many.posted.friction_loss));
      impacts += one.impacts;
      close_scene(&single);
      close_scene(&batch);
    }
  assert_true(impacts > 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_pairs),
      cmocka_unit_test(many_steps_are_single_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
