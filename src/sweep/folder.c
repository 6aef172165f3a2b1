/* sweep/folder.c  The folder of a sweep: made once, opened by every worker.
 *
 *   plan.yaml    as it was given
 *   cases.csv    every value of every case
 *   sweep.yaml   where the scene is (from this folder), and what it and the program were when the cases were drawn
 *   journal/     one file for each worker: what it began, what came out
 *   kept/        full result folders
 *   table.csv table.h5 summary.csv report.html */
#include "io/file.h"
#include "model/bind.h"
#include "model/model.h"
#include "sweep/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool vvi_sweep_path(const vv_sweep *s, const char *name, char out[VVI_SWEEP_PATH])
{
  const int n = snprintf(out, VVI_SWEEP_PATH, "%s/%s", s->folder, name);
  if (n > 0 && n < VVI_SWEEP_PATH) return true;
  (void)vvi_fail(s->ctx, VV_ARG, "%.100s...: the path is too long", s->folder);
  return false;
}

vv_status vvi_sweep_own(const vv_sweep *s, const char *name, char out[VVI_SWEEP_PATH])
{
  return vvi_sweep_path(s, name, out) ? vvi_no_link(s->ctx, out) : VV_ARG;
}

bool vv_sweep_is(const char *folder)
{
  char path[VVI_SWEEP_PATH];
  const int n = snprintf(path, sizeof path, "%s/sweep.yaml", folder);
  return n > 0 && n < (int)sizeof path && vvi_exists(path);
}

const char *vv_case_text(vv_case_end end)
{
#define TEXT(name, text) text,
  static const char *const text[] = {VV_CASE_LIST(TEXT)};
#undef TEXT
  return end < VV_CASE_ENDS ? text[end] : "unknown";
}

/* ---- one case ---- */

static vv_status edit(vv_ctx *ctx, vv_spec *spec, const char *path, const char *text)
{
  const vv_status status =
      strpbrk(path, ".[") != NULL ? vv_spec_set(spec, path, text) : vv_spec_set_parameter(spec, path, text);
  return status == VV_OK ? VV_OK : vvi_fail(ctx, status, "'%s' of the plan cannot be set to '%s'", path, text);
}

static vv_status scene_of(vv_sweep *s, int64_t number, vv_ctx *ctx, vv_spec **out)
{
  vv_status status = vv_scene_read(ctx, s->scene, out);
  for (int i = 0; status == VV_OK && i < s->plan.n_set; i++)
    status = edit(ctx, *out, s->plan.set[i].path, s->plan.set[i].text);
  for (int i = 0; status == VV_OK && i < s->plan.n_vary; i++)
    status = edit(ctx, *out, s->plan.vary[i].path, s->value[number * s->plan.n_vary + i]);
  if (status == VV_OK) return VV_OK;
  vv_spec_destroy(*out);
  *out = NULL;
  return status;
}

/* One thread a run: many runs share a machine better than many threads share a run. */
vv_status vvi_case_open(vv_sweep *s, int64_t number, const char *device, vvi_case *out)
{
  vv_ctx_def def = vv_ctx_default();
  *out = (vvi_case){0};
  def.threads = 1, def.device = device;
  def.catalog = vvi_ctx_catalog(s->ctx);
  VV_TRY(vv_ctx_create(&def, &out->ctx));
  VV_TRY(scene_of(s, number, out->ctx, &out->spec));
  return vv_compile(out->ctx, out->spec, &out->model, &out->state);
}

void vvi_case_close(vvi_case *c)
{
  vv_state_destroy(c->state);
  vv_model_destroy(c->model);
  vv_spec_destroy(c->spec);
  vv_ctx_destroy(c->ctx);
  *c = (vvi_case){0};
}

void vvi_case_tell(const vvi_case *c, vv_ctx *ctx)
{
  for (int i = 0; c->ctx != NULL && i < vv_ctx_message_count(c->ctx); i++)
    (void)vvi_fail(ctx, VV_OK, "%s", vv_ctx_message(c->ctx, i));
}

