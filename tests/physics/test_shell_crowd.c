/* tests/physics/test_shell_crowd.c  Crowds of cubes at the paper's mesh and step: no two triangles ever intersect, by looking
 * at all of them every few hundred steps; energy with losses closed to 1e-5, momenta to rounding; self-contact on.  A crowd that
 * is pressed together with losses goes on through its worst moment, step by step within a bounded number of rows. */
#include "check.h"

#include "run.h"
#include "sheets.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 15 };

static vv_status look(const vv_view *view, void *user)
{
  int64_t *sum = user;
  if (view->state->step % 250 == 0) *sum += sheet_intersections(view->model, view->state);
  return VV_OK;
}

/* n^3 cubes that fly towards their middle, or a block of 64 hit by one of 12 (n = 0). */
static char *crowd(int n, double end, double e, double mu)
{
  char *text = malloc(TEXT);
  size_t at = 0;
  const int sides = n == 0 ? 2 : 1;
  assert_non_null(text);
  at += (size_t)snprintf(
      text, TEXT, "visviva: 1\ntime: {end: %g, step: 5e-6}\ncontacts: [{restitution: %g, friction: %g}]\nbodies:\n",
      end, e, mu);
  for (int side = 0; side < sides; side++) {
    const int nx = n > 0 ? n : side == 0 ? 4 : 3, ny = n > 0 ? n : side == 0 ? 4 : 2;
    at += (size_t)snprintf(
        text + at, TEXT - at,
        "  cubes%d: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.05, material: {young: "
        "2.1e5, poisson: 0.3, density: 0.7085}, copies: [",
        side);
    for (int i = 0; i < nx * ny * ny; i++) {
      double x[3] = {1.05 * (i % nx), 1.05 * (i / nx % ny), 1.05 * (i / nx / ny)}, v[3] = {-30, 30, 30};
      for (int c = 0; c < 3 && n > 0; c++) v[c] = -20.0 * (x[c] - 1.05 * 0.5 * (n - 1));
      if (side == 1) x[0] = -1.3 - x[0], x[1] += 3.6, x[2] += 3.6, v[0] = 30, v[1] = v[2] = -30;
      at += (size_t)snprintf(text + at, TEXT - at, "%s{centre: [%g, %g, %g], velocity: [%g, %g, %g]}",
                             i == 0 ? "" : ", ", x[0], x[1], x[2], v[0], v[1], v[2]);
    }
    at += (size_t)snprintf(text + at, TEXT - at, "]}\n");
  }
  return text;
}

static void check_crowd(int n, double end, double e, double mu)
{
  int64_t crossed = 0;
  char *text = crowd(n, end, e, mu);
  run_record r = run_scene(text, &(run_options){.threads = 1, .observe = look, .user = &crossed});
  const vv_ledger *l = run_ledger(&r);
  const vvi_contact_counts *c = contact_counts(r.sim);
  print_message("  e %g mu %g: E %.1e P %.1e L %.1e lost %.1f %% impacts %ld held %ld passes %ld frozen %ld\n", e, mu,
                l->max_closure, l->max_p_drift, l->max_L_drift,
                100.0 * (vv_sum_value(&l->posted.friction_loss) + vv_sum_value(&l->posted.restitution_loss)) /
                    l->energy_scale,
                (long)l->impacts, (long)l->held, (long)c->passes, (long)c->frozen);
  assert_int_equal(crossed + sheet_intersections(r.model, r.state), 0);
  assert_int_equal(c->unresolved, 0);
  check_most(l->max_closure, 2e-5); /* in the densest moment; of the leapfrog itself, of second order */
  check_most(l->max_p_drift, 1e-12);
  check_most(l->max_L_drift, 1e-12);
  check_least((double)l->impacts, 100.0);
  run_free(&r);
  free(text);
}

/* Whole runs, and the larger crowds, belong to `make soak`. */
static bool soaks(void)
{
  return getenv("VISVIVA_SOAK") != NULL;
}

static void twenty_seven(void **unused)
{
  (void)unused;
  check_crowd(3, soaks() ? 0.01 : 0.004, 1.0, 0.0);
  check_crowd(3, soaks() ? 0.006 : 0.004, 0.5, 0.5);
  if (!soaks()) return;
  check_crowd(3, 0.006, 1.0, 0.5);
  check_crowd(3, 0.006, 0.5, 0.0);
}

