/* validation/rigid_many.c  Many rigid bodies: rooms, gases, impacts at their own times, smooth motion, bodies that bend.
 *
 * There is no paper behind this chapter; the published numbers are those of an exact mechanics, and the targets our own. */
#include "solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char room_line[] = "  room: {kind: obstacle, shape: {room: {size: [2, 2, 2]}}}\n";
static const char rod_shape[] = "box: {size: [1, 0.05, 0.05]}";

/* ---- one body in a room ---- */

enum { SHAPES = 5, STEPS = 3 };
static const char *const shape_name[SHAPES] = {"rod (box)", "ball", "capsule", "hull", "cylinder"};
static const char *const shape_text[SHAPES] = {
    "box: {size: [1, 0.05, 0.05]}", "ball: {radius: 0.1}", "capsule: {length: 0.9, radius: 0.05}",
    "hull: {points: [0.4, 0, 0, -0.2, 0.3, 0, -0.2, -0.3, 0, 0, 0, 0.5, 0.1, 0, -0.2]}",
    "cylinder: {length: 0.6, radius: 0.1}"};
static const double step_list[STEPS] = {1e-2, 1e-3, 1e-4};

static void tumbling(char text[SOLIDS_TEXT], const char *shape, double step, const char *method)
{
  solids_head(text, step, "[0, 0, 0]", method, "restitution: 1");
  solids_body(text, "  rod: {kind: rigid, shape: {%s}, mass: 1, velocity: [1, 0.7, 0.4], spin: [1, 2, 0.5]}\n%s", shape,
              room_line);
}

typedef struct worst {
  double kinetic, momentum, penetration;
} worst;

static vv_status tumble(book_chapter *c, vv_ctx *ctx, int shape, double step, worst *w)
{
  char text[SOLIDS_TEXT];
  solids_run run;
  tumbling(text, shape_text[shape], step, "");
  BOOK_TRY(solids_open(ctx, text, 1, &run));
  const vv_status status = solids_steps(&run, 100000);
  const vv_ledger *l = solids_ledger(&run);
  w->kinetic = fmax(w->kinetic, run.kinetic_error);
  w->momentum = fmax(w->momentum, fmax(l->max_p_drift, l->max_L_drift));
  w->penetration = fmax(w->penetration, l->max_penetration);
  book_row(c, "%s|%g|%s|%s|%s|%s", shape_name[shape], step, book_error(run.kinetic_error).s,
           book_error(fmax(l->max_p_drift, l->max_L_drift)).s, book_error(l->max_penetration).s,
           book_number((double)l->impacts, 2).s);
  solids_close(&run);
  return status;
}

static vv_status rooms(book_chapter *c, vv_ctx *ctx)
{
  worst rod = {0}, all = {0};
  book_heading(c, "A body tumbles in a room");
  book_say(c, "1 kg in a room of 2 m, v = (1, 0.7, 0.4) m/s, spin (1, 2, 0.5) rad/s, restitution 1, 1e5 steps, every "
              "step looked at. Momenta: with the impulses of the walls. None of the engines tried keeps the energy of "
              "the rod: at a step of 1e-3 s they lose between 0.6 %% and all of it, or diverge (docs/rigid.md).");
  book_columns(c, "body|step (s)|kinetic energy error|momenta|penetration (m)|impacts, about");
  for (int i = 0; i < SHAPES; i++)
    for (int k = 0; k < STEPS; k++) BOOK_TRY(tumble(c, ctx, i, step_list[k], i == 0 ? &rod : &all));
  book_table_end(c);
  book_claim claim = {.id = "N1",
                      .text = "the tumbling rod keeps its kinetic energy",
                      .published = "exact; engines lose 0.6 to 100 %",
                      .evidence = "rod 1 x 0.05 x 0.05 m, 2 m room, e = 1, 1e5 steps of 1e-2, 1e-3, 1e-4 s"};
  snprintf(claim.measured, sizeof claim.measured, "%s; penetration %s m", book_error(rod.kinetic).s,
           book_error(rod.penetration).s);
  book_judge_target(&claim, rod.kinetic, 1e-12);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "N2",
                       .text = "so do ball, capsule, hull and cylinder",
                       .published = "exact",
                       .evidence = "same room and steps"};
  snprintf(claim.measured, sizeof claim.measured, "%s; penetration %s m", book_error(all.kinetic).s,
           book_error(all.penetration).s);
  book_judge_target(&claim, all.kinetic, 1e-12);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "N3",
                       .text = "momentum and angular momentum, walls booked",
                       .published = "exact",
                       .evidence = "all runs of N1 and N2"};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(fmax(rod.momentum, all.momentum)).s);
  book_judge_target(&claim, fmax(rod.momentum, all.momentum), 1e-13);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- gases ---- */

