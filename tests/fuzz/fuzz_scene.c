/* tests/fuzz/fuzz_scene.c  Any bytes as a scene: words or messages, never a crash, never both and never neither.
 *
 * replay.c gives it a main in builds without libFuzzer. */
#include "model/model.h"
#include "model/spec.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static vv_status bind_and_forget(vv_ctx *ctx, const vv_spec *spec)
{
  vvi_arena arena = {0};
  const vv_group *root = NULL;
  const vv_status status = vvi_bind(ctx, spec, &arena, &root);
  if ((status == VV_OK) != (root != NULL)) abort();
  if (root != NULL) (void)vvi_group_hash(root);
  vvi_arena_free(&arena);
  return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_spec *spec = NULL;
  def.catalog = vv_catalog_default();
  def.threads = 1;
  if (vv_ctx_create(&def, &ctx) != VV_OK) abort();
  vv_status status = vv_scene_parse(ctx, "fuzz.yaml", (const char *)data, size, &spec);
  if ((status == VV_OK) != (spec != NULL)) abort();
  if (spec != NULL) status = bind_and_forget(ctx, spec);
  if ((status == VV_OK) != (vv_ctx_message_count(ctx) == 0)) abort();
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  return 0;
}
