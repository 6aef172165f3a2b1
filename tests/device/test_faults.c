/* Devices that fail: no double precision, no memory, a compiler that refuses, a device that is lost in the middle of a run. */
#include "check.h"
#include "place.h"

#include <stdlib.h>
#include <string.h>

static const char *device;

#define FREE                                                                                                        \
  "visviva: 1\ntime: {end: 1}\ncontacts: [{response: none}]\nbodies: {s: {kind: shell, mesh: {sphere: {radius: 1, " \
  "frequency: 6}}, thickness: 0.03, material: {young: 1e4, poisson: 0.3, density: 1}, spin: [1, 2, 3]}}\n"
#define TWO                                                                                                           \
  "visviva: 1\ntime: {end: 1}\ncontacts: [{restitution: 0.8}]\nbodies: {s: {kind: shell, mesh: {sphere: {radius: 1, " \
  "frequency: 6}}, thickness: 0.03, material: {young: 1e4, poisson: 0.3, density: 1}, copies: [{centre: [0, 0, 0]}, " \
  "{centre: [2.02, 0, 0]}], velocities: [{velocity: [1, 0, 0]}]}}\n"

static void refused(const char *fake, vv_status wanted, const char *words)
{
  place x;
  setenv("VISVIVA_FAKE", fake, 1);
  assert_int_equal(place_open(FREE, device, 1, 0.0, &x), wanted);
  assert_int_equal(vv_ctx_message_count(x.ctx), 1);
  if (strstr(vv_ctx_message(x.ctx, 0), words) == NULL) fail_msg("no '%s' in: %s", words, vv_ctx_message(x.ctx, 0));
  place_close(&x);
}

static void bad_devices(void **state)
{
  (void)state;
  refused("single", VV_UNSUPPORTED, "no double precision");
  refused("memory:20000", VV_NOMEM, "no room for");
  refused("compiler", VV_NOMEM, "compiler");
}

/* States that an observer was shown, by their steps. */
typedef struct seen {
  uint64_t hash[400];
  int64_t last;
  int lasts;
} seen;

static vv_status look(const vv_view *view, void *user)
{
  seen *s = user;
  s->hash[view->state->step] = vv_state_hash(view->state);
  s->last = view->state->step;
  s->lasts += view->last && !view->hopeless;
  return VV_OK;
}

/* The run ends with a reason and a state that the processor has at the same step, shown to observers as the last one, books
 * and all; and it goes on from there on the processor. */
static void lost_at(const char *text, int kernels)
{
  char fake[32];
  place there, here;
  vv_report r;
  seen *a = calloc(2, sizeof *a), *b = a + 1;
  snprintf(fake, sizeof fake, "lost:%d", kernels);
  setenv("VISVIVA_FAKE", fake, 1);
  assert_int_equal(place_open(text, device, 1, 0.0, &there), VV_OK);
  assert_int_equal(place_open(text, "cpu", 1, 0.0, &here), VV_OK);
  assert_int_equal(vv_sim_observe(there.sim, 5, look, a), VV_OK);
  assert_int_equal(vv_sim_observe(here.sim, 1, look, b), VV_OK);
  assert_int_equal(vv_sim_steps(there.sim, 100, &r), VV_OK);
  assert_int_equal(r.reason, VV_REASON_DEVICE);
  assert_non_null(strstr(r.message, "OUT_OF_RESOURCES"));
  assert_true(there.state->step < 100);
  assert_int_equal(a->last, there.state->step);
  assert_int_equal(a->lasts, 1);
  place_steps(&here, 100);
  assert_true(b->hash[there.state->step] == vv_state_hash(there.state));
  place on;
  assert_int_equal(place_open(text, "cpu", 2, 0.0, &on), VV_OK);
  assert_int_equal(vv_state_copy(on.state, there.state), VV_OK);
  assert_int_equal(vv_sim_restore(on.sim, vv_sim_ledger(there.sim)), VV_OK);
  place_steps(&on, 100 - on.state->step);
  assert_true(vv_state_hash(on.state) == vv_state_hash(here.state));
  const vv_totals *x = &vv_sim_ledger(on.sim)->now, *y = &vv_sim_ledger(here.sim)->now;
  assert_memory_equal(x, y, sizeof *x);
  place_close(&on), place_close(&there), place_close(&here);
  free(a);
}

