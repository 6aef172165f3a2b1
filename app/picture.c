/* app/picture.c  visviva picture and visviva reference: a picture of a run; the reference page of scenes. */
#include "app.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* What ends otherwise would hold something else than its name says. */
static bool is_picture_name(const char *file)
{
  const char *slash = strrchr(file, '/'), *dot = strrchr(slash != NULL ? slash : file, '.');
  return strcmp(file, "-") != 0 && (dot == NULL || strcmp(dot, ".svg") == 0 || strcmp(dot, ".png") == 0);
}

int app_verb_picture(int argc, char **argv)
{
  const char *field = NULL, *at = NULL;
  const app_option option[] = {{"--field", "-f", .value = &field}, {"--time", NULL, .value = &at}};
  app_line line = {
      .verb = "picture", .option = option, .n_option = 2, .needs = "a result folder", .least = 1, .most = 2};
  char path[APP_PATH];
  double time = NAN;
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (at != NULL && !app_number("--time", at, &time)) return APP_INPUT;
  if (at != NULL && field == NULL) return app_error("--time needs --field: a picture without it is of the whole run");
  const char *folder = line.word[0], *file = line.n > 1 ? line.word[1] : path;
  if (!app_is_folder(folder)) return app_error("%s: is not a result folder", folder);
  if (!app_join(path, sizeof path, folder, "picture.svg")) return APP_INPUT;
  if (!is_picture_name(file)) return app_error("%s: pictures are written as .svg or .png", file);
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_status status = vv_ctx_create(&def, &ctx);
  if (status == VV_OK)
    status = field != NULL ? vv_picture_field(ctx, folder, file, field, time) : vv_picture_write(ctx, folder, file);
  return app_wrote(ctx, status, file);
}

/* Written beside and moved when complete, so that a full disk leaves the old file; what is no file (/dev/stdout) is
 * written as it is. */
typedef vv_status page_fn(vv_ctx *ctx, const char *path);

static vv_status write_page(vv_ctx *ctx, const char *file, page_fn *write)
{
  char path[APP_PATH];
  struct stat s;
  if (lstat(file, &s) == 0 && !S_ISREG(s.st_mode)) return write(ctx, file);
  if ((size_t)snprintf(path, sizeof path, "%s.tmp", file) >= sizeof path) {
    app_error("%s: the path is too long", file);
    return VV_ARG;
  }
  vv_status status = write(ctx, path);
  if (status == VV_OK && rename(path, file) != 0) {
    app_error("%s: not replaced: %s", file, strerror(errno));
    status = VV_IO;
  }
  if (status != VV_OK) remove(path);
  return status;
}

static int write_verb(const char *verb, page_fn *write, int argc, char **argv)
{
  app_line line = {.verb = verb, .needs = "the name of the file to write", .least = 1, .most = 1};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_status status = vv_ctx_create(&def, &ctx);
  const char *file = strcmp(line.word[0], "-") == 0 ? "/dev/stdout" : line.word[0];
  if (status == VV_OK) status = write_page(ctx, file, write);
  return app_wrote(ctx, status, file);
}

int app_verb_reference(int argc, char **argv)
{
  return write_verb("reference", vv_scene_reference, argc, argv);
}

int app_verb_schema(int argc, char **argv)
{
  return write_verb("schema", vv_scene_schema, argc, argv);
}
