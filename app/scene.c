/* app/scene.c  A scene, read and compiled, and the words of it as understood. */
#include "app.h"

#include <string.h>

bool app_scene_open_edited(app_scene *s, const char *path, int threads, int n, const app_edit edit[])
{
  vv_ctx_def def = vv_ctx_default();
  def.threads = threads;
  *s = (app_scene){0};
  vv_status status = vv_ctx_create(&def, &s->ctx);
  if (status == VV_OK) status = vv_scene_read(s->ctx, path, &s->spec);
  for (int i = 0; i < n && status == VV_OK; i++) status = vv_spec_set(s->spec, edit[i].path, edit[i].value);
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
  return app_scene_open_edited(s, path, threads, 0, NULL);
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
    for (int i = 0; i < 3; i++) printf(", %s %s", name[i], app_scene_word(s, group, name[i], word, sizeof word));
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
