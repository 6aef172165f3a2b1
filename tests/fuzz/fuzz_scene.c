/* tests/fuzz/fuzz_scene.c  Any bytes as a scene: words or messages, a model or messages, never a crash, never both and never
 * neither.  Small scenes are compiled: bodies measured and filled, pairs found, the step chosen.
 *
 * replay.c gives it a main in builds without libFuzzer. */
#include "model/model.h"
#include "model/spec.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_ELEMENTS = 2000, MOST_BODIES = 64 };

/* Only a scene that compiles in a moment: a hundred million elements are words that make sense, too. */
static bool is_small(const vv_group *root)
{
  int64_t elements = 0;
  const int n = vv_count(root, "bodies");
  for (int i = 0; i < n && elements <= MOST_ELEMENTS; i++) {
    const vv_group *body = vv_item(root, "bodies", i);
    if (vv_is(body, "kind", "bar")) elements += vv_integer(body, "elements");
    if (vv_is(body, "kind", "rigid") && vv_has(body, "copies") && vv_has(vv_sub(body, "copies"), "grid")) {
      const double *count = vv_numbers(vv_sub(vv_sub(body, "copies"), "grid"), "count", NULL);
      elements += (int64_t)fmin(count[0] * count[1] * count[2], MOST_ELEMENTS + 1.0);
    }
  }
  return n <= MOST_BODIES && elements <= MOST_ELEMENTS;
}

static void must_be_finite(const double *x, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    if (!isfinite(x[i])) abort();
}

static vv_status compile_and_forget(vv_ctx *ctx, const vv_spec *spec)
{
  vv_model *model = NULL;
  vv_state *state = NULL;
  const vv_status status = vv_compile(ctx, spec, &model, &state);
  if ((status == VV_OK) != (model != NULL) || (status == VV_OK) != (state != NULL)) abort();
  if (status == VV_OK) {
    must_be_finite(state->q, state->nq);
    must_be_finite(state->p, state->np);
    if (!(vv_model_step(model) > 0.0) || vv_model_steps(model) < 0) abort();
    (void)vv_state_hash(state);
  }
  vv_state_destroy(state);
  vv_model_destroy(model);
  return status;
}

static vv_status bind_and_forget(vv_ctx *ctx, const vv_spec *spec, bool *small)
{
  vvi_arena arena = {0};
  const vv_group *root = NULL;
  const vv_status status = vvi_bind(ctx, spec, &arena, &root);
  if ((status == VV_OK) != (root != NULL)) abort();
  if (root != NULL) (void)vvi_group_hash(root);
  *small = root != NULL && is_small(root);
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
  bool small = false;
  if (spec != NULL) status = bind_and_forget(ctx, spec, &small);
  if (small) status = compile_and_forget(ctx, spec);
  if (status != VV_OK && vv_ctx_message_count(ctx) == 0) abort(); /* warnings may come with a good scene */
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  return 0;
}