/* What the first case compiles to: words, length of the run, what ends it, how often its books are closed, places and momenta
 * (and so the files it names). */
static uint64_t model_hash(const vvi_case *c)
{
  const uint64_t start = vv_state_hash(c->state);
  uint64_t h = vvi_hash(VVI_HASH_SEED, &c->model->scene_hash, sizeof c->model->scene_hash);
  h = vvi_hash(h, &c->model->steps, sizeof c->model->steps);
  h = vvi_hash(h, &c->model->step, sizeof c->model->step);
  const uint64_t part[] = {vvi_part_hash(c->model->root, "stop"), vvi_part_hash(c->model->root, "record")};
  h = vvi_hash(h, part, sizeof part);
  return vvi_hash(h, &start, sizeof start);
}

/* Compiles the first case and finds its measures; all mistakes are messages of the sweep's context. */
static vv_status try_first(vv_sweep *s, uint64_t *hash)
{
  vvi_case c;
  vv_sim *sim = NULL;
  vvi_meter *meter = NULL;
  const vv_sim_def def = vv_sim_default();
  vv_status status = vvi_case_open(s, 0, "cpu", &c);
  if (status == VV_OK) status = vv_sim_create(c.model, c.state, &def, &sim);
  if (status == VV_OK) status = vvi_meter_open(&s->plan, sim, &meter);
  if (status == VV_OK) *hash = model_hash(&c);
  vvi_case_tell(&c, s->ctx); /* warnings, too */
  vvi_meter_close(meter);
  vv_sim_destroy(sim);
  vvi_case_close(&c);
  return status;
}

vv_status vvi_sweep_check(vv_sweep *s)
{
  uint64_t hash = 0;
  if (s->checked) return VV_OK;
  VV_TRY(try_first(s, &hash));
  if (hash != s->model)
    return vvi_fail(s->ctx, VV_SCENE,
                    "%s: the scene is not what it was when the cases were drawn, and rows of two scenes do not belong "
                    "into one table; put it back, or make the sweep anew",
                    s->scene);
  s->checked = true;
  return VV_OK;
}

vv_status vv_sweep_scene(vv_sweep *s, int64_t number, vv_ctx *ctx, vv_spec **out)
{
  *out = NULL;
  if (number < 0 || number >= s->cases)
    return vvi_fail(ctx, VV_ARG, "there is no case %lld; cases are 0 to %lld", (long long)number,
                    (long long)s->cases - 1);
  const vv_status status = vvi_sweep_check(s);
  if (status == VV_OK) return scene_of(s, number, ctx, out);
  for (int i = 0; ctx != s->ctx && i < vv_ctx_message_count(s->ctx); i++)
    (void)vvi_fail(ctx, VV_OK, "%s", vv_ctx_message(s->ctx, i));
  return status;
}

/* ---- paths ---- */

static const char *folder_of(vvi_arena *arena, const char *path)
{
  const char *slash = strrchr(path, '/');
  char *folder = vvi_arena_text(arena, slash != NULL ? path : ".");
  if (folder != NULL && slash != NULL) folder[slash - path + (slash == path)] = '\0';
  return folder;
}

/* The way from a folder to a file, both without links and from the root: "../../scene.yaml". */
static void relative(const char *folder, const char *file, vvi_text *out)
{
  size_t same = 0;
  for (size_t i = 0; folder[i] == file[i] && file[i] != '\0'; i++)
    if (file[i] == '/') same = i + 1;
  const size_t n = strlen(folder);
  if (strncmp(folder, file, n) == 0 && file[n] == '/') same = n + 1;
  if (same < n)
    for (const char *c = folder + same; c != NULL; c = strchr(c + 1, '/')) vvi_text_put(out, "../");
  vvi_text_put(out, file + same);
}

