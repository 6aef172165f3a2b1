/* tests/physics/test_shell_scene.c  Shells as a user meets them: books with weight, loads, pressure and held borders, copies,
 * the stable step, files with the limit surface, words that are refused. */
#include "check.h"
#include "run.h"

#include "body/shell/shell.h"
#include "math/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048 };

/* ---- books ---- */

static double worst_closure(const char *body, const char *gravity, double step, double end)
{
  char text[TEXT];
  snprintf(
      text, sizeof text,
      "visviva: 1\ntime: {end: %g, step: %g}\nmethod: {step: leapfrog}\ngravity: %s\nbodies:\n  s: {kind: shell, %s}\n",
      end, step, gravity, body);
  run_record r = run_scene(text, NULL);
  const vv_ledger *l = run_ledger(&r);
  check_most(l->max_p_drift, 1e-13);
  check_most(l->max_L_drift, 1e-13);
  const double closure = l->max_closure;
  run_free(&r);
  return closure;
}

/* Energy is balanced to second order in the step, momentum and angular momentum exactly, whatever acts. */
static void test_books(void **unused)
{
  (void)unused;
  static const char *const body[] = {
      "mesh: {sphere: {radius: 1, level: 2}}, thickness: 0.05, material: {young: 1000, density: 1}, spin: [1, 2, 3], "
      "pressure: [{value: 5, history: {harmonic: {frequency: 3}}}]",
      "mesh: {rectangle: {size: [1, 1], pieces: [6, 6]}}, thickness: 0.05, material: {young: 1000, density: 1}, edges: "
      "[{hold: clamped, high: [-0.49, 9, 9]}], loads: [{at: [0.5, 0, 0], force: [0, 0, 1]}]",
      "mesh: {cylinder: {radius: 1, height: 2, around: 14, along: 6}}, thickness: 0.05, material: {young: 1000, "
      "density: "
      "1, law: neo-hookean}, edges: [{hold: supported, loop: 1}], pressure: [{value: 2}]"};
  for (int i = 0; i < 3; i++) {
    const double one = worst_closure(body[i], "[0, 1, -2]", 1e-3, 0.5),
                 two = worst_closure(body[i], "[0, 1, -2]", 5e-4, 0.5);
    check_most(two, 1e-4);
    check_near(log2(one / two), 2.0, 0.3);
  }
}

/* ---- copies ---- */

/* Two copies, one of them turned, move as two bodies do. */
static void test_copies(void **unused)
{
  (void)unused;
  static const char head[] = "visviva: 1\ntime: {end: 0.1, step: 1e-3}\nmethod: {step: leapfrog}\nbodies:\n";
  static const char words[] =
      "kind: shell, mesh: {cube: {edge: 1, pieces: 3}}, thickness: 0.05, material: {young: 100, "
      "density: 1}, rotation: [0.1, 0.2, 0.3]";
  char one[TEXT], two[TEXT];
  snprintf(one, sizeof one,
           "%s  s: {%s, velocity: [1, 0, 0], copies: [{centre: [0, 0, 0]}, {centre: [3, 0, 0], rotation: [0, 0, 1], "
           "velocity: "
           "[-2, 0, 0], spin: [0, 5, 0]}]}\n",
           head, words);
  snprintf(two, sizeof two, "%s  a: {%s, velocity: [1, 0, 0]}\n  b: {%s, centre: [3, 0, 0], velocity: [-1, 0, 0]}\n",
           head, words, words);
  run_record a = run_scene(one, NULL), b = run_scene(two, NULL);
  const vv_block *k = &a.model->block[0];
  assert_int_equal(k->patches, 2);
  assert_int_equal(k->patch[1].element, k->patch[0].elements);
  assert_int_equal(k->patch[1].node, k->patch[0].nodes);
  assert_true(k->patch[0].type == VV_PATCH_SURFACE && k->patch[0].closed);
  assert_int_equal(k->nodes, b.model->block[0].nodes);
  for (int c = 0; c < 3; c++) /* the first copy is the first body */
    for (int64_t i = 0; i < k->patch[0].nodes; i++)
      check_near(a.state->q[c * k->column + i], b.state->q[c * b.model->block[0].column + i], 1e-14);
  double p = 0.0; /* the second one turns */
  for (int64_t i = k->patch[1].node; i < k->nodes; i++) p += fabs(a.state->p[2 * k->column + i]);
  check_least(p, 0.1);
  run_free(&a), run_free(&b);
}

/* ---- the stable step ---- */

