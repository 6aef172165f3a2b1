/* validation/cirak2005.c  Decomposition contact response: the two-bar impact with every reading of the projection. */
#include "figures.h"

#include <math.h>
#include <stdlib.h>

/* The first four are readings of the paper, the last two our own. */
enum { READINGS = 4, WORDS = 6, STEPS = 2, RECOMPUTED = 1, ANTICIPATE = 4 };
static const char *const word[WORDS] = {"kept", "recomputed", "predictor", "half-step", "anticipate", "none"};
static const double dt[STEPS] = {0.05, 0.01};
static const char *const scene[STEPS] = {"cirak2005/two-bars-dt0.05.yaml", "cirak2005/two-bars-dt0.01.yaml"};
static const double speed = 0.1;

typedef struct bar_runs {
  record run[WORDS][STEPS];
  wave_bars wave;
} bar_runs;

static vv_status run_scene(vv_ctx *ctx, const char *name, const char *projection, record *out)
{
  const record_plan plan = {.n_tip = 2,
                            .tip = {{.first = 0, .nodes = 101, .node = 100, .mass = 0.05, .bar_mass = 10},
                                    {.first = 101, .nodes = 101, .node = 101, .mass = 0.05, .bar_mass = 10}}};
  char path[1024];
  vv_spec *spec = NULL;
  snprintf(path, sizeof path, "%s/%s", VV_EXAMPLES_DIR, name);
  vv_status status = vv_scene_read(ctx, path, &spec);
  if (status == VV_OK) status = vv_spec_set(spec, "contacts[0].projection", projection);
  if (status == VV_OK) status = record_run(ctx, spec, &plan, out);
  vv_spec_destroy(spec);
  return status;
}

static vv_status run_all(vv_ctx *ctx, bar_runs *b)
{
  const wave_bar bar = {10, 1, 1, 1};
  if (!wave_two_bars(&b->wave, bar, bar, speed, -speed, 0, 26)) return VV_ARG;
  for (int i = 0; i < WORDS; i++)
    for (int k = 0; k < STEPS; k++) BOOK_TRY(run_scene(ctx, scene[k], word[i], &b->run[i][k]));
  return VV_OK;
}

/* ---- what is measured ---- */

static double place_error(const record *r, const wave_bars *w)
{
  double worst = 0;
  for (int64_t i = 0; i < r->n; i++)
    for (int k = 0; k < 2; k++)
      worst = fmax(worst, fabs(r->u[k][i] - wave_tip_displacement(w, k == 0 ? WAVE_A : WAVE_B, r->t[i])));
  return worst;
}

/* Largest difference of the tip displacements of the two steps, at common times. */
static double place_apart(const record *coarse, const record *fine)
{
  const int64_t every = (int64_t)lround(dt[0] / dt[1]);
  double worst = 0;
  for (int64_t i = 0; i < coarse->n && i * every < fine->n; i++)
    for (int k = 0; k < 2; k++) worst = fmax(worst, fabs(coarse->u[k][i] - fine->u[k][i * every]));
  return worst;
}

static double nodal_gain(const record *r)
{
  double worst = 0;
  for (int64_t i = 0; i < r->n; i++) worst = fabs(r->nodal[i]) > fabs(worst) ? r->nodal[i] : worst;
  return worst;
}

