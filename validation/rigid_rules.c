/* validation/rigid_rules.c  Impacts at one time: Newton's cradle, three against five, the break of 15 balls; by rules for
 * rigid bodies, and by springs between the balls, which are integrated here. */
#include "solids.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- springs ---- */

/* Balls of mass 1 that touch, displacements u small against their radii: the normals n_ij stay.  Force k d^s in the
 * contacts, d = max(0, -(u_j - u_i).n_ij), s = 1 (linear) or 3/2 (Hertz); k = 1.  Final velocities over the first one do not
 * depend on k, and for these powers not on the speed.  Leapfrog; the step is a thousandth of the time scale of one contact. */
enum { MOST_BALLS = 24, MOST_TOUCH = 64 };

typedef struct springs {
  int n, touches;
  int a[MOST_TOUCH], b[MOST_TOUCH];
  double normal[MOST_TOUCH][2];
  double v[MOST_BALLS][2];
} springs;

static void add_touch(springs *s, int a, int b, double x, double y)
{
  s->a[s->touches] = a, s->b[s->touches] = b;
  s->normal[s->touches][0] = x, s->normal[s->touches][1] = y;
  s->touches++;
}

static double press(const springs *s, int i, double u[][2])
{
  const double *n = s->normal[i];
  return -((u[s->b[i]][0] - u[s->a[i]][0]) * n[0] + (u[s->b[i]][1] - u[s->a[i]][1]) * n[1]);
}

static double parting(const springs *s, int i)
{
  const double *n = s->normal[i], *a = s->v[s->a[i]], *b = s->v[s->b[i]];
  return (b[0] - a[0]) * n[0] + (b[1] - a[1]) * n[1];
}

static void kick(springs *s, double h, double power, double u[][2])
{
  for (int i = 0; i < s->touches; i++) {
    const double d = press(s, i, u), j = d > 0 ? h * (power == 1 ? d : d * sqrt(d)) : 0;
    for (int k = 0; k < 2; k++) {
      s->v[s->a[i]][k] -= j * s->normal[i][k];
      s->v[s->b[i]][k] += j * s->normal[i][k];
    }
  }
}

/* Until nothing touches nor approaches any more; for ever is 1e6 steps. */
static void let_springs(springs *s, double power)
{
  const double h = 2e-3;
  double u[MOST_BALLS][2] = {{0}};
  bool closed = true;
  for (int64_t k = 0; k < 1000000 && (closed || k < 1000); k++) {
    kick(s, 0.5 * h, power, u);
    for (int i = 0; i < s->n; i++) u[i][0] += h * s->v[i][0], u[i][1] += h * s->v[i][1];
    kick(s, 0.5 * h, power, u);
    closed = false;
    for (int i = 0; i < s->touches; i++) closed |= press(s, i, u) > 0 || parting(s, i) < -1e-9;
  }
}

/* ---- rows of balls ---- */

enum { ROW = 8 };

static void spring_row(int in, int row, double power, double v[ROW])
{
  springs s = {.n = in + row};
  for (int i = 0; i + 1 < s.n; i++) add_touch(&s, i, i + 1, 1, 0);
  for (int i = 0; i < in; i++) s.v[i][0] = 1;
  let_springs(&s, power);
  for (int i = 0; i < s.n; i++) v[i] = s.v[i][0];
}

static vv_status rigid_row(vv_ctx *ctx, int in, int row, const char *method, double v[ROW], double *energy)
{
  char text[SOLIDS_TEXT];
  double all[3 * ROW];
  solids_run run;
  solids_head(text, 1e-3, "[0, 0, 0]", method, "restitution: 1");
  solids_body(
      text,
      "  in: {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 1, position: [%.17g, 0, 0], velocity: [1, 0, 0], "
      "copies: {grid: {count: [%d, 1, 1], spacing: [0.1, 0, 0]}}}\n"
      "  row: {kind: rigid, shape: {ball: {radius: 0.05}}, mass: 1, copies: {grid: {count: [%d, 1, 1], spacing: "
      "[0.1, 0, 0]}}}\n",
      -0.5 - 0.1 * in, in, row);
  BOOK_TRY(solids_open(ctx, text, 1, &run));
  vv_status status = solids_steps(&run, 1000);
  if (status == VV_OK) status = solids_field(&run, "in", "velocity", all);
  if (status == VV_OK) status = solids_field(&run, "row", "velocity", all + 3 * in);
  for (int i = 0; status == VV_OK && i < in + row; i++) v[i] = all[3 * i];
  *energy = solids_ledger(&run)->max_closure;
  solids_close(&run);
  return status;
}

