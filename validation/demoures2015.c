/* validation/demoures2015.c  Free geometrically exact beams: the chapter, and the beam with concentrated masses. */
#include "demoures2015.h"

#include <math.h>
#include <stdlib.h>

enum { SCHEMES = 3, GRIDS = 2, OFFSETS = 2, TIMES = 3, MOST_SAMPLES = 200 };
static const beams_scheme scheme[SCHEMES] = {BEAMS_LGVI, BEAMS_LAVI, BEAMS_FEEM};
static const char *const short_name[SCHEMES] = {"lgvi", "lavi", "feem"};
static const int elements[GRIDS] = {22, 66};
static const double step[GRIDS] = {1e-4, 1e-5};
static const double seen_at[TIMES] = {0.1, 0.5, 0.9};
static const char runs_text[] = "lgvi, lavi, feem; A = 22 with step 1e-4, A = 66 with step 1e-5; to t = 0.9";

/* One run: loaded to t = 0.1, then free; the ledger after the load is a new one. */
typedef struct mass_run {
  double place[TIMES][REFERENCE_NODES][3];
  double start, energy, strain; /* energy at t = 0 and after the load, strain energy at t = 0.1 */
  double p[3], L[3];            /* after the load */
  double band, band_before;     /* relative swing of the energy after the load; the same of (61) */
  double closure, drift;        /* after the load: energy, the larger of both momenta */
  double end_z;
  double stretch, bend; /* largest |n_3| and |m| of the first, middle and last element, over all samples */
  double seconds;
  int n;
  double t[MOST_SAMPLES], z[REFERENCE_NODES][MOST_SAMPLES], kinetic[MOST_SAMPLES], potential[MOST_SAMPLES],
      total[MOST_SAMPLES];
} mass_run;

typedef struct mass_runs {
  mass_run run[OFFSETS][GRIDS][SCHEMES];
  mass_run one_point; /* lgvi, A = 22 */
} mass_runs;

/* ---- running ---- */

static void sample(beams_run *run, mass_run *m)
{
  const vv_totals *now = &vv_sim_ledger(run->sim)->now;
  double x[3];
  for (int i = 0; i < REFERENCE_NODES; i++) {
    beams_at(run, reference_fraction[i], 22, x);
    m->z[i][m->n] = x[2];
  }
  for (int k = 0; k < 3; k++) {
    const int a = run->def.elements;
    double n[3], moment[3];
    beams_stress(run, k == 0 ? 0 : k == 1 ? a / 2 - 1 : a - 1, n, moment);
    m->stretch = fmax(m->stretch, fabs(n[2]));
    m->bend = fmax(m->bend, sqrt(moment[0] * moment[0] + moment[1] * moment[1] + moment[2] * moment[2]));
  }
  m->t[m->n] = run->state->t;
  m->kinetic[m->n] = now->kinetic;
  m->potential[m->n] = now->strain;
  m->total[m->n++] = vv_totals_energy(now);
}

static void look(beams_run *run, mass_run *m, int k)
{
  for (int i = 0; i < REFERENCE_NODES; i++) beams_at(run, reference_fraction[i], 22, m->place[k][i]);
}

static vv_status run_loaded(beams_run *run, int64_t per_sample, int samples, mass_run *m)
{
  BOOK_TRY(beams_steps(run, 0));
  m->start = beams_energy(run);
  sample(run, m);
  for (int k = 0; k < samples; k++) {
    BOOK_TRY(beams_steps(run, per_sample));
    sample(run, m);
  }
  look(run, m, 0);
  m->strain = vv_sim_ledger(run->sim)->now.strain;
  return VV_OK;
}

static void widen(double range[2], double value)
{
  range[0] = fmin(range[0], value), range[1] = fmax(range[1], value);
}

/* The energy is looked at in every step, (61) in every step of the coarse grid and every tenth of the fine one. */
static vv_status run_free(beams_run *run, beams_run *twin, int64_t per_sample, int samples, mass_run *m)
{
  const int64_t every = per_sample > 100 ? 10 : 1;
  double now[2] = {INFINITY, -INFINITY}, before[2] = {INFINITY, -INFINITY}, e;
  for (int64_t k = 1; k <= per_sample * samples; k++) {
    BOOK_TRY(beams_steps(run, 1));
    widen(now, beams_energy(run));
    if (run->def.scheme != BEAMS_FEEM && k % every == 0) {
      BOOK_TRY(beams_energy_before(run, twin, &e));
      widen(before, e);
    }
    if (k % per_sample == 0) sample(run, m);
    if (k == per_sample * (samples / 2)) look(run, m, 1);
  }
  look(run, m, 2);
  m->band = (now[1] - now[0]) / now[1];
  m->band_before = (before[1] - before[0]) / before[1];
  return VV_OK;
}

