/* validation/beyond2015.c  Locking, the long run, moving frames of reference, cost, and what (61) says. */
#include "demoures2015.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* ---- locking ---- */

static vv_status end_node(vv_ctx *ctx, const beams_def *def, double x[3])
{
  const int64_t loaded = llround(0.1 / def->step), all = llround(0.9 / def->step);
  beams_run run;
  BOOK_TRY(beams_open(ctx, def, &run));
  vv_status status = beams_steps(&run, loaded);
  if (status == VV_OK) status = beams_unload(ctx, &run);
  if (status == VV_OK) status = beams_steps(&run, all - loaded);
  if (status == VV_OK) beams_at(&run, 0, 1, x);
  beams_close(&run);
  return status;
}

static double distance(const double a[3], const double b[3])
{
  double sum = 0;
  for (int c = 0; c < 3; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sqrt(sum);
}

static vv_status locking(book_chapter *c, vv_ctx *ctx)
{
  enum { ROWS = 5, PAPER = 1, OURS = 3 };
  static const struct {
    bool one_point;
    int elements;
    double step;
  } def[ROWS] = {{false, 22, 1e-4}, {false, 66, 1e-5}, {false, 264, 2.5e-6}, {true, 22, 1e-4}, {true, 66, 1e-5}};
  double x[ROWS][3], best[3];
  BOOK_TRY(end_node(ctx, &(beams_def){.one_point = true, .elements = 264, .step = 2.5e-6}, best));
  book_heading(c, "Shear locking");
  book_say(
      c,
      "The trapezoid rule measures strains at the nodes and so adds GA l^2/4 to the bending stiffness: a factor of "
      "4.7 for A = 22 and 1.4 for A = 66 in the beam with concentrated masses. One strain in the middle of the "
      "element adds nothing. First node at t = 0.9; converged: one point, A = 264, step 2.5e-6, at (%s, %s, %s).",
      book_fixed(best[0], 4).s, book_fixed(best[1], 4).s, book_fixed(best[2], 4).s);
  book_columns(c, "strain|A|step|z of the first node|distance from converged|node-steps");
  for (int i = 0; i < ROWS; i++) {
    const beams_def d = {.one_point = def[i].one_point, .elements = def[i].elements, .step = def[i].step};
    BOOK_TRY(end_node(ctx, &d, x[i]));
    book_row(c, "%s|%d|%g|%s|%s|%.1e", def[i].one_point ? "one point" : "trapezoid", def[i].elements, def[i].step,
             book_fixed(x[i][2], 4).s, book_number(distance(x[i], best), 2).s,
             (def[i].elements + 1) * 0.9 / def[i].step);
  }
  book_table_end(c);
  book_claim claim = claim_2015("B26", "one strain point on the paper's coarse grid beats the paper's fine grid",
                                "A = 66, step 1e-5", "first node at t = 0.9, distance from A = 264; lgvi");
  snprintf(claim.measured, sizeof claim.measured,
           "%s with A = 22, step 1e-4 (trapezoid: %s); %s with the paper's fine grid",
           book_number(distance(x[OURS], best), 2).s, book_number(distance(x[0], best), 2).s,
           book_number(distance(x[PAPER], best), 2).s);
  book_judge_target(&claim, distance(x[OURS], best) / distance(x[PAPER], best), 1);
  snprintf(claim.rule, sizeof claim.rule, "closer, with 29 times fewer node-steps");
  book_add_claim(c, &claim);
  return VV_OK;
}

/* (16) prints the exponential, the paper then takes the Cayley map: what is between the two. */
static vv_status exponential(book_chapter *c, vv_ctx *ctx)
{
  static const struct {
    int elements;
    double step;
  } def[2] = {{22, 1e-4}, {66, 1e-5}};
  double apart[2];
  for (int i = 0; i < 2; i++) {
    double x[2][3];
    for (int k = 0; k < 2; k++) {
      const beams_def d = {.elements = def[i].elements, .step = def[i].step, .exponential = k == 1};
      BOOK_TRY(end_node(ctx, &d, x[k]));
    }
    apart[i] = distance(x[0], x[1]);
  }
  book_claim claim = claim_2015(
      "B39", "(16) as printed, `strain: exp`: the exponential between the sections in place of the Cayley map",
      "both allowed", "masses, lgvi, trapezoid; first node at t = 0.9");
  snprintf(claim.measured, sizeof claim.measured, "%s m apart (A = 22), %s m (A = 66)", book_error(apart[0]).s,
           book_error(apart[1]).s);
  book_tell(&claim);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* Section 3.6.4: any Lie group method in time. */
static vv_status munthe_kaas(book_chapter *c, vv_ctx *ctx)
{
  enum { SIZES = 4, A = 64 };
  static const double step[SIZES] = {2.4e-3, 1.2e-3, 6e-4, 3e-4};
  const beams_def best = {.shape = BEAMS_ARC, .elements = A, .step = 7.5e-5, .order = 6, .one_point = true};
  beams_def member[SIZES];
  double error[SIZES], drift[2];
  for (int i = 0; i < SIZES; i++)
    member[i] = (beams_def){.shape = BEAMS_ARC, .elements = A, .step = step[i], .one_point = true, .rkmk = true};
  BOOK_TRY(beams_errors(ctx, &best, SIZES, member, 0.24, error));
  for (int k = 0; k < 2; k++) { /* the same number of forces */
    beams_def d = member[1];
    beams_run run;
    if (k == 1) d.rkmk = false, d.step = 0.25 * step[1];
    BOOK_TRY(beams_open(ctx, &d, &run));
    const vv_status status = beams_steps(&run, llround(4.8 / d.step));
    drift[k] = vv_sim_ledger(run.sim)->closure;
    beams_close(&run);
    BOOK_TRY(status);
  }
  book_claim claim = claim_2015(
      "B40", "Runge-Kutta-Munthe-Kaas in time (3.6.4), `step: rkmk`, beside lgvi at the same number of forces",
      "any Lie group method may be used",
      "arc, A = 64, one point; steps 2.4e-3 to 3e-4 to t = 0.24 against order 6; energy at t = 4.8, rkmk with step "
      "1.2e-3, lgvi with 3e-4");
  snprintf(claim.measured, sizeof claim.measured, "order %s; energy off by %s, lgvi %s",
           book_fixed(book_fit(SIZES, step, error), 2).s, book_error(fabs(drift[0])).s, book_error(fabs(drift[1])).s);
  book_tell(&claim);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- the long run ---- */

enum { WINDOWS = 10 };

typedef struct long_run {
  double step;
  int windows;
  double mean_h[WINDOWS], mean_h2[WINDOWS]; /* relative to the values at the start */
  double lo, hi;                            /* of H, relative */
  double momenta, defect, seconds;
  int n;
  double *t, *h, *h2; /* [n] */
} long_run;

static vv_status open_after_load(vv_ctx *ctx, double step, beams_run *run)
{
  const beams_def def = {.elements = 22, .step = step, .modified = true};
  BOOK_TRY(beams_open(ctx, &def, run));
  vv_status status = beams_steps(run, llround(0.1 / step));
  if (status == VV_OK) status = beams_unload(ctx, run);
  return status;
}

/* The looks are as often in time for every step: 0.1 apart.  The start of H and H2 is the mean over the first second, finely. */
static vv_status go_long(vv_ctx *ctx, double step, int windows, double window, long_run *r)
{
  const int64_t between = llround(0.1 / step);
  const int looks = (int)llround(window / 0.1);
  double zero[2] = {0, 0};
  beams_run run;
  *r = (long_run){.step = step, .windows = windows, .lo = INFINITY, .hi = -INFINITY};
  r->t = malloc(sizeof(double) * 3 * (size_t)(looks * windows));
  if (r->t == NULL) return VV_NOMEM;
  r->h = r->t + looks * windows, r->h2 = r->h + looks * windows;
  BOOK_TRY(open_after_load(ctx, step, &run));
  vv_status status = VV_OK;
  for (int k = 0; k < 1000 && status == VV_OK; k++) { /* a base that does not depend on one moment */
    status = beams_steps(&run, between / 100);
    zero[0] += 1e-3 * vv_sim_ledger(run.sim)->nodal_now, zero[1] += 1e-3 * vv_sim_ledger(run.sim)->modified_now;
  }
  for (int k = 0; k < looks * windows && status == VV_OK; k++) {
    status = beams_steps(&run, between);
    const vv_ledger *l = vv_sim_ledger(run.sim);
    const double h = l->nodal_now / zero[0] - 1, h2 = l->modified_now / zero[1] - 1;
    r->t[k] = run.state->t, r->h[k] = h, r->h2[k] = h2;
    r->mean_h[k / looks] += h / looks, r->mean_h2[k / looks] += h2 / looks;
    r->lo = fmin(r->lo, h), r->hi = fmax(r->hi, h);
    r->momenta = fmax(l->max_p_drift, l->max_L_drift);
    r->n++;
  }
  r->defect = beams_frame_defect(&run);
  r->seconds = run.wall;
  beams_close(&run);
  return status;
}

static double shift(const double mean[], int n)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(mean[i]));
  return most;
}

static void long_table(book_chapter *c, const long_run *r)
{
  book_columns(c, "t up to|mean of H|mean of H2");
  for (int i = 0; i < r->windows; i++) book_row(c, "%d|%.1e|%.1e", 100 * (i + 1), r->mean_h[i], r->mean_h2[i]);
  book_table_end(c);
}

static void scaling_row(book_chapter *c, const long_run *r)
{
  const int k = r->windows - 1;
  book_row(c, "%g|%.2e|%.2e|%.1f", r->step, r->mean_h[k], r->mean_h2[k], r->mean_h[k] / r->mean_h2[k]);
}

static vv_status figure_long(book_chapter *c, const long_run *r)
{
  const vvi_series line[2] = {figure_line("H", r->n, r->t, r->h, 5, VVI_PLOT_LINE),
                              figure_line("H2", r->n, r->t, r->h2, 2, VVI_PLOT_LINE)};
  const vvi_panel panel = {.x_label = "time", .y_label = "relative to the first second", .n_series = 2, .series = line};
  const vvi_page page = {.title = "Ten million steps: energy H, and H2 that the step keeps to fourth order",
                         .width = 1000,
                         .height = 420,
                         .columns = 1,
                         .n_panel = 1,
                         .panel = &panel};
  return book_plot(c, "long-run", "Beam with concentrated masses, lgvi, A = 22, step 1e-4, after the load", &page);
}

static void claim_long(book_chapter *c, const long_run *r, const long_run *coarse, const long_run *fine)
{
  static const char text[] = "masses, lgvi, A = 22, step 1e-4, from t = 0.1, means over windows of t = 100";
  book_claim claim = claim_2015("B27", "excellent long term energy behaviour", "figure 9", text);
  snprintf(claim.measured, sizeof claim.measured, "1e7 steps: H off by %s, its window means by %s",
           book_percent(fmax(-r->lo, r->hi)).s, book_percent(shift(r->mean_h, r->windows)).s);
  book_judge_below(&claim, fmax(-r->lo, r->hi), 1e-2);
  claim.chaotic = true;
  book_add_claim(c, &claim);
  claim = claim_2015("B28", "the energy H2, which the step keeps to fourth order, over 1e7 steps", "-", text);
  snprintf(claim.measured, sizeof claim.measured, "window means off by %s",
           book_percent(shift(r->mean_h2, r->windows)).s);
  book_judge_target(&claim, shift(r->mean_h2, r->windows) / shift(r->mean_h, r->windows), 0.1);
  snprintf(claim.rule, sizeof claim.rule, "at most a tenth of the shift of H (B27)");
  claim.chaotic = true;
  book_add_claim(c, &claim);
  claim = claim_2015("B29", "momenta over 1e7 steps", "numerical accuracy", text);
  snprintf(claim.measured, sizeof claim.measured, "%s; frames orthogonal to %s without repair",
           book_error(r->momenta).s, book_error(r->defect).s);
  book_judge_target(&claim, r->momenta, 1e-10);
  book_add_claim(c, &claim);
  const int k = fine->windows - 1;
  const double ratio[2] = {fabs(coarse->mean_h2[k] / coarse->mean_h[k]), fabs(fine->mean_h2[k] / fine->mean_h[k])};
  const double power = log2(ratio[0] / ratio[1]);
  claim = claim_2015("B30", "the shift of H is the step's own h^2 term, not loss: H2/H falls as h^2", "-",
                     "the same, means over t = 150 to 200, steps 1e-4 and 5e-5");
  snprintf(claim.measured, sizeof claim.measured, "power %s when the step is halved", book_fixed(power, 2).s);
  claim.chaotic = true;
  book_judge_target(&claim, fabs(power - 2), 0.15);
  snprintf(claim.rule, sizeof claim.rule, "the power is within 0.15 of 2");
  book_add_claim(c, &claim);
}

static vv_status tell_long(book_chapter *c, const long_run *r, const long_run *coarse, const long_run *fine)
{
  printf("  long run: %.1f s, %.1f s and %.1f s\n", r->seconds, coarse->seconds, fine->seconds);
  long_table(c, r);
  book_say(c, "Means over t = 150 to 200. H2 shifts with the fourth power of the step, H with the second:");
  book_columns(c, "step|H|H2|H/H2");
  scaling_row(c, coarse);
  scaling_row(c, fine);
  book_table_end(c);
  claim_long(c, r, coarse, fine);
  return figure_long(c, r);
}

static vv_status long_runs(book_chapter *c, vv_ctx *ctx)
{
  long_run r = {.t = NULL}, coarse = {.t = NULL}, fine = {.t = NULL};
  book_heading(c, "Beyond the paper: ten million steps");
  book_say(c,
           "The beam with concentrated masses after the load, paper's lgvi, A = 22, step 1e-4, to t = 1000. The plain "
           "energy H sinks a little: strain energy spreads into high modes, and the h^2 term of the energy that the "
           "step itself keeps follows. H2 contains that term ([ledger 6]). Means over windows of t = 100, relative to "
           "the mean over the first second.");
  vv_status status = go_long(ctx, 1e-4, WINDOWS, 100, &r);
  if (status == VV_OK) status = go_long(ctx, 1e-4, 4, 50, &coarse);
  if (status == VV_OK) status = go_long(ctx, 5e-5, 4, 50, &fine);
  if (status == VV_OK) status = tell_long(c, &r, &coarse, &fine);
  free(r.t);
  free(coarse.t);
  free(fine.t);
  return status;
}

/* ---- moving frames of reference ---- */

static vv_status galilean_defect(vv_ctx *ctx, beams_scheme scheme, double *defect)
{
  enum { A = 22, STEPS = 600 };
  const double speed[3] = {6, 0, 8};
  const beams_def def = {.scheme = scheme, .elements = A, .step = 1e-4};
  beams_def boosted = def;
  beams_run a, b;
  for (int c = 0; c < 3; c++) boosted.boost[c] = speed[c];
  BOOK_TRY(beams_open(ctx, &def, &a));
  vv_status status = beams_open(ctx, &boosted, &b);
  if (status == VV_OK) status = beams_steps(&a, STEPS);
  if (status == VV_OK) status = beams_steps(&b, STEPS);
  *defect = 0;
  for (int64_t i = 0; status == VV_OK && i <= A; i++) {
    double x[12], y[12];
    beams_node(&a, i, x);
    beams_node(&b, i, y);
    for (int c = 0; c < 3; c++) *defect = fmax(*defect, fabs(y[c] - speed[c] * b.state->t - x[c]));
  }
  beams_close(&a);
  beams_close(&b);
  return status;
}

static vv_status galilean(book_chapter *c, vv_ctx *ctx)
{
  enum { EXPLICIT = 4 };
  double defect[EXPLICIT];
  book_heading(c, "Beyond the paper: seen from a train");
  book_say(c,
           "The beam with concentrated masses, and the same with a velocity of 10 added; largest difference of a place "
           "at t = 0.06, step 1e-4, A = 22, the motion of the train taken off. lavi couples velocity and spin in the "
           "section's own axes, "
           "which is exact only in the limit of small steps.");
  book_columns(c, "drift|difference");
  for (int i = 0; i < EXPLICIT; i++) {
    BOOK_TRY(galilean_defect(ctx, (beams_scheme)i, &defect[i]));
    book_row(c, "%s|%s", beams_scheme_name[i], book_error(defect[i]).s);
  }
  book_table_end(c);
  book_claim claim = claim_2015("B31", "lgvi does not notice a uniform motion", "-",
                                "masses, A = 22, step 1e-4, t = 0.06, velocity 10 added");
  snprintf(claim.measured, sizeof claim.measured, "%s; lavi %s, %s, %s", book_error(defect[0]).s,
           book_error(defect[1]).s, book_error(defect[2]).s, book_error(defect[3]).s);
  book_judge_target(&claim, defect[0], 1e-12);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- (61) ---- */

/* (61) as printed gives an interior node 1/(l M) and an end node 1/(2 l M): each the factor of the other. */
static vv_status printed_energy(book_chapter *c, vv_ctx *ctx)
{
  enum { A = 22 };
  const beams_def def = {.shape = BEAMS_FLIGHT, .elements = A, .step = 1e-4, .boost = {1, 0, 0}};
  const double l = 2.0 / A, M = 2.5;
  double printed = 0, p[A + 1][3];
  beams_run run;
  BOOK_TRY(beams_open(ctx, &def, &run));
  vv_status status = beams_steps(&run, 0);
  if (status == VV_OK) status = vv_model_output(run.model, run.state, 0, "momentum", &p[0][0]);
  const double kinetic = vv_sim_ledger(run.sim)->now.kinetic;
  beams_close(&run);
  if (status != VV_OK) return status;
  for (int i = 0; i <= A; i++) printed += p[i][0] * p[i][0] / (l * M) * (i == 0 || i == A ? 0.5 : 1);
  book_claim claim = claim_2015("B32",
                                "(61) prints 1/(l M) for inner nodes and 1/(2 l M) at the ends: each the factor of the "
                                "other",
                                "1/(l M), 1/(2 l M)", "A = 22, whole beam at speed 1: exact energy 2.5");
  snprintf(claim.measured, sizeof claim.measured, "%s as printed; %s with the two factors exchanged",
           book_fixed(printed, 2).s, book_fixed(kinetic, 2).s);
  book_tell(&claim);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- cost ---- */

static double cpu_now(void)
{
  return (double)clock() / CLOCKS_PER_SEC;
}

enum { SIZES = 4, METHODS = 3 };

/* CPU seconds of the whole run to 0.06 at the levels of 4.3.1: (1.6e-4, 16) to (2e-5, 128); so often that they are twenty ticks of a
 * clock with hundredths of a second. */
static vv_status seconds_of(vv_ctx *ctx, beams_scheme scheme, double seconds[SIZES])
{
  for (int i = 0; i < SIZES; i++) {
    const beams_def def = {.shape = BEAMS_ARC, .scheme = scheme, .elements = 16 << i, .step = 1.6e-4 / (1 << i)};
    beams_run run;
    double spent = 0;
    int runs = 0;
    for (; runs < 3 || (spent < 0.2 && runs < 1000); runs++) {
      BOOK_TRY(beams_open(ctx, &def, &run));
      const double from = cpu_now();
      const vv_status status = beams_steps(&run, llround(0.06 / def.step));
      spent += cpu_now() - from;
      beams_close(&run);
      BOOK_TRY(status);
    }
    seconds[i] = spent / runs;
  }
  return VV_OK;
}

/* Figure 14, left: times are CPU times of one process, the mean of some runs. */
/* The right half of figure 14: error over time, reference as in 4.3.1. */
static vv_status tell_price(book_chapter *c, vv_ctx *ctx, const double lgvi[], const double feem[])
{
  static const beams_scheme by[2] = {BEAMS_LGVI, BEAMS_FEEM};
  static const char *const name[2] = {"lgvi", "feem"};
  const double *seconds[2] = {lgvi, feem};
  book_claim claim = claim_2015("B42", "error over computing time: more accurate costs more", "figure 14, right half",
                                "as B36, errors as in B14 and B15; CPU time");
  size_t used = 0;
  for (int k = 0; k < 2; k++) {
    const beams_def reference = {
        .shape = BEAMS_ARC, .scheme = by[k], .elements = 256, .step = 1e-5, .drift = by[k] != BEAMS_FEEM};
    beams_def member[SIZES];
    double error[SIZES];
    for (int i = 0; i < SIZES; i++) {
      member[i] = reference;
      member[i].elements = 16 << i, member[i].step = 1.6e-4 / (1 << i);
    }
    BOOK_TRY(beams_errors(ctx, &reference, SIZES, member, 0.06, error));
    used += (size_t)snprintf(claim.measured + used, sizeof claim.measured - used, "%s%s", k > 0 ? "; " : "", name[k]);
    for (int i = 0; i < SIZES; i++)
      used += (size_t)snprintf(claim.measured + used, sizeof claim.measured - used, "%s %s in %s s", i > 0 ? "," : "",
                               book_error(error[i]).s, book_number(seconds[k][i], 2).s);
  }
  book_tell(&claim);
  claim.chaotic = true;
  book_add_claim(c, &claim);
  return VV_OK;
}

static vv_status cost(book_chapter *c, vv_ctx *ctx)
{
  static const beams_scheme scheme[METHODS] = {BEAMS_LGVI, BEAMS_LAVI, BEAMS_FEEM};
  static const double size[SIZES] = {8, 4, 2, 1}; /* steps, in those of the last */
  static const char *const name[METHODS] = {"lgvi", "lavi", "feem"};
  double seconds[METHODS][SIZES];
  for (int k = 0; k < METHODS; k++) BOOK_TRY(seconds_of(ctx, scheme[k], seconds[k]));
  const double *last[METHODS] = {seconds[0] + SIZES - 1, seconds[1] + SIZES - 1, seconds[2] + SIZES - 1};
  static const char text[] = "arc to t = 0.06, (1.6e-4, 16) to (2e-5, 128); CPU time";
  book_claim claim = claim_2015("B33", "lgvi is the fastest, lavi slightly slower, feem slower", "figure 14", text);
  snprintf(claim.measured, sizeof claim.measured, "at the finest level lavi takes %s and feem %s times as long as lgvi",
           book_number(*last[1] / *last[0], 2).s, book_number(*last[2] / *last[0], 2).s);
  book_judge_count(&claim, (*last[0] < *last[1]) + (*last[1] < *last[2]), 2, "the earlier takes less time");
  snprintf(claim.rule, sizeof claim.rule, "in this order at the finest level");
  claim.chaotic = true;
  book_add_claim(c, &claim);
  claim =
      claim_2015("B36",
                 "how the time grows when both grids are halved; solved block by block, feem costs in proportion to A "
                 "here",
                 "about 2 (lgvi, lavi), about 3 (feem)", text);
  size_t used = 0;
  for (int k = 0; k < METHODS; k++) {
    used += (size_t)snprintf(claim.measured + used, sizeof claim.measured - used, "%s%s powers", k > 0 ? "; " : "",
                             name[k]);
    for (int i = 0; i + 1 < SIZES; i++)
      used += (size_t)snprintf(claim.measured + used, sizeof claim.measured - used, " %.2f",
                               -book_pair(i, size, seconds[k]));
  }
  book_tell(&claim);
  claim.chaotic = true;
  book_add_claim(c, &claim);
  return tell_price(c, ctx, seconds[0], seconds[2]);
}

vv_status beyond_2015(book_chapter *c, vv_ctx *ctx)
{
  if (book_wants(c, "B26")) BOOK_TRY(locking(c, ctx));
  if (book_wants(c, "B39")) BOOK_TRY(exponential(c, ctx));
  if (book_wants(c, "B40")) BOOK_TRY(munthe_kaas(c, ctx));
  if (book_wants(c, "B27 B28 B29 B30")) BOOK_TRY(long_runs(c, ctx));
  if (book_wants(c, "B31")) BOOK_TRY(galilean(c, ctx));
  if (book_wants(c, "B32")) BOOK_TRY(printed_energy(c, ctx));
  return book_wants(c, "B33 B36 B42") ? cost(c, ctx) : VV_OK;
}