static vv_status scene_from(vv_sweep *s, const char *folder, vvi_text *out)
{
  char *a = realpath(folder, NULL), *b = realpath(s->scene, NULL);
  vv_status status = VV_OK;
  if (a == NULL || b == NULL)
    status = vvi_io_fail(s->ctx, a == NULL ? folder : s->scene, "not found");
  else
    relative(a, b, out);
  free(a);
  free(b);
  return status;
}

/* ---- a new one ---- */

static uint64_t sweep_hash(const char *plan, const char *cases, const char *about)
{
  uint64_t h = vvi_hash(VVI_HASH_SEED, plan, strlen(plan));
  h = vvi_hash(h, cases, strlen(cases));
  return vvi_hash(h, about, strlen(about));
}

/* What decides digits of rows beside plan and cases. */
static void about_text(uint64_t model, char out[128])
{
  snprintf(out, 128, "visviva %s model %016llx", vv_version(), (unsigned long long)model);
}

static bool same_file(const char *a, const char *b)
{
  struct stat x, y;
  return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Where no sweep was made yet, files of its names are somebody's: they would be written over, or removed.  The plan may lie
 * there itself. */
static vv_status refuse_others_files(const vv_sweep *s, const char *plan)
{
  static const char *const name[] = {"plan.yaml",   "cases.csv",   "table.csv", "table.h5",
                                     "summary.csv", "report.html", "journal",   "kept"};
  char path[VVI_SWEEP_PATH];
  for (int i = 0; i < VV_COUNT(name); i++) {
    if (!vvi_sweep_path(s, name[i], path)) return VV_ARG;
    if (vvi_exists(path) && !same_file(path, plan))
      return vvi_fail(
          s->ctx, VV_IO,
          "%s: holds no sweep, but '%s' is there, which would be replaced: name another folder, or allow it "
          "with --overwrite",
          s->folder, name[i]);
  }
  return VV_OK;
}

static void remove_old(const vv_sweep *s)
{
  static const char *const name[] = {"table.csv", "table.h5", "summary.csv", "report.html"};
  char path[VVI_SWEEP_PATH], folder[VVI_SWEEP_PATH];
  for (int i = 0; i < VV_COUNT(name); i++)
    if (vvi_sweep_path(s, name[i], path)) (void)remove(path);
  if (!vvi_sweep_path(s, "journal", folder)) return;
  DIR *dir = opendir(folder);
  for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
    const size_t n = strlen(e->d_name);
    const bool ours = n > 4 && strcmp(e->d_name + n - 4, ".csv") == 0;
    if (ours && snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int)sizeof path) (void)remove(path);
  }
  if (dir != NULL) closedir(dir);
}

static vv_status write_file(vv_sweep *s, const char *name, const vvi_text *text)
{
  char path[VVI_SWEEP_PATH];
  return vvi_sweep_path(s, name, path) ? vvi_text_write(s->ctx, text, path) : VV_ARG;
}

/* sweep.yaml comes last: without it there is no sweep. */
static vv_status write_new(vv_sweep *s, const char *plan, size_t bytes, const vvi_text *cases)
{
  char about[128], journal[VVI_SWEEP_PATH];
  vvi_text copy = {.c = (char *)(uintptr_t)plan, .n = bytes}, head = {0}, scene = {0};
  VV_TRY(vvi_folder_create(s->ctx, s->folder));
  VV_TRY(vvi_sweep_own(s, "journal", journal));
  VV_TRY(vvi_folder_create(s->ctx, journal));
  remove_old(s);
  vv_status status = scene_from(s, s->folder, &scene);
  about_text(s->model, about);
  if (status == VV_OK) {
    vvi_text_put(&head, "# made by `visviva sweep new`\nscene: ");
    vvi_text_put(&head, scene.c != NULL ? scene.c : "");
    vvi_text_print(&head, "\ncases: %lld\nabout: %s\nhash: %016llx\n", (long long)s->cases, about,
                   (unsigned long long)sweep_hash(plan, cases->c, about));
    head.nomem |= scene.nomem;
    status = write_file(s, "plan.yaml", &copy);
  }
  if (status == VV_OK) status = write_file(s, "cases.csv", cases);
  if (status == VV_OK) status = write_file(s, "sweep.yaml", &head);
  vvi_text_free(&head);
  vvi_text_free(&scene);
  return status;
}

