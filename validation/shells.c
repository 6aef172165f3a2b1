/* validation/shells.c  The shell against exact and published solutions: a breathing sphere, plates, a pinched cylinder.
 *
 * Statics by steps: what one very short step gives to a shell at rest is the force on it; from differences of forces
 * conjugate gradients find where it would stay. */
#include "book.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024, SIZES = 3 };

/* ---- runs ---- */

typedef struct shell_run {
  vv_model *model;
  vv_state *state;
  vv_sim *sim;
  double step;
  int64_t nodes;
  double *rest, *now; /* [nodes][3] limits of the nodes */
} shell_run;

/* safety: step over the stable one */
static vv_status shell_open(vv_ctx *ctx, const char *body, const char *gravity, double safety, shell_run *r)
{
  char text[TEXT];
  int components;
  vv_spec *spec = NULL;
  *r = (shell_run){0};
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1, step: {safety: %g}}\nmethod: {step: leapfrog}\ngravity: %s\nbodies:\n"
           "  s: {kind: shell, %s}\n",
           safety, gravity, body);
  BOOK_TRY(vv_scene_parse(ctx, "shells", text, strlen(text), &spec));
  vv_status status = vv_compile(ctx, spec, &r->model, &r->state);
  vv_spec_destroy(spec);
  const vv_sim_def def = vv_sim_default();
  if (status == VV_OK) status = vv_sim_create(r->model, r->state, &def, &r->sim);
  if (status != VV_OK) return status;
  r->step = vv_model_step(r->model);
  r->nodes = vv_model_field_size(r->model, 0, "limit", &components);
  r->rest = calloc(6 * (size_t)r->nodes, sizeof(double));
  if (r->rest == NULL) return VV_NOMEM;
  r->now = r->rest + 3 * r->nodes;
  return vv_model_output(r->model, r->state, 0, "limit", r->rest);
}

