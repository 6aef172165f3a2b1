/* app/json.c  Finds the value at one path of a JSON text. */
#include "app.h"

#include <string.h>

static const char *skip_space(const char *c)
{
  return c + strspn(c, " \t\r\n,:");
}

/* c at the opening quote; behind the closing one. */
static const char *skip_text(const char *c)
{
  for (c++; *c != '\0' && *c != '"'; c++)
    if (*c == '\\' && c[1] != '\0') c++;
  return *c == '"' ? c + 1 : c;
}

static const char *skip_value(const char *c)
{
  int depth = 0;
  do {
    c = skip_space(c);
    if (*c == '{' || *c == '[')
      depth++, c++;
    else if (*c == '}' || *c == ']')
      depth--, c++;
    else if (*c == '"')
      c = skip_text(c);
    else
      c += strcspn(c, " \t\r\n,:{}[]\"");
  } while (depth > 0 && *c != '\0');
  return c;
}

/* c at '{': the value of that key, or NULL. */
static const char *member(const char *c, const char *key, size_t length)
{
  if (*c != '{') return NULL;
  for (c = skip_space(c + 1); *c == '"'; c = skip_space(skip_value(skip_space(skip_text(c)))))
    if (strncmp(c + 1, key, length) == 0 && c[1 + length] == '"') return skip_space(skip_text(c));
  return NULL;
}

/* The escapes of quotes and backslashes are taken off; those of control characters are better left. */
static void copy_text(char *out, size_t size, const char *from, const char *end)
{
  size_t n = 0;
  for (; from < end && n + 1 < size; from++) {
    if (*from == '\\' && from + 1 < end && (from[1] == '"' || from[1] == '\\')) from++;
    out[n++] = *from;
  }
  out[n] = '\0';
}

const char *app_json(const char *text, const char *path, char *out, size_t size)
{
  const char *c = skip_space(text);
  out[0] = '\0';
  while (c != NULL && *path != '\0') {
    const size_t n = strcspn(path, ".");
    c = member(c, path, n);
    path += path[n] == '.' ? n + 1 : n;
  }
  if (c == NULL) return NULL;
  const char *end = skip_value(c);
  const bool quoted = *c == '"' && end - c >= 2;
  copy_text(out, size, c + quoted, end - quoted);
  return out;
}
