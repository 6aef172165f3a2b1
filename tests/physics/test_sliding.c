/* physics/test_sliding.c  What slides to rest on a floor, against its exact way.
 *
 * Friction is mu times the normal impulse wherever all points slide along x, whatever chatters between: m x" = -mu N and
 * m z" = N - m g give
 *     x + mu (z - z0) = v t - mu g t^2/2   [contact 24c]   of the centre of mass, of a body that bends, bounces and was dropped too,
 * until it stops, at v^2/(2 mu g) + mu (z0 - z).  Drifts in the middle of which the speed is v - mu g (n + 1/2) h follow this to
 * rounding; they end in the step in which it stops, too early by at most half of (h/2)^2 mu g. */
#include "check.h"
#include "run.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 2000 };

static const double mu = 0.4, g = 9.81, v = 0.5;

#define FLOOR "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n"
#define TABLE "  floor: {kind: rigid, fixed: true, shape: {box: {size: [4, 2, 0.5]}}, position: [0, 0, -0.25]}\n"
#define SHEET                                                                                                          \
  "  floor: {kind: shell, mesh: {rectangle: {size: [1, 1], pieces: [1, 1]}}, thickness: 0.01, material: {young: 1e7, " \
  "poisson: 0.3, density: 1000}, edges: [{hold: clamped}], centre: [0.1, 0, 0]}\n"
#define MATTER "material: {young: 1e6, poisson: 0.3, density: 1000}"
#define PLATE \
  "kind: shell, mesh: {rectangle: {size: [0.4, 0.3], pieces: [4, 4]}}, thickness: 0.01, " MATTER ", centre: "
#define BEAM                                                                                              \
  "kind: beam, length: 0.4, elements: 6, axis: [1, 0, 0], normal: [0, 0, 1], section: {circle: {radius: " \
  "0.01}}, " MATTER ", position: "
#define BOX "kind: rigid, shape: {box: {size: [0.4, 0.3, 0.02]}}, density: 1000, position: "

/* Where it is put is z0 above where it would touch; what touches from the start may not lie on a body that is no obstacle. */
typedef struct slide {
  const char *name, *floor, *body, *at;
  double drop, e;
  bool thick, em; /* em: in energy-momentum steps, too */
  /* Part of the way that a body may be off by that moments of friction, or its own round section, bend: it rings, and not all points
   * stop at once.  Set after seeing results (1.4e-5); the table was off by 2e-3 when the moment was shared by all four. */
  double bend;
} slide;

static const slide row[] = {
    {"plate", FLOOR, PLATE, "0, 0, ", 0.0, 0.0, false, true, 0.0},
    {"plate, e = 0.5", FLOOR, PLATE, "0, 0, ", 0.0, 0.5, false, true, 0.0},
    {"plate, dropped", FLOOR, PLATE, "0, 0, ", 1e-4, 0.0, false, false, 0.0},
    {"plate, dropped, e = 0.5", FLOOR, PLATE, "0, 0, ", 1e-4, 0.5, false, false, 0.0},
    {"thick plate on a table", TABLE, PLATE, "0, 0, 0.005+", 1e-6, 0.0, true, false, 1e-6},
    {"thick plate on a sheet", SHEET, PLATE, "0, 0, 0.010+", 1e-6, 0.0, true, false, 2e-5},
    {"beam", FLOOR, BEAM, "-0.2, 0, 0.010+", 0.0, 0.0, false, true, 2e-5},
    {"box", FLOOR, BOX, "0, 0, 0.010+", 0.0, 0.0, false, true, 0.0},
    {"box, dropped", FLOOR, BOX, "0, 0, 0.010+", 1e-4, 0.0, false, false, 0.0},
};

/* The centre of mass of what moves at first: momenta of the start are masses times v. */
static void centre(const run_record *r, const double *q, double out[2])
{
  double mass = 0.0;
  out[0] = out[1] = 0.0;
  for (int i = 0; i < r->model->n_block; i++) {
    const vv_block *b = &r->model->block[i];
    for (int64_t k = 0; b->kind->node_p >= 3 && k < b->nodes; k++) {
      const double m = r->initial->p[b->p0 + k];
      const double *at = q + b->q0 + k;
      mass += m, out[0] += m * at[0], out[1] += m * at[2 * b->column];
    }
  }
  out[0] /= mass, out[1] /= mass;
}

static run_record begin(const slide *k, const char *step, double h, double end)
{
  char text[TEXT], at[64];
  double up = 0.0;
  const char *comma = strrchr(k->at, ',');
  if (comma != NULL) sscanf(comma + 1, "%lf", &up);
  snprintf(at, sizeof at, "[%.*s, %.17g]", (int)(comma - k->at), k->at, up + k->drop);
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: %.17g, step: %.17g}\nmethod: {step: %s}\ngravity: [0, 0, %.17g]\n"
           "contacts: [{restitution: %g, friction: %g, self: false%s}]\nbodies:\n%s  a: {%s%s, velocity: [%g, 0, 0]}\n",
           end, h, step, -g, k->e, mu, k->thick ? ", thickness: true" : "", k->floor, k->body, at, v);
  return run_prepare(text, &(run_options){.threads = 1});
}

/* Steps of which the last but some end before it stops: nine tenths of the time. */
static void slides(const slide *k, const char *step, int steps)
{
  const double h = 0.9 * v / (mu * g) / steps, t = h * steps, way = v * t - 0.5 * mu * g * t * t;
  run_record r = begin(k, step, h, t);
  double from[2], to[2];
  vv_report report;
  assert_int_equal(vv_sim_steps(r.sim, steps, &report), VV_OK);
  centre(&r, r.initial->q, from), centre(&r, r.state->q, to);
  const double off = (to[0] - from[0] + mu * (to[1] - from[1])) / way - 1.0;
  print_message("  %-24s %-16s %4d steps: off by %.1e\n", k->name, step, steps, off);
  check_most(fabs(off), fmax(k->bend, 1e-9));
  run_free(&r);
}

static void test_slides(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    slides(&row[i], "leapfrog", 300);
    if (row[i].em) slides(&row[i], "energy-momentum", 100);
  }
}

/* With n + th steps until it stops the drifts end mu g h^2 min(th, 1 - th)^2/2 too early; what is dropped goes mu times its fall farther. */
static void stops(const slide *k, int steps)
{
  const double end = 1.1 * v / (mu * g), h = end / steps;
  run_record r = begin(k, "leapfrog", h, end);
  double from[2], to[2];
  vv_report report;
  assert_int_equal(vv_sim_steps(r.sim, steps, &report), VV_OK);
  centre(&r, r.initial->q, from), centre(&r, r.state->q, to);
  const double way = v * v / (2.0 * mu * g), off = to[0] - from[0] + mu * (to[1] - from[1]) - way;
  const double rest = v / (mu * g * h), part = fabs(rest - round(rest)), early = 0.5 * mu * g * h * h * part * part;
  const vv_ledger *l = run_ledger(&r);
  print_message("  %-24s %4d steps: off by %.3e of %.3f (%.3e), closure %.1e\n", k->name, steps, off, way, -early,
                l->closure);
  check_near(off, -early, fmax(k->bend, 1e-9) * way);
  check_most(fabs(l->closure), k->bend > 0.0 ? 1e-5 : 1e-9); /* what rings has the energy error of the leapfrog */
  run_free(&r);
}

static void test_stops(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    for (int steps = 337; steps <= 674; steps *= 2) stops(&row[i], steps);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_slides), cmocka_unit_test(test_stops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