static void shell_close(shell_run *r)
{
  vv_sim_destroy(r->sim);
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

static vv_status moved(shell_run *r, int64_t node, int c, double *out)
{
  BOOK_TRY(vv_model_output(r->model, r->state, 0, "limit", r->now));
  *out = r->now[3 * node + c] - r->rest[3 * node + c];
  return VV_OK;
}

static double dot(int64_t n, const double *x, const double *y)
{
  double s = 0.0;
  for (int64_t i = 0; i < n; i++) s += x[i] * y[i];
  return s;
}

/* What acts on the nodes at q: the momentum that one very short step gives to a shell at rest there, over its length. */
static vv_status force(shell_run *r, const double *q, double *f)
{
  vv_report report;
  memcpy(r->state->q, q, sizeof *q * (size_t)r->state->nq);
  memset(r->state->p, 0, sizeof *q * (size_t)r->state->np);
  BOOK_TRY(vv_sim_steps(r->sim, 1, &report));
  for (int64_t i = 0; i < r->state->np; i++) f[i] = r->state->p[i] / r->step;
  return report.reason == VV_REASON_DONE ? VV_OK : VV_ARG;
}

/* out = K z at q0, by a central difference of the forces; w: room for two vectors. */
static vv_status stiffness(shell_run *r, const double *q0, const double *z, double *w, double *out)
{
  const int64_t n = r->state->nq;
  double most = 0.0;
  for (int64_t i = 0; i < n; i++) most = fmax(most, fabs(z[i]));
  const double s = 1e-6 / most;
  for (int side = -1; side <= 1; side += 2) {
    for (int64_t i = 0; i < n; i++) w[i] = q0[i] + side * s * z[i];
    BOOK_TRY(force(r, w, side < 0 ? out : w + n));
  }
  for (int64_t i = 0; i < n; i++) out[i] = (out[i] - w[n + i]) / (2.0 * s);
  return VV_OK;
}

/* u with K u = f by conjugate gradients: small displacements under the loads of the scene.  w: room for eight vectors. */
static vv_status conjugate_gradients(shell_run *r, double *w)
{
  const int64_t n = r->state->nq;
  double *q0 = w, *u = w + n, *res = w + 2 * n, *d = w + 3 * n, *Kd = w + 4 * n, *room = w + 5 * n;
  memcpy(q0, r->state->q, sizeof *q0 * (size_t)n);
  BOOK_TRY(force(r, q0, res));
  memcpy(d, res, sizeof *d * (size_t)n);
  const double wanted = 1e-12 * dot(n, res, res);
  double rr = dot(n, res, res);
  for (int it = 0; it < 5000 && rr > wanted; it++) {
    BOOK_TRY(stiffness(r, q0, d, room, Kd));
    const double alpha = rr / dot(n, d, Kd);
    for (int64_t i = 0; i < n; i++) u[i] += alpha * d[i], res[i] -= alpha * Kd[i];
    const double next = dot(n, res, res);
    for (int64_t i = 0; i < n; i++) d[i] = res[i] + next / rr * d[i];
    rr = next;
  }
  for (int64_t i = 0; i < n; i++) r->state->q[i] = q0[i] + u[i];
  return VV_OK;
}

/* Displacement along c of the node nearest to x, at rest under the loads of the scene. */
static vv_status settle(shell_run *r, const double x[3], int c, double *out)
{
  double *w = calloc(8 * (size_t)r->state->nq, sizeof *w);
  vv_status status = w == NULL ? VV_NOMEM : conjugate_gradients(r, w);
  if (status == VV_OK) status = moved(r, nearest(r, x), c, out);
  free(w);
  return status;
}

/* ---- cases ---- */

typedef struct shell_case {
  const char *id, *text, *published, *evidence;
  const char *format; /* of the body, with two whole numbers */
  int size[SIZES][2];
  const char *gravity;
  double at[3];
  int direction;
  double scale, exact; /* measured: displacement times scale */
  double limit;        /* largest relative error of the finest mesh */
} shell_case;

#define PLATE_SCALE (1e6 * 1e-6 / (12.0 * 0.91) / (0.01 * 1e-4)) /* D/(rho h g), h 0.01, g 1e-4 */

static const shell_case list[] = {
    {"S1",
     "square plate, simply supported, uniform load: w D/(q L^4) at the middle",
     "0.00406235 (Timoshenko)",
     "8, 16 and 32 pieces a side, thickness L/100",
     "mesh: {rectangle: {size: [1, 1], pieces: [%d, %d]}}, thickness: 0.01, material: {young: 1e6, density: 1}, edges: "
     "[{hold: supported}]",
     {{8, 8}, {16, 16}, {32, 32}},
     "[0, 0, -1e-4]",
     {0, 0, 0},
     2,
     -PLATE_SCALE,
     0.00406235,
     0.01},
    {"S2",
     "square plate, clamped, uniform load: w D/(q L^4) at the middle",
     "0.00126532 (Timoshenko)",
     "8, 16 and 32 pieces a side, thickness L/100",
     "mesh: {rectangle: {size: [1, 1], pieces: [%d, %d]}}, thickness: 0.01, material: {young: 1e6, density: 1}, edges: "
     "[{hold: clamped}]",
     {{8, 8}, {16, 16}, {32, 32}},
     "[0, 0, -1e-4]",
     {0, 0, 0},
     2,
     -PLATE_SCALE,
     0.00126532,
     0.01},
    {"S3",
     "pinched cylinder with free ends: displacement under the load",
     "0.1139 (Ashwell and Sabir 1972)",
     "24 x 8, 48 x 20 and 96 x 36 pieces; R 4.953, L 10.35, thickness 0.094, loads 1e-3 of the published 100",
     "mesh: {cylinder: {radius: 4.953, height: 10.35, around: %d, along: %d}}, thickness: 0.094, material: {young: "
     "10.5e6, "
     "poisson: 0.3125, density: 1}, loads: [{at: [4.953, 0, 0], force: [-0.1, 0, 0]}, {at: [-4.953, 0, 0], force: "
     "[0.1, 0, "
     "0]}]",
     {{24, 8}, {48, 20}, {96, 36}},
     "[0, 0, 0]",
     {4.953, 0, 0},
     0,
     -1e3,
     0.1139,
     0.01},
};

static double order_of(const double error[SIZES])
{
  return log2(fabs(error[SIZES - 2] / error[SIZES - 1]));
}

static vv_status write_case(book_chapter *c, vv_ctx *ctx, const shell_case *k)
{
  double value[SIZES], error[SIZES];
  book_say(c, "%s: %s. Published %s.", k->id, k->text, k->published);
  book_columns(c, "pieces|measured|error");
  for (int i = 0; i < SIZES; i++) {
    char body[TEXT / 2];
    shell_run r;
    snprintf(body, sizeof body, k->format, k->size[i][0], k->size[i][1]);
    vv_status status = shell_open(ctx, body, k->gravity, 1e-5, &r);
    if (status == VV_OK) status = settle(&r, k->at, k->direction, &value[i]);
    shell_close(&r);
    if (status != VV_OK) return status;
    value[i] *= k->scale;
    error[i] = value[i] / k->exact - 1.0;
    book_row(c, "%d x %d|%s|%s", k->size[i][0], k->size[i][1], book_number(value[i], 5).s, book_percent(error[i]).s);
  }
  book_table_end(c);
  book_claim claim = {.id = k->id, .text = k->text, .published = k->published, .evidence = k->evidence};
  snprintf(claim.measured, sizeof claim.measured, "%s, off by %s; order %s", book_number(value[SIZES - 1], 5).s,
           book_percent(error[SIZES - 1]).s, book_fixed(order_of(error), 1).s);
  book_judge_below(&claim, fabs(error[SIZES - 1]), k->limit);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- the breathing sphere ---- */

/* omega R/sqrt(2 E/((1 - nu) rho)) from the time of the first maximum of the kinetic energy: a quarter of a period. */
static vv_status breathe(vv_ctx *ctx, int level, double *out)
{
  char body[TEXT / 2];
  shell_run r;
  vv_report report;
  snprintf(body, sizeof body,
           "mesh: {sphere: {radius: 1, level: %d}}, thickness: 0.05, material: {young: 2.1e5, density: 0.0785}", level);
  vv_status status = shell_open(ctx, body, "[0, 0, 0]", 0.2, &r);
  double k[3] = {0, 0, 0}, radius = 0.0;
  const double h = status == VV_OK ? vv_model_step(r.model) : 0.0;
  for (int64_t i = 0; status == VV_OK && i < r.nodes; i++)
    radius += sqrt(r.rest[3 * i] * r.rest[3 * i] + r.rest[3 * i + 1] * r.rest[3 * i + 1] +
                   r.rest[3 * i + 2] * r.rest[3 * i + 2]) /
              (double)r.nodes;
  for (int64_t i = 0; status == VV_OK && i < r.state->nq; i++) r.state->q[i] *= 1.0 + 1e-6;
  int64_t n = 0;
  for (; status == VV_OK && n < 100000 && k[2] >= k[1]; n++) {
    status = vv_sim_steps(r.sim, 1, &report);
    k[0] = k[1], k[1] = k[2], k[2] = vv_sim_ledger(r.sim)->now.kinetic;
  }
  const double shift = 0.5 * (k[0] - k[2]) / (k[0] - 2.0 * k[1] + k[2]), quarter = ((double)(n - 1) + shift) * h;
  *out = 1.5707963267948966 / quarter * radius / sqrt(2.0 * 2.1e5 / (0.7 * 0.0785));
  shell_close(&r);
  return status;
}

static vv_status write_sphere(book_chapter *c, vv_ctx *ctx)
{
  double value[SIZES], error[SIZES];
  book_say(c, "S4: a sphere is scaled by 1e-6 and let go; its radius breathes with omega^2 = 2 E/((1 - nu) rho R^2).");
  book_columns(c, "triangles|omega/exact|error");
  for (int i = 0; i < SIZES; i++) {
    BOOK_TRY(breathe(ctx, 3 + i, &value[i]));
    error[i] = value[i] - 1.0;
    book_row(c, "%d|%s|%s", 512 << 2 * i, book_fixed(value[i], 5).s, book_percent(error[i]).s);
  }
  book_table_end(c);
  book_claim claim = {.id = "S4",
                      .text = "breathing mode of a thin sphere: frequency over the exact one, second order in the mesh",
                      .published = "1, order 2",
                      .evidence = "octahedron of 512, 2048 and 8192 triangles, thickness R/20"};
  snprintf(claim.measured, sizeof claim.measured, "%s, order %s", book_fixed(value[SIZES - 1], 5).s,
           book_fixed(order_of(error), 1).s);
  book_judge_above(&claim, order_of(error), 1.8);
  book_add_claim(c, &claim);
  return VV_OK;
}

vv_status chapter_shells(book *b)
{
  book_chapter *c;
  BOOK_TRY(book_chapter_begin(b, "shells", "Thin shells: exact and published solutions",
                              "S. Timoshenko, S. Woinowsky-Krieger, Theory of plates and shells (1959); D. G. Ashwell, "
                              "A. B. Sabir, Int. J. Mech. Sci. 14 (1972) 171-183.",
                              &c));
  book_heading(c, "Statics");
  for (int i = 0; i < VV_COUNT(list); i++) BOOK_TRY(write_case(c, book_ctx(b), &list[i]));
  book_heading(c, "Dynamics");
  BOOK_TRY(write_sphere(c, book_ctx(b)));
  return book_chapter_end(c);
}
