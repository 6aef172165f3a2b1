/* validation/convergence2015.c  The arc that springs open: the paper's convergence tables, and the orders behind them. */
#include "demoures2015.h"

#include <math.h>

enum { LEVELS = 4, SCHEMES = 3, MOST = BEAMS_GROUP };
static const beams_scheme scheme[SCHEMES] = {BEAMS_LGVI, BEAMS_LAVI, BEAMS_FEEM};
static const char *const short_name[SCHEMES] = {"lgvi", "lavi", "feem"};
static const double paper_step[LEVELS] = {1.6e-4, 8e-5, 4e-5, 2e-5};
static const int paper_elements[LEVELS] = {16, 32, 64, 128};
static const double end = 0.06;

/* A row of errors over a row of sizes. */
typedef struct series {
  int n;
  double h[MOST], error[MOST];
} series;

static double fit(const series *s)
{
  return book_fit(s->n, s->h, s->error);
}

static double last(const series *s)
{
  return book_pair(s->n - 2, s->h, s->error);
}

static void row(book_chapter *c, const char *name, const series *s, const char *rest)
{
  char text[512];
  int used = snprintf(text, sizeof text, "%s", name);
  for (int i = 0; i < s->n; i++) used += snprintf(text + used, sizeof text - (size_t)used, "|%.3e", s->error[i]);
  book_row(c, "%s|%s|%s%s", text, book_fixed(last(s), 2).s, book_fixed(fit(s), 2).s, rest);
}

/* ---- the paper's protocol ---- */

typedef enum protocol { BY_TIME, BY_SPACE, BY_BOTH, PROTOCOLS } protocol;

/* The reference is the same method with `elements` and `step`: the finest level, and in time or space alone any of the other. */
static vv_status measure_shape(vv_ctx *ctx, beams_shape shape, protocol p, beams_scheme by, int elements, double step,
                               series *out)
{
  const beams_def reference = {
      .shape = shape, .scheme = by, .elements = elements, .step = step, .drift = by != BEAMS_FEEM};
  beams_def member[LEVELS];
  out->n = LEVELS;
  for (int i = 0; i < LEVELS; i++) {
    member[i] = reference;
    if (p != BY_SPACE) member[i].step = paper_step[i];
    if (p != BY_TIME) member[i].elements = paper_elements[i];
    out->h[i] = p == BY_SPACE ? 2.0 / paper_elements[i] : paper_step[i];
  }
  return beams_errors(ctx, &reference, LEVELS, member, end, out->error);
}

static vv_status measure(vv_ctx *ctx, protocol p, beams_scheme by, series *out)
{
  return measure_shape(ctx, BEAMS_ARC, p, by, p == BY_TIME ? 64 : 256, 1e-5, out);
}

