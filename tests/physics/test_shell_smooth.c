/* tests/physics/test_shell_smooth.c  The limit surface as contact sees it: `contact: smooth`. */
#include "check.h"
#include "run.h"

#include "body/shell/shell.h"
#include "model/model.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 2048 };

/* Weights of any patch add up to 1; in a regular lattice linear functions are what they are. */
static void rows_are_weights(void **state)
{
  (void)state;
  static const int valences[][3] = {{6, 6, 6}, {5, 6, 6}, {6, 5, 6}, {6, 6, 5}, {4, 6, 7},
                                    {3, 5, 8}, {5, 5, 5}, {8, 8, 8}, {4, 4, 4}};
  for (int k = 0; k < VV_COUNT(valences); k++)
    for (int j = 0; j <= 8; j++)
      for (int i = 0; i + j <= 8; i++) {
        const double at[3] = {(8 - i - j) / 8.0, i / 8.0, j / 8.0};
        double row[SHELL_MOST_NODES], sum = 0.0;
        shell_limit_row(valences[k], at, row);
        for (int c = 0; c < shell_patch_size(valences[k]); c++) sum += row[c];
        if (fabs(sum - 1.0) > 1e-13) fail_msg("%d: %d %d: %g", k, i, j, sum);
        if (k > 0) continue;
        static const int place[SHELL_REGULAR][2] = {{0, -1}, {-1, 0}, {1, -1}, {0, 0}, {-1, 1}, {2, -1},
                                                    {1, 0},  {0, 1},  {-1, 2}, {2, 0}, {1, 1},  {0, 2}};
        double x = 0.0, y = 0.0;
        for (int c = 0; c < SHELL_REGULAR; c++)
          x += row[c] * place[shell_lattice[c]][0], y += row[c] * place[shell_lattice[c]][1];
        check_near(x, at[1], 1e-14);
        check_near(y, at[2], 1e-14);
      }
}

static run_record body(const char *mesh, const char *contact)
{
  char text[TEXT];
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: 1, step: 1e-6}\nmethod: {step: leapfrog}\nbodies:\n  one: {kind: shell, mesh: "
           "{%s}, thickness: "
           "0.01, material: {young: 1e7, poisson: 0.3, density: 1000}, contact: %s}\n",
           mesh, contact);
  return run_prepare(text, NULL);
}

static void point(const run_record *r, int64_t element, double u, double v, double x[3])
{
  const vv_block *b = NULL;
  for (int i = 0; i < r->model->n_block; i++)
    if (r->model->block[i].nodes > 0) b = &r->model->block[i];
  const vv_point pt = {.element = (int32_t)element, .xi = {u, v}};
  b->kind->surface(b, r->state->q + b->q0, 1, &pt, x);
}

static int64_t elements_of(const run_record *r)
{
  int64_t n = 0;
  for (int i = 0; i < r->model->n_block; i++) n += r->model->block[i].elements;
  return n;
}

static double distance(const double a[3], const double b[3])
{
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static double size(const double x[3])
{
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static const char *const meshes[] = {"sphere: {radius: 1, level: 1}", "sphere: {radius: 1, base: octahedron, level: 2}",
                                     "disc: {radius: 1, rings: 3}",
                                     "cylinder: {radius: 1, height: 2, around: 8, along: 4}"};

/* Every side of a triangle is met by another at the same points, or is a border: one surface without gaps. */
static void neighbours_agree(void **state)
{
  (void)state;
  for (int m = 0; m < VV_COUNT(meshes); m++) {
    run_record r = body(meshes[m], "smooth, contact_levels: 2");
    const int64_t n = elements_of(&r);
    static const double mid[3][2] = {{0.5, 0}, {0.5, 0.5}, {0, 0.5}};
    int alone = 0;
    for (int64_t e = 0; e < n; e++)
      for (int s = 0; s < 3; s++) {
        double x[3], y[3], least = 1e9;
        point(&r, e, mid[s][0], mid[s][1], x);
        for (int64_t f = 0; f < n; f++)
          for (int t = 0; f != e && t < 3; t++) {
            point(&r, f, mid[t][0], mid[t][1], y);
            least = fmin(least, distance(x, y));
          }
        if (least <= 1e-13) continue;
        alone++;
        check_least(least, 1e-3);
      }
    assert_int_equal(alone, m < 2 ? 0 : m == 2 ? 18 : 16);
    run_free(&r);
  }
}

/* Flat pieces between points of the limit surface: how far they lie within it (across: the points of one parameter also move
 * along the surface) falls by four with every level. */
static void distance_falls_by_four(void **state)
{
  (void)state;
  for (int m = 0; m < 2; m++) {
    run_record flat = body(meshes[m], "limit"), two = body(meshes[m], "smooth, contact_levels: 1"),
               best = body(meshes[m], "smooth, contact_levels: 2");
    double off[2] = {0, 0};
    for (int64_t e = 0; e < elements_of(&best); e++)
      for (int j = 0; j <= 4; j++)
        for (int i = 0; i + j <= 4; i++) {
          double x[3], y[3];
          point(&best, e, i / 4.0, j / 4.0, x);
          point(&flat, e, i / 4.0, j / 4.0, y);
          off[0] = fmax(off[0], size(x) - size(y));
          point(&two, e, i / 4.0, j / 4.0, y);
          off[1] = fmax(off[1], size(x) - size(y));
        }
    check_near(log2(off[0] / off[1]), 2.0, 0.35);
    run_free(&flat);
    run_free(&two);
    run_free(&best);
  }
}

/* Two spheres: books, momenta, and a first touch that comes to a time of its own. */
static void spheres_meet(void **state)
{
  (void)state;
  static const char *const contact[] = {"limit", "smooth, contact_levels: 1", "smooth, contact_levels: 2"};
  double touch[3];
  for (int i = 0; i < 3; i++) {
    char text[TEXT];
    snprintf(
        text, TEXT,
        "visviva: 1\ntime: {end: 0.012, step: 4e-5}\nmethod: {step: leapfrog}\nbodies:\n"
        "  one: {kind: shell, mesh: {sphere: {radius: 1, level: 2}}, thickness: 0.02, material: {young: 1e9, poisson: "
        "0.3, "
        "density: 1000}, centre: [0, 0, 1.12], velocity: [0, 0, -20], contact: %s}\n"
        "  two: {kind: shell, mesh: {sphere: {radius: 1, level: 2}}, thickness: 0.02, material: {young: 1e9, poisson: "
        "0.3, "
        "density: 1000}, centre: [0.1, 0.2, -1.02], velocity: [0, 0, 20], rotation: [0.3, 0.4, 0.5], contact: %s}\n",
        contact[i], contact[i]);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    vv_contact_total c;
    assert_int_equal(vv_ledger_pair(l, 0, &c), VV_OK);
    touch[i] = c.touch;
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_L_drift, 1e-13);
    check_most(l->max_closure, 1e-3);
    assert_true(l->max_penetration == 0.0);
    run_free(&r);
  }
  check_most(touch[1], touch[0]);
  check_most(touch[2], touch[1]); /* flat pieces lie inside of a convex surface */
  check_most(touch[1] - touch[2], 0.5 * (touch[0] - touch[1]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_weights), cmocka_unit_test(neighbours_agree),
                                     cmocka_unit_test(distance_falls_by_four), cmocka_unit_test(spheres_meet)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
