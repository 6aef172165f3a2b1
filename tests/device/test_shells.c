/* Shells on an accelerator: every law, border, load and mesh gives the bits of the processor, whatever its threads; runs go on
 * from one to the other; observers see the same. */
#include "agree.h"
#include "body/shell/shell.h"
#include "check.h"
#include "place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TIME  "visviva: 1\ntime: {end: 1}\n"
#define HEAD  TIME "contacts: [{response: none}]\n"
#define SOFT  "thickness: 0.03, material: {young: 1e4, poisson: 0.3, density: 1}"
#define MOVES "velocity: [0.2, 0.1, -0.3], spin: [0.5, -1, 0.7], velocities: [{low: [0, 0, 0], velocity: [3, 0, 5]}]"

static void free_sphere(void **state)
{
  (void)state;
  agree(HEAD "bodies: {s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 14}}, " SOFT ", " MOVES "}}\n", 61);
}

static void backwards(void **state)
{
  (void)state;
  agree_with(HEAD "bodies: {s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, " SOFT ", " MOVES "}}\n", -1e-4,
             20);
}

static void higher_order(void **state)
{
  (void)state;
  agree(HEAD "method: {order: 4}\nbodies: {s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, " SOFT ", " MOVES
             "}}\n",
        15);
}

/* Blown up to more than twice its size: the energy also goes by its logarithm. */
static void rubber(void **state)
{
  (void)state;
  agree("visviva: 1\ntime: {end: 1, step: 0.02}\ncontacts: [{response: none}]\n"
        "bodies: {s: {kind: shell, mesh: {sphere: {radius: 1, base: icosahedron, frequency: 5}}, thickness: 0.05, "
        "material: {young: 1, poisson: 0.4, density: 1, law: neo-hookean}, velocity: [0, 0, 1], "
        "velocities: [{low: [0, -9, -9], velocity: [0.9, 0, 0]}, {high: [0, 9, 9], velocity: [-0.9, 0, 0]}]}}\n",
        120);
}

/* What both sides take for the logarithm, against the library's. */
static void logarithm(void **state)
{
  (void)state;
  for (double x = -0.999; x < 1e9; x += 0.01 + 0.02 * fabs(x)) {
    double out = NAN;
    shell_excess_far(1, &x, &out);
    if (x * x <= 0.04 * (2.0 + x) * (2.0 + x)) continue; /* the series of formulas.h */
    check_near(out, x - log1p(x), 4e-15 * (x - log1p(x)));
  }
}

static void borders_and_loads(void **state)
{
  (void)state;
  agree(
      "visviva: 1\ntime: {end: 1}\ngravity: [1, -2, -9.81]\nbodies:\n"
      "  a: {kind: shell, mesh: {rectangle: {size: [2, 1], pieces: [30, 20]}}, " SOFT ", rotation: [0.3, 0.2, 0.1],\n"
      "      edges: [{hold: clamped, low: [-9, -9, -9], high: [-0.9, 9, 9]}, {hold: supported, low: [0.9, -9, -9]}],\n"
      "      loads: [{at: [0, 0.1, 0], force: [1, 2, 3], history: {ramp: {duration: 0.01}}}, {at: [0.2, 0.1, 0], "
      "force: "
      "[0, 0, -3]}],\n"
      "      pressure: [{value: 20, history: {harmonic: {frequency: 30}}}]}\n"
      "  b: {kind: shell, mesh: {disc: {radius: 1, rings: 6}}, " SOFT
      ", centre: [5, 0, 0], edges: [{hold: supported}],\n"
      "      pressure: [{value: 3}, {value: 4}]}\n"
      "  c: {kind: shell, mesh: {cylinder: {radius: 1, height: 2, around: 20, along: 9}}, " SOFT
      ", centre: [0, 9, 0]}\n"
      "contacts: [{response: none}]\n",
      40);
}

static void gravity_alone(void **state)
{
  (void)state;
  agree("visviva: 1\ntime: {end: 1}\ngravity: [0, 0, -9.81]\nbodies: {s: {kind: shell, mesh: {cube: {edge: 1, pieces: "
        "8}}, " SOFT ", " MOVES "}}\n",
        25);
}

static void copies_and_laws(void **state)
{
  (void)state;
  agree(
      HEAD
      "bodies:\n"
      "  a: {kind: shell, mesh: {sphere: {radius: 1, frequency: 9}}, " SOFT ", " MOVES
      ", copies: [{centre: [0, 0, 0]}, {centre: [4, 0, 0], rotation: [1, 0, 0]}]}\n"
      "  b: {kind: shell, mesh: {torus: {ring: 1, tube: 0.3, around: 30, across: 12}}, thickness: 0.02, centre: [0, 9, "
      "0],\n      material: {young: 1e3, poisson: 0.2, density: 2, law: neo-hookean}, spin: [1, 2, 3]}\n"
      "  c: {kind: shell, mesh: {rectangle: {size: [1, 1], pieces: [6, 6]}}, " SOFT
      ", centre: [0, -9, 0], spin: [1, 0, 0],\n"
      "      edges: [{hold: clamped, high: [-0.4, 9, 9]}], copies: [{centre: [0, 0, 0]}, {centre: [0, -4, 0], "
      "rotation: "
      "[0, 0, 1]}]}\n",
      30);
}

