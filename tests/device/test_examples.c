/* Every shipped scene: on an accelerator the bits of the processor, or refused with a message that names what does not run. */
#include "check.h"
#include "place.h"

#include <glob.h>
#include <string.h>

#ifndef VV_EXAMPLES_DIR
#define VV_EXAMPLES_DIR "examples"
#endif

static const char *device;

/* State after a few steps; 0: refused, for the reason in `why`. */
static uint64_t follow(const char *path, const char *where, int threads, char *why, size_t size)
{
  place x = {0};
  vv_ctx_def def = vv_ctx_default();
  const vv_sim_def sim = vv_sim_default();
  uint64_t hash = 0;
  def.device = where, def.threads = threads;
  assert_int_equal(vv_ctx_create(&def, &x.ctx), VV_OK);
  assert_int_equal(vv_scene_read(x.ctx, path, &x.spec), VV_OK);
  assert_int_equal(vv_compile(x.ctx, x.spec, &x.model, &x.state), VV_OK);
  if (vv_sim_create(x.model, x.state, &sim, &x.sim) == VV_OK) {
    place_steps(&x, 9);
    hash = vv_state_hash(x.state);
  } else {
    snprintf(why, size, "%s", vv_ctx_message(x.ctx, vv_ctx_message_count(x.ctx) - 1));
  }
  place_close(&x);
  return hash;
}

static void every_example(void **state)
{
  glob_t found;
  int same = 0, refused = 0;
  (void)state;
  assert_int_equal(glob(VV_EXAMPLES_DIR "/*/*.yaml", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    char why[512] = "";
    const char *path = found.gl_pathv[i];
    const uint64_t there = follow(path, device, 2, why, sizeof why);
    if (there == 0) {
      refused++;
      if (strstr(why, "not run on a device yet") == NULL) fail_msg("%s: %s", path, why);
      continue;
    }
    same++;
    if (follow(path, "cpu", 1, why, sizeof why) != there) fail_msg("%s: other bits", path);
  }
  globfree(&found);
  assert_true(same >= 40 && refused > 0);
}

int main(void)
{
  const struct CMUnitTest test[] = {cmocka_unit_test(every_example)};
  device = first_device();
  return device == NULL ? 77 : cmocka_run_group_tests(test, NULL, NULL);
}
