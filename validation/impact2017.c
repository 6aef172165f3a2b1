/* validation/impact2017.c  Beams on a floor: the eight published runs of 2017 and the one of 2016. */
#include "impact2017.h"

#include "second.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double impact_when[IMPACT_TIMES] = {0.0053, 0.01, 0.015};

const impact_def impact_run[IMPACT_RUNS] = {
    {"fast, A = 5, step 4e-5", {.over = 4e-5, .elements = 5, .step = 4e-5, .end = 0.5}},
    {"fast, A = 10, step 4e-5", {.over = 4e-5, .elements = 10, .step = 4e-5, .end = 0.5}},
    {"fast, A = 20, step 1e-5", {.over = 4e-5, .elements = 20, .step = 1e-5, .end = 0.5}},
    {"slow, A = 10, step 4e-5", {.over = 8e-5, .elements = 10, .step = 4e-5, .end = 2.5, .series = true}},
    {"slow, A = 10, step 2e-5", {.over = 8e-5, .elements = 10, .step = 2e-5, .end = 2.5}},
    {"slow, A = 16, step 2e-5", {.over = 8e-5, .elements = 16, .step = 2e-5, .end = 2.5}},
    {"slowest, A = 10, step 4e-5", {.over = 20e-5, .elements = 10, .step = 4e-5, .end = 5, .series = true}},
    {"slowest, A = 10, step 2e-5", {.over = 20e-5, .elements = 10, .step = 2e-5, .end = 5}},
};

static const char both_text[] = "the eight runs of section 5.3, jump rules nodal and slab";
static const char second_text[] = "a second program, validation/second.c";
static const char eight_text[] = "the eight runs of section 5.3, jump rule nodal; three impacts each";

typedef struct impact_runs {
  falls_record run[IMPACT_RUNS][IMPACT_RULES];
  falls_record old; /* 2016 */
  double tip[IMPACT_RUNS][IMPACT_TIMES][3];
} impact_runs;

static vv_status run_all(vv_ctx *ctx, impact_runs *r)
{
  for (int i = 0; i < IMPACT_RUNS; i++) {
    falls_def def = impact_run[i].def;
    for (int k = 0; k < IMPACT_RULES; k++) {
      def.jump = k == IMPACT_NODAL ? "nodal" : "slab";
      BOOK_TRY(falls_run(ctx, &def, &r->run[i][k]));
    }
    BOOK_TRY(falls_tip(ctx, &impact_run[i].def, IMPACT_TIMES, impact_when, r->tip[i]));
  }
  const falls_def old = {.over = 4e-5, .elements = 20, .step = 1e-5, .end = 0.5, .data_2016 = true};
  return falls_run(ctx, &old, &r->old);
}

/* ---- against the second program ---- */

/* What it says of one run. */
typedef struct second_fall_record {
  double time[FALLS_FIRST], speed[FALLS_FIRST]; /* s, m/s: of the first impacts */
  double energy;                                /* of the first slab */
  double momentum[FALLS_MOMENTA];
  double tip[IMPACT_TIMES][3];
} second_fall_record;

static void second_open(const falls_def *d, second_beam *b, second_node *n)
{
  static const double at[3] = {0, 0, 0}, d1[3] = {1, 0, 0}, k[3] = {1, 4.5, 1}, g[3] = {0, 0, 1};
  static const double later_k[3] = {1.004, 4.522, 0.996}, later_g[3] = {-0.004, 0, 1};
  const double d3[3] = {0, -sin(0.5), cos(0.5)}, later[3] = {0, 2e-5 * d3[1], 2e-5 * d3[2]};
  second_node toward[SECOND_NODES];
  *b = (second_beam){.elements = d->elements,
                     .length = 0.5,
                     .side = 0.05,
                     .young = 1e3,
                     .poisson = 0.35,
                     .density = 1e3,
                     .group_strain = true,
                     .group_time = true,
                     .gravity = 10};
  second_shape(b, at, d3, d1, k, g, true, n);
  second_shape(b, later, d3, d1, later_k, later_g, true, toward);
  second_first_flight(b, n, toward, d->over, d->step);
}

