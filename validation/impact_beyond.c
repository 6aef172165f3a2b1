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
  snprintf(claim.measured, sizeof claim.measured, "%s +- %s and %s +- %s; all runs from %lld to %lld",
           book_fixed(e[COARSE].mean, 0).s, book_fixed(e[COARSE].deviation, 0).s, book_fixed(e[FINE].mean, 0).s,
           book_fixed(e[FINE].deviation, 0).s, (long long)least, (long long)most);
  book_judge_about(&claim, fmin(e[COARSE].mean, e[FINE].mean), fmax(e[COARSE].mean, e[FINE].mean), 200);
  snprintf(claim.rule, sizeof claim.rule, "\"about\": means of both steps within 10 %% of 200");
  claim.chaotic = true;
  book_add_claim(c, &claim);
  claim = impact_claim("I20",
                       "contacts in 5 s by the readings of gravity: (5.9) as printed halves it, q = ds g rho a^2 E3 "
                       "takes a twentieth, (87) of 2016 all of it (I19)",
                       "about 200", "slowest, step 4e-5, gravity times 1/2 (12 runs) and times ds = 0.05 (2 runs)");
  snprintf(claim.measured, sizeof claim.measured, "%s +- %s and %s", book_fixed(e[HALF].mean, 0).s,
           book_fixed(e[HALF].deviation, 0).s, book_fixed(e[TINY].mean, 0).s);
  book_tell(&claim);
  claim.chaotic = true;
  book_add_claim(c, &claim);
  claim = impact_claim("I31", "largest energy errors of chaotic runs, median", "-",
                       "slowest, A = 10, step 4e-5, 12 runs for each rule; nodal: of H, slab: of E_d");
  snprintf(claim.measured, sizeof claim.measured, "nodal %s, slab %s", book_error(e[COARSE].error).s,
           book_error(e[SLAB].error).s);
  book_tell(&claim);
  claim.chaotic = true;
  book_add_claim(c, &claim);
}

static void claim_horizon(book_chapter *c, double when[3][2])
{
  book_claim claim = impact_claim(
      "I21", "how long positions mean anything: after that only counts, energies and momenta can be compared", "-",
      "A = 10, step 4e-5, momenta changed by 1e-15; time until some node is 1e-6 (1e-2) away");
  snprintf(claim.measured, sizeof claim.measured, "slow %s s (%s s), slowest %s s (%s s)", book_fixed(when[1][0], 1).s,
           book_fixed(when[1][1], 1).s, book_fixed(when[2][0], 1).s, book_fixed(when[2][1], 1).s);
  book_tell(&claim);
  claim.chaotic = true;
  book_add_claim(c, &claim);
}

/* Section 5.3.1 prints I1 = I2 = rho a^4/12 and uses I1 in C2 (5.4), which multiplies the bending stiffness by rho = 1000;
 * the book takes a^4/12 there. */
static vv_status printed_moments(book_chapter *c, vv_ctx *ctx)
{
  enum { SPEEDS = 3, COUNTED = 2 };
  static const double over[SPEEDS] = {4e-5, 8e-5, 20e-5};
  double speed[2][SPEEDS];
  falls_crowd counts;
  falls_record *r = malloc(sizeof *r);
  if (r == NULL) return VV_NOMEM;
  vv_status status = VV_OK;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < SPEEDS && status == VV_OK; i++) {
      const falls_def def = {.over = over[i], .elements = 10, .step = 4e-5, .end = 0.05, .printed_moments = k == 1};
      status = falls_run(ctx, &def, r);
      speed[k][i] = -r->speed[0];
    }
  free(r);
  falls_def def = slowest;
  def.printed_moments = true, def.every = 1000;
  if (status == VV_OK) status = falls_ensemble(ctx, &def, MEMBERS, &counts);
  if (status != VV_OK) return status;
  book_claim claim = impact_claim(
      "I32",
      "5.3.1 prints I1 = I2 = rho a^4/12 and uses it in C2: bending a thousand times as stiff. The book reads a^4/12 "
      "there; each reading fits one sentence of the paper and misses another",
      "first impacts at about 30, 15 and 6 m/s, about 200 contacts",
      "A = 10, step 4e-5, jump rule nodal; contacts: slowest, "
      "12 runs with momenta changed by 1e-9; a^4/12: I19");
  snprintf(claim.measured, sizeof claim.measured,
           "as printed %s, %s and %s m/s, %s +- %s contacts; with a^4/12 %s, %s and %s m/s (node 0; the tip later, I3)",
           book_fixed(speed[1][0], 2).s, book_fixed(speed[1][1], 2).s, book_fixed(speed[1][2], 2).s,
           book_fixed(counts.mean, 0).s, book_fixed(counts.deviation, 0).s, book_fixed(speed[0][0], 2).s,
           book_fixed(speed[0][1], 2).s, book_fixed(speed[0][2], 2).s);
  book_tell(&claim);
  claim.chaotic = true;
  book_add_claim(c, &claim);
  return VV_OK;
}

