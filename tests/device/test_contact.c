/* Shells that touch stay on an accelerator: the processor gets bounds and the nodes near contacts, and nothing else.  Same bits of
 * states and books; what goes to and fro is counted. */
#include "agree.h"
#include "check.h"
#include "contact/broad/away.h"
#include "contact/contact.h"
#include "place.h"
#include "sim/sim.h"
#include "step/accelerate.h"

/* Two spheres of 8 f^2 triangles, so many edges apart, that approach by the same part of an edge in a step, which is the same part
 * of the stable one, whatever f is. */
static void spheres(char *text, size_t size, int frequency, double edges)
{
  const double f = frequency;
  snprintf(
      text, size,
      "visviva: 1\ntime: {end: 1, step: %g}\ncontacts: [{restitution: 0.8, friction: 0.3}]\nbodies:\n"
      "  a: {kind: shell, mesh: {sphere: {radius: 1, frequency: %d}}, thickness: 0.03, material: {young: 1e3, poisson: "
      "0.3, density: 1}, copies: [{centre: [0, 0, 0], velocity: [%g, 0, 0]}, {centre: [%g, 0, 0]}]}\n",
      0.2 / (f * f), frequency, 0.1 * f, 2.0 + 1.6 * edges / f);
}

/* Impacts without loss, whose trial flights are the longest; long and short steps, so that there are several kicks or one; and a plate with
 * a border, whose ghosts tie whole tiles together, held and hanging on gravity. */
static void flights(void **state)
{
  static const char text[] =
      "visviva: 1\ntime: {end: 1, step: %g}\ncontacts: [{restitution: 1}]\nbodies:\n"
      "  a: {kind: shell, mesh: {sphere: {radius: 1, frequency: 32}}, thickness: 0.03, material: {young: 1e3, poisson: "
      "0.3, density: 1}, copies: [{centre: [0, 0, 0], rotation: [0.3, 0.5, 0.2], velocity: [%g, 0, 0]}, "
      "{centre: [2.001, 0, 0], rotation: [-0.4, 0.1, 0.7]}]}\n";
  static const char plate[] =
      "visviva: 1\ntime: {end: 1, step: 2e-5}\ngravity: [0, 0, -10]\ncontacts: [{restitution: 1}]\nbodies:\n"
      "  p: {kind: shell, mesh: {rectangle: {size: [1, 1], pieces: [24, 24]}}, edges: [{hold: clamped}], thickness: "
      "0.01, "
      "      material: {young: 1e6, poisson: 0.3, density: 100}}\n"
      "  s: {kind: shell, mesh: {sphere: {radius: 0.2, frequency: 8}}, thickness: 0.02,\n"
      "      material: {young: 1e6, poisson: 0.3, density: 100}, centre: [0.51, 0.48, 0.217], velocity: [0, 0, -20]}\n";
  (void)state;
  for (int fine = 0; fine < 2; fine++) {
    char scene[1024];
    const double step = fine ? 1e-4 : 7e-4;
    snprintf(scene, sizeof scene, text, step, 1e-3 / step);
    agree(scene, 30);
  }
  agree(plate, 120);
}

/* Bytes of a step on the way up and down, over some steps in contact; impacts: of them. */
static double bytes_of_a_step(int frequency, double edges, int64_t *impacts, int64_t *nodes)
{
  enum { STEPS = 24 };
  char text[1024];
  place x;
  vv_report r;
  spheres(text, sizeof text, frequency, edges);
  assert_int_equal(place_open(text, device, 1, 0.0, &x), VV_OK);
  place_steps(&x, 1);
  const vvi_device *d = x.sim->step.accelerator->device;
  int64_t moved[2]; /* of two lengths: the state that goes up at the start and comes down at the end is in both */
  *impacts = 0;
  for (int k = 0; k < 2; k++) {
    const int64_t before = vvi_device_moved(d);
    assert_int_equal(vv_sim_steps(x.sim, (k + 1) * STEPS / 2, &r), VV_OK);
    moved[k] = vvi_device_moved(d) - before;
    *impacts += r.events;
  }
  *nodes = x.model->block[0].nodes;
  place_close(&x);
  return (double)(moved[1] - moved[0]) / (STEPS / 2);
}

