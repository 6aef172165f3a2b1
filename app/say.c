/* app/say.c  What the program says, and how: errors, hints, clean text, readable amounts. */
#include "app.h"

#include <stdarg.h>
#include <string.h>

enum { LINE = 1200 };

static void say(const char *head, const char *format, va_list args)
{
  char text[LINE], clean[LINE];
  vsnprintf(text, sizeof text, format, args);
  fflush(stdout); /* keep the order where both go to the same place */
  fprintf(stderr, "visviva: %s%s\n", head, app_clean(clean, sizeof clean, text));
}

int app_error(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  say("error: ", format, args);
  va_end(args);
  return APP_INPUT;
}

void app_hint(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  say("", format, args);
  va_end(args);
}

void app_messages(const vv_ctx *ctx, vv_status status)
{
  const int n = ctx != NULL ? vv_ctx_message_count(ctx) : 0;
  for (int i = 0; i < n; i++)
    if (i == 0 || strcmp(vv_ctx_message(ctx, i), vv_ctx_message(ctx, i - 1)) != 0)
      app_error("%s", vv_ctx_message(ctx, i));
  if (n == 0) app_error("%s", vv_status_text(status));
}

static void warn(const char *format, ...) VV_PRINTF(1, 2);
static void warn(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  say("warning: ", format, args);
  va_end(args);
}

void app_warnings(vv_ctx *ctx)
{
  for (int i = 0; i < vv_ctx_message_count(ctx); i++) warn("%s", vv_ctx_message(ctx, i));
  vv_ctx_messages_clear(ctx);
}

/* Control characters, also those of 0x80 to 0x9f (in UTF-8: c2 80 to c2 9f), could drive the reader's terminal. */
const char *app_clean(char *out, size_t size, const char *text)
{
  size_t n = 0;
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0' && n + 1 < size; c++) {
    const bool second = c[0] == 0xc2 && c[1] >= 0x80 && c[1] <= 0x9f;
    if (second) c++;
    out[n++] = second || *c < 0x20 || *c == 0x7f ? ' ' : (char)*c;
  }
  out[n] = '\0';
  return out;
}

const char *app_quote(char *out, size_t size, const char *text)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=:@%,";
  if (text[0] != '\0' && text[strspn(text, plain)] == '\0') {
    snprintf(out, size, "%s", text);
    return out;
  }
  size_t n = 0;
  out[n++] = '\'';
  for (; *text != '\0' && n + 6 < size; text++) {
    if (*text == '\'') {
      memcpy(out + n, "'\\''", 4);
      n += 4;
    } else {
      out[n++] = *text;
    }
  }
  out[n++] = '\'';
  out[n] = '\0';
  return out;
}

const char *app_bytes(char *out, size_t size, double bytes)
{
  static const char *const unit[] = {"B", "kB", "MB", "GB", "TB"};
  int i = 0;
  for (; bytes >= 1000 && i < 4; i++) bytes /= 1000;
  snprintf(out, size, i == 0 ? "%.0f %s" : "%.1f %s", bytes, unit[i]);
  return out;
}

const char *app_seconds(char *out, size_t size, double seconds)
{
  const long long s = (long long)seconds;
  if (!(seconds >= 0 && seconds < 1e9))
    snprintf(out, size, "?");
  else if (s < 3600)
    snprintf(out, size, "%lld:%02lld", s / 60, s % 60);
  else
    snprintf(out, size, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
  return out;
}

const char *app_plural(int64_t n)
{
  return n == 1 ? "" : "s";
}

int app_wrote(vv_ctx *ctx, vv_status status, const char *file)
{
  char clean[APP_PATH];
  if (status != VV_OK)
    app_messages(ctx, status);
  else if (strcmp(file, "/dev/stdout") != 0)
    printf("wrote %s\n", app_clean(clean, sizeof clean, file));
  vv_ctx_destroy(ctx);
  return status == VV_OK ? APP_DONE : APP_INPUT;
}