/* The two-form and the form formula through the impacts of the beam. */
static vv_status beam_structure(book_chapter *c, vv_ctx *ctx)
{
  double two[2], form, noether;
  falls_record *r = malloc(sizeof *r);
  if (r == NULL) return VV_NOMEM;
  falls_def def = {.over = 4e-5, .elements = 10, .step = 4e-5, .end = 0.05, .jump = "slab", .structure = true};
  vv_status status = falls_run(ctx, &def, r);
  const int64_t impacts = r->impacts;
  two[0] = r->symplectic, form = r->multisymplectic, noether = r->noether;
  def.jump = "nodal";
  if (status == VV_OK) status = falls_run(ctx, &def, r);
  two[1] = r->symplectic;
  free(r);
  if (status != VV_OK) return status;
  book_claim claim = impact_claim(
      "I33", "2016: the discrete flow of the beam is symplectic through the impact, and (70), (72) hold",
      "exact (theory)", "fast, A = 10, step 4e-5, slab jump, first variations to 0.05 s; control: nodal jump");
  snprintf(claim.measured, sizeof claim.measured, "%lld impacts: w(p, q) %s, form formula %s, Noether %s; control %s",
           (long long)impacts, book_error(two[0]).s, book_error(form).s, book_error(noether).s, book_error(two[1]).s);
  book_judge_below(&claim, fmax(two[0], fmax(form, noether)), 1e-12);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* (43) in space, in flight: the beam starts with strain up to its free ends, from where shocks run inwards. */
static vv_status configurational(book_chapter *c, vv_ctx *ctx)
{
  enum { MESHES = 3 };
  double off[MESHES];
  falls_record *r = malloc(sizeof *r);
  vv_status status = r != NULL ? VV_OK : VV_NOMEM;
  for (int i = 0; i < MESHES && status == VV_OK; i++) {
    const falls_def def = {.over = 4e-5,
                           .elements = 20 << i,
                           .step = 2e-5 / (1 << i),
                           .end = 0.1,
                           .lift = 5,
                           .jump = "slab",
                           .structure = true};
    status = falls_run(ctx, &def, r);
    off[i] = r->configurational;
  }
  free(r);
  if (status != VV_OK) return status;
  book_claim claim =
      impact_claim("I34", "the balance of configurational forces in the middle of the flying beam closes with the mesh",
                   "exact (theory, continuum)", "fast, lifted by 5 m, to 0.1 s, A = 20, 40, 80, step 4e-4/A");
  claim.kind = BOOK_TARGET;
  snprintf(claim.measured, sizeof claim.measured, "residuals %s, %s, %s", book_error(off[0]).s, book_error(off[1]).s,
           book_error(off[2]).s);
  book_judge_count(&claim, (off[1] < off[0]) + (off[2] < off[1]), 2, "it falls");
  snprintf(claim.rule, sizeof claim.rule, "it falls from mesh to mesh");
  book_add_claim(c, &claim);
  return VV_OK;
}

/* 2016, 5.1: (87) "greatly improves" on the Lagrangian of triangles D_a^j alone, which gives node a all of the mass of the
 * element behind it and the last node none: inside, both are the leapfrog, and they differ at the ends.  The last element is
 * then free of stress, a tail without mass.  Error of the node before it, in flight, against a fine mesh. */
static vv_status triangles(book_chapter *c, vv_ctx *ctx)
{
  static const double when[1] = {0.1};
  double best[1][3], x[1][3], off[2][2];
  for (int k = 0; k < 2; k++) {
    const int n = k == 0 ? 20 : 40;
    const falls_def fine = {.over = 4e-5, .elements = 160, .step = 5e-6, .end = 0.2, .lift = 5, .watch = 160 - 160 / n};
    BOOK_TRY(falls_tip(ctx, &fine, 1, when, best));
    for (int way = 0; way < 2; way++) {
      const falls_def def = {
          .over = 4e-5, .elements = n, .step = 1e-5, .end = 0.2, .lift = 5, .watch = n - 1, .triangles = way == 1};
      BOOK_TRY(falls_tip(ctx, &def, 1, when, x));
      double square = 0;
      for (int d = 0; d < 3; d++) square += pow(x[0][d] - best[0][d], 2);
      off[way][k] = sqrt(square);
    }
  }
  book_claim claim =
      impact_claim("I35", "2016: (87) greatly improves on the scheme of triangles alone, especially at the boundaries",
                   "stated", "fast beam lifted by 5 m, node before the last at 0.1 s against A = 160; A = 20, 40");
  snprintf(claim.measured, sizeof claim.measured, "(87): off by %s and %s m; triangles alone: %s and %s m",
           book_error(off[0][0]).s, book_error(off[0][1]).s, book_error(off[1][0]).s, book_error(off[1][1]).s);
  book_judge_count(&claim, (off[0][0] < 0.5 * off[1][0]) + (off[0][1] < 0.5 * off[1][1]), 2,
                   "\"greatly\": the error with (87) is less than half");
  book_add_claim(c, &claim);
  return VV_OK;
}

static vv_status counts(book_chapter *c, vv_ctx *ctx)
{
  static const int members[ENSEMBLES] = {MEMBERS, MEMBERS, MEMBERS, 2, MEMBERS};
  falls_crowd e[ENSEMBLES];
  falls_def def[ENSEMBLES] = {slowest, slowest, slowest, slowest, slowest};
  def[FINE].step = 2e-5, def[HALF].gravity = 0.5, def[TINY].gravity = 0.05, def[SLAB].jump = "slab";
  def[FINE].every = def[HALF].every = def[TINY].every = 1000; /* only counted */
  for (int i = 0; i < ENSEMBLES; i++) BOOK_TRY(falls_ensemble(ctx, &def[i], members[i], &e[i]));
  claim_counts(c, e);
  return VV_OK;
}

static vv_status horizon(book_chapter *c, vv_ctx *ctx)
{
  static const double far[2] = {1e-6, 1e-2}, over[3] = {4e-5, 8e-5, 20e-5}, end[3] = {0.5, 2.5, 3};
  double when[3][2];
  for (int i = 0; i < 3; i++) {
    falls_def pair = slowest;
    pair.over = over[i], pair.end = end[i];
    BOOK_TRY(falls_horizon(ctx, &pair, 1e-15, 2, far, when[i]));
  }
  claim_horizon(c, when);
  return VV_OK;
}

vv_status impact_chaos(book_chapter *c, vv_ctx *ctx)
{
  if (book_wants(c, "I19 I20 I31")) BOOK_TRY(counts(c, ctx));
  if (book_wants(c, "I32")) BOOK_TRY(printed_moments(c, ctx));
  if (book_wants(c, "I33")) BOOK_TRY(beam_structure(c, ctx));
  if (book_wants(c, "I35")) BOOK_TRY(triangles(c, ctx));
  if (book_wants(c, "I34")) BOOK_TRY(configurational(c, ctx));
  return book_wants(c, "I21") ? horizon(c, ctx) : VV_OK;
}

/* ---- orders 4 and 6 ---- */

static vv_status orders(book_chapter *c, vv_ctx *ctx, falls_record *r)
{
  double four, six = 0, drift = 0;
  int64_t impacts = INT64_MAX;
  falls_def def = slowest;
  def.order = 4;
  BOOK_TRY(falls_run(ctx, &def, r));
  four = r->error;
  book_heading(c, "Order 6 through the impacts");
  book_say(c, "The composed step as a whole is cut at the contact times, so an impact does not cost an order.");
  book_columns(c, "run|energy error, order 6|largest drift of J3, P1, P2");
  for (int i = 0; i < IMPACT_RUNS; i++) {
    def = impact_run[i].def;
    def.order = 6, def.series = false;
    BOOK_TRY(falls_run(ctx, &def, r));
    const double most = fmax(r->drift[0], fmax(r->drift[1], r->drift[2]));
    book_row(c, "%s|%s|%s", impact_run[i].name, book_error(r->error).s, book_error(most).s);
    if (def.end == 5) six = fmax(six, r->error), impacts = r->impacts < impacts ? r->impacts : impacts;
    drift = fmax(drift, most);
  }
  book_table_end(c);
  book_claim claim = impact_claim("I22", "energy error over 5 s and about 200 impacts, order 6", "order 2: I8",
                                  "slowest, A = 10, steps 4e-5 and 2e-5, jump rule nodal");
  snprintf(claim.measured, sizeof claim.measured, "%s in %lld impacts or more (order 4: %s)", book_error(six).s,
           (long long)impacts, book_error(four).s);
  book_judge_target(&claim, six, impacts > 150 ? 2e-12 : 0);
  snprintf(claim.rule, sizeof claim.rule, "at most 2e-12, with more than 150 impacts");
  claim.chaotic = true;
  book_add_claim(c, &claim);
  claim = impact_claim("I23", "momenta of the runs with order 6", "a decay (I11)", "the eight runs, order 6");
  snprintf(claim.measured, sizeof claim.measured, "%s", book_error(drift).s);
  book_judge_target(&claim, drift, 1e-12);
  book_add_claim(c, &claim);
  return VV_OK;
}

/* ---- corners and a sphere ---- */

static vv_status corners(book_chapter *c, vv_ctx *ctx, falls_record *r)
{
  static const struct {
    const char *name;
    falls_def def;
  } list[] = {{"slowest, A = 10, step 4e-5", {.over = 20e-5, .elements = 10, .step = 4e-5, .end = 5}},
              {"the same, order 6", {.over = 20e-5, .elements = 10, .step = 4e-5, .end = 5, .order = 6}},
              {"fast, A = 10, step 4e-5", {.over = 4e-5, .elements = 10, .step = 4e-5, .end = 0.5}},
              {"fast, A = 10, step 1e-5", {.over = 4e-5, .elements = 10, .step = 1e-5, .end = 0.5}},
              {"fast, A = 10, step 2.5e-6, to 0.1 s", {.over = 4e-5, .elements = 10, .step = 2.5e-6, .end = 0.1}},
              {"fast, A = 20, step 1e-5", {.over = 4e-5, .elements = 20, .step = 1e-5, .end = 0.5}}};
  double six = 0, penetration = 0, drift = 0, fast = 0;
  book_heading(c, "Corners of the section");
  book_say(c,
           "The beam has a thickness: four corners of every section can touch, and the beam starts 0.06 m higher. The "
           "fast run turns neighbouring sections against each other by nearly pi, where the Cayley map ends; there a "
           "shorter step or a finer mesh is needed, as the table shows.");
  book_columns(c, "run|impacts|energy error|penetration");
  for (int i = 0; i < VV_COUNT(list); i++) {
    falls_def def = list[i].def;
    def.touch = "section", def.lift = 0.06;
    BOOK_TRY(falls_run(ctx, &def, r));
    book_row(c, "%s|%lld|%s|%s", list[i].name, (long long)r->impacts, book_error(r->error).s,
             book_error(r->penetration).s);
    fast = fmax(fast, r->error);
    if (def.order == 6) six = r->error;
    penetration = fmax(penetration, r->penetration);
    for (int k = 0; k < FALLS_MOMENTA; k++) drift = fmax(drift, r->drift[k]);
  }
  book_table_end(c);
  book_claim claim = impact_claim("I25", "corners of the section touch, several at once", "the centroid only",
                                  "six runs with corners; energy: slowest, order 6");
  snprintf(claim.measured, sizeof claim.measured,
           "energy %s, momenta %s, penetration %s; worst energy of the fast runs %s (A = 10, step 4e-5: they need a "
           "short one)",
           book_error(six).s, book_error(drift).s, book_error(penetration).s, book_error(fast).s);
  book_judge_target(&claim, fmax(fmax(six, drift), penetration), 1e-12);
  snprintf(claim.rule, sizeof claim.rule,
           "at most 1e-12: energy of the slowest run with order 6, momenta and penetration of all");
  claim.chaotic = true;
  book_add_claim(c, &claim);
  return VV_OK;
}

static vv_status sphere(book_chapter *c, vv_ctx *ctx, falls_record *r)
{
  falls_def def = slowest;
  def.end = 1, def.order = 6, def.obstacle = "sphere: {centre: [0, 0, -1.005], radius: 1}";
  BOOK_TRY(falls_run(ctx, &def, r));
  book_claim claim =
      impact_claim("I26", "a sphere in place of the floor", "-",
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
  book_claim claim = impact_claim("I27", "Coulomb friction, the energy lost is the friction work booked",
                                  "frictionless", "slowest, friction 0.3, order 6, 5 s");
  const double lost = r->start - r->end, miss = fabs(lost - r->rubbed) / r->rubbed;
  snprintf(claim.measured, sizeof claim.measured, "%s %% of the energy lost; booked to %s",
           book_fixed(100 * lost / r->start, 0).s, book_error(miss).s);
  book_judge_target(&claim, miss, 1e-9);
  book_add_claim(c, &claim);
  def = (falls_def){.pose = FALLS_LYING, .elements = 10, .step = 4e-5, .end = 1, .friction = 0.4};
  BOOK_TRY(falls_run(ctx, &def, r));
  claim = impact_claim("I28", "a beam at rest on an incline below the angle of friction does not creep", "frictionless",
                       "slope 0.316, friction 0.4, 1 s, 25 000 steps");
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
  snprintf(claim.rule, sizeof claim.rule, "some impact has no root");
  book_add_claim(c, &claim);
  claim = impact_claim("I30", "the nodal rule is always solvable", "no rule for weak impacts", evidence);
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
  vv_status status = book_wants(c, "I22 I23") ? orders(c, ctx, r) : VV_OK;
  if (status == VV_OK && book_wants(c, "I25")) status = corners(c, ctx, r);
  if (status == VV_OK && book_wants(c, "I26")) status = sphere(c, ctx, r);
  if (status == VV_OK && book_wants(c, "I27 I28")) status = friction(c, ctx, r);
  if (status == VV_OK && book_wants(c, "I29 I30")) status = weak(c, ctx, r);
  free(r);
  return status;
}