static void same_bits(void **state)
{
  char text[1024];
  (void)state;
  spheres(text, sizeof text, 8, 0.1);
  agree(text, 150);
  spheres(text, sizeof text, 24, 0.1);
  agree(text, 60);
}

/* Eight hollow cubes that fly towards their middle, and meet with faces, edges and corners. */
static void cubes(void **state)
{
  static const char head[] =
      "visviva: 1\ntime: {end: 1, step: 1e-5}\ncontacts: [{restitution: %g, friction: %g}]\nbodies:\n"
      "  cubes: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.05, "
      "material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, copies: [";
  (void)state;
  for (int rough = 0; rough < 2; rough++) {
    char text[2048];
    int n = snprintf(text, sizeof text, head, rough ? 0.5 : 1.0, rough ? 0.4 : 0.0);
    for (int i = 0; i < 8; i++) {
      const int s[3] = {i % 2 * 2 - 1, i / 2 % 2 * 2 - 1, i / 4 * 2 - 1};
      n += snprintf(text + n, sizeof text - (size_t)n, "%s{centre: [%g, %g, %g], velocity: [%d, %d, %d]}",
                    i == 0 ? "" : ", ", 0.502 * s[0], 0.502 * s[1] + 0.001 * s[2], 0.502 * s[2], -20 * s[0], -20 * s[1],
                    -20 * s[2]);
    }
    snprintf(text + n, sizeof text - (size_t)n, "]}\n");
    agree(text, 60);
  }
}

/* A shell that stays there, between a ball and a floor, which the processor has. */
static void mixed(void **state)
{
  (void)state;
  static const char text[] =
      "visviva: 1\ntime: {end: 1, step: 5e-5}\ngravity: [0, 0, -10]\ncontacts: [{restitution: 0.6, friction: 0.3}]\n"
      "bodies:\n"
      "  s: {kind: shell, mesh: {sphere: {radius: 0.5, frequency: 8}}, thickness: 0.02, material: {young: 1e5, "
      "poisson: "
      "0.3, density: 100}, centre: [0, 0, 0.502], velocity: [0.5, 0, -4]}\n"
      "  ball: {kind: rigid, shape: {ball: {radius: 0.2}}, density: 100, position: [0.1, 0, 1.206], velocity: [0, 0, "
      "-9]}\n"
      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n";
  agree(text, 150);
}

/* On both sides, in the middle of an impact. */
static void resumed(void **state)
{
  char text[1024];
  (void)state;
  spheres(text, sizeof text, 12, 0.1);
  agree_resumed(text);
}

/* Far apart: a byte for each cluster, and what boxes of clusters that have moved ask for. */
static void far_apart(void **state)
{
  int64_t impacts, nodes;
  (void)state;
  const double bytes = bytes_of_a_step(32, 80.0, &impacts, &nodes);
  assert_int_equal(impacts, 0);
  if (bytes > 0.2 * (double)nodes) fail_msg("%g bytes a step for %lld nodes", bytes, (long long)nodes);
}