typedef struct gas_def {
  const char *name, *shape;
  double size; /* m: what penetration is held against */
  double free; /* kg: mass of a room that takes part; 0: it is fixed */
  int64_t steps;
} gas_def;

static vv_status gas(book_chapter *c, vv_ctx *ctx, const gas_def *d, worst *w)
{
  char text[SOLIDS_TEXT], room[160];
  solids_run run;
  solids_head(text, 1e-3, "[0, 0, 0]", "", "restitution: 1");
  if (d->free > 0)
    snprintf(room, sizeof room, "  room: {kind: rigid, shape: {room: {size: [16.5, 16.5, 16.5]}}, mass: %g}\n",
             d->free);
  else
    snprintf(room, sizeof room, "  room: {kind: obstacle, shape: {room: {size: [16.5, 16.5, 16.5]}}}\n");
  solids_body(text,
              "  gas: {kind: rigid, shape: {%s}, density: 1, position: [-7.2, -7.2, -7.2], copies: {grid: {count: [10, "
              "10, 10], spacing: [1.6, 1.6, 1.6]}, orientation: random, speed: 1, spin: 1, seed: 7}}\n%s",
              d->shape, room);
  BOOK_TRY(solids_open(ctx, text, 20, &run));
  const vv_status status = solids_steps(&run, d->steps);
  const vv_ledger *l = solids_ledger(&run);
  w->kinetic = run.kinetic_error;
  w->momentum = fmax(l->max_p_drift, l->max_L_drift);
  w->penetration = l->max_penetration / d->size;
  book_row(c, "%s|%g|%s|%s|%s|%s", d->name, (double)d->steps, book_number((double)l->impacts, 2).s,
           book_error(w->kinetic).s, book_error(w->momentum).s, book_error(w->penetration).s);
  solids_close(&run);
  return status;
}

