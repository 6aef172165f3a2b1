/* app/check.c  visviva check: validate a scene without running it. */
#include "app.h"

#include "visviva/ext.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_bodies(const app_scene *s)
{
  char name[256];
  const int n = vv_model_bodies(s->model);
  for (int i = 0; i < n && i < 20; i++)
    printf("  %-18s %s (%s)\n", i == 0 ? "bodies" : "", app_clean(name, sizeof name, vv_model_body_name(s->model, i)),
           vv_model_body_kind(s->model, i));
  if (n > 20) printf("  %-18s ... and %d more\n", "", n - 20);
  printf("  nodes              %lld\n", (long long)vv_model_nodes(s->model));
}

static void print_steps(const app_scene *s)
{
  char unit[64], clean[64];
  const double stable = vv_model_stable_step(s->model), step = vv_model_step(s->model);
  const int64_t steps = vv_model_steps(s->model);
  app_clean(clean, sizeof clean, app_scene_word(s, "units", "time", unit, sizeof unit));
  if (isfinite(stable))
    printf("  stable step        %.9g %s (all contacts closed)\n", stable, clean);
  else
    printf("  stable step        no limit: nothing here vibrates\n");
  printf("  step               %.9g %s", step, clean);
  if (isfinite(stable)) printf(", %.3g of the stable one", step / stable);
  if (*vv_model_step_reason(s->model)) printf("\n                     by default: %s", vv_model_step_reason(s->model));
  printf("\n  steps              %lld, to t = %.9g %s\n", (long long)steps, (double)steps * step, clean);
}

/* ---- how large the results will be ---- */

static void print_size(const app_scene *s)
{
  enum { FRAMES = 200, ROWS = 20000 }; /* where the scene does not say */
  /* a usual row of ledger.csv; an impact in events.csv and, with two poses, in results.h5; an empty results.h5 */
  enum { ROW_BYTES = 250, IMPACT_BYTES = 550, TABLES = 130000 };
  char word[64], amount[32];
  const double steps = (double)vv_model_steps(s->model), nodes = (double)vv_model_nodes(s->model);
  const double every = strtod(app_scene_word(s, "record", "every", word, sizeof word), NULL);
  const double row_every = strtod(app_scene_word(s, "record", "ledger", word, sizeof word), NULL);
  const bool paraview = strcmp(app_scene_word(s, "record", "paraview", word, sizeof word), "true") == 0;
  const double frames = 1 + fmin(steps, ceil(every > 0 ? steps * vv_model_step(s->model) / every : FRAMES));
  const double shown = !paraview ? 0 : every > 0 ? frames : 1 + ceil((frames - 1) / 4); /* frames for ParaView */
  const double rows = 1 + ceil(steps / fmax(1, row_every > 0 ? row_every : 1 + floor((steps - 1) / ROWS)));
  double frame, drawn;
  vv_results_size(s->model, &frame, &drawn);
  const double bytes = TABLES + frames * frame + shown * drawn + rows * ROW_BYTES;
  printf("  results            about %s: %.0f frames of %.0f nodes, %.0f ledger rows;\n",
         app_bytes(amount, sizeof amount, bytes), frames, nodes, rows);
  const double events = strtod(app_scene_word(s, "record", "events", word, sizeof word), NULL);
  printf("                     and %d bytes for each impact, at most %s for %.0f of them\n", IMPACT_BYTES,
         app_bytes(amount, sizeof amount, IMPACT_BYTES * events), events);
}

/* Some line of the scene lets bodies touch. */
static bool may_touch(const app_scene *s)
{
  char group[32], word[64];
  for (int n = 0;; n++) {
    snprintf(group, sizeof group, "contacts[%d]", n);
    if (app_scene_word(s, group, "between", word, sizeof word)[0] == '\0') return false;
    if (strcmp(app_scene_word(s, group, "response", word, sizeof word), "none") != 0) return true;
  }
}

