/* validation/crowds.c  Crowds of hollow cubes, and a ball on a plate: every pair of triangles is tested every few hundred
 * steps by a test that knows nothing of the search.  Crowds are chaotic: what is judged does not depend on the path. */
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
  const char *end; /* s */
  int laws;        /* the first so many */
  bool slow;       /* begun before the others */
} crowd_case;

/* Cubes: the five of the paper in four layouts; 76 in a layout of our own, as the paper gives none. */
enum { SEVERAL_STEPS = 4 }; /* which of them is run with several steps */
static const crowd_case list[] = {
    {.name = "5 cubes, layout 1", .file = "five-cubes.yaml", .laws = LAWS},
    {
        .name = "5 cubes, layout 2",
        .file = "five-cubes.yaml",
        .place = "[-1.25, 1.2, 1.3]",
        .laws = LAWS,
    },
    {
        .name = "5 cubes, layout 3",
        .file = "five-cubes.yaml",
        .place = "[-1.3, 1.1, 1.2]",
        .laws = LAWS,
    },
    {
        .name = "5 cubes, layout 4",
        .file = "five-cubes.yaml",
        .place = "[-1.15, 1.3, 1.15]",
        .laws = LAWS,
    },
    [SEVERAL_STEPS] =
        {
            .name = "27 cubes",
            .n = 3,
            .pitch = 1.05,
            .lean = 0.02,
            .seed = 1,
            .end = "0.01",
            .laws = LAWS,
        },
    {
        .name = "64 cubes",
        .n = 4,
        .pitch = 1.05,
        .lean = 0.02,
        .seed = 1,
        .end = "0.02",
        .laws = LAWS,
        .slow = true,
    },
    {
        .name = "27 turned, seed 1",
        .n = 3,
        .pitch = 1.75,
        .seed = 1,
        .end = "0.05",
        .laws = LAWS,
    },
    {
        .name = "27 turned, seed 2",
        .n = 3,
        .pitch = 1.75,
        .seed = 2,
        .end = "0.05",
        .laws = LAWS,
    },
    {.name = "76 cubes, t = 0.03", .file = "cubes-76.yaml", .laws = LAWS},
    {.name = "76 cubes, t = 0.21", .file = "cubes-76.yaml", .end = "0.21", .laws = 1, .slow = true},
    {.name = "ball and plate", .file = "sphere-plate.yaml", .laws = LAWS},
    {.name = "ball, node ahead", .file = "sphere-plate.yaml", .turn = "[0, 0, 0]", .laws = 1},
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
  if (status == VV_OK && report.reason != VV_REASON_DONE) {
    fprintf(stderr, "crowds, %s, e = %g, mu = %g: %s: %s\n", r->of->name, law[r->law][0], law[r->law][1],
            vv_reason_text(report.reason), report.message);
    status = VV_STOPPED;
  }
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

/* Which rows need a case: that of its kind, and those of all. */
static bool needed(const book_chapter *c, const crowd_case *k)
{
  const bool five = strncmp(k->name, "5 ", 2) == 0, many = strncmp(k->name, "76", 2) == 0,
             ball = strncmp(k->name, "ball", 4) == 0;
  return book_wants(c, "K4 K5 K6 K7 K8 K9") || (five && book_wants(c, "K1 K11")) || (many && book_wants(c, "K2 K11")) ||
         (ball && book_wants(c, "K3 K13")) || (!ball && book_wants(c, "K11"));
}

typedef struct crowd_job {
  const crowd_case *of;
  int law;
  const char *step;
  crowd_run *out;
  vv_status status;
} crowd_job;

/* A run in a context of its own: several may go on side by side. */
static void run_job(crowd_job *j)
{
  vv_ctx *ctx = NULL;
  vv_ctx_def def = vv_ctx_default();
  def.threads = 1;
  j->status = vv_ctx_create(&def, &ctx);
  if (j->status == VV_OK) j->status = run_case(ctx, j->of, j->law, j->step, j->out);
#pragma omp critical
  for (int i = 0; j->status != VV_OK && ctx != NULL && i < vv_ctx_message_count(ctx); i++)
    fprintf(stderr, "crowds, %s, e = %g, mu = %g: %s\n", j->of->name, law[j->law][0], law[j->law][1],
            vv_ctx_message(ctx, i));
  vv_ctx_destroy(ctx);
}

static vv_status run_all(book_chapter *c, crowd_runs *r)
{
  crowd_job job[VV_COUNT(list) * LAWS + ORDERS];
  int n = 0;
  for (int i = 0; i < VV_COUNT(list); i++)
    for (int l = 0; l < list[i].laws && needed(c, &list[i]); l++, n++)
      job[n] = (crowd_job){.of = &list[i], .law = l, .out = &r->of[r->n++]};
  for (int k = 0; k < ORDERS && book_wants(c, "K12"); k++, n++)
    job[n] = (crowd_job){.of = &list[SEVERAL_STEPS], .step = step[k], .out = &r->order[k]};
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 2 * n; i++) /* slow ones first */
    if (job[i % n].of->slow == (i < n)) run_job(&job[i % n]);
  for (int i = 0; i < n; i++) BOOK_TRY(job[i].status);
  return VV_OK;
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
  book_columns(c, "run|e|mu|energy at the end|largest|momentum|angular momentum|friction (%)|restitution (%)|"
                  "pushed|strain energy (%)|looks|intersections|impulses|frozen");
  for (int i = 0; i < r->n; i++) {
    const crowd_run *k = &r->of[i];
    book_row(c, "%s|%g|%g|%s|%s|%s|%s|%s|%s|%s|%.0f|%lld|%lld|%lld|%lld", k->of->name, law[k->law][0], law[k->law][1],
             book_error(k->end).s, book_error(k->transient).s, book_error(k->momentum).s, book_error(k->spin).s,
             book_fixed(100 * k->rubbed, 1).s, book_fixed(100 * k->thrown, 1).s, book_error(k->pushed).s,
             100 * k->stored, (long long)k->samples, (long long)k->crossed, (long long)k->impulses,
             (long long)k->frozen);
  }
  book_table_end(c);
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
             book_error(w.transient).s, book_error(w.momenta).s, w.crossed, 100 * w.stored);
    book_judge_below(&k, fmax(fmax(w.transient / 1e-5, w.momenta / claims[i].momenta), 2.0 * (double)w.crossed), 1);
    snprintf(k.rule, sizeof k.rule, "the energy is kept to 1e-5, momenta to %g, and nothing intersects",
             claims[i].momenta);
    k.chaotic = true;
    book_add_claim(c, &k);
  }
}