static vv_status gases(book_chapter *c, vv_ctx *ctx)
{
  enum { GASES = 3 };
  static const gas_def def[GASES] = {
      {"1000 spheres, fixed room", "ball: {radius: 0.36}", 0.36, 0, 100000},
      {"1000 boxes, fixed room", "box: {size: [0.5, 0.7, 0.9]}", 0.5, 0, 100000},
      {"1000 boxes, free room of 5000 kg", "box: {size: [0.5, 0.7, 0.9]}", 0.5, 5000, 10000}};
  worst w[GASES];
  book_heading(c, "Gases");
  book_say(c,
           "Elastic, step 1e-3 s, speeds about 1 m/s, spins about 1 rad/s. Momenta with the impulses of the walls; in "
           "the free room, which takes part, of everything. Penetration in radii of a sphere or smallest edges of a "
           "box; looked at every 20 steps.");
  book_columns(c, "gas|steps|impacts, about|energy|momenta|penetration");
  for (int i = 0; i < GASES; i++) BOOK_TRY(gas(c, ctx, &def[i], &w[i]));
  book_table_end(c);
  double kinetic = 0, momentum = 0;
  for (int i = 0; i < GASES; i++) kinetic = fmax(kinetic, w[i].kinetic), momentum = fmax(momentum, w[i].momentum);
  book_claim claim = {.id = "N4",
                      .text = "energy of gases of 1000 spheres and 1000 boxes",
                      .published = "exact",
                      .evidence = "1e5 steps of 1e-3 s; the free room 1e4"};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(kinetic).s);
  book_judge_target(&claim, kinetic, 1e-13);
  book_add_claim(c, &claim);
  claim = (book_claim){
      .id = "N5", .text = "momentum and angular momentum of these gases", .published = "exact", .evidence = "as N4"};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(momentum).s);
  book_judge_target(&claim, momentum, 1e-13);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "N6",
                       .text = "spheres do not overlap (round-off of a position)",
                       .published = "0",
                       .evidence = "as N4, in radii"};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(w[0].penetration).s);
  book_judge_target(&claim, w[0].penetration, 1e-13);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "N7",
                       .text = "boxes overlap by at most 1e-4 of a box",
                       .published = "0",
                       .evidence = "as N4, in smallest edges"};
  const double deep = fmax(w[1].penetration, w[2].penetration);
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(deep).s);
  book_judge_target(&claim, deep, 1e-4);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- impacts at their own times ---- */

enum { BALLS = 125, TIMES = 12 };

static vv_status located_run(vv_ctx *ctx, double step, double (*x)[3 * BALLS], double impacts[TIMES])
{
  char text[SOLIDS_TEXT];
  solids_run run;
  const int64_t stride = llround(0.2 / step);
  solids_head(text, step, "[0, 0, 0]", "", "restitution: 1");
  solids_body(text, "  gas: {kind: rigid, shape: {ball: {radius: 0.3}}, density: 1, position: [-2, -2, -2], copies: "
                    "{grid: {count: [5, 5, 5], spacing: [1, 1, 1]}, jitter: 0.15, speed: 2, seed: 5}}\n"
                    "  room: {kind: obstacle, shape: {room: {size: [5, 5, 5]}}}\n");
  BOOK_TRY(solids_open(ctx, text, 0, &run));
  vv_status status = VV_OK;
  for (int i = 0; i < TIMES && status == VV_OK; i++) {
    status = solids_steps(&run, stride);
    if (status == VV_OK) status = solids_field(&run, "gas", "position", x[i]);
    impacts[i] = (double)solids_ledger(&run)->impacts;
  }
  solids_close(&run);
  return status;
}

static vv_status located(book_chapter *c, vv_ctx *ctx)
{
  static const double step[STEPS] = {4e-3, 1e-3, 2.5e-4};
  static double x[STEPS][TIMES][3 * BALLS];
  double impacts[STEPS][TIMES], count[TIMES], apart[TIMES], worst_early = 0, seen = 0;
  book_heading(c, "The same path for every step");
  book_say(c, "125 elastic balls of radius 0.3 m in a room of 5 m at 2 m/s. Each impact is met at its own time, so the "
              "path does not depend on the step, but for rounding; and rounding grows by a factor at every impact of a "
              "ball. Largest difference of a place between steps of 4e-3, 1e-3 and 2.5e-4 s:");
  for (int k = 0; k < STEPS; k++) BOOK_TRY(located_run(ctx, step[k], x[k], impacts[k]));
  book_columns(c, "time (s)|impacts|per ball|largest difference (m)");
  for (int i = 0; i < TIMES; i++) {
    count[i] = impacts[0][i], apart[i] = 0;
    for (int k = 1; k < STEPS; k++)
      for (int j = 0; j < 3 * BALLS; j++) apart[i] = fmax(apart[i], fabs(x[k][i][j] - x[0][i][j]));
    if (count[i] <= 400) worst_early = apart[i], seen = count[i];
    book_row(
        c, "%.1f|%s|%s|%s", 0.2 * (i + 1), apart[i] < 1e-3 ? book_number(count[i], 5).s : book_number(count[i], 2).s,
        book_fixed(2 * count[i] / BALLS, 1).s, apart[i] > 1e-3 ? book_number(apart[i], 2).s : book_error(apart[i]).s);
  }
  book_table_end(c);
  book_claim claim = {.id = "N8",
                      .text = "a gas of balls flies the same paths for three step sizes",
                      .published = "exact",
                      .evidence = "125 balls, steps 4e-3, 1e-3, 2.5e-4 s"};
  snprintf(claim.measured, sizeof claim.measured, "%s m after %.0f impacts", book_error(worst_early).s, seen);
  book_judge_target(&claim, worst_early, 1e-12);
  book_add_claim(c, &claim);
  return VV_OK;
}