static void second_start(const second_beam *b, const second_node *n, double h, second_fall_record *out)
{
  second_node next[SECOND_NODES];
  for (int i = 0; i <= b->elements; i++) {
    out->momentum[FALLS_J3] += n[i].x[0] * n[i].p[1] - n[i].x[1] * n[i].p[0] + n[i].s[2];
    for (int c = 0; c < 2; c++) out->momentum[FALLS_P1 + c] += n[i].p[c];
  }
  memcpy(next, n, sizeof next);
  second_drift(b, next, h);
  out->energy = second_slab_energy(b, n, next, h);
}

/* Until the first impacts are seen, `last` is over, and the tip was looked at. */
static void second_record(const falls_def *d, double last, second_fall_record *out)
{
  second_node n[SECOND_NODES] = {0}, part[SECOND_NODES];
  second_beam b;
  second_impacts seen = {.room = FALLS_FIRST, .time = out->time, .speed = out->speed};
  *out = (second_fall_record){0};
  second_open(d, &b, n);
  second_start(&b, n, d->step, out);
  second_kick(&b, n, 0, -d->step / 2); /* the given flight is the first one */
  int looked = 0;
  for (int64_t k = 0; looked < IMPACT_TIMES || (double)k * d->step <= last; k++) {
    const double t = (double)k * d->step;
    for (; looked < IMPACT_TIMES && impact_when[looked] < t + d->step * (1 - 1e-9); looked++) {
      memcpy(part, n, sizeof part);
      if (impact_when[looked] - t > 1e-6 * d->step) second_fall(&b, part, t, impact_when[looked] - t, NULL);
      memcpy(out->tip[looked], part[d->elements].x, sizeof out->tip[looked]);
    }
    second_fall(&b, n, t, d->step, &seen);
  }
}

static void claim_beginnings(book_chapter *c, const impact_runs *r)
{
  double time = 0, speed = 0, energy = 0, momentum = 0, tip = 0;
  for (int i = 0; i < IMPACT_RUNS; i++) {
    const falls_record *m = &r->run[i][IMPACT_NODAL];
    second_fall_record ref;
    second_record(&impact_run[i].def, m->time[FALLS_FIRST - 1], &ref);
    for (int k = 0; k < FALLS_FIRST; k++) {
      time = fmax(time, fabs(m->time[k] / ref.time[k] - 1));
      speed = fmax(speed, fabs(m->speed[k] - ref.speed[k]));
    }
    energy = fmax(energy, fabs(r->run[i][IMPACT_SLAB].start / ref.energy - 1));
    for (int k = 0; k < FALLS_MOMENTA; k++) momentum = fmax(momentum, fabs(m->momentum[k] / ref.momentum[k] - 1));
    for (int k = 0; k < IMPACT_TIMES; k++)
      for (int j = 0; j < 3; j++) tip = fmax(tip, fabs(r->tip[i][k][j] - ref.tip[k][j]));
  }
  book_claim claim = impact_claim("I4", "first impacts of the eight runs", second_text, eight_text);
  snprintf(claim.measured, sizeof claim.measured, "times off by %s relative, speeds by %s m/s", book_error(time).s,
           book_error(speed).s);
  book_judge_target(&claim, fmax(time, speed / 1e3), 1e-9);
  snprintf(claim.rule, sizeof claim.rule, "times agree to 1e-9 relative and speeds to 1e-6 m/s");
  book_add_claim(c, &claim);
  claim = impact_claim("I5", "tip at t = 0.0053, 0.01 and 0.015 s", second_text,
                       "the eight runs; a time inside a step by a partial step that is thrown away");
  snprintf(claim.measured, sizeof claim.measured, "off by %s m", book_error(tip).s);
  book_judge_target(&claim, tip, 1e-9);
  book_add_claim(c, &claim);
  claim = impact_claim("I6", "energy of the first slab and J3, P1, P2 at t = 0", second_text, "the eight runs");
  snprintf(claim.measured, sizeof claim.measured, "energy off by %s, momenta by %s relative", book_error(energy).s,
           book_error(momentum).s);
  book_judge_target(&claim, fmax(energy, momentum), 1e-9);
  snprintf(claim.rule, sizeof claim.rule, "they agree to 1e-9 relative");
  book_add_claim(c, &claim);
}

/* ---- what the papers say ---- */

