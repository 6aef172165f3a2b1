/* validation/demoures2016.c  The bars of the multisymplectic theory paper, and what its form formula tests. */
#include "figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Figure 8: identical bars, right bar half as long, right bar at rest: cases 1, 4 and 6 of the later paper. */
enum { RUNS = 3 };
static const int number[RUNS] = {1, 4, 6};
static const char runs_text[] = "cases 1, 4, 6 (figure 8), lumped tips, slab jump, step 0.015, end 40";

typedef struct bar_facts {
  double energy, momentum,
      mean; /* mean: of the tip velocity during contact, minus the exact one, in half closing speeds */
} bar_facts;

static vv_status measure(vv_ctx *ctx, int i, wave_bars *w, bar_facts *f)
{
  const cases_def def = {.number = number[i]};
  const cases_row *row = cases_row_of(def.number);
  record r;
  BOOK_TRY(record_case(ctx, &def, NULL, &r));
  if (!cases_wave(&def, w)) return VV_ARG;
  f->energy = r.ledger.max_closure, f->momentum = r.ledger.max_p_drift;
  /* the mean velocity between two times is a difference of displacements */
  const double from = w->t_start + 1, to = wave_release(w) - 1;
  const int64_t a = record_level(&r, from), b = record_level(&r, to);
  f->mean = 0;
  for (int k = 0; k < 2; k++) {
    const double exact = wave_tip_displacement(w, k == 0 ? WAVE_A : WAVE_B, r.t[b]) -
                         wave_tip_displacement(w, k == 0 ? WAVE_A : WAVE_B, r.t[a]);
    f->mean = fmax(f->mean, fabs(r.u[k][b] - r.u[k][a] - exact) / (r.t[b] - r.t[a]));
  }
  f->mean /= 0.5 * (row->velocity[0] - row->velocity[1]);
  record_free(&r);
  return VV_OK;
}

static void claim_runs(book_chapter *c, const bar_facts f[RUNS])
{
  double lo = INFINITY, hi = 0, momentum = 0, mean = 0;
  int worst = 0;
  for (int i = 0; i < RUNS; i++) {
    if (f[i].energy > f[worst].energy) worst = i;
    lo = fmin(lo, f[i].energy), hi = fmax(hi, f[i].energy);
    momentum = fmax(momentum, f[i].momentum), mean = fmax(mean, f[i].mean);
  }
  book_claim claim = {.id = "M1",
                      .text = "energy conserved during and after the impact within 1e-5",
                      .published = "1e-05",
                      .evidence = runs_text};
  snprintf(claim.measured, sizeof claim.measured, "%s (worst: case %d)", book_range(lo, hi).s, number[worst]);
  book_judge_below(&claim, hi, 1e-5);
  book_add_claim(c, &claim);
  claim = (book_claim){
      .id = "M2", .text = "the momentum map is perfectly conserved", .published = "exact", .evidence = runs_text};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(momentum).s);
  book_judge_below(&claim, momentum, 1e-14);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "M3",
                       .text = "the velocity of the masses in contact is correct in the mean",
                       .published = "correct",
                       .evidence = runs_text};
  snprintf(claim.measured, sizeof claim.measured, "mean off by at most %s of half the closing speed",
           book_percent(mean).s);
  book_judge_below(&claim, mean, 0.02);
  book_add_claim(c, &claim);
}

/* The caption of figure 8 lists a fourth set of velocities, -1 and 0.1, in its own signs. */
static vv_status fourth_set(book_chapter *c, vv_ctx *ctx)
{
  const cases_def def = {.number = 1};
  const record_plan plan = record_case_plan(&def);
  char text[CASES_TEXT_SZ];
  vv_spec *spec = NULL;
  record r = {0};
  if (!cases_scene(&def, text, sizeof text)) return VV_ARG;
  vv_status status = vv_scene_parse(ctx, "case", text, strlen(text), &spec);
  if (status == VV_OK) status = vv_spec_set(spec, "bodies.left.velocity", "1");
  if (status == VV_OK) status = vv_spec_set(spec, "bodies.right.velocity", "-0.1");
  if (status == VV_OK) status = vv_spec_set(spec, "bodies.left.position", "-10.11"); /* contact at 0.1, as ever */
  if (status == VV_OK) status = record_run(ctx, spec, &plan, &r);
  vv_spec_destroy(spec);
  if (status != VV_OK) return status;
  book_claim claim = {
      .id = "M7",
      .text = "the caption of figure 8 lists a fourth set of velocities, -1 and 0.1, under a number that the "
              "figure does not show",
      .published = "-1, 0.1",
      .evidence = "case 1 with velocities 1 and -0.1, lumped tips, slab jump, step 0.015, end 40"};
  snprintf(claim.measured, sizeof claim.measured, "energy off by %s, momentum by %s, %lld impacts",
           book_error(r.ledger.max_closure).s, book_error(r.ledger.max_p_drift).s, (long long)record_contacts(&r));
  book_tell(&claim);
  book_add_claim(c, &claim);
  record_free(&r);
  return VV_OK;
}

