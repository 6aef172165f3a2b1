/* tests/physics/test_layers.c  Massless layers: half a swing, momenta, the symplectic form, and what is refused. */
#include "check.h"
#include "run.h"

#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 2048 };
static const double pi = 3.14159265358979323846;

#define STEEL "material: {young: 2e11, poisson: 0.3, density: 7800}"
#define FLOOR "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
#define ROD                                                          \
  "  rod: {kind: beam, length: 1, elements: 10, " STEEL              \
  ", section: {circle: {radius: 0.01}}, axis: [1, 0, 0], position: " \
  "[0, 0, 0.0101], velocity: [0, 0, -1]}\n"
#define BOX                                                         \
  "  rod: {kind: beam, length: 1, elements: 10, " STEEL             \
  ", section: {rectangle: {width: 0.02, height: 0.01}}, axis: [1, " \
  "0, 0], normal: [0, 1, 0], position: [0, 0, 0.0051], velocity: [0, 0, -1]}\n"
#define PLATE                                                                                                        \
  "  rod: {kind: shell, mesh: {disc: {radius: 0.1, rings: 4}}, thickness: 0.02, " STEEL ", centre: [0, 0, 0.0001], " \
  "velocity: [0, 0, -1]}\n"

static void write_scene(char *text, const char *body, double layer, double end, double safety)
{
  snprintf(text, TEXT,
           "visviva: 1\ntime: {end: %.17g, step: {safety: %g}}\nmethod: {step: leapfrog}\n"
           "contacts: [{layer: %.17g}]\nbodies:\n%s" FLOOR,
           end, safety, layer, body);
}

/* A body that falls flat is a mass m on a spring k: 1e-4 s of fall, half a swing, and back with the velocity it came with; at a
 * quarter of the swing it stands still.  The error is of second order; bends: what masses that are no multiples of the areas leave.                                           [layer 1] */
static void half_a_swing(const char *body, double mass, double area, double bends)
{
  const double s = 1e9, k = s * area, quarter = 0.5 * pi * sqrt(mass / k);
  double off[2];
  for (int i = 0; i < 2; i++) {
    char text[TEXT];
    write_scene(text, body, s, 1e-4 + 2 * quarter + 1e-4, i == 0 ? 0.4 : 0.1);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    off[i] = fabs(vv_ledger_get(l, VV_LEDGER_P_Z) / mass - 1.0);
    check_most(l->max_closure, 1e-4);
    assert_int_equal(vv_ledger_pairs(l), 1);
    vv_contact_total c;
    assert_int_equal(vv_ledger_pair(l, 0, &c), VV_OK);
    assert_int_equal(c.episodes, 1);
    check_near(c.release - c.touch, 2 * quarter, (0.01 + bends) * quarter);
    check_near(c.normal, 2 * mass, (1e-4 + bends) * mass);
    run_free(&r);
  }
  check_most(off[0], 1e-4 + bends);
  check_most(off[1], 1e-5 + bends);
}

static void flat_bodies_swing_once(void **state)
{
  (void)state;
  half_a_swing(ROD, 7800 * pi * 1e-4, sqrt(pi) * 0.01, 0.0);
  half_a_swing(BOX, 7800 * 2e-4, sqrt(2e-4), 0.0);
  /* a disc of 4 rings is a polygon of 24 corners */
  const double area = 12 * sin(pi / 12) * 0.01;
  half_a_swing(PLATE, 7800 * 0.02 * area, area, 0.01);
}

/* On a plane the contact is a potential of the places alone: symplectic, multisymplectic, and momenta of every part. */
static void structure_is_kept(void **state)
{
  (void)state;
  const run_options o = {.check_structure = true};
  run_record r = run_scene("visviva: 1\ntime: {end: 2e-3, step: {safety: 0.5}}\nmethod: {step: leapfrog}\n"
                           "contacts: [{layer: 1e11}]\nbodies:\n"
                           "  ring: {kind: beam, elements: 16, " STEEL
                           ", section: {circle: {radius: 0.002}}, shape: {ring: {radius: 0.1, normal: [0, 1, 0]}}, "
                           "position: [0, 0, 0.1025], velocity: [0.3, 0, -2]}\n" FLOOR,
                           &o);
  assert_true(run_ledger(&r)->impacts > 0);
  int seen = 0;
  const vv_claim *c;
  const int n = vv_sim_claims(r.sim, &c);
  for (int i = 0; i < n; i++) {
    check_most(c[i].worst, c[i].bound);
    seen += strcmp(c[i].name, "symplectic") == 0 || strcmp(c[i].name, "noether") == 0 ||
            strcmp(c[i].name, "multisymplectic") == 0;
  }
  assert_int_equal(seen, 3);
  run_free(&r);
}

