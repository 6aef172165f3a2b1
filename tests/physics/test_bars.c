/* tests/physics/test_bars.c  A bar by hand: strain and stress, held tips, stable steps, the moment of its momentum. */
#include "check.h"
#include "run.h"

#include "contact/pairs.h"
#include "model/model.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "visviva: 1\ntime: {end: 10}\nmethod: {step: leapfrog}\nbodies:\n"

/* ---- outputs ---- */

static int field_of(const vv_block *b, const char *name)
{
  for (int i = 0; i < b->kind->n_output; i++)
    if (strcmp(b->kind->output_field[i].name, name) == 0) return i;
  fail_msg("no output '%s'", name);
  return -1;
}

/* A linear displacement has the same strain in every element, however long, and stress = young * strain whatever the area. */
static void test_strain_and_stress(void **unused)
{
  (void)unused;
  static const char *const tips[] = {"lumped", "split", "cell"};
  for (int t = 0; t < 3; t++) {
    char text[2048];
    snprintf(text, sizeof text,
             HEAD "  one: {kind: bar, length: 2, elements: 7, grading: 3, material: {young: 5, density: 2},\n"
                  "        section: {area: 0.3}, tips: {first: %s, last: %s}, position: 1, origin: [0, 1, 0]}\n"
                  "  two: {kind: bar, length: 3, elements: 4, grading: 0.2, material: {young: 11, density: 2},\n"
                  "        section: {area: 4}, tips: {first: %s, last: %s}}\n",
             tips[t], tips[t], tips[t], tips[t]);
    run_record r = run_prepare(text, NULL);
    const vv_block *b = &r.model->block[0];
    double *x = calloc((size_t)(3 * b->nodes), sizeof *x), *out = calloc((size_t)b->elements, sizeof *out);
    const double slope[] = {0.03, -0.07}, young[] = {5.0, 11.0};
    b->kind->output(b, field_of(b, "position"), r.state->q + b->q0, r.state->p + b->p0, x);
    for (int j = 0; j < 2; j++)
      for (int64_t i = b->body[j]->node0; i < b->body[j]->node0 + b->body[j]->n_node; i++)
        r.state->q[b->q0 + i] = 0.4 + slope[j] * x[3 * i]; /* at rest position = reference coordinate */
    for (int k = 0; k < 2; k++) {
      b->kind->output(b, field_of(b, k == 0 ? "strain" : "stress"), r.state->q + b->q0, r.state->p + b->p0, out);
      for (int j = 0; j < 2; j++) {
        check_least((double)b->body[j]->n_element, 3);
        for (int64_t e = b->body[j]->element0; e < b->body[j]->element0 + b->body[j]->n_element; e++)
          check_near(out[e], slope[j] * (k == 0 ? 1.0 : young[j]), 1e-13);
      }
    }
    free(x), free(out);
    run_free(&r);
  }
}

/* ---- held tips ---- */

static void test_held_tips_take_no_impulse(void **unused)
{
  (void)unused;
  static const char *const held[] = {"fixed", "driven"};
  for (int h = 0; h < 2; h++) {
    char text[1024];
    snprintf(text, sizeof text,
             HEAD "  bar: {kind: bar, length: 1, elements: 3, material: {young: 1, density: 2}, section: {area: 1},\n"
                  "        ends: {first: %s}%s}\n",
             held[h], h == 1 ? ", drives: [{end: first, displacement: 1}]" : "");
    run_record r = run_prepare(text, NULL);
    const vv_block *b = &r.model->block[0];
    double a[6];
    for (int tip = 0; tip < 2; tip++) {
      const vv_point pt = {.patch = tip};
      b->kind->inverse_mass(b, r.state->q, 1, &pt, a);
      for (int c = 1; c < 6; c++) assert_true(a[c] == 0.0); /* guided along x */
      if (tip == 0)
        assert_true(a[0] == 0.0);
      else
        check_near(a[0], 3.0, 1e-14); /* half an element: 2 * (1/3) / 2 = 1/3 */
    }
    run_free(&r);
  }
}

/* ---- stable steps ---- */

/* Two nodes m/2, one spring k: omega^2 = 4 k/m.  Three nodes m/4, m/2, m/4 with springs k: omega^2 = 8 k/m.  One node in a
 * vice: the middle one, 2 k over its mass.  Here m = rho S L, k = E S n/L. */
