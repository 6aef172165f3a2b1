/* tests/physics/test_traction.c  Contact as a field: the sum over nodes is the impulse in the books, weight over area at rest, the
 * same bits by threads and resumed, and what is refused. */
#include "check.h"
#include "run.h"

#include "contact/contact.h"
#include "model/model.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048, BODY = 512, FRAME = 20 };

#define FLOOR "  floor: {kind: obstacle, shape: {plane: {point: [0, 0, 0], normal: [0, 0, 1]}}}\n"
#define HEAD  "visviva: 1\ntime: {end: 1, step: 1e-4}\nmethod: {step: leapfrog}\nrecord: {every: 2e-3, traction: true}\n"
#define BALL                                                                                                    \
  "  ball: {kind: shell, mesh: {sphere: {radius: 0.1, frequency: 3}}, thickness: 0.01, material: {young: 1e6, " \
  "poisson: 0.3, density: 1000}, centre: [0, 0, 0.102], velocity: [0.3, 0, -1], spin: [0, 20, 5]%s}\n"

/* Sum over the nodes of a body of its traction, over extents and time: the impulse since the last frame. */
static void impulse_of(const run_record *r, int body, double time, double sum[3])
{
  static const char *const name[] = {"contact_normal", "contact_tangential"};
  const vv_body *b = &r->model->body[body];
  const vv_block *block = &r->model->block[b->block];
  double *extent = calloc((size_t)block->nodes, sizeof *extent), *out = calloc(3 * (size_t)b->n_node, sizeof *out);
  assert_non_null(extent);
  assert_non_null(out);
  block->kind->extent(block, extent);
  memset(sum, 0, 3 * sizeof *sum);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(vv_model_output(r->model, r->state, body, name[k], out), VV_OK);
    for (int64_t i = 0; i < b->n_node; i++)
      for (int c = 0; c < 3; c++) sum[c] += out[3 * i + c] * extent[b->node0 + i] * time;
  }
  free(extent), free(out);
}

/* Of all frames together: what a body got.  Nothing but contact acts. */
static void books(const char *text, int body, bool outside)
{
  enum { FRAMES = 30 };
  double all[3] = {0}, got[3], least = 0.0, p[2][VV_BODY_TOTALS];
  vv_report report;
  run_record r = run_prepare(text, NULL);
  assert_int_equal(vv_model_totals(r.model, r.state, body, p[0]), VV_OK);
  for (int i = 0; i < FRAMES; i++) {
    assert_int_equal(vv_sim_steps(r.sim, FRAME, &report), VV_OK);
    impulse_of(&r, body, FRAME * 1e-4, got);
    for (int c = 0; c < 3; c++) all[c] += got[c];
    least = fmax(least, fabs(got[2]));
  }
  check_least(least, 1e-4); /* something touched */
  assert_int_equal(vv_model_totals(r.model, r.state, body, p[1]), VV_OK);
  const double size = fabs(all[0]) + fabs(all[1]) + fabs(all[2]);
  for (int c = 0; c < 3; c++) {
    check_near(all[c], p[1][3 + c] - p[0][3 + c], 1e-12 * size);
    if (outside) check_near(all[c], vv_sum_value(&run_ledger(&r)->posted.impulse[c]), 1e-12 * size);
  }
  run_free(&r);
}

static void test_books(void **unused)
{
  (void)unused;
  static const char *const law[] = {"restitution: 0.5, friction: 0.4", "restitution: 1", "layer: 1e8"};
  static const char *const contact[] = {"", ", contact: smooth"};
  char text[TEXT], ball[BODY];
  for (int k = 0; k < 3; k++)
    for (int s = 0; s < 2; s++) {
      if (k == 2 && s == 1) continue;
      snprintf(ball, BODY, BALL, contact[s]);
      snprintf(text, TEXT, HEAD "contacts: [{%s}]\nbodies:\n%s" FLOOR, law[k], ball);
      books(text, 0, true);
    }
}

/* A beam on the floor, and two shells: what one gets the other gives. */
static void test_others(void **unused)
{
  (void)unused;
  char text[TEXT], ball[BODY];
  books(HEAD "contacts: [{restitution: 0.3, friction: 0.2}]\nbodies:\n"
             "  rod: {kind: beam, length: 0.5, elements: 10, section: {circle: {radius: 0.01}}, material: {young: 1e7, "
             "poisson: 0.3, density: 1000}, position: [0, 0, 0.06], axis: [1, 0, 0.2], velocity: [0.2, 0, -1]}\n" FLOOR,
        0, true);
  snprintf(ball, BODY, BALL, "");
  snprintf(text, TEXT,
           HEAD "contacts: [{restitution: 0.7, friction: 0.3}]\nbodies:\n%s"
                "  other: {kind: shell, mesh: {sphere: {radius: 0.1, frequency: 2}}, thickness: 0.02, material: "
                "{young: 1e6, poisson: 0.3, density: 1000}, centre: [0.02, 0, -0.1]}\n",
           ball);
  books(text, 0, false);
  books(text, 1, false);
}

/* rho h g at every node of a plate, rho A g of a rod: in every frame, the first one, too. */
static void at_rest(const char *text, double wanted)
{
  vv_report report;
  run_record r = run_prepare(text, NULL);
  const int64_t n = r.model->body[0].n_node;
  double *out = calloc(3 * (size_t)n, sizeof *out);
  assert_non_null(out);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(vv_sim_steps(r.sim, FRAME, &report), VV_OK);
    assert_int_equal(vv_model_output(r.model, r.state, 0, "contact_normal", out), VV_OK);
    for (int64_t i = 0; i < n; i++) check_near(out[3 * i + 2], wanted, 1e-9 * wanted);
  }
  free(out);
  run_free(&r);
}

