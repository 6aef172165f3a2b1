/* validation/crowds.c  Crowds of hollow cubes, and a ball on a plate: every pair of triangles is tested every few hundred
 * steps by a program that knows nothing of the search; energy, losses and momenta against the numbers of an independent
 * program.  Crowds are chaotic: what is compared does not depend on the path. */
#include "book.h"
#include "sheets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EVERY = 200, LAWS = 4, ORDERS = 4 };

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

/* n^3 cubes at `pitch` that fly towards their middle with 20 m/s; turned at random, about every axis by up to `lean`, or
 * (0) anyhow: faces that meet exactly aligned are a case that nature does not know. */
static char *imploding(int n, double pitch, double lean, uint64_t seed)
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
    double x[3], r[3], far = 0;
    for (int c = 0; c < 3; c++) x[c] = pitch * (at[c] - 0.5 * (n - 1)), far = hypot(far, x[c]);
    const double pull = far > 0 ? -20 / far : 0;
    turn(&seed, r);
    for (int c = 0; c < 3 && lean > 0; c++) r[c] = lean * (2 * noise(&seed) - 1);
    fprintf(f, "%s{centre: [%.9g, %.9g, %.9g], rotation: [%.9g, %.9g, %.9g], velocity: [%.9g, %.9g, %.9g]}",
            i == 0 ? "" : ", ", x[0], x[1], x[2], r[0], r[1], r[2], pull * x[0], pull * x[1], pull * x[2]);
  }
  fprintf(f, "]}\n");
  if (fclose(f) == 0) return text;
  free(text);
  return NULL;
}

/* ---- cases ---- */

typedef struct crowd_case {
  const char *name;
  const char *file;   /* of examples/cirak2005; NULL: imploding cubes */
  const char *place;  /* of the single cube; NULL: as it is */
  const char *turn;   /* of the ball; NULL: as it is */
  int n;              /* imploding: cubes along an edge */
  double pitch, lean; /* m, rad */
  uint64_t seed;
  const char *end;           /* s */
  int laws;                  /* the first so many */
  double energy, lost[LAWS]; /* of the independent program: error at the end for e = 1, mu = 0; losses.  0: not given */
  double stored;             /* of that: peak of the strain energy over the energy */
} crowd_case;

/* Cubes: the five of the paper in four layouts; 76 in a layout of our own, as the paper gives none. */
enum { SEVERAL_STEPS = 4 }; /* which of them is run with several steps */
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
    [SEVERAL_STEPS] = {.name = "27 cubes",
                       .n = 3,
                       .pitch = 1.05,
                       .lean = 0.02,
                       .seed = 1,
                       .end = "0.01",
                       .laws = LAWS,
                       .energy = 2.9e-6,
                       .lost = {0, 0.264, 0.297, 0.391}},
    {.name = "64 cubes",
     .n = 4,
     .pitch = 1.05,
     .lean = 0.02,
     .seed = 1,
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
    {.name = "ball, node ahead", .file = "sphere-plate.yaml", .turn = "[0, 0, 0]", .laws = 1, .stored = 0.643},
};

typedef struct crowd_run {
  const crowd_case *of;
  int law;
  double end, transient;          /* closure of energy and losses: at the end, largest */
  double momentum, spin;          /* largest drifts */
  double rubbed, thrown, pushed;  /* friction, restitution, pushes, over the energy */
  double stored;                  /* largest strain energy over the energy */
  int64_t crossed, samples;       /* pairs of triangles that intersect; looks */
  int64_t impulses, frozen, open; /* frozen: islands moved as one piece; open: steps that ended with a pair violated */
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
  const vvi_contact_counts *c = contact_counts(sim);
  const double all = l->energy_scale;
  r->end = l->closure, r->transient = l->max_closure;
  r->momentum = l->max_p_drift, r->spin = l->max_L_drift;
  r->rubbed = vv_sum_value(&l->posted.friction_loss) / all, r->thrown = vv_sum_value(&l->posted.restitution_loss) / all;
  r->pushed = contact_lent(sim) / all, r->stored /= all;
  r->impulses = l->impacts + l->held, r->frozen = c->frozen, r->open = c->unresolved;
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
  char *text = imploding(k->n, k->pitch, k->lean, k->seed);
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
  if (status == VV_OK && k->turn != NULL) status = vv_spec_set(spec, "bodies.ball.rotation", k->turn);
  if (status == VV_OK && k->end != NULL) status = vv_spec_set(spec, "time.end", k->end);
  if (status == VV_OK && step != NULL) status = vv_spec_set(spec, "time.step", step);
  if (status == VV_OK) status = run(ctx, spec, r);
  vv_spec_destroy(spec);
  return status;
}

