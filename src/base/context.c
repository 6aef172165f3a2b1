/* base/context.c  The context: catalog, threads, messages. */
#include "base/base.h"
#include "visviva/net.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef VV_NO_OPENMP
#include <omp.h>
#else
static int omp_get_max_threads(void)
{
  return 1;
}
#endif

/* Handed up by name only: the built-in kinds live in the catalog room. */
VV_API const struct vv_catalog *vv_catalog_default(void);

enum { COOKIE = 0x76697376, MAX_MESSAGES = 100, MESSAGE_BYTES = 512 };

/* Each has a stack and a share of every workspace, 1.5 MB: more than this is a slip in OMP_NUM_THREADS, and takes all memory. */
enum { MOST_THREADS = 1024 };

struct vv_ctx {
  const struct vv_catalog *catalog;
  int threads;
  bool open_team;           /* nobody asked for that number */
  const struct vv_net *net; /* NULL: one rank */
  vvi_prepared *prepared;   /* NULL: none */
  char device[128];
  int n_message;
  char *message[MAX_MESSAGES];
};

const char *vv_status_text(vv_status status)
{
#define TEXT(name, text) text,
  static const char *const text[] = {VV_STATUS_LIST(TEXT)};
#undef TEXT
  return status < VV_STATUS_COUNT ? text[status] : "unknown status";
}

const char *vv_version(void)
{
  return VV_VERSION;
}

vv_ctx_def vv_ctx_default(void)
{
  return (vv_ctx_def){.catalog = NULL, .threads = 0, .cookie = COOKIE};
}

vv_status vv_ctx_create(const vv_ctx_def *def, vv_ctx **out)
{
  *out = NULL;
  if (def == NULL || def->cookie != COOKIE || def->threads < 0 || def->threads > MOST_THREADS) return VV_ARG;
  vv_ctx *ctx = calloc(1, sizeof *ctx);
  if (ctx == NULL) return VV_NOMEM;
  ctx->catalog = def->catalog != NULL ? def->catalog : vv_catalog_default();
  const int usual = omp_get_max_threads();
  ctx->threads = def->threads > 0 ? def->threads : usual < MOST_THREADS ? usual : MOST_THREADS;
  ctx->open_team = def->threads == 0;
  snprintf(ctx->device, sizeof ctx->device, "%s", def->device != NULL ? def->device : "cpu");
  *out = ctx;
  return VV_OK;
}

void vv_ctx_destroy(vv_ctx *ctx)
{
  if (ctx == NULL) return;
  vvi_ctx_prepare(ctx, NULL);
  vv_ctx_messages_clear(ctx);
  free(ctx);
}

int vv_ctx_threads(const vv_ctx *ctx)
{
  return ctx->threads;
}

const char *vv_ctx_device(const vv_ctx *ctx)
{
  return ctx->device;
}

bool vvi_ctx_open_team(const vv_ctx *ctx)
{
  return ctx->open_team;
}

const struct vv_catalog *vvi_ctx_catalog(const vv_ctx *ctx)
{
  return ctx->catalog;
}

int vv_ctx_message_count(const vv_ctx *ctx)
{
  return ctx->n_message;
}

const char *vv_ctx_message(const vv_ctx *ctx, int i)
{
  return i >= 0 && i < ctx->n_message ? ctx->message[i] : "";
}

void vv_ctx_messages_clear(vv_ctx *ctx)
{
#pragma omp critical(vvi_ctx_messages)
  {
    for (int i = 0; i < ctx->n_message; i++) free(ctx->message[i]);
    ctx->n_message = 0;
  }
}

int vv_ctx_report(vv_ctx *ctx, FILE *stream)
{
  const int n = ctx->n_message;
  for (int i = 0; i < n; i++) fprintf(stream, "%s\n", ctx->message[i]);
  vv_ctx_messages_clear(ctx);
  return n;
}

vv_status vvi_fail(vv_ctx *ctx, vv_status status, const char *format, ...)
{
  if (ctx == NULL || ctx->n_message >= MAX_MESSAGES) return status;
  char text[MESSAGE_BYTES];
  if (ctx->n_message == MAX_MESSAGES - 1) {
    snprintf(text, sizeof text, "... and more; only the first %d messages are shown", MAX_MESSAGES - 1);
  } else {
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
  }
  /* one line each: control characters from a scene must not reach a terminal */
  for (char *c = text; *c != '\0'; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = ' ';
  char *copy = malloc(strlen(text) + 1);
  if (copy == NULL) return status;
  strcpy(copy, text);
  /* two simulations of one model may fail in two threads */
#pragma omp critical(vvi_ctx_messages)
  {
    if (ctx->n_message < MAX_MESSAGES)
      ctx->message[ctx->n_message++] = copy;
    else
      free(copy);
  }
  return status;
}

void vv_ctx_share(vv_ctx *ctx, const struct vv_net *net)
{
  ctx->net = net;
}

const struct vv_net *vvi_ctx_net(const vv_ctx *ctx)
{
  return ctx->net;
}

/* ---- large arrays in a file ---- */

void vvi_ctx_prepare(vv_ctx *ctx, vvi_prepared *f)
{
  if (ctx->prepared != NULL) ctx->prepared->close(ctx->prepared);
  ctx->prepared = f;
}

vvi_prepared *vvi_ctx_prepared(const vv_ctx *ctx)
{
  return ctx->prepared;
}

bool vvi_is_prepared(const vv_ctx *ctx)
{
  return ctx->prepared != NULL && ctx->prepared->reads;
}

/* array: where there is one; bytes of it otherwise. */
static vv_status keep(vv_ctx *ctx, void **array, void *value, int64_t bytes, const char *name)
{
  vvi_prepared *f = ctx->prepared;
  if (!f->reads) return f->put(f, name, array != NULL ? *array : value, bytes);
  void *data = f->get(f, name, bytes);
  if (data == NULL)
    return vvi_fail(ctx, VV_IO, "%.160s: '%s' is missing or damaged; prepare the scene again", f->path, name);
  if (array != NULL)
    *array = data;
  else
    memcpy(value, data, (size_t)bytes);
  return VV_OK;
}

enum { KEPT_NAME = 64 };

vv_status vvi_keep(vv_ctx *ctx, void *array, size_t item, int64_t n, const char *format, ...)
{
  char name[KEPT_NAME];
  void *data;
  va_list args;
  if (ctx->prepared == NULL) return VV_OK;
  va_start(args, format);
  vsnprintf(name, sizeof name, format, args);
  va_end(args);
  memcpy(&data, array, sizeof data);
  VV_TRY(keep(ctx, &data, NULL, (int64_t)item * n, name));
  memcpy(array, &data, sizeof data);
  return VV_OK;
}

vv_status vvi_keep_value(vv_ctx *ctx, void *value, size_t bytes, const char *format, ...)
{
  char name[KEPT_NAME];
  va_list args;
  if (ctx->prepared == NULL) return VV_OK;
  va_start(args, format);
  vsnprintf(name, sizeof name, format, args);
  va_end(args);
  return keep(ctx, NULL, value, (int64_t)bytes, name);
}
