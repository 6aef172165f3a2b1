/* validation/joints.c  Joints against exact motions and the benchmarks of the IFToMM library. */
#include "elliptic.h"
#include "solids.h"

#include <math.h>
#include <string.h>

/* Runs a scene of the examples with other words for method and step; the ledger of its end. */
typedef struct joined {
  solids_run run;
  const vv_ledger *ledger;
} joined;

static const char pendulum[] =
    "  bob: {kind: rigid, shape: {ball: {radius: 0.1}}, density: 238.73241463784, position: [-1, 0, 0]}\n"
    "joints: [{kind: distance, bodies: [ground, bob], at: [0, 0, 0], to: [-1, 0, 0]}]\n";
static const char two_bars[] =
    "  upper: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, density: 100, position: [0.5, 0, 0]}\n"
    "  lower: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, density: 100, position: [1.5, 0, 0]}\n"
    "joints:\n"
    "  - {kind: hinge, bodies: [ground, upper], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  - {kind: hinge, bodies: [upper, lower], at: [1, 0, 0], axis: [0, 0, 1]}\n";
static const char bricard[] =
    "  one: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, density: 100, position: [0.5, 0, 0]}\n"
    "  two: {kind: rigid, shape: {box: {size: [0.1, 1, 0.1]}}, density: 100, position: [1, -0.5, 0]}\n"
    "  three: {kind: rigid, shape: {box: {size: [0.1, 0.1, 1]}}, density: 100, position: [1, -1, 0.5]}\n"
    "  four: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, density: 100, position: [0.5, -1, 1]}\n"
    "  five: {kind: rigid, shape: {box: {size: [0.1, 1, 0.1]}}, density: 100, position: [0, -0.5, 1]}\n"
    "joints:\n"
    "  - {kind: hinge, bodies: [ground, one], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  - {kind: hinge, bodies: [one, two], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  - {kind: hinge, bodies: [two, three], at: [1, -1, 0], axis: [1, 0, 0]}\n"
    "  - {kind: hinge, bodies: [three, four], at: [1, -1, 1], axis: [0, 1, 0]}\n"
    "  - {kind: hinge, bodies: [four, five], at: [0, -1, 1], axis: [0, 0, 1]}\n"
    "  - {kind: hinge, bodies: [five, ground], at: [0, 0, 1], axis: [1, 0, 0]}\n";
static const char windows[] =
    "  left: {kind: rigid, shape: {box: {size: [0.1, 1, 0.1]}}, density: 100, position: [0, 0.5, 0], velocity: [0.5, "
    "0, "
    "0], spin: [0, 0, -1]}\n"
    "  middle: {kind: rigid, shape: {box: {size: [0.1, 1, 0.1]}}, density: 100, position: [1, 0.5, 0], velocity: [0.5, "
    "0, 0], spin: [0, 0, -1]}\n"
    "  right: {kind: rigid, shape: {box: {size: [0.1, 1, 0.1]}}, density: 100, position: [2, 0.5, 0], velocity: [0.5, "
    "0, "
    "0], spin: [0, 0, -1]}\n"
    "  over: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, density: 100, position: [0.5, 1, 0], velocity: [1, 0, "
    "0]}\n"
    "  across: {kind: rigid, shape: {box: {size: [1, 0.1, 0.1]}}, density: 100, position: [1.5, 1, 0], velocity: [1, "
    "0, "
    "0]}\n"
    "joints:\n"
    "  - {kind: hinge, bodies: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  - {kind: hinge, bodies: [ground, middle], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  - {kind: hinge, bodies: [ground, right], at: [2, 0, 0], axis: [0, 0, 1]}\n"
    "  - {kind: hinge, bodies: [left, over], at: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  - {kind: hinge, bodies: [over, middle], at: [1, 1, 0], axis: [0, 0, 1]}\n"
    "  - {kind: hinge, bodies: [middle, across], at: [1, 1, 0], axis: [0, 0, 1]}\n"
    "  - {kind: hinge, bodies: [across, right], at: [2, 1, 0], axis: [0, 0, 1]}\n";

