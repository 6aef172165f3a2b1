/* Shells that flow and damp on an accelerator: every law of hardening and of the rate, branches, drag, borders and meshes give the bits
 * of the processor, whatever its threads, state and books, while they flow; runs go on from one to the other. */
#include "check.h"
#include "place.h"

#include <stdio.h>
#include <string.h>

static const char *device;

typedef struct outcome {
  uint64_t hash, seen;
  vv_totals now;
  vv_posted posted;
} outcome;

static vv_status look(const vv_view *view, void *user)
{
  uint64_t *seen = user;
  *seen = 31 * *seen + vv_state_hash(view->state);
  return VV_OK;
}

static outcome follow(const char *text, const char *where, int threads, int64_t n)
{
  place x;
  outcome out = {0};
  if (place_open(text, where, threads, 0.0, &x) != VV_OK) {
    vv_ctx_report(x.ctx, stderr);
    fail_msg("refused: %s", text);
  }
  assert_int_equal(vv_sim_device(x.sim) != NULL, strcmp(where, "cpu") != 0);
  assert_int_equal(vv_sim_observe(x.sim, 7, look, &out.seen), VV_OK);
  place_steps(&x, n);
  const struct vv_ledger *l = vv_sim_ledger(x.sim);
  out.hash = vv_state_hash(x.state), out.now = l->now, out.posted = l->posted;
  place_close(&x);
  return out;
}

/* What the processor loses while it flows and damps: plastic work, viscous loss. */
typedef struct losses {
  double plastic, viscous;
} losses;

static losses agree(const char *text, int64_t n)
{
  static const int threads[] = {1, 2, 7};
  const outcome there = follow(text, device, 0, n);
  for (int i = 0; i < 3; i++) {
    const outcome here = follow(text, "cpu", threads[i], n);
    if (here.hash != there.hash) fail_msg("another state with %d threads: %s", threads[i], text);
    assert_true(here.seen == there.seen);
    assert_memory_equal(&here.now, &there.now, sizeof here.now);
    assert_memory_equal(&here.posted, &there.posted, sizeof here.posted);
  }
  return (losses){vv_sum_value(&there.posted.plastic_work), vv_sum_value(&there.posted.viscous_loss)};
}

#define HEAD  "visviva: 1\ntime: {end: 1}\ncontacts: [{response: none}]\n"
#define METAL "young: 1e4, poisson: 0.3, density: 1, law: j2, yield: 20"
#define MOVES "velocity: [0.2, 0.1, -0.3], spin: [0.5, -1, 0.7], velocities: [{low: [0, -9, -9], velocity: [9, 0, 5]}]"

/* A ball of which one half is thrown at the other. */
static losses ball(const char *law, const char *more, int frequency, int64_t n)
{
  char text[2048];
  snprintf(
      text, sizeof text,
      HEAD
      "bodies: {s: {kind: shell, mesh: {sphere: {radius: 1, frequency: %d}}, thickness: 0.03, material: {%s}, " MOVES
      "%s}}\n",
      frequency, law, more);
  return agree(text, n);
}

static void hardenings(void **state)
{
  static const char *const law[] = {METAL,
                                    METAL ", hardening: 500",
                                    METAL ", hardening: {isotropic: 300, kinematic: 200}",
                                    METAL ", points: 3, hardening: {kinematic: 400}",
                                    METAL ", points: 7, hardening: {table: [[0, 20], [0.01, 30], [0.1, 35]]}",
                                    METAL ", hardening: {power: {strength: 40, exponent: 0.4}}",
                                    METAL ", hardening: {voce: {saturation: 20, rate: 30}, kinematic: 50}"};
  (void)state;
  for (size_t i = 0; i < sizeof law / sizeof *law; i++) assert_true(ball(law[i], "", 5, 45).plastic > 0.1);
  assert_true(ball(law[1], "", 14, 40).plastic > 0.1); /* several tiles */
}