/* The same beam with a step so short that it shows the force. */
static vv_status open_twin(vv_ctx *ctx, const beams_def *def, beams_run *twin)
{
  beams_def tiny = *def;
  tiny.step = 1e-9, tiny.unloaded = true;
  return beams_open(ctx, &tiny, twin);
}

static vv_status run_one(vv_ctx *ctx, const beams_def *def, mass_run *m)
{
  enum { LOADED = 20, FREE = 160 }; /* samples of 0.005 */
  const int64_t per_sample = llround(0.005 / def->step);
  beams_run run, twin;
  BOOK_TRY(open_twin(ctx, def, &twin));
  vv_status status = beams_open(ctx, def, &run);
  if (status == VV_OK) status = run_loaded(&run, per_sample, LOADED, m);
  if (status == VV_OK) status = beams_unload(ctx, &run);
  if (status == VV_OK) status = run_free(&run, &twin, per_sample, FREE, m);
  if (status == VV_OK) {
    const vv_ledger *l = vv_sim_ledger(run.sim);
    m->energy = vv_totals_energy(&l->initial);
    for (int c = 0; c < 3; c++) m->p[c] = l->now.p[c], m->L[c] = l->now.L[c];
    m->closure = l->max_closure;
    m->drift = fmax(l->max_p_drift, l->max_L_drift);
    m->end_z = m->place[2][0][2];
    m->seconds = run.wall;
  }
  beams_close(&run);
  beams_close(&twin);
  return status;
}

static vv_status run_all(vv_ctx *ctx, mass_runs *runs)
{
  for (int o = 0; o < OFFSETS; o++)
    for (int g = 0; g < GRIDS; g++)
      for (int s = 0; s < SCHEMES; s++) {
        const beams_def def = {.scheme = scheme[s], .elements = elements[g], .step = step[g], .twelve = o == 1};
        BOOK_TRY(run_one(ctx, &def, &runs->run[o][g][s]));
        if (o == 0) printf("  masses, %s, A = %d: %.1f s\n", short_name[s], elements[g], runs->run[o][g][s].seconds);
      }
  const beams_def def = {.scheme = BEAMS_LGVI, .elements = 22, .step = 1e-4, .one_point = true};
  return run_one(ctx, &def, &runs->one_point);
}

/* ---- places ---- */