#define ROD                                                                                                        \
  "kind: beam, length: 1, elements: 4, material: {young: 1e9, density: 1000}, section: {circle: {radius: 0.02}}, " \
  "axis: [1, 0, 0], normal: [0, 1, 0]"
static const char two_beams[] = "  upper: {" ROD ", position: [0, 0, 0]}\n"
                                "  lower: {" ROD ", position: [1, 0, 0]}\n"
                                "joints:\n"
                                "  - {kind: ball, bodies: [ground, upper], at: [0, 0, 0]}\n"
                                "  - {kind: hinge, bodies: [upper, lower], at: [1, 0, 0], axis: [0, 0, 1]}\n";
static const char three_kinds[] =
    "  rod: {" ROD ", position: [0, 0, 0]}\n"
    "  box: {kind: rigid, shape: {box: {size: [0.2, 0.1, 0.1]}}, density: 100, position: [1.1, 0, 0]}\n"
    "  drum: {kind: shell, mesh: {sphere: {radius: 0.1, frequency: 2}}, thickness: 0.01, material: {young: 1e6, "
    "poisson: 0.3, density: 1000}, centre: [0.5, 0.1, 0]}\n"
    "joints:\n"
    "  - {kind: ball, bodies: [ground, rod], at: [0, 0, 0]}\n"
    "  - {kind: hinge, bodies: [rod, box], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  - {kind: distance, bodies: [rod, drum], at: [0.5, 0, 0], to: [0.5, 0.2, 0]}\n";

static vv_status go(joined *out, int64_t steps)
{
  const vv_status status = solids_steps(&out->run, steps);
  if (status != VV_OK) solids_close(&out->run);
  out->ledger = status == VV_OK ? solids_ledger(&out->run) : NULL;
  return status;
}

static vv_status run(vv_ctx *ctx, const char *bodies, const char *method, double step, int64_t steps, joined *out)
{
  char text[SOLIDS_TEXT];
  solids_head(text, step, "[0, -9.81, 0]", method, "response: none");
  solids_body(text, "%s", bodies);
  BOOK_TRY(solids_open(ctx, text, 100, &out->run));
  return go(out, steps);
}

static vv_status run_chain(vv_ctx *ctx, const char *const *set, int64_t steps, joined *out)
{
  BOOK_TRY(solids_open_set(ctx, "joints-chain-100", set, 100, &out->run));
  return go(out, steps);
}

/* ---- the exact pendulum ---- */

enum { SIZES = 4 };

static vv_status pendulum_rates(book_chapter *c, vv_ctx *ctx, const char *method, const char *id, double rate)
{
  static const double step[SIZES] = {8e-3, 4e-3, 2e-3, 1e-3};
  const double k = sqrt(0.5), half = k * elliptic_sn(elliptic_quarter(k) - sqrt(9.81) * 10.0, k),
               exact = -2.0 * half * sqrt(1.0 - half * half);
  double error[SIZES];
  if (!book_wants(c, id)) return VV_OK;
  for (int i = 0; i < SIZES; i++) {
    joined r;
    double x[3];
    BOOK_TRY(run(ctx, pendulum, method, step[i], (int64_t)(10.0 / step[i] + 0.5), &r));
    const vv_status status = solids_field(&r.run, "bob", "position", x);
    solids_close(&r.run);
    BOOK_TRY(status);
    error[i] = fabs(x[0] - exact);
  }
  book_claim row = {.id = id,
                    .text = "the pendulum of benchmark A01 (1 kg, 1 m, from the horizontal) after 10 s",
                    .published = "elliptic functions",
                    .evidence = method};
  snprintf(row.measured, sizeof row.measured, "off by %s m to %s m, order %s", book_error(error[0]).s,
           book_error(error[SIZES - 1]).s, book_fixed(book_fit(SIZES, step, error), 2).s);
  book_judge_exact(&row, fabs(book_fit(SIZES, step, error) - rate), 0.15);
  snprintf(row.rule, sizeof row.rule, "order within 0.15 of %g, steps 8e-3 s to 1e-3 s", rate);
  book_add_claim(c, &row);
  return VV_OK;
}