static void put_row(book_chapter *c, const char *scene, const char *rule, int n, const double v[ROW])
{
  char cells[256];
  size_t used = 0;
  cells[0] = '\0';
  for (int i = 0; i < n; i++)
    used += (size_t)snprintf(cells + used, sizeof cells - used, "%s%s", i > 0 ? ", " : "", book_fixed(v[i], 3).s);
  book_row(c, "%s|%s|%s", scene, rule, cells);
}

enum { RULES = 3 };
static const char *const rule_word[RULES] = {"locate: exact", "locate: none",
                                             "locate: none, simultaneous: complementarity"};
static const char *const rule_name[RULES] = {"reflections, at the time of impact (default)",
                                             "reflections, at whole steps", "complementarity"};

/* Out of a row, as many as came in: the largest error of a velocity. */
static double passed_on(int in, int row, const double v[ROW])
{
  double error = 0;
  for (int i = 0; i < in + row; i++) error = fmax(error, fabs(v[i] - (i >= row)));
  return error;
}

static vv_status rows(book_chapter *c, vv_ctx *ctx)
{
  enum { SCENES = 4 };
  static const char *const name[SCENES] = {"1 against 4", "2 against 3", "3 against 2", "3 against 5"};
  static const int in[SCENES] = {1, 2, 3, 3}, row[SCENES] = {4, 3, 2, 5};
  double v[ROW], energy, most = 0, error = 0;
  book_heading(c, "Impacts at one time");
  book_say(
      c, "Equal elastic balls that touch, hit by others that touch, at speed 1. Energy and momentum do not decide what "
         "happens then; the elasticity of the balls does. The rules for rigid bodies beside the motion of balls with "
         "linear and with Hertz springs between them, integrated here until they part. Final velocities:");
  book_columns(c, "scene|rule|velocities");
  for (int i = 0; i < SCENES; i++) {
    for (int k = 0; k < RULES; k++) {
      BOOK_TRY(rigid_row(ctx, in[i], row[i], rule_word[k], v, &energy));
      most = fmax(most, energy);
      if (k < 2) error = fmax(error, passed_on(in[i], row[i], v));
      put_row(c, name[i], rule_name[k], in[i] + row[i], v);
    }
    spring_row(in[i], row[i], 1.5, v);
    put_row(c, name[i], "Hertz springs", in[i] + row[i], v);
    spring_row(in[i], row[i], 1, v);
    put_row(c, name[i], "linear springs", in[i] + row[i], v);
  }
  book_table_end(c);
  book_claim claim = {.id = "N14",
                      .text = "as many balls leave a row as came in",
                      .published = "1, 2, 3",
                      .evidence = "1, 2, 3 against rows of 4, 3, 2, and 3 against 5; reflections"};
  snprintf(claim.measured, sizeof claim.measured, "to %s of the speed; energy %s (all rules)", book_error(error).s,
           book_error(most).s);
  book_judge_target(&claim, fmax(error, most), 1e-13);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- the break ---- */

enum { RACK = 15, CUE = 15 };

static int rack_index(int i, int j)
{
  return i * (i + 1) / 2 + j;
}

static double asymmetry_of(double v[RACK + 1][2])
{
  double most = fabs(v[CUE][1]);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j <= i; j++) {
      const double *a = v[rack_index(i, j)], *b = v[rack_index(i, i - j)];
      most = fmax(most, fmax(fabs(a[0] - b[0]), fabs(a[1] + b[1])));
    }
  return most;
}