/* Just below it a sphere with random momenta keeps its energy within bounds, above it does not. */
static void test_stable_step(void **unused)
{
  (void)unused;
  static const char text[] =
      "visviva: 1\ntime: {end: 1, step: {safety: 0.5}}\nmethod: {step: leapfrog}\nbodies:\n  s: {kind: "
      "shell, mesh: {sphere: {radius: 1, level: 2}}, thickness: 0.05, material: {young: 1000, "
      "density: 1}}\n";
  for (int k = 0; k < 2; k++) {
    run_record r = run_prepare(text, NULL);
    const vv_block *b = &r.model->block[0];
    const double h = (k == 0 ? 0.995 : 1.01) * vv_model_stable_step(r.model);
    vv_totals sum = {0};
    for (int64_t i = 0; i < 3 * b->column; i++)
      r.state->p[i] = i % b->column < b->nodes ? 1e-9 * sin(1.0 + (double)(i * i)) : 0.0;
    b->kind->audit(b, r.state->q, r.state->p, &sum);
    const double before = vv_totals_energy(&sum);
    for (int i = 0; i < 600; i++) {
      b->kind->kick(b, 0.0, 0.5 * h, r.state->q, r.state->p);
      b->kind->drift(b, h, r.state->q, r.state->p);
      b->kind->kick(b, 0.0, 0.5 * h, r.state->q, r.state->p);
    }
    sum = (vv_totals){0};
    b->kind->audit(b, r.state->q, r.state->p, &sum);
    if (k == 0)
      check_most(vv_totals_energy(&sum), 200.0 * before);
    else
      assert_false(vv_totals_energy(&sum) < 1e4 * before); /* grown, or no number any more */
    run_free(&r);
  }
}

/* ---- output ---- */

/* A sphere scaled by 1 + e has the strain e + e^2/2 everywhere, up to the unevenness of its mesh. */
static void test_output(void **unused)
{
  (void)unused;
  const double e = 0.01;
  run_record r =
      run_prepare("visviva: 1\ntime: {end: 1, step: 1e-6}\nbodies:\n  s: {kind: shell, mesh: {sphere: {radius: 1, "
                  "level: 3}}, thickness: 0.05, material: {young: 1000, density: 1}}\n",
                  NULL);
  const vv_block *b = &r.model->block[0];
  int components;
  assert_int_equal(vv_model_field_size(r.model, 0, "limit", &components), b->nodes);
  assert_int_equal(components, 3);
  assert_int_equal(vv_model_field_size(r.model, 0, "stress", &components), b->elements);
  double *out = calloc(3 * (size_t)b->elements, sizeof *out), strain = e + 0.5 * e * e;
  for (int64_t i = 0; i < 3 * b->column; i++) r.state->q[i] *= 1.0 + e;
  assert_int_equal(vv_model_output(r.model, r.state, 0, "strain", out), VV_OK);
  for (int64_t i = 0; i < b->elements; i++) {
    check_near(out[3 * i], strain, 1e-12);
    check_near(out[3 * i + 1], strain, 1e-12);
    check_near(out[3 * i + 2], 0.0, 1e-12);
  }
  assert_int_equal(vv_model_output(r.model, r.state, 0, "stress", out), VV_OK);
  for (int64_t i = 0; i < b->elements; i++) check_near(out[3 * i], 1000.0 / 0.7 * strain, 1e-9);
  assert_int_equal(vv_model_output(r.model, r.state, 0, "curvature", out), VV_OK);
  double bend = 0.0; /* the second derivatives scale as x: e/R, up to what irregular nodes do to them */
  for (int64_t i = 0; i < b->elements; i++) bend += fabs(out[3 * i]) / (double)b->elements;
  check_near(bend, e, 0.03 * e);
  assert_int_equal(vv_model_output(r.model, r.state, 0, "limit", out), VV_OK);
  for (int64_t i = 0; i < b->nodes; i++) check_near(vvi_norm3(out + 3 * i), 0.985 * (1.0 + e), 0.01);
  assert_int_equal(vv_model_output(r.model, r.state, 0, "number", out), VV_OK);
  double sum = 0.0;
  for (int64_t i = 0; i < b->nodes; i++) sum += out[i];
  check_near(sum, 0.5 * (double)(b->nodes * (b->nodes - 1)), 0.0);
  free(out), run_free(&r);
}

/* ---- books ---- */

static vv_status note_closure(const vv_view *view, void *user)
{
  double *worst = user;
  *worst = fmax(*worst, fabs(view->ledger->closure));
  return VV_OK;
}

/* A shell at rest is blown up: before the first work is booked there is no energy to compare with, and that of rounding is
 * none. */