/* ---- the exact windows ---- */

/* Where the middle of a turning bar is after t, from upright with 1 rad/s.  Three bars turn about their feet and two move without
 * turning: (3 (J + m/4) + 2 m) a'' = (3/2 + 2) m g sin a, a from the vertical.  With a = 2 c + pi, c' = O (1 - k^2 sin^2 c)^(1/2):
 * sin c = sn(O t - K). */
static void window_place(double t, double x[2])
{
  const double inertia = 3.0 * (1.01 / 12.0 + 0.25) + 2.0, rate = 3.5 * 9.81 / inertia, o = sqrt(0.25 + rate);
  const double k = sqrt(rate) / o, quarter = elliptic_quarter(k), sn = elliptic_sn(o * t - quarter, k);
  const double cn = elliptic_sn(o * t, k) * sqrt(1.0 - k * k * sn * sn);
  x[0] = -sn * cn, x[1] = sn * sn - 0.5;
}

/* Bars that lie flat, ten times in 10 s, have three freedoms for an instant. */
static vv_status windows_row(book_chapter *c, vv_ctx *ctx, const char *id, const char *method, bool band)
{
  enum { STEPS = 4 };
  static const double step[STEPS] = {4e-3, 2e-3, 1e-3, 5e-4};
  double error[STEPS], exact[2], books = 0, gap = 0, swing = 0;
  if (!book_wants(c, id)) return VV_OK;
  window_place(10.0, exact);
  for (int i = 0; i < STEPS; i++) {
    joined r;
    double x[3];
    BOOK_TRY(run(ctx, windows, method, step[i], (int64_t)(10.0 / step[i] + 0.5), &r));
    const vv_status status = solids_field(&r.run, "left", "position", x);
    const vv_ledger *l = r.ledger;
    books = fmax(books, fmax(l->max_closure, fmax(l->max_p_drift, l->max_L_drift)));
    gap = fmax(gap, l->posted.joint_gap), swing = fmax(swing, l->max_joint_work / l->energy_scale);
    solids_close(&r.run);
    BOOK_TRY(status);
    error[i] = hypot(x[0] - exact[0], x[1] - exact[1]);
  }
  book_claim row = {.id = id,
                    .text =
                        "two windows of four bars, benchmark A02, after 10 s and ten passages through the flat place, "
                        "where three freedoms open for an instant",
                    .published = "elliptic functions",
                    .evidence = method};
  const double order = book_fit(STEPS, step, error);
  snprintf(row.measured, sizeof row.measured, "off by %s m to %s m, order %s; books %s, joints %s m%s%s",
           book_error(error[0]).s, book_error(error[STEPS - 1]).s, book_fixed(order, 2).s, book_error(books).s,
           book_error(gap).s, band ? ", energy in a band of " : "", band ? book_error(swing).s : "");
  book_judge_exact(&row, fmax(books, gap) <= 1e-12 ? fabs(order - 2.0) : INFINITY, 0.15);
  snprintf(row.rule, sizeof row.rule,
           "order within 0.15 of 2, steps 4e-3 s to 5e-4 s; energy books, momenta and joints (m) at most 1e-12");
  book_add_claim(c, &row);
  return VV_OK;
}

/* ---- books ---- */

typedef struct long_run {
  const char *id, *text;
  const char *bodies; /* NULL: the shipped chain */
  const char *method, *evidence;
  int64_t steps;
  bool band;              /* the energy has one: joint_work */
  const char *const *set; /* words of the chain */
} long_run;

