/* validation/structure2017.c  Symplectic structure through the events, and how fast neighbouring motions part. */
#include "demoures2017.h"

#include <math.h>

static const double structure_end = 25;

static vv_status residual(vv_ctx *ctx, int number, const char *tips, const char *jump, vv_structure *out)
{
  const cases_def def = {.number = number, .tips = tips, .jump = jump, .end = structure_end};
  record_plan plan = record_case_plan(&def);
  record r;
  plan.structure = true;
  BOOK_TRY(record_case(ctx, &def, &plan, &r));
  *out = r.structure;
  record_free(&r);
  return VV_OK;
}

/* A residual; where an event without a root ended the derivative, until when it was followed. */
static book_text cell_of(const vv_structure *s)
{
  book_text t = book_error(s->symplectic);
  if (!s->ended) return t;
  book_text both;
  snprintf(both.s, sizeof both.s, "%.20s (to t = %.1f)", t.s, s->ended_at);
  return both;
}

static vv_status symplectic(book_chapter *c, vv_ctx *ctx)
{
  enum { KINDS = 6 };
  static const char *const tips[KINDS] = {"lumped", "split", "lumped", "split", "cell", "lumped"};
  static const char *const jump[KINDS] = {"slab", "slab", "modified", "modified", "modified", "nodal"};
  double worst[2] = {0, 0}, control[2] = {INFINITY, 0}, until = structure_end;
  int cut = 0;
  book_heading(c, "Beyond the paper: is the step through an event symplectic?");
  book_say(
      c,
      "Two first variations are carried through every slab and every jump to t = 25, contact times and impulses "
      "included; the two-form w(p, q) must stay what it was. Largest residual over the cancelling products. The last "
      "column is the negative control: a jump that keeps the plain energy H at the contact time is not what the "
      "variational principle asks for, and the check must see it.");
  book_columns(c, "case|CTI-1|CTI-2|lumped, modified|split, modified|cell, modified|lumped, nodal (control)");
  for (int i = 1; i <= CASES_COUNT; i++) {
    book_text cell[KINDS];
    for (int k = 0; k < KINDS; k++) {
      vv_structure s;
      BOOK_TRY(residual(ctx, i, tips[k], jump[k], &s));
      cell[k] = cell_of(&s);
      if (k < 2) worst[0] = fmax(worst[0], s.symplectic);
      if (k < 2 && s.ended && s.ended_at < until) until = s.ended_at, cut = i;
      if (k >= 2 && k < 5) worst[1] = fmax(worst[1], s.symplectic);
      if (k == 5) control[0] = fmin(control[0], s.symplectic), control[1] = fmax(control[1], s.symplectic);
    }
    book_row(c, "%d|%s|%s|%s|%s|%s|%s", i, cell[0].s, cell[1].s, cell[2].s, cell[3].s, cell[4].s, cell[5].s);
  }
  book_table_end(c);
  book_claim claim = {.id = "D31",
                      .text = "the integrators are symplectic through the events",
                      .published = "exact (theory)",
                      .evidence = "six cases, both integrators, first variations to t = 25"};
  char early[96] = "";
  if (cut > 0)
    snprintf(early, sizeof early, "; case %d with integrator 2 only to t = %.1f, where an event has no root", cut,
             until);
  snprintf(claim.measured, sizeof claim.measured, "%s%s; control (nodal jump) %s", book_error(worst[0]).s, early,
           book_range(control[0], control[1]).s);
  book_judge_below(&claim, worst[0], 1e-12);
  book_add_claim(c, &claim);
  claim = (book_claim){.id = "D32",
                       .text = "the modified jump is symplectic too",
                       .published = "-",
                       .evidence = "six cases, lumped, split and cell tips, first variations to t = 25"};
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(worst[1]).s);
  book_judge_target(&claim, worst[1], 1e-12);
  book_add_claim(c, &claim);
  return VV_OK;
}