/* Against the second program: the coarse grid to the end, the fine one to t = 0.1, where it is dear. */
static vv_status places(book_chapter *c, const mass_runs *runs)
{
  double worst = 0, place[TIMES][REFERENCE_NODES][3];
  int states = 0;
  book_heading(c, "Places against a second program");
  book_say(c, "Five nodes at the times given; largest difference of a coordinate from the second program of the book "
              "(validation/second.c), which has the discrete Lagrangians of the paper, derivatives by a complex step "
              "and an iteration, and no line in common with the library. -10 is the velocity profile as printed, -12 "
              "the one without a jump.");
  book_columns(c, "offset|scheme|A|t|first node here|largest difference");
  for (int o = 0; o < OFFSETS; o++)
    for (int g = 0; g < GRIDS; g++)
      for (int s = 0; s < SCHEMES; s++) {
        const beams_def def = {.scheme = scheme[s], .elements = elements[g], .step = step[g], .twelve = o == 1};
        const int times = g == 0 ? TIMES : o == 0 ? 1 : 0;
        const mass_run *m = &runs->run[o][g][s];
        BOOK_TRY(reference_masses(&def, times, seen_at, place));
        for (int k = 0; k < times; k++, states++) {
          double most = 0;
          for (int n = 0; n < REFERENCE_NODES; n++)
            for (int d = 0; d < 3; d++) most = fmax(most, fabs(m->place[k][n][d] - place[k][n][d]));
          worst = fmax(worst, most);
          book_row(c, "%d|%s|%d|%g|(%s, %s, %s)|%s", o == 1 ? -12 : -10, short_name[s], elements[g], seen_at[k],
                   book_fixed(m->place[k][0][0], 6).s, book_fixed(m->place[k][0][1], 6).s,
                   book_fixed(m->place[k][0][2], 6).s, book_error(most).s);
        }
      }
  book_table_end(c);
  static char evidence[160];
  snprintf(evidence, sizeof evidence,
           "%d states: lgvi, lavi, feem, both readings of the velocity profile; A = 22 at all three times, A = 66 at "
           "t = 0.1",
           states);
  book_claim claim = claim_2015("B1", "positions of five nodes at t = 0.1, 0.5, 0.9 (those of figure 4)",
                                "a second program, validation/second.c", evidence);
  snprintf(claim.measured, sizeof claim.measured, "off by %s m", book_error(worst).s);
  book_judge_target(&claim, worst, 1e-8);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- what is kept ---- */

static void kept_table(book_chapter *c, const mass_runs *runs)
{
  book_heading(c, "Energy and momenta");
  book_say(c,
           "Energy at the start, strain energy at t = 0.1, energy after the load, and what happens to it from t = 0.1 "
           "to 0.9: swing of the energy at half kicks, swing of (61) (momenta before the kick, factors corrected), "
           "largest drift of the linear and angular momentum. All relative.");
  book_columns(c, "offset|scheme|A|E(0)|V(0.1)|E after|swing|swing of (61)|momenta");
  for (int o = 0; o < OFFSETS; o++)
    for (int g = 0; g < GRIDS; g++)
      for (int s = 0; s < SCHEMES; s++) {
        const mass_run *m = &runs->run[o][g][s];
        book_row(c, "%d|%s|%d|%.6f|%.2f|%.6f|%s|%s|%s", o == 1 ? -12 : -10, short_name[s], elements[g], m->start,
                 m->strain, m->energy, book_error(m->band).s, s < 2 ? book_error(m->band_before).s : "-",
                 book_error(m->drift).s);
      }
  book_table_end(c);
  book_columns(c, "offset|scheme|A|linear momentum|angular momentum");
  for (int o = 0; o < OFFSETS; o++)
    for (int g = 0; g < GRIDS; g++)
      for (int s = 0; s < SCHEMES; s += 2) {
        const mass_run *m = &runs->run[o][g][s];
        book_row(c, "%d|%s|%d|(%s, %s, %s)|(%s, %s, %s)", o == 1 ? -12 : -10, short_name[s], elements[g],
                 book_fixed(m->p[0], 6).s, book_fixed(m->p[1], 6).s, book_fixed(m->p[2], 6).s, book_fixed(m->L[0], 6).s,
                 book_fixed(m->L[1], 6).s, book_fixed(m->L[2], 6).s);
      }
  book_table_end(c);
}

static void claim_kept(book_chapter *c, const mass_runs *runs)
{
  double momenta = 0, exact = 0, band = 0, before = 0;
  for (int g = 0; g < GRIDS; g++)
    for (int s = 0; s < SCHEMES; s++) {
      const mass_run *m = &runs->run[0][g][s];
      momenta = fmax(momenta, m->drift);
      if (s == 2) exact = fmax(exact, m->closure);
      if (s < 2) band = fmax(band, m->band), before = fmax(before, m->band_before);
    }
  book_claim claim = claim_2015("B2", "both momenta preserved after the load, up to numerical accuracy",
                                "numerical accuracy", runs_text);
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(momenta).s);
  book_judge_below(&claim, momenta, 1e-12);
  book_add_claim(c, &claim);
  claim = claim_2015("B3", "lgvi and lavi: energy conserved after the load, small oscillations", "small", runs_text);
  snprintf(claim.measured, sizeof claim.measured, "(61) swings by %s (A = 22) and %s (A = 66)", book_error(before).s,
           book_error(runs->run[0][1][0].band_before).s);
  book_judge_below(&claim, before, 1e-2);
  book_add_claim(c, &claim);
  claim = claim_2015("B4", "the energy with momenta of the same time (half kicks) swings with the square of the step",
                     "(61) and (73): momenta before the kick", runs_text);
  snprintf(claim.measured, sizeof claim.measured, "%s (A = 22) and %s (A = 66)", book_error(band).s,
           book_error(runs->run[0][1][0].band).s);
  book_judge_target(&claim, band, 0.1 * before);
  snprintf(claim.rule, sizeof claim.rule, "at most a tenth of the swing of B3");
  book_add_claim(c, &claim);
  claim = claim_2015("B5", "feem: exact energy conservation after the load", "exact", "feem, both grids, to t = 0.9");
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(exact).s);
  book_judge_below(&claim, exact, 1e-11);
  book_add_claim(c, &claim);
}

/* ---- how the schemes compare ---- */