/* "Compressed to 75 % of its original length L": of the arc (the book), or of its chord. */
static vv_status tell_chord(book_chapter *c, vv_ctx *ctx)
{
  series lgvi, feem;
  BOOK_TRY(measure_shape(ctx, BEAMS_CHORD, BY_SPACE, BEAMS_LGVI, 256, 1e-5, &lgvi));
  BOOK_TRY(measure_shape(ctx, BEAMS_CHORD, BY_SPACE, BEAMS_FEEM, 256, 1e-5, &feem));
  book_claim claim =
      claim_2015("B37", "rates in space where the chord, not the arc, is 75 % of the length", "1.5 and 2.0",
                 "arc with a chord of 1.5, A = 16 to 128, step 1e-5, reference: the same with A = 256");
  snprintf(
      claim.measured, sizeof claim.measured, "lgvi pairs %.2f %.2f %.2f, fit %.2f; feem pairs %.2f %.2f %.2f, fit %.2f",
      book_pair(0, lgvi.h, lgvi.error), book_pair(1, lgvi.h, lgvi.error), book_pair(2, lgvi.h, lgvi.error), fit(&lgvi),
      book_pair(0, feem.h, feem.error), book_pair(1, feem.h, feem.error), book_pair(2, feem.h, feem.error), fit(&feem));
  book_tell(&claim);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* B10 to B13 have one curve of each figure; here are all of them. */
static vv_status tell_families(book_chapter *c, vv_ctx *ctx)
{
  static const beams_scheme by[2] = {BEAMS_LGVI, BEAMS_FEEM};
  static const char *const name[2] = {"lgvi", "feem"};
  book_claim claim =
      claim_2015("B41",
                 "the rates on every curve of figures 10 and 11 (B10 to B13 have A = 64 and step 1e-5): fit, and last "
                 "pair",
                 "1.6 and 2.3 in time, 1.5 and 2.0 in space (lgvi and feem)",
                 "arc; in time A = 16, 32, 64, 128, in space steps 1.6e-4, 8e-5, 4e-5, 2e-5; references as in B10 and "
                 "B12");
  size_t used = 0;
  for (int in_time = 1; in_time >= 0; in_time--)
    for (int k = 0; k < 2; k++) {
      used += (size_t)snprintf(claim.measured + used, sizeof claim.measured - used, "%s%s %s", used > 0 ? "; " : "",
                               name[k], in_time ? "in time" : "in space");
      for (int i = 0; i < LEVELS; i++) {
        series s;
        BOOK_TRY(measure_shape(ctx, BEAMS_ARC, in_time ? BY_TIME : BY_SPACE, by[k], in_time ? paper_elements[i] : 256,
                               in_time ? 1e-5 : paper_step[i], &s));
        used += (size_t)snprintf(claim.measured + used, sizeof claim.measured - used, "%s %.2f (%.2f)",
                                 i > 0 ? "," : "", fit(&s), last(&s));
      }
    }
  book_tell(&claim);
  book_add_claim(c, &claim);
  return VV_OK;
}

static vv_status figure_paper(book_chapter *c, series s[PROTOCOLS][SCHEMES])
{
  static const char *const title[PROTOCOLS] = {"in time, A = 64 (figure 10)", "in space, step 1e-5 (figure 11)",
                                               "in both (figure 12)"};
  static const char *const x[PROTOCOLS] = {"step", "element length", "step"};
  vvi_series line[PROTOCOLS][SCHEMES];
  vvi_panel panel[PROTOCOLS];
  for (int p = 0; p < PROTOCOLS; p++) {
    for (int k = 0; k < SCHEMES; k++)
      line[p][k] = figure_line(short_name[k], LEVELS, s[p][k].h, s[p][k].error, k + 1,
                               k == 1 ? VVI_PLOT_DOTS : VVI_PLOT_LINE_DOTS);
    panel[p] = (vvi_panel){.title = title[p],
                           .x_label = x[p],
                           .y_label = "error",
                           .log_x = true,
                           .log_y = true,
                           .n_series = SCHEMES,
                           .series = line[p]};
  }
  const vvi_page page = {.title = "Convergence by the paper's protocol",
                         .width = 1320,
                         .height = 420,
                         .columns = PROTOCOLS,
                         .n_panel = PROTOCOLS,
                         .panel = panel};
  return book_plot(c, "protocol", "Errors against the same method at the finest level of the paper", &page);
}

static void claim_rate(book_chapter *c, book_claim claim, double published, const series *s)
{
  book_judge_rate(&claim, published, s->n, s->h, s->error);
  book_add_claim(c, &claim);
}

static void claim_protocol(book_chapter *c, series s[PROTOCOLS][SCHEMES])
{
  static const char *const runs[PROTOCOLS] = {"arc, steps 1.6e-4 to 2e-5, A = 64, reference: the same with step 1e-5",
                                              "arc, A = 16 to 128, step 1e-5, reference: the same with A = 256",
                                              "arc, (1.6e-4, 16) to (2e-5, 128), reference: (1e-5, 256)"};
  static const struct {
    const char *id, *text, *published;
    protocol p;
    int scheme;
    double rate;
  } row[] = {{"B10", "rate in time of lgvi and lavi by the paper's protocol", "1.6", BY_TIME, 0, 1.6},
             {"B11", "rate in time of feem by the paper's protocol", "2.3", BY_TIME, 2, 2.3},
             {"B12", "rate in space of lgvi and lavi", "1.5", BY_SPACE, 0, 1.5},
             {"B13", "rate in space of feem", "2.0", BY_SPACE, 2, 2.0},
             {"B14", "rates of lgvi and lavi when both grids are refined", "1.5", BY_BOTH, 0, 1.5},
             {"B15", "rate of feem when both grids are refined", "2.0", BY_BOTH, 2, 2.0}};
  for (int i = 0; i < VV_COUNT(row); i++) {
    book_claim claim = claim_2015(row[i].id, row[i].text, row[i].published, runs[row[i].p]);
    if (row[i].scheme == 0)
      snprintf(claim.measured, sizeof claim.measured, "lavi fit %s, lgvi", book_fixed(fit(&s[row[i].p][1]), 2).s);
    claim_rate(c, claim, row[i].rate, &s[row[i].p][row[i].scheme]);
  }
}

/* The runs behind the tables against the second program: where the places agree, so do the errors. */
static vv_status claim_second(book_chapter *c, vv_ctx *ctx)
{
  enum { COARSE = 3 };
  double worst = 0;
  for (int k = 0; k < SCHEMES; k++)
    for (int i = 0; i < COARSE; i++) {
      const beams_def def = {.shape = BEAMS_ARC,
                             .scheme = scheme[k],
                             .elements = paper_elements[i],
                             .step = paper_step[i],
                             .drift = scheme[k] != BEAMS_FEEM};
      double apart = 0;
      BOOK_TRY(reference_apart(ctx, &def, end, &apart));
      worst = fmax(worst, apart);
    }
  book_claim claim =
      claim_2015("B16", "the arc of figures 10 to 12: places and frames of all nodes at t = 0.06",
                 "a second program, validation/second.c", "lgvi, lavi, feem; (1.6e-4, 16), (8e-5, 32), (4e-5, 64)");
  snprintf(claim.measured, sizeof claim.measured, "off by %s", book_error(worst).s);
  book_judge_target(&claim, worst, 1e-9);
  book_add_claim(c, &claim);
  return VV_OK;
}

static vv_status protocol_tables(book_chapter *c, vv_ctx *ctx)
{
  static const char *const say[PROTOCOLS] = {
      "Time, A = 64, reference step 1e-5; lgvi and lavi start with a drift, as in the paper (3.5.6):",
      "Space, step 1e-5, reference A = 256:", "Both, reference (1e-5, 256):"};
  static const char *const head[PROTOCOLS] = {"scheme|1.6e-4|8e-5|4e-5|2e-5|last pair|fit",
                                              "scheme|A = 16|32|64|128|last pair|fit",
                                              "scheme|(1.6e-4, 16)|(8e-5, 32)|(4e-5, 64)|(2e-5, 128)|last pair|fit"};
  series s[PROTOCOLS][SCHEMES];
  book_heading(c, "The paper's convergence tables");
  book_say(c,
           "The error is the paper's: at every node of space and time the 2-norm of the difference of the twelve "
           "entries of (frame, place), relative to the reference, then the Frobenius norm times the root of step and "
           "element length. The reference is the same method at the finest level of the list, so an order p looks "
           "like log2((4^p - 1)/(2^p - 1)) = log2(2^p + 1) in the last pair: 1.585 for order 1, 2.322 for order 2. How "
           "the paper "
           "read its rates off the curves it does not say; all pairs and the fit over all are given.");
  for (int p = 0; p < PROTOCOLS; p++) {
    book_say(c, "%s", say[p]);
    book_columns(c, head[p]);
    for (int k = 0; k < SCHEMES; k++) {
      BOOK_TRY(measure(ctx, (protocol)p, scheme[k], &s[p][k]));
      row(c, short_name[k], &s[p][k], "");
    }
    book_table_end(c);
  }
  claim_protocol(c, s);
  BOOK_TRY(claim_second(c, ctx));
  return figure_paper(c, s);
}

/* ---- the orders behind them ---- */

static vv_status true_order(vv_ctx *ctx, beams_scheme by, bool drift, series *out)
{
  const bool feem = by == BEAMS_FEEM;
  const beams_def reference = {
      .shape = BEAMS_ARC, .scheme = by, .elements = 64, .step = feem ? 2.5e-6 : 1e-5, .order = feem ? 2 : 4};
  beams_def member[LEVELS + 1];
  out->n = feem ? LEVELS - 1 : LEVELS + 1;
  for (int i = 0; i < out->n; i++) {
    out->h[i] = i < LEVELS ? paper_step[i] : 1e-5;
    member[i] = (beams_def){.shape = BEAMS_ARC, .scheme = by, .elements = 64, .step = out->h[i], .drift = drift};
  }
  return beams_errors(ctx, &reference, out->n, member, end, out->error);
}

static void claim_orders(book_chapter *c, series plus[], series half[], const series *feem)
{
  enum { EXPLICIT = 4 };
  double one[2] = {INFINITY, 0}, two[2] = {INFINITY, 0};
  for (int i = 0; i < EXPLICIT; i++) {
    one[0] = fmin(one[0], fit(&plus[i])), one[1] = fmax(one[1], fit(&plus[i]));
    two[0] = fmin(two[0], fit(&half[i])), two[1] = fmax(two[1], fit(&half[i]));
  }
  static const char text[] = "arc, A = 64, steps 1.6e-4 to 1e-5, reference: order 4 with step 1e-5; all four drifts";
  book_claim claim = claim_2015(
      "B17",
      "a rate of 2.0 in time is expected of lgvi and lavi, and almost confirmed; the start of 3.5.6 has no kick "
      "before the first drift",
      "2.0", text);
  snprintf(claim.measured, sizeof claim.measured, "fits %s to %s; lgvi", book_fixed(one[0], 3).s,
           book_fixed(one[1], 3).s);
  claim_rate(c, claim, 2.0, &plus[0]);
  claim = claim_2015("B18", "order 2 in time by a half kick before the first drift, at no cost", "1.6 (B10)", text);
  snprintf(claim.measured, sizeof claim.measured, "%s to %s", book_fixed(two[0], 3).s, book_fixed(two[1], 3).s);
  book_judge_target(&claim, fmax(fabs(two[0] - 2), fabs(two[1] - 2)), 0.02);
  snprintf(claim.rule, sizeof claim.rule, "within 0.02 of 2 for every drift");
  book_add_claim(c, &claim);
  claim = claim_2015("B19", "error at the paper's finest step with the half kick", "the paper's start",
                     "arc, A = 64, step 1e-5, "
                     "lgvi");
  snprintf(claim.measured, sizeof claim.measured, "%s, %s times below that of the paper's start",
           book_error(half[0].error[LEVELS]).s, book_number(plus[0].error[LEVELS] / half[0].error[LEVELS], 2).s);
  book_judge_target(&claim, half[0].error[LEVELS] / plus[0].error[LEVELS], 0.1);
  snprintf(claim.rule, sizeof claim.rule, "at most a tenth of that of the paper's start");
  book_add_claim(c, &claim);
  claim = claim_2015("B20", "feem is of second order in time", "2 (theory)",
                     "arc, A = 64, steps 1.6e-4 to 4e-5, reference: step 2.5e-6");
  claim_rate(c, claim, 2.0, feem);
}

static vv_status time_orders(book_chapter *c, vv_ctx *ctx)
{
  enum { EXPLICIT = 4 };
  series plus[EXPLICIT], half[EXPLICIT], feem;
  book_heading(c, "True orders in time");
  book_say(c, "Against a reference of order 4 with step 1e-5 (feem: itself with step 2.5e-6), A = 64. The paper starts "
              "with a drift; a half kick before it makes the step symmetric.");
  book_columns(c, "scheme, start|1.6e-4|8e-5|4e-5|2e-5|1e-5|last pair|fit");
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < EXPLICIT; i++) {
      series *s = k == 0 ? &plus[i] : &half[i];
      char name[80];
      BOOK_TRY(true_order(ctx, (beams_scheme)i, k == 0, s));
      snprintf(name, sizeof name, "%s, %s", beams_scheme_name[i], k == 0 ? "drift" : "half-kick");
      row(c, name, s, "");
    }
  book_table_end(c);
  BOOK_TRY(true_order(ctx, BEAMS_FEEM, false, &feem));
  book_columns(c, "scheme|1.6e-4|8e-5|4e-5|last pair|fit");
  row(c, "feem", &feem, "");
  book_table_end(c);
  claim_orders(c, plus, half, &feem);
  return VV_OK;
}