static void sixty_four(void **unused)
{
  (void)unused;
  if (!soaks()) skip();
  check_crowd(4, 0.005, 1.0, 0.0);
  check_crowd(4, 0.0035, 0.5, 0.5);
}

static void seventy_six(void **unused)
{
  (void)unused;
  if (!soaks()) skip();
  check_crowd(0, 0.012, 1.0, 0.5);
}

/* ---- pressed together ---- */

/* 27 coarse cubes, slightly turned, that fly towards their middle. */
static char *pressed(double e, double mu)
{
  char *text = malloc(TEXT);
  uint64_t seed = 5;
  assert_non_null(text);
  size_t at = (size_t)snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 0.01, step: 1e-5}\ncontacts: [{restitution: %g, friction: %g}]\nbodies:\n"
      "  cubes: {kind: shell, mesh: {cube: {edge: 1, pieces: 2}}, thickness: 0.05, material: {young: 2.1e5, poisson: "
      "0.3, density: 0.7085}, copies: [",
      e, mu);
  for (int i = 0; i < 27; i++) {
    const double x[3] = {i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0},
                 far = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    const double pull = far > 0.0 ? -20.0 / far : 0.0;
    at += (size_t)snprintf(text + at, TEXT - at, "%s{centre: [%g, %g, %g], velocity: [%g, %g, %g], rotation: [",
                           i == 0 ? "" : ", ", 1.05 * x[0], 1.05 * x[1], 1.05 * x[2], pull * x[0], pull * x[1],
                           pull * x[2]);
    for (int c = 0; c < 3; c++)
      at += (size_t)snprintf(text + at, TEXT - at, "%s%g", c == 0 ? "" : ", ", 0.04 * sheet_noise(&seed));
    at += (size_t)snprintf(text + at, TEXT - at, "]}");
  }
  snprintf(text + at, TEXT - at, "]}\n");
  return text;
}

typedef struct press_watch {
  vv_sim *sim;
  int64_t crossed, shrunk, most_looked, most_held;
  int64_t looked, held;        /* so far */
  double lost, stored, strain; /* J: losses so far; strain energy at most, and now */
} press_watch;

static vv_status watch_press(const vv_view *view, void *user)
{
  press_watch *k = user;
  const vv_ledger *l = view->ledger;
  const int64_t looked = contact_counts(k->sim)->looked;
  const double lost = vv_sum_value(&l->posted.friction_loss) + vv_sum_value(&l->posted.restitution_loss);
  k->most_looked = looked - k->looked > k->most_looked ? looked - k->looked : k->most_looked;
  k->most_held = l->held - k->held > k->most_held ? l->held - k->held : k->most_held;
  k->looked = looked, k->held = l->held;
  k->shrunk += lost < k->lost, k->lost = lost;
  k->strain = l->now.strain, k->stored = fmax(k->stored, k->strain);
  if (view->state->step % 20 == 0) k->crossed += sheet_intersections(view->model, view->state);
  return VV_OK;
}

/* Islands of fewer than 250 features may take 100 iterations of Newton's method: no step looks at more rows than two of them.  The
 * gradient method, a thousand iterations each time, took 1.5 million and hundred times that. */
