/* validation/impact_beyond.c  Beams on a floor: chaos, higher orders, corners, round obstacles, friction, weak impacts. */
#include "impact2017.h"

#include <math.h>
#include <stdlib.h>

static const falls_def slowest = {.over = 20e-5, .elements = 10, .step = 4e-5, .end = 5};

/* ---- chaos ---- */

enum { ENSEMBLES = 5, MEMBERS = 12 };
enum { COARSE, FINE, HALF, TINY, SLAB };

static void claim_counts(book_chapter *c, const falls_crowd e[ENSEMBLES])
{
  const int64_t least = e[COARSE].least < e[FINE].least ? e[COARSE].least : e[FINE].least;
  const int64_t most = e[COARSE].most > e[FINE].most ? e[COARSE].most : e[FINE].most;
  book_claim claim = impact_claim("I19", "the bar undergoes about 200 contacts in 5 s", "about 200",
                                  "slowest, A = 10, steps 4e-5 and 2e-5, 12 runs each with momenta changed by 1e-9");
  snprintf(claim.measured, sizeof claim.measured, "%s +- %s and %s +- %s; all in [%lld, %lld]",
           book_fixed(e[COARSE].mean, 0).s, book_fixed(e[COARSE].deviation, 0).s, book_fixed(e[FINE].mean, 0).s,
           book_fixed(e[FINE].deviation, 0).s, (long long)least, (long long)most);
  book_judge_below(&claim, fmax(185 - (double)least, (double)most - 240), 0);
  snprintf(claim.rule, sizeof claim.rule, "reproduced if all runs have 185 to 240");
  book_add_claim(c, &claim);
  claim = impact_claim("I20", "(5.9) as printed (gravity halved), or q = ds g rho a^2 E3, gives these contacts",
                       "about 200", "slowest, step 4e-5, gravity times 1/2 (12 runs) and times ds = 0.05 (2 runs)");
  snprintf(claim.measured, sizeof claim.measured, "%s +- %s and %s; (87), q = g rho a^2 E3, is what matches (I19)",
           book_fixed(e[HALF].mean, 0).s, book_fixed(e[HALF].deviation, 0).s, book_fixed(e[TINY].mean, 0).s);
  book_judge_above(&claim, fmax(e[HALF].mean, e[TINY].mean), 185);
  book_add_claim(c, &claim);
  claim = impact_claim("I31", "median of the largest energy errors of chaotic runs, against the independent program",
                       "2.0e-05 (nodal), 6.1e-05 (slab), of E_d",
                       "slowest, A = 10, step 4e-5, 12 runs for each rule; nodal: of H in place of E_d");
  snprintf(claim.measured, sizeof claim.measured, "nodal %s, slab %s", book_error(e[COARSE].error).s,
           book_error(e[SLAB].error).s);
  book_judge_below(&claim, fmax(e[COARSE].error / 2.0e-5, e[SLAB].error / 6.1e-5), 1.02);
  snprintf(claim.rule, sizeof claim.rule, "reproduced if neither is above the figure as printed");
  book_add_claim(c, &claim);
}

static void claim_horizon(book_chapter *c, double when[3][2])
{
  book_claim claim = impact_claim(
      "I21", "how long positions mean anything: double against extended precision of the independent program",
      "1e-6 apart at 1.05 s (slow) and 1.64 s (slowest)",
      "A = 10, step 4e-5, momenta changed by 1e-15; time until some node is 1e-6 (1e-2) away");
  snprintf(claim.measured, sizeof claim.measured,
           "slow %s s (%s s), slowest %s s (%s s): after that only counts, energies and momenta can be compared",
           book_fixed(when[1][0], 1).s, book_fixed(when[1][1], 1).s, book_fixed(when[2][0], 1).s,
           book_fixed(when[2][1], 1).s);
  const double worst = fmax(fabs(when[1][0] / 1.05 - 1), fabs(when[2][0] / 1.64 - 1));
  book_judge_below(&claim, worst, 0.2);
  snprintf(claim.rule, sizeof claim.rule,
           "reproduced if 1e-6 is reached within 20 %% of the independent program's times");
  book_add_claim(c, &claim);
}

