/* tests/device/place.c  See place.h. */
#include "place.h"

#include "check.h"

#include <string.h>

const char *first_device(void)
{
  static char number[16];
  vv_device d[16];
  const int n = vv_device_list(d, 16);
  for (int i = 0; i < n && i < 16; i++)
    if (d[i].doubles) {
      snprintf(number, sizeof number, "%d", i);
      return number;
    }
  fprintf(stderr, "left out: OpenCL shows no device with double precision (Debian: pocl-opencl-icd)\n");
  return NULL;
}

vv_status place_open(const char *text, const char *device, int threads, double step, place *out)
{
  vv_ctx_def def = vv_ctx_default();
  vv_sim_def sim = vv_sim_default();
  def.device = device, def.threads = threads, sim.step = step;
  *out = (place){0};
  vv_status status = vv_ctx_create(&def, &out->ctx);
  if (status == VV_OK) status = vv_scene_parse(out->ctx, "scene", text, strlen(text), &out->spec);
  if (status == VV_OK) status = vv_compile(out->ctx, out->spec, &out->model, &out->state);
  if (status == VV_OK) status = vv_sim_create(out->model, out->state, &sim, &out->sim);
  return status;
}

void place_close(place *x)
{
  vv_sim_destroy(x->sim);
  vv_state_destroy(x->state);
  vv_model_destroy(x->model);
  vv_spec_destroy(x->spec);
  vv_ctx_destroy(x->ctx);
}

void place_steps(place *x, int64_t n)
{
  vv_report r;
  assert_int_equal(vv_sim_steps(x->sim, n, &r), VV_OK);
  if (r.reason != VV_REASON_DONE) fail_msg("%s: %s", vv_reason_text(r.reason), r.message);
}
