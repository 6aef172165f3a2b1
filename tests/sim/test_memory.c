/* tests/sim/test_memory.c  After the first step a run allocates nothing, through impacts too.  Where more and more bodies have
 * touched, histories and the log get room between steps: there the steps alone are counted. */
#include "base/sort.h"
#include "cases.h"
#include "check.h"
#include "contact/contact.h"
#include "model/model.h"
#include "run.h"
#include "sim/sim.h"
#include "step/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED
#endif
#endif

static long allocations;

#if defined(__GLIBC__) && !defined(SANITIZED)
/* Stand in front of the C library's own and count. */
void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);
void *malloc(size_t n)
{
  allocations++;
  return __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
  allocations++;
  return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n)
{
  allocations++;
  return __libc_realloc(p, n);
}
void *aligned_alloc(size_t align, size_t n)
{
  allocations++;
  return __libc_memalign(align, n);
}
/* The C library's own may take memory, which nobody would see here. */
void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
  allocations++;
  vvi_sort(base, n, size, compare);
}
#define COUNTED
#endif

/* Beams in a heap: candidates come and go, contacts open and close.  event: one beam alone, it knows no others. */
static long count_in_beams(const char *step, int beams)
{
  char text[4096];
  int used = snprintf(text, sizeof text,
                      "visviva: 1\ntime: {end: 1, step: {safety: 0.3}}\nmethod: {step: %s}\ngravity: [0, 0, -9.8]\n"
                      "contacts: [{restitution: 0.5, friction: 0.3}]\nbodies:\n"
                      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n",
                      step);
  for (int i = 0; i < beams; i++)
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "  b%d: {kind: beam, length: 0.4, elements: 6, material: {young: 1e6, density: 1000}, section: "
                     "{circle: {radius: 0.02}}, axis: [%d, %d, 0], normal: [0, 0, 1], position: [%g, %g, %g]}\n",
                     i, i % 2, 1 - i % 2, i % 2 == 0 ? 0.01 : -0.2, i % 2 == 0 ? -0.2 : 0.01, 0.03 + 0.05 * i);
  run_record r = run_prepare(text, NULL);
  vv_report report;
  assert_int_equal(vv_sim_steps(r.sim, 1, &report), VV_OK);
  const long before = allocations;
  assert_int_equal(vv_sim_steps(r.sim, 1500, &report), VV_OK);
  const long after = allocations;
  assert_int_equal(report.reason, VV_REASON_DONE);
  check_least((double)report.events, 50);
  run_free(&r);
  return after - before;
}

static long in_steps;

static vv_status counted_step(struct vv_step *s, int64_t n, vv_report *r)
{
  const long before = allocations;
  const vv_status status = vv_leapfrog_stepper.step(s, n, r);
  in_steps += allocations - before;
  return status;
}

/* Allocations within so many steps after the first one. */
static long count_in_scene(const char *text, int64_t steps, double events)
{
  run_record r = run_prepare(text, NULL);
  vv_stepper_kind counted = *r.model->stepper;
  vv_report report;
  assert_ptr_equal(r.model->stepper, &vv_leapfrog_stepper);
  assert_int_equal(vv_sim_steps(r.sim, 1, &report), VV_OK);
  counted.step = counted_step, in_steps = 0;
  r.model->stepper = &counted;
  assert_int_equal(vv_sim_steps(r.sim, steps, &report), VV_OK);
  assert_int_equal(report.reason, VV_REASON_DONE);
  check_least((double)report.events, events);
  r.model->stepper = &vv_leapfrog_stepper;
  run_free(&r);
  return in_steps;
}

/* Boxes that fall on each other: contacts and pairs that have touched grow from none to some hundreds. */
static const char heap_text[] =
    "visviva: 1\ntime: {end: 1, step: 1e-3}\ngravity: [0, 0, -9.8]\n"
    "contacts: [{restitution: 0.3, friction: 0.5}]\nbodies:\n"
    "  boxes: {kind: rigid, shape: {box: {size: [0.6, 0.7, 0.8]}}, density: 1, position: [0, 0, 0.8], copies: "
    "{grid: {count: [4, 4, 3], spacing: [1.2, 1.2, 1.2]}, orientation: random, seed: 7}}\n"
    "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1]}}}\n";

/* Elastic spheres in a room: most pairs meet sooner or later. */
static const char gas_text[] =
    "visviva: 1\ntime: {end: 10, step: 2e-3}\nbodies:\n"
    "  gas: {kind: rigid, shape: {ball: {radius: 0.3}}, density: 1, position: [-1.2, -1.2, -1.2], copies: "
    "{grid: {count: [4, 4, 4], spacing: [0.8, 0.8, 0.8]}, speed: 3, seed: 3}}\n"
    "  room: {kind: obstacle, shape: {room: {size: [3.3, 3.3, 3.3]}}}\n";