static double count_triangles(const app_scene *s)
{
  double n = 0.0;
  for (int i = 0; i < vv_model_bodies(s->model); i++) {
    int corners = 0;
    const int64_t elements = vv_model_elements(s->model, i, &corners);
    n += corners == 3 ? (double)elements : 0.0;
  }
  return n;
}

/* Below sixteen tiles of 256 triangles a rank whole tiles no longer balance; a rank with N triangles moves some 700 sqrt(N) bytes a
 * step.  Bytes of a triangle: on every rank while the scene is set up; then on every rank, and on the one that has it; of a
 * prepared scene, of which ranks share the pages, the last two (bench/ranks.sh; two numbers each, without and with contact). */
static void print_ranks(const app_scene *s)
{
  enum { LEAST_TILES = 16 };
  static const struct {
    double start, all, own, all_prepared, own_prepared;
  } memory[2] = {{350, 75, 150, 10, 125}, {900, 450, 240, 70, 220}};
  const int64_t tiles = vv_model_tiles(s->model), most = tiles / LEAST_TILES;
  const double triangles = count_triangles(s);
  const int k = may_touch(s) ? 1 : 0;
  char amount[32], start[32];
  if (most < 2) return;
  printf("  ranks              %lld tiles: up to %lld ranks with visviva-mpi, which then move\n", (long long)tiles,
         (long long)most);
  printf("                     about %s each in a step%s\n",
         app_bytes(amount, sizeof amount, 700.0 * sqrt(triangles / (double)most)),
         k == 1 ? ", more where bodies come near, several times that where they press" : "");
  printf("                     each of them may have a device (run --device: see `visviva info`)\n");
  printf("                     memory of a rank: %s at the start,",
         app_bytes(start, sizeof start, memory[k].start * triangles));
  printf(" then %s;\n", app_bytes(amount, sizeof amount, (memory[k].all + memory[k].own / (double)most) * triangles));
  printf(
      "                     %s, from the start on, after `visviva prepare`\n",
      app_bytes(amount, sizeof amount, (memory[k].all_prepared + memory[k].own_prepared / (double)most) * triangles));
}

static int check(const app_scene *s, const char *path)
{
  vv_sim *sim = NULL;
  vv_sim_def def = vv_sim_default();
  const vv_status status = vv_sim_create(s->model, s->state, &def, &sim); /* some parts cannot be combined */
  if (status != VV_OK) {
    app_messages(s->ctx, status);
    return APP_INPUT;
  }
  char clean[APP_PATH];
  app_print_title(s);
  print_bodies(s);
  print_steps(s);
  app_print_method(s, vv_sim_energy_kind(sim));
  app_print_contacts(s);
  print_size(s);
  print_ranks(s);
  printf("%s: OK\n", app_clean(clean, sizeof clean, strcmp(path, "-") == 0 ? "stdin" : path));
  vv_sim_destroy(sim);
  return APP_DONE;
}

static int check_edited(const char *path, const app_values *set)
{
  app_scene s;
  char names[APP_EDIT_BYTES];
  app_edit edit[APP_MAX_VALUES];
  if (!app_edits_read(set, names, sizeof names, edit) || !app_scene_open_edited(&s, path, 1, NULL, set->n, edit, NULL))
    return APP_INPUT;
  const int code = check(&s, path);
  app_scene_close(&s);
  return code;
}

int app_check_scene(const char *path)
{
  return check_edited(path, &(app_values){0});
}

int app_verb_check(int argc, char **argv)
{
  app_values set = {0};
  const app_option option[] = {{.name = "--set", .many = &set}};
  app_line line = {.verb = "check",
                   .option = option,
                   .n_option = 1,
                   .needs = "a scene file, or - for standard input",
                   .least = 1,
                   .most = 1};
  int code;
  if (!app_line_read(&line, argc, argv, &code)) return code;
  return check_edited(line.word[0], &set);
}