static vv_status bar_runs(book_chapter *c, vv_ctx *ctx)
{
  bar_facts f[RUNS];
  wave_bars *w = malloc(sizeof *w);
  if (w == NULL) return VV_NOMEM;
  vv_status status = VV_OK;
  for (int i = 0; i < RUNS && status == VV_OK; i++) status = measure(ctx, i, w, &f[i]);
  free(w);
  BOOK_TRY(status);
  book_heading(c, "The bars of figure 8");
  book_say(
      c, "The figure shows identical bars, a right bar half as long, and a right bar at rest: cases 1, 4 and 6 of the "
         "2017 paper. The method is contact time integrator 1 of the 2017 paper, which claims 1e-6 for the same runs.");
  book_columns(c, "case|energy error|momentum drift|mean tip velocity off exact");
  for (int i = 0; i < RUNS; i++)
    book_row(c, "%d|%s|%s|%s", number[i], book_error(f[i].energy).s, book_error(f[i].momentum).s,
             book_percent(f[i].mean).s);
  book_table_end(c);
  claim_runs(c, f);
  return fourth_set(c, ctx);
}

/* ---- the form formula and the Noether theorem on sub-domains ---- */

enum { KINDS = 3 };

typedef struct structure_facts {
  double form[KINDS], noether[KINDS]; /* largest residuals */
  double until;                       /* where an event without a root ended the check of a right law */
  int cut;                            /* in which case */
  double two_form[KINDS], control;    /* of w(p, q) on the whole domain; control: smallest of the wrong law */
} structure_facts;

static vv_status structures(book_chapter *c, vv_ctx *ctx, structure_facts *f)
{
  static const char *const tips[KINDS] = {"lumped", "split", "lumped"};
  static const char *const jump[KINDS] = {"slab", "slab", "nodal"};
  *f = (structure_facts){.control = INFINITY, .until = 25};
  book_columns(c, "case|form formula, CTI-1|CTI-2|nodal jump (control)|Noether, CTI-1|CTI-2|nodal jump (control)|w(p, "
                  "q), CTI-1|CTI-2|nodal jump (control)");
  for (int i = 1; i <= CASES_COUNT; i++) {
    double form[KINDS], noether[KINDS], two_form[KINDS];
    for (int k = 0; k < KINDS; k++) {
      const cases_def def = {.number = i, .tips = tips[k], .jump = jump[k], .end = 25};
      record_plan plan = record_case_plan(&def);
      record r;
      plan.structure = true;
      BOOK_TRY(record_case(ctx, &def, &plan, &r));
      form[k] = r.structure.multisymplectic, noether[k] = r.structure.noether, two_form[k] = r.structure.symplectic;
      if (k < 2 && r.structure.ended && r.structure.ended_at < f->until) f->until = r.structure.ended_at, f->cut = i;
      f->form[k] = fmax(f->form[k], form[k]), f->noether[k] = fmax(f->noether[k], noether[k]);
      f->two_form[k] = fmax(f->two_form[k], two_form[k]);
      if (k == 2) f->control = fmin(f->control, two_form[k]);
      record_free(&r);
    }
    book_row(c, "%d|%s|%s|%s|%s|%s|%s|%s|%s|%s", i, book_error(form[0]).s, book_error(form[1]).s, book_error(form[2]).s,
             book_error(noether[0]).s, book_error(noether[1]).s, book_error(noether[2]).s, book_error(two_form[0]).s,
             book_error(two_form[1]).s, book_error(two_form[2]).s);
  }
  book_table_end(c);
  return VV_OK;
}