static void rates(void **state)
{
  (void)state;
  assert_true(ball(METAL ", hardening: 500, rate: {cowper-symonds: {rate: 40, exponent: 5}}", "", 5, 35).plastic > 0.1);
  assert_true(ball(METAL ", rate: {johnson-cook: {coefficient: 0.05, rate: 0.01}}", "", 5, 35).plastic > 0.1);
}

static void dampings(void **state)
{
  static const char ratio[] = ", damping: {ratio: {value: 0.05, from: 1, to: 1000}}", mass[] = ", damping: {mass: 5}";
  static const char both[] = ", damping: {mass: 3, ratio: {value: 0.02, from: 10, to: 100}}";
  (void)state;
  losses l = ball("young: 1e4, poisson: 0.3, density: 1", ratio, 5, 40);
  assert_true(l.viscous > 0.0 && l.plastic == 0.0);
  l = ball("young: 1e4, poisson: 0.3, density: 1, law: neo-hookean", mass, 5, 40);
  assert_true(l.viscous > 0.0 && l.plastic == 0.0);
  l = ball(METAL ", hardening: 200", both, 5, 40);
  assert_true(l.viscous > 0.0 && l.plastic > 0.0);
}

/* Borders, supports, loads, meshes without pairs, copies; beside what is elastic, and with other numbers of points. */
static void mixed(void **state)
{
  (void)state;
  const losses l = agree(
      "visviva: 1\ntime: {end: 1, step: {safety: 0.5, adapt: true}}\ngravity: [1, -2, -9.81]\nbodies:\n"
      "  a: {kind: shell, mesh: {rectangle: {size: [2, 1], pieces: [30, 20]}}, thickness: 0.03, rotation: [0.3, 0.2, "
      "0.1],\n"
      "      material: {" METAL ", hardening: 200}, pressure: [{value: 60, history: {harmonic: {frequency: 30}}}],\n"
      "      edges: [{hold: clamped, low: [-9, -9, -9], high: [-0.9, 9, 9]}, {hold: supported, low: [0.9, -9, -9]}],\n"
      "      loads: [{at: [0, 0.1, 0], force: [1, 2, 3], history: {ramp: {duration: 0.01}}}]}\n"
      "  b: {kind: shell, mesh: {disc: {radius: 1, rings: 6}}, thickness: 0.03, centre: [5, 0, 0],\n"
      "      material: {" METAL
      ", points: 3}, edges: [{hold: supported}], pressure: [{value: 90}], damping: {mass: 2}}\n"
      "  c: {kind: shell, mesh: {cylinder: {radius: 1, height: 2, around: 20, along: 9}}, thickness: 0.03, centre: [0, "
      "9, 0],\n"
      "      material: {young: 1e4, poisson: 0.3, density: 1}}\n"
      "  d: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.02, centre: [0, -9, 0], material: {" METAL
      "},\n"
      "      damping: {ratio: {value: 0.02, from: 10, to: 100}}, velocities: [{low: [0, -99, -9], velocity: [9, 0, "
      "5]}],\n"
      "      copies: [{centre: [0, 0, 0]}, {centre: [4, 0, 0], rotation: [1, 0, 0]}]}\n"
      "contacts: [{response: none}]\n",
      50);
  assert_true(l.plastic > 0.0 && l.viscous > 0.0);
}

static const char dented[] =
    HEAD "bodies: {s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, thickness: 0.03, material: {" METAL
         ", hardening: 500, rate: {cowper-symonds: {rate: 40, exponent: 5}}}, " MOVES "}}\n";

