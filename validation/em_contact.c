/* validation/em_contact.c  Bodies that bend meet in energy-momentum steps: books over 1e5 steps beside the explicit method on the
 * same scene, and orders (docs/theory/em.md). */
#include "solids.h"

#include <math.h>
#include <string.h>

enum { STEPS = 100000 };

typedef struct met_case {
  const char *id, *text, *scene, *evidence;
} met_case;
#define SHIPPED(name) name, "validation/scenes/" name ".yaml"

static const met_case list[] = {
    {"E1", "a beam on a floor", SHIPPED("em-beam-on-floor")},
    {"E2", "two beams in a free room", SHIPPED("em-two-beams")},
    {"E3", "a beam and a ball in a free room", SHIPPED("em-beam-and-ball")},
    {"E4", "a beam with corners on a floor", SHIPPED("em-plank-on-floor")},
    {"E5", "two beams with corners in a free room, edges rounded by 1 mm", SHIPPED("em-two-planks")},
    {"E6", "a beam with corners and a box in a free room, edges rounded by 1 mm", SHIPPED("em-plank-and-box")},
    {"E7", "a shell on a floor", SHIPPED("em-shell-on-floor")},
    {"E8", "a shell and a ball in a free room", SHIPPED("em-shell-and-ball")},
};

static vv_status run(vv_ctx *ctx, const char *scene, const char *step, solids_run *r)
{
  BOOK_TRY(solids_open_shipped(ctx, scene, step, 100, r));
  const vv_status status = solids_steps(r, STEPS);
  if (status != VV_OK) solids_close(r);
  return status;
}

static vv_status books(book_chapter *c, vv_ctx *ctx, const met_case *k)
{
  solids_run em, explicit;
  if (!book_wants(c, k->id)) return VV_OK;
  BOOK_TRY(run(ctx, k->scene, "energy-momentum", &em));
  const vv_ledger *l = solids_ledger(&em);
  const double worst = fmax(l->max_closure, fmax(l->max_p_drift, l->max_L_drift)), deep = l->max_penetration,
               part = l->overlap.size > 0.0 ? l->overlap.depth / l->overlap.size : 0.0;
  book_claim row = {.id = k->id, .text = k->text, .published = "exact", .evidence = k->evidence, .chaotic = true};
  const int n = snprintf(row.measured, sizeof row.measured,
                         "%lld impacts: energy %s, momentum %s, angular momentum %s, overlap %s m",
                         (long long)l->impacts, book_error(l->max_closure).s, book_error(l->max_p_drift).s,
                         book_error(l->max_L_drift).s, book_error(deep).s);
  solids_close(&em);
  BOOK_TRY(run(ctx, k->scene, "leapfrog", &explicit));
  snprintf(row.measured + n, sizeof row.measured - (size_t)n,
           "; leapfrog on the same scene: energy %s, a step costs 1/%s as much",
           book_error(solids_ledger(&explicit)->max_closure).s, book_number(em.seconds / explicit.seconds, 2).s);
  solids_close(&explicit);
  book_judge_target(&row, fmax(worst, 1e-10 * part), 1e-12);
  snprintf(row.rule, sizeof row.rule,
           "energy and momenta at most 1e-12, overlap at most a hundredth of what holds the two apart");
  book_add_claim(c, &row);
  return VV_OK;
}

/* ---- order ---- */

#define BEAM \
  "kind: beam, length: 0.4, elements: 10, material: {young: 2e8, density: 1000}, section: {circle: {radius: 0.01}}"
static const char beams[] =
    "  one: {" BEAM ", axis: [1, 0, 0.1], normal: [0, 1, 0], position: [-0.2, 0, 0.03], velocity: [0.3, 0.1, -3]}\n"
    "  two: {" BEAM ", axis: [0.2, 1, 0], normal: [0, 0, 1], position: [-0.01, -0.14, 0], velocity: [0, 0, 1]}\n";
static const char drum[] = "  one: {kind: shell, mesh: {sphere: {radius: 0.1, frequency: 2}}, thickness: 0.004, "
                           "material: {young: 1e6, poisson: "
                           "0.3, density: 1000}, velocity: [0.1, 0.2, -1], spin: [5, 3, 10], centre: [0, 0, 0.12]}\n"
                           "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n";

