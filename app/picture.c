/* app/picture.c  visviva picture and visviva reference: files made from what is there. */
#include "app.h"

static int judge(vv_ctx *ctx, vv_status status, const char *file)
{
  char clean[APP_PATH];
  if (status == VV_OK)
    printf("wrote %s\n", app_clean(clean, sizeof clean, file));
  else
    app_messages(ctx, status);
  vv_ctx_destroy(ctx);
  return status == VV_OK ? APP_DONE : APP_INPUT;
}

int app_verb_picture(int argc, char **argv)
{
  app_line line = {.verb = "picture", .needs = "a result folder", .least = 1, .most = 2};
  char path[APP_PATH];
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  const char *folder = line.word[0], *file = line.n > 1 ? line.word[1] : path;
  if (!app_is_folder(folder)) return app_error("%s: is not a result folder", folder);
  if (!app_join(path, sizeof path, folder, "picture.svg")) return APP_INPUT;
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_status status = vv_ctx_create(&def, &ctx);
  if (status == VV_OK) status = vv_picture_write(ctx, folder, file);
  return judge(ctx, status, file);
}

int app_verb_reference(int argc, char **argv)
{
  app_line line = {.verb = "reference", .needs = "the name of the file to write", .least = 1, .most = 1};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_status status = vv_ctx_create(&def, &ctx);
  if (status == VV_OK) status = vv_scene_reference(ctx, line.word[0]);
  return judge(ctx, status, line.word[0]);
}