vv_status impact_chaos(book_chapter *c, vv_ctx *ctx)
{
  static const double far[2] = {1e-6, 1e-2}, over[3] = {4e-5, 8e-5, 20e-5}, end[3] = {0.5, 2.5, 3};
  static const int members[ENSEMBLES] = {MEMBERS, MEMBERS, MEMBERS, 2, MEMBERS};
  double when[3][2];
  falls_crowd e[ENSEMBLES];
  falls_def def[ENSEMBLES] = {slowest, slowest, slowest, slowest, slowest};
  def[FINE].step = 2e-5, def[HALF].gravity = 0.5, def[TINY].gravity = 0.05, def[SLAB].jump = "slab";
  def[FINE].every = def[HALF].every = def[TINY].every = 1000; /* only counted */
  for (int i = 0; i < ENSEMBLES; i++) BOOK_TRY(falls_ensemble(ctx, &def[i], members[i], &e[i]));
  claim_counts(c, e);
  for (int i = 0; i < 3; i++) {
    falls_def pair = slowest;
    pair.over = over[i], pair.end = end[i];
    BOOK_TRY(falls_horizon(ctx, &pair, 1e-15, 2, far, when[i]));
  }
  claim_horizon(c, when);
  return VV_OK;
}

/* ---- orders 4 and 6 ---- */

static vv_status orders(book_chapter *c, vv_ctx *ctx, falls_record *r)
{
  double four, six = 0, over = 0, drift = 0;
  int64_t impacts = INT64_MAX;
  int held = 0, given = 0;
  falls_def def = slowest;
  def.order = 4;
  BOOK_TRY(falls_run(ctx, &def, r));
  four = r->error;
  book_heading(c, "Order 6 through the impacts");
  book_say(c, "The composed step as a whole is cut at the contact times, so an impact does not cost an order.");
  book_columns(c, "run|energy error, order 6|independent program|largest drift of J3, P1, P2");
  for (int i = 0; i < IMPACT_RUNS; i++) {
    def = impact_run[i].def;
    def.order = 6, def.series = false;
    BOOK_TRY(falls_run(ctx, &def, r));
    const double most = fmax(r->drift[0], fmax(r->drift[1], r->drift[2])), ref = impact_run[i].order6;
    book_row(c, "%s|%s|%s|%s", impact_run[i].name, book_error(r->error).s, ref > 0 ? book_error(ref).s : "not given",
             book_error(most).s);
    if (def.end == 5) six = fmax(six, r->error), impacts = r->impacts < impacts ? r->impacts : impacts;
    if (ref > 0) over = fmax(over, r->error / ref), held += r->error <= 1.02 * ref, given++; /* two digits */
    drift = fmax(drift, most);
  }
  book_table_end(c);
  book_claim claim =
      impact_claim("I22", "beyond: energy error over 5 s and about 200 impacts, order 6",
                   "figure 5.4; order 2 here: I8", "slowest, A = 10, steps 4e-5 and 2e-5, jump rule nodal");
  snprintf(claim.measured, sizeof claim.measured, "%s (order 4: %s)", book_error(six).s, book_error(four).s);
  book_judge_target(&claim, six, impacts > 150 ? 2e-12 : 0);
  book_add_claim(c, &claim);
  claim = impact_claim("I23", "beyond: momenta of the runs with order 6", "a decay (I11)", "the eight runs, order 6");
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(drift).s);
  book_judge_target(&claim, drift, 1e-12);
  book_add_claim(c, &claim);
  claim = impact_claim("I24", "energy errors with order 6, against the independent program", "1.3e-13 to 2.2e-10",
                       "five runs, fast to slowest");
  snprintf(claim.measured, sizeof claim.measured, "not above in %d of %d; largest ratio %s", held, given,
           book_number(over, 2).s);
  book_judge_count(&claim, held, given, "the error is not above the figure as printed");
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- corners and a sphere ---- */