#define ROD                                                                                                           \
  "visviva: 1\ntime: {end: 1}\ncontacts: [{response: none}]\nbodies: {b: {kind: beam, length: 2, elements: 300, "     \
  "section: {circle: {radius: 0.1}}, material: {young: 3000, poisson: 0.3, density: 2}, spin: [1, 2, 3]}, r: {kind: " \
  "rigid, shape: {ball: {radius: 0.3}}, density: 700, position: [9, 0, 0], spin: [1, 2, 3]}}\n"

/* Strides of beams wait for each other: what was not queued is lost with the device. */
static void lost_beams(void **state)
{
  static const int kernels[] = {0, 1, 2, 9, 20, 21, 22, 23, 60};
  (void)state;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) lost_at(ROD, kernels[i]);
}

/* Large tiles, of which less and less fits into local memory: all at once, one component after the other, none of it. */
static void little_local_memory(void **state)
{
  static const char text[] =
      "visviva: 1\ntime: {end: 1}\ncontacts: [{response: none}]\nbodies: {s: {kind: shell, mesh: "
      "{sphere: {radius: 1, frequency: 16}}, thickness: 0.03, material: {young: 1e4, poisson: 0.3, "
      "density: 1}, spin: [1, 2, 3]}}\n";
  static const char *const fake[] = {"local:200000", "local:49152", "local:8192"};
  uint64_t hash[4];
  (void)state;
  for (int i = 0; i < 4; i++) {
    place x;
    if (i < 3) setenv("VISVIVA_FAKE", fake[i], 1);
    assert_int_equal(place_open(text, i < 3 ? device : "cpu", 2, 0.0, &x), VV_OK);
    place_steps(&x, 12);
    hash[i] = vv_state_hash(x.state);
    place_close(&x);
    assert_true(hash[i] == hash[0]);
  }
}

static void lost(void **state)
{
  static const int kernels[] = {0, 1, 2, 9, 20, 61, 62, 63, 64, 65, 66};
  (void)state;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) lost_at(FREE, kernels[i]);
}

static void lost_in_contact(void **state)
{
  static const int kernels[] = {3, 40, 41, 42};
  (void)state;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) lost_at(TWO, kernels[i]);
}

static void no_loader(void **state)
{
  place x;
  (void)state;
  setenv("VISVIVA_OPENCL", "/nowhere/libOpenCL.so", 1);
  assert_int_equal(vv_device_list(NULL, 0), 0);
  assert_int_equal(place_open(FREE, "0", 1, 0.0, &x), VV_UNSUPPORTED);
  assert_non_null(strstr(vv_ctx_message(x.ctx, 0), "no OpenCL on this machine"));
  place_close(&x);
  assert_int_equal(place_open(FREE, "auto", 1, 0.0, &x), VV_OK); /* silently the processor */
  place_steps(&x, 3);
  place_close(&x);
}

int main(void)
{
  const struct CMUnitTest test[] = {
      cmocka_unit_test(bad_devices),     cmocka_unit_test(lost),
      cmocka_unit_test(lost_beams),      cmocka_unit_test(little_local_memory),
      cmocka_unit_test(lost_in_contact), cmocka_unit_test(no_loader),
  };
#ifdef VV_FAKE_OPENCL
  setenv("VISVIVA_OPENCL", VV_FAKE_OPENCL, 1);
#else
  fprintf(stderr, "left out: OpenCL's loader was not here when this was built (Debian: ocl-icd-libopencl1)\n");
  return 77;
#endif
  device = first_device();
  return device == NULL ? 77 : cmocka_run_group_tests(test, NULL, NULL);
}
