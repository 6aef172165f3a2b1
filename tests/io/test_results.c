/* tests/io/test_results.c  The result folder: what is in it, that a killed run goes on to the same bytes, that a full disk
 * is told and loses nothing.  Works in the current folder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file.h"
#include "io/results/h5.h"
#include "io/results/json.h"
#include "io/results/read.h"
#include "visviva/book.h"
#include "visviva/results.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef VV_SOURCE_DIR
#define VV_SOURCE_DIR "."
#endif

#define SCENE(title, end, gap, record)                                                                               \
  "visviva: 1\n"                                                                                                     \
  "title: " title "\n"                                                                                               \
  "time: {end: " end ", step: 0.1}\n"                                                                                \
  "bodies:\n"                                                                                                        \
  "  left: {kind: bar, tips: {first: lumped}, length: 10, elements: 20, material: {young: 1, density: 1}, section: " \
  "{area: 1},\n"                                                                                                     \
  "         position: -10." gap ", velocity: 0.1}\n"                                                                 \
  "  right: {kind: bar, tips: {first: lumped}, length: 5, elements: 10, material: {young: 1, density: 1}, section: " \
  "{area: 1},\n"                                                                                                     \
  "         position: 0, velocity: -0.1, vibration: [{mode: 2, amplitude: 0.01}]}\n"                                 \
  "record: {" record "}\n"

/* Rows every 3 steps, frames at 0.7 s, checkpoints every 2.5 s: no rhythm fits another, nor the end. */
static const char odd[] = SCENE("Two bars, \\\"quoted\\\"", "20", "01", "ledger: 3, every: 0.7, checkpoint: 2.5");
static const char even[] = SCENE("Two bars", "20", "01", "ledger: 1");
static const char other[] = SCENE("Two bars", "20", "02", "ledger: 1");

#define BOUNCE(velocity)                                                                                     \
  "visviva: 1\n"                                                                                             \
  "time: {end: 0.8, step: 0.1}\n"                                                                            \
  "bodies:\n"                                                                                                \
  "  ball: {kind: rigid, shape: {ball: {radius: 0.1}}, mass: 1, position: [0.5, 0, 0], velocity: [" velocity \
  ", 0, 0]}\n"                                                                                               \
  "  wall: {kind: obstacle, shape: {plane: {normal: [-1, 0, 0], offset: -1}}}\n"                             \
  "record: {every: 0.1}\n"
#define FLIGHT(step)                                                                                              \
  "visviva: 1\n"                                                                                                  \
  "time: {end: 1, step: " step "}\n"                                                                              \
  "bodies:\n"                                                                                                     \
  "  bar: {kind: bar, tips: {first: lumped}, length: 1, elements: 2, material: {young: 1, density: 1}, section: " \
  "{area: 1}, velocity: 1}\n"                                                                                     \
  "record: {every: 0.1}\n"

/* ---- a run ---- */

typedef struct rig {
  vv_ctx *ctx;
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
  vv_results *results;
  int64_t die_at; /* _exit here, as a killed process would: nothing is flushed */
} rig;

static void open_scene(rig *r, const char *text)
{
  vv_ctx_def def = vv_ctx_default();
  vv_spec *spec = NULL;
  *r = (rig){.die_at = -1};
  def.threads = 1;
  assert_int_equal(vv_ctx_create(&def, &r->ctx), VV_OK);
  assert_int_equal(vv_scene_parse(r->ctx, "test.yaml", text, strlen(text), &spec), VV_OK);
  assert_int_equal(vv_compile(r->ctx, spec, &r->model, &r->state), VV_OK);
  vv_spec_destroy(spec);
}

static vv_status observe_or_die(const vv_view *view, void *user)
{
  rig *r = user;
  const vv_status status = vv_results_observe(view, r->results);
  if (view->state->step == r->die_at) _exit(9);
  return status;
}

static vv_status open_results(rig *r, const char *folder, bool resume, bool overwrite)
{
  const vv_sim_def sim_def = vv_sim_default();
  vv_results_def def = vv_results_default();
  vv_ledger *ledger;
  assert_int_equal(vv_ledger_create(&ledger), VV_OK);
  def.folder = folder;
  def.resume = resume;
  def.overwrite = overwrite;
  if (resume) {
    const vv_status status = vv_checkpoint_read(r->model, folder, r->state, ledger);
    if (status != VV_OK) {
      vv_ledger_destroy(ledger);
      return status;
    }
  }
  assert_int_equal(vv_sim_create(r->model, r->state, &sim_def, &r->sim), VV_OK);
  if (resume) assert_int_equal(vv_sim_restore(r->sim, ledger), VV_OK);
  vv_ledger_destroy(ledger);
  const vv_status status = vv_results_create(r->model, &def, &r->results);
  if (status == VV_OK) assert_int_equal(vv_sim_observe(r->sim, 1, observe_or_die, r), VV_OK);
  return status;
}

static void close_rig(rig *r)
{
  if (r->results != NULL) assert_int_equal(vv_results_close(r->results), VV_OK);
  vv_sim_destroy(r->sim);
  vv_state_destroy(r->state);
  vv_model_destroy(r->model);
  vv_ctx_destroy(r->ctx);
}

/* The whole run, or `steps` of it. */
static void run(const char *scene, const char *folder, bool resume, int64_t steps)
{
  rig r;
  vv_report report;
  open_scene(&r, scene);
  const vv_status status = open_results(&r, folder, resume, !resume);
  for (int i = 0; i < vv_ctx_message_count(r.ctx); i++) print_message("  %s\n", vv_ctx_message(r.ctx, i));
  assert_int_equal(status, VV_OK);
  if (steps > 0)
    assert_int_equal(vv_sim_steps(r.sim, steps, &report), VV_OK);
  else
    assert_int_equal(vv_sim_run(r.sim, &report), VV_OK);
  assert_int_equal(report.reason, VV_REASON_DONE);
  assert_int_equal(vv_results_summary(r.results, r.sim, &report), VV_OK);
  close_rig(&r);
}