static vv_status make_new(vv_sweep *s, const char *path)
{
  size_t bytes = 0;
  char *plan = NULL, *copy = NULL;
  vvi_text cases = {0};
  VV_TRY(vvi_plan_read(s->ctx, &s->arena, path, &s->plan));
  s->cases = vvi_plan_cases(&s->plan);
  s->scene = s->plan.scene[0] == '/' ? s->plan.scene : vvi_path(&s->arena, folder_of(&s->arena, path), s->plan.scene);
  s->value = VVI_ARENA_NEW(&s->arena, const char *, s->cases * s->plan.n_vary + 1);
  vvi_cases_draw(&s->plan, &cases);
  copy = cases.nomem ? NULL : vvi_arena_text(&s->arena, cases.c);
  vv_status status = s->scene == NULL || s->value == NULL || copy == NULL ? VV_NOMEM : VV_OK;
  if (status == VV_OK) status = vvi_cases_cut(s->ctx, &s->plan, copy, s->cases, s->value);
  if (status == VV_OK) status = try_first(s, &s->model);
  if (status == VV_OK) plan = vvi_text_of_file(s->ctx, path, &bytes);
  if (status == VV_OK) status = plan != NULL ? write_new(s, plan, bytes, &cases) : VV_IO;
  free(plan);
  vvi_text_free(&cases);
  return status;
}

static vv_sweep *sweep_create(vv_ctx *ctx, const char *folder)
{
  vv_sweep *s = calloc(1, sizeof *s);
  if (s == NULL) return NULL;
  s->ctx = ctx;
  s->journal = -1;
  s->folder = vvi_arena_text(&s->arena, folder);
  if (s->folder != NULL) return s;
  vv_sweep_close(s);
  return NULL;
}

vv_status vv_sweep_new(vv_ctx *ctx, const char *plan, const char *folder, bool overwrite)
{
  if (vv_sweep_is(folder) && !overwrite)
    return vvi_fail(ctx, VV_IO,
                    "%s: holds a sweep already; run it, replace it with --overwrite, or name another folder", folder);
  vv_sweep *s = sweep_create(ctx, folder);
  if (s == NULL) return vvi_fail(ctx, VV_NOMEM, "out of memory");
  vv_status status = overwrite ? VV_OK : refuse_others_files(s, plan);
  if (status == VV_OK) status = make_new(s, plan);
  vv_sweep_close(s);
  return status;
}

/* ---- one that is there ---- */

/* The value of a line "key: value"; it lives in the arena.  NULL: there is none. */
static const char *head_value(vvi_arena *arena, const char *text, const char *key)
{
  char begin[32];
  snprintf(begin, sizeof begin, "\n%s: ", key);
  const char *at = strstr(text, begin);
  char *value = at != NULL ? vvi_arena_text(arena, at + strlen(begin)) : NULL;
  if (value != NULL) value[strcspn(value, "\n")] = '\0';
  return value;
}

static vv_status damaged(const vv_sweep *s, const char *file, const char *what)
{
  return vvi_fail(s->ctx, VV_IO, "%s/%s: %s; make the sweep anew with --overwrite", s->folder, file, what);
}