/* Here first, then there, in the middle of the flow; and the other way round. */
static void resumed(void **state)
{
  outcome out[3];
  (void)state;
  memset(out, 0, sizeof out);
  for (int i = 0; i < 3; i++) {
    place one, two;
    assert_int_equal(place_open(dented, i == 1 ? device : "cpu", 1, 0.0, &one), VV_OK);
    assert_int_equal(place_open(dented, i == 2 ? device : "cpu", 2, 0.0, &two), VV_OK);
    place_steps(&one, 10);
    const double early = vv_sum_value(&vv_sim_ledger(one.sim)->posted.plastic_work);
    assert_int_equal(vv_state_copy(two.state, one.state), VV_OK);
    assert_int_equal(vv_sim_restore(two.sim, vv_sim_ledger(one.sim)), VV_OK);
    place_steps(&two, 20);
    out[i].hash = vv_state_hash(two.state), out[i].posted = vv_sim_ledger(two.sim)->posted;
    assert_true(early > 0.0 && vv_sum_value(&out[i].posted.plastic_work) > 1.1 * early);
    place_close(&one), place_close(&two);
  }
  for (int i = 1; i < 3; i++) {
    assert_true(out[0].hash == out[i].hash);
    assert_memory_equal(&out[0].posted, &out[i].posted, sizeof out[0].posted);
  }
}

/* More flows than wait on the device, and none seen in between. */
static void long_stretch(void **state)
{
  (void)state;
  place x, y;
  assert_int_equal(place_open(dented, device, 1, 0.0, &x), VV_OK);
  assert_int_equal(place_open(dented, "cpu", 1, 0.0, &y), VV_OK);
  place_steps(&x, 150), place_steps(&y, 150);
  assert_true(vv_state_hash(x.state) == vv_state_hash(y.state));
  assert_memory_equal(&vv_sim_ledger(x.sim)->posted, &vv_sim_ledger(y.sim)->posted, sizeof(vv_posted));
  place_close(&x), place_close(&y);
}

static void refused_with(const char *text, const char *words)
{
  place x;
  assert_int_equal(place_open(text, device, 1, 0.0, &x), VV_UNSUPPORTED);
  assert_int_equal(vv_ctx_message_count(x.ctx), 1);
  if (strstr(vv_ctx_message(x.ctx, 0), words) == NULL) fail_msg("no '%s' in: %s", words, vv_ctx_message(x.ctx, 0));
  place_close(&x);
}

/* Balls that dent each other and a floor, with friction and damping: the host answers, the device flows. */
static void contact(void **state)
{
  (void)state;
  const losses l = agree(
      "visviva: 1\ntime: {end: 1, step: {safety: 0.5, adapt: true}}\ncontacts: [{restitution: 0.5, friction: 0.3}]\n"
      "gravity: [0, 0, -9.81]\nbodies:\n"
      "  a: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, thickness: 0.03, centre: [-1.02, 0, 0],\n"
      "      velocity: [10, 0, -9], material: {" METAL ", hardening: 300}, damping: {mass: 2}}\n"
      "  b: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, thickness: 0.03, centre: [1.02, 0.3, 0],\n"
      "      velocity: [-10, 0, 0], spin: [0, 0, 3], material: {" METAL
      "}, damping: {ratio: {value: 0.02, from: 10, to: 100}}}\n"
      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], point: [0, 0, -1.05]}}}\n",
      130);
  assert_true(l.plastic > 0.0 && l.viscous > 0.0);
}

static void refused(void **state)
{
  (void)state;
  refused_with(
      HEAD "bodies: {s: {kind: shell, contact: control, mesh: {sphere: {radius: 1, frequency: 4}}, thickness: 0.03, "
           "material: {" METAL ", failure: {strain: 0.1, energy: 1}}}}\n",
      "shells that break");
}

int main(void)
{
  const struct CMUnitTest test[] = {
      cmocka_unit_test(hardenings),   cmocka_unit_test(rates),   cmocka_unit_test(dampings),
      cmocka_unit_test(mixed),        cmocka_unit_test(contact), cmocka_unit_test(resumed),
      cmocka_unit_test(long_stretch), cmocka_unit_test(refused),
  };
  device = first_device();
  return device == NULL ? 77 : cmocka_run_group_tests(test, NULL, NULL);
}