/* The same in a process of its own that dies at a step. */
static void run_and_die(const char *scene, const char *folder, bool resume, int64_t die_at)
{
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    rig r;
    vv_report report;
    open_scene(&r, scene);
    if (open_results(&r, folder, resume, !resume) != VV_OK) _exit(1);
    r.die_at = die_at;
    if (vv_sim_run(r.sim, &report) != VV_OK) _exit(2);
    _exit(3); /* it should not get here */
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 9);
}

static char *text_of(vvi_arena *arena, const char *folder, const char *name)
{
  char *text = vvi_text_read(arena, vvi_path(arena, folder, name), NULL);
  if (text == NULL) fail_msg("%s/%s cannot be read", folder, name);
  return text;
}

static void assert_same_file(const char *a, const char *b, const char *name)
{
  vvi_arena arena = {0};
  assert_string_equal(text_of(&arena, a, name), text_of(&arena, b, name));
  vvi_arena_free(&arena);
}

/* Every value of every field in every frame. */
static void assert_same_frames(const char *a, const char *b)
{
  static const char *const field[] = {"position", "velocity", "momentum", "strain", "stress"};
  vvi_arena arena = {0};
  vv_ctx *ctx = NULL;
  vvi_run run[2];
  const vv_ctx_def def = vv_ctx_default();
  assert_int_equal(vv_ctx_create(&def, &ctx), VV_OK);
  assert_int_equal(vvi_run_open(ctx, &arena, a, &run[0]), VV_OK);
  assert_int_equal(vvi_run_open(ctx, &arena, b, &run[1]), VV_OK);
  assert_int_equal(run[0].frames, run[1].frames);
  assert_int_equal(run[0].n_body, run[1].n_body);
  assert_memory_equal(run[0].time, run[1].time, sizeof(double) * (size_t)run[0].frames);
  assert_memory_equal(run[0].step, run[1].step, sizeof(int64_t) * (size_t)run[0].frames);
  for (int i = 0; i < run[0].n_body * VV_COUNT(field); i++) {
    const int body = i / VV_COUNT(field);
    const char *name = field[i % VV_COUNT(field)];
    double *value[2];
    int64_t count = 0;
    int components = 0;
    for (int k = 0; k < 2; k++) {
      vvi_run_shape(&run[k], body, name, &count, &components);
      assert_true(count > 0);
      value[k] = VVI_ARENA_NEW(&arena, double, run[k].frames *count *components);
      assert_int_equal(vvi_run_read(&run[k], body, name, 0, run[k].frames, 0, count, value[k]), VV_OK);
    }
    assert_memory_equal(value[0], value[1], sizeof(double) * (size_t)(run[0].frames * count * components));
  }
  assert_int_equal(vvi_run_close(&run[0]), VV_OK);
  assert_int_equal(vvi_run_close(&run[1]), VV_OK);
  vv_ctx_destroy(ctx);
  vvi_arena_free(&arena);
}

/* Shapes at contacts: their times, and where the body `name` was. */
typedef struct keys {
  int64_t n;
  double *time, *x; /* [n], [n][nodes][3] */
} keys;

static keys read_keys(vvi_arena *arena, vvi_run *run, const char *name, int64_t nodes)
{
  keys k = {0};
  int64_t dims[VVI_H5_RANK];
  int rank;
  char object[64];
  assert_int_equal(vvi_h5_shape(&run->h5, "/keys/time", &rank, dims), VV_OK);
  k.n = dims[0];
  k.time = VVI_ARENA_NEW(arena, double, k.n + 1);
  k.x = VVI_ARENA_NEW(arena, double, k.n *nodes * 3 + 1);
  snprintf(object, sizeof object, "/keys/bodies/%s/position", name);
  assert_int_equal(vvi_h5_read(&run->h5, "/keys/time", VVI_H5_DOUBLE, k.n, k.time), VV_OK);
  assert_int_equal(vvi_h5_read(&run->h5, object, VVI_H5_DOUBLE, k.n * nodes * 3, k.x), VV_OK);
  return k;
}

static void assert_same_keys(const char *a, const char *b)
{
  vvi_arena arena = {0};
  vvi_run run[2];
  assert_int_equal(vvi_run_open(NULL, &arena, a, &run[0]), VV_OK);
  assert_int_equal(vvi_run_open(NULL, &arena, b, &run[1]), VV_OK);
  const keys x = read_keys(&arena, &run[0], "left", 21), y = read_keys(&arena, &run[1], "left", 21);
  assert_int_equal(x.n, y.n);
  assert_memory_equal(x.time, y.time, sizeof(double) * (size_t)x.n);
  assert_memory_equal(x.x, y.x, sizeof(double) * (size_t)(x.n * 63));
  assert_int_equal(vvi_run_close(&run[0]), VV_OK);
  assert_int_equal(vvi_run_close(&run[1]), VV_OK);
  vvi_arena_free(&arena);
}

/* The cell of a row, without quotes in these scenes. */
static void cell_of(const char *row, int column, char out[64])
{
  for (; column > 0; column--) row = strchr(row, ',') + 1;
  snprintf(out, 64, "%.*s", (int)strcspn(row, ",\n"), row);
}

/* Words of events.csv and their codes in results.h5, from row `first` on. */
static void assert_event_words(vvi_run *run, const char *text, int64_t first, int64_t rows)
{
  static const char *const kind[] = {"bounce", "on", "off", "hold"};
  int32_t code[3][1000];
  char cell[64];
  assert_true(rows <= 1000);
  assert_int_equal(vvi_h5_read(&run->h5, "/events/body_a", VVI_H5_INT32, rows, code[0]), VV_OK);
  assert_int_equal(vvi_h5_read(&run->h5, "/events/body_b", VVI_H5_INT32, rows, code[1]), VV_OK);
  assert_int_equal(vvi_h5_read(&run->h5, "/events/kind", VVI_H5_INT32, rows, code[2]), VV_OK);
  for (int64_t i = 0; i < 2 + first; i++) text = strchr(text, '\n') + 1;
  for (int64_t i = 0; i < rows; i++, text = strchr(text, '\n') + 1) {
    cell_of(text, 1, cell);
    assert_string_equal(run->body[code[0][i]], cell);
    cell_of(text, 3, cell);
    assert_string_equal(run->body[code[1][i]], cell);
    cell_of(text, 15, cell);
    assert_string_equal(kind[code[2][i]], cell);
  }
  assert_true(*text == '\0' || *text == '#'); /* how many are left out */
}