static vv_status corners(book_chapter *c, vv_ctx *ctx, falls_record *r)
{
  static const struct {
    const char *name, *reference;
    falls_def def;
  } list[] = {
      {"slowest, A = 10, step 4e-5", "2.7e-05", {.over = 20e-5, .elements = 10, .step = 4e-5, .end = 5}},
      {"the same, order 6", "1.1e-12", {.over = 20e-5, .elements = 10, .step = 4e-5, .end = 5, .order = 6}},
      {"fast, A = 10, step 4e-5", "6e-02", {.over = 4e-5, .elements = 10, .step = 4e-5, .end = 0.5}},
      {"fast, A = 10, step 1e-5", "1.7e-03", {.over = 4e-5, .elements = 10, .step = 1e-5, .end = 0.5}},
      {"fast, A = 10, step 2.5e-6, to 0.1 s", "1e-04", {.over = 4e-5, .elements = 10, .step = 2.5e-6, .end = 0.1}},
      {"fast, A = 20, step 1e-5", "1e-04", {.over = 4e-5, .elements = 20, .step = 1e-5, .end = 0.5}}};
  double six = 0, penetration = 0, drift = 0;
  book_heading(c, "Corners of the section");
  book_say(c,
           "The beam has a thickness: four corners of every section can touch, and the beam starts 0.06 m higher. The "
           "fast run turns neighbouring sections against each other by nearly pi, where the Cayley map ends; there a "
           "shorter step or a finer mesh is needed, as the table shows.");
  book_columns(c, "run|impacts|energy error|independent program|penetration");
  for (int i = 0; i < VV_COUNT(list); i++) {
    falls_def def = list[i].def;
    def.touch = "section", def.lift = 0.06;
    BOOK_TRY(falls_run(ctx, &def, r));
    book_row(c, "%s|%lld|%s|%s|%s", list[i].name, (long long)r->impacts, book_error(r->error).s, list[i].reference,
             book_error(r->penetration).s);
    if (def.order == 6) six = r->error;
    penetration = fmax(penetration, r->penetration);
    for (int k = 0; k < FALLS_MOMENTA; k++) drift = fmax(drift, r->drift[k]);
  }
  book_table_end(c);
  book_claim claim = impact_claim("I25", "beyond: corners of the section touch, several at once", "the centroid only",
                                  "six runs with corners; energy: slowest, order 6");
  snprintf(claim.measured, sizeof claim.measured,
           "energy %s, momenta %s, penetration %s; the fast run needs a short step", book_error(six).s,
           book_error(drift).s, book_error(penetration).s);
  book_judge_target(&claim, fmax(fmax(six, drift), penetration), 1e-12);
  book_add_claim(c, &claim);
  return VV_OK;
}