/* What moves far needs new boxes all the time, for which no node comes down, with the row of a cluster and what is told back of it. */
static void new_boxes(void **state)
{
  enum { STEPS = 40, ROW = sizeof(vv_motion_row) + sizeof(vv_motion_budget) + 2 * sizeof(int32_t) };
  static const char text[] =
      "visviva: 1\ntime: {end: 1, step: 2e-5}\nbodies:\n  a: {kind: shell, mesh: {sphere: {radius: 1, frequency: 40}}, "
      "thickness: 0.03, material: {young: 1e3, density: 1}, copies: [{centre: [0, 0, 0], velocity: [9000, 0, 0]}, "
      "{centre: [0, 2.3, 0], velocity: [9000, 3, 0]}, {centre: [0, 0, 5], velocity: [-9000, 0, 0]}]}\n";
  place x;
  vv_report r;
  (void)state;
  assert_int_equal(place_open(text, device, 1, 0.0, &x), VV_OK);
  place_steps(&x, 1);
  const vvi_device *d = x.sim->step.accelerator->device;
  const vvi_sheet_search *w = x.sim->step.contact->features->search;
  int64_t moved[2], boxes[2];
  for (int k = 0; k < 2; k++) { /* the state that goes up at the start and comes down at the end is in both */
    moved[k] = -vvi_device_moved(d), boxes[k] = -w->moves;
    assert_int_equal(vv_sim_steps(x.sim, (k + 1) * STEPS, &r), VV_OK);
    moved[k] += vvi_device_moved(d), boxes[k] += w->moves;
  }
  const double made = (double)(boxes[1] - boxes[0]),
               bytes = (double)(moved[1] - moved[0]) - STEPS * w->sheets->n_cluster;
  assert_true(made > 2 * w->sheets->n_cluster);
  if (bytes > 8.0 * ROW * made) fail_msg("%g bytes for each of %g boxes", bytes / made, made);
  place_close(&x);
}

/* Where the same nodes are looked at in every drift they come with the bounds: one wait a drift, and one more here for trial flights
 * and lists that wake or are built; were nodes waited for it would be three. */
static void two_waits(void **state)
{
  enum { STEPS = 40 };
  char text[1024];
  place x;
  vv_report r;
  (void)state;
  spheres(text, sizeof text, 24, 0.1);
  assert_int_equal(place_open(text, device, 1, 0.0, &x), VV_OK);
  place_steps(&x, 1);
  const vvi_device *d = x.sim->step.accelerator->device;
  int64_t waits[2];
  for (int k = 0; k < 2; k++) { /* the state that goes up at the start and comes down at the end is in both */
    waits[k] = -vvi_device_waits(d);
    assert_int_equal(vv_sim_steps(x.sim, (k + 1) * STEPS, &r), VV_OK);
    waits[k] += vvi_device_waits(d);
    assert_true(r.events > 0);
  }
  if (2 * (waits[1] - waits[0]) > 5 * STEPS)
    fail_msg("%lld waits in %d steps", (long long)(waits[1] - waits[0]), STEPS);
  place_close(&x);
}

/* What comes down where they touch is what is near: four times the nodes make it a little more than the bounds. */
static void in_contact(void **state)
{
  int64_t impacts[2], nodes[2];
  double bytes[2];
  (void)state;
  for (int i = 0; i < 2; i++) {
    bytes[i] = bytes_of_a_step(48 << i, 0.1, &impacts[i], &nodes[i]);
    assert_true(impacts[i] > 0);
  }
  if (bytes[1] - bytes[0] > 3.0 * (double)(nodes[1] - nodes[0]) || bytes[0] > 30.0 * (double)nodes[0])
    fail_msg("%g and %g bytes a step for %lld and %lld nodes", bytes[0], bytes[1], (long long)nodes[0],
             (long long)nodes[1]);
}

/* Where nothing can touch the processor does not wait for every step. */
static void at_once(void **state)
{
  enum { STEPS = 80 };
  char text[1024];
  place x;
  vv_report r;
  int64_t waits[2];
  (void)state;
  spheres(text, sizeof text, 24, 80.0);
  assert_int_equal(place_open(text, device, 1, 0.0, &x), VV_OK);
  place_steps(&x, 1);
  const vvi_sheet_away *k = x.sim->step.contact->features->search->away;
  for (int i = 0; i < 2; i++) { /* the state that goes up at the start and comes down at the end is in both */
    waits[i] = -vvi_device_waits(x.sim->step.accelerator->device);
    assert_int_equal(vv_sim_steps(x.sim, (i + 1) * STEPS, &r), VV_OK);
    waits[i] += vvi_device_waits(x.sim->step.accelerator->device);
  }
  if (4 * (waits[1] - waits[0]) > STEPS) fail_msg("%lld waits in %d steps", (long long)(waits[1] - waits[0]), STEPS);
  assert_true(2 * k->taken > 3 * STEPS);
  place_close(&x);
  agree(text, 200);
  agree_resumed(text);
}