static const char all_runs[] = "all runs: 5, 27, 64, 76 cubes, 27 in any orientation (two seeds), ball and plate; four "
                               "pairs of e and mu; self-contact; 27 and 64 cubes to t = 0.01 and 0.02, past their "
                               "worst compression";

static void target(book_chapter *c, const char *id, const char *text, const char *evidence, const char *measured,
                   double value, double limit)
{
  book_claim k = {.id = id, .text = text, .published = "-", .evidence = evidence, .chaotic = true};
  snprintf(k.measured, sizeof k.measured, "%s", measured);
  book_judge_target(&k, value, limit);
  book_add_claim(c, &k);
}

static void crowd_claims(book_chapter *c, const crowd_runs *r)
{
  const crowd_worst w = worst_of(r, "");
  char text[240];
  snprintf(text, sizeof text, "%lld pairs in %lld looks of %d runs", w.crossed, w.looks, w.runs);
  target(c, "K4", "no two triangles intersect, tested one by one by a test without a search", all_runs, text,
         (double)w.crossed, 0);
  snprintf(text, sizeof text, "%lld steps ended with a pair violated", w.open);
  target(c, "K5", "every step is resolved: no pair left violated", all_runs, text, (double)w.open, 0);
  target(c, "K6", "energy and losses together, at the end", all_runs, book_error(w.end).s, w.end, 1e-5);
  target(c, "K7", "the same at its worst moment", all_runs, book_error(w.transient).s, w.transient, 1e-4);
  target(c, "K8", "momentum and angular momentum", all_runs, book_error(w.momenta).s, w.momenta, 1e-12);
  target(c, "K9", "largest energy debt of contacts, relative to the energy of the run", all_runs,
         book_error(w.pushed).s, w.pushed, 1e-4);
}

static void tell_losses(book_chapter *c, const crowd_runs *r)
{
  double lo = INFINITY, hi = 0, peak[2] = {0, 0};
  for (int i = 0; i < r->n; i++) {
    const crowd_run *k = &r->of[i];
    if (k->law > 0 && strncmp(k->of->name, "ball", 4) != 0)
      lo = fmin(lo, k->rubbed + k->thrown), hi = fmax(hi, k->rubbed + k->thrown);
    if (k->law == 0 && strncmp(k->of->name, "ball", 4) == 0) peak[k->of->turn != NULL] = k->stored;
  }
  book_claim k = {.id = "K11",
                  .text = "losses of crowds of cubes with friction or restitution 0.5",
                  .published = "-",
                  .evidence = "5, 27, 64, 76 and 27 turned cubes; 27 and 64 to t = 0.01 and 0.02",
                  .chaotic = true};
  snprintf(k.measured, sizeof k.measured, "%s to %s of the energy", book_percent(lo).s, book_percent(hi).s);
  book_tell(&k);
  book_add_claim(c, &k);
  k = (book_claim){.id = "K13",
                   .text = "ball on a plate: peak of the strain energy depends on where the mesh is hit",
                   .published = "-",
                   .evidence = "examples/cirak2005/sphere-plate.yaml, and with rotation [0, 0, 0]",
                   .chaotic = true};
  snprintf(k.measured, sizeof k.measured, "%s as in the example, %s with a node ahead", book_percent(peak[0]).s,
           book_percent(peak[1]).s);
  book_tell(&k);
  book_add_claim(c, &k);
}

