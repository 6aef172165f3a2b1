/* validation/crowds.c  Crowds of hollow cubes, and a ball on a plate: every pair of triangles is tested every few hundred
 * steps by a program that knows nothing of the search; energy, losses and momenta against the numbers of an independent
 * program.  Crowds are chaotic: what is compared does not depend on the path. */
#include "book.h"
#include "sheets.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { EVERY = 200, LAWS = 4, ORDERS = 4, ROWS = 64 };

static const double law[LAWS][2] = {{1, 0}, {1, 0.5}, {0.5, 0}, {0.5, 0.5}}; /* e, mu */

/* ---- scenes ---- */

/* 0 .. 1 */
static double noise(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

/* A uniform rotation as axis times angle, by a random unit quaternion (Shoemake 1992). */
static void turn(uint64_t *seed, double r[3])
{
  const double tau = 6.283185307179586, u = noise(seed), a = tau * noise(seed), b = tau * noise(seed);
  const double w = sqrt(u) * cos(b), v[3] = {sqrt(1 - u) * sin(a), sqrt(1 - u) * cos(a), sqrt(u) * sin(b)};
  const double size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), angle = 2 * atan2(size, w);
  for (int c = 0; c < 3; c++) r[c] = size > 0 ? angle * v[c] / size : 0;
}

/* n^3 cubes at `pitch`, turned at random where seed > 0, that fly towards their middle: -20/s times the distance. */
static char *imploding(int n, double pitch, uint64_t seed)
{
  char *text = NULL;
  size_t length = 0;
  FILE *f = open_memstream(&text, &length);
  if (f == NULL) return NULL;
  fprintf(f, "visviva: 1\ntime: {end: 0.01, step: 5e-6}\nmethod: {step: leapfrog}\ncontacts: [{restitution: 1, "
             "friction: 0}]\nbodies:\n  cubes: {kind: shell, mesh: {cube: {edge: 1, pieces: 4}}, thickness: 0.05, "
             "material: {young: 2.1e5, poisson: 0.3, density: 0.7085}, copies: [");
  for (int i = 0; i < n * n * n; i++) {
    const int at[3] = {i % n, i / n % n, i / n / n};
    double x[3], r[3] = {0};
    for (int c = 0; c < 3; c++) x[c] = pitch * (at[c] - 0.5 * (n - 1));
    if (seed > 0) turn(&seed, r);
    fprintf(f, "%s{centre: [%.9g, %.9g, %.9g], rotation: [%.9g, %.9g, %.9g], velocity: [%.9g, %.9g, %.9g]}",
            i == 0 ? "" : ", ", x[0], x[1], x[2], r[0], r[1], r[2], -20 * x[0], -20 * x[1], -20 * x[2]);
  }
  fprintf(f, "]}\n");
  if (fclose(f) == 0) return text;
  free(text);
  return NULL;
}

/* ---- cases ---- */

typedef struct crowd_case {
  const char *name;
  const char *file;          /* of examples/cirak2005; NULL: imploding cubes */
  const char *place;         /* of the single cube; NULL: as it is */
  int n;                     /* imploding: cubes along an edge */
  double pitch;              /* m */
  uint64_t seed;             /* 0: not turned */
  const char *end;           /* s */
  int laws;                  /* the first so many */
  double energy, lost[LAWS]; /* of the independent program: error at the end for e = 1, mu = 0; losses.  0: not given */
} crowd_case;

/* Cubes: the five of the paper in four layouts; 76 in a layout of our own, as the paper gives none. */
static const crowd_case list[] = {
    {.name = "5 cubes, layout 1", .file = "five-cubes.yaml", .laws = LAWS, .energy = 1.7e-6},
    {.name = "5 cubes, layout 2",
     .file = "five-cubes.yaml",
     .place = "[-1.25, 1.2, 1.3]",
     .laws = LAWS,
     .energy = 1.7e-6},
    {.name = "5 cubes, layout 3",
     .file = "five-cubes.yaml",
     .place = "[-1.3, 1.1, 1.2]",
     .laws = LAWS,
     .energy = 1.7e-6},
    {.name = "5 cubes, layout 4",
     .file = "five-cubes.yaml",
     .place = "[-1.15, 1.3, 1.15]",
     .laws = LAWS,
     .energy = 1.7e-6},
    {.name = "27 cubes",
     .n = 3,
     .pitch = 1.05,
     .end = "0.01",
     .laws = LAWS,
     .energy = 2.9e-6,
     .lost = {0, 0.264, 0.297, 0.391}},
    {.name = "64 cubes",
     .n = 4,
     .pitch = 1.05,
     .end = "0.02",
     .laws = LAWS,
     .energy = 1.8e-6,
     .lost = {0, 0.271, 0.238, 0.336}},
    {.name = "27 turned, seed 1",
     .n = 3,
     .pitch = 1.75,
     .seed = 1,
     .end = "0.05",
     .laws = LAWS,
     .energy = 2.8e-6,
     .lost = {0, 0, 0, 0.43}},
    {.name = "27 turned, seed 2",
     .n = 3,
     .pitch = 1.75,
     .seed = 2,
     .end = "0.05",
     .laws = LAWS,
     .energy = 2.8e-6,
     .lost = {0, 0, 0, 0.43}},
    {.name = "76 cubes, t = 0.03", .file = "cubes-76.yaml", .laws = LAWS, .energy = 5.2e-7},
    {.name = "76 cubes, t = 0.21", .file = "cubes-76.yaml", .end = "0.21", .laws = 1, .energy = 8.7e-7},
    {.name = "ball and plate", .file = "sphere-plate.yaml", .laws = LAWS},
};