/* ---- tables ---- */

typedef struct crowd_runs {
  int n;
  crowd_run of[VV_COUNT(list) * LAWS];
  crowd_run order[ORDERS];
} crowd_runs;

static const char *const step[ORDERS] = {"5e-6", "1e-5", "2e-5", "4e-5"};

static vv_status run_all(vv_ctx *ctx, crowd_runs *r)
{
  for (int i = 0; i < VV_COUNT(list); i++)
    for (int l = 0; l < list[i].laws; l++) BOOK_TRY(run_case(ctx, &list[i], l, NULL, &r->of[r->n++]));
  for (int k = 0; k < ORDERS; k++) BOOK_TRY(run_case(ctx, &list[SEVERAL_STEPS], 0, step[k], &r->order[k]));
  return VV_OK;
}

/* What the independent program lost, in percent. */
static book_text lost_there(const crowd_run *k)
{
  book_text none = {"-"};
  return k->of->lost[k->law] > 0 ? book_fixed(100 * k->of->lost[k->law], 1) : none;
}

static void tables(book_chapter *c, const crowd_runs *r)
{
  book_heading(c, "The runs");
  book_say(
      c,
      "Cubes of 192 triangles, edge 1, thickness 0.05, density 0.7085, step 5e-6; ball and plate 512 and 6144 "
      "triangles, step 2e-7. Self-contact is on. 27 and 64 cubes stand 1.05 apart, each turned by up to 0.02 rad "
      "about every axis, and fly towards their middle with 20 m/s; `turned` ones stand 1.75 apart in any "
      "orientation. Energy: with all losses; momenta relative to the sum of their absolute values; pushed: "
      "the most energy lent to pairs that are pressed together, booked; frozen: sets of contacts moved as one piece "
      "because nothing else helped. All pairs of triangles are tested every %d steps.",
      EVERY);
  book_columns(c,
               "run|e|mu|energy at the end|largest|momentum|angular momentum|friction (%)|restitution (%)|lost there "
               "(%)|pushed|strain energy (%)|looks|intersections|impulses|frozen");
  for (int i = 0; i < r->n; i++) {
    const crowd_run *k = &r->of[i];
    book_row(c, "%s|%g|%g|%s|%s|%s|%s|%s|%s|%s|%s|%.0f|%lld|%lld|%lld|%lld", k->of->name, law[k->law][0],
             law[k->law][1], book_error(k->end).s, book_error(k->transient).s, book_error(k->momentum).s,
             book_error(k->spin).s, book_fixed(100 * k->rubbed, 1).s, book_fixed(100 * k->thrown, 1).s, lost_there(k).s,
             book_error(k->pushed).s, 100 * k->stored, (long long)k->samples, (long long)k->crossed,
             (long long)k->impulses, (long long)k->frozen);
  }
  book_table_end(c);
  book_say(c,
           "`lost there`: an independent program, with another layout in detail. It found, for e = 1 and no friction, "
           "energy errors at the end of 1.5e-6 to 1.7e-6 (5 cubes), 2.9e-6 (27), 1.8e-6 (64), 5.2e-7 (76, another "
           "layout), 8.7e-7 (76 to t = 0.21) and 2.5e-6 to 2.8e-6 (27 turned).");
  book_heading(c, "Steps of four sizes");
  book_columns(c, "step|energy at the end|largest");
  for (int k = 0; k < ORDERS; k++)
    book_row(c, "%s|%s|%s", step[k], book_error(r->order[k].end).s, book_error(r->order[k].transient).s);
  book_table_end(c);
}

/* ---- claims ---- */

typedef struct crowd_worst {
  double end, transient, momenta, pushed, stored;
  long long crossed, looks, open;
  int runs;
} crowd_worst;

