/* Beams on an accelerator: every strain, every drift, supports, loads and shapes give the bits of the processor, whatever its
 * threads; runs go on from one to the other. */
#include "agree.h"
#include "check.h"
#include "place.h"

#include <string.h>

#define TIME  "visviva: 1\ntime: {end: 1}\n"
#define HEAD  TIME "contacts: [{response: none}]\n"
#define SHORT "visviva: 1\ntime: {end: 1, step: 1e-4}\ncontacts: [{response: none}]\n"
#define ROD   "kind: beam, length: 2, material: {young: 3000, poisson: 0.3, density: 2}, "
#define FLAT  "section: {rectangle: {width: 0.3, height: 0.2}}, "
#define ROUND "section: {circle: {radius: 0.1}}, "
#define BENT  "shape: {uniform: {strain: [0.02, 0.01, 0.95], curvature: [0.3, 0.5, -0.4]}}, "
#define MOVES "velocity: [0.2, 0.1, -0.3], spin: [0.5, -1, 0.7]"

/* Longer than a group of items, and as long, and shorter. */
static void lengths(void **state)
{
  static const int elements[] = {1, 2, 31, 126, 127, 128, 300, 5000};
  (void)state;
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    char text[512];
    snprintf(text, sizeof text, HEAD "bodies: {b: {" ROD FLAT BENT MOVES ", elements: %d}}\n", elements[i]);
    agree(text, elements[i] > 1000 ? 9 : 40);
  }
}

static void rules(void **state)
{
  static const char *strain[] = {"one-point", "trapezoid", "cayley"};
  static const char *drift[] = {"lgvi", "lavi-cayley", "lavi-cay", "lavi-exp"};
  (void)state;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 4; k++) {
      char text[512];
      snprintf(text, sizeof text, HEAD "bodies: {b: {" ROD FLAT BENT MOVES ", elements: 40, strain: %s, drift: %s}}\n",
               strain[i], drift[k]);
      agree(text, 25);
    }
}

/* Steps so long that a node turns far: what takes more than a few iterations, and a rule with a series for its sine. */
static void far_turns(void **state)
{
  static const char *drift[] = {"lavi-cayley", "lavi-cay", "lavi-exp"};
  (void)state;
  for (int k = 0; k < 3; k++) {
    char text[512];
    snprintf(
        text, sizeof text,
        "visviva: 1\ntime: {end: 9, step: 0.05}\ncontacts: [{response: none}]\nbodies: {b: {kind: beam, length: 2, "
        "material: {young: 1, poisson: 0.3, density: 2}, " FLAT "elements: 3, spin: [0.3, -0.2, 26], drift: %s}}\n",
        drift[k]);
    agree(text, 12);
  }
}

/* Closed, round, graded, with masses; bodies that are not alike in one block. */
static void mixture(void **state)
{
  (void)state;
  agree(HEAD "bodies:\n"
             "  a: {" ROD FLAT BENT MOVES ", elements: 50}\n"
             "  b: {" ROD ROUND MOVES ", position: [9, 0, 0], elements: 30, grading: 1.8, drift: lavi-cayley}\n"
             "  c: {kind: beam, elements: 40, material: {young: 3000, poisson: 0.3, density: 2}, " ROUND
             "shape: {ring: {radius: 1}}, position: [0, 9, 0], spin: [1, 2, 3]}\n"
             "  d: {" ROD FLAT MOVES
             ", position: [0, 0, 9], elements: 20, strain: trapezoid, masses: [{at: 0.5, mass: 1, "
             "inertia: [0.1, 0.2, 0.3]}, {at: 1, mass: 2}]}\n",
        30);
}

static void ring(void **state)
{
  (void)state;
  for (int n = 3; n < 400; n = 5 * n + 1) {
    char text[512];
    snprintf(text, sizeof text,
             HEAD "bodies: {c: {kind: beam, elements: %d, material: {young: 3000, poisson: 0.3, density: 2}, " ROUND
                  "shape: {ring: {radius: 3}}, spin: [1, 2, 3]}}\n",
             n);
    agree(text, 30);
  }
}

static void backwards_and_fourth(void **state)
{
  (void)state;
  agree_with(HEAD "bodies: {b: {" ROD FLAT BENT MOVES ", elements: 33}}\n", -1e-3, 20);
  agree(HEAD "method: {order: 4}\nbodies: {b: {" ROD FLAT BENT MOVES ", elements: 33}}\n", 15);
}