static vv_status sphere(book_chapter *c, vv_ctx *ctx, falls_record *r)
{
  falls_def def = slowest;
  def.end = 1, def.order = 6, def.obstacle = "sphere: {centre: [0, 0, -1.005], radius: 1}";
  BOOK_TRY(falls_run(ctx, &def, r));
  book_claim claim =
      impact_claim("I26", "beyond: a sphere in place of the floor", "not given",
                   "slowest, order 6, to 1 s, sphere of radius 1 below the beam; J3 about its vertical axis");
  snprintf(claim.measured, sizeof claim.measured, "%lld impacts: energy %s, J3 %s, penetration %s",
           (long long)r->impacts, book_error(r->error).s, book_error(r->drift[FALLS_J3]).s,
           book_error(r->penetration).s);
  book_judge_target(&claim, fmax(fmax(r->error, r->drift[FALLS_J3]), r->penetration), 1e-12);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- friction ---- */

static vv_status friction(book_chapter *c, vv_ctx *ctx, falls_record *r)
{
  falls_def def = slowest;
  def.friction = 0.3, def.order = 6;
  BOOK_TRY(falls_run(ctx, &def, r));
  book_claim claim = impact_claim("I27", "beyond: Coulomb friction, the energy lost is the friction work booked",
                                  "frictionless", "slowest, friction 0.3, order 6, 5 s");
  const double lost = r->start - r->end, miss = fabs(lost - r->rubbed) / r->rubbed;
  snprintf(claim.measured, sizeof claim.measured, "%s %% of the energy lost; booked to %s",
           book_fixed(100 * lost / r->start, 0).s, book_error(miss).s);
  book_judge_target(&claim, miss, 1e-9);
  book_add_claim(c, &claim);
  def = (falls_def){.pose = FALLS_LYING, .elements = 10, .step = 4e-5, .end = 1, .friction = 0.4};
  BOOK_TRY(falls_run(ctx, &def, r));
  claim = impact_claim("I28", "beyond: a beam at rest on an incline below the angle of friction does not creep",
                       "frictionless", "slope 0.316, friction 0.4, 1 s, 25 000 steps");
  snprintf(claim.measured, sizeof claim.measured, "slip %s", book_error(r->slip).s);
  book_judge_target(&claim, r->slip, 0);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- weak impacts ---- */

static vv_status weak_runs(book_chapter *c, vv_ctx *ctx, falls_record *r, int64_t *unsolved, double *jump,
                           double *penetration)
{
  static const double lift[] = {0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2};
  *unsolved = 0, *jump = 0, *penetration = 0;
  book_heading(c, "A standing beam");
  book_say(c,
           "The published beam upright, let go at rest a little above the floor, 1 s of step 4e-5: the lower, the more "
           "and the weaker impacts. On the floor itself node 0 is held from the start.");
  book_columns(c, "height (m)|impacts, slab|without a root|held|energy jump, slab|impacts, nodal|energy jump, "
                  "nodal|energy error, nodal");
  for (int i = 0; i < VV_COUNT(lift); i++) {
    falls_def def = {.pose = FALLS_STANDING, .elements = 10, .step = 4e-5, .end = 1, .lift = lift[i], .jump = "slab"};
    BOOK_TRY(falls_run(ctx, &def, r));
    const falls_record slab = *r;
    def.jump = "nodal";
    BOOK_TRY(falls_run(ctx, &def, r));
    book_row(c, "%g|%lld|%lld|%lld|%s|%lld|%s|%s", lift[i], (long long)slab.impacts, (long long)slab.fallbacks,
             (long long)slab.held, book_error(slab.jump).s, (long long)r->impacts, book_error(r->jump).s,
             book_error(r->error).s);
    *unsolved += slab.fallbacks;
    *jump = fmax(*jump, r->jump), *penetration = fmax(*penetration, fmax(r->penetration, slab.penetration));
  }
  book_table_end(c);
  return VV_OK;
}

static vv_status weak(book_chapter *c, vv_ctx *ctx, falls_record *r)
{
  static const char evidence[] = "a standing beam let go at six heights, 0 to 1e-2 m; see the table";
  int64_t unsolved;
  double jump, penetration;
  BOOK_TRY(weak_runs(c, ctx, r, &unsolved, &jump, &penetration));
  book_claim claim = impact_claim("I29", "when the impact is very weak the horizontal jump is hard to solve",
                                  "a global minimum among many local ones", evidence);
  snprintf(claim.measured, sizeof claim.measured,
           "it is one equation; %lld impacts of the table have no root, where v < (a/2) sqrt(h1^2 - h2^2): the nodal "
           "rule is "
           "taken, and counted",
           (long long)unsolved);
  book_judge_above(&claim, (double)unsolved, 1);
  snprintf(claim.rule, sizeof claim.rule, "reproduced if some impact has no root");
  book_add_claim(c, &claim);
  claim = impact_claim("I30", "beyond: the nodal rule is always solvable", "no rule for weak impacts", evidence);
  snprintf(claim.measured, sizeof claim.measured, "energy jump %s, penetration %s", book_error(jump).s,
           book_error(penetration).s);
  book_judge_target(&claim, jump + penetration, 1e-15);
  book_add_claim(c, &claim);
  return VV_OK;
}

vv_status impact_beyond(book_chapter *c, vv_ctx *ctx)
{
  falls_record *r = malloc(sizeof *r);
  if (r == NULL) return VV_NOMEM;
  vv_status status = orders(c, ctx, r);
  if (status == VV_OK) status = corners(c, ctx, r);
  if (status == VV_OK) status = sphere(c, ctx, r);
  if (status == VV_OK) status = friction(c, ctx, r);
  if (status == VV_OK) status = weak(c, ctx, r);
  free(r);
  return status;
}