static void claim_speed(book_chapter *c, const char *id, const char *text, const char *published, double lo, double hi,
                        double about)
{
  book_claim claim = impact_claim(id, text, published, "the runs of this speed, all grids, jump rule nodal");
  snprintf(claim.measured, sizeof claim.measured, "%s to %s m/s", book_fixed(lo, 2).s, book_fixed(hi, 2).s);
  book_judge_about(&claim, lo, hi, about);
  book_add_claim(c, &claim);
}

static void claim_speeds(book_chapter *c, const impact_runs *r)
{
  double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {0, 0, 0};
  for (int i = 0; i < IMPACT_RUNS; i++) {
    const int kind = i < 3 ? 0 : i < 6 ? 1 : 2;
    const double v = -r->run[i][IMPACT_NODAL].speed[kind == 2]; /* slowest: the first contact is node 0 */
    lo[kind] = fmin(lo[kind], v), hi[kind] = fmax(hi[kind], v);
  }
  claim_speed(c, "I1", "speed of the first impact, (5.14)", "about 30 m/s", lo[0], hi[0], 30);
  claim_speed(c, "I2", "speed of the first impact, (5.15)", "about 15 m/s", lo[1], hi[1], 15);
  book_claim slowest =
      impact_claim("I3", "speed estimated at the first impact, (5.16)", "about 6 m/s",
                   "the runs of this speed, jump rule nodal; 30, 15 and 6 m/s go with the velocities of (5.14) to "
                   "(5.16), and in the two faster ones it is the tip that strikes first; with the moments as printed: "
                   "I32");
  snprintf(slowest.measured, sizeof slowest.measured,
           "%s to %s m/s (tip); node 0, which starts on the floor, falls back on it before, at %s m/s",
           book_fixed(lo[2], 2).s, book_fixed(hi[2], 2).s, book_fixed(-r->run[6][IMPACT_NODAL].speed[0], 2).s);
  book_judge_about(&slowest, lo[2], hi[2], 6);
  snprintf(slowest.rule, sizeof slowest.rule, "\"about\": the tip within 10 %% of 6");
  book_add_claim(c, &slowest);
}

static double tips_apart(const impact_runs *r, int i, int j)
{
  double apart = 0;
  for (int k = 0; k < IMPACT_TIMES; k++) {
    double square = 0;
    for (int a = 0; a < 3; a++) square += pow(r->tip[i][k][a] - r->tip[j][k][a], 2);
    apart = fmax(apart, sqrt(square));
  }
  return apart / 0.5;
}

static void claim_coherent(book_chapter *c, const impact_runs *r)
{
  book_claim claim =
      impact_claim("I7", "coherent behaviour for various sizes of the grid", "figure 5.1",
                   "fast, A = 5, 10, 20; tip at 0.0053, 0.01 and 0.015 s, largest distance over the length");
  const double coarse = tips_apart(r, 1, 0), fine = tips_apart(r, 2, 1);
  snprintf(claim.measured, sizeof claim.measured, "A = 5 and 10: %s; A = 10 and 20: %s", book_percent(coarse).s,
           book_percent(fine).s);
  book_judge_below(&claim, fine / coarse, 0.5);
  snprintf(claim.rule, sizeof claim.rule, "the distance at least halves from pair to pair");
  book_add_claim(c, &claim);
}

static void claim_energy(book_chapter *c, const impact_runs *r)
{
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {0, 0};
  for (int i = 0; i < IMPACT_RUNS; i++)
    for (int k = 0; k < IMPACT_RULES; k++) {
      const double e = r->run[i][k].error;
      lo[k] = fmin(lo[k], e), hi[k] = fmax(hi[k], e);
    }
  book_claim claim =
      impact_claim("I8", "energy well conserved, fast, slow and slowest", "figures 5.2 to 5.4", both_text);
  snprintf(claim.measured, sizeof claim.measured, "nodal %s, slab %s of the initial energy", book_range(lo[0], hi[0]).s,
           book_range(lo[1], hi[1]).s);
  book_judge_below(&claim, fmax(hi[0], hi[1]), 1e-3);
  claim.chaotic = true;
  book_add_claim(c, &claim);
}