/* Two soft shells that press each other flat: hundreds of pairs of features. */
static const char shells_text[] =
    "visviva: 1\ntime: {end: 1, step: 1e-4}\ncontacts: [{restitution: 0.5, friction: 0.3}]\nbodies:\n"
    "  left: {kind: shell, mesh: {sphere: {radius: 0.1, frequency: 2, level: 2}}, thickness: 4e-3, centre: [0, 0, 0], "
    "material: {young: 2e5, poisson: 0.4, density: 1000}, velocity: [3, 0, 0]}\n"
    "  right: {kind: shell, mesh: {sphere: {radius: 0.1, frequency: 2, level: 2}}, thickness: 4e-3, centre: [0.206, "
    "0.01, 0], material: {young: 2e5, poisson: 0.4, density: 1000}, velocity: [-3, 0, 0]}\n";

static long count_in(const cases_def *def)
{
  char text[CASES_TEXT_SZ];
  assert_true(cases_scene(def, text, sizeof text));
  run_record r = run_prepare(text, NULL);
  vv_report report;
  assert_int_equal(vv_sim_steps(r.sim, 1, &report), VV_OK);
  const long before = allocations;
  assert_int_equal(vv_sim_steps(r.sim, 2000, &report), VV_OK);
  const long after = allocations;
  check_least((double)report.events, 2);
  run_free(&r);
  return after - before;
}

static void test_nothing_is_allocated(void **unused)
{
  (void)unused;
#ifndef COUNTED
  skip();
#endif
  const long start = allocations;
  void *volatile one = malloc(1); /* volatile: compilers drop an allocation that nobody uses */
  free(one);
  assert_true(allocations > start); /* the counter counts */
  static const char *const jump[] = {"slab", "nodal", "modified"}, *const tips[] = {"lumped", "split"};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 2; j++) {
      const cases_def def = {.number = 3, .tips = tips[j], .jump = jump[i]};
      assert_int_equal(count_in(&def), 0);
    }
  const cases_def leapfrog = {.number = 1, .step = "leapfrog", .jump = "auto"};
  assert_int_equal(count_in(&leapfrog), 0);
  assert_int_equal(count_in_beams("leapfrog", 4), 0);
  assert_int_equal(count_in_beams("event", 1), 0);
  assert_int_equal(count_in_scene(heap_text, 800, 100), 0);
  assert_int_equal(count_in_scene(gas_text, 4000, 2000), 0);
  assert_int_equal(count_in_scene(shells_text, 500, 100), 0);
}

/* n^3 hollow cubes that fly towards their middle, and all meet at once: thousands of contacts where there was none. */
static void write_crowd(char *text, size_t size, int n)
{
  const double apart = 1.002;
  int used =
      snprintf(text, size,
               "visviva: 1\ntime: {end: 1, step: 5e-6}\nbodies:\n  cubes: {kind: shell, mesh: {cube: {edge: 1, pieces: "
               "4}}, thickness: 0.05, material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, copies: [");
  for (int i = 0; i < n * n * n; i++) {
    const int at[3] = {i % n, i / n % n, i / n / n};
    used += snprintf(text + used, size - (size_t)used, "%s{centre: [%g, %g, %g], velocity: [%g, %g, %g]}",
                     i == 0 ? "" : ", ", apart * at[0], apart * at[1], apart * at[2], -10.0 * (2 * at[0] - n + 1),
                     -10.0 * (2 * at[1] - n + 1), -10.0 * (2 * at[2] - n + 1));
  }
  snprintf(text + used, size - (size_t)used, "]}\n");
}

/* Contacts and legs have room for what the fullest step needed, half as much again at the most and what they began with, however
 * often they grew; what they grew out of is given back: the arena is flat afterwards.  Of a leg for each of four nodes. */
static void test_a_crowd_takes_what_a_step_needs(void **unused)
{
  (void)unused;
  static char text[1 << 15];
  write_crowd(text, sizeof text, 3);
  run_record r = run_prepare(text, NULL);
  const struct vvi_contact_step *w = r.sim->step.contact;
  const double first = w->room;
  double need = 0.0, most = 0.0;
  size_t total = 0;
  vv_report report;
  for (int step = 0; step < 600; step++) {
    assert_int_equal(vv_sim_steps(r.sim, 1, &report), VV_OK);
    need = fmax(need, 2.0 * w->n + VVI_LATE_RESERVE * w->groups + 1.0), most = fmax(most, w->n);
    if (step == 300) total = r.sim->arena.total;
  }
  check_least(most, 10000);
  assert_true(w->room <= fmax(first, 1.5 * fmax(need, 2.0 * most + VVI_LATE_RESERVE + 1.0)));
  assert_true(w->leg_room <= 4 * (int64_t)w->room);
  assert_int_equal(r.sim->arena.total, total);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_nothing_is_allocated),
                                     cmocka_unit_test(test_a_crowd_takes_what_a_step_needs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