static void through_the_worst(void **unused)
{
  (void)unused;
  static const double law[3][2] = {{0.5, 0.3}, {0.5, 0.0}, {0.0, 0.3}};
  for (int i = 0; i < VV_COUNT(law); i++) {
    char *text = pressed(law[i][0], law[i][1]);
    run_record r = run_prepare(text, &(run_options){.threads = 1});
    press_watch k = {.sim = r.sim};
    assert_int_equal(vv_sim_observe(r.sim, 1, watch_press, &k), VV_OK);
    assert_int_equal(vv_sim_run(r.sim, &r.report), VV_OK);
    const vv_ledger *l = run_ledger(&r);
    const vvi_contact_counts *c = contact_counts(r.sim);
    print_message(
        "  e %g mu %g: E %.1e P %.1e L %.1e lost %.1f %% strain %.0f then %.0f %% held %ld looked %ld owed %.1e\n",
        law[i][0], law[i][1], l->max_closure, l->max_p_drift, l->max_L_drift, 100.0 * k.lost / l->energy_scale,
        100.0 * k.stored / l->energy_scale, 100.0 * k.strain / l->energy_scale, (long)k.most_held, (long)k.most_looked,
        contact_lent(r.sim) / l->energy_scale);
    assert_int_equal(r.report.reason, VV_REASON_DONE);
    assert_int_equal(k.crossed, 0);
    assert_int_equal(k.shrunk, 0);
    assert_int_equal(c->unresolved + c->frozen + c->calmed, 0);
    check_most((double)k.most_looked, 2.0 * 250.0 * 101.0);
    check_least((double)k.most_held, 100.0); /* it was pressed, */
    check_most(k.strain, 0.9 * k.stored);    /* and is past the worst */
    check_most(l->max_closure, 5e-5);        /* of the leapfrog, at twice the step of the others */
    check_most(l->max_shrink, 1e-12 * l->energy_scale);
    check_most(contact_lent(r.sim), 1e-4 * l->energy_scale);
    check_most(l->max_p_drift, 1e-12);
    check_most(l->max_L_drift, 1e-12);
    check_least(k.lost, 0.1 * l->energy_scale);
    run_free(&r);
    free(text);
  }
}

/* Few enough features to be solved together, and more of them hold than there are motions: what a solve does not find is answered in
 * turn, and nothing is frozen. */
static void few_are_not_frozen(void **unused)
{
  (void)unused;
  static const double turn[8][3] = {
      {-0.00615368943, 0.00476366618, -0.00480741673}, {0.00808659542, 0.0188276831, 0.0150754604},
      {0.014174337, -0.0101135791, 0.0106809913},      {-0.0023763168, 0.0163560962, -0.000554202445},
      {-0.00818426275, 0.00971358682, -0.00159587432}, {-0.00865387665, -0.00918044372, -0.00834532931},
      {0.00655444405, 0.000557610974, 0.0129742787},   {-0.00351676133, 0.0190669891, 0.00718890773}};
  char *text = malloc(TEXT);
  assert_non_null(text);
  size_t at = (size_t)snprintf(
      text, TEXT,
      "visviva: 1\ntime: {end: 0.01, step: 5e-6}\ncontacts: [{restitution: 0.5}]\nbodies:\n"
      "  cubes: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.05, material: {young: 2.1e5, poisson: "
      "0.3, density: 0.7085}, copies: [");
  for (int i = 0; i < 8; i++) {
    const double x[3] = {i % 2 - 0.5, i / 2 % 2 - 0.5, i / 4 - 0.5}, pull = -23.0940107675850;
    at += (size_t)snprintf(text + at, TEXT - at,
                           "%s{centre: [%g, %g, %g], rotation: [%.9g, %.9g, %.9g], velocity: [%.9g, %.9g, %.9g]}",
                           i == 0 ? "" : ", ", 1.1 * x[0], 1.1 * x[1], 1.1 * x[2], turn[i][0], turn[i][1], turn[i][2],
                           pull * x[0], pull * x[1], pull * x[2]);
  }
  snprintf(text + at, TEXT - at, "]}\n");
  run_record r = run_scene(text, &(run_options){.threads = 1});
  const vv_ledger *l = run_ledger(&r);
  const vvi_contact_counts *c = contact_counts(r.sim);
  print_message("  impacts %ld frozen %ld calmed %ld E %.1e\n", (long)l->impacts, (long)c->frozen, (long)c->calmed,
                l->max_closure);
  check_least((double)l->impacts, 5000.0);
  assert_int_equal(c->unresolved + c->frozen, 0);
  check_most(l->max_shrink, 1e-12 * l->energy_scale);
  check_most(l->max_closure, 5e-5);
  check_most(l->max_p_drift, 1e-12);
  assert_int_equal(sheet_intersections(r.model, r.state), 0);
  run_free(&r);
  free(text);
}

/* Two equal plates, flat on each other, meet with hundreds of features at once, which answer in turn: all of them are first blows, and
 * each gives back e of its speed, so that 1 - e^2 of the energy of the approach is lost and e of its speed is left.       [contact 26c] */