/* The events of results.h5 are the rows of events.csv, from its row `first` on; returns how many. */
static int64_t assert_events(const char *folder, int64_t first)
{
  static const struct {
    const char *object, *column[3];
  } series[] = {{"/events/time", {"time"}},
                {"/events/x", {"x", "y", "z"}},
                {"/events/n", {"n_x", "n_y", "n_z"}},
                {"/events/normal_speed", {"normal_speed"}},
                {"/events/normal_impulse", {"normal_impulse"}},
                {"/events/tangential_impulse", {"tangential_impulse"}},
                {"/events/energy_jump", {"energy_jump"}}};
  vvi_arena arena = {0};
  vvi_run run;
  vvi_table t;
  int64_t dims[VVI_H5_RANK], begun = -1;
  int rank;
  assert_int_equal(vvi_table_read(NULL, &arena, vvi_path(&arena, folder, "events.csv"), &t), VV_OK);
  assert_int_equal(vvi_run_open(NULL, &arena, folder, &run), VV_OK);
  assert_int_equal(vvi_h5_get_whole(&run.h5, "/events", "first", &begun), VV_OK);
  assert_int_equal(begun, first);
  const int64_t rows = t.rows - first;
  for (int k = 0; k < VV_COUNT(series); k++) {
    assert_int_equal(vvi_h5_shape(&run.h5, series[k].object, &rank, dims), VV_OK);
    assert_int_equal(dims[0], rows);
    const int width = series[k].column[1] != NULL ? 3 : 1;
    assert_int_equal(rank, width == 3 ? 2 : 1);
    double *value = VVI_ARENA_NEW(&arena, double, rows *width + 1);
    assert_int_equal(vvi_h5_read(&run.h5, series[k].object, VVI_H5_DOUBLE, rows * width, value), VV_OK);
    for (int64_t i = 0; i < rows * width; i++)
      assert_true(value[i] == vvi_table_column(&t, series[k].column[i % width])[first + i / width]);
  }
  assert_event_words(&run, text_of(&arena, folder, "events.csv"), first, rows);
  assert_int_equal(vvi_run_close(&run), VV_OK);
  vvi_arena_free(&arena);
  return rows;
}

/* Every column of a group of results.h5; groups in it are left out. */
static void assert_same_group(const char *a, const char *b, const char *group)
{
  vvi_arena arena = {0};
  vvi_run run[2];
  int64_t dims[2][VVI_H5_RANK];
  char **name, object[128];
  int n = 0, rank;
  assert_int_equal(vvi_run_open(NULL, &arena, a, &run[0]), VV_OK);
  assert_int_equal(vvi_run_open(NULL, &arena, b, &run[1]), VV_OK);
  assert_int_equal(vvi_h5_names(&run[0].h5, group, &arena, &n, &name), VV_OK);
  for (int i = 0; i < n; i++) {
    double *value[2];
    snprintf(object, sizeof object, "%s/%s", group, name[i]);
    if (vvi_h5_shape(&run[0].h5, object, &rank, dims[0]) != VV_OK) continue;
    for (int k = 0; k < 2; k++) {
      assert_int_equal(vvi_h5_shape(&run[k].h5, object, &rank, dims[k]), VV_OK);
      assert_int_equal(rank, 1);
      value[k] = VVI_ARENA_NEW(&arena, double, dims[k][0] + 1);
      assert_int_equal(vvi_h5_read(&run[k].h5, object, VVI_H5_DOUBLE, dims[k][0], value[k]), VV_OK);
    }
    assert_int_equal(dims[0][0], dims[1][0]);
    assert_memory_equal(value[0], value[1], sizeof(double) * (size_t)dims[0][0]);
  }
  assert_int_equal(vvi_run_close(&run[0]), VV_OK);
  assert_int_equal(vvi_run_close(&run[1]), VV_OK);
  vvi_arena_free(&arena);
}

static void assert_same_tables(const char *a, const char *b)
{
  assert_same_file(a, b, "ledger.csv");
  assert_same_file(a, b, "events.csv");
  assert_same_file(a, b, "contacts.csv");
  assert_true(assert_events(a, 0) > 0);
  assert_int_equal(assert_events(b, 0), assert_events(a, 0));
  assert_same_group(a, b, "/poses");
  assert_same_group(a, b, "/contacts");
  assert_same_group(a, b, "/contacts/force");
}

static void assert_same_run(const char *a, const char *b)
{
  vvi_arena arena = {0};
  char hash[2][32];
  assert_same_tables(a, b);
  assert_same_file(a, b, "paraview/run.pvd");
  assert_same_frames(a, b);
  assert_same_keys(a, b);
  assert_true(vvi_json_find_text(text_of(&arena, a, "summary.json"), "state_hash", hash[0], sizeof hash[0]));
  assert_true(vvi_json_find_text(text_of(&arena, b, "summary.json"), "state_hash", hash[1], sizeof hash[1]));
  assert_string_equal(hash[0], hash[1]);
  vvi_arena_free(&arena);
}

/* ---- what is in a folder ---- */

static const char ledger_names[] =
    "step,time,kinetic,strain,potential,contact,external_work,friction_loss,restitution_loss,total,closure,p_x,p_y,p_z,"
    "L_x,L_y,L_z,contacts,penetration";
static const char event_names[] =
    "time,body_a,feature_a,body_b,feature_b,x,y,z,n_x,n_y,n_z,normal_speed,normal_impulse,"
    "tangential_impulse,energy_jump";

static void assert_head(const char *text, const char *names)
{
  assert_true(strncmp(text, "# units: ", 9) == 0);
  const char *second = strchr(text, '\n') + 1;
  assert_true(strncmp(second, names, strlen(names)) == 0);
  assert_true(strchr(",\n", second[strlen(names)]) != NULL);
}

