/* app/space.c  visviva space: marches along a bar or beam instead of in time, and compares with the run. */
#include "app.h"

#include <stdlib.h>

static int64_t nodes_of(const app_scene *s, int body)
{
  vv_slice slice;
  return vv_model_slice(s->model, body, &slice) ? slice.nodes : 0;
}

static int tell(app_scene *s, int body, int64_t steps)
{
  const int64_t nodes = nodes_of(s, body);
  vv_space_row *row = calloc((size_t)nodes + 1, sizeof *row);
  int64_t n = 0;
  char name[256];
  if (row == NULL) return app_error("out of memory");
  const vv_status status = vv_sim_space(s->model, s->state, body, steps, row, &n);
  if (status != VV_OK) {
    app_messages(s->ctx, status);
    free(row);
    return APP_INPUT;
  }
  printf("# %s: %lld steps of %.9g, %.3g of the stable one\n",
         app_clean(name, sizeof name, vv_model_body_name(s->model, body)), (long long)steps, vv_model_step(s->model),
         vv_model_step(s->model) / vv_model_stable_step(s->model));
  printf("node,levels,difference,growth,form\n");
  for (int64_t i = 0; i < n; i++)
    printf("%lld,%lld,%.6g,%.6g,%.6g\n", (long long)row[i].node, (long long)row[i].levels, row[i].difference,
           row[i].growth, row[i].form);
  free(row);
  if (n == nodes) return APP_DONE;
  app_hint("behind node %lld of %lld the march has no solution: what grew in it is larger than the motion",
           (long long)n - 1, (long long)nodes);
  return APP_STOPPED;
}

int app_verb_space(int argc, char **argv)
{
  const char *body = NULL, *steps = NULL;
  int number = 0, code;
  app_scene scene;
  const app_option option[] = {{.name = "--body", .value = &body}, {.name = "--steps", .value = &steps}};
  app_line line = {.verb = "space",
                   .option = option,
                   .n_option = 2,
                   .needs = "a scene file, or - for standard input",
                   .least = 1,
                   .most = 1};
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (steps != NULL && !app_whole("--steps", steps, 1, 100000000, &number)) return APP_INPUT;
  if (!app_scene_open_edited(&scene, line.word[0], 1, NULL, 0, NULL, NULL)) return APP_INPUT;
  const int index = body != NULL ? vv_model_body(scene.model, body) : 0;
  code = index >= 0 ? tell(&scene, index, steps != NULL ? number : vv_model_steps(scene.model))
                    : app_error("there is no body '%s' in this scene", body);
  app_scene_close(&scene);
  return code;
}