static void flat_plates(void **unused)
{
  (void)unused;
  static const double e[] = {0.0, 0.5, 0.8};
  for (int i = 0; i < VV_COUNT(e); i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "visviva: 1\ntime: {end: 1e-4, step: 5e-6}\ncontacts: [{restitution: %g}]\nbodies:\n"
             "  plates: {kind: shell, mesh: {rectangle: {size: [1, 1], pieces: [20, 20]}}, thickness: 0.01, material: "
             "{young: "
             "1e5, poisson: 0.3, density: 100},\n"
             "    copies: [{centre: [0, 0, 0], velocity: [0, 0, 1]}, {centre: [0, 0, 1e-4], velocity: [0, "
             "0, -1]}]}\n",
             e[i]);
    run_record r = run_scene(text, &(run_options){.threads = 1});
    const vv_ledger *l = run_ledger(&r);
    const double lost = vv_sum_value(&l->posted.restitution_loss) / l->initial.kinetic;
    print_message("  e %g: lost %.4g, %ld in turn\n", e[i], lost, (long)contact_counts(r.sim)->turns);
    check_least((double)contact_counts(r.sim)->turns, 250.0);
    check_near(lost, 1.0 - e[i] * e[i], 5e-3);
    check_near(vv_ledger_get(l, VV_LEDGER_KINETIC) / l->initial.kinetic, e[i] * e[i], 5e-3);
    assert_int_equal(sheet_intersections(r.model, r.state), 0);
    run_free(&r);
  }
}

/* The same of one plate and a floor that is not at the origin, neither earlier nor later than it is due. */
static void flat_on_a_floor(void **unused)
{
  (void)unused;
  run_record r = run_scene(
      "visviva: 1\ntime: {end: 1e-4, step: 5e-6}\ncontacts: [{restitution: 0.5}]\nbodies:\n"
      "  plate: {kind: shell, mesh: {rectangle: {size: [1, 1], pieces: [20, 20]}}, thickness: 0.01,\n"
      "    material: {young: 1e5, poisson: 0.3, density: 100}, centre: [0, 0, 0.2501], velocity: [0, 0, -2]}\n"
      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0.25}}}\n",
      &(run_options){.threads = 1});
  const vv_ledger *l = run_ledger(&r);
  print_message("  first at %.4g s, lost %.4g\n", r.event[0].time,
                vv_sum_value(&l->posted.restitution_loss) / l->initial.kinetic);
  check_near(r.event[0].time, 5e-5, 1e-5);
  check_near(vv_sum_value(&l->posted.restitution_loss) / l->initial.kinetic, 0.75, 5e-3);
  run_free(&r);
}

/* Pressed on each other they are held, and what holds takes nothing, even where blows take all: it reflects.  [contact 26c] */
static void pressed_plates(void **unused)
{
  (void)unused;
  static const char plate[] = "kind: shell, mesh: {rectangle: {size: [1, 1], pieces: [18, 18]}}, thickness: 0.01, "
                              "material: {young: 1e5, poisson: 0.3, density: 100}";
  char text[1024];
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1.5e-4, step: 5e-6}\ncontacts: [{restitution: 0}]\nbodies:\n"
           "  a: {%s, centre: [0, 0, 0], pressure: [{value: 1000}]}\n"
           "  b: {%s, centre: [0, 0, 1e-7], pressure: [{value: -1000}]}\n",
           plate, plate);
  run_record r = run_scene(text, &(run_options){.threads = 1});
  const vv_ledger *l = run_ledger(&r);
  const double step = vv_sum_value(&l->posted.step_loss), blows = vv_sum_value(&l->posted.restitution_loss);
  print_message("  blows lost %.3g J, what holds %.3g J, %ld in turn, %ld held\n", blows, step,
                (long)contact_counts(r.sim)->turns, (long)l->held);
  check_least((double)contact_counts(r.sim)->turns, 250.0);
  check_least((double)l->held, 250.0);
  check_most(step, 1e-12 * blows);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(twenty_seven),       cmocka_unit_test(sixty_four),
                                     cmocka_unit_test(seventy_six),        cmocka_unit_test(through_the_worst),
                                     cmocka_unit_test(few_are_not_frozen), cmocka_unit_test(flat_plates),
                                     cmocka_unit_test(flat_on_a_floor),    cmocka_unit_test(pressed_plates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