static vv_status growth_of(vv_ctx *ctx, int number, const char *jump, double *growth)
{
  const double size = 1e-12;
  const cases_def def = {.number = number, .jump = jump, .end = structure_end};
  record_plan plan = record_case_plan(&def);
  record a, b;
  BOOK_TRY(record_case(ctx, &def, &plan, &a));
  plan.perturb = size;
  const vv_status status = record_case(ctx, &def, &plan, &b);
  if (status == VV_OK) *growth = record_growth(&a, &b, size);
  record_free(&a);
  record_free(&b);
  return status;
}

static vv_status growth(book_chapter *c, vv_ctx *ctx)
{
  static const int number[] = {1, 2, 4, 5};
  double least = INFINITY, slab[2] = {INFINITY, 0}, modified[2] = {INFINITY, 0};
  book_heading(c, "Beyond the paper: how fast neighbouring motions part");
  book_say(c,
           "Two runs with lumped tips whose initial positions and velocities differ at random by up to 5e-13; largest "
           "difference of a displacement at t = 25, divided by 5e-13.");
  book_columns(c, "case|slab|modified");
  for (int i = 0; i < VV_COUNT(number); i++) {
    double g[2];
    BOOK_TRY(growth_of(ctx, number[i], "slab", &g[0]));
    BOOK_TRY(growth_of(ctx, number[i], "modified", &g[1]));
    least = fmin(least, g[0] / g[1]);
    slab[0] = fmin(slab[0], g[0]), slab[1] = fmax(slab[1], g[0]);
    modified[0] = fmin(modified[0], g[1]), modified[1] = fmax(modified[1], g[1]);
    book_row(c, "%d|%s|%s", number[i], book_error(g[0]).s, book_number(g[1], 2).s);
  }
  book_table_end(c);
  book_claim claim = {.id = "D33",
                      .text = "small disturbances stay small (growth by t = 25, lumped tips)",
                      .published = "-",
                      .evidence = "cases 1, 2, 4, 5; two runs that differ by 5e-13"};
  snprintf(claim.measured, sizeof claim.measured, "modified %s to %s; slab %s", book_number(modified[0], 2).s,
           book_number(modified[1], 2).s, book_range(slab[0], slab[1]).s);
  claim.chaotic = true;
  book_judge_target(&claim, modified[1], 100);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* (2.6) and (2.13) in space, (43) of the 2016 paper: configurational forces in the middle half of each bar. */
static vv_status configurational(book_chapter *c, vv_ctx *ctx)
{
  enum { MESHES = 3 };
  static const int n[MESHES] = {50, 100, 200};
  static const double size[MESHES] = {4, 2, 1};
  double off[MESHES];
  for (int i = 0; i < MESHES; i++) {
    const cases_def def = {.number = 1, .jump = "slab", .dt = 0.75 / n[i], .end = 15, .elements = {n[i], n[i]}};
    record_plan plan = record_case_plan(&def);
    record r;
    plan.structure = true;
    BOOK_TRY(record_case(ctx, &def, &plan, &r));
    off[i] = r.structure.configurational;
    record_free(&r);
  }
  book_claim claim = {
      .id = "D38",
      .text = "the balance of configurational forces (2.6), (2.13) closes in the middle of the bars as the mesh "
              "does: order 1 where shocks run through",
      .published = "exact (theory, continuum)",
      .evidence = "case 1, integrator 1, to t = 15, 50, 100, 200 elements, step 0.075 l/c",
      .kind = BOOK_TARGET};
  snprintf(claim.measured, sizeof claim.measured, "residuals %s, %s, %s", book_error(off[0]).s, book_error(off[1]).s,
           book_error(off[2]).s);
  book_judge_rate(&claim, 1.0, MESHES, size, off);
  book_add_claim(c, &claim);
  return VV_OK;
}

vv_status structure_2017(book_chapter *c, vv_ctx *ctx)
{
  if (book_wants(c, "D31 D32")) BOOK_TRY(symplectic(c, ctx));
  if (book_wants(c, "D38")) BOOK_TRY(configurational(c, ctx));
  return book_wants(c, "D33") ? growth(c, ctx) : VV_OK;
}
