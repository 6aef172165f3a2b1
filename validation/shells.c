/* validation/shells.c  The shell against exact and published solutions: plates, discs, a pinched cylinder and hemisphere, a
 * breathing sphere.
 *
 * Statics: K u = f by conjugate gradients, K from differences of the forces of the shell itself (tests/support/statics.h).
 * No stepper and no contact take part. */
#include "book.h"
#include "statics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024, SIZES = 3 };

/* ---- models ---- */

typedef struct shell_run {
  vv_model *model;
  vv_state *state;
  int64_t nodes;
  double *rest, *now; /* [nodes][3] limits of the nodes */
} shell_run;

/* safety: step over the stable one */
static vv_status shell_open(book *b, const char *body, const char *gravity, double safety, shell_run *r)
{
  char text[TEXT], name[TEXT];
  int components;
  vv_spec *spec = NULL;
  *r = (shell_run){0};
  snprintf(name, sizeof name, "%s/shells.yaml", book_folder(b)); /* meshes lie beside it */
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: {safety: %g}}\nmethod: {step: leapfrog}\ngravity: %s\nbodies:\n"
           "  s: {kind: shell, %s}\n",
           safety, gravity, body);
  BOOK_TRY(vv_scene_parse(book_ctx(b), name, text, strlen(text), &spec));
  const vv_status status = vv_compile(book_ctx(b), spec, &r->model, &r->state);
  vv_spec_destroy(spec);
  BOOK_TRY(status);
  r->nodes = vv_model_field_size(r->model, 0, "limit", &components);
  r->rest = calloc(6 * (size_t)r->nodes, sizeof(double));
  if (r->rest == NULL) return VV_NOMEM;
  r->now = r->rest + 3 * r->nodes;
  return vv_model_output(r->model, r->state, 0, "limit", r->rest);
}

static void shell_close(shell_run *r)
{
  vv_state_destroy(r->state);
  vv_model_destroy(r->model);
  free(r->rest);
}

static int64_t nearest(const shell_run *r, const double x[3])
{
  int64_t best = 0;
  double least = INFINITY;
  for (int64_t i = 0; i < r->nodes; i++) {
    double d = 0.0;
    for (int c = 0; c < 3; c++) d += (r->rest[3 * i + c] - x[c]) * (r->rest[3 * i + c] - x[c]);
    if (d < least) best = i, least = d;
  }
  return best;
}

/* ---- statics ---- */

/* Small displacements under the loads of the scene, added to the state.  What kicks a shell at rest are its loads alone. */
static vv_status settle(vv_ctx *ctx, shell_run *r, double size)
{
  const vv_block *b = &r->model->block[0];
  vv_block bare = *b; /* without loads: they would only add rounding to the differences */
  bare.n_load = 0;
  memset(bare.gravity, 0, sizeof bare.gravity);
  double *f = calloc(2 * (size_t)r->state->nq, sizeof *f), *u = f + r->state->nq;
  if (f == NULL) return VV_NOMEM;
  b->kind->kick(b, 0.0, 1.0, r->state->q, f);
  const int most = 60000;
  const bool found = statics_solve(&bare, r->state->q, f, size, 1e-7, most, u) >= 0;
  for (int64_t i = 0; i < r->state->nq; i++) r->state->q[i] += u[i];
  free(f);
  if (found) return VV_OK;
  return vvi_fail(ctx, VV_STOPPED, "statics of a shell: no solution after %d conjugate gradients", most);
}

/* ---- cases ---- */

typedef struct shell_case {
  const char *id, *text, *published, *evidence;
  const char *format; /* of the body, with two whole numbers */
  int size[SIZES][2];
  const char *gravity;
  double at[3];
  int direction;
  double difference;       /* m, of the nodes where forces are differenced */
  double scale, exact;     /* measured: displacement times scale */
  double published_spread; /* relative, of values in print; 0: the finest mesh is within 1 % */
  vv_status (*prepare)(const book *b, const int size[2]);
} shell_case;