/* A ball on free bodies: what one gets the other loses, also of angular momentum (the blow is off the middle). */
static void balls_exchange_momenta(void **state)
{
  static const char *const body[] = {
      "  rod: {kind: beam, length: 1, elements: 10, " STEEL ", section: {circle: {radius: 0.01}}, axis: [1, 0, 0], "
      "position: [0, 0, 0]}\n",
      "  rod: {kind: shell, mesh: {disc: {radius: 0.3, rings: 6}}, thickness: 0.002, " STEEL "}\n",
      "  rod: {kind: shell, contact: limit, mesh: {disc: {radius: 0.3, rings: 6}}, thickness: 0.002, " STEEL "}\n"};
  (void)state;
  for (int i = 0; i < VV_COUNT(body); i++) {
    char text[TEXT];
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 4e-3, step: {safety: 0.4}}\nmethod: {step: leapfrog}\ncontacts: [{layer: 3e8}]\n"
             "bodies:\n%s  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 0.3, position: [0.1, 0.003, %g], "
             "velocity: [0.4, 0.1, -2], spin: [3, 2, 1]}\n",
             body[i], i == 0 ? 0.061 : 0.0512);
    run_record r = run_scene(text, NULL);
    const vv_ledger *l = run_ledger(&r);
    assert_true(l->impacts > 0);
    check_most(l->max_p_drift, 1e-13);
    check_most(l->max_L_drift, 1e-13);
    check_most(l->max_closure, 1e-4);
    run_free(&r);
  }
}

static bool keeps(const run_record *r, const char *name)
{
  const vv_claim *claim;
  const int n = vv_sim_claims(r->sim, &claim);
  for (int i = 0; i < n; i++)
    if (strcmp(claim[i].name, name) == 0) return claim[i].kept;
  fail_msg("no claim of %s", name);
  return false;
}

/* A layer that lets a body come through is none; and nodes press it, so that what is small passes between them: both are told. */
static void what_does_not_hold_is_told(void **state)
{
  static const char *const body[] = {ROD, BOX, PLATE};
  (void)state;
  for (int i = 0; i < VV_COUNT(body); i++)
    for (int soft = 0; soft < 2; soft++) {
      char text[TEXT];
      write_scene(text, body[i], soft ? 1e6 : 1e9, 0.03, 0.4);
      run_record r = run_scene(text, NULL);
      const double depth = run_ledger(&r)->max_penetration;
      print_message("  layer of %g: %.3g m\n", soft ? 1e6 : 1e9, depth);
      assert_int_equal(keeps(&r, "penetration"), !soft);
      assert_int_equal(depth > 0.0, soft);
      run_free(&r);
    }
  for (int small = 0; small < 2; small++) {
    char text[TEXT];
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 1e-4, step: {safety: 0.4}}\nmethod: {step: leapfrog}\ncontacts: [{layer: "
             "3e8}]\nbodies:\n"
             "  sheet: {kind: shell, mesh: {rectangle: {size: [1, 1], pieces: [4, 4]}}, thickness: 0.002, " STEEL "}\n"
             "  pole: {kind: obstacle, shape: {cylinder: {radius: %g, axis: [1, 1, 0], centre: [0, 0, -1]}}}\n",
             small ? 0.1 : 0.2);
    run_record r = run_scene(text, NULL);
    assert_int_equal(vv_ctx_message_count(r.ctx), small);
    if (small) assert_non_null(strstr(vv_ctx_message(r.ctx, 0), "between two nodes"));
    run_free(&r);
  }
}

static void what_makes_no_sense_is_refused(void **state)
{
  static const struct {
    const char *contact, *extra, *word;
  } wrong[] = {
      {"layer: 1e9, friction: 0.1", "", "loses nothing"},
      {"layer: 1e9, restitution: 0.5", "", "loses nothing"},
      {"layer: 1e9, response: none", "", "leave 'response' out"},
      {"layer: 1e9, projection: paper", "", "leave 'projection' out"},
      {"layer: 1e9", "  box: {kind: rigid, shape: {box: {size: [1, 1, 1]}}, density: 1, position: [0, 0, 5]}\n",
       "between beams or shells and obstacles or rigid balls"},
      {"layer: 1e9",
       "  other: {kind: shell, mesh: {disc: {radius: 0.1, rings: 2}}, thickness: 0.002, " STEEL
       ", centre: [0, 0, 1]}\n",
       "between beams or shells and obstacles or rigid balls"},
      {"layer: -1", "", "layer"},
  };
  (void)state;
  for (int i = 0; i < VV_COUNT(wrong); i++) {
    char text[TEXT], message[TEXT];
    snprintf(text, TEXT,
             "visviva: 1\ntime: {end: 1}\nmethod: {step: leapfrog}\ncontacts: [{%s}]\nbodies:\n" ROD FLOOR "%s",
             wrong[i].contact, wrong[i].extra);
    assert_int_not_equal(run_refused(text, message, sizeof message), VV_OK);
    if (strstr(message, wrong[i].word) == NULL) fail_msg("'%s' says: %s", wrong[i].contact, message);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flat_bodies_swing_once),         cmocka_unit_test(structure_is_kept),
      cmocka_unit_test(balls_exchange_momenta),         cmocka_unit_test(what_does_not_hold_is_told),
      cmocka_unit_test(what_makes_no_sense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