static void table(book_chapter *c, const bar_runs *b)
{
  book_heading(c, "The runs");
  book_say(
      c,
      "100 elements per bar, contact at t = 0, exact release at t = 20, exact velocities 0 during contact and 0.1 "
      "after; "
      "stable step 0.1. The paper does not say where its projection stands relative to the forces: `kept`, "
      "`recomputed`, `predictor` and `half-step` are four readings. `anticipate` and `none` are ours: no position is "
      "moved. The nodal energy is H(q, p) at whole steps; the balanced energy is H - (h^2/8) f.M^-1 f, which the step "
      "itself keeps.");
  book_columns(
      c, "step|projection|tip displacement error|last impulse|oscillation max|oscillation rms|nodal energy|balanced "
         "energy error|momentum drift|penetration|impulses");
  for (int k = 0; k < STEPS; k++)
    for (int i = 0; i < WORDS; i++) {
      const record *r = &b->run[i][k];
      book_row(c, "%g|%s|%s|%s|%s|%s|%s|%s|%s|%s|%lld", dt[k], word[i], book_fixed(place_error(r, &b->wave), 4).s,
               book_fixed(record_last(r), 2).s, book_fixed(record_oscillation_max(r, &b->wave, 1, 19), 3).s,
               book_fixed(record_oscillation(r, &b->wave, 1, 19), 3).s, book_percent(nodal_gain(r)).s,
               book_error(r->ledger.max_closure).s, book_error(r->ledger.max_p_drift).s,
               book_error(r->ledger.max_penetration).s, (long long)record_contacts(r));
    }
  book_table_end(c);
}

/* ---- claims ---- */

static const char readings_text[] =
    "two bars of 100 elements, steps 0.05 and 0.01, end 25, four readings of the projection";

static void claim_motion(book_chapter *c, const bar_runs *b)
{
  double best = INFINITY, worst = 0, late = 0, first = INFINITY, last = 0, rms = INFINITY;
  int smaller = 0;
  for (int i = 0; i < READINGS; i++) {
    const double apart = place_apart(&b->run[i][0], &b->run[i][1]) / (speed * 5);
    best = fmin(best, apart), worst = fmax(worst, apart);
    double osc[STEPS];
    for (int k = 0; k < STEPS; k++) {
      const double t = record_last(&b->run[i][k]);
      first = fmin(first, t), last = fmax(last, t), late = fmax(late, fabs(t - 20) / 20);
      osc[k] = record_oscillation(&b->run[i][k], &b->wave, 1, 19) / speed;
      rms = fmin(rms, osc[k]);
    }
    smaller += osc[1] < osc[0];
  }
  book_claim claim = {.id = "C1",
                      .text = "tip displacements essentially independent of the step",
                      .published = "figure 7",
                      .evidence = readings_text};
  snprintf(claim.measured, sizeof claim.measured, "differ by %s (best reading) to %s of the displacement at t = 25",
           book_percent(best).s, book_percent(worst).s);
  book_judge_below(&claim, best, 0.05);
  book_add_claim(c, &claim);
  claim = (book_claim){
      .id = "C2", .text = "the tips remain in contact for t < 20", .published = "20", .evidence = readings_text};
  snprintf(claim.measured, sizeof claim.measured, "last impulse at %s to %s", book_fixed(first, 2).s,
           book_fixed(last, 2).s);
  book_judge_below(&claim, late, 0.02);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "C3",
                       .text = "the velocities show spurious oscillations",
                       .published = "figures 8 and 9",
                       .evidence = readings_text};
  snprintf(claim.measured, sizeof claim.measured, "rms at least %s times the impact velocity", book_number(rms, 2).s);
  book_judge_above(&claim, rms, 0.3);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "C4",
                       .text = "the oscillations get smaller as the step is decreased",
                       .published = "figures 8 and 9",
                       .evidence = readings_text};
  snprintf(claim.measured, sizeof claim.measured, "smaller in %d of %d readings; recomputed: rms %s to %s", smaller,
           (int)READINGS, book_number(record_oscillation(&b->run[RECOMPUTED][0], &b->wave, 1, 19), 2).s,
           book_number(record_oscillation(&b->run[RECOMPUTED][1], &b->wave, 1, 19), 2).s);
  book_judge_count(&claim, smaller, READINGS, "the rms at 0.01 is smaller than at 0.05");
  book_add_claim(c, &claim);
}

