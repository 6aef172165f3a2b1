/* tests/physics/test_obstacle_forms.c  Wide faces over small obstacles: sheets and beams with corners whose vertices all pass beside a
 * pole, a ball, an edge or a corner.  Judged from where their triangles are, by distances written down here. */
#include "check.h"

#include "run.h"
#include "sheets.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 4096, CUTS = 24 };

/* ---- how far a point is from an obstacle ---- */

typedef struct form {
  const char *name, *words;
  enum { POLE, BALL, BLOCK } kind;
  double at[3], size, axis[3][3]; /* BLOCK: size is half an edge */
} form;

static const double R = 0.70710678118654752;
static const form forms[] = {
    {"pole",
     "cylinder: {radius: 0.02, axis: [0, 1, 0], centre: [0.06, 0, -0.04]}",
     POLE,
     {0.06, 0, -0.04},
     0.02,
     {{0, 1, 0}}},
    {"ball", "sphere: {radius: 0.03, centre: [0.06, 0.05, -0.05]}", BALL, {0.06, 0.05, -0.05}, 0.03, {{0}}},
    {"edge",
     "box: {size: [0.3, 0.3, 0.3], centre: [0.06, 0, -0.25], axis: [1, 0, 1], normal: [0, 1, 0]}",
     BLOCK,
     {0.06, 0, -0.25},
     0.15,
     {{R, 0, R}, {0, 1, 0}, {-R, 0, R}}},
    {"corner",
     "box: {size: [0.1, 0.1, 0.1], centre: [0.06, 0.04, -0.12], axis: [1, 1, 1], normal: [1, -1, 0]}",
     BLOCK,
     {0.06, 0.04, -0.12},
     0.05,
     {{0.57735026918962576, 0.57735026918962576, 0.57735026918962576},
      {R, -R, 0},
      {0.40824829046386302, 0.40824829046386302, -0.81649658092772603}}},
};

static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double distance(const form *f, const double x[3])
{
  const double d[3] = {x[0] - f->at[0], x[1] - f->at[1], x[2] - f->at[2]};
  const double along = f->kind == POLE ? dot(d, f->axis[0]) : 0.0;
  if (f->kind != BLOCK) return sqrt(fmax(dot(d, d) - along * along, 0.0)) - f->size;
  double most = -INFINITY;
  for (int i = 0; i < 3; i++) most = fmax(most, fabs(dot(d, f->axis[i])) - f->size);
  return most;
}

/* ---- all triangles of what moves, in every step ---- */

typedef struct seen {
  const form *form;
  double nearest;
} seen;

static vv_status look(const vv_view *view, void *user)
{
  seen *k = user;
  const struct vvi_sheets *s = view->model->sheets;
  double *place = sheet_places(view->model, view->state);
  for (int32_t e = 0; e < s->n_element; e++) {
    const int32_t *v = s->element + 3 * e;
    if (v[2] < 0 || s->body[s->body_of[v[0]]].carrier == VVI_CARRY_NONE) continue;
    for (int i = 0; i <= CUTS; i++)
      for (int j = 0; j <= CUTS - i; j++) {
        double x[3];
        for (int c = 0; c < 3; c++)
          x[c] = (i * place[3 * v[0] + c] + j * place[3 * v[1] + c] + (CUTS - i - j) * place[3 * v[2] + c]) / CUTS;
        k->nearest = fmin(k->nearest, distance(k->form, x));
      }
  }
  free(place);
  return VV_OK;
}

#define SOFT "material: {young: 1e6, poisson: 0.3, density: 1000}"
static const struct {
  const char *name, *words;
} bodies[] = {
    {"sheet", "{kind: shell, mesh: {rectangle: {size: [0.5, 0.5], pieces: [3, 3]}}, thickness: 5e-3, " SOFT
              ", velocity: [0, 0, -1]}"},
    {"prism",
     "{kind: beam, length: 0.5, elements: 3, " SOFT ", section: {square: {side: 0.02}}, rounding: 0.002, position: "
     "[-0.25, 0.04, 0], axis: [1, 0, 0], velocity: [0, 0, -1]}"},
};

/* Without gravity what meets nothing flies on for ever, as fast as it came. */
static void test_wide_faces(void **unused)
{
  (void)unused;
  for (size_t m = 0; m < 2; m++)
    for (size_t b = 0; b < 2; b++)
      for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int rough = 0; rough < 2; rough++) {
          char text[TEXT];
          snprintf(text, sizeof text,
                   "visviva: 1\ntime: {end: 0.2, step: %s}\nmethod: {step: %s}\ncontacts: [{restitution: %s, friction: "
                   "%s, thickness: "
                   "%s}]\nbodies:\n  flies: %s\n  stays: {kind: obstacle, shape: {%s}}\n",
                   m == 0 ? "{safety: 0.3}" : "5e-4", m == 0 ? "leapfrog" : "energy-momentum", rough ? "0.5" : "1",
                   rough ? "0.3" : "0", m == 0 ? "false" : "true", bodies[b].words, forms[f].words);
          seen k = {.form = &forms[f], .nearest = INFINITY};
          run_record r = run_scene(text, &(run_options){.threads = 1, .observe = look, .user = &k});
          const vv_ledger *l = run_ledger(&r);
          print_message("  %s of %s over the %s: %ld impacts, nearest %+.2e, E %+.1e P %.1e L %.1e\n",
                        m == 0 ? "leapfrog" : "energy-momentum", bodies[b].name, forms[f].name, (long)l->impacts,
                        k.nearest, l->closure, l->max_p_drift, l->max_L_drift);
          assert_int_equal(r.report.reason, VV_REASON_DONE);
          check_least((double)l->impacts, 1.0);
          check_least(k.nearest, m == 0 ? -1e-12 : -1e-4); /* implicit contacts of e < 1 sink [em 13a] */
          check_most(l->max_p_drift, 1e-12);
          check_most(l->max_L_drift, 1e-12);
          check_most(fabs(l->closure), m == 0 ? 0.02 : 1e-12);
          run_free(&r);
        }
}

/* What lies on a block may touch it at the start with vertices; where an edge lies over an edge of it no direction leads out. */
static void test_touching_start(void **unused)
{
  (void)unused;
  static const char *const lies =
      "visviva: 1\ntime: {end: 0.05, step: {safety: 0.3}}\ngravity: [0, 0, -9.81]\ncontacts: [{restitution: "
      "0}]\nbodies:\n"
      "  flies: {kind: shell, mesh: {rectangle: {size: [%g, 0.4], pieces: [4, 3]}}, thickness: 0.01, " SOFT "}\n"
      "  stays: {kind: obstacle, shape: {box: {size: [0.5, 0.5, 0.1], centre: [0, 0, -0.05]}}}\n";
  char text[TEXT], why[512];
  snprintf(text, sizeof text, lies, 0.4);
  run_record r = run_scene(text, NULL);
  assert_int_equal(r.report.reason, VV_REASON_DONE);
  check_most(run_ledger(&r)->max_penetration, 0.0);
  run_free(&r);
  snprintf(text, sizeof text, lies, 0.6);
  assert_int_not_equal(run_refused(text, why, sizeof why), VV_OK);
  assert_non_null(strstr(why, "leave a little room"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_wide_faces), cmocka_unit_test(test_touching_start)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