static void test_stable_steps_by_hand(void **unused)
{
  (void)unused;
  static const char *const text[] = {
      HEAD "  bar: {kind: bar, length: 3, elements: 1, material: {young: 5, density: 2}, section: {area: 0.7}}\n",
      HEAD "  bar: {kind: bar, length: 3, elements: 2, material: {young: 5, density: 2}, section: {area: 0.7}}\n",
      HEAD "  bar: {kind: bar, length: 3, elements: 2, material: {young: 5, density: 2}, section: {area: 0.7},\n"
           "        ends: {first: fixed, last: fixed}}\n",
      HEAD "  bar: {kind: bar, length: 3, elements: 2, material: {young: 5, density: 2}, section: {area: 0.7},\n"
           "        tips: {first: cell, last: cell}}\n",
  };
  const double m = 2.0 * 0.7 * 3.0, k1 = 5.0 * 0.7 / 3.0, k2 = 2.0 * k1;
  const double square[] = {4.0 * k1 / m, 8.0 * k2 / m, 4.0 * k2 / m, 4.0 * k2 / m};
  for (int i = 0; i < 4; i++) {
    run_record r = run_prepare(text[i], NULL);
    const double wanted = 2.0 / sqrt(square[i]);
    check_near(vv_model_stable_step(r.model), wanted, 1e-14 * wanted);
    run_free(&r);
  }
}

/* Largest eigenvalue of M^-1 K by power iteration, K read off the model's own forces column by column: all soft pairs closed. */
static double brute_force(const run_record *r)
{
  const vv_model *m = r->model;
  const int64_t n = m->np;
  double *k = calloc((size_t)(n * n), sizeof *k), *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
  double *closed = calloc((size_t)m->pairs->n, sizeof *closed), lambda = 0.0;
  for (int i = 0; i < m->pairs->n; i++) closed[i] = 1.0;
  for (int64_t j = 0; j < n; j++) { /* column: minus the change of force per unit of q_j */
    memset(x, 0, sizeof(double) * (size_t)n), memset(y, 0, sizeof(double) * (size_t)n);
    x[j] = 1.0;
    vvi_sys_kick(m, 0.0, -1.0, x, y);
    vvi_springs_kick(m, closed, -1.0, x, y);
    for (int64_t i = 0; i < n; i++) k[i * n + j] = y[i];
    memset(x, 0, sizeof(double) * (size_t)n), memset(y, 0, sizeof(double) * (size_t)n);
    vvi_springs_kick(m, closed, 1.0, x, y); /* the spring's force at q = 0 */
    for (int64_t i = 0; i < n; i++) k[i * n + j] += y[i];
  }
  for (int64_t i = 0; i < n; i++) x[i] = (i % 2 ? 1.0 : -1.0) * (1.0 + 0.1 * (double)i);
  for (int it = 0; it < 20000; it++) {
    double size = 0.0;
    for (int64_t i = 0; i < n; i++) {
      double f = 0.0;
      for (int64_t j = 0; j < n; j++) f += k[i * n + j] * x[j];
      y[i] = f / m->block[0].node_real[i];
    }
    for (int64_t i = 0; i < n; i++) size = fmax(size, fabs(y[i]));
    for (int64_t i = 0; i < n; i++) x[i] = y[i] / size;
    lambda = size;
  }
  free(k), free(x), free(y), free(closed);
  return lambda;
}

static void test_stable_step_of_closed_tips(void **unused)
{
  (void)unused;
  static const char *const tips[] = {"split", "cell"};
  for (int t = 0; t < 2; t++) {
    char text[2048];
    snprintf(text, sizeof text,
             HEAD "  a: {kind: bar, length: 1, elements: 5, material: {young: 3, density: 2}, section: {area: 0.5},\n"
                  "      tips: {first: %s, last: %s}, position: -1}\n"
                  "  b: {kind: bar, length: 1, elements: 4, material: {young: 7, density: 1}, section: {area: 0.5},\n"
                  "      tips: {first: %s, last: %s}}\n",
             tips[t], tips[t], tips[t], tips[t]);
    run_record r = run_prepare(text, NULL);
    assert_int_equal(r.model->pairs->n_soft, 1);
    const double wanted = 2.0 / sqrt(brute_force(&r)), open = r.model->block[0].kind->stable_step(&r.model->block[0]);
    check_near(vv_model_stable_step(r.model), wanted, 1e-9 * wanted);
    check_most(wanted, open * (1.0 + 1e-12)); /* a spring more makes nothing slower */
    run_free(&r);
  }
}

/* ---- tips that the scene leaves open ---- */