static void test_tables(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_table t;
  run(even, "tables", false, 0);
  assert_head(text_of(&arena, "tables", "ledger.csv"), ledger_names);
  assert_head(text_of(&arena, "tables", "events.csv"), event_names);
  assert_int_equal(vvi_table_read(NULL, &arena, "tables/ledger.csv", &t), VV_OK);
  assert_int_equal(t.rows, 201);
  const double *step = vvi_table_column(&t, "step"), *impacts = vvi_table_column(&t, "impacts");
  const double *total = vvi_table_column(&t, "total"), *kinetic = vvi_table_column(&t, "kinetic");
  const double *strain = vvi_table_column(&t, "strain"), *contact = vvi_table_column(&t, "contact");
  for (int64_t i = 0; i < t.rows; i++) {
    assert_true(step[i] == (double)i);
    assert_true(fabs(total[i] - kinetic[i] - strain[i] - contact[i]) < 1e-14);
  }
  vvi_table e;
  assert_int_equal(vvi_table_read(NULL, &arena, "tables/events.csv", &e), VV_OK);
  assert_true(e.rows > 0);
  assert_true((double)e.rows == impacts[t.rows - 1]);
  assert_true(strstr(text_of(&arena, "tables", "events.csv"), ",left,") != NULL);
  assert_int_equal(assert_events("tables", 0), e.rows);
  vvi_arena_free(&arena);
}

/* Shapes at contacts are those that a frame of the same step shows, and every contact begins next to one or to a frame. */
static void test_keys(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_run run_all, run_few;
  vvi_table contacts;
  run(SCENE("Two bars", "20", "01", "every: 0.1"), "keys_all", false, 0);
  run(SCENE("Two bars", "20", "01", "every: 4"), "keys_few", false, 0);
  assert_int_equal(vvi_run_open(NULL, &arena, "keys_all", &run_all), VV_OK);
  assert_int_equal(vvi_run_open(NULL, &arena, "keys_few", &run_few), VV_OK);
  assert_int_equal(read_keys(&arena, &run_all, "left", 21).n, 0); /* every step has a frame */
  const keys k = read_keys(&arena, &run_few, "left", 21);
  assert_true(k.n > 0);
  for (int64_t i = 0, frame = 0; i < k.n; i++) {
    double x[63];
    while (frame + 1 < run_all.frames && run_all.time[frame] < k.time[i]) frame++;
    assert_true(run_all.time[frame] == k.time[i]);
    assert_int_equal(vvi_run_read(&run_all, 0, "position", frame, 1, 0, 21, x), VV_OK);
    assert_memory_equal(x, k.x + 63 * i, sizeof x);
  }
  assert_int_equal(vvi_table_read(NULL, &arena, "keys_few/contacts.csv", &contacts), VV_OK);
  assert_true(contacts.rows > 0);
  for (int64_t i = 0; i < contacts.rows; i++) {
    const double touch = vvi_table_column(&contacts, "touch")[i];
    double away = INFINITY;
    for (int64_t j = 0; j < k.n; j++) away = fmin(away, fabs(k.time[j] - touch));
    for (int64_t j = 0; j < run_few.frames; j++) away = fmin(away, fabs(run_few.time[j] - touch));
    assert_true(away <= 0.1 + 4.0 / 32.0); /* a step, and the cell that has one key */
  }
  assert_int_equal(vvi_run_close(&run_all), VV_OK);
  assert_int_equal(vvi_run_close(&run_few), VV_OK);
  vvi_arena_free(&arena);
}

/* Rows every 3 steps and the last; frames at the steps nearest to multiples of 0.7, and the last. */
static void test_rhythm(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_table t;
  vvi_run frames;
  run(odd, "rhythm", false, 0);
  assert_int_equal(vvi_table_read(NULL, &arena, "rhythm/ledger.csv", &t), VV_OK);
  const double *step = vvi_table_column(&t, "step");
  assert_int_equal(t.rows, 67 + 1);
  assert_true(step[66] == 198 && step[67] == 200);
  assert_int_equal(vvi_run_open(NULL, &arena, "rhythm", &frames), VV_OK);
  assert_int_equal(frames.frames, 29 + 1);
  assert_int_equal(frames.step[28], 196);
  assert_int_equal(frames.step[29], 200);
  assert_int_equal(frames.n_body, 2);
  assert_string_equal(frames.body[0], "left");
  int64_t count;
  int components;
  vvi_run_shape(&frames, 0, "position", &count, &components);
  assert_int_equal(count, 21);
  assert_int_equal(components, 3);
  vvi_run_shape(&frames, 1, "strain", &count, &components);
  assert_int_equal(count, 10);
  assert_int_equal(components, 1);
  double x[3];
  assert_int_equal(vvi_run_read(&frames, 0, "position", 0, 1, 0, 1, x), VV_OK);
  assert_true(fabs(x[0] + 10.01) < 1e-12 && x[1] == 0 && x[2] == 0);
  int64_t element[20];
  assert_int_equal(vvi_h5_read(&frames.h5, "/bodies/right/elements", VVI_H5_INT64, 20, element), VV_OK);
  for (int i = 0; i < 10; i++) assert_true(element[2 * i] == i && element[2 * i + 1] == i + 1);
  assert_int_equal(vvi_run_close(&frames), VV_OK);
  vvi_arena_free(&arena);
}

static void test_summary(void **state)
{
  (void)state;
  static const char *const number[] = {"steps",
                                       "time_end",
                                       "wall_seconds",
                                       "node_steps",
                                       "threads",
                                       "ns_per_node_step",
                                       "impacts",
                                       "energy.initial",
                                       "energy.final",
                                       "energy.max_relative_error",
                                       "max_penetration",
                                       "momentum.max_drift",
                                       "fallbacks",
                                       "angular_momentum.max_drift",
                                       "held",
                                       "max_event_residual"};
  vvi_arena arena = {0};
  char word[64];
  double value;
  run(odd, "summary", false, 0);
  const char *text = text_of(&arena, "summary", "summary.json");
  for (int i = 0; i < VV_COUNT(number); i++)
    if (!vvi_json_find_number(text, number[i], &value)) fail_msg("summary.json has no number %s", number[i]);
  assert_true(vvi_json_find_number(text, "steps", &value) && value == 200);
  assert_true(vvi_json_find_number(text, "node_steps", &value) && value == 200 * 32);
  assert_true(vvi_json_find_text(text, "reason", word, sizeof word));
  assert_string_equal(word, "done");
  assert_true(vvi_json_find_text(text, "state_hash", word, sizeof word));
  assert_int_equal(strlen(word), 16);
  assert_non_null(strstr(text, "\"kept\": "));
  assert_non_null(strstr(text, "\"structure\": null"));
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "inf,"));
  vvi_arena_free(&arena);
}

