/* app/scene.c  Reads and compiles a scene for a verb, and prints what was understood. */
#include "app.h"

#include <stdlib.h>
#include <string.h>

/* All of standard input; the caller frees it.  NULL: reported. */
static char *read_stdin(size_t *length)
{
  enum { MOST = 64 << 20 }; /* more is no scene; the reader says so */
  size_t room = 1 << 16, n = 0;
  char *all = malloc(room);
  while (all != NULL) {
    const size_t got = fread(all + n, 1, room - n, stdin);
    n += got;
    if (got == 0 || n > MOST) break;
    if (n < room) continue;
    char *more = realloc(all, room *= 2);
    if (more == NULL) free(all);
    all = more;
  }
  if (all == NULL) app_error("standard input: out of memory");
  *length = n;
  return all;
}

static vv_status read_scene(vv_ctx *ctx, const char *path, vv_spec **spec)
{
  if (strcmp(path, "-") != 0) return vv_scene_read(ctx, path, spec);
  size_t length = 0;
  char *text = read_stdin(&length);
  const vv_status status = text != NULL ? vv_scene_parse(ctx, "stdin", text, length, spec) : VV_NOMEM;
  free(text);
  return status;
}

/* A path has a dot or an index; a name alone is one of the scene's parameters. */
static vv_status edit_scene(vv_spec *spec, const app_edit *e)
{
  return strpbrk(e->path, ".[") != NULL ? vv_spec_set(spec, e->path, e->value)
                                        : vv_spec_set_parameter(spec, e->path, e->value);
}

bool app_edits_read(const app_values *values, char *buffer, size_t size, app_edit edit[])
{
  size_t n = 0;
  for (int i = 0; i < values->n; i++) {
    const char *equals = strchr(values->value[i], '=');
    const size_t name = equals != NULL ? (size_t)(equals - values->value[i]) : 0;
    if (name == 0 || equals[1] == '\0' || n + name + 1 > size) {
      app_error("--set wants NAME=VALUE, not '%s'", values->value[i]);
      return false;
    }
    memcpy(buffer + n, values->value[i], name);
    buffer[n + name] = '\0';
    edit[i] = (app_edit){buffer + n, equals + 1};
    n += name + 1;
  }
  return true;
}

bool app_scene_open_edited(app_scene *s, const char *path, int threads, const char *device, int n,
                           const app_edit edit[], const vv_net *net)
{
  vv_ctx_def def = vv_ctx_default();
  def.threads = threads;
  def.device = device;
  *s = (app_scene){0};
  vv_status status = vv_ctx_create(&def, &s->ctx);
  if (status == VV_OK && net != NULL) vv_ctx_share(s->ctx, net);
  if (status == VV_OK) status = read_scene(s->ctx, path, &s->spec);
  for (int i = 0; i < n && status == VV_OK; i++) status = edit_scene(s->spec, &edit[i]);
#ifdef VV_MPI
  if (net != NULL && !app_ranks_agree(net, status == VV_OK) && status == VV_OK) {
    if (strcmp(path, "-") == 0)
      app_error("standard input reaches one rank alone; give the scene as a file");
    else
      app_error("%s: read here, but not by another rank; is the file there on all machines?", path);
    app_scene_close(s);
    return false;
  }
#endif
  if (status == VV_OK) status = vv_compile(s->ctx, s->spec, &s->model, &s->state);
  if (status == VV_OK) {
    app_warnings(s->ctx);
    return true;
  }
  app_messages(s->ctx, status);
  app_scene_close(s);
  return false;
}

bool app_scene_open(app_scene *s, const char *path, int threads)
{
  return app_scene_open_edited(s, path, threads, NULL, 0, NULL, NULL);
}

void app_scene_close(app_scene *s)
{
  vv_state_destroy(s->state);
  vv_model_destroy(s->model);
  vv_spec_destroy(s->spec);
  vv_ctx_destroy(s->ctx);
  *s = (app_scene){0};
}

const char *app_scene_word(const app_scene *s, const char *group, const char *name, char *out, size_t size)
{
  char path[128];
  snprintf(path, sizeof path, "%s.%s", group, name);
  vv_model_word(s->model, path, out, size);
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
  if (strcmp(jump, "auto") == 0 && energy != NULL)
    snprintf(jump, sizeof jump, "%s", energy); /* each rule keeps its own */
  if (strcmp(step, "event") == 0) printf(", jump %s", jump);
  printf(", order %s; balances the %s energy\n", order, energy != NULL ? energy : "?");
}

void app_print_contacts(const app_scene *s)
{
  static const char *const name[] = {"restitution", "friction", "response"};
  char group[32], word[WORD], clean[WORD];
  int n = 0;
  for (;; n++) {
    snprintf(group, sizeof group, "contacts[%d]", n);
    app_scene_word(s, group, "between", word, sizeof word);
    if (word[0] == '\0') break;
    printf("  %-18s between %s", n == 0 ? "contacts" : "", app_clean(clean, sizeof clean, word));
    for (int i = 0; i < 3; i++) {
      app_scene_word(s, group, name[i], word, sizeof word);
      if (word[0] == '\0') { /* friction: {static: ..., kinetic: ...} */
        char other[WORD];
        app_scene_word(s, group, "friction.static", word, sizeof word);
        app_scene_word(s, group, "friction.kinetic", other, sizeof other);
        printf(", friction %s static, %s kinetic", word, other);
      } else {
        printf(", %s %s", name[i], word);
      }
    }
    printf("\n");
  }
  if (n == 0) printf("  contacts           none\n");
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