/* Over the runs whose name begins like this. */
static crowd_worst worst_of(const crowd_runs *r, const char *name)
{
  crowd_worst w = {0};
  for (int i = 0; i < r->n; i++) {
    const crowd_run *k = &r->of[i];
    if (strncmp(k->of->name, name, strlen(name)) != 0) continue;
    w.end = fmax(w.end, fabs(k->end)), w.transient = fmax(w.transient, k->transient);
    w.momenta = fmax(w.momenta, fmax(k->momentum, k->spin)), w.pushed = fmax(w.pushed, fabs(k->pushed));
    w.stored = fmax(w.stored, k->stored);
    w.crossed += k->crossed, w.looks += k->samples, w.open += k->open, w.runs++;
  }
  return w;
}

/* "below 2e-05": the next 1, 2 or 5 above; chaotic numbers. */
static book_text below(double x)
{
  book_text t;
  if (!(x > 0)) return book_error(x);
  const double power = pow(10, floor(log10(x))), lead = x / power;
  snprintf(t.s, sizeof t.s, "below %.0e", power * (lead < 2 ? 2 : lead < 5 ? 5 : 10));
  return t;
}

static void paper_claims(book_chapter *c, const crowd_runs *r)
{
  static const struct {
    const char *id, *name, *text, *published, *evidence;
    double momenta;
  } claims[3] = {
      {"K1", "5 cubes", "five cubes: very good conservation of energy and momenta", "figures 16 and 17",
       "examples/cirak2005/five-cubes.yaml, four layouts, (e, mu) = (1, 0), (1, 0.5), (0.5, 0), (0.5, 0.5)", 1e-13},
      {"K2", "76 cubes", "76 cubes: robust", "figures 18 and 19, to t = 0.21",
       "examples/cirak2005/cubes-76.yaml to t = 0.03 with the four (e, mu), to t = 0.21 with (1, 0)", 1e-12},
      {"K3", "ball", "sphere and plate: good conservation in contact that lasts; weak oscillation of the momentum",
       "figures 21 and 22", "examples/cirak2005/sphere-plate.yaml, the four (e, mu)", 1e-12}};
  for (int i = 0; i < VV_COUNT(claims); i++) {
    const crowd_worst w = worst_of(r, claims[i].name);
    book_claim k = {
        .id = claims[i].id, .text = claims[i].text, .published = claims[i].published, .evidence = claims[i].evidence};
    snprintf(k.measured, sizeof k.measured,
             "energy with losses %s at any time, momenta %s; %lld intersections; strain energy up to %.0f %%",
             below(w.transient).s, book_error(w.momenta).s, w.crossed, 100 * w.stored);
    book_judge_target(&k, fmax(fmax(w.transient / 1e-5, w.momenta / claims[i].momenta), 2.0 * (double)w.crossed), 1);
    snprintf(k.rule, sizeof k.rule, "improved if the energy is kept to 1e-5, momenta to %g, and nothing intersects",
             claims[i].momenta);
    book_add_claim(c, &k);
  }
}

static const char all_runs[] = "all runs: 5, 27, 64, 76 cubes, 27 in any orientation (two seeds), ball and plate; four "
                               "pairs of e and mu; self-contact";

static void target(book_chapter *c, const char *id, const char *text, const char *published, const char *evidence,
                   const char *measured, double value, double limit)
{
  book_claim k = {.id = id, .text = text, .published = published, .evidence = evidence};
  snprintf(k.measured, sizeof k.measured, "%s", measured);
  book_judge_target(&k, value, limit);
  book_add_claim(c, &k);
}

/* Against another program: nothing to improve.  rule: NULL, that of book_judge_below. */
static void agreement(book_chapter *c, const char *id, const char *text, const char *published, const char *evidence,
                      const char *measured, double value, double limit, const char *rule)
{
  book_claim k = {.id = id, .text = text, .published = published, .evidence = evidence, .target = true};
  snprintf(k.measured, sizeof k.measured, "%s", measured);
  book_judge_below(&k, value, limit);
  if (rule != NULL) snprintf(k.rule, sizeof k.rule, "%s", rule);
  book_add_claim(c, &k);
}