/* ---- compositions ---- */

static vv_status composed(vv_ctx *ctx, int order, beams_scheme by, series *out)
{
  static const double longest[] = {[4] = 2.4e-3, [6] = 6e-3};
  const beams_def reference = {
      .shape = BEAMS_ARC, .scheme = by, .elements = 64, .step = longest[order] / 32, .order = 6};
  beams_def member[LEVELS];
  out->n = order == 4 ? LEVELS : LEVELS - 1;
  for (int i = 0; i < out->n; i++) {
    out->h[i] = longest[order] / (1 << i);
    member[i] = reference;
    member[i].step = out->h[i], member[i].order = order;
  }
  return beams_errors(ctx, &reference, out->n, member, end, out->error);
}

static vv_status compositions(book_chapter *c, vv_ctx *ctx)
{
  enum { EXPLICIT = 4 };
  series worst[2] = {{.n = 0}, {.n = 0}};
  double lo[2] = {INFINITY, INFINITY}, hi[2] = {0, 0};
  book_heading(c, "Beyond the paper: orders 4 and 6");
  book_say(c, "Compositions of the symmetric step (method.order), arc, A = 64; first step of the row as given, then "
              "halved; reference of order 6 at a 32nd of it.");
  for (int k = 0; k < 2; k++) {
    const int order = k == 0 ? 4 : 6;
    book_columns(c,
                 k == 0 ? "order 4|2.4e-3|1.2e-3|6e-4|3e-4|last pair|fit" : "order 6|6e-3|3e-3|1.5e-3|last pair|fit");
    for (int i = 0; i < EXPLICIT; i++) {
      series s;
      BOOK_TRY(composed(ctx, order, (beams_scheme)i, &s));
      row(c, beams_scheme_name[i], &s, "");
      if (worst[k].n == 0 || fabs(fit(&s) - order) > fabs(fit(&worst[k]) - order)) worst[k] = s;
      lo[k] = fmin(lo[k], fit(&s)), hi[k] = fmax(hi[k], fit(&s));
    }
    book_table_end(c);
  }
  for (int k = 0; k < 2; k++) {
    book_claim claim = claim_2015(k == 0 ? "B21" : "B22", k == 0 ? "order 4 by composition" : "order 6 by composition",
                                  k == 0 ? "4" : "6", "arc, A = 64, all four drifts; pairs of the one farthest off");
    claim.kind = BOOK_TARGET;
    snprintf(claim.measured, sizeof claim.measured, "fits %s to %s", book_fixed(lo[k], 2).s, book_fixed(hi[k], 2).s);
    claim_rate(c, claim, k == 0 ? 4 : 6, &worst[k]);
  }
  return VV_OK;
}

