/* app/info.c  visviva info: what this program can do, what a scene holds, or what a result folder holds. */
#include "app.h"

#include "visviva/ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the program ---- */

static void print_build(void)
{
  printf("visviva %s\n", vv_version());
#if defined(__clang__)
  printf("  compiler           clang %d.%d\n", __clang_major__, __clang_minor__);
#elif defined(__GNUC__)
  printf("  compiler           gcc %d.%d\n", __GNUC__, __GNUC_MINOR__);
#endif
#ifdef NDEBUG
  printf("  asserts            off\n");
#else
  printf("  asserts            on\n");
#endif
#ifdef VV_NO_CLONES
  printf("  hot loops          one instruction set\n");
#else
  printf("  hot loops          compiled for several instruction sets\n");
#endif
  printf("  processors         %ld online\n", sysconf(_SC_NPROCESSORS_ONLN));
}

static void print_devices(void)
{
  enum { MOST = 32 };
  vv_device device[MOST];
  const int n = vv_device_list(device, MOST);
  printf("devices (run --device)\n");
  printf("  %-18s this processor, by default\n", "cpu");
  for (int i = 0; i < n && i < MOST; i++)
    printf("  %-18d %.58s\n  %-18s %.3g GB, %.40s%s\n", i, device[i].name, "", (double)device[i].memory / 1e9,
           device[i].platform, device[i].doubles ? "" : "\n                     no double precision: cannot be used");
  if (n > 1) printf("  %-18s ranks of visviva-mpi take those of one name in turn\n", "");
}

static void print_catalog(void)
{
  const vv_catalog *c = vv_catalog_default();
  printf("bodies (bodies.NAME.kind)\n");
  for (const vv_body_kind *const *k = c->body; *k != NULL; k++) printf("  %-18s %s\n", (*k)->name, (*k)->doc);
  printf("steppers (method.step)\n");
  for (const vv_stepper_kind *const *k = c->stepper; *k != NULL; k++) printf("  %-18s %s\n", (*k)->name, (*k)->doc);
}

/* ---- a result folder ---- */

static void print_entry(const char *text, const char *label, const char *path)
{
  char value[512], clean[512];
  if (app_json(text, path, value, sizeof value) == NULL || value[0] == '\0') return;
  char *end;
  const double number = strtod(value, &end);
  if (*end == '\0' && strchr(value, '.') != NULL) snprintf(value, sizeof value, "%.9g", number); /* as the run has it */
  printf("  %-18s %s\n", label, app_clean(clean, sizeof clean, value));
}

static void print_claims(const char *text)
{
  char claims[8192], name[64], kept[16];
  if (app_json(text, "claims", claims, sizeof claims) == NULL) return;
  printf("claims\n");
  for (const char *c = strchr(claims, '{'); c != NULL; c = strchr(c + 1, '{')) {
    if (app_json(c, "name", name, sizeof name) == NULL || app_json(c, "kept", kept, sizeof kept) == NULL) continue;
    printf("  %-18s %s\n", name, strcmp(kept, "true") == 0 ? "kept" : "BROKEN");
  }
}

static void print_summary(const char *text)
{
  static const char *const row[][2] = {{"title", "title"},
                                       {"ended", "reason"},
                                       {"message", "message"},
                                       {"method", "method.step"},
                                       {"energy kind", "energy.kind"},
                                       {"steps", "steps"},
                                       {"time at the end", "time_end"},
                                       {"bodies", "bodies"},
                                       {"nodes", "nodes"},
                                       {"frames", "frames"},
                                       {"impacts", "impacts"},
                                       {"energy, initial", "energy.initial"},
                                       {"energy, final", "energy.final"},
                                       {"energy error", "energy.max_relative_error"},
                                       {"momentum drift", "momentum.max_drift"},
                                       {"angular momentum", "angular_momentum.max_drift"},
                                       {"penetration", "max_penetration"},
                                       {"wall seconds", "wall_seconds"},
                                       {"threads", "threads"},
                                       {"state hash", "state_hash"}};
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) print_entry(text, row[i][0], row[i][1]);
  print_claims(text);
}

static bool is_summary(const char *text)
{
  char value[32];
  const char *first = text + strspn(text, " \t\r\n");
  size_t end = strlen(text);
  while (end > 0 && strchr(" \t\r\n", text[end - 1]) != NULL) end--;
  return *first == '{' && text[end - 1] == '}' && app_json(text, "state_hash", value, sizeof value) != NULL;
}

/* False: told what is wrong with it. */
static bool print_summary_of(const char *path)
{
  char *text = app_read_text(path);
  const int why = errno;
  const bool good = text != NULL && is_summary(text);
  if (good)
    print_summary(text);
  else if (text != NULL)
    app_error("%s: is not what a run writes (damaged, or of another program); the other files may still be good", path);
  else if (why != ENOENT)
    app_error("%s: not read: %s", path, strerror(why));
  else
    printf("  no summary.json: the run is not over, or was killed;\n"
           "  `visviva run SCENE -o DIR --resume` continues it\n");
  const bool missing = text == NULL && why == ENOENT;
  free(text);
  return good || missing;
}

static int info_folder(const char *folder)
{
  char path[APP_PATH], clean[APP_PATH];
  if (!app_join(path, sizeof path, folder, "scene.yaml")) return APP_INPUT;
  if (!app_exists(path)) return app_error("%s: is not a result folder: it holds no scene.yaml", folder);
  if (!app_join(path, sizeof path, folder, "summary.json")) return APP_INPUT;
  printf("%s\n", app_clean(clean, sizeof clean, folder));
  const bool good = print_summary_of(path);
  app_list_files(folder);
  return good ? APP_DONE : APP_INPUT;
}

int app_verb_info(int argc, char **argv)
{
  app_line line = {.verb = "info", .most = 1};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  if (line.n == 1) return app_is_folder(line.word[0]) ? info_folder(line.word[0]) : app_check_scene(line.word[0]);
  print_build();
  print_devices();
  print_catalog();
  return APP_DONE;
}