/* Diagonals that change from cell to cell: every inner corner has 4 or 8 neighbours, no triangle is regular. */
static void irregular(void **state)
{
  (void)state;
  enum { N = 40 };
  const char *law[2] = {"stvk", "neo-hookean"};
  FILE *f = fopen("jack.obj", "w");
  assert_non_null(f);
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N; j++) fprintf(f, "v %.17g %.17g 0\n", (double)i / N, (double)j / N);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      const int a = i * (N + 1) + j + 1, b = a + N + 1, c = b + 1, d = a + 1;
      if ((i + j) % 2 == 0)
        fprintf(f, "f %d %d %d\nf %d %d %d\n", a, b, c, a, c, d);
      else
        fprintf(f, "f %d %d %d\nf %d %d %d\n", a, b, d, b, c, d);
    }
  fclose(f);
  for (int i = 0; i < 2; i++) {
    char text[1024], folder[512];
    assert_non_null(getcwd(folder, sizeof folder));
    snprintf(
        text, sizeof text,
        HEAD
        "bodies: {s: {kind: shell, mesh: {file: {path: %s/jack.obj}}, thickness: 0.03, material: {young: 1e4, poisson: "
        "0.3, density: 1, law: %s}, spin: [0.5, -1, 0.7], velocities: [{low: [0.5, 0, -1], velocity: [3, 0, "
        "5]}]}}\n",
        folder, law[i]);
    agree(text, 12);
  }
}

static const char spheres[] = TIME "contacts: [{restitution: 0.8, friction: 0.3}]\nbodies:\n"
                                   "  a: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, " SOFT
                                   ", centre: [-1.02, 0, 0], velocity: [10, 0, 0]}\n"
                                   "  b: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, " SOFT
                                   ", centre: [1.02, 0.3, 0], velocity: [-10, 0, 0], "
                                   "spin: [0, 0, 3]}\n";

/* The host answers what touches, with forces of the device. */
static void contact(void **state)
{
  place x;
  (void)state;
  agree(spheres, 130);
  assert_int_equal(place_open(spheres, "cpu", 1, 0.0, &x), VV_OK);
  place_steps(&x, 130);
  assert_true(vv_sim_ledger(x.sim)->impacts > 0);
  place_close(&x);
}

static void resumed(void **state)
{
  (void)state;
  agree_resumed(HEAD "bodies: {s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, " SOFT ", " MOVES "}}\n");
}

/* What the caller does between steps, and forces that last. */
static void acted_upon(void **state)
{
  static const char text[] =
      HEAD "bodies: {s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, " SOFT ", " MOVES "}}\n";
  uint64_t hash[2];
  double work[2];
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double push[3] = {0.1, 0.2, 0.3}, force[3] = {0.0, 1.0, 0.0};
    place x;
    assert_int_equal(place_open(text, i == 0 ? "cpu" : device, 1, 0.0, &x), VV_OK);
    place_steps(&x, 5);
    assert_int_equal(vv_sim_push(x.sim, 0, 3, push, NULL), VV_OK);
    place_steps(&x, 5);
    assert_int_equal(vv_sim_force(x.sim, 0, -1, force, NULL), VV_OK);
    place_steps(&x, 5);
    hash[i] = vv_state_hash(x.state);
    work[i] = vv_sum_value(&vv_sim_ledger(x.sim)->posted.external_work);
    place_close(&x);
  }
  assert_true(hash[0] == hash[1]);
  assert_true(work[0] == work[1]);
}

static void ledger(void **state)
{
  (void)state;
  agree_rows(HEAD "bodies: {s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 12}}, " SOFT
                  ", spin: [1, 2, 3]}}\n");
  agree_rows(HEAD "bodies: {s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, " SOFT
                  ", spin: [1, 2, 3]}, b: {kind: beam, length: 2, elements: 30, section: {circle: {radius: 0.1}}, "
                  "position: [5, 0, 0], material: {young: 3000, poisson: 0.3, density: 2}, spin: [1, 2, 3]}}\n");
  agree_rows(spheres); /* in contact: every row brings the state down */
}

static void refused(void **state)
{
  static const char metal[] =
      HEAD "bodies: {s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 4}}, thickness: 0.03, "
           "contact: control, material: {young: 1e4, poisson: 0.3, density: 1, law: j2, yield: 10, failure: {strain: "
           "0.1}}}}\n";
  (void)state;
  refused_with(metal, device, VV_UNSUPPORTED, "shells that break");
  refused_with(spheres, "no such thing", VV_ARG, "there is none");
  refused_with(spheres, "31", VV_ARG, "there is none");
}

/* Nothing here is worth a device, and `auto` says nothing. */
static void automatic(void **state)
{
  place x;
  (void)state;
  assert_int_equal(place_open(spheres, "auto", 1, 0.0, &x), VV_OK);
  assert_null(vv_sim_device(x.sim));
  place_close(&x);
}

int main(void)
{
  const struct CMUnitTest test[] = {
      cmocka_unit_test(free_sphere),   cmocka_unit_test(backwards),       cmocka_unit_test(higher_order),
      cmocka_unit_test(rubber),        cmocka_unit_test(logarithm),       cmocka_unit_test(borders_and_loads),
      cmocka_unit_test(gravity_alone), cmocka_unit_test(copies_and_laws), cmocka_unit_test(irregular),
      cmocka_unit_test(contact),       cmocka_unit_test(resumed),         cmocka_unit_test(acted_upon),
      cmocka_unit_test(refused),       cmocka_unit_test(automatic),       cmocka_unit_test(ledger),
  };
  device = first_device();
  return device == NULL ? 77 : cmocka_run_group_tests(test, NULL, NULL);
}
