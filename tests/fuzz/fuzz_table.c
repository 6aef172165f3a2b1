/* tests/fuzz/fuzz_table.c  Any bytes as a CSV table beside a scene (points of a hull, nodes of a beam, places of copies): a model
 * or messages with a place, and nothing of the file in them.
 *
 * The first byte chooses who reads it. */
#include "model/model.h"
#include "model/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const body[] = {
    "{kind: rigid, mass: 1, shape: {hull: {file: %s}}}",
    "{kind: beam, length: 2, elements: 3, material: {young: 1e6, density: 1000}, section: {circle: {radius: 0.01}}, "
    "shape: "
    "{nodes: {file: %s}}}",
    "{kind: rigid, mass: 1, shape: {ball: {radius: 0.1}}, copies: {places: %s}}",
    "{kind: rigid, mass: 1, shape: {mesh: {points: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1], faces_file: %s}}}",
    "{kind: rigid, mass: 1, shape: {mesh: {points_file: %s, faces: [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]}}}",
};
enum { BODIES = sizeof body / sizeof body[0] };

static void write_all(const char *path, const uint8_t *data, size_t size)
{
  FILE *f = fopen(path, "wb");
  if (f == NULL || fwrite(data, 1, size, f) != size || fclose(f) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char path[64], one[512], text[768];
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  if (size < 1 || size > 1 << 16) return 0;
  snprintf(path, sizeof path, "/tmp/fuzz_table_%d.csv", (int)getpid());
  write_all(path, data + 1, size - 1);
  snprintf(one, sizeof one, body[data[0] % BODIES], path);
  snprintf(text, sizeof text, "visviva: 1\ntime: {end: 1e-6, step: 1e-7}\nbodies:\n  a: %s\n", one);
  def.threads = 1;
  if (vv_ctx_create(&def, &ctx) != VV_OK) abort();
  if (vv_scene_parse(ctx, "fuzz.yaml", text, strlen(text), &spec) != VV_OK) abort();
  const vv_status status = vv_compile(ctx, spec, &model, &state);
  if ((status == VV_OK) != (model != NULL) || (status != VV_OK && vv_ctx_message_count(ctx) == 0)) abort();
  for (int i = 0; i < vv_ctx_message_count(ctx); i++)
    if (strstr(vv_ctx_message(ctx, i), "SECRET") != NULL) abort(); /* a seed has this word in many places */
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  vv_ctx_destroy(ctx);
  remove(path);
  return 0;
}