/* ---- space ---- */

enum { FINE = 6 }; /* A = 16 to 512 */

static vv_status space_order(vv_ctx *ctx, const beams_def *like, int n, series *out)
{
  beams_def reference = *like, member[FINE];
  reference.elements = 2048;
  out->n = n;
  for (int i = 0; i < n; i++) {
    member[i] = *like;
    member[i].elements = 16 << i;
    out->h[i] = 2.0 / member[i].elements;
  }
  return beams_errors(ctx, &reference, n, member, end, out->error);
}

static vv_status space_rows(book_chapter *c, vv_ctx *ctx, beams_shape shape, series s[SCHEMES])
{
  static const char *const name[SCHEMES] = {"lgvi, trapezoid", "lgvi, one point", "feem"};
  book_columns(c, "scheme|A = 16|32|64|128|256|512|last pair|fit");
  for (int k = 0; k < SCHEMES; k++) {
    const beams_def like = {
        .shape = shape, .scheme = k == 2 ? BEAMS_FEEM : BEAMS_LGVI, .step = 1e-4, .one_point = k == 1};
    BOOK_TRY(space_order(ctx, &like, FINE, &s[k]));
    row(c, name[k], &s[k], "");
  }
  book_table_end(c);
  return VV_OK;
}

/* Fit over A = 64 to 256: far enough from the start, and from the reference. */
static double middle_fit(const series *s)
{
  return book_fit(3, s->h + 2, s->error + 2);
}