static void claim_laws(book_chapter *c, const bar_runs *b)
{
  double momentum = 0, best[STEPS] = {INFINITY, INFINITY}, worst[STEPS] = {0, 0};
  for (int i = 0; i < READINGS; i++)
    for (int k = 0; k < STEPS; k++) {
      const double gain = fabs(nodal_gain(&b->run[i][k]));
      best[k] = fmin(best[k], gain), worst[k] = fmax(worst[k], gain);
      momentum = fmax(momentum, b->run[i][k].ledger.max_p_drift);
    }
  book_claim claim = {
      .id = "C5", .text = "excellent momentum conservation", .published = "excellent", .evidence = readings_text};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(momentum).s);
  book_judge_below(&claim, momentum, 1e-14);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "C6",
                       .text = "excellent energy conservation",
                       .published = "2.58 % (spheres; no figure for bars)",
                       .evidence = readings_text};
  snprintf(claim.measured, sizeof claim.measured, "step 0.05: %s (best reading) to %s; step 0.01: %s to %s",
           book_percent(best[0]).s, book_percent(worst[0]).s, book_percent(best[1]).s, book_percent(worst[1]).s);
  book_judge_below(&claim, fmax(best[0], best[1]), 0.0258);
  book_add_claim(c, &claim);
}

static void claim_beyond(book_chapter *c, const bar_runs *b)
{
  double energy = 0, penetration = 0, nodal = 0;
  for (int k = 0; k < STEPS; k++) {
    const record *r = &b->run[ANTICIPATE][k];
    energy = fmax(energy, r->ledger.max_closure);
    penetration = fmax(penetration, r->ledger.max_penetration);
    nodal = fmax(nodal, fabs(nodal_gain(r)));
  }
  book_claim claim = {.id = "C7",
                      .text = "beyond: response before the drift that would penetrate, energy that the step keeps",
                      .published = "2.58 % (C6)",
                      .evidence = "projection anticipate, steps 0.05 and 0.01, end 25"};
  snprintf(claim.measured, sizeof claim.measured, "%s (nodal energy swings by up to %s)", book_error(energy).s,
           book_percent(nodal).s);
  book_judge_target(&claim, energy, 1e-12);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "C8",
                       .text = "beyond: no penetration, and no position is moved",
                       .published = "projected back",
                       .evidence = "projection anticipate, steps 0.05 and 0.01, end 25"};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(penetration).s);
  book_judge_target(&claim, penetration, 1e-14);
  book_add_claim(c, &claim);
}

/* ---- plots ---- */

static vv_status motion_plot(book_chapter *c, const bar_runs *b, const char *name, int i)
{
  const record *pair[STEPS] = {&b->run[i][0], &b->run[i][1]};
  static const char *const names[STEPS] = {"step 0.05", "step 0.01"};
  char title[96];
  snprintf(title, sizeof title, "Decomposition contact response, projection %s", word[i]);
  return figure_impact(c, name, title, pair, names, &b->wave, 0);
}

static vv_status plots(book_chapter *c, const bar_runs *b)
{
  BOOK_TRY(motion_plot(c, b, "recomputed", RECOMPUTED));
  BOOK_TRY(motion_plot(c, b, "anticipate", ANTICIPATE));
  const record *energy[WORDS];
  for (int i = 0; i < WORDS; i++) energy[i] = &b->run[i][0];
  return figure_energy(c, "energy", "Step 0.05: error of the balanced energy, by projection", WORDS, energy, word);
}

vv_status chapter_cirak2005(book *b)
{
  book_chapter *c;
  BOOK_TRY(book_chapter_begin(
      b, "cirak2005", "Cirak and West 2005: two-bar impact",
      "F. Cirak, M. West, Decomposition contact response (DCR) for explicit finite element dynamics, "
      "International Journal for Numerical Methods in Engineering (2005), section 6.1.",
      &c));
  bar_runs *runs = calloc(1, sizeof *runs);
  if (runs == NULL) return VV_NOMEM;
  vv_status status = run_all(book_ctx(b), runs);
  if (status == VV_OK) {
    claim_motion(c, runs);
    claim_laws(c, runs);
    claim_beyond(c, runs);
    table(c, runs);
    status = plots(c, runs);
  }
  for (int i = 0; i < WORDS; i++)
    for (int k = 0; k < STEPS; k++) record_free(&runs->run[i][k]);
  free(runs);
  return status == VV_OK ? book_chapter_end(c) : status;
}