enum { SIZES = 4, MOST = 64 };

typedef struct order_case {
  const char *bodies, *contact;
  double step, end;
  int nodes;
} order_case;

/* Places after `end` with steps h, h/2, ..: how much each halving changes them. */
static vv_status changes(vv_ctx *ctx, const order_case *k, double change[SIZES - 1])
{
  double x[2][3 * MOST];
  for (int i = 0; i < SIZES; i++) {
    char text[SOLIDS_TEXT];
    solids_run r;
    const double h = k->step / (1 << i);
    solids_head(text, h, "[0, 0, 0]", "step: energy-momentum", k->contact);
    solids_body(text, "%s", k->bodies);
    BOOK_TRY(solids_open(ctx, text, 1000, &r));
    vv_status status = solids_steps(&r, (int64_t)(k->end / h + 0.5));
    if (status == VV_OK) status = solids_field(&r, "one", "position", x[i % 2]);
    solids_close(&r);
    BOOK_TRY(status);
    for (int j = 0; i > 0 && j < 3 * k->nodes; j++)
      change[i - 1] = fmax(j == 0 ? 0.0 : change[i - 1], fabs(x[0][j] - x[1][j]));
  }
  return VV_OK;
}

static vv_status orders(book_chapter *c, vv_ctx *ctx)
{
  static const order_case k[2] = {
      {beams, "response: penalty, stiffness: 1e4", 2e-5, 9e-3, 11},
      {drum, "response: penalty, stiffness: 1e3, self: false", 2e-4, 0.03, 18},
  };
  double rate[2][SIZES - 2], size[SIZES - 1], off = 0.0;
  if (!book_wants(c, "E9")) return VV_OK;
  for (int i = 0; i < 2; i++) {
    double change[SIZES - 1];
    BOOK_TRY(changes(ctx, &k[i], change));
    for (int j = 0; j < SIZES - 1; j++) size[j] = k[i].step / (1 << j);
    for (int j = 0; j < SIZES - 2; j++) rate[i][j] = book_pair(j, size, change);
    off = fmax(off, fabs(book_fit(SIZES - 1, size, change) - 2.0));
  }
  book_claim row = {.id = "E9",
                    .text = "places through a contact are of second order in the step",
                    .published = "2",
                    .evidence =
                        "two beams across each other, springs of 1e4 N/m, 9 ms in steps of 2e-5 s and a half, a "
                        "quarter, an eighth; a shell on a floor, 1e3 N/m, 30 ms in steps of 2e-4 s and so on"};
  snprintf(row.measured, sizeof row.measured, "pairs %s %s (beams), %s %s (shell)", book_fixed(rate[0][0], 2).s,
           book_fixed(rate[0][1], 2).s, book_fixed(rate[1][0], 2).s, book_fixed(rate[1][1], 2).s);
  book_judge_exact(&row, off, 0.15);
  snprintf(row.rule, sizeof row.rule, "the fit over all is within 0.15 of 2, for both");
  book_add_claim(c, &row);
  return VV_OK;
}

/* ---- springs that lose ---- */

enum { YIELDS = 3 };
static const double given_back[YIELDS] = {0.9, 0.5, 0.1};

static vv_status yield_run(vv_ctx *ctx, const char *bodies, double e, const char *law, double h, double end,
                           solids_run *r)
{
  char text[SOLIDS_TEXT], line[128];
  snprintf(line, sizeof line, "response: penalty, restitution: %g, %s", e, law);
  solids_head(text, h, "[0, 0, 0]", "step: energy-momentum", line);
  solids_body(text, "%s", bodies);
  BOOK_TRY(solids_open(ctx, text, 1000, r));
  const vv_status status = solids_steps(r, (int64_t)(end / h + 0.5));
  if (status != VV_OK) solids_close(r);
  return status;
}

/* A ball of 2 kg with 1 m/s on 20 kN/m: how fast it leaves; the worst of its books. */
static vv_status thrown_back(vv_ctx *ctx, double e, double h, double *speed, double *worst)
{
  static const char ball[] =
      "  one: {kind: rigid, shape: {ball: {radius: 0.5}}, mass: 2, position: [0, 0, 0.5123], velocity: [0, 0, -1]}\n"
      "  floor: {kind: obstacle, shape: {plane: {normal: [0, 0, 1], offset: 0}}}\n";
  double v[3];
  solids_run r;
  BOOK_TRY(yield_run(ctx, ball, e, "stiffness: 2e4", h, 0.1, &r));
  const vv_ledger *l = solids_ledger(&r);
  *worst = fmax(*worst, fmax(l->max_closure, l->max_p_drift));
  const vv_status status = solids_field(&r, "one", "velocity", v);
  *speed = v[2];
  solids_close(&r);
  return status;
}