static vv_status figure_space(book_chapter *c, const series arc[SCHEMES], const series smooth[SCHEMES])
{
  static const char *const name[SCHEMES] = {"lgvi, trapezoid", "lgvi, one point", "feem"};
  vvi_series line[2][SCHEMES];
  vvi_panel panel[2];
  for (int p = 0; p < 2; p++) {
    for (int k = 0; k < SCHEMES; k++) {
      const series *s = p == 0 ? &arc[k] : &smooth[k];
      line[p][k] = figure_line(name[k], s->n, s->h, s->error, k + 1, VVI_PLOT_LINE_DOTS);
    }
    panel[p] = (vvi_panel){.title = p == 0 ? "arc" : "smooth",
                           .x_label = "element length",
                           .y_label = "error",
                           .log_x = true,
                           .log_y = true,
                           .n_series = SCHEMES,
                           .series = line[p]};
  }
  const vvi_page page = {.title = "Convergence in space, reference A = 2048",
                         .width = 1000,
                         .height = 440,
                         .columns = 2,
                         .n_panel = 2,
                         .panel = panel};
  return book_plot(c, "space", "Errors over the element length, step 1e-4", &page);
}

static vv_status space_orders(book_chapter *c, vv_ctx *ctx)
{
  series arc[SCHEMES], smooth[SCHEMES];
  book_heading(c, "Order in space: why the arc cannot show it");
  book_say(c, "Against the same scheme with A = 2048, step 1e-4. The arc carries strain up to its free ends, where the "
              "strain must vanish: jumps of strain run inwards from t = 0 on, and no scheme here keeps its order on "
              "them.");
  BOOK_TRY(space_rows(c, ctx, BEAMS_ARC, arc));
  book_say(c, "The same beam with curvature and compression that vary as sin^2(pi S/L) (shape: bump; largest curvature "
              "2 pi/3, largest compression 1/4), which nothing disturbs at the ends:");
  BOOK_TRY(space_rows(c, ctx, BEAMS_SMOOTH, smooth));
  int far = 0;
  for (int k = 1; k < SCHEMES; k++)
    if (fabs(middle_fit(&smooth[k]) - 2) > fabs(middle_fit(&smooth[far]) - 2)) far = k;
  book_claim claim = claim_2015("B23", "feem shows a space convergence rate of order 2.0 (4.3.4)", "2.0",
                                "arc, A = 16 to 512 against A = 2048; the strain jumps at the ends of the arc");
  snprintf(claim.measured, sizeof claim.measured, "lgvi fit %s, one point %s; feem", book_fixed(fit(&arc[0]), 2).s,
           book_fixed(fit(&arc[1]), 2).s);
  claim_rate(c, claim, 2.0, &arc[2]);
  claim = claim_2015("B24", "order 2 in space on smooth data, all strain rules", "2",
                     "bump, A = 64 to 256 against A = 2048: trapezoid, one point, feem; pairs of the one farthest off");
  claim.kind = BOOK_TARGET;
  snprintf(claim.measured, sizeof claim.measured, "fits %s, %s, %s", book_fixed(middle_fit(&smooth[0]), 2).s,
           book_fixed(middle_fit(&smooth[1]), 2).s, book_fixed(middle_fit(&smooth[2]), 2).s);
  book_judge_rate(&claim, 2.0, 3, smooth[far].h + 2, smooth[far].error + 2);
  book_add_claim(c, &claim);
  return figure_space(c, arc, smooth);
}