#define OPEN_BAR  "kind: bar, length: 1, elements: 40, material: {young: 1, density: 1}, section: {area: 1}"
#define OPEN_HEAD "visviva: 1\ntime: {end: 3, step: {safety: 0.8}}\n"
#define OPEN_WALL "  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: 0}}}\n"

/* Massless ends only where they fit: linear bars among bars and planes, nothing lost, nothing driven. */
static void test_open_tips(void **unused)
{
  (void)unused;
  static const struct {
    const char *text;
    bool cell;
  } scene[] = {
      {OPEN_HEAD "bodies:\n  bar: {" OPEN_BAR ", position: -1.02, velocity: 0.1}\n" OPEN_WALL, true},
      {OPEN_HEAD "bodies:\n  bar: {" OPEN_BAR ", ends: {first: fixed}, position: -1.02}\n" OPEN_WALL, true},
      {OPEN_HEAD "bodies:\n  bar: {" OPEN_BAR ", tips: {last: cell}, position: -1.02}\n" OPEN_WALL, true},
      {OPEN_HEAD "bodies:\n  bar: {" OPEN_BAR ", tips: {last: lumped}, position: -1.02}\n" OPEN_WALL, false},
      {OPEN_HEAD "bodies:\n  bar: {" OPEN_BAR ", position: -1.02}\n", false}, /* nothing to touch */
      {OPEN_HEAD "contacts: []\nbodies:\n  bar: {" OPEN_BAR ", position: -1.02}\n" OPEN_WALL, false}, /* nor here */
      {OPEN_HEAD "contacts: [{restitution: 0.5}]\nbodies:\n  bar: {" OPEN_BAR ", position: -1.02}\n" OPEN_WALL, false},
      {OPEN_HEAD "method: {step: leapfrog}\ncontacts: [{projection: kept}]\nbodies:\n  bar: {" OPEN_BAR
                 ", position: -1.02}\n" OPEN_WALL,
       false},
      {OPEN_HEAD "bodies:\n  bar: {" OPEN_BAR
                 ", position: -1.02}\n  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [-1, 5, "
                 "0]}\n" OPEN_WALL,
       false},
      {OPEN_HEAD "bodies:\n  bar: {" OPEN_BAR
                 ", position: -1.02, ends: {first: driven}, drives: [{end: first, displacement: 0.01}]}\n" OPEN_WALL,
       false},
      {OPEN_HEAD "bodies:\n  bar: {kind: bar, length: 1, elements: 40, material: {young: 1, density: 1, law: "
                 "neo-hookean}, section: {area: 1}, position: -1.02}\n" OPEN_WALL,
       false},
  };
  for (int i = 0; i < VV_COUNT(scene); i++) {
    run_record r = run_prepare(scene[i].text, NULL);
    char word[16];
    for (int end = 0; end < 2; end++) {
      assert_true(vv_model_word(r.model, end == 0 ? "bodies.bar.tips.first" : "bodies.bar.tips.last", word, 16));
      assert_string_equal(word, scene[i].cell ? "cell" : "lumped");
    }
    run_free(&r);
  }
}

/* Wave theory: one contact of 2 L/c = 2 from t = 0.2 on, the force 0.1, the impulse 2 m v = 0.2; and the whole bar comes back.
 * Cells make it so to a small part of an element, and better on finer meshes. */
static void test_open_tips_touch_once(void **unused)
{
  (void)unused;
  double off[2];
  for (int k = 0; k < 2; k++) {
    char text[512];
    snprintf(text, sizeof text,
             OPEN_HEAD "bodies:\n  bar: {kind: bar, length: 1, elements: %d, material: {young: 1, density: 1}, "
                       "section: {area: 1}, position: -1.02, velocity: 0.1}\n" OPEN_WALL,
             k == 0 ? 25 : 200);
    run_record r = run_scene(text, NULL);
    vv_contact_total c;
    assert_int_equal(vv_ledger_pairs(run_ledger(&r)), 1);
    assert_int_equal(vv_ledger_pair(run_ledger(&r), 0, &c), VV_OK);
    assert_int_equal(c.episodes, 1);
    assert_int_equal(run_ledger(&r)->impacts, 2); /* it closes and opens */
    check_near(c.touch, 0.2, 1e-12);
    check_near(c.impulse[0], 1.0 * 0.1 - run_ledger(&r)->now.p[0], 1e-14); /* what the wall got, the bar has lost */
    off[k] = fabs(c.duration - 2.0) + fabs(c.peak_force / 0.1 - 1.0) + fabs(c.impulse[0] - 0.2);
    run_free(&r);
  }
  check_most(off[0], 0.06);
  check_most(off[1], 0.4 * off[0]);
}