static vv_status rigid_break(vv_ctx *ctx, const char *method, double v[RACK + 1][2], double *energy)
{
  char text[SOLIDS_TEXT], name[16];
  double u[3];
  solids_run run;
  solids_head(text, 1e-3, "[0, 0, 0]", method, "restitution: 1");
  solids_body(text,
              "  cue: {kind: rigid, shape: {ball: {radius: 0.5}}, mass: 1, position: [-2, 0, 0], velocity: [10, 0, "
              "0]}\n");
  for (int i = 0; i < 5; i++)
    for (int j = 0; j <= i; j++)
      solids_body(text, "  b%d: {kind: rigid, shape: {ball: {radius: 0.5}}, mass: 1, position: [%.17g, %.17g, 0]}\n",
                  rack_index(i, j), i * sqrt(0.75), j - 0.5 * i);
  BOOK_TRY(solids_open(ctx, text, 1, &run));
  vv_status status = solids_steps(&run, 300);
  for (int i = 0; i <= RACK && status == VV_OK; i++) {
    snprintf(name, sizeof name, i == CUE ? "cue" : "b%d", i);
    status = solids_field(&run, name, "velocity", u);
    v[i][0] = 0.1 * u[0], v[i][1] = 0.1 * u[1];
  }
  *energy = solids_ledger(&run)->max_closure;
  solids_close(&run);
  return status;
}

static void spring_break(double power, double v[RACK + 1][2])
{
  springs s = {.n = RACK + 1};
  const double deep = sqrt(0.75);
  add_touch(&s, CUE, 0, 1, 0);
  for (int i = 0; i < 5; i++)
    for (int j = 0; j <= i; j++) {
      if (j < i) add_touch(&s, rack_index(i, j), rack_index(i, j + 1), 0, 1);
      if (i == 4) continue;
      add_touch(&s, rack_index(i, j), rack_index(i + 1, j), deep, -0.5);
      add_touch(&s, rack_index(i, j), rack_index(i + 1, j + 1), deep, 0.5);
    }
  s.v[CUE][0] = 1;
  let_springs(&s, power);
  memcpy(v, s.v, sizeof s.v[0] * (RACK + 1));
}

static void put_break(book_chapter *c, const char *rule, double v[RACK + 1][2])
{
  const double *corner = v[rack_index(4, 4)];
  book_row(c, "%s|%s|%s, %s|%s", rule, book_fixed(v[CUE][0], 3).s, book_fixed(corner[0], 3).s,
           book_fixed(corner[1], 3).s, book_error(asymmetry_of(v)).s);
}

static vv_status break_of_15(book_chapter *c, vv_ctx *ctx)
{
  double v[RACK + 1][2], energy, most = 0, worst[RULES];
  book_heading(c, "The break of 15 balls");
  book_say(
      c,
      "A triangle of 15 balls that touch, hit by another in the middle of a corner. Velocities of the cue ball and of "
      "the two far corners, of the speed that came in; how far the two halves are from being mirror images.");
  book_columns(c, "rule|cue ball|corner x, y|asymmetry");
  for (int k = 0; k < RULES; k++) {
    BOOK_TRY(rigid_break(ctx, rule_word[k], v, &energy));
    worst[k] = asymmetry_of(v), most = fmax(most, energy);
    put_break(c, rule_name[k], v);
  }
  spring_break(1.5, v);
  put_break(c, "Hertz springs", v);
  spring_break(1, v);
  put_break(c, "linear springs", v);
  book_table_end(c);
  book_say(c,
           "Answering one contact after the other, as many programs do, is not offered: the halves would differ by the "
           "order of the list.");
  book_claim claim = {.id = "N15",
                      .text = "the break of 15 balls keeps its mirror symmetry",
                      .published = "exact",
                      .evidence = "reflections at the time of impact and at whole steps"};
  snprintf(claim.measured, sizeof claim.measured, "%s; complementarity %s; energy %s",
           book_error(fmax(worst[0], worst[1])).s, book_error(worst[2]).s, book_error(most).s);
  book_judge_target(&claim, fmax(worst[0], worst[1]), 1e-13);
  snprintf(claim.rule, sizeof claim.rule,
           "at most 1e-13 of the speed, to which an island is solved; 1e-14 stood here once, and was missed");
  book_add_claim(c, &claim);
  return VV_OK;
}

vv_status rigid_rules(book_chapter *c, vv_ctx *ctx)
{
  BOOK_TRY(rows(c, ctx));
  return break_of_15(c, ctx);
}
