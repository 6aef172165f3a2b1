/* Rigid bodies and bars on an accelerator, alone and beside shells and beams: the bits of the processor, whatever its threads. */
#include "agree.h"
#include "check.h"
#include "place.h"

#define TIME "visviva: 1\ntime: {end: 1, step: 0.01}\n"
#define HEAD TIME "contacts: [{response: none}]\n"
#define BOX  "kind: rigid, shape: {box: {size: [0.5, 0.35, 0.25]}}, density: 700, "
#define BALL "kind: rigid, shape: {ball: {radius: 0.3}}, density: 700, "
#define TOP  "kind: rigid, shape: {cylinder: {radius: 0.3, length: 0.2}}, density: 700, "
#define BAR  "kind: bar, length: 2, elements: 40, section: {area: 0.5}, "

/* Slow ones and such as turn far in a step, of every class; one that is fixed. */
static void flights(void **state)
{
  (void)state;
  agree(HEAD "bodies:\n"
             "  a: {" BOX
             "spin: [0.5, -1, 0.7], velocity: [1, 2, 3], copies: {grid: {count: [3, 3, 3], spacing: [2, 2, "
             "2]}, orientation: random, spin: 9}}\n"
             "  b: {" BOX "position: [20, 0, 0], spin: [400, -100, 70]}\n"
             "  c: {" BALL "position: [30, 0, 0], spin: [4, 5, 6]}\n"
             "  d: {" BALL "position: [40, 0, 0], spin: [4000, 5000, 6000]}\n"
             "  e: {" TOP "position: [50, 0, 0], spin: [4, 5, 6]}\n"
             "  f: {" TOP "position: [60, 0, 0], spin: [300, 500, 700]}\n"
             "  g: {" BALL "position: [70, 0, 0], fixed: true}\n",
        40);
}

static void pushed(void **state)
{
  (void)state;
  agree(TIME "gravity: [1, -2, -9.81]\ncontacts: [{response: none}]\nbodies:\n"
             "  a: {" BOX "spin: [0.5, -1, 0.7], loads: [{force: [1, 2, 3], at: [0.1, 0, 0], follower: true, history: "
             "{ramp: {duration: 0.1}}}, {moment: [0, 0, 5]}]}\n"
             "  b: {" BALL
             "position: [9, 0, 0], copies: {grid: {count: [2, 1, 1], spacing: [2, 2, 2]}}, loads: [{force: "
             "[0, 1, 0], copy: 1}]}\n",
        30);
}

static void bars(void **state)
{
  (void)state;
  agree("visviva: 1\ntime: {end: 1}\nmethod: {step: leapfrog}\ncontacts: [{response: none}]\nbodies:\n"
        "  a: {" BAR "material: {young: 3, density: 2}, velocity: 0.4, vibration: [{mode: 1, amplitude: 0.1}]}\n"
        "  b: {" BAR "material: {young: 5, density: 2}, origin: [0, 9, 0], grading: 1.7, velocity: -0.4}\n",
        40);
  agree("visviva: 1\ntime: {end: 1}\nmethod: {step: leapfrog}\ncontacts: [{response: none}]\nbodies:\n"
        "  a: {" BAR "material: {young: 3, density: 2, law: neo-hookean}, vibration: [{mode: 1, amplitude: 0.1}]}\n"
        "  b: {" BAR "material: {young: 5, density: 2}, origin: [0, 9, 0], velocity: -0.4}\n",
        40);
  agree("visviva: 1\ntime: {end: 1}\nmethod: {step: leapfrog}\ngravity: [1, 2, 3]\ncontacts: [{response: "
        "none}]\nbodies:\n"
        "  a: {" BAR "material: {young: 3, density: 2}, ends: {first: fixed}, loads: [{end: last, force: 0.3}]}\n"
        "  b: {" BAR "material: {young: 5, density: 2}, origin: [0, 9, 0], velocity: -0.4}\n",
        40);
}

/* All kinds in one scene: free, and in contact. */
static void mixed(void **state)
{
  static const char bodies[] =
      "bodies:\n"
      "  r: {kind: rigid, shape: {ball: {radius: 0.3}}, density: 0.7, position: [0, 0, 1.31], velocity: [0, 0, -3], "
      "spin: "
      "[1, 2, 3]}\n"
      "  s: {kind: shell, mesh: {sphere: {radius: 1, frequency: 6}}, thickness: 0.03, material: {young: 1e4, poisson: "
      "0.3, "
      "density: 1}, spin: [0.1, 0.2, 0.3]}\n"
      "  b: {kind: beam, length: 2, elements: 10, position: [-1, 0, -1.15], axis: [1, 0, 0], material: {young: 3000, "
      "poisson: 0.3, density: 2}, section: {circle: {radius: 0.1}}, velocity: [0, 0, 1]}\n";
  char text[2048];
  (void)state;
  snprintf(text, sizeof text, "visviva: 1\ntime: {end: 1, step: 1e-3}\ncontacts: [{response: none}]\n%s", bodies);
  agree(text, 40);
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: 1e-3}\ncontacts: [{restitution: 0.8, friction: 0.3}]\n%s", bodies);
  agree(text, 60);
}

static void refused(void **state)
{
  (void)state;
  refused_with(HEAD "bodies: {a: {" BALL "damping: {linear: 0.1}}}\n", device, VV_UNSUPPORTED,
               "rigid bodies with drag");
  refused_with(
      "visviva: 1\ntime: {end: 1}\nmethod: {step: leapfrog}\ncontacts: [{response: none}]\nbodies: {a: {" BAR
      "material: {young: 3, density: 2}, ends: {first: driven}, drives: [{end: first, displacement: 0.1, history: "
      "{ramp: {duration: 0.1}}}]}}\n",
      device, VV_UNSUPPORTED, "bars with driven ends");
}

static void resumed(void **state)
{
  (void)state;
  agree_resumed(HEAD "bodies: {a: {" BOX "spin: [0.5, -1, 0.7]}, b: {" BALL "position: [9, 0, 0], spin: [1, 2, 3]}}\n");
}

int main(void)
{
  const struct CMUnitTest test[] = {
      cmocka_unit_test(flights), cmocka_unit_test(pushed),  cmocka_unit_test(bars),
      cmocka_unit_test(mixed),   cmocka_unit_test(refused), cmocka_unit_test(resumed),
  };
  device = first_device();
  return device == NULL ? 77 : cmocka_run_group_tests(test, NULL, NULL);
}