static vv_status rod_at_3(vv_ctx *ctx, double step, int halvings, double x[3], double *seconds)
{
  char text[SOLIDS_TEXT], method[40];
  solids_run run;
  snprintf(method, sizeof method, "halvings: %d", halvings);
  tumbling(text, rod_shape, step, method);
  BOOK_TRY(solids_open(ctx, text, 0, &run));
  vv_status status = solids_steps(&run, llround(3 / step));
  if (status == VV_OK) status = solids_field(&run, "rod", "position", x);
  *seconds = run.seconds;
  solids_close(&run);
  return status;
}

static vv_status halvings(book_chapter *c, vv_ctx *ctx)
{
  enum { RUNS = 7, FINE = 4, LOCATED = 6, OFTEN = 50 }; /* often: a run of 2 ms is below the tick of some clocks */
  static const double step[RUNS] = {1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-2, 1e-3};
  static const int level[RUNS] = {0, 0, 0, 0, 0, 20, 20};
  double exact[3], x[3], error[RUNS], seconds[RUNS], spent;
  book_heading(c, "Impacts located by halving");
  book_say(c, "The rod of the first table, 3 s. Without halvings an impact is met up to one step early; with them the "
              "step is halved around it. Error of the place against a run with step 1e-2 s and 40 halvings.");
  BOOK_TRY(rod_at_3(ctx, 1e-2, 40, exact, &spent));
  book_columns(c, "step (s)|halvings|error of the place at 3 s (m)");
  for (int i = 0; i < RUNS; i++) {
    BOOK_TRY(rod_at_3(ctx, step[i], level[i], x, &seconds[i]));
    error[i] = hypot(hypot(x[0] - exact[0], x[1] - exact[1]), x[2] - exact[2]);
    book_row(c, "%g|%d|%s", step[i], level[i], book_error(error[i]).s);
  }
  book_table_end(c);
  book_claim claim = {.id = "N9",
                      .text = "step 1e-3 with 20 halvings is closer than step 1e-6 without",
                      .published = "-",
                      .evidence = "rod in a room, 3 s"};
  snprintf(claim.measured, sizeof claim.measured, "%s against %s m", book_error(error[LOCATED]).s,
           book_error(error[FINE]).s);
  book_judge_target(&claim, error[LOCATED] / error[FINE], 1);
  snprintf(claim.rule, sizeof claim.rule, "the error is smaller");
  book_add_claim(c, &claim);
  double all = 0;
  for (int i = 0; i < OFTEN; i++) {
    BOOK_TRY(rod_at_3(ctx, step[LOCATED], level[LOCATED], x, &spent));
    all += spent;
  }
  const double part = all / OFTEN / seconds[FINE];
  claim = (book_claim){.id = "N10",
                       .text = "and costs a small part of it",
                       .published = "-",
                       .evidence = "CPU time of the two runs of N9, the first of them repeated 50 times"};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_percent(part).s);
  claim.chaotic = true;
  book_judge_target(&claim, part, 0.02);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- smooth motion ---- */