/* A plate beside another, of which one end is pushed off: when the wave arrives its other end moves as no budget foresaw, and steps that were
 * taken at once are taken back. */
static void taken_back(void **state)
{
  enum { STEPS = 400 };
  static const char text[] =
      "visviva: 1\ntime: {end: 1, step: 1e-3}\ncontacts: [{restitution: 1}]\nbodies:\n"
      "  a: {kind: shell, mesh: {rectangle: {size: [8, 0.5], pieces: [64, 4]}}, thickness: 0.02,\n"
      "      material: {young: 1e3, poisson: 0.3, density: 1}, copies: [{centre: [0, 0, 0]}, {centre: [0, 0, 0.3]}]}\n";
  uint64_t hash[2];
  (void)state;
  for (int there = 0; there < 2; there++) {
    place x;
    vv_report r;
    assert_int_equal(place_open(text, there ? device : "cpu", 1, 0.0, &x), VV_OK);
    for (int64_t node = 0; node < x.model->block[0].nodes / 8; node++)
      assert_int_equal(vv_sim_set_velocity(x.sim, 0, node, (const double[3]){-0.5, 0.0, 0.0}, NULL), VV_OK);
    assert_int_equal(vv_sim_steps(x.sim, STEPS, &r), VV_OK);
    if (there) assert_true(x.sim->step.contact->features->search->away->taken_back > 0);
    hash[there] = vv_state_hash(x.state);
    place_close(&x);
  }
  assert_true(hash[0] == hash[1]);
}

/* So many lists that they wake and go to sleep many at once, in a crowd in which all fly another way. */
static void many_lists(void **state)
{
  enum { SIDE = 6 };
  static char text[32768];
  int n = snprintf(text, sizeof text,
                   "visviva: 1\ntime: {end: 1, step: 1e-4}\ncontacts: [{restitution: 0.8}]\nbodies:\n"
                   "  c: {kind: shell, mesh: {cube: {edge: 1, pieces: 1}}, thickness: 0.05, material: {young: 2.1e5, "
                   "poisson: 0.3, density: 0.7}, copies: [");
  (void)state;
  for (int i = 0; i < SIDE * SIDE * SIDE; i++)
    n += snprintf(text + n, sizeof text - (size_t)n, "%s{centre: [%g, %g, %g], velocity: [%d, %d, %d]}",
                  i > 0 ? ", " : "", 1.2 * (i % SIDE), 1.2 * (i / SIDE % SIDE), 1.2 * (i / SIDE / SIDE),
                  7 * i % 31 - 15, 11 * i % 29 - 14, 13 * i % 23 - 11);
  snprintf(text + n, sizeof text - (size_t)n, "]}\n");
  agree(text, 160);
}

int main(void)
{
  const struct CMUnitTest test[] = {
      cmocka_unit_test(same_bits), cmocka_unit_test(flights),    cmocka_unit_test(cubes),
      cmocka_unit_test(mixed),     cmocka_unit_test(resumed),    cmocka_unit_test(far_apart),
      cmocka_unit_test(new_boxes), cmocka_unit_test(two_waits),  cmocka_unit_test(in_contact),
      cmocka_unit_test(at_once),   cmocka_unit_test(taken_back), cmocka_unit_test(many_lists)};
  device = first_device();
  return device == NULL ? 77 : cmocka_run_group_tests(test, NULL, NULL);
}
