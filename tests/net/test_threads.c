/* tests/net/test_threads.c  Shells over ranks without MPI: every rank is a thread with a context, a model and a run of its own,
 * and they talk by memory.  State and books have the bits of one process; what travels is within its bound. */
#include "threads.h"

#include "base/base.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "visviva: 1\ncontacts: [{response: none}]\n"

static void sphere(void **state)
{
  (void)state;
  compare(HEAD "time: {end: 1, step: 2e-4}\nbodies:\n"
               "  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 16}}, thickness: 0.02, "
               "velocity: [0.5, 0, 0], spin: [0, 0, 3], "
               "material: {young: 1e5, poisson: 0.3, density: 1000, law: neo-hookean}}\n",
          40, 5, (const int[]){1, 2, 3, 4, 8});
}

static void plate(void **state)
{
  (void)state;
  compare(HEAD "time: {end: 1, step: {safety: 0.3}}\ngravity: [0, 0.1, -9.81]\nbodies:\n"
               "  plate: {kind: shell, mesh: {rectangle: {size: [1.2, 0.9], pieces: [40, 30]}}, thickness: 0.01,\n"
               "    material: {young: 1e7, poisson: 0.3, density: 1000, law: neo-hookean},\n"
               "    edges: [{hold: clamped, low: [-1, -1, -1], high: [-0.59, 1, 1]},\n"
               "            {hold: supported, low: [0.59, -1, -1], high: [1, 1, 1]}],\n"
               "    loads: [{at: [0.1, 0.2, 0], force: [1, 2, 30]}], pressure: [{value: 50}]}\n",
          40, 3, (const int[]){2, 3, 5});
}

static void many_bodies(void **state)
{
  (void)state;
  compare(HEAD
          "time: {end: 1, step: 2e-4}\nbodies:\n"
          "  stone: {kind: rigid, shape: {box: {size: [1, 2, 3]}}, mass: 1, spin: [0.1, 3, 0.2], position: [9, 0, 0]}\n"
          "  cube: {kind: shell, mesh: {sphere: {radius: 0.1, base: icosahedron, frequency: 3}}, thickness: 0.01, "
          "spin: [1, 2, 3], material: {young: 1e5, poisson: 0.3, density: 1000}, "
          "grid: {count: [5, 4, 2], spacing: [0.3, 0.3, 0.3]}}\n",
          40, 3, (const int[]){2, 3, 7});
}

static void flow(void **state)
{
  (void)state;
  compare(
      HEAD
      "time: {end: 1, step: {safety: 0.3}}\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  can: {kind: shell, mesh: {sphere: {radius: 0.05, base: icosahedron, frequency: 10}}, thickness: 1e-3,\n"
      "    material: {law: j2, young: 7e10, poisson: 0.3, density: 2700, yield: 2e7, hardening: 1e9},\n"
      "    damping: {mass: 50}, loads: [{at: [0, 0, 0.05], force: [0, 0, -3e4]}]}\n"
      "  bell: {kind: shell, mesh: {cylinder: {radius: 0.05, height: 0.08, around: 28, along: 8}}, thickness: 3e-3,\n"
      "    centre: [1, 0, 0], material: {young: 200e9, poisson: 0.3, density: 7800},\n"
      "    damping: {ratio: {value: 0.005, from: 200, to: 2e4}}, edges: [{hold: clamped, loop: 1}]}\n",
      60, 3, (const int[]){2, 3, 5});
}

/* ---- contact ---- */

/* A ball of shell falls on a drum; both are cut by ranks. */
static void drum(void **state)
{
  (void)state;
  compare(
      "visviva: 1\ntime: {end: 1, step: {safety: 0.4}}\nbodies:\n"
      "  drum: {kind: shell, mesh: {rectangle: {size: [1, 1], pieces: [24, 24]}}, thickness: 0.01,\n"
      "    material: {young: 1e6, poisson: 0.3, density: 1000},\n"
      "    edges: [{hold: supported}]}\n"
      "  ball: {kind: shell, mesh: {sphere: {radius: 0.2, base: icosahedron, frequency: 8}}, thickness: 0.01,\n"
      "    centre: [0.05, 0.1, 0.2105], velocity: [0, 0, -3], material: {young: 1e6, poisson: 0.3, density: 1000}}\n",
      300, 3, (const int[]){2, 3, -5});
}

/* Eight cubes fly into each other, with losses and friction. */
static void crowd(void **state)
{
  char text[CROWD_ROOM];
  (void)state;
  put_crowd(text);
  assert_true(compare(text, 400, 3, (const int[]){2, -3, -5}) > 10);
}

/* 27 cubes pressed together are one group of hundreds of contacts, which answer in turn: all ranks answer it, each its own contacts,
 * and none of them twice. */