typedef struct crowd_run {
  const crowd_case *of;
  int law;
  double end, transient;          /* closure of energy and losses: at the end, largest */
  double momentum, spin;          /* largest drifts */
  double rubbed, thrown, pushed;  /* friction, restitution, pushes, over the energy */
  double nearest, stored;         /* over the guard; largest strain energy over the energy */
  int64_t crossed, samples;       /* pairs of triangles that intersect; looks */
  int64_t impulses, sweeps, open; /* sweeps: most of a step; open: steps unresolved, crossings without a row */
} crowd_run;

static vv_status look(const vv_view *v, void *user)
{
  crowd_run *r = user;
  r->crossed += sheet_intersections(v->model, v->state);
  r->samples++;
  r->stored = fmax(r->stored, v->ledger->now.strain);
  return VV_OK;
}

static void note(const vv_sim *sim, crowd_run *r)
{
  const vv_ledger *l = vv_sim_ledger(sim);
  const vvi_sheet_counts *c = &sim->step.sheets->count;
  const double all = l->energy_scale;
  r->end = l->closure, r->transient = l->max_closure;
  r->momentum = l->max_p_drift, r->spin = l->max_L_drift;
  r->rubbed = vv_sum_value(&l->posted.friction_loss) / all, r->thrown = vv_sum_value(&l->posted.restitution_loss) / all;
  r->pushed = c->pushed / all, r->nearest = c->nearest, r->stored /= all;
  r->impulses = c->impulses, r->sweeps = c->most_sweeps, r->open = c->unresolved + c->rowless;
}

static vv_status run(vv_ctx *ctx, const vv_spec *spec, crowd_run *r)
{
  vv_model *m = NULL;
  vv_state *s = NULL;
  vv_sim *sim = NULL;
  vv_report report;
  const vv_sim_def def = vv_sim_default();
  vv_status status = vv_compile(ctx, spec, &m, &s);
  if (status == VV_OK) status = vv_sim_create(m, s, &def, &sim);
  if (status == VV_OK) status = vv_sim_observe(sim, EVERY, look, r);
  if (status == VV_OK) status = vv_sim_run(sim, &report);
  if (status == VV_OK && report.reason != VV_REASON_DONE) status = VV_STOPPED;
  if (status == VV_OK) note(sim, r);
  vv_sim_destroy(sim);
  vv_state_destroy(s);
  vv_model_destroy(m);
  return status;
}

static vv_status open_case(vv_ctx *ctx, const crowd_case *k, vv_spec **spec)
{
  if (k->file != NULL) {
    char path[1024];
    snprintf(path, sizeof path, "%s/cirak2005/%s", VV_EXAMPLES_DIR, k->file);
    return vv_scene_read(ctx, path, spec);
  }
  char *text = imploding(k->n, k->pitch, k->seed);
  if (text == NULL) return VV_NOMEM;
  const vv_status status = vv_scene_parse(ctx, "crowd", text, strlen(text), spec);
  free(text);
  return status;
}

static vv_status run_case(vv_ctx *ctx, const crowd_case *k, int l, const char *step, crowd_run *r)
{
  vv_spec *spec = NULL;
  char e[32], mu[32];
  snprintf(e, sizeof e, "%g", law[l][0]);
  snprintf(mu, sizeof mu, "%g", law[l][1]);
  *r = (crowd_run){.of = k, .law = l};
  vv_status status = open_case(ctx, k, &spec);
  if (status == VV_OK) status = vv_spec_set(spec, "contacts[0].restitution", e);
  if (status == VV_OK) status = vv_spec_set(spec, "contacts[0].friction", mu);
  if (status == VV_OK && k->place != NULL) status = vv_spec_set(spec, "bodies.single.centre", k->place);
  if (status == VV_OK && k->end != NULL) status = vv_spec_set(spec, "time.end", k->end);
  if (status == VV_OK && step != NULL) status = vv_spec_set(spec, "time.step", step);
  if (status == VV_OK) status = run(ctx, spec, r);
  vv_spec_destroy(spec);
  return status;
}

vv_status chapter_crowds(book *b)
{
  crowd_run r;
  for (int i = 0; i < VV_COUNT(list); i++)
    for (int l = 0; l < list[i].laws; l++) {
      BOOK_TRY(run_case(book_ctx(b), &list[i], l, NULL, &r));
      printf("%-20s e %.1f mu %.1f end %+.1e max %.1e P %.1e L %.1e fric %.1f rest %.1f push %.0e near %.2f W %.0f int "
             "%ld/%ld imp %ld sweeps %ld open %ld  cpu %.1f\n",
             list[i].name, law[l][0], law[l][1], r.end, r.transient, r.momentum, r.spin, 100 * r.rubbed, 100 * r.thrown,
             r.pushed, r.nearest, 100 * r.stored, (long)r.crossed, (long)r.samples, (long)r.impulses, (long)r.sweeps,
             (long)r.open, (double)clock() / CLOCKS_PER_SEC);
      fflush(stdout);
    }
  const char *const step[ORDERS] = {"5e-6", "1e-5", "2e-5", "4e-5"};
  for (int k = 0; k < ORDERS; k++) {
    BOOK_TRY(run_case(book_ctx(b), &list[4], 0, step[k], &r));
    printf("%s %g %g\n", step[k], r.end, r.transient);
  }
  return VV_OK;
}
