/* app/report.c  visviva report: one page out of result folders. */
#include "app.h"

#include <stdlib.h>

#ifndef VV_TEMPLATE_RELATIVE
#define VV_TEMPLATE_RELATIVE "../share/visviva/report-template.html"
#endif

/* Where the build puts it, then where the installation does. */
static bool find_template(char *out, size_t size)
{
  const char *wished = getenv("VISVIVA_TEMPLATE");
  if (wished != NULL && *wished != '\0') {
    snprintf(out, size, "%s", wished);
    if (app_exists(out)) return true;
    app_error("VISVIVA_TEMPLATE names '%s', which is not there", wished);
    return false;
  }
  if (app_beside_program(out, size, "report-template.html") && app_exists(out)) return true;
  if (app_beside_program(out, size, VV_TEMPLATE_RELATIVE) && app_exists(out)) return true;
  app_error("the report page was not built with this program: report-template.html is missing");
  app_hint("`make web` in the source folder builds it; it needs Node and npm (Debian: nodejs npm) and, once, the net");
  app_hint("`visviva picture DIR` draws a result folder without it");
  return false;
}

static int write_page(const app_line *line, const char *page, int64_t bytes, const char *file)
{
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_status status = vv_ctx_create(&def, &ctx);
  if (status == VV_OK) status = vv_page_write(ctx, line->n, line->word, page, bytes, file);
  return app_wrote(ctx, status, file);
}

/* The page of a sweep needs no template: it has no playback. */
static int write_sweep_page(const char *folder, const char *file)
{
  vv_ctx_def def = vv_ctx_default();
  vv_ctx *ctx = NULL;
  vv_sweep *sweep = NULL;
  vv_status status = vv_ctx_create(&def, &ctx);
  if (status == VV_OK) status = vv_sweep_open(ctx, folder, &sweep);
  if (status == VV_OK) status = vv_sweep_page(sweep, file);
  vv_sweep_close(sweep);
  return app_wrote(ctx, status, file);
}

int app_verb_report(int argc, char **argv)
{
  const char *file = NULL, *limit = NULL;
  const app_option option[] = {{"--output", "-o", .value = &file}, {"--limit", NULL, .value = &limit}};
  app_line line = {
      .verb = "report", .option = option, .n_option = 2, .needs = "a result folder", .least = 1, .most = APP_MAX_WORDS};
  char path[APP_PATH], page[APP_PATH];
  int code, megabytes = 0;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (limit != NULL && !app_whole("--limit", limit, 2, 1000, &megabytes)) return APP_INPUT;
  for (int i = 0; i < line.n; i++)
    if (!app_is_folder(line.word[i])) return app_error("%s: is not a result folder", line.word[i]);
  if (!app_join(path, sizeof path, line.word[0], "report.html")) return APP_INPUT;
  if (line.n == 1 && vv_sweep_is(line.word[0])) return write_sweep_page(line.word[0], file != NULL ? file : path);
  if (!find_template(page, sizeof page)) return APP_INPUT;
  return write_page(&line, page, (int64_t)megabytes * 1000000, file != NULL ? file : path);
}