static double apart(const mass_run *a, const mass_run *b)
{
  double most = 0;
  for (int n = 0; n < REFERENCE_NODES; n++)
    for (int d = 0; d < 3; d++) most = fmax(most, fabs(a->place[2][n][d] - b->place[2][n][d]));
  return most;
}

static void claim_compare(book_chapter *c, const mass_runs *runs)
{
  const mass_run *coarse = runs->run[0][0], *fine = runs->run[0][1];
  const double near[GRIDS] = {apart(&coarse[0], &coarse[1]), apart(&fine[0], &fine[1])};
  book_claim claim = claim_2015("B6", "lgvi and lavi show similar behaviour", "figure 4", runs_text);
  snprintf(claim.measured, sizeof claim.measured, "positions at t = 0.9 differ by %s (A = 22), %s (A = 66)",
           book_error(near[0]).s, book_error(near[1]).s);
  book_judge_below(&claim, near[0], 1e-3);
  book_add_claim(c, &claim);
  claim = claim_2015("B7", "coarse grid: lgvi and lavi compute a stronger deformation than feem", "figures 4 to 6",
                     "A = 22, step 1e-4; strain energy at t = 0.1");
  snprintf(claim.measured, sizeof claim.measured, "V = %s and %s, feem %s", book_fixed(coarse[0].strain, 2).s,
           book_fixed(coarse[1].strain, 2).s, book_fixed(coarse[2].strain, 2).s);
  book_judge_above(&claim, coarse[0].strain / coarse[2].strain, 2);
  snprintf(claim.rule, sizeof claim.rule, "at least twice as large");
  book_add_claim(c, &claim);
  const double gap = fabs(runs->one_point.energy - coarse[2].energy) / fabs(coarse[0].energy - coarse[2].energy);
  claim = claim_2015("B8", "the energies differ because of the space discretization, in particular the mass matrix",
                     "stated", "A = 22: lgvi with its own masses and one strain point per element in place of two");
  snprintf(claim.measured, sizeof claim.measured,
           "it is the strain rule: E = %.12s (paper's lgvi), %.12s (one point), %.12s (feem); V = %.12s, %.12s, %.12s",
           book_fixed(coarse[0].energy, 2).s, book_fixed(runs->one_point.energy, 2).s,
           book_fixed(coarse[2].energy, 2).s, book_fixed(coarse[0].strain, 1).s,
           book_fixed(runs->one_point.strain, 1).s, book_fixed(coarse[2].strain, 1).s);
  book_judge_above(&claim, gap, 0.5);
  snprintf(claim.rule, sizeof claim.rule, "half of the gap stays when only the strain rule changes");
  book_add_claim(c, &claim);
  const double far = apart(&fine[0], &fine[2]) / 2;
  claim = claim_2015("B9", "fine grid: all three integrators provide similar motions", "figures 4, 7, 8",
                     "A = 66, step 1e-5; five nodes at t = 0.9");
  snprintf(claim.measured, sizeof claim.measured, "lgvi and feem %s of the length apart; first node at z = %s and %s",
           book_percent(far).s, book_fixed(fine[0].end_z, 3).s, book_fixed(fine[2].end_z, 3).s);
  book_judge_below(&claim, far, 0.05);
  snprintf(claim.rule, sizeof claim.rule, "at most 5 %% of the length apart");
  book_add_claim(c, &claim);
}

static void claim_stress(book_chapter *c, const mass_runs *runs)
{
  const mass_run *coarse = runs->run[0][0], *fine = runs->run[0][1];
  book_claim claim =
      claim_2015("B34", "coarse grid: lgvi and lavi compute a stronger extension stress n_3 than feem", "figure 6",
                 "A = 22, step 1e-4; largest size of n_3 in elements 1, 11, 22, looked at every 0.005");
  snprintf(claim.measured, sizeof claim.measured, "%s and %s N, feem %s N; largest m %s, %s and %s N m",
           book_number(coarse[0].stretch, 3).s, book_number(coarse[1].stretch, 3).s,
           book_number(coarse[2].stretch, 3).s, book_number(coarse[0].bend, 3).s, book_number(coarse[1].bend, 3).s,
           book_number(coarse[2].bend, 3).s);
  book_judge_above(&claim, fmin(coarse[0].stretch, coarse[1].stretch) / coarse[2].stretch, 1);
  snprintf(claim.rule, sizeof claim.rule, "larger than that of feem");
  book_add_claim(c, &claim);
  claim = claim_2015("B35", "fine grid: stress resultants of all three methods behave similarly", "figures 7 and 8",
                     "A = 66, step 1e-5; largest sizes of n_3 and m in elements 1, 33, 66, looked at every 0.005");
  const double stretch = fabs(fine[0].stretch / fine[2].stretch - 1), bend = fabs(fine[0].bend / fine[2].bend - 1);
  snprintf(claim.measured, sizeof claim.measured,
           "n_3: %s, %s, feem %s N (%s apart); m: %s, %s, feem %s N m (%s apart)", book_number(fine[0].stretch, 3).s,
           book_number(fine[1].stretch, 3).s, book_number(fine[2].stretch, 3).s, book_percent(stretch).s,
           book_number(fine[0].bend, 3).s, book_number(fine[1].bend, 3).s, book_number(fine[2].bend, 3).s,
           book_percent(bend).s);
  book_judge_below(&claim, fmax(stretch, bend), 0.2);
  snprintf(claim.rule, sizeof claim.rule, "peaks of lgvi and feem within 20 %%");
  book_add_claim(c, &claim);
}