static vv_status top_at_10(vv_ctx *ctx, double step, double q[4], double *energy)
{
  char text[SOLIDS_TEXT];
  solids_run run;
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 1e6, step: %.17g}\nmethod: {step: leapfrog}\ncontacts: []\nbodies:\n"
           "  top: {kind: rigid, shape: {box: {size: [0.5, 0.35, 0.25]}}, density: 700, spin: [0.4, 2.2, 0.5]}\n",
           step);
  BOOK_TRY(solids_open(ctx, text, 0, &run));
  vv_status status = solids_steps(&run, llround(10 / step));
  if (status == VV_OK) status = solids_field(&run, "top", "orientation", q);
  *energy = fmax(run.kinetic_error, fmax(solids_ledger(&run)->max_p_drift, solids_ledger(&run)->max_L_drift));
  solids_close(&run);
  return status;
}

static vv_status smooth(book_chapter *c, vv_ctx *ctx)
{
  enum { RUNS = 4 };
  static const double step[RUNS] = {0.1, 0.05, 0.025, 0.0125};
  double exact[4], q[4], error[RUNS], energy, most = 0;
  book_heading(c, "Order of smooth motion");
  book_say(
      c, "A free box of 0.5 x 0.35 x 0.25 m, three different moments, spin 2.3 rad/s near the middle axis, 10 s. Error "
         "of the quaternion against a step of 1e-4 s.");
  BOOK_TRY(top_at_10(ctx, 1e-4, exact, &energy));
  book_columns(c, "step (s)|error|order|energy and spin");
  for (int i = 0; i < RUNS; i++) {
    double plus = 0, minus = 0;
    BOOK_TRY(top_at_10(ctx, step[i], q, &energy));
    for (int k = 0; k < 4; k++) plus += pow(q[k] - exact[k], 2), minus += pow(q[k] + exact[k], 2);
    error[i] = sqrt(fmin(plus, minus)), most = fmax(most, energy);
    book_row(c, "%g|%s|%s|%s", step[i], book_error(error[i]).s,
             i > 0 ? book_fixed(log2(error[i - 1] / error[i]), 2).s : "-", book_error(energy).s);
  }
  book_table_end(c);
  const double order = log2(error[RUNS - 2] / error[RUNS - 1]);
  book_claim claim = {.id = "N11",
                      .text = "order 2 for smooth motion",
                      .published = "2",
                      .evidence = "free box with three moments, steps 0.1 to 0.0125 s against 1e-4 s"};
  snprintf(claim.measured, sizeof claim.measured, "%s; energy and spin %s", book_fixed(order, 2).s, book_error(most).s);
  book_judge_target(&claim, fabs(order - 2), 0.05);
  snprintf(claim.rule, sizeof claim.rule, "within 0.05 of 2");
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- bodies that bend ---- */

static const char *const flexible_text[2] = {
    "  ball: {kind: rigid, shape: {ball: {radius: 0.03}}, mass: 0.2, position: [0.013, 0.004, 0.08], velocity: [0, 0, "
    "-1.5], spin: [3, 0, 1]}\n"
    "  beam: {kind: beam, length: 1, elements: 20, material: {young: 1e8, density: 1200}, section: {circle: {radius: "
    "0.02}}, position: [-0.5, 0, 0], axis: [1, 0, 0], normal: [0, 1, 0]}\n",
    "  ball: {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 1, position: [-0.0501, 0, 0], velocity: [2, 0, 0]}\n"
    "  bar: {kind: bar, length: 1, elements: 50, material: {young: 2e11, density: 7800}, section: {area: 1e-3}}\n"};

static vv_status flexible_run(vv_ctx *ctx, int which, double safety, double *energy, double *momentum, double *impacts)
{
  static const double end[2] = {0.25, 1e-3};
  char text[SOLIDS_TEXT];
  solids_run run;
  snprintf(text, sizeof text,
           "visviva: 1\ntime: {end: 10, step: {safety: %.17g}}\nmethod: {step: leapfrog}\ncontacts: [{restitution: "
           "1}]\nbodies:\n%s",
           safety, flexible_text[which]);
  BOOK_TRY(solids_open(ctx, text, 1, &run));
  const vv_status status = solids_steps(&run, llround(end[which] / vv_model_step(run.model)));
  const vv_ledger *l = solids_ledger(&run);
  *energy = l->max_closure, *momentum = fmax(l->max_p_drift, which == 0 ? l->max_L_drift : 0);
  *impacts = (double)l->impacts;
  solids_close(&run);
  return status;
}

static vv_status flexible(book_chapter *c, vv_ctx *ctx)
{
  enum { RUNS = 3 };
  static const char *const name[2] = {"ball on a free beam", "ball on a free bar"};
  static const double safety[RUNS] = {0.4, 0.2, 0.1};
  double energy[2][RUNS], most = 0, fall = INFINITY, impacts, momentum;
  book_heading(c, "Rigid and flexible bodies");
  book_say(c, "A rigid ball hits a beam of 20 elements (it bounces again on its waves), and the end of a bar of 50 "
              "elements. Momenta are exchanged exactly; the energy is that of the explicit step, bounded and of second "
              "order.");
  book_columns(c, "scene|step over stable step|energy error|momenta|impacts");
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < RUNS; k++) {
      BOOK_TRY(flexible_run(ctx, i, safety[k], &energy[i][k], &momentum, &impacts));
      most = fmax(most, momentum);
      book_row(c, "%s|%g|%s|%s|%.0f", name[i], safety[k], book_error(energy[i][k]).s, book_error(momentum).s, impacts);
    }
    fall = fmin(fall, 0.5 * log2(energy[i][0] / energy[i][RUNS - 1]));
  }
  book_table_end(c);
  book_claim claim = {.id = "N12",
                      .text = "rigid and flexible bodies exchange momenta exactly",
                      .published = "exact",
                      .evidence = "ball on beam, ball on bar, steps 0.4, 0.2, 0.1 of the stable one"};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(most).s);
  book_judge_target(&claim, most, 1e-12);
  book_add_claim(c, &claim);
  claim = (book_claim){
      .id = "N13",
      .text = "their energy error falls with the step: second order, but for where in a step the impacts fall",
      .published = "2",
      .evidence = "as N12, from 0.4 to 0.1"};
  snprintf(claim.measured, sizeof claim.measured, "%s (the lesser of both)", book_fixed(fall, 2).s);
  book_judge_target(&claim, -fall, -1.5);
  snprintf(claim.rule, sizeof claim.rule,
           "power 1.5 or more, in both scenes: half an order below 2 is left to where the impacts fall");
  book_add_claim(c, &claim);
  return VV_OK;
}

vv_status chapter_rigid_many(book *b)
{
  book_chapter *c;
  vv_ctx *ctx = book_ctx(b);
  BOOK_TRY(
      book_chapter_begin(b, "rigid_many", "Many rigid bodies",
                         "No paper: an extension of the energy-momentum scheme to many bodies "
                         "(docs/theory/many.md); what is exact in mechanics is the reference, the targets are ours.",
                         &c));
  if (book_wants(c, "N1 N2 N3")) BOOK_TRY(rooms(c, ctx));
  if (book_wants(c, "N4 N5 N6 N7")) BOOK_TRY(gases(c, ctx));
  if (book_wants(c, "N8")) BOOK_TRY(located(c, ctx));
  if (book_wants(c, "N9 N10")) BOOK_TRY(halvings(c, ctx));
  if (book_wants(c, "N14 N15")) BOOK_TRY(rigid_rules(c, ctx));
  if (book_wants(c, "N16")) BOOK_TRY(rigid_losses(c, ctx));
  BOOK_TRY(rigid_piles(c, ctx));
  if (book_wants(c, "N11")) BOOK_TRY(smooth(c, ctx));
  if (book_wants(c, "N12 N13")) BOOK_TRY(flexible(c, ctx));
  return book_chapter_end(c);
}
