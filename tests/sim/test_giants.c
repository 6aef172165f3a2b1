/* tests/sim/test_giants.c  A pile of cubes pressed together is one island of hundreds of contacts, which answer in turn, level by
 * level: the same state and books for any number of threads, and for any order within a level; what is lost is booked, momenta are
 * kept, nothing intersects; and an order by names knows nothing of what else the scene has. */
#include "check.h"

#include "contact/contact.h"
#include "sheets.h"
#include "sim/sim.h"
#include "visviva/visviva.h"

#include <math.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 40, STEPS = 180, CUBES = 27, NODES = CUBES * 56, TEXT = 1 << 14 };

typedef struct outcome {
  uint64_t hash;
  double ledger[COLUMNS], place[3 * NODES]; /* of the cubes */
  int64_t turns, levels, crossed;
  int32_t most; /* contacts of the largest group */
  bool looks;   /* for triangles that intersect */
} outcome;

/* `before` is a body that comes first in the scene. */
static char *pile(const char *law, const char *before)
{
  char *text = malloc(TEXT);
  assert_non_null(text);
  size_t at = (size_t)snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 1, step: 1e-5}\ncontacts: [%s]\nbodies:\n%s  cubes: {kind: shell, mesh: {cube: {edge: "
      "1, "
      "pieces: 3}}, thickness: 0.05, material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, copies: [",
      law, before);
  for (int i = 0; i < CUBES; i++) {
    const double x[3] = {i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0};
    at += (size_t)snprintf(text + at, TEXT - at,
                           "%s{centre: [%g, %g, %g], velocity: [%g, %g, %g], rotation: [%g, %g, 0.05]}",
                           i == 0 ? "" : ", ", 1.055 * x[0], 1.055 * x[1], 1.055 * x[2], -67.2 * x[0], -67.2 * x[1],
                           -67.2 * x[2], 0.01 * (i % 3), 0.015 * (i % 5));
  }
  assert_true(at + 8 < TEXT);
  snprintf(text + at, TEXT - at, "]}\n");
  return text;
}

static vv_status look(const vv_view *view, void *user)
{
  outcome *o = user;
  if (o->looks && view->state->step % 50 == 0) o->crossed += sheet_intersections(view->model, view->state);
  return VV_OK;
}

static void take_places(const vv_model *m, const vv_state *x, outcome *o)
{
  const vv_body *b = &m->body[m->n_body - 1];
  const vv_block *k = &m->block[b->block];
  assert_string_equal(b->name, "cubes");
  assert_int_equal(b->n_node, NODES);
  for (int c = 0; c < 3; c++)
    memcpy(o->place + c * NODES, x->q + k->q0 + c * k->column + b->node0, NODES * sizeof *o->place);
}

static outcome run(const char *law, const char *before, int threads, uint64_t shuffle)
{
  outcome o = {.looks = threads == 1 && shuffle == 0};
  vv_ctx *ctx;
  vv_spec *spec;
  vv_model *model;
  vv_state *x;
  vv_sim *sim;
  vv_report report;
  vv_ctx_def def = vv_ctx_default();
  const vv_sim_def how = vv_sim_default();
  char *text = pile(law, before);
  def.threads = threads;
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  assert_int_equal(vv_scene_parse(ctx, "giants", text, strlen(text), &spec), VV_OK);
  assert_int_equal(vv_compile(ctx, spec, &model, &x), VV_OK);
  assert_int_equal(vv_sim_create(model, x, &how, &sim), VV_OK);
  struct vvi_contact_step *w = sim->step.contact;
  w->shuffle = shuffle;
  assert_int_equal(vv_sim_observe(sim, 1, look, &o), VV_OK);
  for (int64_t k = 0; k < STEPS; k += 10) {
    assert_int_equal(vv_sim_steps(sim, 10, &report), VV_OK);
    assert_int_equal(report.reason, VV_REASON_DONE);
    for (int32_t i = 0; i < w->groups; i++)
      if (w->group[i].n > o.most) o.most = w->group[i].n;
  }
  o.turns = w->count.turns, o.levels = w->count.levels;
  assert_int_equal(w->count.unresolved + w->count.frozen, 0);
  o.hash = vv_state_hash(x);
  vv_ledger_row(vv_sim_ledger(sim), COLUMNS, o.ledger);
  const vv_ledger *l = vv_sim_ledger(sim);
  check_most(l->max_closure, 5e-5);
  check_most(l->max_shrink, 1e-12 * l->energy_scale);
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_L_drift, 1e-12);
  if (o.looks)
    print_message("  %s: largest group %d, %ld turns in %ld levels, E %.1e, lost %.0f %%\n", law, o.most, (long)o.turns,
                  (long)o.levels, l->max_closure,
                  100.0 * (vv_sum_value(&l->posted.friction_loss) + vv_sum_value(&l->posted.restitution_loss)) /
                      l->energy_scale);
  take_places(model, x, &o);
  vv_sim_destroy(sim);
  vv_state_destroy(x);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  free(text);
  return o;
}

static void check_same(const char *law, const outcome *one, int threads, uint64_t shuffle)
{
  const outcome other = run(law, "", threads, shuffle);
  if (other.hash != one->hash) fail_msg("%d threads, shuffle %d: other bits", threads, (int)shuffle);
  assert_memory_equal(other.ledger, one->ledger, sizeof one->ledger);
  assert_int_equal(other.turns, one->turns);
  assert_int_equal(other.levels, one->levels);
}

static void answers_in_levels(const char *law)
{
  const outcome one = run(law, "", 1, 0);
  assert_int_equal(one.crossed, 0);
  assert_true(one.most > VVI_CROWD);
  check_least((double)one.turns, 5e3);
  check_least((double)one.turns, 3.0 * (double)one.levels); /* side by side */
  check_same(law, &one, 2, 0);
  check_same(law, &one, 1, 5);
}

static void stops_and_rubs(void **state)
{
  (void)state;
  answers_in_levels("{restitution: 0, friction: 0.3}");
}

static void stops_and_slides(void **state)
{
  (void)state;
  answers_in_levels("{restitution: 0}");
}

/* One that comes first in the scene, and never meets the others, moves all numbers but no name. */
static void names_are_their_own(void **state)
{
  const char *stranger =
      "  away: {kind: shell, mesh: {cube: {edge: 1, pieces: 3}}, thickness: 0.05, centre: [0, 0, 50], "
      "material: {young: 2.1e5, poisson: 0.3, density: 0.7085}}\n";
  const outcome one = run("{restitution: 0, friction: 0.3}", "", 1, 0),
                two = run("{restitution: 0, friction: 0.3}", stranger, 1, 0);
  (void)state;
  assert_int_equal(two.turns, one.turns);
  assert_memory_equal(two.place, one.place, sizeof one.place);
}

/* Who calls may be a thread of a team of their own, as when several runs go on side by side. */
static void called_by_a_team(void **state)
{
  (void)state;
#ifdef _OPENMP
  const char *law = "{restitution: 0, friction: 0.3}";
  const outcome one = run(law, "", 1, 0);
  outcome other = {0};
#pragma omp parallel num_threads(3)
  if (omp_get_thread_num() == omp_get_num_threads() - 1) other = run(law, "", 1, 0);
  assert_true(other.hash == one.hash);
  assert_memory_equal(other.ledger, one.ledger, sizeof one.ledger);
#endif
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(stops_and_rubs), cmocka_unit_test(stops_and_slides),
                                     cmocka_unit_test(names_are_their_own), cmocka_unit_test(called_by_a_team)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
