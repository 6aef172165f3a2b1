/* app/prepare.c  visviva prepare: set a scene up once, in a file, for many ranks. */
#include "app.h"

static int prepare(const char *scene, const char *path, int threads)
{
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  def.threads = threads;
  vv_status status = vv_ctx_create(&def, &ctx);
  if (status == VV_OK) status = vv_scene_prepare(ctx, scene, path);
  if (status == VV_OK)
    app_warnings(ctx);
  else
    app_messages(ctx, status);
  vv_ctx_destroy(ctx);
  if (status != VV_OK) return status == VV_NOMEM || status == VV_IO ? APP_STOPPED : APP_INPUT;
  char clean[APP_PATH];
  printf("%s: run it as a scene, with one process or with ranks\n", app_clean(clean, sizeof clean, path));
  return APP_DONE;
}

int app_verb_prepare(int argc, char **argv)
{
  const char *path = NULL, *word = NULL;
  int threads = 0, code;
  const app_option option[] = {{.name = "--output", .brief = "-o", .value = &path},
                               {.name = "--threads", .value = &word}};
  app_line line = {.verb = "prepare", .option = option, .n_option = 2, .needs = "a scene file", .least = 1, .most = 1};
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (word != NULL && !app_whole("--threads", word, 1, 1024, &threads)) return APP_INPUT;
  if (path == NULL) return app_error("prepare wants a file to write: -o SCENE.vvm");
  return prepare(line.word[0], path, threads);
}