static void test_paraview(void **state)
{
  (void)state;
  run(odd, "vtu", false, 0);
  if (system("python3 -c pass") != 0) skip();
  assert_int_equal(system("python3 '" VV_SOURCE_DIR "/tests/io/check_vtu.py' vtu"), 0);
}

static void test_refuses_used_folder(void **state)
{
  (void)state;
  rig r;
  run(even, "used", false, 20);
  open_scene(&r, even);
  assert_int_equal(open_results(&r, "used", false, false), VV_IO);
  assert_non_null(strstr(vv_ctx_message(r.ctx, 0), "used"));
  close_rig(&r);
  run(even, "used", false, 20); /* overwrite */
}

/* ---- a run that was interrupted ---- */

static void test_killed(void **state)
{
  (void)state;
  run(odd, "whole", false, 0);
  /* before the first checkpoint of the rhythm, between two, right after one, again while resumed, at the very end */
  run_and_die(odd, "killed", false, 7);
  run_and_die(odd, "killed", true, 61);
  run_and_die(odd, "killed", true, 62);
  run_and_die(odd, "killed", true, 100);
  run_and_die(odd, "killed", true, 199);
  run(odd, "killed", true, 0);
  assert_same_run("whole", "killed");
  run(odd, "killed", true, 0); /* a run that is over already: nothing changes */
  assert_same_run("whole", "killed");
  run_and_die(odd, "killed", false, 66); /* two events after the checkpoint at 50 are in the file */
  run(odd, "killed", true, 1);
  assert_int_equal(assert_events("killed", 0), 8);
}

/* A ball that flies about in a room, with more impacts than fit into a block of results.h5 (VVI_H5_BLOCK). */
#define BALL(record)                                                                                               \
  "visviva: 1\n"                                                                                                   \
  "time: {end: 1, step: 1e-3}\n"                                                                                   \
  "bodies:\n"                                                                                                      \
  "  room: {kind: obstacle, shape: {room: {size: [1.2, 1.3, 1.4]}}}\n"                                             \
  "  ball: {kind: rigid, shape: {ball: {radius: 0.5}}, mass: 1, velocity: [90, 70, 80], position: [0.01, 0, 0]}\n" \
  "record: {" record "}\n"

static void test_many_events(void **state)
{
  (void)state;
  static const char scene[] = BALL("checkpoint: 0.06, every: 0.11");
  run(scene, "many", false, 0);
  assert_true(assert_events("many", 0) > 2 * VVI_H5_BLOCK);
  run_and_die(scene, "many-killed", false, 333);
  run_and_die(scene, "many-killed", true, 700);
  run(scene, "many-killed", true, 111);
  run(scene, "many-killed", true, 0);
  assert_same_tables("many", "many-killed");
}

/* Fewer rows than impacts: the first ones without a gap, the others spread over the run, all of them counted. */
static void test_most_events(void **state)
{
  (void)state;
  enum { MOST = 300 };
  static const char scene[] = BALL("checkpoint: 0.06, every: 0.11, events: 300");
  vvi_arena arena = {0};
  vvi_table all, some;
  char line[80];
  run(scene, "most", false, 0);
  assert_int_equal(vvi_table_read(NULL, &arena, vvi_path(&arena, "many", "events.csv"), &all), VV_OK);
  assert_int_equal(vvi_table_read(NULL, &arena, vvi_path(&arena, "most", "events.csv"), &some), VV_OK);
  assert_in_range(assert_events("most", 0), MOST - 2, MOST);
  const double *every = vvi_table_column(&all, "time"), *kept = vvi_table_column(&some, "time");
  for (int i = 0; i < MOST / 2; i++) assert_true(kept[i] == every[i]);
  for (int k = 5; k < 10; k++) { /* half of the rows by the time t, the other half by the end */
    int rows = 0;
    while (rows < some.rows && kept[rows] < 0.1 * k) rows++;
    assert_in_range(rows, MOST / 2 * (1.0 + 0.1 * k) - 2, MOST / 2 * (1.0 + 0.1 * k) + 1);
  }
  snprintf(line, sizeof line, "# %d more impacts are not in this table\n", (int)(all.rows - some.rows));
  assert_non_null(strstr(text_of(&arena, "most", "events.csv"), line));
  run_and_die(scene, "most-killed", false, 500);
  run(scene, "most-killed", true, 123);
  run(scene, "most-killed", true, 0);
  assert_same_tables("most", "most-killed");
  vvi_arena_free(&arena);
}

/* Stopped in good order at steps that are in no rhythm: the extra rows and frames must vanish again. */
static void test_stopped(void **state)
{
  (void)state;
  run(odd, "whole", false, 0);
  run(odd, "stopped", false, 31);
  run(odd, "stopped", true, 53);
  run(odd, "stopped", true, 1);
  run(odd, "stopped", true, 0);
  assert_same_run("whole", "stopped");
}

static void test_damaged(void **state)
{
  (void)state;
  run(odd, "damaged", false, 100);
  const int64_t before = assert_events("damaged", 0);
  assert_int_equal(truncate("damaged/results.h5", 700), 0);
  run_and_die(odd, "damaged", true, 160);
  run(odd, "damaged", true, 0);
  assert_int_equal(assert_events("damaged", before), assert_events("whole", 0) - before);
  assert_true(vvi_exists("damaged/results.h5.damaged"));
  assert_same_file("whole", "damaged", "ledger.csv");
  assert_same_file("whole", "damaged", "paraview/run.pvd");
  vvi_arena arena = {0};
  vvi_run frames;
  assert_int_equal(vvi_run_open(NULL, &arena, "damaged", &frames), VV_OK);
  assert_int_equal(frames.step[0], 105); /* the first frame after the checkpoint at step 100 */
  assert_int_equal(vvi_run_close(&frames), VV_OK);
  vvi_arena_free(&arena);
}