static void giant(void **state)
{
  static hub h;
  static outcome whole, part[MOST];
  char *text = malloc(1 << 14);
  size_t n = (size_t)snprintf(
      text, 1 << 14,
      "visviva: 1\ntime: {end: 1, step: 1e-5}\ncontacts: [{restitution: 0, friction: 0.3}]\nbodies:\n  cubes: {kind: "
      "shell, mesh: {cube: {edge: 1, pieces: 3}}, thickness: 0.05, material: {young: 2.1e5, poisson: 0.3, density: "
      "0.7085}, copies: [");
  (void)state;
  for (int i = 0; i < 27; i++) {
    const double x[3] = {i % 3 - 1.0, i / 3 % 3 - 1.0, i / 9 - 1.0};
    n += (size_t)snprintf(text + n, (1 << 14) - n,
                          "%s{centre: [%g, %g, %g], velocity: [%g, %g, %g], rotation: [%g, %g, 0.05]}",
                          i == 0 ? "" : ", ", 1.055 * x[0], 1.055 * x[1], 1.055 * x[2], -67.2 * x[0], -67.2 * x[1],
                          -67.2 * x[2], 0.01 * (i % 3), 0.015 * (i % 5));
  }
  snprintf(text + n, (1 << 14) - n, "]}\n");
  const outcome what = {.text = text, .steps = 180};
  whole = what;
  run(&whole);
  check_least((double)whole.turns, 5e3);
  for (int ranks = 2; ranks <= 4; ranks++) {
    int64_t sum = 0, most = 0;
    run_ranks(&h, ranks, ranks == 3 ? 17 : 0, &what, part);
    if (part[0].hash != whole.hash) fail_msg("%d ranks have other bits", ranks);
    for (int r = 0; r < ranks; r++) {
      assert_memory_equal(part[r].ledger, whole.ledger, sizeof whole.ledger);
      assert_int_equal(part[r].turns, whole.turns);
      sum += part[r].own_turns;
      if (part[r].own_turns > most) most = part[r].own_turns;
      print_message("  rank %d of %d: %ld of %ld turns\n", r, ranks, (long)part[r].own_turns, (long)whole.own_turns);
    }
    assert_int_equal(sum, whole.own_turns);
    check_most((double)most, 1.5 * (double)whole.own_turns / ranks);
  }
  free(text);
}

/* A rigid ball and a beam with corners fall on a shell that lies on a floor: some move on all ranks, some on one. */
static void mixed(void **state)
{
  (void)state;
  compare("visviva: 1\ntime: {end: 1, step: {safety: 0.4}}\ngravity: [0, 0, -9.81]\n"
          "contacts: [{restitution: 0.5, friction: 0.4}]\nbodies:\n"
          "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
          "  balloon: {kind: shell, mesh: {sphere: {radius: 0.06, base: icosahedron, frequency: 8}}, thickness: 2e-3,\n"
          "    material: {young: 1e6, poisson: 0.45, density: 1000}, centre: [0, 0, 0.0605], velocity: [0, 0, -2]}\n"
          "  ball: {kind: rigid, shape: {ball: {radius: 0.015}}, density: 1000, position: [0.005, 0.01, 0.137],\n"
          "    velocity: [0, 0, -2]}\n"
          "  lath: {kind: beam, length: 0.2, elements: 8, material: {young: 1e7, density: 700},\n"
          "    section: {rectangle: {width: 0.02, height: 0.008}}, axis: [0.3, 1, 0], normal: [0, 0, 1],\n"
          "    position: [-0.06, -0.1, 0.14], velocity: [0, 0, -3]}\n",
          300, 3, (const int[]){2, 3, -4});
}

/* Shares as work was measured, not equal ones; one rank has nothing. */
static void uneven_shares(void **state)
{
  static hub h;
  static const double ends[] = {0.0, 0.1, 0.1, 0.75, 1.0};
  outcome part[MOST],
      whole = {.text = HEAD "time: {end: 1, step: 2e-4}\nbodies:\n"
                            "  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 16}}, "
                            "thickness: 0.02, spin: [0, 0, 3], material: {young: 1e5, poisson: 0.3, density: 1000}}\n",
               .steps = 40};
  (void)state;
  run(&whole);
  h.ends = ends;
  run_ranks(&h, 4, 0, &whole, part);
  assert_int_equal(part[0].hash, whole.hash);
  for (int r = 0; r < 4; r++) assert_memory_equal(part[r].ledger, whole.ledger, sizeof whole.ledger);
  int64_t from_empty = 0, from_largest = 0; /* what others got of the two */
  for (int r = 0; r < 4; r++) from_empty += h.moved[r][1], from_largest += r != 2 ? h.moved[r][2] : 0;
  assert_int_equal(from_empty, 0);
  assert_true(from_largest > 0);
}

/* Bytes a force between two ranks: two exchanges each.  Where the clock cuts a stretch of steps it costs one more.  meets: bytes a step;
 * there forces last from step to step, and flights make others. */
static double each_step(const outcome *part, int to, int from, bool meets)
{
  const outcome *o = &part[to];
  const int64_t few = o->came[1][from] - o->came[0][from], many = o->came[2][from] - o->came[1][from];
  const int64_t forces = (o->begun[2] - o->begun[1] - (o->begun[1] - o->begun[0])) / 2;
  return (double)(many - few) / (double)(meets ? measured[2] - measured[1] : forces);
}