static void test_rest(void **unused)
{
  (void)unused;
  at_rest(HEAD "gravity: [0, 0, -10]\ncontacts: [{restitution: 0}]\nbodies:\n"
               "  plate: {kind: shell, mesh: {disc: {radius: 1, rings: 4}}, thickness: 0.05, material: {young: 1e6, "
               "poisson: 0.3, density: 1000}, centre: [0, 0, 1e-7]}\n" FLOOR,
          1000 * 0.05 * 10);
  at_rest(HEAD
          "gravity: [0, 0, -10]\ncontacts: [{restitution: 0}]\nbodies:\n"
          "  rod: {kind: beam, length: 1, elements: 8, section: {rectangle: {width: 0.02, height: 0.02}}, material: "
          "{young: 1e7, poisson: 0.3, density: 1000}, position: [0, 0, 0.01000001], axis: [1, 0, 0]}\n" FLOOR,
          1000 * 4e-4 * 10);
}

static const char *spinning(void)
{
  static char text[TEXT], ball[BODY];
  snprintf(ball, BODY, BALL, "");
  snprintf(text, TEXT, HEAD "gravity: [0, 0, -10]\ncontacts: [{restitution: 0.5, friction: 0.4}]\nbodies:\n%s" FLOOR,
           ball);
  return text;
}

/* 137 steps, out of the rhythm of frames; cut: a new run goes on from the state of this step. */
static run_record run_to(int threads, int64_t cut)
{
  enum { STEPS = 137 };
  vv_report report;
  run_record r = run_prepare(spinning(), &(run_options){.threads = threads});
  assert_int_equal(vv_sim_steps(r.sim, cut > 0 ? cut : STEPS, &report), VV_OK);
  if (cut == 0) return r;
  const vv_sim_def def = vv_sim_default();
  vv_ledger *ledger;
  assert_int_equal(vv_ledger_create(&ledger), VV_OK);
  assert_int_equal(vv_ledger_copy(ledger, vv_sim_ledger(r.sim)), VV_OK);
  vv_sim_destroy(r.sim);
  assert_int_equal(vv_sim_create(r.model, r.state, &def, &r.sim), VV_OK);
  assert_int_equal(vv_sim_restore(r.sim, ledger), VV_OK);
  vv_ledger_destroy(ledger);
  assert_int_equal(vv_sim_steps(r.sim, STEPS - cut, &report), VV_OK);
  return r;
}

static void test_bits(void **unused)
{
  (void)unused;
  run_record one = run_to(1, 0), other[] = {run_to(4, 0), run_to(1, 47), run_to(1, 60)};
  for (int k = 0; k < 3; k++) {
    assert_int_equal(vv_state_hash(one.state), vv_state_hash(other[k].state));
    run_free(&other[k]);
  }
  run_free(&one);
}

/* The field is for whoever asks: without it the state is as long as ever, and moves the same. */
static void test_unasked(void **unused)
{
  (void)unused;
  vv_report report;
  char text[TEXT];
  run_record with = run_to(1, 0);
  snprintf(text, TEXT, "%s", spinning());
  char *word = strstr(text, ", traction: true");
  assert_non_null(word);
  memmove(word, word + strlen(", traction: true"), strlen(word + strlen(", traction: true")) + 1);
  run_record without = run_prepare(text, NULL);
  assert_int_equal(vv_sim_steps(without.sim, with.state->step, &report), VV_OK);
  assert_memory_equal(with.state->q, without.state->q, sizeof(double) * (size_t)with.state->nq);
  assert_memory_equal(with.state->p, without.state->p, sizeof(double) * (size_t)with.state->np);
  assert_int_equal(without.model->traction, 0);
  assert_int_equal(vv_model_field_size(without.model, 0, "contact_normal", NULL), 0);
  assert_null(without.sim->step.contact->touch);
  run_free(&with), run_free(&without);
}

static void test_refused(void **unused)
{
  (void)unused;
  static const struct {
    const char *method, *body, *says;
  } wrong[] = {
      {"energy-momentum",
       "  a: {kind: shell, mesh: {sphere: {radius: 1, frequency: 2}}, thickness: 0.1, material: "
       "{young: 1e6, poisson: 0.3, density: 1000}, centre: [0, 0, 2]}\n" FLOOR,
       "leapfrog"},
      {"leapfrog", "  a: {kind: rigid, shape: {ball: {radius: 1}}, mass: 1, position: [0, 0, 2]}\n" FLOOR, "shells"},
      {"leapfrog",
       "  a: {kind: beam, length: 1, elements: 4, section: {circle: {radius: 0.01}}, material: {young: 1e7, poisson: "
       "0.3, density: 1000}}\n",
       "nothing here can touch"},
  };
  for (int k = 0; k < VV_COUNT(wrong); k++) {
    char text[TEXT], message[TEXT];
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 1, step: 1e-5}\nmethod: {step: %s}\nrecord: {traction: true}\ncontacts: [{self: "
             "false}]\nbodies:\n%s",
             wrong[k].method, wrong[k].body);
    assert_int_not_equal(run_refused(text, message, sizeof message), VV_OK);
    if (strstr(message, wrong[k].says) == NULL) fail_msg("%d: %s", k, message);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_books), cmocka_unit_test(test_others),  cmocka_unit_test(test_rest),
      cmocka_unit_test(test_bits),  cmocka_unit_test(test_unasked), cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests_name("contact traction", tests, NULL, NULL);
}