static vv_status long_row(book_chapter *c, vv_ctx *ctx, const long_run *k)
{
  joined r;
  if (!book_wants(c, k->id)) return VV_OK;
  BOOK_TRY(k->bodies != NULL ? run(ctx, k->bodies, k->method, 1e-3, k->steps, &r)
                             : run_chain(ctx, k->set, k->steps, &r));
  const vv_ledger *l = r.ledger;
  const double band = l->max_joint_work / l->energy_scale,
               worst = fmax(l->max_closure, fmax(l->max_p_drift, l->max_L_drift));
  book_claim row = {.id = k->id, .text = k->text, .published = "-", .evidence = k->evidence};
  snprintf(row.measured, sizeof row.measured, "books %s, joints %s m%s%s", book_error(worst).s,
           book_error(l->posted.joint_gap).s, k->band ? ", energy in a band of " : "",
           k->band ? book_error(band).s : "");
  book_judge_target(&row, fmax(worst, l->posted.joint_gap), 1e-12);
  snprintf(row.rule, sizeof row.rule, "energy books, momenta and joints (m) at most 1e-12");
  row.chaotic = true;
  solids_close(&r.run);
  book_add_claim(c, &row);
  return VV_OK;
}

vv_status chapter_joints(book *b)
{
  /* 9.81 (sin 15, cos 15): the chain hangs 5 degrees off the other way */
  static const char *const gently[] = {"method.step", "leapfrog", NULL},
                           *const wildly[] = {"method.step", "leapfrog", "time.step",
                                              "2.5e-4",      "gravity",  "[-2.5390148324557287, 0, -9.47573235589576]",
                                              NULL};
  static const long_run k[] = {
      {"J3", "a double pendulum for 1e6 steps", two_bars, "step: leapfrog", "leapfrog, step 1e-3 s", 1000000, true,
       NULL},
      {"J4", "a double pendulum for 1e6 steps", two_bars, "step: energy-momentum", "energy-momentum, step 1e-3 s",
       1000000, false, NULL},
      {"J5", "Bricard's mechanism, benchmark A04, for 10 s: six hinges, five rods, one freedom", bricard,
       "step: leapfrog", "leapfrog, step 1e-3 s", 10000, true, NULL},
      {"J6", "Bricard's mechanism, benchmark A04, for 10 s", bricard, "step: energy-momentum",
       "energy-momentum, step 1e-3 s", 10000, false, NULL},
      {"J7", "a double pendulum of two beams for 1e5 steps: ball and hinge", two_beams, "step: energy-momentum",
       "energy-momentum, step 1e-3 s, 4 elements each", 100000, false, NULL},
      {"J8", "a beam, a rigid body and a shell that hang on each other, for 1e5 steps: ball, hinge and distance",
       three_kinds, "step: energy-momentum", "energy-momentum, step 1e-3 s", 100000, false, NULL},
      {"J9", "a chain of 100 bodies, 10 m long, from 5 degrees, for 1e6 steps", NULL, "",
       "leapfrog, step 1e-3 s; validation/scenes/joints-chain-100.yaml", 1000000, true, gently},
      {"J11", "the same from 20 degrees, where its end cracks like a whip, for 1e6 steps", NULL, "",
       "leapfrog, step 2.5e-4 s; the same scene with gravity turned by 15 degrees. In steps of 1e-3 s it ends, and "
       "says so, "
       "in a crack, when bodies turn by half a radian in a step",
       1000000, true, wildly},
  };
  book_chapter *c;
  BOOK_TRY(book_chapter_begin(b, "joints", "Joints",
                              "Benchmarks A01, A02 and A04 of the IFToMM library of computational benchmark problems; "
                              "elliptic functions; scenes examples/joints.",
                              &c));
  BOOK_TRY(pendulum_rates(c, book_ctx(b), "step: leapfrog", "J1", 2.0));
  BOOK_TRY(pendulum_rates(c, book_ctx(b), "step: leapfrog, order: 4", "J2", 4.0));
  for (int i = 0; i < VV_COUNT(k); i++) BOOK_TRY(long_row(c, book_ctx(b), &k[i]));
  BOOK_TRY(windows_row(c, book_ctx(b), "J10", "step: leapfrog", true));
  BOOK_TRY(windows_row(c, book_ctx(b), "J12", "step: energy-momentum", false));
  return book_chapter_end(c);
}
