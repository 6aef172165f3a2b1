/* tests/net/test_devices.c  Ranks with a device each: state and books have the bits of one process on the processor.  Ranks are threads
 * (threads.h); the device of each of them is the first that can be used. */
#include "threads.h"

#include "base/base.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *device;

#define FREE "visviva: 1\ncontacts: [{response: none}]\n"

static const char ball[] =
    FREE "time: {end: 1, step: 2e-4}\nbodies:\n"
         "  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 12}}, thickness: 0.02, "
         "velocity: [0.5, 0, 0], spin: [0, 0, 3], "
         "material: {young: 1e5, poisson: 0.3, density: 1000, law: neo-hookean}}\n";

/* Runs of tiles, tiles dealt out at random, a rank alone. */
static void sphere(void **state)
{
  (void)state;
  compare_on(device, ball, 30, 5, (const int[]){1, 2, 3, -2, -3});
}

/* Gravity, three kinds of borders, a point load and pressure: all that books something. */
static void plate(void **state)
{
  (void)state;
  compare_on(device,
             FREE "time: {end: 1, step: {safety: 0.3}}\ngravity: [0, 0.1, -9.81]\nbodies:\n"
                  "  plate: {kind: shell, mesh: {rectangle: {size: [1.2, 0.9], pieces: [32, 24]}}, thickness: 0.01,\n"
                  "    material: {young: 1e7, poisson: 0.3, density: 1000, law: neo-hookean},\n"
                  "    edges: [{hold: clamped, low: [-1, -1, -1], high: [-0.59, 1, 1]},\n"
                  "            {hold: supported, low: [0.59, -1, -1], high: [1, 1, 1]}],\n"
                  "    loads: [{at: [0.1, 0.2, 0], force: [1, 2, 30]}], pressure: [{value: 50}]}\n",
             30, 3, (const int[]){2, 3, -3});
}

/* A can that flows and fades, a bell with viscous branches. */
static void plastic(void **state)
{
  (void)state;
  compare_on(device,
             FREE
             "time: {end: 1, step: {safety: 0.3}}\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  can: {kind: shell, mesh: {sphere: {radius: 0.05, base: icosahedron, frequency: 8}}, thickness: 1e-3,\n"
             "    material: {law: j2, young: 7e10, poisson: 0.3, density: 2700, yield: 2e7, hardening: 1e9},\n"
             "    damping: {mass: 50}, loads: [{at: [0, 0, 0.05], force: [0, 0, -3e4]}]}\n"
             "  bell: {kind: shell, mesh: {cylinder: {radius: 0.05, height: 0.08, around: 28, along: 8}}, thickness: "
             "3e-3,\n"
             "    centre: [1, 0, 0], material: {young: 200e9, poisson: 0.3, density: 7800},\n"
             "    damping: {ratio: {value: 0.005, from: 200, to: 2e4}}, edges: [{hold: clamped, loop: 1}]}\n",
             60, 3, (const int[]){2, 3, -2});
}

/* Copies of one mesh, of which a rank may have some, a beam and a stone that all ranks move. */
static void many_bodies(void **state)
{
  (void)state;
  compare_on(
      device,
      FREE
      "time: {end: 1, step: 2e-4}\nbodies:\n"
      "  stone: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, mass: 1, spin: [0.1, 3, 0.2], position: [9, 0, 0]}\n"
      "  rod: {kind: beam, length: 2, elements: 30, section: {circle: {radius: 0.1}}, position: [5, 0, 0], "
      "material: {young: 3000, poisson: 0.3, density: 2}, spin: [1, 2, 3]}\n"
      "  cube: {kind: shell, mesh: {sphere: {radius: 0.1, base: icosahedron, frequency: 3}}, thickness: 0.01, "
      "spin: [1, 2, 3], material: {young: 1e5, poisson: 0.3, density: 1000}, "
      "grid: {count: [5, 4, 2], spacing: [0.3, 0.3, 0.3]}}\n",
      30, 2, (const int[]){2, 3});
}

/* Order 4: kicks and drifts of parts of a step. */
static void higher_order(void **state)
{
  (void)state;
  compare_on(device,
             FREE "time: {end: 1, step: 1e-4}\nmethod: {order: 4}\nbodies:\n"
                  "  ball: {kind: shell, mesh: {sphere: {radius: 1, frequency: 9}}, thickness: 0.02, spin: [0, 0, 3], "
                  "material: {young: 1e5, poisson: 0.3, density: 1000}}\n",
             20, 1, (const int[]){3});
}

/* ---- contact ---- */

/* Eight cubes fly into each other, with losses and friction. */
static void crowd(void **state)
{
  char text[CROWD_ROOM];
  (void)state;
  put_crowd(text);
  assert_true(compare_on(device, text, 350, 3, (const int[]){1, 2, -3}) > 10);
}

/* ---- here and there ---- */

/* Half of the steps by some ranks on a device or not, half by others. */
static void resumed(void **state)
{
  static const struct {
    int ranks[2];
    bool there[2];
  } way[] = {{{2, 3}, {true, true}}, {{3, 1}, {true, false}}, {{1, 2}, {false, true}}, {{2, 2}, {false, true}}};
  static hub h;
  outcome whole = {.text = ball, .steps = 40};
  (void)state;
  run(&whole);
  for (int i = 0; i < VV_COUNT(way); i++) {
    outcome first[MOST], second[MOST];
    const outcome half = {.text = ball, .steps = 20, .device = way[i].there[0] ? device : NULL, .keeps = true};
    run_ranks(&h, way[i].ranks[0], 0, &half, first);
    const outcome rest = {.text = ball, .steps = 20, .device = way[i].there[1] ? device : NULL, .from = first};
    run_ranks(&h, way[i].ranks[1], 0, &rest, second);
    assert_true(second[0].hash == whole.hash);
    release_end(first);
  }
}

/* ---- what moves ---- */

/* To and from the device goes what goes to and from other ranks, three numbers of a row, and nothing else. */
static void volume(void **state)
{
  static hub h;
  outcome part[MOST];
  (void)state;
  run_ranks(&h, 2, 0, &(outcome){.text = ball, .device = device}, part);
  for (int r = 0; r < 2; r++) {
    const outcome *o = &part[r], *other = &part[1 - r];
    const int64_t more = o->moved[2] - o->moved[1] - (o->moved[1] - o->moved[0]);
    const int64_t in = o->came[2][1 - r] - 2 * o->came[1][1 - r] + o->came[0][1 - r];
    const int64_t out = other->came[2][r] - 2 * other->came[1][r] + other->came[0][r];
    assert_true(more > 0 && more == in + out);
  }
}

int main(void)
{
  static char number[16];
  vv_device d[16];
  const struct CMUnitTest test[] = {
      cmocka_unit_test(sphere),       cmocka_unit_test(plate), cmocka_unit_test(plastic), cmocka_unit_test(many_bodies),
      cmocka_unit_test(higher_order), cmocka_unit_test(crowd), cmocka_unit_test(resumed), cmocka_unit_test(volume),
  };
  const int n = vv_device_list(d, 16);
  for (int i = 0; i < n && i < 16 && device == NULL; i++)
    if (d[i].doubles) snprintf(number, sizeof number, "%d", i), device = number;
  if (device == NULL)
    fprintf(stderr, "left out: OpenCL shows no device with double precision (Debian: pocl-opencl-icd)\n");
  return device == NULL ? 77 : cmocka_run_group_tests(test, NULL, NULL);
}