static void claim_structure(book_chapter *c, const structure_facts *f)
{
  static const char evidence[] =
      "six cases, both integrators, whole domain and three random sub-domains, to t = 25 or to an "
      "event without a root";
  char early[64] = "";
  if (f->cut > 0) snprintf(early, sizeof early, "; case %d with integrator 2 only to t = %.1f", f->cut, f->until);
  const double form = fmax(f->form[0], f->form[1]), noether = fmax(f->noether[0], f->noether[1]);
  book_claim claim = {.id = "M4",
                      .text = "discrete multisymplectic form formula (70) with contact",
                      .published = "exact (theory)",
                      .evidence = evidence};
  snprintf(claim.measured, sizeof claim.measured, "%s%s", book_error(form).s, early);
  book_judge_below(&claim, form, 1e-12);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "M5",
                       .text = "discrete Noether theorem (72) on sub-domains",
                       .published = "exact (theory)",
                       .evidence = evidence};
  snprintf(claim.measured, sizeof claim.measured, "%s%s", book_error(noether).s, early);
  book_judge_below(&claim, noether, 1e-12);
  book_add_claim(c, &claim);
  const double right = fmax(f->two_form[0], f->two_form[1]);
  claim = (book_claim){.id = "M6",
                       .text = "a check that a wrong contact law does not pass: w(p, q) on the whole domain, without "
                               "contact terms",
                       .published = "(70) and (72) hold for any law",
                       .evidence = "the runs of M4; wrong law: nodal jump, lumped tips"};
  snprintf(claim.measured, sizeof claim.measured, "right laws %s, wrong law %s (which passes (70) by %s)",
           book_error(right).s, book_range(f->control, f->two_form[2]).s, book_error(f->form[2]).s);
  book_judge_target(&claim, right / f->control, 1e-6);
  snprintf(claim.rule, sizeof claim.rule, "the wrong law fails by 1e6 times the residual or more");
  book_add_claim(c, &claim);
}

/* The bars of case 1 with cell tips, and steps that the energy equation chooses. */
static vv_status varying_steps(book_chapter *c, vv_ctx *ctx)
{
  static const char text[] =
      "visviva: 1\ntime: {end: 40, step: {safety: 0.3, variational: 1e-8}}\nmethod: {step: leapfrog}\nbodies:\n"
      "  left: {kind: bar, length: 10, elements: 50, material: {young: 1, density: 1}, section: {area: 1},\n"
      "    tips: {first: cell, last: cell}, position: -10.02, velocity: 0.1}\n"
      "  right: {kind: bar, length: 10, elements: 50, material: {young: 1, density: 1}, section: {area: 1},\n"
      "    tips: {first: cell, last: cell}, velocity: -0.1}\n";
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  vv_sim *sim = NULL;
  vv_sim_def def = vv_sim_default();
  vv_report report;
  vv_structure form;
  double shortest = 0.0, longest = 0.0;
  int64_t taken = 0;
  def.check_structure = true;
  vv_status status = vv_scene_parse(ctx, "varying steps", text, strlen(text), &spec);
  if (status == VV_OK) status = vv_compile(ctx, spec, &model, &state);
  if (status == VV_OK) status = vv_sim_create(model, state, &def, &sim);
  if (status == VV_OK) status = vv_sim_run(sim, &report);
  if (status == VV_OK && !(vv_sim_structure(sim, &form) && vv_sim_lengths(sim, &shortest, &longest, &taken)))
    status = VV_ARG;
  if (status == VV_OK) {
    const double energy = vv_ledger_get(vv_sim_ledger(sim), VV_LEDGER_MAX_CLOSURE);
    const double none = vv_ledger_get(vv_sim_ledger(sim), VV_LEDGER_FALLBACKS);
    const double forms = fmax(form.symplectic, form.multisymplectic);
    book_claim claim = {
        .id = "M8",
        .text = "grids with varying time steps ((36), (40)): the energy equation chooses the step, through the "
                "impact of the two bars",
        .published = "derived, not run",
        .evidence = "case 1, cell tips, 0.3 of the stable step, weight 1e-8, end 40: "
                    "examples/grids/bars-variational.yaml"};
    snprintf(claim.measured, sizeof claim.measured,
             "steps differ by a factor of %.1f; energy %s, forms %s; %lld slabs, %.0f without a root",
             longest / shortest, book_error(energy).s, book_error(forms).s, (long long)taken, none);
    book_judge_target(&claim, longest / shortest >= 10.0 && none == 0.0 ? fmax(energy, 10.0 * forms) : INFINITY, 1e-12);
    snprintf(claim.rule, sizeof claim.rule,
             "energy to 1e-12, forms to 1e-13, steps that differ by ten, no slab without a root");
    book_add_claim(c, &claim);
  }
  vv_sim_destroy(sim);
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  return status;
}