/* Two writers in one folder would mix their bytes: the second is refused, and the first does not notice. */
static void test_locked(void **state)
{
  (void)state;
  rig first, second;
  vv_report report;
  for (int resume = 0; resume < 2; resume++) {
    open_scene(&first, even);
    assert_int_equal(open_results(&first, "locked", resume, !resume), VV_OK);
    if (!resume) assert_int_equal(vv_sim_steps(first.sim, 20, &report), VV_OK); /* there is a checkpoint now */
    for (int k = 0; k < 2; k++) {
      open_scene(&second, even);
      assert_int_equal(open_results(&second, "locked", k, !k), VV_ARG);
      assert_non_null(strstr(vv_ctx_message(second.ctx, 0), "locked: another run is writing here"));
      close_rig(&second);
    }
    if (resume) assert_int_equal(vv_sim_run(first.sim, &report), VV_OK);
    assert_int_equal(vv_results_summary(first.results, first.sim, &report), VV_OK);
    close_rig(&first);
  }
  run(even, "unlocked", false, 0);
  assert_same_run("locked", "unlocked");
}

/* What would end a cell or a line does not get into the line of units. */
static void test_unit_names(void **state)
{
  (void)state;
  static const char scene[] =
      "visviva: 1\ntime: {end: 1, step: 0.1}\n"
      "units: {length: \"a,b\", mass: \"c\\nd\", time: \"\\\"e\"}\n"
      "bodies:\n  a: {kind: bar, tips: {first: lumped}, length: 10, elements: 20, material: {young: 1, density: 1},\n"
      "      section: {area: 1}, velocity: 0.1}\n";
  vvi_arena arena = {0};
  vvi_table t;
  run(scene, "units", false, 0);
  assert_int_equal(vvi_table_read(NULL, &arena, "units/ledger.csv", &t), VV_OK);
  assert_int_equal(t.rows, 11);
  assert_string_equal(vvi_table_unit(&t, "time"), " e");
  assert_string_equal(vvi_table_unit(&t, "total"), "c d a b^2/ e^2");
  assert_string_equal(vvi_table_unit(&t, "impacts"), "1");
  vvi_arena_free(&arena);
}

static void test_refuses_checkpoint(void **state)
{
  (void)state;
  rig r;
  run(even, "foreign", false, 20);
  open_scene(&r, other);
  assert_int_equal(open_results(&r, "foreign", true, false), VV_SCENE);
  assert_int_equal(open_results(&r, "nowhere", true, false), VV_IO);
  assert_int_equal(truncate("foreign/checkpoint.h5", 1000), 0);
  assert_int_equal(open_results(&r, "foreign", true, false), VV_IO);
  close_rig(&r);
}

/* A checkpoint says which version wrote it; one that has other steps is not gone on from. */
static void test_other_version(void **state)
{
  (void)state;
  rig r;
  vvi_h5 f;
  run(even, "older", false, 20);
  open_scene(&r, even);
  assert_int_equal(vvi_h5_open(r.ctx, "older/checkpoint.h5", true, &f), VV_OK);
  assert_int_equal(vvi_h5_set_text(&f, "/", "visviva", "9.9.9"), VV_OK);
  assert_int_equal(vvi_h5_close(&f), VV_OK);
  assert_int_equal(open_results(&r, "older", true, false), VV_IO);
  assert_non_null(strstr(vv_ctx_message(r.ctx, 0), "written by visviva 9.9.9"));
  close_rig(&r);
}

/* ---- a full disk ---- */

/* In a program of its own, which must also end in good order: files may not grow beyond `bytes`.  0: as it should be. */
static int run_on_full_disk(rlim_t bytes)
{
  rig r;
  vv_report report = {0};
  const struct rlimit limit = {bytes, bytes};
  signal(SIGXFSZ, SIG_IGN);
  open_scene(&r, even);
  if (open_results(&r, "full", false, true) != VV_OK) return 1;
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 2;
  if (vv_sim_run(r.sim, &report) == VV_OK && report.reason != VV_REASON_OBSERVER) return 3;
  if (vv_ctx_message_count(r.ctx) < 1) return 4;
  if (strstr(vv_ctx_message(r.ctx, 0), "full/") == NULL) return 5;
  if (strstr(vv_ctx_message(r.ctx, 0), "File too large") == NULL) return 6;
  (void)!vv_results_close(r.results); /* may fail as well: the point is that it comes back */
  r.results = NULL;
  close_rig(&r);
  return 0;
}

static const char *program; /* argv[0] */

static void test_full_disk(void **state)
{
  (void)state;
  static const rlim_t bytes[] = {140000, 170000, 200000, 280000};
  for (int i = 0; i < VV_COUNT(bytes); i++) {
    int status = 0;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      char text[32];
      snprintf(text, sizeof text, "%llu", (unsigned long long)bytes[i]);
      execl(program, program, "--full-disk", text, (char *)NULL);
      _exit(10);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_false(vvi_exists("full/checkpoint.tmp"));
    run(even, "full", true, 0); /* somebody made room: on from the last checkpoint */
    assert_same_file("tables", "full", "ledger.csv");
    assert_same_file("tables", "full", "events.csv");
  }
}

/* ---- comparison, picture, small parts ---- */