static vv_status bent_back(vv_ctx *ctx, const order_case *k, double *worst, double *lost)
{
  for (int i = 0; i < YIELDS; i++) {
    solids_run r;
    BOOK_TRY(yield_run(ctx, k->bodies, given_back[i], k->contact, k->step, k->end, &r));
    const vv_ledger *l = solids_ledger(&r);
    *worst = fmax(*worst, fmax(l->max_closure, fmax(l->max_p_drift, l->max_L_drift)));
    lost[i] = vv_sum_value(&l->posted.restitution_loss) / vv_totals_energy(&l->initial);
    solids_close(&r);
  }
  return VV_OK;
}

static vv_status springs_that_lose(book_chapter *c, vv_ctx *ctx)
{
  static const order_case bends[2] = {{beams, "stiffness: 1e6", 1e-5, 0.03, 11},
                                      {drum, "stiffness: 4e4, self: false, thickness: true", 4e-4, 0.2, 18}};
  const double h = 1e-3, omega = 100.0;
  double speed[YIELDS], lost[2][YIELDS], worst = 0.0, off = 0.0;
  if (!book_wants(c, "E10")) return VV_OK;
  for (int i = 0; i < YIELDS; i++) {
    const double e = given_back[i];
    BOOK_TRY(thrown_back(ctx, e, h, &speed[i], &worst));
    const double over = (speed[i] * speed[i] - e * e) / ((1.0 - e * e) * 0.25 * h * h * omega * omega);
    off = fmax(off, fmax(over, speed[i] < e * (1.0 - 1e-12) ? INFINITY : 0.0));
  }
  for (int i = 0; i < 2; i++) BOOK_TRY(bent_back(ctx, &bends[i], &worst, lost[i]));
  book_claim row = {
      .id = "E10",
      .text = "springs with restitution 0.9, 0.5, 0.1: books, and a ball that leaves with so much of its speed",
      .published = "exact; 0.9, 0.5, 0.1",
      .evidence = "a ball of 2 kg on 20 kN/m in steps of 1 ms; two beams across each other, 1e6 N/m, 30 ms "
                  "in steps of 1e-5 s; a shell on a floor, 4e4 N/m, 0.2 s in steps of 4e-4 s",
      .chaotic = true};
  snprintf(row.measured, sizeof row.measured,
           "speeds %s, %s, %s; lost of the energy: beams %s, %s, %s, shell %s, %s, %s; energy and momenta %s",
           book_fixed(speed[0], 4).s, book_fixed(speed[1], 4).s, book_fixed(speed[2], 4).s, book_percent(lost[0][0]).s,
           book_percent(lost[0][1]).s, book_percent(lost[0][2]).s, book_percent(lost[1][0]).s,
           book_percent(lost[1][1]).s, book_percent(lost[1][2]).s, book_error(worst).s);
  book_judge_target(&row, off <= 1.0 ? worst : INFINITY, 1e-12);
  snprintf(row.rule, sizeof row.rule,
           "energy and momenta at most 1e-12, speeds between e and what [em 31] leaves for the step");
  book_add_claim(c, &row);
  return VV_OK;
}

vv_status chapter_em_contact(book *b)
{
  book_chapter *c;
  BOOK_TRY(book_chapter_begin(b, "em-contact", "Energy-momentum contact of bodies that bend",
                              "No paper derives it: the one on rigid contact says that its programs have it "
                              "(docs/theory/em.md); 1e5 steps of the scenes in validation/scenes, restitution 1.",
                              &c));
  for (int i = 0; i < VV_COUNT(list); i++) BOOK_TRY(books(c, book_ctx(b), &list[i]));
  BOOK_TRY(orders(c, book_ctx(b)));
  BOOK_TRY(springs_that_lose(c, book_ctx(b)));
  return book_chapter_end(c);
}