/* A rank with N triangles moves at most 700 sqrt(N) bytes a step, in and out together, to and from at most 16 others; where the
 * number of ranks is a power of two, as the cuts of the tiles are. */
static void check_volume(const char *text, double triangles, bool meets, int n, const int *ranks)
{
  static hub h;
  outcome part[MOST];
  for (int i = 0; i < n; i++) {
    run_ranks(&h, ranks[i], 0, &(outcome){.text = text}, part);
    assert_true(ranks[i] <= part[0].tiles / 8);
    for (int r = 0; r < ranks[i]; r++) {
      double bytes = 0.0;
      int neighbours = 0;
      for (int k = 0; k < ranks[i]; k++) {
        bytes += each_step(part, r, k, meets) + each_step(part, k, r, meets);
        neighbours += each_step(part, r, k, meets) > 0.0;
      }
      const double most = 700.0 * sqrt(triangles / ranks[i]);
      if (!(bytes > 0.0 && bytes <= most))
        fail_msg("rank %d of %d moves %.0f bytes a step, more than %.0f", r, ranks[i], bytes, most);
      assert_true(neighbours <= 16);
    }
  }
}

static void volume(void **state)
{
  (void)state;
  check_volume(HEAD
               "time: {end: 1, step: 1e-4}\nbodies:\n"
               "  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 50}}, thickness: 0.02, "
               "spin: [0, 0, 3], material: {young: 1e5, poisson: 0.3, density: 1000}}\n",
               20.0 * 50 * 50, false, 3, (const int[]){2, 4, 8});
}

/* Two that fly side by side and may meet: what is told of everything to all would be more than that. */
static void volume_with_contact(void **state)
{
  (void)state;
  check_volume("visviva: 1\ntime: {end: 1, step: 1e-5}\nbodies:\n"
               "  one: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 50}}, thickness: 0.02, "
               "velocity: [1, 0, 0], material: {young: 1e5, poisson: 0.3, density: 1000}}\n"
               "  two: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 50}}, thickness: 0.02, "
               "centre: [0, 3, 0], velocity: [1, 0, 0], material: {young: 1e5, poisson: 0.3, density: 1000}}\n",
               40.0 * 50 * 50, false, 2, (const int[]){4, 8});
}

/* Two that meet: trial flights, which weigh an impact by forces of the tiles about it, say nothing about all others.  A step in which a
 * contact acts flies some dozens of forces; if each of them sent the halos as a step does it would be far above the bound. */
static void volume_of_impacts(void **state)
{
  (void)state;
  static const char text[] =
      "visviva: 1\ntime: {end: 1, step: 1.4e-7}\nbodies:\n"
      "  one: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 39}}, thickness: 0.05, "
      "velocity: [150, 0, 0], rotation: [0.3, 0.5, 0.2], material: {young: 2.1e5, poisson: 0.3, density: 0.0785}}\n"
      "  two: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 39}}, thickness: 0.05, "
      "centre: [1.97851, 0.3, 0], velocity: [-50, 0, 0], rotation: [-0.4, 0.1, 0.7], "
      "material: {young: 2.1e5, poisson: 0.3, density: 0.0785}}\n";
  outcome whole = {.text = text};
  run(&whole);
  assert_true(vv_ledger_find("impacts") < COLUMNS && whole.ledger[vv_ledger_find("impacts")] > 0.0);
  check_volume(text, 40.0 * 39 * 39, true, 1, (const int[]){4});
}

/* What goes to rank 0 goes there in pieces: it never has more than a megabyte on its way, and ends with the whole state. */
static void pieces(void **state)
{
  static hub h;
  const char *text = HEAD "time: {end: 1, step: 1e-4}\nbodies:\n"
                          "  ball: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 60}}, "
                          "thickness: 0.02, spin: [0, 0, 3], material: {young: 1e5, poisson: 0.3, density: 1000}}\n";
  outcome whole = {.text = text, .steps = 2}, part[MOST];
  const int64_t nodes = 10 * 60 * 60 + 2;
  (void)state;
  run(&whole);
  run_ranks(&h, 4, 0, &(outcome){.text = text, .steps = 2}, part);
  assert_true(part[0].hash == whole.hash);
  assert_true(nodes * 6 * (int64_t)sizeof(double) * 3 / 4 > 1 << 20); /* what the three others have */
  assert_in_range(h.most_at_once, 1 << 18, 1 << 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sphere),
                                     cmocka_unit_test(plate),
                                     cmocka_unit_test(many_bodies),
                                     cmocka_unit_test(flow),
                                     cmocka_unit_test(drum),
                                     cmocka_unit_test(crowd),
                                     cmocka_unit_test(giant),
                                     cmocka_unit_test(mixed),
                                     cmocka_unit_test(uneven_shares),
                                     cmocka_unit_test(volume),
                                     cmocka_unit_test(volume_with_contact),
                                     cmocka_unit_test(volume_of_impacts),
                                     cmocka_unit_test(pieces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