static void test_compare(void **state)
{
  (void)state;
  rig r;
  vv_comparison c;
  run(even, "same_a", false, 0);
  run(even, "same_b", false, 0);
  run(odd, "rarer", false, 0);
  run(other, "differs", false, 0);
  run(even, "half", false, 100);
  open_scene(&r, even);
  assert_int_equal(vv_compare(r.ctx, "same_a", "same_b", &c), VV_OK);
  assert_true(c.difference == 0);
  assert_int_equal(c.rows, 201);
  assert_int_equal(c.frames, 201);
  assert_int_equal(vv_compare(r.ctx, "same_a", "rarer", &c), VV_OK);
  assert_int_equal(c.rows, 68); /* the rows they share agree; */
  assert_true(c.rows_a == 201 && c.rows_b == 68);
  assert_true(c.ledger == 0 && c.events == 0);
  assert_int_equal(c.frames, 30); /* that there are fewer frames is a difference */
  assert_true(c.difference >= 1 && c.positions >= 1);
  assert_non_null(strstr(c.where, "number of frames (201 and 30)"));
  assert_int_equal(vv_compare(r.ctx, "same_a", "differs", &c), VV_OK);
  assert_true(c.difference > 1e-6 && isfinite(c.difference));
  assert_true(c.positions > 0);
  assert_true(strlen(c.where) > 0);
  assert_int_equal(vv_compare(r.ctx, "half", "same_a", &c), VV_OK);
  assert_true(c.ledger >= 0.5);
  assert_int_equal(vv_compare(r.ctx, "same_a", "nowhere", &c), VV_IO);
  close_rig(&r);
}

/* Runs with different steps: rows and frames of one time belong together.  A free bar flies evenly: what differs
 * is rounding; with rows paired by their numbers it would be half the way. */
static void test_compare_steps(void **state)
{
  (void)state;
  rig r;
  vv_comparison c;
  run(FLIGHT("0.1"), "step_long", false, 0);
  run(FLIGHT("0.05"), "step_half", false, 0);
  open_scene(&r, even);
  assert_int_equal(vv_compare(r.ctx, "step_long", "step_half", &c), VV_OK);
  assert_int_equal(c.rows, 11);
  assert_int_equal(c.frames, 11);
  assert_true(c.difference < 1e-14);
  close_rig(&r);
}

/* A ball flies to a wall and back to where another one waits: their last frames agree, those between do not. */
static void test_compare_all_frames(void **state)
{
  (void)state;
  rig r;
  vv_comparison c;
  run(BOUNCE("0"), "stays", false, 0);
  run(BOUNCE("1"), "returns", false, 0);
  open_scene(&r, even);
  assert_int_equal(vv_compare(r.ctx, "stays", "returns", &c), VV_OK);
  assert_int_equal(c.frames, 9);
  assert_true(fabs(c.positions - 1.0) < 1e-12); /* 0.4 m of the way of 0.4 m */
  assert_non_null(strstr(c.where, "time"));
  close_rig(&r);
}

/* Bodies, nodes and frames that one folder has and the other has not: each is a difference and is said. */
static void test_compare_shapes(void **state)
{
  (void)state;
  static const char head[] = "visviva: 1\ntime: {end: 1, step: 0.1}\nbodies:\n";
  static const char *const body[] = {
      "  a: {kind: bar, tips: {first: lumped}, length: 10, elements: 20, material: {young: 1, density: 1},\n"
      "      section: {area: 1}, velocity: 0.1}\n",
      "  a: {kind: bar, tips: {first: lumped}, length: 10, elements: 10, material: {young: 1, density: 1},\n"
      "      section: {area: 1}, velocity: 0.1}\n",
      "  b: {kind: bar, tips: {first: lumped}, length: 10, elements: 20, material: {young: 1, density: 1},\n"
      "      section: {area: 1}, position: 20, velocity: 0.1}\n"};
  char a[1024], fewer[1024], b[1024], both[1024];
  rig r;
  vv_comparison c;
  snprintf(a, sizeof a, "%s%s", head, body[0]);
  snprintf(fewer, sizeof fewer, "%s%s", head, body[1]);
  snprintf(b, sizeof b, "%s%s", head, body[2]);
  snprintf(both, sizeof both, "%s%s%s", head, body[0], body[2]);
  run(a, "shape_a", false, 0);
  run(fewer, "shape_fewer", false, 0);
  run(b, "shape_b", false, 0);
  run(both, "shape_both", false, 0);
  open_scene(&r, a);
  assert_int_equal(vv_compare(r.ctx, "shape_a", "shape_fewer", &c), VV_OK);
  assert_true(c.difference >= 1);
  assert_non_null(strstr(c.where, "number of nodes of a (21 and 11)"));
  assert_int_equal(vv_compare(r.ctx, "shape_a", "shape_both", &c), VV_OK);
  assert_true(c.difference >= 1);
  assert_non_null(strstr(c.where, "only in the second: body b"));
  assert_int_equal(vv_compare(r.ctx, "shape_both", "shape_a", &c), VV_OK);
  assert_true(c.difference >= 1);
  assert_non_null(strstr(c.where, "only in the first: body b"));
  assert_int_equal(vv_compare(r.ctx, "shape_a", "shape_b", &c), VV_OK);
  assert_true(c.difference >= 1);
  assert_int_equal(open_results(&r, "shape_empty", false, true), VV_OK); /* no frame at all */
  assert_int_equal(vv_results_close(r.results), VV_OK);
  r.results = NULL;
  assert_int_equal(vv_compare(r.ctx, "shape_empty", "shape_a", &c), VV_OK);
  assert_true(c.difference >= 1);
  assert_non_null(strstr(c.where, "no common frame"));
  close_rig(&r);
}

static void overwrite(const char *path, const char *text)
{
  vvi_file f;
  assert_int_equal(vvi_file_create(NULL, path, &f), VV_OK);
  assert_int_equal(vvi_file_text(&f, text), VV_OK);
  assert_int_equal(vvi_file_close(&f), VV_OK);
}

/* Empty axes would look like a result. */
static void test_nothing_to_draw(void **state)
{
  (void)state;
  static const char *const garbage[] = {"", "nonsense\n", "time,total,closure\n", "time,total,closure\nx,y,z\n"};
  rig r;
  open_scene(&r, even);
  assert_int_equal(open_results(&r, "blank", false, true), VV_OK);
  assert_int_equal(vv_results_close(r.results), VV_OK);
  r.results = NULL;
  overwrite("blank/ledger.csv", "time,total,closure\n0,1,0\n");
  assert_int_equal(vv_picture_write(r.ctx, "blank", "blank/picture.svg"), VV_IO);
  assert_non_null(strstr(vv_ctx_message(r.ctx, 0), "no frame"));
  close_rig(&r);
  run(even, "garbage", false, 20);
  open_scene(&r, even);
  for (int i = 0; i < VV_COUNT(garbage); i++) {
    overwrite("garbage/ledger.csv", garbage[i]);
    vv_ctx_messages_clear(r.ctx);
    assert_int_equal(vv_picture_write(r.ctx, "garbage", "garbage/picture.svg"), VV_IO);
    assert_non_null(strstr(vv_ctx_message(r.ctx, 0), "garbage/ledger.csv: "));
  }
  assert_false(vvi_exists("garbage/picture.svg") || vvi_exists("blank/picture.svg"));
  close_rig(&r);
}