/* ---- between methods ---- */

static vv_status between(book_chapter *c, vv_ctx *ctx)
{
  series s[2] = {{.n = LEVELS + 1}, {.n = LEVELS + 1}};
  book_heading(c, "Between the methods (figure 13)");
  book_say(c, "Same step and mesh, from (1.6e-4, 16) to (1e-5, 256); lgvi is the reference; the paper's start.");
  for (int i = 0; i <= LEVELS; i++) {
    const beams_def reference = {
        .shape = BEAMS_ARC, .elements = 16 << i, .step = i < LEVELS ? paper_step[i] : 1e-5, .drift = true};
    beams_def member[2] = {reference, reference};
    double error[2];
    member[0].scheme = BEAMS_LAVI;
    member[1].scheme = BEAMS_FEEM, member[1].drift = false;
    BOOK_TRY(beams_errors(ctx, &reference, 2, member, end, error));
    for (int k = 0; k < 2; k++) s[k].h[i] = reference.step, s[k].error[i] = error[k];
  }
  book_columns(c, "pair|(1.6e-4, 16)|(8e-5, 32)|(4e-5, 64)|(2e-5, 128)|(1e-5, 256)|last pair|fit");
  row(c, "lgvi, lavi", &s[0], "");
  row(c, "lgvi, feem", &s[1], "");
  book_table_end(c);
  book_claim claim = claim_2015("B25", "the methods converge to each other with a rate of 1.6", "1.6",
                                "arc, (1.6e-4, 16) to (1e-5, 256)");
  snprintf(claim.measured, sizeof claim.measured, "lgvi and lavi fit %s (%s apart at the finest); lgvi and feem",
           book_fixed(fit(&s[0]), 2).s, book_error(s[0].error[LEVELS]).s);
  claim_rate(c, claim, 1.6, &s[1]);
  return VV_OK;
}

vv_status convergence_2015(book_chapter *c, vv_ctx *ctx)
{
  if (book_wants(c, "B10 B11 B12 B13 B14 B15 B16")) BOOK_TRY(protocol_tables(c, ctx));
  if (book_wants(c, "B41")) BOOK_TRY(tell_families(c, ctx));
  if (book_wants(c, "B37")) BOOK_TRY(tell_chord(c, ctx));
  if (book_wants(c, "B17 B18 B19 B20")) BOOK_TRY(time_orders(c, ctx));
  if (book_wants(c, "B21 B22")) BOOK_TRY(compositions(c, ctx));
  if (book_wants(c, "B23 B24")) BOOK_TRY(space_orders(c, ctx));
  return book_wants(c, "B25") ? between(c, ctx) : VV_OK;
}