/* ---- angular momentum ---- */

/* Bars on a line beside the origin: a planted momentum is a planted moment, origin x axis times as large. */
static void test_planted_momentum_breaks_the_moment(void **unused)
{
  (void)unused;
  for (int planted = 0; planted < 2; planted++) {
    run_record r =
        run_prepare("visviva: 1\ntime: {end: 1, step: 0.01}\nmethod: {step: event, jump: modified}\nbodies:\n"
                    "  a: {kind: bar, tips: {first: lumped}, length: 1, elements: 5, material: {young: 3, density: 2}, "
                    "section: {area: 0.5},\n"
                    "      axis: [0, 1, 0], origin: [2, 0, 3], position: -1.01, velocity: 0.3}\n"
                    "  b: {kind: bar, tips: {first: lumped}, length: 1, elements: 4, material: {young: 7, density: 1}, "
                    "section: {area: 0.5},\n"
                    "      axis: [0, -1, 0], origin: [2, 0, 3], position: -1, velocity: 0.1}\n",
                    NULL);
    vv_report report;
    assert_int_equal(vv_sim_steps(r.sim, 40, &report), VV_OK);
    const vv_ledger *l = run_ledger(&r);
    check_least((double)l->impacts, 1);
    check_near(l->now.L[0], -3.0 * l->now.p[1], 1e-13); /* (2, y, 3) x (0, p, 0) = (-3 p, 0, 2 p) */
    check_near(l->now.L[2], 2.0 * l->now.p[1], 1e-13);
    check_least(fabs(l->now.L[0]), 0.1);
    check_most(l->max_L_drift, 1e-14);
    if (planted) r.state->p[2] += 1e-6 * l->now.p_abs;
    assert_int_equal(vv_sim_steps(r.sim, 10, &report), VV_OK);
    if (planted) {
      check_near(l->max_L_drift, 1e-6, 1e-6);
      check_least(l->max_L_drift, 1e-7);
      check_least(l->max_p_drift, 1e-7);
    } else {
      check_most(l->max_L_drift, 1e-14);
    }
    run_free(&r);
  }
}

/* A pair with restitution 1 that was lent more than its impact has pays with all of it: the tip stops, and does not turn round.
 * Lent less, it keeps the rest. */
static void test_pays_what_it_has(void **unused)
{
  (void)unused;
  static const double lent[] = {0.0, 0.5, 10.0}; /* of the energy of the tip */
  for (int k = 0; k < VV_COUNT(lent); k++) {
    run_record r = run_prepare("visviva: 1\ntime: {end: 1, step: 1e-3}\nmethod: {step: leapfrog}\n"
                               "contacts: [{restitution: 1}]\nbodies:\n"
                               "  w: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0]}}}\n"
                               "  a: {kind: bar, length: 1, elements: 2, section: {area: 1}, material: {young: 1, "
                               "density: 8}, axis: [1, 0, 0], origin: [-1.0105, 0, 0], velocity: 1, "
                               "tips: {first: lumped, last: lumped}}\n",
                               NULL);
    struct vv_step *s = &r.sim->step;
    const double tip = 0.5 * 2.0, all = 0.5 * 8.0; /* J: half an element of 4 kg, and the bar */
    assert_int_equal(r.model->pairs->n, 1);
    *vvi_pair_debt(s, &r.model->pairs->pair[0]) = -lent[k] * tip;
    for (int i = 0; i < 20 && run_ledger(&r)->impacts == 0; i++)
      assert_int_equal(vv_sim_steps(r.sim, 1, &r.report), VV_OK);
    const double paid = fmin(lent[k], 1.0) * tip;
    check_near(run_ledger(&r)->now.kinetic, all - paid, 1e-4);
    check_near(vvi_pairs_lent(s), paid - lent[k] * tip, 1e-12);
    check_most(run_ledger(&r)->max_penetration, 1e-15);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_strain_and_stress),
      cmocka_unit_test(test_held_tips_take_no_impulse),
      cmocka_unit_test(test_stable_steps_by_hand),
      cmocka_unit_test(test_stable_step_of_closed_tips),
      cmocka_unit_test(test_open_tips),
      cmocka_unit_test(test_open_tips_touch_once),
      cmocka_unit_test(test_planted_momentum_breaks_the_moment),
      cmocka_unit_test(test_pays_what_it_has),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