static void test_picture(void **state)
{
  (void)state;
  rig r;
  vvi_arena arena = {0};
  run(even, "picture", false, 0);
  open_scene(&r, even);
  assert_int_equal(vv_picture_write(r.ctx, "picture", "picture/run.svg"), VV_OK);
  assert_int_equal(vv_picture_write(r.ctx, "nowhere", "picture/none.svg"), VV_IO);
  assert_int_equal(vv_picture_write(r.ctx, "picture", "nowhere/run.svg"), VV_IO);
  const char *text = text_of(&arena, "picture", "run.svg");
  assert_true(strncmp(text, "<svg ", 5) == 0);
  assert_true(strlen(text) < 300000);
  assert_string_equal(text + strlen(text) - 7, "</svg>\n");
  vvi_arena_free(&arena);
  close_rig(&r);
}

static void test_numbers(void **state)
{
  (void)state;
  static const double value[] = {
      0.0, -0.0, 1, -1, 0.1, 1e300, -2.5e-310, 123456789012345.0, 1e15, 1e17, -7.25e-5, 0.78539816339744831};
  char text[32], plain[32];
  for (int i = 0; i < VV_COUNT(value); i++) {
    const int length = vvi_put_number(text, value[i]);
    assert_int_equal(length, strlen(text));
    snprintf(plain, sizeof plain, "%.17g", value[i]);
    assert_string_equal(text, plain);
    const double back = strtod(text, NULL);
    assert_memory_equal(&back, &value[i], sizeof back);
  }
  vvi_put_number(text, -NAN);
  assert_string_equal(text, "nan");
}

static void test_json(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_json j = {.status = VV_OK};
  char word[64];
  double value;
  assert_int_equal(vvi_file_create(NULL, "test.json", &j.file), VV_OK);
  vvi_json_open(&j, NULL, '{');
  vvi_json_text(&j, "a", "say \"}\" \\ \n");
  vvi_json_open(&j, "list", '[');
  vvi_json_number(&j, NULL, INFINITY);
  vvi_json_close(&j, ']');
  vvi_json_open(&j, "b", '{');
  vvi_json_flag(&j, "c", true);
  vvi_json_number(&j, "d", 0.5);
  vvi_json_close(&j, '}');
  vvi_json_close(&j, '}');
  assert_int_equal(j.status, VV_OK);
  assert_int_equal(vvi_file_close(&j.file), VV_OK);
  const char *text = text_of(&arena, ".", "test.json");
  assert_true(vvi_json_find_text(text, "a", word, sizeof word));
  assert_string_equal(word, "say \"}\" \\  ");
  assert_true(vvi_json_find_number(text, "b.d", &value) && value == 0.5);
  assert_false(vvi_json_find_number(text, "b.c", &value));
  assert_false(vvi_json_find_number(text, "d", &value));
  assert_false(vvi_json_find_number(text, "b", &value));
  assert_non_null(strstr(text, "null"));
  if (system("python3 -c pass") == 0) assert_int_equal(system("python3 -m json.tool test.json test.out"), 0);
  vvi_arena_free(&arena);
}

static void test_table_reader(void **state)
{
  (void)state;
  vvi_arena arena = {0};
  vvi_table t;
  vvi_file f;
  assert_int_equal(vvi_file_create(NULL, "test.csv", &f), VV_OK);
  assert_int_equal(vvi_file_text(&f, "# units\na,b,c\n1,\"x, \"\"y\"\"\",3\n# more\n\n4,5\n6,7,8,9\n1,2"), VV_OK);
  assert_int_equal(vvi_file_close(&f), VV_OK);
  assert_int_equal(vvi_table_read(NULL, &arena, "test.csv", &t), VV_OK);
  assert_int_equal(t.columns, 3);
  assert_int_equal(t.rows, 3); /* the last row has no line end: a killed run */
  const double *a = vvi_table_column(&t, "a"), *b = vvi_table_column(&t, "b"), *c = vvi_table_column(&t, "c");
  assert_true(a[0] == 1 && a[1] == 4 && a[2] == 6);
  assert_true(isnan(b[0]) && b[1] == 5 && b[2] == 7);
  assert_true(c[0] == 3 && isnan(c[1]) && c[2] == 8);
  assert_null(vvi_table_column(&t, "d"));
  vvi_arena_free(&arena);
}

int main(int argc, char **argv)
{
  program = argv[0];
  if (argc == 3 && strcmp(argv[1], "--full-disk") == 0) return run_on_full_disk((rlim_t)atoll(argv[2]));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_json),
      cmocka_unit_test(test_table_reader),
      cmocka_unit_test(test_tables),
      cmocka_unit_test(test_keys),
      cmocka_unit_test(test_rhythm),
      cmocka_unit_test(test_summary),
      cmocka_unit_test(test_paraview),
      cmocka_unit_test(test_refuses_used_folder),
      cmocka_unit_test(test_killed),
      cmocka_unit_test(test_many_events),
      cmocka_unit_test(test_most_events),
      cmocka_unit_test(test_stopped),
      cmocka_unit_test(test_damaged),
      cmocka_unit_test(test_refuses_checkpoint),
      cmocka_unit_test(test_other_version),
      cmocka_unit_test(test_full_disk),
      cmocka_unit_test(test_compare),
      cmocka_unit_test(test_compare_steps),
      cmocka_unit_test(test_compare_all_frames),
      cmocka_unit_test(test_picture),
      cmocka_unit_test(test_compare_shapes),
      cmocka_unit_test(test_nothing_to_draw),
      cmocka_unit_test(test_locked),
      cmocka_unit_test(test_unit_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