static void claim_momenta(book_chapter *c, const impact_runs *r)
{
  double worst = 0, decay = 0, jump = 0, penetration = 0, residual = 0;
  int64_t impacts = 0, fallbacks = 0;
  for (int i = 0; i < IMPACT_RUNS; i++)
    for (int k = 0; k < IMPACT_RULES; k++) {
      const falls_record *m = &r->run[i][k];
      for (int j = 0; j < FALLS_MOMENTA; j++) worst = fmax(worst, m->drift[j]);
      if (i >= 3) decay = fmax(decay, m->drift[FALLS_J3]);
      penetration = fmax(penetration, m->penetration);
      if (k == IMPACT_NODAL) jump = fmax(jump, m->jump);
      if (k == IMPACT_SLAB) impacts += m->impacts, fallbacks += m->fallbacks, residual = fmax(residual, m->jump);
    }
  book_claim claim = impact_claim("I10", "excellent conservation of J3, P1, P2", "figures 5.2 to 5.4", both_text);
  snprintf(claim.measured, sizeof claim.measured, "drift %s of their values", book_error(worst).s);
  book_judge_below(&claim, worst, 1e-12);
  book_add_claim(c, &claim);
  claim = impact_claim(
      "I11", "the angular momentum decays slightly after about 1 s (slow run): a defect that the authors report",
      "figure 5.3, a decay", "slow and slowest runs, to 2.5 and 5 s, both jump rules");
  snprintf(claim.measured, sizeof claim.measured,
           "no decay: drift %s; an impulse along the vertical cannot change J3, whatever its size",
           book_error(decay).s);
  book_judge_above(&claim, decay, 1e-6);
  book_add_claim(c, &claim);
  claim = impact_claim("I12", "the angular momentum is kept over 5 s and 200 impacts", "a decay (I11)",
                       "slow and slowest runs, both jump rules");
  snprintf(claim.measured, sizeof claim.measured, "drift %s", book_error(decay).s);
  book_judge_target(&claim, decay, 1e-12);
  book_add_claim(c, &claim);
  claim = impact_claim("I13", "the horizontal jump is solved at every impact", "a hard minimisation, many minima",
                       "the eight runs, slab: one unknown, secant in the square of the rebound speed");
  snprintf(claim.measured, sizeof claim.measured, "%s of the energy at each of %lld impacts; %lld without a root",
           book_error(residual).s, (long long)impacts, (long long)fallbacks);
  book_judge_target(&claim, residual + (double)fallbacks, 1e-15);
  book_add_claim(c, &claim);
  claim = impact_claim("I14", "energy jump at an impact, and penetration", "within a tolerance of the gap", both_text);
  snprintf(claim.measured, sizeof claim.measured, "jump %s (nodal), penetration %s", book_error(jump).s,
           book_error(penetration).s);
  book_judge_target(&claim, jump + penetration, 1e-15);
  book_add_claim(c, &claim);
}

static void claim_2016(book_chapter *c, const impact_runs *r)
{
  static const char evidence[] = "examples/demoures2016/beam-A20.yaml: g^1 fixed, as printed there; jump rule nodal";
  const falls_record *m = &r->old;
  double drift = 0;
  for (int k = 0; k < FALLS_MOMENTA; k++) drift = fmax(drift, m->drift[k]);
  book_claim claim = impact_claim("I15", "2016: excellent conservation of the energy", "figure 6", evidence);
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(m->error).s);
  book_judge_below(&claim, m->error, 1e-4);
  book_add_claim(c, &claim);
  claim = impact_claim("I16",
                       "2016: excellent conservation of the momentum map of S^1 x R^2 (\"four\" maps; there are "
                       "three)",
                       "figure 6", evidence);
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(drift).s);
  book_judge_below(&claim, drift, 1e-12);
  book_add_claim(c, &claim);
  claim = impact_claim("I17", "A = 20, step 1e-5: 2016 prints the initial data at g^1, 2017 at g^0",
                       "figures that look alike", evidence);
  const double other = r->run[2][IMPACT_NODAL].speed[0];
  snprintf(claim.measured, sizeof claim.measured,
           "first impact at %s m/s (2016: g^1 fixed) and %s m/s (2017: g^0 fixed)", book_fixed(-m->speed[0], 2).s,
           book_fixed(-other, 2).s);
  book_tell(&claim);
  book_add_claim(c, &claim);
  claim = impact_claim("I18", "the curves of figures 5.1 to 5.4 (2017), 6 and 7 (2016)", "figures", "see the plots");
  book_judge_unchecked(&claim, "the figures give no numbers; our curves are in the page");
  book_add_claim(c, &claim);
}