static void test_books_of_a_start(void **unused)
{
  (void)unused;
  double worst = 0.0;
  run_record r =
      run_scene("visviva: 1\ntime: {end: 0.01, step: {safety: 0.4}}\nbodies:\n  s: {kind: shell, mesh: {sphere: "
                "{radius: 0.1, level: 2}}, thickness: 2e-3, material: {young: 1e6, density: 1000}, pressure: "
                "[{value: 3e4, history: {ramp: {duration: 0.02}}}]}\n",
                &(run_options){.threads = 1, .observe = note_closure, .user = &worst});
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  check_most(worst, 1.0);
  run_free(&r);
}

/* ---- words ---- */

static void refused(const char *body, const char *says)
{
  char text[TEXT], message[1024];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 1e-3}\nbodies:\n  s: {kind: shell, thickness: 0.1, "
           "material: {young: 1, density: 1}, %s}\n",
           body);
  assert_int_equal(run_refused(text, message, sizeof message), VV_SCENE);
  if (strstr(message, says) == NULL) fail_msg("'%s' does not say '%s'", message, says);
}

/* Faces are those of the file, however finely they are cut. */
static void test_bad_files(void **unused)
{
  (void)unused;
  static const char *const nodes = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
  static const char *const faces[][2] = {{"f 1 2 3\nf 2 3 4\nf 1 1 2\n", "face 3"},
                                         {"f 1 3 2\nf 1 2 4\nf 2 1 3\n", "face 3"},
                                         {"f 1 2 4\nv 0 0 0\nf 5 3 2\n", "face 2"}};
  for (int i = 0; i < 3; i++) {
    FILE *f = fopen("bad_shell.obj", "w");
    assert_non_null(f);
    fprintf(f, "%s%s", nodes, faces[i][0]);
    assert_int_equal(fclose(f), 0);
    refused("mesh: {file: {path: bad_shell.obj, refine: 2}}", faces[i][1]);
  }
  remove("bad_shell.obj");
}

static void test_words(void **unused)
{
  (void)unused;
  refused("mesh: {sphere: {radius: 1}}, edges: [{hold: clamped}]", "0 border curves");
  refused("mesh: {disc: {radius: 1, rings: 2}}, edges: [{hold: clamped, loop: 2}]", "1 border curves");
  refused("mesh: {disc: {radius: 1, rings: 2}}, edges: [{hold: clamped}], loads: [{at: [1, 0, 0], force: [0, 0, 1]}]",
          "held by its border");
  refused("mesh: {rectangle: {size: [1, 1], pieces: [2.5, 2]}}", "whole number");
  refused("mesh: {rectangle: {size: [1], pieces: [2, 2]}}", "write 2");
  refused("mesh: {file: {path: no_such_file.obj}}", "no_such_file.obj");
  refused("mesh: {file: {path: /dev/zero}}", "is no plain file"); /* and not read for ever */
}

/* The remedy must not be refused in its turn; a word that would do nothing is refused. */
static void test_methods(void **unused)
{
  (void)unused;
#define WITH(method) "mesh: {sphere: {radius: 1}}}\nmethod: {" method
  refused(WITH("step: energy-momentum"), "'s' meets itself at its thickness: write `contacts: [{thickness: true}]`");
  refused(WITH("step: event"), "use leapfrog");
  refused(WITH("locate: exact"), "leave it out");
#undef WITH
}

/* What has no contact with shells is refused rather than let pass, unless the scene says that it may. */
static void test_strangers(void **unused)
{
  (void)unused;
#define BALL "mesh: {sphere: {radius: 1}}}\n  "
  refused(BALL
          "b: {kind: bar, length: 1, elements: 2, section: {area: 1}, material: {young: 1, density: 1}, position: 5, "
          "tips: {first: split}",
          "'b' would meet 's', which massless tips cannot");
  refused(BALL "b: {kind: beam, length: 1, elements: 2, section: {square: {side: 0.1}}, touch: centroid, "
               "material: {young: 1, poisson: 0.3, density: 1}, position: [5, 0, 0]",
          "'b' would meet 's', which a line of centroids cannot");
  run_record r =
      run_prepare("visviva: 1\ntime: {end: 1, step: 1e-3}\ncontacts: [{between: [s, r], response: none}]\nbodies:\n"
                  "  s: {kind: shell, thickness: 0.1, material: {young: 1, density: 1}, " BALL
                  "r: {kind: rigid, shape: {ball: {radius: 1}}, mass: 1, position: [5, 0, 0]}\n",
                  NULL);
  run_free(&r);
#undef BALL
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_books),   cmocka_unit_test(test_copies),           cmocka_unit_test(test_stable_step),
      cmocka_unit_test(test_output),  cmocka_unit_test(test_books_of_a_start), cmocka_unit_test(test_words),
      cmocka_unit_test(test_methods), cmocka_unit_test(test_bad_files),        cmocka_unit_test(test_strangers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