static void order_claim(book_chapter *c, const crowd_runs *r)
{
  static const double size[ORDERS] = {5e-6, 1e-5, 2e-5, 4e-5};
  double error[ORDERS];
  for (int i = 0; i < ORDERS; i++) error[i] = fabs(r->order[i].end);
  book_claim k = {.id = "K12",
                  .text = "the error of the energy is of second order in the step",
                  .published = "2",
                  .evidence = "27 cubes, e = 1, steps 5e-6 to 4e-5",
                  .kind = BOOK_TARGET,
                  .chaotic = true};
  book_judge_rate(&k, 2.0, ORDERS, size, error);
  book_add_claim(c, &k);
}

/* The paper's own step on the five cubes: penetrate, project, respond. */
static vv_status own_step(book_chapter *c, vv_ctx *ctx)
{
  static const char *const word[2] = {"predictor", "half-step"};
  double gain[2], momenta = 0;
  for (int i = 0; i < 2; i++) {
    vv_spec *spec = NULL;
    crowd_run r = {.of = &list[0]};
    vv_status status = open_case(ctx, &list[0], &spec);
    if (status == VV_OK) status = vv_spec_set(spec, "contacts[0].projection", word[i]);
    if (status == VV_OK) status = run(ctx, spec, &r);
    vv_spec_destroy(spec);
    BOOK_TRY(status);
    gain[i] = r.end, momenta = fmax(momenta, r.momentum);
  }
  book_claim k = {.id = "K14",
                  .text =
                      "five cubes with the paper's own step: change of the total energy by readings of the projection",
                  .published = "very good conservation (figure 16)",
                  .evidence = "examples/cirak2005/five-cubes.yaml with `projection: predictor` and `half-step`",
                  .chaotic = true};
  snprintf(k.measured, sizeof k.measured, "%+.2f %% (predictor), %+.2f %% (half-step); momentum %s", 100 * gain[0],
           100 * gain[1], book_error(momenta).s);
  book_tell(&k);
  book_add_claim(c, &k);
  return VV_OK;
}

/* Ball and plate with the paper's own step: the plate is open. */
static vv_status own_plate(book_chapter *c, vv_ctx *ctx)
{
  double peak[2], gain[2];
  vv_status status = VV_OK;
  for (int i = 0; i < 2 && status == VV_OK; i++) {
    vv_spec *spec = NULL;
    crowd_run r = {0};
    char path[1024];
    snprintf(path, sizeof path, "%s/cirak2005/sphere-plate.yaml", VV_EXAMPLES_DIR);
    status = vv_scene_read(ctx, path, &spec);
    if (status == VV_OK && i == 1) status = vv_spec_set(spec, "contacts[0].projection", "predictor");
    if (status == VV_OK) status = run(ctx, spec, &r);
    vv_spec_destroy(spec);
    peak[i] = r.stored, gain[i] = r.end;
  }
  BOOK_TRY(status);
  book_claim k = {
      .id = "K15",
      .text = "sphere and plate with the paper's own step, and ours: change of the total energy, peak of the strain "
              "energy",
      .published = "good conservation (figure 21)",
      .evidence = "examples/cirak2005/sphere-plate.yaml, with `projection: predictor` and as it is",
      .chaotic = true};
  snprintf(k.measured, sizeof k.measured, "%s, %s (predictor); %s, %s (ours)", book_percent(gain[1]).s,
           book_percent(peak[1]).s, book_percent(gain[0]).s, book_percent(peak[0]).s);
  book_tell(&k);
  book_add_claim(c, &k);
  return VV_OK;
}

vv_status chapter_crowds(book *b)
{
  book_chapter *c;
  crowd_runs *r = calloc(1, sizeof *r);
  if (r == NULL) return VV_NOMEM;
  vv_status status = book_chapter_begin(
      b, "crowds", "Crowds of shells",
      "F. Cirak, M. West, International Journal for Numerical Methods in Engineering (2005), sections "
      "6.3 and 6.4.",
      &c);
  if (status == VV_OK && book_wants(c, "K1 K2 K3 K4 K5 K6 K7 K8 K9 K11 K12 K13")) {
    status = run_all(c, r);
    if (status == VV_OK) {
      tables(c, r);
      paper_claims(c, r);
      crowd_claims(c, r);
      tell_losses(c, r);
      if (book_wants(c, "K12")) order_claim(c, r);
    }
  }
  if (status == VV_OK && book_wants(c, "K14")) status = own_step(c, book_ctx(b));
  if (status == VV_OK && book_wants(c, "K15")) status = own_plate(c, book_ctx(b));
  if (status == VV_OK) status = book_chapter_end(c);
  free(r);
  return status;
}