/* The rim at the equator, rows staggered by half a piece up to the hole of 18 degrees about the pole. */
static vv_status write_hemisphere(const book *b, const int size[2])
{
  const double pi = 3.14159265358979323846, top = 0.4 * pi;
  const int around = size[0], along = size[1];
  char path[TEXT];
  snprintf(path, sizeof path, "%s/shells-hemisphere-%d-%d.obj", book_folder(b), around, along);
  FILE *f = fopen(path, "w");
  if (f == NULL) return VV_IO;
  for (int j = 0; j <= along; j++)
    for (int i = 0; i < around; i++) {
      const double a = 2.0 * pi * (i + 0.5 * (j % 2)) / around, z = top * j / along;
      fprintf(f, "v %.17g %.17g %.17g\n", 10.0 * cos(z) * cos(a), 10.0 * cos(z) * sin(a), 10.0 * sin(z));
    }
  for (int j = 0; j < along; j++)
    for (int i = 0; i < around; i++) {
      const int next = (i + 1) % around, low = around * j + 1, high = low + around;
      if (j % 2 == 0)
        fprintf(f, "f %d %d %d\nf %d %d %d\n", low + i, low + next, high + i, low + next, high + next, high + i);
      else
        fprintf(f, "f %d %d %d\nf %d %d %d\n", low + i, high + next, high + i, low + i, low + next, high + next);
    }
  return fclose(f) == 0 ? VV_OK : VV_IO;
}

#define PLATE       "thickness: 0.01, material: {young: 1e6, density: 1}, edges: [{hold: "
#define PLATE_SCALE (1e6 * 1e-6 / (12.0 * 0.91) / 0.01) /* D/(rho h g), h 0.01 */
#define PLATE_RUNS  "8, 16 and 32 pieces a side, thickness L/100"
#define DISC_RUNS   "6, 12 and 24 rings, thickness R/100"

static const shell_case list[] = {
    {.id = "T1",
     .text = "square plate, simply supported, uniform load (gravity): w D/(q L^4) at the middle",
     .published = "0.00406235 (Timoshenko)",
     .evidence = PLATE_RUNS,
     .format = "mesh: {rectangle: {size: [1, 1], pieces: [%d, %d]}}, " PLATE "supported}]",
     .size = {{8, 8}, {16, 16}, {32, 32}},
     .gravity = "[0, 0, -1]",
     .direction = 2,
     .difference = 1e-7,
     .scale = -PLATE_SCALE,
     .exact = 0.00406235},
    {.id = "T2",
     .text = "square plate, clamped, uniform load (gravity): w D/(q L^4) at the middle",
     .published = "0.00126532 (Timoshenko)",
     .evidence = PLATE_RUNS,
     .format = "mesh: {rectangle: {size: [1, 1], pieces: [%d, %d]}}, " PLATE "clamped}]",
     .size = {{8, 8}, {16, 16}, {32, 32}},
     .gravity = "[0, 0, -1]",
     .direction = 2,
     .difference = 1e-7,
     .scale = -PLATE_SCALE,
     .exact = 0.00126532},
    {.id = "T3",
     .text = "disc, simply supported, uniform load (gravity): w D/(q R^4) at the middle",
     .published = "(5 + nu)/(1 + nu)/64 = 0.0637019",
     .evidence = DISC_RUNS,
     .format = "mesh: {disc: {radius: 1, rings: %d}}, " PLATE "supported}]",
     .size = {{6, 0}, {12, 0}, {24, 0}},
     .gravity = "[0, 0, -1]",
     .direction = 2,
     .difference = 1e-7,
     .scale = -PLATE_SCALE,
     .exact = 5.3 / 1.3 / 64.0},
    {.id = "T4",
     .text = "disc, clamped, uniform load (gravity): w D/(q R^4) at the middle",
     .published = "1/64 = 0.015625",
     .evidence = DISC_RUNS,
     .format = "mesh: {disc: {radius: 1, rings: %d}}, " PLATE "clamped}]",
     .size = {{6, 0}, {12, 0}, {24, 0}},
     .gravity = "[0, 0, -1]",
     .direction = 2,
     .difference = 1e-7,
     .scale = -PLATE_SCALE,
     .exact = 1.0 / 64.0},
    {.id = "T8",
     .text = "the disc of T3 under `pressure`, which acts on the polyhedron of the limit points",
     .published = "(5 + nu)/(1 + nu)/64 = 0.0637019",
     .evidence = DISC_RUNS,
     .format = "mesh: {disc: {radius: 1, rings: %d}}, pressure: [{value: 0.01}], " PLATE "supported}]",
     .size = {{6, 0}, {12, 0}, {24, 0}},
     .gravity = "[0, 0, 0]",
     .direction = 2,
     .difference = 1e-7,
     .scale = PLATE_SCALE,
     .exact = 5.3 / 1.3 / 64.0},
    {.id = "T5",
     .text = "pinched cylinder with free ends: displacement under the load",
     .published = "0.1139 (Ashwell and Sabir 1972)",
     .evidence = "24 x 8, 48 x 20 and 96 x 36 pieces; R 4.953, L 10.35, thickness 0.094, E 10.5e6, nu 0.3125, forces "
                 "of 100",
     .format = "mesh: {cylinder: {radius: 4.953, height: 10.35, around: %d, along: %d}}, thickness: 0.094, material: "
               "{young: 10.5e6, poisson: 0.3125, density: 1}, loads: [{at: [4.953, 0, 0], force: [-100, 0, 0]}, {at: "
               "[-4.953, 0, 0], force: [100, 0, 0]}]",
     .size = {{24, 8}, {48, 20}, {96, 36}},
     .gravity = "[0, 0, 0]",
     .at = {4.953, 0, 0},
     .direction = 0,
     .difference = 1e-6,
     .scale = -1.0,
     .exact = 0.1139},
    {.id = "T6",
     .text = "pinched hemisphere with a hole of 18 degrees and free rims: radial displacement under the loads",
     .published = "0.0940 (MacNeal and Harder 1985); 0.0924 to 0.0940 since",
     .evidence =
         "64 x 16, 128 x 32 and 192 x 48 pieces; R 10, thickness 0.04, E 6.825e7, nu 0.3, four forces of 2 on the "
         "equator, in and out (1 each on a quarter)",
     .format = "mesh: {file: {path: shells-hemisphere-%d-%d.obj}}, thickness: 0.04, material: {young: 6.825e7, "
               "density: 1}, loads: [{at: [10, 0, 0], force: [2, 0, 0]}, {at: [-10, 0, 0], force: [-2, 0, 0]}, "
               "{at: [0, 10, 0], force: [0, -2, 0]}, {at: [0, -10, 0], force: [0, 2, 0]}]",
     .size = {{64, 16}, {128, 32}, {192, 48}},
     .gravity = "[0, 0, 0]",
     .at = {10, 0, 0},
     .direction = 0,
     .difference = 1e-6,
     .scale = 1.0,
     .exact = 0.0940,
     .published_spread = 0.017,
     .prepare = write_hemisphere},
};