/* ---- tables and plots ---- */

static void tables(book_chapter *c, const impact_runs *r)
{
  book_heading(c, "The eight runs");
  book_columns(c, "run|first impact (ms)|speed (m/s)|energy error, nodal|slab|drift of J3, nodal|slab|slab equation "
                  "left open by|penetration");
  for (int i = 0; i < IMPACT_RUNS; i++) {
    const falls_record *h = &r->run[i][IMPACT_NODAL], *v = &r->run[i][IMPACT_SLAB];
    book_row(c, "%s|%s|%s|%s|%s|%s|%s|%s|%s", impact_run[i].name, book_fixed(1e3 * h->time[0], 9).s,
             book_fixed(h->speed[0], 5).s, book_error(h->error).s, book_error(v->error).s,
             book_error(h->drift[FALLS_J3]).s, book_error(v->drift[FALLS_J3]).s, book_error(v->jump).s,
             book_error(fmax(h->penetration, v->penetration)).s);
  }
  book_table_end(c);
  book_say(c,
           "The energy that each rule balances: the plain one H(q, p) for nodal, that of the slab E_d for slab, over "
           "its value at t = 0. What the papers leave open is read as in section 8 of docs/theory/beam.md; node 0 "
           "starts on the floor and is not an impact.");
}

static vv_status plots(book_chapter *c, const impact_runs *r)
{
  static const int which[2] = {3, 6};
  vvi_series series[4][2];
  vvi_panel panel[4];
  static const char *const title[4] = {"slow: energy error", "slow: J3/J3(0) - 1", "slowest: energy error",
                                       "slowest: J3/J3(0) - 1"};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 2; k++) {
      const falls_record *m = &r->run[which[i / 2]][k];
      series[i][k] = figure_line(k == IMPACT_NODAL ? "nodal" : "slab", m->n, m->t, i % 2 == 0 ? m->closure : m->J3,
                                 k + 1, VVI_PLOT_LINE);
    }
    panel[i] = (vvi_panel){.title = title[i],
                           .x_label = "time (s)",
                           .y_label = i % 2 == 0 ? "relative" : "relative drift",
                           .log_y = i % 2 == 0,
                           .y_floor = 1e-10,
                           .n_series = 2,
                           .series = series[i]};
  }
  const vvi_page page = {.title = "Slow and slowest runs, A = 10, step 4e-5",
                         .width = 1100,
                         .height = 720,
                         .columns = 2,
                         .n_panel = 4,
                         .panel = panel};
  return book_plot(c, "impact-long", "Energy and angular momentum of the long runs (figures 5.3 and 5.4)", &page);
}

static vv_status write_chapter(book_chapter *c, vv_ctx *ctx, impact_runs *r)
{
  if (book_wants(c, "I1 I2 I3 I4 I5 I6 I7 I8 I10 I11 I12 I13 I14 I15 I16 I17 I18")) {
    BOOK_TRY(run_all(ctx, r));
    claim_speeds(c, r);
    claim_beginnings(c, r);
    claim_coherent(c, r);
    claim_energy(c, r);
    claim_momenta(c, r);
    claim_2016(c, r);
    tables(c, r);
    BOOK_TRY(plots(c, r));
  }
  BOOK_TRY(impact_chaos(c, ctx));
  return impact_beyond(c, ctx);
}

vv_status chapter_impact2017(book *b)
{
  book_chapter *c;
  BOOK_TRY(book_chapter_begin(
      b, "impact2017", "Demoures et al. 2016 and 2017: a beam on a floor",
      "F. Demoures, F. Gay-Balmaz, M. Desbrun, T. S. Ratiu, A. M. Aragón, A multisymplectic integrator for "
      "elastodynamic "
      "frictionless impact problems, Computer Methods in Applied Mechanics and Engineering 315 (2017), section 5; "
      "F. Demoures, F. Gay-Balmaz, T. S. Ratiu, Forum of Mathematics, Sigma 4 (2016), section 5.1.",
      &c));
  impact_runs *r = calloc(1, sizeof *r);
  if (r == NULL) return VV_NOMEM;
  const vv_status status = write_chapter(c, book_ctx(b), r);
  free(r);
  return status == VV_OK ? book_chapter_end(c) : status;
}
