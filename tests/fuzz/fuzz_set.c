/* tests/fuzz/fuzz_set.c  Any bytes as PATH=VALUE of --set and --vary: words replaced, or a status and a message; then the scene is
 * bound.  Lines of the input are edits, one after the other. */
#include "model/model.h"
#include "model/spec.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char scene[] =
    "visviva: 1\ntime: {end: 1, step: 0.01}\ncontacts: [{between: [a, b], restitution: 0.5}, {between: all}]\n"
    "bodies:\n  a: {kind: rigid, shape: {ball: {radius: 1}}, mass: 1, loads: [{force: [1, 2, 3]}]}\n"
    "  b: {kind: rigid, shape: {ball: {radius: 1}}, mass: 1, position: [5, 0, 0]}\n";

static void edit(vv_ctx *ctx, vv_spec *spec, char *line)
{
  char *value = strchr(line, '=');
  if (value != NULL) *value++ = '\0';
  const int before = vv_ctx_message_count(ctx);
  const vv_status status = vv_spec_set(spec, line, value != NULL ? value : "");
  if (status != VV_OK && before < 90 && vv_ctx_message_count(ctx) == before) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_spec *spec = NULL;
  vvi_arena arena = {0};
  const vv_group *root = NULL;
  if (size > 4096) return 0;
  char *text = calloc(size + 1, 1);
  if (text == NULL) abort();
  if (size > 0) memcpy(text, data, size);
  def.threads = 1;
  if (vv_ctx_create(&def, &ctx) != VV_OK) abort();
  if (vv_scene_parse(ctx, "fuzz.yaml", scene, sizeof scene - 1, &spec) != VV_OK) abort();
  for (char *line = text, *end; line != NULL; line = end) {
    end = strchr(line, '\n');
    if (end != NULL) *end++ = '\0';
    edit(ctx, spec, line);
  }
  const vv_status status = vvi_bind(ctx, spec, &arena, &root);
  if ((status == VV_OK) != (root != NULL) || (status != VV_OK && vv_ctx_message_count(ctx) == 0)) abort();
  vvi_arena_free(&arena);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  free(text);
  return 0;
}
