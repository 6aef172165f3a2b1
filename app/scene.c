/* app/scene.c  A scene, read and compiled, and the words of it as understood.
 *
 * The library's first door has no questions about single words, but it writes the scene as understood, every default
 * filled in, one word a line: that text is asked. */
#include "app.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *echo_of(const vv_model *model)
{
  const char *temporary = getenv("TMPDIR");
  char path[APP_PATH];
  snprintf(path, sizeof path, "%s/visviva-XXXXXX", temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
  const int fd = mkstemp(path);
  if (fd < 0) return NULL;
  close(fd);
  char *text = vv_scene_write(model, path) == VV_OK ? app_read_text(path) : NULL;
  unlink(path);
  vv_ctx_messages_clear(vv_model_ctx(model)); /* without the echo only a few words are missing */
  return text;
}

bool app_scene_open(app_scene *s, const char *path, int threads)
{
  vv_ctx_def def = vv_ctx_default();
  def.threads = threads;
  *s = (app_scene){0};
  vv_status status = vv_ctx_create(&def, &s->ctx);
  if (status == VV_OK) status = vv_scene_read(s->ctx, path, &s->spec);
  if (status == VV_OK) status = vv_compile(s->ctx, s->spec, &s->model, &s->state);
  if (status == VV_OK) {
    s->echo = echo_of(s->model);
    return true;
  }
  app_messages(s->ctx, status);
  app_scene_close(s);
  return false;
}

void app_scene_close(app_scene *s)
{
  free(s->echo);
  vv_state_destroy(s->state);
  vv_model_destroy(s->model);
  vv_spec_destroy(s->spec);
  vv_ctx_destroy(s->ctx);
  *s = (app_scene){0};
}

/* ---- words of the echo ---- */

static const char *next_line(const char *line)
{
  const char *end = strchr(line, '\n');
  return end != NULL ? end + 1 : line + strlen(line);
}

static bool begins(const char *line, const char *name)
{
  const size_t n = strlen(name);
  return strncmp(line, name, n) == 0 && line[n] == ':';
}

/* Copies what follows "name:", without quotes and without the note after '#'. */
static const char *value_of(const char *line, char *out, size_t size)
{
  const char *from = strchr(line, ':') + 1;
  while (*from == ' ') from++;
  const bool quoted = *from == '"';
  from += quoted;
  size_t n = 0;
  for (; from[n] != '\0' && from[n] != '\n' && n + 1 < size; n++)
    if (quoted ? from[n] == '"' : from[n] == ' ' && from[n + 1] == ' ' && from[n + 2] == '#') break;
  memcpy(out, from, n);
  out[n] = '\0';
  return out;
}

static const char *group_of(const app_scene *s, const char *group)
{
  for (const char *line = s->echo != NULL ? s->echo : ""; *line != '\0'; line = next_line(line))
    if (begins(line, group)) return next_line(line);
  return "";
}

const char *app_scene_word(const app_scene *s, const char *group, const char *name, char *out, size_t size)
{
  out[0] = '\0';
  for (const char *line = group_of(s, group); line[0] == ' '; line = next_line(line))
    if (begins(line + 2, name)) return value_of(line, out, size);
  return out;
}

/* ---- printed facts ---- */

enum { WORD = 64 };

void app_print_title(const app_scene *s)
{
  char clean[512];
  printf("%s\n", app_clean(clean, sizeof clean, vv_model_title(s->model)));
}

void app_print_method(const app_scene *s, const char *energy)
{
  char step[WORD], jump[WORD], order[WORD];
  app_scene_word(s, "method", "step", step, sizeof step);
  app_scene_word(s, "method", "jump", jump, sizeof jump);
  app_scene_word(s, "method", "order", order, sizeof order);
  printf("  method             %s", step[0] != '\0' ? step : "?");
  if (strcmp(step, "event") == 0) printf(", jump %s", jump);
  if (strcmp(step, "event") == 0 && strcmp(jump, "auto") == 0 && energy != NULL) printf(" (%s)", energy);
  printf(", order %s; balances the %s energy\n", order, energy != NULL ? energy : "?");
}

void app_print_contacts(const app_scene *s)
{
  char clean[256];
  bool first = true;
  for (const char *line = group_of(s, "contacts"); line[0] == ' '; line = next_line(line)) {
    const char *word = line + strspn(line, " -");
    const size_t n = strcspn(word, "\n");
    char text[256];
    snprintf(text, sizeof text, "%.*s", (int)(n < 200 ? n : 200), word);
    app_clean(clean, sizeof clean, text);
    if (strncmp(line, "  - ", 4) == 0 || strncmp(line, "    - ", 6) == 0)
      printf("%s  %-18s %s", first ? "" : "\n", first ? "contacts" : "", clean);
    else
      printf(", %s", clean);
    first = false;
  }
  printf(first ? "  contacts           none\n" : "\n");
}

const char *app_energy_unit(const app_scene *s, char *out, size_t size)
{
  char length[WORD], mass[WORD], time[WORD], text[3 * WORD + 16];
  app_scene_word(s, "units", "length", length, sizeof length);
  app_scene_word(s, "units", "mass", mass, sizeof mass);
  app_scene_word(s, "units", "time", time, sizeof time);
  const bool si = strcmp(length, "m") == 0 && strcmp(mass, "kg") == 0 && strcmp(time, "s") == 0;
  snprintf(text, sizeof text, "%s %s^2/%s^2", mass, length, time);
  return app_clean(out, size, si ? "J" : text);
}