/* Largest energy error and momentum drift of one run. */
static vv_status own_steps(vv_ctx *ctx, double safety, double *energy, double *momentum)
{
  char text[1024];
  vv_spec *spec = NULL;
  vv_model *model = NULL;
  vv_state *state = NULL;
  vv_sim *sim = NULL;
  const vv_sim_def def = vv_sim_default();
  vv_report report;
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 40, step: {safety: %g, asynchronous: true}}\nmethod: {step: leapfrog}\nbodies:\n"
           "  left: {kind: bar, length: 10, elements: 50, grading: 20, material: {young: 1, density: 1}, section: "
           "{area: 1},\n"
           "    tips: {first: cell, last: cell}, position: -10.02, velocity: 0.1}\n"
           "  right: {kind: bar, length: 10, elements: 50, material: {young: 50, density: 1}, section: {area: 1},\n"
           "    tips: {first: cell, last: cell}, velocity: -0.1}\n",
           safety);
  vv_status status = vv_scene_parse(ctx, "own steps", text, strlen(text), &spec);
  if (status == VV_OK) status = vv_compile(ctx, spec, &model, &state);
  if (status == VV_OK) status = vv_sim_create(model, state, &def, &sim);
  for (int64_t i = 0; status == VV_OK && i < vv_model_steps(model); i++)
    status = vv_sim_steps(sim, 1, &report); /* seen */
  if (status == VV_OK) {
    *energy = vv_ledger_get(vv_sim_ledger(sim), VV_LEDGER_MAX_CLOSURE);
    *momentum = vv_ledger_get(vv_sim_ledger(sim), VV_LEDGER_MAX_P_DRIFT);
  }
  vv_sim_destroy(sim);
  vv_state_destroy(state);
  vv_model_destroy(model);
  vv_spec_destroy(spec);
  return status;
}

static vv_status asynchronous(book_chapter *c, vv_ctx *ctx)
{
  enum { SIZES = 4 };
  static const double safety[SIZES] = {0.4, 0.2, 0.1, 0.05};
  double energy[SIZES], momentum = 0.0;
  for (int i = 0; i < SIZES; i++) {
    double drift = 0.0;
    BOOK_TRY(own_steps(ctx, safety[i], &energy[i], &drift));
    momentum = fmax(momentum, drift);
  }
  book_claim claim = {
      .id = "M9",
      .text = "asynchronous variational integrators, which the papers of 2015, 2016 and 2017 cite: a step of its "
              "own for every element, through an impact",
      .published = "named, not run",
      .evidence = "a bar with grading 20 against one fifty times as stiff, cell tips, `safety` 0.4 to 0.05: "
                  "examples/grids/bars-asynchronous.yaml"};
  snprintf(claim.measured, sizeof claim.measured, "energy off by %s to %s, order %s; momentum %s",
           book_error(energy[0]).s, book_error(energy[SIZES - 1]).s, book_fixed(book_fit(SIZES, safety, energy), 2).s,
           book_error(momentum).s);
  book_judge_target(&claim, momentum <= 1e-13 ? fabs(book_fit(SIZES, safety, energy) - 2.0) : INFINITY, 0.15);
  snprintf(claim.rule, sizeof claim.rule, "momentum to 1e-13, the order of the energy error within 0.15 of 2");
  book_add_claim(c, &claim);
  return VV_OK;
}

vv_status chapter_demoures2016(book *b)
{
  book_chapter *c;
  structure_facts f;
  BOOK_TRY(book_chapter_begin(
      b, "demoures2016", "Demoures, Gay-Balmaz and Ratiu 2016: the bars",
      "F. Demoures, F. Gay-Balmaz, T. S. Ratiu, Multisymplectic variational integrators for nonsmooth "
      "Lagrangian continuum mechanics, Forum of Mathematics, Sigma 4 (2016), section 5.2.",
      &c));
  if (book_wants(c, "M1 M2 M3 M7")) BOOK_TRY(bar_runs(c, book_ctx(b)));
  if (book_wants(c, "M8")) BOOK_TRY(varying_steps(c, book_ctx(b)));
  if (book_wants(c, "M9")) BOOK_TRY(asynchronous(c, book_ctx(b)));
  if (!book_wants(c, "M4 M5 M6")) return book_chapter_end(c);
  book_heading(c, "What the form formula tests, and what it does not");
  book_say(
      c,
      "Formula (70) of the paper sums a two-form over the border of a space-time sub-domain and over the contact "
      "level. It "
      "uses the equations of motion off the contact level only and keeps every contact term as it comes, so it holds "
      "for any contact law whatever; so does (72). Neither tests the treatment of contact.");
  book_say(
      c,
      "The form formula here is [bars 51] of docs/theory/bars.md: first variations go through the events, contact "
      "times and "
      "impulses included, the flux through the border of the sub-domain is summed, and at each event the horizontal "
      "term d(E+ - E-) ^ dt~ is kept as it comes. The control is a jump that balances the plain energy H at the "
      "contact time instead of the slab energies. Its impulse is along the gradient of the gap, so it passes, and it "
      "keeps momentum. What sees the difference is the two-form w(p, q) on the whole domain without any contact term: "
      "it is conserved if and only if [bars 52] holds.");
  book_say(c, "Largest residuals to t = 25, relative to the sum of the absolute products, over the whole domain and "
              "three random "
              "sub-domains (a run of elements of each bar):");
  BOOK_TRY(structures(c, book_ctx(b), &f));
  claim_structure(c, &f);
  return book_chapter_end(c);
}