/* ---- figures ---- */

static vv_status figure_grid(book_chapter *c, const mass_runs *runs, int g, const char *name, const char *title)
{
  vvi_series z[SCHEMES][REFERENCE_NODES], e[SCHEMES][3];
  vvi_panel panel[2 * SCHEMES];
  static const char *const node[REFERENCE_NODES] = {"first", "5/22", "middle", "17/22", "last"};
  for (int s = 0; s < SCHEMES; s++) {
    const mass_run *m = &runs->run[0][g][s];
    for (int i = 0; i < REFERENCE_NODES; i++) z[s][i] = figure_line(node[i], m->n, m->t, m->z[i], i + 1, VVI_PLOT_LINE);
    e[s][0] = figure_line("kinetic", m->n, m->t, m->kinetic, 1, VVI_PLOT_LINE);
    e[s][1] = figure_line("strain", m->n, m->t, m->potential, 2, VVI_PLOT_LINE);
    e[s][2] = figure_line("total", m->n, m->t, m->total, 7, VVI_PLOT_LINE);
    panel[s] = (vvi_panel){.title = short_name[s],
                           .x_label = "time",
                           .y_label = "z of five nodes",
                           .n_series = REFERENCE_NODES,
                           .series = z[s]};
    panel[SCHEMES + s] =
        (vvi_panel){.title = short_name[s], .x_label = "time", .y_label = "energy", .n_series = 3, .series = e[s]};
  }
  const vvi_page page = {
      .title = title, .width = 1320, .height = 700, .columns = SCHEMES, .n_panel = 2 * SCHEMES, .panel = panel};
  return book_plot(c, name, title, &page);
}

vv_status masses_2015(book_chapter *c, vv_ctx *ctx)
{
  mass_runs *runs = calloc(1, sizeof *runs);
  if (runs == NULL) return VV_NOMEM;
  vv_status status = run_all(ctx, runs);
  if (status == VV_OK) status = places(c, runs);
  if (status == VV_OK) {
    kept_table(c, runs);
    claim_kept(c, runs);
    claim_compare(c, runs);
    claim_stress(c, runs);
    status = figure_grid(c, runs, 0, "coarse", "Beam with concentrated masses, A = 22, step 1e-4 (figures 4 and 5)");
  }
  if (status == VV_OK)
    status = figure_grid(c, runs, 1, "fine", "Beam with concentrated masses, A = 66, step 1e-5 (figures 4 and 7)");
  free(runs);
  return status;
}

vv_status chapter_demoures2015(book *b)
{
  book_chapter *c;
  BOOK_TRY(book_chapter_begin(
      b, "demoures2015", "Demoures, Gay-Balmaz, Leyendecker, Ober-Blöbaum, Ratiu and Weinand 2015: free beams",
      "F. Demoures, F. Gay-Balmaz, S. Leyendecker, S. Ober-Blöbaum, T. S. Ratiu, Y. Weinand, Discrete variational Lie "
      "group formulation of geometrically exact beam dynamics, Numerische Mathematik 130 (2015) 73-123, section 4.",
      &c));
  if (book_wants(c, "B1 B2 B3 B4 B5 B6 B7 B8 B9 B34 B35")) BOOK_TRY(masses_2015(c, book_ctx(b)));
  BOOK_TRY(convergence_2015(c, book_ctx(b)));
  BOOK_TRY(beyond_2015(c, book_ctx(b)));
  return book_chapter_end(c);
}
