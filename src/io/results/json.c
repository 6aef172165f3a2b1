/* io/results/json.c  Writes summary.json and reads single values back from it. */
#include "io/results/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static void put(vvi_json *j, const char *text)
{
  if (j->status == VV_OK) j->status = vvi_file_text(&j->file, text);
}

static void put_text(vvi_json *j, const char *text)
{
  put(j, "\"");
  for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
    char code[8] = {(char)*c, '\0'};
    if (*c == '"' || *c == '\\')
      snprintf(code, sizeof code, "\\%c", *c);
    else if (*c < 0x20 || *c == 0x7f)
      snprintf(code, sizeof code, "\\u%04x", *c);
    put(j, code);
  }
  put(j, "\"");
}

static void put_key(vvi_json *j, const char *key)
{
  if (j->filled) put(j, ",");
  if (j->depth > 0) put(j, "\n");
  for (int i = 0; i < j->depth; i++) put(j, "  ");
  j->filled = true;
  if (key == NULL) return;
  put_text(j, key);
  put(j, ": ");
}

void vvi_json_open(vvi_json *j, const char *key, char bracket)
{
  const char text[2] = {bracket, '\0'};
  put_key(j, key);
  put(j, text);
  j->depth++;
  j->filled = false;
}

void vvi_json_close(vvi_json *j, char bracket)
{
  const char text[2] = {bracket, '\0'};
  j->depth--;
  if (j->filled) {
    put(j, "\n");
    for (int i = 0; i < j->depth; i++) put(j, "  ");
  }
  put(j, text);
  j->filled = true;
}

void vvi_json_number(vvi_json *j, const char *key, double value)
{
  char text[32] = "null";
  if (isfinite(value)) vvi_put_number(text, value);
  put_key(j, key);
  put(j, text);
}

void vvi_json_whole(vvi_json *j, const char *key, int64_t value)
{
  char text[32];
  snprintf(text, sizeof text, "%lld", (long long)value);
  put_key(j, key);
  put(j, text);
}

void vvi_json_text(vvi_json *j, const char *key, const char *text)
{
  put_key(j, key);
  put_text(j, text != NULL ? text : "");
}

void vvi_json_flag(vvi_json *j, const char *key, bool value)
{
  put_key(j, key);
  put(j, value ? "true" : "false");
}

/* ---- reading ---- */

static const char *skip_space(const char *c)
{
  return c + strspn(c, " \t\r\n");
}

/* `c` stands on the opening quote; returns what follows the closing one, NULL where there is none. */
static const char *skip_text(const char *c)
{
  for (c++; *c != '\0' && *c != '"'; c++)
    if (*c == '\\' && c[1] != '\0') c++;
  return *c == '"' ? c + 1 : NULL;
}

/* One value of any type: counting brackets is enough, words are stepped over whole. */
static const char *skip_value(const char *c)
{
  int depth = 0;
  for (c = skip_space(c); *c != '\0';) {
    if (*c == '"') {
      c = skip_text(c);
      if (c == NULL) return NULL;
    } else if (*c == '{' || *c == '[') {
      depth++, c++;
    } else if (*c == '}' || *c == ']') {
      if (depth == 0) return c;
      depth--, c++;
    } else if (*c == ',' && depth == 0) {
      return c;
    } else {
      c++;
    }
  }
  return c;
}

/* The value of a path of keys through objects; NULL when there is none. */
static const char *find(const char *text, const char *path)
{
  const char *c = skip_space(text);
  while (c != NULL && *c == '{') {
    const size_t n = strcspn(path, ".");
    const char *value = NULL;
    for (c = skip_space(c + 1); *c == '"';) {
      const char *key = c + 1, *after = skip_text(c);
      if (after == NULL) return NULL;
      c = skip_space(after);
      if (*c != ':') return NULL;
      c = skip_space(c + 1);
      if ((size_t)(after - 1 - key) == n && strncmp(key, path, n) == 0) {
        value = c;
        break;
      }
      c = skip_value(c);
      if (c == NULL || *c != ',') return NULL;
      c = skip_space(c + 1);
    }
    if (value == NULL || path[n] == '\0') return value;
    path += n + 1;
    c = value;
  }
  return NULL;
}

bool vvi_json_find_number(const char *text, const char *path, double *value)
{
  const char *c = find(text, path);
  char *end = NULL;
  if (c == NULL || strchr("-0123456789", *c) == NULL || *c == '\0') return false;
  *value = strtod(c, &end);
  return end != c;
}

bool vvi_json_find_text(const char *text, const char *path, char *out, size_t room)
{
  const char *c = find(text, path);
  if (c == NULL || *c != '"' || skip_text(c) == NULL) return false;
  size_t n = 0;
  for (c++; *c != '"' && n + 1 < room; c++) {
    unsigned code = 0;
    if (*c == '\\') {
      c++;
      if (*c == 'u' && sscanf(c + 1, "%4x", &code) == 1) c += 4;
    }
    out[n++] = code != 0 ? ' ' : *c; /* we escape only control characters */
  }
  out[n] = '\0';
  return true;
}