static vv_status measure(book *b, const shell_case *k, const int size[2], double *value)
{
  char body[TEXT / 2];
  shell_run r = {0};
  if (k->prepare != NULL) BOOK_TRY(k->prepare(b, size));
  snprintf(body, sizeof body, k->format, size[0], size[1]);
  vv_status status = shell_open(b, body, k->gravity, 0.5, &r);
  if (status == VV_OK) status = settle(book_ctx(b), &r, k->difference);
  if (status == VV_OK) status = vv_model_output(r.model, r.state, 0, "limit", r.now);
  if (status == VV_OK) {
    const int64_t at = 3 * nearest(&r, k->at) + k->direction;
    *value = k->scale * (r.now[at] - r.rest[at]);
  }
  shell_close(&r);
  return status;
}

static vv_status write_case(book *b, book_chapter *c, const shell_case *k)
{
  double value[SIZES], error[SIZES];
  book_say(c, "%s: %s. Published %s.", k->id, k->text, k->published);
  book_columns(c, "pieces|measured|error");
  for (int i = 0; i < SIZES; i++) {
    BOOK_TRY(measure(b, k, k->size[i], &value[i]));
    error[i] = value[i] / k->exact - 1.0;
    char pieces[32];
    snprintf(pieces, sizeof pieces, k->size[i][1] > 0 ? "%d x %d" : "%d", k->size[i][0], k->size[i][1]);
    book_row(c, "%s|%s|%s", pieces, book_number(value[i], 5).s, book_percent(error[i]).s);
  }
  book_table_end(c);
  book_claim claim = {.id = k->id, .text = k->text, .published = k->published, .evidence = k->evidence};
  snprintf(claim.measured, sizeof claim.measured, "%s; off by %s, %s, %s", book_number(value[SIZES - 1], 5).s,
           book_percent(error[0]).s, book_percent(error[1]).s, book_percent(error[2]).s);
  if (k->published_spread > 0.0) {
    book_judge_exact(&claim, fabs(error[SIZES - 1]), k->published_spread);
    snprintf(claim.rule, sizeof claim.rule, "off by at most %s on the finest mesh, as much as published values differ",
             book_percent(k->published_spread).s);
  } else {
    const bool falls = fabs(error[1]) < fabs(error[0]) && fabs(error[2]) < fabs(error[1]);
    book_judge_exact(&claim, falls ? fabs(error[SIZES - 1]) : INFINITY, 0.01);
    snprintf(claim.rule, sizeof claim.rule, "off by at most 1 %% on the finest mesh, and less from mesh to mesh");
  }
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- the breathing sphere ---- */

/* omega R/sqrt(2 E/((1 - nu) rho)) from the time of the first maximum of the kinetic energy: a quarter of a period. */
static vv_status breathe(book *b, int level, double *out)
{
  char body[TEXT / 2];
  shell_run r = {0};
  vv_sim *sim = NULL;
  const vv_sim_def def = vv_sim_default();
  vv_report report;
  snprintf(body, sizeof body,
           "mesh: {sphere: {radius: 1, level: %d}}, thickness: 0.05, material: {young: 2.1e5, density: 0.0785}", level);
  vv_status status = shell_open(b, body, "[0, 0, 0]", 0.2, &r);
  double k[3] = {0, 0, 0}, radius = 0.0;
  const double h = status == VV_OK ? vv_model_step(r.model) : 0.0;
  for (int64_t i = 0; status == VV_OK && i < r.nodes; i++)
    radius += sqrt(r.rest[3 * i] * r.rest[3 * i] + r.rest[3 * i + 1] * r.rest[3 * i + 1] +
                   r.rest[3 * i + 2] * r.rest[3 * i + 2]) /
              (double)r.nodes;
  for (int64_t i = 0; status == VV_OK && i < r.state->nq; i++) r.state->q[i] *= 1.0 + 1e-6;
  if (status == VV_OK) status = vv_sim_create(r.model, r.state, &def, &sim);
  int64_t n = 0;
  for (; status == VV_OK && n < 100000 && k[2] >= k[1]; n++) {
    status = vv_sim_steps(sim, 1, &report);
    k[0] = k[1], k[1] = k[2], k[2] = vv_sim_ledger(sim)->now.kinetic;
  }
  const double shift = 0.5 * (k[0] - k[2]) / (k[0] - 2.0 * k[1] + k[2]), quarter = ((double)(n - 1) + shift) * h;
  *out = 1.5707963267948966 / quarter * radius / sqrt(2.0 * 2.1e5 / (0.7 * 0.0785));
  vv_sim_destroy(sim);
  shell_close(&r);
  return status;
}

static vv_status write_sphere(book *b, book_chapter *c)
{
  static const double size[SIZES] = {4, 2, 1}; /* of a triangle */
  double value[SIZES], error[SIZES];
  book_say(c, "T7: a sphere is scaled by 1e-6 and let go; its radius breathes with omega^2 = 2 E/((1 - nu) rho R^2).");
  book_columns(c, "triangles|omega/exact|error");
  for (int i = 0; i < SIZES; i++) {
    BOOK_TRY(breathe(b, 3 + i, &value[i]));
    error[i] = value[i] - 1.0;
    book_row(c, "%d|%s|%s", 512 << 2 * i, book_fixed(value[i], 5).s, book_percent(error[i]).s);
  }
  book_table_end(c);
  book_claim claim = {.id = "T7",
                      .text = "breathing mode of a thin sphere: frequency over the exact one, second order in the mesh",
                      .published = "1, order 2",
                      .evidence = "octahedron of 512, 2048 and 8192 triangles, thickness R/20"};
  for (int i = 0; i < SIZES; i++) error[i] = fabs(error[i]);
  snprintf(claim.measured, sizeof claim.measured, "%s", book_fixed(value[SIZES - 1], 5).s);
  claim.kind = BOOK_TARGET;
  book_judge_rate(&claim, 2.0, SIZES, size, error);
  book_add_claim(c, &claim);
  return VV_OK;
}

vv_status chapter_shells(book *b)
{
  book_chapter *c;
  BOOK_TRY(book_chapter_begin(b, "shells", "Thin shells: exact and published solutions",
                              "S. Timoshenko, S. Woinowsky-Krieger, Theory of plates and shells (1959); D. G. Ashwell, "
                              "A. B. Sabir, Int. J. Mech. Sci. 14 (1972) 171-183; R. H. MacNeal, R. L. Harder, Finite "
                              "Elements in Analysis and Design 1 (1985) 3-20.",
                              &c));
  book_heading(c, "Statics");
  book_say(
      c, "The kinds of border show in the orders: supported and clamped ones are of second order, a free one of first "
         "order in a strip of one element (docs/theory/shell.md), which T5 and T6 carry. The series of T6 settles "
         "near 0.0934, inside what is published; no single value is agreed on.");
  for (int i = 0; i < VV_COUNT(list); i++)
    if (book_wants(c, list[i].id)) BOOK_TRY(write_case(b, c, &list[i]));
  book_heading(c, "Dynamics");
  BOOK_TRY(write_sphere(b, c));
  return book_chapter_end(c);
}