static vv_status read_head(vv_sweep *s, const char *head, const char *plan, const char *cases)
{
  char about[128];
  const char *scene = head_value(&s->arena, head, "scene"), *number = head_value(&s->arena, head, "cases");
  const char *was = head_value(&s->arena, head, "about"), *hash = head_value(&s->arena, head, "hash");
  if (scene == NULL || number == NULL || was == NULL || hash == NULL || strstr(was, "model ") == NULL)
    return damaged(s, "sweep.yaml", "damaged");
  s->scene = scene[0] == '/' ? scene : vvi_path(&s->arena, s->folder, scene);
  s->model = strtoull(strstr(was, "model ") + 6, NULL, 16);
  s->hash = strtoull(hash, NULL, 16);
  about_text(s->model, about);
  if (strcmp(about, was) != 0)
    return vvi_fail(
        s->ctx, VV_UNSUPPORTED,
        "%s: made with %.*s, this is %s; rows of two versions do not belong into one table: make the sweep anew",
        s->folder, (int)(strstr(was, " model") - was), was, vv_version());
  if (s->hash != sweep_hash(plan, cases, was) || strtoll(number, NULL, 10) != vvi_plan_cases(&s->plan))
    return damaged(s, "plan.yaml", "plan or cases are not what they were");
  return VV_OK;
}

static vv_status open_sweep(vv_sweep *s)
{
  static const char *const name[3] = {"plan.yaml", "cases.csv", "sweep.yaml"};
  char path[VVI_SWEEP_PATH], *text[3] = {NULL, NULL, NULL};
  size_t bytes;
  vv_status status = vvi_sweep_path(s, name[0], path) ? vvi_plan_read(s->ctx, &s->arena, path, &s->plan) : VV_ARG;
  for (int i = 0; i < 3 && status == VV_OK; i++) {
    text[i] = vvi_sweep_path(s, name[i], path) ? vvi_text_of_file(s->ctx, path, &bytes) : NULL;
    if (text[i] == NULL) status = VV_IO;
  }
  if (status == VV_OK) status = read_head(s, text[2], text[0], text[1]);
  if (status == VV_OK) {
    s->cases = vvi_plan_cases(&s->plan);
    s->value = VVI_ARENA_NEW(&s->arena, const char *, s->cases * s->plan.n_vary + 1);
    s->record = VVI_ARENA_NEW(&s->arena, vvi_record, s->cases + 1);
    char *copy = vvi_arena_text(&s->arena, text[1]);
    status = s->scene == NULL || s->value == NULL || s->record == NULL || copy == NULL
                 ? VV_NOMEM
                 : vvi_cases_cut(s->ctx, &s->plan, copy, s->cases, s->value);
  }
  for (int i = 0; i < 3; i++) free(text[i]);
  return status;
}

vv_status vv_sweep_open(vv_ctx *ctx, const char *folder, vv_sweep **out)
{
  *out = NULL;
  if (!vv_sweep_is(folder))
    return vvi_fail(ctx, VV_IO, "%s: holds no sweep; `visviva sweep new PLAN.yaml -o %s` makes one", folder, folder);
  vv_sweep *s = sweep_create(ctx, folder);
  if (s == NULL) return vvi_fail(ctx, VV_NOMEM, "out of memory");
  const vv_status status = open_sweep(s);
  if (status == VV_OK)
    *out = s;
  else
    vv_sweep_close(s);
  return status;
}

void vv_sweep_close(vv_sweep *s)
{
  if (s == NULL) return;
  if (s->journal >= 0) close(s->journal);
  for (int64_t k = 0; s->record != NULL && k < s->cases; k++) free(s->record[k].row);
  vvi_arena_free(&s->arena);
  free(s);
}

int64_t vv_sweep_cases(const vv_sweep *s)
{
  return s->cases;
}

int vv_sweep_columns(const vv_sweep *s)
{
  return s->plan.n_vary;
}

const char *vv_sweep_column(const vv_sweep *s, int column)
{
  return column >= 0 && column < s->plan.n_vary ? s->plan.vary[column].path : NULL;
}

const char *vv_sweep_value(const vv_sweep *s, int64_t number, int column)
{
  const bool there = number >= 0 && number < s->cases && column >= 0 && column < s->plan.n_vary;
  return there ? s->value[number * s->plan.n_vary + column] : NULL;
}