static void loads(void **state)
{
  (void)state;
  agree(TIME "gravity: [1, -2, -9.81]\nbodies:\n"
             "  a: {" ROD FLAT
             "elements: 30, ends: {first: clamped, last: pinned}, loads: [{at: 0.5, force: [1, 2, 3], "
             "history: {ramp: {duration: 0.01}}}, {at: 1, moment: [0, 0, 0.3], follower: true}], "
             "distributed: [{force: [0, 3, 1], follower: true}]}\n"
             "  b: {" ROD ROUND "elements: 20, position: [9, 0, 0], ends: {first: pinned}, " MOVES "}\n"
             "contacts: [{response: none}]\n",
        40);
}

/* The ledger closed after every step: totals are noted in passes of several steps, by strips of 64 nodes that are full, not full, the
 * last of several, alone, or closed to a ring; bodies that are not alike; beside shells. */
static void books(void **state)
{
  static const int elements[] = {1, 40, 63, 64, 127, 128, 300};
  (void)state;
  for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
    char text[512];
    snprintf(text, sizeof text, SHORT "bodies: {b: {" ROD FLAT BENT MOVES ", elements: %d}}\n", elements[i]);
    agree_rows(text);
  }
  agree_rows(SHORT "bodies:\n"
                   "  a: {" ROD FLAT BENT MOVES ", elements: 150, strain: cayley, drift: lavi-exp}\n"
                   "  b: {" ROD ROUND MOVES ", position: [9, 0, 0], elements: 30, grading: 1.8, drift: lavi-cayley}\n"
                   "  c: {kind: beam, elements: 140, material: {young: 3000, poisson: 0.3, density: 2}, " ROUND
                   "shape: {ring: {radius: 1}}, position: [0, 9, 0], spin: [1, 2, 3]}\n"
                   "  d: {" ROD FLAT MOVES
                   ", position: [0, 0, 9], elements: 20, strain: trapezoid, masses: [{at: 0.5, mass: 1, "
                   "inertia: [0.1, 0.2, 0.3]}, {at: 1, mass: 2}]}\n"
                   "  s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, thickness: 0.03, centre: [9, 9, 0], "
                   "material: {young: 1e4, poisson: 0.3, density: 1}, spin: [1, 2, 3]}\n");
  agree_rows(SHORT "gravity: [1, -2, -9.81]\nbodies: {b: {" ROD ROUND MOVES ", elements: 70}}\n");
}

/* The host answers what touches, with forces of the device. */
static void contact(void **state)
{
  (void)state;
  agree(TIME "gravity: [0, 0, -9.81]\ncontacts: [{restitution: 0.5, friction: 0.3}]\nbodies:\n"
             "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n"
             "  a: {" ROD ROUND "elements: 12, position: [0, 0, 0.12], axis: [1, 0, 0], velocity: [0, 0, -2]}\n",
        60);
}

/* Shells and beams in one scene. */
static void beside_shells(void **state)
{
  (void)state;
  agree(HEAD "bodies:\n"
             "  a: {" ROD FLAT BENT MOVES ", elements: 200}\n"
             "  s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, thickness: 0.03, centre: [9, 0, 0], "
             "material: {young: 1e4, poisson: 0.3, density: 1}, spin: [1, 2, 3]}\n",
        40);
}

static void resumed(void **state)
{
  (void)state;
  agree_resumed(HEAD "bodies: {b: {" ROD FLAT BENT MOVES ", elements: 150}}\n");
}

static void refused(void **state)
{
  static const char metal[] =
      HEAD "bodies: {b: {kind: beam, length: 1, elements: 4, section: {circle: {radius: 0.01}}, "
           "material: {young: 1e9, poisson: 0.3, density: 1000, law: j2, yield: 1e6}}}\n";
  (void)state;
  refused_with(metal, device, VV_UNSUPPORTED, "beams that flow");
}

int main(void)
{
  const struct CMUnitTest test[] = {
      cmocka_unit_test(lengths), cmocka_unit_test(rules),   cmocka_unit_test(far_turns),
      cmocka_unit_test(mixture), cmocka_unit_test(ring),    cmocka_unit_test(backwards_and_fourth),
      cmocka_unit_test(loads),   cmocka_unit_test(contact), cmocka_unit_test(beside_shells),
      cmocka_unit_test(resumed), cmocka_unit_test(refused), cmocka_unit_test(books),
  };
  device = first_device();
  return device == NULL ? 77 : cmocka_run_group_tests(test, NULL, NULL);
}