static void crowd_claims(book_chapter *c, const crowd_runs *r)
{
  const crowd_worst w = worst_of(r, "");
  char text[240];
  snprintf(text, sizeof text, "%lld pairs in %lld looks of %d runs", w.crossed, w.looks, w.runs);
  target(c, "K4", "beyond: no two triangles intersect, tested one by one by a program without a search",
         "penetrations are removed", all_runs, text, (double)w.crossed, 0);
  target(c, "K5", "beyond: every step is resolved: no pair left violated", "not given", all_runs,
         w.open == 0 ? "all steps" : "not all", (double)w.open, 0);
  agreement(c, "K6", "energy and losses together, at the end", "0.5e-6 to 2.9e-6 (independent program)", all_runs,
            below(w.end).s, w.end, 1e-5, NULL);
  agreement(c, "K7", "the same at its worst moment", "up to 1.1e-5 (independent program)", all_runs,
            below(w.transient).s, w.transient, 2e-5, NULL);
  agreement(c, "K8", "momentum and angular momentum", "below 4e-14 (independent program)", all_runs,
            book_error(w.momenta).s, w.momenta, 1e-12, NULL);
  agreement(c, "K9", "largest energy debt of contacts, relative to the energy of the run",
            "up to 4.2e-5 (independent program)", all_runs, below(w.pushed).s, w.pushed, 1e-4, NULL);
}

/* Energy errors and losses against the independent program: crowds that are alike, not the same. */
static void compared_claims(book_chapter *c, const crowd_runs *r)
{
  double ratio = 0, apart = 0, peak = 0, turned = 0, off = 0;
  for (int i = 0; i < r->n; i++) {
    const crowd_run *k = &r->of[i];
    const double there = k->of->lost[k->law];
    if (k->law == 0 && k->of->energy > 0) ratio = fmax(ratio, fabs(k->end) / k->of->energy);
    if (k->law == 0 && strcmp(k->of->name, "ball and plate") == 0) turned = k->stored;
    if (k->of->stored > 0) peak = k->stored, off = fabs(k->stored - k->of->stored);
    if (there > 0) apart = fmax(apart, fabs(k->rubbed + k->thrown - there));
  }
  char text[240];
  snprintf(text, sizeof text, "at most %.0f times those there", fmax(1, ceil(ratio)));
  agreement(
      c, "K10", "energy errors with e = 1 and no friction, against an independent program", "5.2e-7 to 2.9e-6",
      "5, 27, 64, 76 cubes and 27 in any orientation; its layouts are not known in detail: not above twice its errors",
      text, ratio, 2, NULL);
  snprintf(text, sizeof text, "within %.0f points", 5 * ceil(20 * apart));
  agreement(
      c, "K11", "losses, against an independent program", "24 to 43 % of the energy",
      "27, 64 and 27 turned cubes with friction or restitution 0.5; its layouts are not known in detail: within 15 "
      "points",
      text, apart, 0.15, NULL);
  const double order = log2(fabs(r->order[ORDERS - 1].end / r->order[0].end)) / (ORDERS - 1);
  snprintf(text, sizeof text, "order %s", book_fixed(order, 1).s);
  agreement(c, "K12", "the error of the energy is of second order in the step", "2 (independent program)",
            "27 cubes, e = 1, steps 5e-6 to 4e-5", text, fabs(order - 2), 0.2, "reproduced if within 0.2 of 2");
  snprintf(text, sizeof text, "%.1f %%; turned as in the example %.1f %%", 100 * peak, 100 * turned);
  agreement(c, "K13", "ball on a plate: peak of the strain energy, against an independent program", "64.3 %",
            "examples/cirak2005/sphere-plate.yaml with rotation [0, 0, 0], which that program had: within one point; a "
            "crumpling ball depends on where its mesh is hit",
            text, off, 0.01, NULL);
}

vv_status chapter_crowds(book *b)
{
  book_chapter *c;
  crowd_runs *r = calloc(1, sizeof *r);
  if (r == NULL) return VV_NOMEM;
  vv_status status = book_chapter_begin(
      b, "crowds", "Crowds of shells",
      "F. Cirak, M. West, International Journal for Numerical Methods in Engineering (2005), sections "
      "6.3 and 6.4; beyond it an independent program of the same algorithm (docs/theory/sheets.md).",
      &c);
  if (status == VV_OK) status = run_all(book_ctx(b), r);
  if (status == VV_OK) {
    tables(c, r);
    paper_claims(c, r);
    crowd_claims(c, r);
    compared_claims(c, r);
    status = book_chapter_end(c);
  }
  free(r);
  return status;
}
